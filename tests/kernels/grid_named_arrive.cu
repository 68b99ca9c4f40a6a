// bar.arrive: producers announce what they have written and go on, consumers wait for it.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu --simd=64 %s -o %t.64 && %run %t.64; }
// RUN: %also { %cucpu --warp-size=8 --simd=8 %s -o %t.w && %run %t.w; }
// RUN: %cucpu -G %s -o %t.g && %run %t.g
// RUN: %cucpu -DLONELY %s -o %t.l && not %run %t.l 2>&1 | FileCheck %s
// CHECK: grid_named_arrive.cu:[[@LINE+41]]: barrier 5 of 96 threads cannot be met: nothing can go on: 64 threads have arrived, 64 wait elsewhere, 32 have returned
#include "check.h"

#define SYNC(id, n) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory")
#define ARRIVE(id, n) asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory")
enum { FULL = 1, EMPTY = 3, PART = 64 };

// A ring of two buffers: warps 0 and 1 fill it, the others empty it.
__global__ void ring(int *out, int steps) {
    __shared__ int buffer[2][PART];
    int t = threadIdx.x % PART, sum = 0;
    if (threadIdx.x < PART) {
        for (int i = 0; i < steps; i++) {
            if (i >= 2) SYNC(EMPTY + i % 2, 2 * PART);
            buffer[i % 2][t] = i * 100 + t + blockIdx.x;
            ARRIVE(FULL + i % 2, 2 * PART);
        }
    } else {
        for (int i = 0; i < steps; i++) {
            SYNC(FULL + i % 2, 2 * PART);
            sum += buffer[i % 2][PART - 1 - t] * (i + 1);
            if (i + 2 < steps) ARRIVE(EMPTY + i % 2, 2 * PART);
        }
        out[blockIdx.x * PART + t] = sum;
    }
}

// All arrive and nobody waits: the barrier is as new for those who use it next.  The last warp has 16 threads.
__global__ void again(int *out) {
    __shared__ int line[80];
    int all = (80 + warpSize - 1) / warpSize * warpSize;
    ARRIVE(7, all);
    line[threadIdx.x] = threadIdx.x;
    SYNC(7, all);
    out[threadIdx.x] = line[79 - threadIdx.x];
    asm volatile("barrier.cta.arrive 7, %0;" ::"r"(all) : "memory");
}

__global__ void lonely(int *out) {
    if (threadIdx.x < 32) ARRIVE(5, 96);
    if (threadIdx.x < 64) SYNC(6, 64);
    if (threadIdx.x < 32) SYNC(5, 96);
    else if (threadIdx.x >= 64) SYNC(7, 96);
    out[threadIdx.x] = 1;
}

int main() {
#ifdef LONELY
    Buffer<int> one(128);
    lonely<<<1, 128>>>(one);
    return cudaDeviceSynchronize() != cudaSuccess;
#endif
    for (int steps : {1, 2, 5, 8}) {
        Buffer<int> out(3 * PART);
        ring<<<3, 2 * PART>>>(out, steps);
        auto got = out.get();
        for (int i = 0; i < 3 * PART; i++) {
            int sum = 0;
            for (int s = 0; s < steps; s++) sum += (s * 100 + PART - 1 - i % PART + i / PART) * (s + 1);
            CHECK(got[i] == sum);
        }
    }
    Buffer<int> out(80);
    again<<<1, 80>>>(out);
    auto got = out.get();
    for (int i = 0; i < 80; i++) CHECK(got[i] == 79 - i);
    return finish();
}
