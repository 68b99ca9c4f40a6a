// Exchanges within a warp over volatile shared memory, without any barrier: lanes run in step.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

__global__ void reduce(const int *in, int *out, int n) {
    __shared__ volatile int s[256];
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < unsigned(n) ? in[i] : 0;
    __syncthreads();
    if (t < 128) s[t] = s[t] + s[t + 128];
    __syncthreads();
    if (t < 64) s[t] = s[t] + s[t + 64];
    __syncthreads();
    if (t < 32) {
        s[t] = s[t] + s[t + 32];
        s[t] = s[t] + s[t + 16];
        s[t] = s[t] + s[t + 8];
        s[t] = s[t] + s[t + 4];
        s[t] = s[t] + s[t + 2];
        s[t] = s[t] + s[t + 1];
    }
    if (t == 0) atomicAdd(out, s[0]);
}

int main() {
    int n = 10000, want = 0, *in, *out;
    CUDA(cudaMallocManaged(&in, n * 4));
    CUDA(cudaMallocManaged(&out, 4));
    *out = 0;
    for (int i = 0; i < n; i++) want += in[i] = i % 17 - 5;
    reduce<<<(n + 255) / 256, 256>>>(in, out, n);
    CUDA(cudaDeviceSynchronize());
    CHECK(*out == want);
    return finish();
}
