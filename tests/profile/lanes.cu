// What a kernel that is compiled with --profile=lanes counts, against counts by hand: 32 blocks of 128 threads.
// REQUIRES: run
// RUN: %cucpu --profile=lanes --simd=8 %s -o %t && env CUCPU_PROFILE=%t.json %run %t | FileCheck --check-prefix=RESULT %s
// RUN: %python %S/Inputs/counts.py %t.json 8 > %t.counts && FileCheck --check-prefixes=ALL,W8 %s < %t.counts
// RUN: %cucpu --profile=lanes --simd=32 --cpu=x86-64-v3 %s -o %t && env CUCPU_PROFILE=%t.json %run %t | FileCheck --check-prefix=RESULT %s
// RUN: %python %S/Inputs/counts.py %t.json 32 > %t.counts && FileCheck --check-prefixes=ALL,W32 %s < %t.counts
// RUN: %cucpu --profile=lanes --simd=1 %s -o %t && env CUCPU_PROFILE=%t.json %run %t | FileCheck --check-prefix=RESULT %s
// RUN: %python %S/Inputs/counts.py %t.json 1 > %t.counts && FileCheck --check-prefix=W1 %s < %t.counts
// Without the variable, a table:
// RUN: %cucpu --profile=lanes --simd=8 %s -o %t && %run %t 2>&1 | FileCheck --check-prefix=TABLE %s
// TABLE: kernel width operations active
// TABLE: half 8 {{[0-9]+}} {{[0-9.]+}}% 100.0% 0.0% 1024 0.0% 100.0% 0.0% 1.00
// And no counters without the option, nor a table:
// RUN: %cucpu --simd=8 %s -o %t && %run %t 2>&1 | FileCheck --check-prefix=RESULT --implicit-check-not=kernel %s
#include <cstdio>

// Whole groups are active or not: no lanes part, the branch is none of lanes.
__global__ void blocks(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 64)
        x[i] = sqrtf(x[i]); // ALL: blocks block line [[#@LINE]]: 1.000
}
// ALL-NOT: blocks branch

// Every second lane is active in the branch, in each group; a row of 32 lanes has two lines.
__global__ void half(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x & 1)    // ALL: half branch line [[#@LINE]]: all diverge
        x[i] = sqrtf(x[i]); // ALL: half block line [[#@LINE]]: 0.500
}
// W8:  half access line [[#@LINE-2]]: contiguous, 1024 by groups, 1.00 lines
// W32: half access line [[#@LINE-3]]: contiguous, 256 by groups, 2.00 lines
// W1:  half access line [[#@LINE-4]]: scalar, 4096 by groups, 1.00 lines

// Each lane reads a line of its own; all lanes read one word; every eighth word.
__global__ void lines(float *x, const int *index) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *p = x + index[i];
    float far = *p;
    float same = x[blockIdx.x];
    float apart = x[4096 + 8 * threadIdx.x];
    x[65536 + i] = far + same + apart;
}
// W8:  lines access line [[#@LINE-5]]: gather, 512 by groups, 8.00 lines
// W32: lines access line [[#@LINE-6]]: gather, 128 by groups, 32.00 lines
// ALL: lines access line [[#@LINE-6]]: uniform
// W8:  lines access line [[#@LINE-6]]: {{gather|strided}}, 512 by groups, 4.00 lines
// W32: lines access line [[#@LINE-7]]: {{gather|strided}}, 128 by groups, 16.00 lines

// Lane l of a warp runs l % 4 + 1 iterations, of which some lanes leave the loop in the first three: on the average 2.5
// of 4 lanes are active in an iteration.
__global__ void loop(int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = i;
    for (int k = 0; k <= (threadIdx.x & 3); k++) // ALL: loop loop line [[#@LINE]]: 3/4 diverge
        v = v * 5 ^ y[n + k];                    // ALL: loop block line [[#@LINE]]: 0.625
    y[i] = v;
}

// What each thread computes and moves: a fused product counts twice, a minimum not at all; uniform values for each thread.
__global__ void work(float *x, double *y, float a, float b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = fmaf(x[i], x[i], a / b); // ALL: work work: {'half': 0, 'single': 12288, 'double': 2048} {'loaded': 24576, 'stored': 24576}
    if (threadIdx.x < 32) y[i] = fmin(sqrt(y[i]) * 3, 1.0);
}

int main() {
    const int n = 4096;
    float *x;
    int *y;
    cudaMallocManaged(&x, 128 * 1024 * sizeof *x);
    cudaMallocManaged(&y, 2 * n * sizeof *y);
    for (int i = 0; i < 128 * 1024; i++) x[i] = 4;
    for (int i = 0; i < 2 * n; i++) y[i] = i * 16 % 65536;
    lines<<<n / 128, 128>>>(x, y);
    half<<<n / 128, 128>>>(x);
    blocks<<<n / 128, 128>>>(x);
    loop<<<n / 128, 128>>>(y, n);
    work<<<n / 128, 128>>>(x + 65536 + n, (double *)(x + 81920), 3, 2);
    cudaDeviceSynchronize();
    printf("%g %g %g %d\n", x[0], x[1], x[65536], y[2]); // RESULT: 2 1.41421 12 138
}
