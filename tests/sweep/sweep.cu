// cucpu-sweep: builds, runs, compares and reports variants.
// REQUIRES: run
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s half.cu
// RUN: %sweep --simd 8 --warp-size 32,8 --rounds 2 --ignore '[0-9]+ ms' --compare out.txt --csv c.csv --json j.json --html p.html half.cu -O2 -- out.txt > table 2> errors
// RUN: test ! -s errors && FileCheck --check-prefix=TABLE %s < table
// TABLE: half(float*)
// TABLE-NEXT: warp simd width time ms speed-up active div. branches
// TABLE-NEXT: 32 8 8 {{[0-9.]+}} 1.00 {{[5-9][0-9.]+}}% 100.0%
// TABLE-NEXT: 8 8 8 {{[0-9.]+}} {{[0-9.]+}} {{[5-9][0-9.]+}}% 100.0%
// Functions of a warp need groups of a whole warp.
// TABLE: sum(int*)
// TABLE-NEXT: warp simd width
// TABLE-NEXT: 32 8 32 {{[0-9.]+}} 1.00
// TABLE-NEXT: 8 8 8 {{[0-9.]+}} {{[0-9.]+}}
// TABLE: half(float*): the warp size makes no difference, its code is the same
// TABLE-NOT: sum(int*): the warp size
// RUN: %python %S/Inputs/check.py j.json c.csv p.html | FileCheck --check-prefix=FILES %s
// FILES: json: 2 runs of 2 kernels, 2 times each, half same code
// FILES: csv: 5 lines
// FILES: html: self-contained, 1 viewport, {{[6-9]}} plots, balanced
#include <cstdio>
#include <cstdlib>
#include <ctime>

// Some of the operations run with every second lane.
__global__ void half(float *x) {
    if (threadIdx.x & 1) x[threadIdx.x] = sqrtf(x[threadIdx.x]);
}

__global__ void sum(int *x) {
    int v = x[threadIdx.x];
    for (int d = warpSize / 2; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % warpSize == 0) atomicAdd(&x[64], v);
}

int main(int argc, char **argv) {
    int *x;
    cudaMallocManaged(&x, 65 * sizeof *x);
    x[64] = 0;
    half<<<1, 64>>>((float *)x);
    sum<<<1, 64>>>(x);
    cudaDeviceSynchronize();
    printf("%d in %d ms\n", x[64], rand() % 3 + (int)(clock() % 3));
    FILE *f = fopen(argv[1], "w");
    fprintf(f, "%d\n", x[64]);
    fclose(f);
}
