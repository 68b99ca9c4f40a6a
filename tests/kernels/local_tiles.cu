// Tiles in registers: each thread multiplies a few rows with a few columns that it keeps in local arrays, loaded from shared memory
// several elements apart between neighbours (threadIdx.x % 16 of 16 lanes); nine directions from a table, with places that go round.
// Loops over the arrays have no pragma.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O3 --disable=unroll_arrays %s -o %t.rolled && %run %t.rolled; }
// RUN: %cucpu -O3 --simd=8 -c -Rcucpu --stop-after=kernel_table %s -o %t.o 2>&1 | FileCheck %s
// CHECK-NOT: :{{2[0-8]}}:{{.*}}gather
// CHECK: flow{{.*}} lanes; {{.*}} 0 local
// CHECK-NOT: :{{2[0-8]}}:{{.*}}gather
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 64, K = 16, WIDTH = 50, HEIGHT = 20 };

template <int TM, int TN> __global__ void product(const float *a, const float *b, float *c) {
    __shared__ float as[K][N], bs[K][N];
    const int x = threadIdx.x % (N / TN), y = threadIdx.x / (N / TN);
    for (int i = threadIdx.x; i < N * K; i += blockDim.x) as[i % K][i / K] = a[i], bs[i / N][i % N] = b[i];
    __syncthreads();
    float sum[TM][TN] = {}, row[TM], column[TN];
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < TM; i++) row[i] = as[k][y * TM + i];
        for (int j = 0; j < TN; j++) column[j] = bs[k][x * TN + j];
        for (int i = 0; i < TM; i++)
            for (int j = 0; j < TN; j++) sum[i][j] += row[i] * column[j];
    }
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) c[(y * TM + i) * N + x * TN + j] = sum[i][j];
}

__global__ void flow(const float *f, float *g, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w) return;
    const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    float q[9], sum = 0, across = 0;
    for (int k = 0; k < 9; k++) {
        int from = (y - dy[k] + h) % h * w + (x - dx[k] + w) % w;
        q[k] = f[k * w * h + from];
        sum += q[k], across += dx[k] * q[k];
    }
    for (int k = 0; k < 9; k++) g[k * w * h + y * w + x] = q[8 - k] + sum * dy[k] - across;
}

static int wrong;
static void check(const char *what, int i, float got, float want) {
    if (got != want && wrong++ < 10) printf("%s %d: %g, not %g\n", what, i, got, want);
}

template <int TM, int TN> static void products(const float *a, const float *b, float *c) {
    product<TM, TN><<<1, N * N / TM / TN>>>(a, b, c);
    cudaDeviceSynchronize();
    for (int i = 0; i < N * N; i++) {
        float want = 0;
        for (int k = 0; k < K; k++) want += a[i / N * K + k] * b[k * N + i % N];
        check("product", i, c[i], want);
    }
}

int main() {
    float *a, *b, *c, *f, *g;
    const int cells = WIDTH * HEIGHT;
    cudaMallocManaged(&a, N * K * 4), cudaMallocManaged(&b, N * K * 4), cudaMallocManaged(&c, N * N * 4);
    cudaMallocManaged(&f, 9 * cells * 4), cudaMallocManaged(&g, 9 * cells * 4);
    for (int i = 0; i < N * K; i++) a[i] = (float)(i * 7 % 13), b[i] = (float)(i * 5 % 11 - 5);
    for (int i = 0; i < 9 * cells; i++) f[i] = (float)(i * 37 % 101);
    products<4, 4>(a, b, c), products<8, 8>(a, b, c), products<2, 8>(a, b, c);
    flow<<<dim3(2, HEIGHT), 32>>>(f, g, WIDTH, HEIGHT);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            float q[9], sum = 0, across = 0;
            for (int k = 0; k < 9; k++) {
                q[k] = f[k * cells + (y - dy[k] + HEIGHT) % HEIGHT * WIDTH + (x - dx[k] + WIDTH) % WIDTH];
                sum += q[k], across += dx[k] * q[k];
            }
            for (int k = 0; k < 9; k++) check("flow", k, g[k * cells + y * WIDTH + x], q[8 - k] + sum * dy[k] - across);
        }
    puts(wrong ? "failed" : "passed");
    return wrong != 0;
}
