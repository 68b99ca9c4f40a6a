// Rows along x: neighbours along threadIdx.x are in different rows of the matrix, those along threadIdx.y side by side.  Blocks of known size
// get lanes along y; ids, blockDim, barriers and shared memory stay what they are.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O3 --simd=16 %s -o %t.on && env CUCPU_TRACE=1 CUCPU_TRIAL=0 %run %t.on 2>&1 | FileCheck --check-prefix=RUNS %s
// RUN: %also { %cucpu -O3 --simd=8 %s -o %t.8 && %run %t.8; }
// RUN: %also { %cucpu -O3 --disable=swap_block %s -o %t.off && %run %t.off; }
// RUN: %cucpu -O3 --simd=16 -c --report=vector %s -o %t.o 2>&1 | FileCheck %s
// CHECK-DAG: product{{.*}}"block": [32, 8, 1]{{.*}}"gather_scatter": 0
// CHECK-DAG: tiles{{.*}}"block": [16, 4, 1]
// The rows of these blocks are shorter than a group.
// RUNS-DAG: product{{.*}}(8,32,1){{.*}}W=16 layout=0
// RUNS-DAG: tiles{{.*}}(4,16,1){{.*}}W=16 layout=0
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 70 };

/* Blocks of 8 x 32, joined to rows otherwise. */
__global__ void product(int n, const float *a, const float *b, float *c) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

/* Blocks of 4 x 16. */
__global__ void tiles(int n, const float *a, float *c) {
    __shared__ float tile[4][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.x * 4 + x, column = blockIdx.y * 16 + y;
    bool inside = row < n && column < n;
    tile[x][y] = inside ? a[row * n + column] : 0;
    __syncthreads();
    if (inside) c[row * n + column] = tile[3 - x][15 - y] + tile[x][y] * blockDim.y + blockDim.x;
}

/* Blocks of 8 x 16: the first warp, 8 x 4 threads, meets at a barrier of its own, and so do the others.  Lanes stay along x. */
__global__ void parts(int n, const float *a, const float *b, float *c) {
    __shared__ float last[128];
    int t = threadIdx.y * 8 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[threadIdx.x * n + k] * b[k * n + threadIdx.y];
    last[t] = sum;
    if (t < 32) {
        asm volatile("bar.sync 1, 32;" ::: "memory");
        sum += last[31 - t];
    } else {
        asm volatile("bar.sync 2, 96;" ::: "memory");
        sum += last[159 - t];
    }
    __syncthreads();
    last[t] = sum;
    __syncthreads();
    c[t] = last[127 - t];
}

static int wrong;
static void check(const char *what, int i, float got, float want) {
    if (got != want && wrong++ < 10) printf("%s %d: %g, not %g\n", what, i, got, want);
}

int main() {
    float *a, *b, *c;
    cudaMallocManaged(&a, N * N * 4), cudaMallocManaged(&b, N * N * 4), cudaMallocManaged(&c, N * N * 4);
    for (int i = 0; i < N * N; i++) a[i] = (float)(i * 7 % 13), b[i] = (float)(i * 5 % 11);
    product<<<dim3((N + 7) / 8, (N + 31) / 32), dim3(8, 32)>>>(N, a, b, c);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < N * N; i++) {
        float want = 0;
        for (int k = 0; k < N; k++) want += a[i / N * N + k] * b[k * N + i % N];
        check("product", i, c[i], want);
    }
    tiles<<<dim3((N + 3) / 4, (N + 15) / 16), dim3(4, 16)>>>(N, a, c);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < N * N; i++) {
        int row = i / N, column = i % N, r = row / 4 * 4 + 3 - row % 4, k = column / 16 * 16 + 15 - column % 16;
        check("tiles", i, c[i], (r < N && k < N ? a[r * N + k] : 0) + a[i] * 16 + 4);
    }
    parts<<<1, dim3(8, 16)>>>(N, a, b, c);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int t = 0; t < 128; t++) {
        int s = 127 - t, pair[2] = {s, s < 32 ? 31 - s : 159 - s};
        float want = 0;
        for (int p = 0; p < 2; p++) {
            float sum = 0;
            for (int k = 0; k < N; k++) sum += a[pair[p] % 8 * N + k] * b[k * N + pair[p] / 8];
            want += sum;
        }
        check("parts", t, c[t], want);
    }
    puts(wrong ? "failed" : "passed");
    return wrong != 0;
}
