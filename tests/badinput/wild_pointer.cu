// A wild or misaligned pointer or endless recursion in a kernel: CUDA's error, sticky, with the kernel's name and the address; the program goes on.
// REQUIRES: run, no-sanitizer
// RUN: %cucpu --simd=1 %s -o %t && %run %t 0 2>&1 | FileCheck %s
// RUN: %run %t 4096 2>&1 | FileCheck %s
// RUN: %run %t 0xdead00000000beef 2>&1 | FileCheck --check-prefixes=CHECK,FAR %s
// RUN: %run %t odd 2>&1 | FileCheck --check-prefix=ODD %s
// RUN: %run %t deep 2>&1 | FileCheck --check-prefix=DEEP %s
// RUN: %cucpu %s -o %t && %run %t 0 2>&1 | FileCheck %s
// RUN: %run %t 0xdead00000000beef 2>&1 | FileCheck --check-prefixes=CHECK,FAR %s
// RUN: %run %t deep 2>&1 | FileCheck --check-prefix=DEEP %s
// CHECK: kernel {{.*}}stores{{.*}} illegal memory access
// FAR-SAME: at address 0xdead00000000be
// CHECK: error 700, then 700
// ODD: kernel {{.*}}pairs{{.*}}: misaligned memory access at address 0x{{[0-9a-f]*[1-9a-f]$}}
// ODD: error 716, then 716
// DEEP: kernel {{.*}}recurs{{.*}}: stack overflow at address 0x
// DEEP: error 700, then 700
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void stores(int *p) { p[threadIdx.x] = 1; }
__global__ void pairs(double2 *p) { *p = double2{1, 2}; }
__device__ int deep(volatile int *p, int n) {
    volatile int local[64];
    local[n & 63] = n;
    return *p == 77 ? local[3] : deep(p, n + 1) + local[n & 63];
}
__global__ void recurs(int *p) { *p = deep(p, 0); }

int main(int, char **argv) {
    int *p, other;
    cudaMalloc(&p, 64);
    cudaMemset(p, 0, 64);
    if (!strcmp(argv[1], "odd")) pairs<<<1, 1>>>((double2 *)((char *)p + 1));
    else if (!strcmp(argv[1], "deep")) recurs<<<1, 1>>>(p);
    else stores<<<1, 32>>>((int *)std::strtoull(argv[1], nullptr, 0));
    cudaError_t first = cudaDeviceSynchronize();
    std::printf("error %d, then %d\n", first, cudaMemset(&other, 0, 4));
}
