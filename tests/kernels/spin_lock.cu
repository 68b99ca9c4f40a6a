// A lock per thread, taken by spinning, and atomics made of compare-and-swap: both end, at every width.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
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
    return finish();
}
