// Grids that store more than the cache holds store past it: results, also at addresses that are not aligned, in ranges
// that end anywhere, and as the next kernel and the host see them.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O3 --cpu=x86-64-v3 --emit=asm %s -o - | FileCheck %s
// CHECK-DAG: {{[a-z]*}}scale{{.*}}.streamed
// CHECK-DAG: movntps
// CHECK-DAG: sfence
// CHECK-NOT: {{update|flagged}}{{.*}}.streamed
#include "check.h"

__global__ void scale(const float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = 2 * a[i];
}

__global__ void two(const float *a, int *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = (int)a[i], c[i] = a[i] + 1;
}

// Not: what is read as well, what other threads may wait for.
__global__ void update(const float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] += a[i];
}

__global__ void flagged(const float *a, float *b, int *flag) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i];
    __threadfence();
    if (threadIdx.x == 0) *(volatile int *)flag = 1;
}

int main() {
    const int n = 12000003;
    float *a, *b;
    int *c;
    CUDA(cudaMallocManaged(&a, sizeof(float) * n));
    CUDA(cudaMallocManaged(&b, sizeof(float) * (n + 64)));
    CUDA(cudaMallocManaged(&c, sizeof(int) * n));
    for (int i = 0; i < n; i++) a[i] = (float)(i & 0xffff);
    for (int shift : {0, 1, 16}) {
        for (int i = 0; i < 64; i++) b[i] = b[n + i] = -1;
        scale<<<(n + 255) / 256, 256>>>(a, b + shift, n);
        two<<<(n + 95) / 96, 96>>>(b + shift, c, a, n);
        CUDA(cudaDeviceSynchronize());
        int wrong = 0;
        for (int i = 0; i < n; i++) {
            float x = (float)(i & 0xffff);
            wrong += b[shift + i] != 2 * x || c[i] != (int)(2 * x) || a[i] != 2 * x + 1;
            a[i] = x;
        }
        for (int i = 0; i < shift; i++) wrong += b[i] != -1;
        for (int i = n + shift; i < n + 64; i++) wrong += b[i] != -1;
        CHECK(!wrong);
    }
    return finish();
}
