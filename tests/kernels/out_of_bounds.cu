// Kernels that write behind their memory, or to memory that is free: the error of an illegal address, or none where the memory is
// still device memory; never damage to the host's heap.
// REQUIRES: run
// RUN: %cucpu %s -o %t
// RUN: %run %t 0 0 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: %run %t 1 0 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: %run %t 2 0 2>&1 | FileCheck %s
// RUN: %run %t 3 0 2>&1 | FileCheck %s
// RUN: %run %t 3 1 2>&1 | FileCheck %s
// RUN: %run %t 4 0 2>&1 | FileCheck %s
// RUN: %run %t 5 0 2>&1 | FileCheck %s --check-prefix=QUIET
// RUN: %run %t 5 1 2>&1 | FileCheck %s --check-prefix=QUIET
// QUIET: cudaSuccess
// CHECK: kernel {{.*}}out_of_bounds.cu:{{.*}}: illegal memory access
// CHECK: cudaErrorIllegalAddress
// CHECK: end
// QUIET: end
#include <cstdio>
#include <cstdlib>

__global__ void fill(int *p, size_t from, size_t n) {
    for (size_t i = from + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = -1;
}
__global__ void fill_shared(int n) {
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = -1;
    __syncthreads();
    if (s[n - 1 - threadIdx.x] == 5) printf("5\n");
}
__global__ void add_rows(const int *p, int row, size_t n, int *result) {
    int i = threadIdx.x;
    result[i] = p[i - row] + p[n + row - 1 - i];
}

static int *device(size_t n) {
    int *p;
    return cudaMalloc(&p, n * sizeof(int)) ? nullptr : p;
}

int main(int, char **v) {
    int which = atoi(v[1]), kind = atoi(v[2]);
    const size_t n = 1152, large = kind ? (5 << 20) + 1 : 1 << 20;
    int *d[8];
    for (auto &x : d) x = device(n);
    int *p = device(16), *q = device(large), *beside = device(large);
    void *host[200];
    for (auto &x : host) x = malloc(200000); // some of them of the system's pages
    switch (which) {
    case 0: // behind the end
        fill<<<5, 256>>>(d[7], 0, 1280);
        break;
    case 1: // free
        fill<<<1, 16>>>(p, 0, 16);
        cudaFree(p);
        fill<<<1, 16>>>(p, 0, 16);
        break;
    case 2: // free, and large
        cudaFree(q);
        fill<<<5, 256>>>(q, 0, large);
        break;
    case 3: // behind the end of large ones
        fill<<<1, 32>>>(kind ? q : beside, large, large + 100000);
        break;
    case 5: // rows before and after large ones, which stencils read and do not use
        add_rows<<<1, 16>>>(kind ? q : beside, 2048, large, p);
        break;
    case 4: // of shared memory
        fill_shared<<<2, 32, 4096>>>(100000);
        break;
    }
    fflush(stdout);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (auto &x : host) free(x);
    for (auto &x : host) x = malloc(n * 4);
    for (auto &x : host) free(x);
    for (auto &x : d) cudaFree(x);
    puts("end");
}
