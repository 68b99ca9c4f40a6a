// Host code with OpenMP beside kernels; one OpenMP runtime in the process.
// REQUIRES: run
// RUN: %cucpu -Xcompiler -fopenmp,-Wall -Werror %s -o %t && %run %t | FileCheck %s
// RUN: %cucpu -fopenmp %s -o %t && %run %t | FileCheck %s
// CHECK: sum 999000 threads 3
#include <cstdio>
#include <omp.h>

__device__ int twice(int x) { return 2 * x; }

__global__ void fill(int *p, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) p[i] = twice(i);
}

int main() {
    const int n = 1000;
    static int host[n];
    int *p, threads = 0;
    long sum = 0;
    if (cudaMalloc(&p, sizeof host) != cudaSuccess) return 1;
    fill<<<4, 256>>>(p, n);
    if (cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
    for (int i = 0; i < n; i++) sum += host[i];
#pragma omp parallel num_threads(3)
    {
#pragma omp atomic
        threads++;
    }
    std::printf("sum %ld threads %d\n", sum, threads);
}
