// A lock per thread, taken by spinning, and atomics made of compare-and-swap: all end, at every width;
// so does polling for a thread of the same block.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// A kernel that falls back to width 1 leaves the variants of others as they are, also where compilation stops early.
// RUN: %cucpu --simd=16 --stop-after=linearise -c %s -o %t.ll && FileCheck --check-prefix=EARLY %s < %t.ll
// EARLY-DAG: define {{.*}}locked{{.*}}.w1.rows_full
// EARLY-DAG: define {{.*}}swapping{{.*}}.w16.rows_full
#include "check.h"

__global__ void locked(int *lock, int *sum) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int *)sum = *(volatile int *)sum + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

__global__ void spinning(int *lock, int *sum) {
    while (atomicExch(lock, 1) != 0) {}
    *(volatile int *)sum = *(volatile int *)sum + 1;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void swapping(double *sum) {
    unsigned long long *p = (unsigned long long *)sum, old = *p, assumed;
    do {
        assumed = old;
        old = atomicCAS(p, assumed, (unsigned long long)__double_as_longlong(__longlong_as_double((long long)assumed) + 1.0));
    } while (old != assumed);
}

/* the thread that is waited for comes later in the block; the rest waits at a barrier meanwhile */
__global__ void polling(int *out) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 70) flag = 5;
    if (threadIdx.x == 0)
        while (flag == 0) {}
    __syncthreads();
    out[threadIdx.x] = flag + int(threadIdx.x);
}

/* the same through a pointer in a structure, which a fence makes the loop read again; the whole warp asks */
struct State {
    int *flag;
};
__global__ void polling_through(State s, int *out) {
    int v = 0;
    if (threadIdx.x < 32)
        do {
            __threadfence_block();
            v = *(volatile int *)s.flag;
        } while (__any_sync(~0u, v == 0));
    else if (threadIdx.x == 90) *(volatile int *)s.flag = 7;
    __syncthreads();
    out[threadIdx.x] = v + int(threadIdx.x);
}

int main() {
    int *lock, *sum;
    double *total;
    cudaMallocManaged(&lock, 4);
    cudaMallocManaged(&sum, 4);
    cudaMallocManaged(&total, 8);
    *lock = *sum = 0;
    *total = 0;
    locked<<<5, 100>>>(lock, sum);
    cudaDeviceSynchronize();
    CHECK(*sum == 500);
    spinning<<<5, 33>>>(lock, sum);
    cudaDeviceSynchronize();
    CHECK(*sum == 665);
    swapping<<<7, 100>>>(total);
    cudaDeviceSynchronize();
    CHECK(*total == 700);
    int *out;
    cudaMallocManaged(&out, 400);
    polling<<<1, 100>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 100; t++) CHECK(out[t] == 5 + t);
    *sum = 0;
    polling_through<<<1, 96>>>(State{sum}, out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 96; t++) CHECK(out[t] == (t < 32 ? 7 : 0) + t);
    return finish();
}
