// Blocks of one row whose kernel makes rows of them: threadIdx.x / 32, % 32.  Compiled as blocks of several rows, in which threadIdx.x,
// blockDim, barriers and what is told of a failed assertion are what they were.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O3 --disable=reshape_block %s -o %t.off && %run %t.off; }
// RUN: %cucpu -O3 --simd=16 -c --report=vector %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %run %t fail 2>&1 | FileCheck --check-prefix=FAIL %s
// CHECK-DAG: product{{.*}}"block": [32, 32, 1]
// CHECK-DAG: walk{{.*}}"block": [16, 6, 1]
// FAIL: thread: [69,0,0] Assertion
#include <cassert>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

enum { N = 64, ROWS = 6, COLUMNS = 16 };

__global__ void product(const int *a, const int *b, int *c, int limit) {
    __shared__ int as[32][32], bs[32][32];
    const unsigned column = threadIdx.x % 32, row = threadIdx.x / 32, x = blockIdx.x * 32 + column, y = blockIdx.y * 32 + row;
    int sum = 0;
    for (int k = 0; k < N; k += 32) {
        as[row][column] = a[y * N + k + column];
        bs[row][column] = b[(k + row) * N + x];
        __syncthreads();
        for (int j = 0; j < 32; j++) sum += as[row][j] * bs[j][column];
        __syncthreads();
    }
    assert(threadIdx.x != 69 || limit);
    c[y * N + x] = sum;
}

/* The id itself, blockDim, and a remainder of fewer threads than a row. */
__global__ void walk(const float *in, float *out, int n) {
    const int row = threadIdx.x / COLUMNS, column = threadIdx.x % COLUMNS;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += in[row * n + k] * in[k * COLUMNS + column];
    out[threadIdx.x] = sum + threadIdx.x % 4 * 1000 + blockDim.x * 10000 + threadIdx.y + threadIdx.z;
}

static int wrong;
static void check(const char *what, int i, double got, double want) {
    if (got != want && wrong++ < 10) printf("%s %d: %g, not %g\n", what, i, got, want);
}

int main(int argc, char **) {
    int *a, *b, *c;
    float *in, *out;
    cudaMallocManaged(&a, N * N * 4), cudaMallocManaged(&b, N * N * 4), cudaMallocManaged(&c, N * N * 4);
    cudaMallocManaged(&in, 1000 * 4), cudaMallocManaged(&out, ROWS * COLUMNS * 4);
    for (int i = 0; i < N * N; i++) a[i] = i * 7 % 31, b[i] = i * 13 % 29;
    for (int i = 0; i < 1000; i++) in[i] = (float)(i % 17);
    product<<<dim3(N / 32, N / 32), 32 * 32>>>(a, b, c, argc == 1);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < N * N; i++) {
        int want = 0;
        for (int k = 0; k < N; k++) want += a[i / N * N + k] * b[k * N + i % N];
        check("product", i, c[i], want);
    }
    walk<<<1, ROWS * COLUMNS>>>(in, out, 20);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int t = 0; t < ROWS * COLUMNS; t++) {
        float want = t % 4 * 1000 + ROWS * COLUMNS * 10000;
        for (int k = 0; k < 20; k++) want += in[t / COLUMNS * 20 + k] * in[k * COLUMNS + t % COLUMNS];
        check("walk", t, out[t], want);
    }
    puts(wrong ? "failed" : "passed");
    return wrong != 0;
}
