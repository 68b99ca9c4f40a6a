// A kernel with named barriers finds in its frame what the last kernel kept there across a barrier.
// REQUIRES: run
// RUN: %cucpu --simd=1 %s -o %t.1 && env CUCPU_NUM_THREADS=1 %run %t.1 | FileCheck %s
// RUN: %cucpu --simd=32 %s -o %t.32 && env CUCPU_NUM_THREADS=1 %run %t.32 | FileCheck %s
// CHECK: 0 wrong: no error
#include <cstdio>

enum { HALF = 64, MANY = 1024 };

// A larger frame than that of the other kernel, with no bit that stands for a barrier of the other kernel.
__global__ void keep(long *data) {
    __shared__ long s[MANY];
    int t = threadIdx.x;
    long a = data[t], b = data[t + MANY], c = data[t + 2 * MANY], d = data[t + 3 * MANY];
    s[t] = a;
    __syncthreads();
    data[t] = s[MANY - 1 - t] & a & b & c & d;
}

__global__ void halves(int *out) {
    __shared__ int s[2 * HALF];
    int t = threadIdx.x, half = t / HALF;
    int *mine = s + half * HALF, i = t % HALF, v = i;
    for (int step = 1; step < 4; step++) {
        mine[i] = v;
        __barrier_sync_count(1 + half, HALF);
        v = mine[(i + 1) % HALF];
        __barrier_sync_count(1 + half, HALF);
        mine[i] = v;
        __barrier_sync_count(3 + half, HALF);
        v = mine[(i + step) % HALF];
        __barrier_sync_count(3 + half, HALF);
    }
    out[t] = v;
}

int main() {
    int *out, wrong = 0;
    long *data;
    cudaMallocManaged(&data, 4 * MANY * sizeof(long));
    for (int i = 0; i < 4 * MANY; i++) data[i] = 1L << 40;
    cudaMallocManaged(&out, 2 * HALF * sizeof(int));
    keep<<<1, MANY>>>(data);
    halves<<<1, 2 * HALF>>>(out);
    cudaError_t e = cudaDeviceSynchronize();
    for (int t = 0; t < 2 * HALF; t++) wrong += out[t] != (t + 9) % HALF;
    printf("%d wrong: %s\n", wrong, cudaGetErrorString(e));
}
