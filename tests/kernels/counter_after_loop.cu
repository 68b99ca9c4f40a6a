// The counter of a grid-stride loop, read behind the loop: lanes leave it in different iterations, and
// each keeps the value with which it left.
// REQUIRES: run
// RUN: %cucpu %s -o %t.1 --simd=1 && %run %t.1 | FileCheck %s
// RUN: %cucpu %s -o %t.4 --simd=4 && %run %t.4 | FileCheck %s
// RUN: %cucpu %s -o %t.16 --simd=16 && %run %t.16 | FileCheck %s
// RUN: %cucpu %s -o %t && %run %t | FileCheck %s
// CHECK: 0 of 128 wrong
#include <cstdio>

__global__ void count(int *data, int *last) {
    int threads = blockDim.x * blockDim.y * blockDim.z, first = blockIdx.x * threads + threadIdx.x;
    int i = first, step = gridDim.x * gridDim.y * threads;
    for (; i < 1003; i += step) data[i]++;
    last[first] = i;
}

int main() {
    int *data, *last, wrong = 0;
    cudaMallocManaged(&data, 1003 * sizeof(int));
    cudaMallocManaged(&last, 128 * sizeof(int));
    for (int i = 0; i < 1003; i++) data[i] = 0;
    count<<<2, 64>>>(data, last);
    cudaDeviceSynchronize();
    for (int t = 0; t < 128; t++) {
        int i = t;
        while (i < 1003) i += 128;
        wrong += last[t] != i;
    }
    for (int i = 0; i < 1003; i++) wrong += data[i] != 1;
    printf("%d of 128 wrong\n", wrong);
}
