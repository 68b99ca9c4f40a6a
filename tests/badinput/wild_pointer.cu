// A null or wild pointer in a kernel: error 700, sticky, with the kernel's name; the program goes on.
// REQUIRES: run, no-sanitizer
// RUN: %cucpu --simd=1 %s -o %t && %run %t 0 2>&1 | FileCheck %s
// RUN: %run %t 4096 2>&1 | FileCheck %s
// RUN: %cucpu %s -o %t && %run %t 0 2>&1 | FileCheck %s
// CHECK: kernel {{.*}}stores{{.*}} illegal memory access
// CHECK: error 700, then 700
#include <cstdio>
#include <cstdlib>

__global__ void stores(int *p) { p[threadIdx.x] = 1; }

int main(int, char **argv) {
    stores<<<1, 32>>>((int *)std::strtoull(argv[1], nullptr, 0));
    cudaError_t first = cudaDeviceSynchronize();
    void *p;
    std::printf("error %d, then %d\n", first, cudaMalloc(&p, 4));
}
