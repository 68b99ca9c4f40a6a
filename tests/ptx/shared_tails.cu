// A tail that many functions of the warp lead to is a region of its own (passes/cut_shared_tails): threads of a warp come to
// it from different places, and those that have not stopped before it too.
// REQUIRES: run
// RUN: %python %S/../passes/cut_shared_tails/Inputs/many.py 60 300 > %t.ptx && %cucpu -w %s -o %t -lcuda
// RUN: %run %t %t.ptx | FileCheck %s
// CHECK: 0 of 96 differ
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

static unsigned tail(unsigned k) {
    for (unsigned i = 0; i < 300; i++) {
        k ^= (unsigned)(i * 2654435761ull % 4096);
        k = k * (2 * i + 3) + i;
        k += k >> (1 + i % 7);
    }
    return k;
}

int main(int argc, char **argv) {
    enum { N = 96, TESTS = 60 };
    CUmodule m;
    CUfunction f;
    unsigned *p, was[N], bad = 0;
    cudaMallocManaged(&p, sizeof was);
    for (unsigned i = 0; i < N; i++) was[i] = p[i] = i * 7 % 64; // from 60 on no test holds
    if (cuModuleLoad(&m, argv[1]) || cuModuleGetFunction(&f, m, "many")) return 1;
    void *args[] = {&p};
    cuLaunchKernel(f, 1, 1, 1, N, 1, 1, 0, 0, args, nullptr);
    if (cuCtxSynchronize()) return 1;
    for (unsigned i = 0; i < N; i++) {
        unsigned x = was[i], k = x;
        if (x < TESTS) { // all that are there have the same value: whichever lane is read
            k = x + x;
        }
        bad += p[i] != tail(k);
    }
    printf("%u of %d differ\n", bad, N);
    return bad != 0;
}
