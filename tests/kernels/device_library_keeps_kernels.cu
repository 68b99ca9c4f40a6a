// A kernel that uses the device library must survive linking that library.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t | FileCheck %s
// CHECK: 0 errors
#include <cmath>
#include <cstdio>

__global__ void uses_library(float *out) { out[threadIdx.x] = __powf(2.0f, float(threadIdx.x)); }

int main() {
    float *d, h[16];
    cudaMalloc(&d, sizeof h);
    uses_library<<<1, 16>>>(d);
    cudaError_t launch = cudaGetLastError();
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    int errors = launch != cudaSuccess;
    for (int i = 0; i < 16; i++)
        if (std::fabs(h[i] - std::ldexp(1.0f, i)) > 1e-5f * h[i]) errors++;
    std::printf("%d errors\n", errors);
}
