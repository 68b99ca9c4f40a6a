// Memory of the device heap in a block of fewer threads than lanes: the pointers of lanes that are off are never used.
// REQUIRES: run
// RUN: %cucpu -O3 %s -o %t && %run %t | FileCheck %s
// RUN: %cucpu --simd=16 %s -o %t && %run %t | FileCheck %s
// CHECK: 1 threads: 0 wrong, no error
// CHECK: 7 threads: 0 wrong, no error
// CHECK: 33 threads: 0 wrong, no error
#include <cstdio>

__global__ void heap(int *out) {
    int *p = (int *)malloc(100 * sizeof(int));
    if (!p) return;
    for (int i = 0; i < 100; i++) p[i] = i + threadIdx.x;
    out[threadIdx.x] = p[99] + p[0];
    free(p);
}

static void run(int threads) {
    int *out, wrong = 0;
    cudaMallocManaged(&out, threads * sizeof(int));
    if (threads == 1) heap<<<1, 1>>>(out);
    else if (threads == 7) heap<<<1, 7>>>(out);
    else heap<<<1, threads>>>(out);
    cudaError_t error = cudaDeviceSynchronize();
    for (int i = 0; i < threads; i++) wrong += out[i] != 99 + 2 * i;
    printf("%d threads: %d wrong, %s\n", threads, wrong, cudaGetErrorString(error));
    cudaFree(out);
}

int main() {
    run(1);
    run(7);
    run(33);
}
