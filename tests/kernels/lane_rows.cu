// Threads that go through a row of their own, element by element: one lane where LLVM makes vectors of the row, many
// lanes where a thread by itself would add up one element after the other.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O3 --disable=unroll_rows %s -o %t.off && %run %t.off; }
// RUN: %cucpu -O3 --cpu=znver4 --disable=trial -Rcucpu -c --stop-after=kernel_table %s -o %t.r 2>&1 | FileCheck %s
// CHECK-DAG: lane_rows.cu:[[# @LINE + 9]]:1: remark: {{.*}}: not vectorized: width 1 instead of 16: {{.*}} a row of its own
// CHECK-DAG: lane_rows.cu:[[# @LINE + 14]]:1: remark: {{.*}}: not vectorized: width 1 instead of 16
// CHECK-DAG: lane_rows.cu:[[# @LINE + 19]]:1: remark: {{.*}}: not vectorized: width 1 instead of 16: {{.*}} a row of its own
// CHECK-DAG: remark: sums<float>: vectorized with 16 lanes
// CHECK-DAG: remark: columns: vectorized with 16 lanes
// CHECK-DAG: remark: chain: vectorized with 16 lanes
#include <cstdio>
#include <cuda_runtime.h>

template <class T> __global__ void sums(const T *in, T *out, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T s = 0;
    for (int j = 0; i < n && j < k; j++) s += in[i * k + j];
    if (i < n) out[i] = s;
}
__global__ void scale(const float *in, float *out, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < k; j++) out[i * k + j] = in[i * k + j] * 3 + 1;
}
/* The test goes one way for a thread. */
__global__ void fill(int odd, float *out, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < k; j++)
        if (odd || i % 5 < 3) out[i * k + j] = (j + 1) * (i & 3);
}
/* Neighbouring threads read neighbouring elements. */
__global__ void columns(const int *in, int *out, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int s = 0;
    for (int j = 0; j < k; j++) s += in[j * n + i];
    out[i] = s;
}
/* Each pass needs the last one. */
__global__ void chain(const int *in, int *out, int n, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s = 1;
    for (int j = 0; j < k; j++) s = (s ^ in[i * k + j]) * 16777619u;
    out[i] = s;
}

int main() {
    const int n = 301;
    for (int k : {0, 1, 5, 16, 67}) {
        int *in, *a, *b, *c;
        float *inf, *d, *e, *g;
        cudaMallocManaged(&in, (n * k + 1) * 4), cudaMallocManaged(&a, n * 4), cudaMallocManaged(&b, n * 4), cudaMallocManaged(&c, n * 4);
        cudaMallocManaged(&inf, (n * k + 1) * 4), cudaMallocManaged(&d, n * 4), cudaMallocManaged(&e, (n * k + 1) * 4), cudaMallocManaged(&g, (n * k + 1) * 4);
        for (int i = 0; i < n * k; i++) in[i] = i * 7919 % 1013, inf[i] = in[i] % 64;
        const int blocks = (n + 95) / 96;
        sums<<<blocks, 96>>>(in, a, n, k), columns<<<blocks, 96>>>(in, b, n, k), chain<<<blocks, 96>>>(in, c, n, k);
        sums<<<blocks, 96>>>(inf, d, n, k), scale<<<blocks, 96>>>(inf, e, n, k);
        cudaMemset(g, 0, n * k * 4);
        fill<<<blocks, 96>>>(0, g, n, k);
        cudaDeviceSynchronize();
        for (int i = 0; i < n; i++) {
            int sum = 0, column = 0;
            unsigned s = 1;
            float f = 0;
            for (int j = 0; j < k; j++) {
                sum += in[i * k + j], column += in[j * n + i], f += inf[i * k + j];
                s = (s ^ in[i * k + j]) * 16777619u;
                if (e[i * k + j] != inf[i * k + j] * 3 + 1) return printf("scale %d %d\n", k, i), 1;
                if (g[i * k + j] != (i % 5 < 3 ? (j + 1) * (i & 3) : 0)) return printf("fill %d %d\n", k, i), 1;
            }
            if (a[i] != sum || b[i] != column || (unsigned)c[i] != s || d[i] != f) return printf("row of %d: %d\n", k, i), 1;
        }
    }
    printf("ok\n");
}
