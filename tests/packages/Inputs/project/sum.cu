#include "sum.h"

static __global__ void add(const int *x, int n, int *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, x[i]);
}

int sum(const int *x, int n) {
    int *device, *total, result;
    cudaMalloc(&device, n * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemcpy(device, x, n * sizeof(int), cudaMemcpyHostToDevice);
#ifndef FORGET
    cudaMemset(total, 0, sizeof(int));
#endif
    add<<<(n + 127) / 128, 128>>>(device, n, total);
    cudaMemcpy(&result, total, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device);
    cudaFree(total);
    return result;
}
