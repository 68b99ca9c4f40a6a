// Named barriers that cannot be met end with an error: which barrier, where, who is missing.
// REQUIRES: run
// RUN: %cucpu --simd=1 %s -o %t.1
// RUN: not %run %t.1 missing 2>&1 | FileCheck --check-prefix=MISSING %s
// RUN: not %run %t.1 odd 2>&1 | FileCheck --check-prefix=ODD %s
// RUN: not %run %t.1 differ 2>&1 | FileCheck --check-prefix=DIFFER %s
// RUN: not %run %t.1 number 2>&1 | FileCheck --check-prefix=NUMBER %s
// RUN: not %run %t.1 gone 2>&1 | FileCheck --check-prefix=GONE %s
// RUN: not %run %t.1 lanes 2>&1 | FileCheck --check-prefix=LANES %s
// RUN: %cucpu %s -o %t
// RUN: not %run %t missing 2>&1 | FileCheck --check-prefix=MISSING %s
// RUN: not %run %t odd 2>&1 | FileCheck --check-prefix=ODD %s
// RUN: not %run %t differ 2>&1 | FileCheck --check-prefix=DIFFER %s
// RUN: not %run %t gone 2>&1 | FileCheck --check-prefix=GONE %s
// RUN: not %run %t lanes 2>&1 | FileCheck --check-prefix=LANES %s
#include <cstdio>
#include <cstring>

// MISSING: kernel missing(int*) ({{.*}}grid_named_errors.cu:[[@LINE+2]]), block [0,0,0]: {{.*}}grid_named_errors.cu:[[@LINE+3]]: barrier 1 of 64 threads cannot be met: nothing can go on: 32 threads have arrived, 96 wait elsewhere, 0 have returned
// MISSING: unspecified launch failure
__global__ void missing(int *a) {
    if (threadIdx.x < 32) __barrier_sync_count(1, 64);
    else __barrier_sync_count(2, 128);
    a[threadIdx.x] = 1;
}

// ODD: [[@LINE+1]]: barrier 3 of 48 threads cannot be met: the number of threads is not a multiple of the warp size
__global__ void odd(int *a) { __barrier_sync_count(3, 48); a[threadIdx.x] = 1; }

// DIFFER: barrier 3 of {{64|32}} threads cannot be met: its threads name different numbers of threads
__global__ void differ(int *a) {
    __barrier_sync_count(3, 32 + threadIdx.x / 64 * 32);
    a[threadIdx.x] = 1;
}

// NUMBER: barrier {{16|17}} cannot be met: there is no barrier of this number
__global__ void number(int *a) {
    __barrier_sync(16 + (threadIdx.x & 1));
    a[threadIdx.x] = 1;
}

// GONE: barrier 1 of 64 threads cannot be met: nothing can go on: 32 threads have arrived, 0 wait elsewhere, 96 have returned
__global__ void gone(int *a) {
    if (threadIdx.x >= 32) return;
    __barrier_sync_count(1, 64);
    a[threadIdx.x] = 1;
}

// Half a warp stays away.
// LANES: barrier 1 of 64 threads cannot be met: nothing can go on: 48 threads have arrived, 80 wait elsewhere, 0 have returned
__global__ void lanes(int *a) {
    if (threadIdx.x < 48) __barrier_sync_count(1, 64);
    __barrier_sync_count(2, 128);
    a[threadIdx.x] = 1;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int *a;
    cudaMalloc(&a, 1024);
#define TRY(kernel) if (!std::strcmp(what, #kernel)) kernel<<<1, 128>>>(a)
    TRY(missing);
    TRY(odd);
    TRY(differ);
    TRY(number);
    TRY(gone);
    TRY(lanes);
    cudaError_t e = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
