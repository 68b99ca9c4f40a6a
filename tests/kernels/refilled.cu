// Grid-stride loops and lists of items that take different times: a lane takes the next item when it has finished one. They are
// flattened, as they are neither interchanged nor peeled; where the inner loop is one over memory a grid-stride loop still is.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O3 --simd=16 --cpu=znver4 -Rcucpu -c %s -o %t.o 2>&1 | FileCheck --implicit-check-not='rows{{.*}}[flattened]' %s
// RUN: %also { %cucpu --disable=flatten_loops %s -o %t.off && %run %t.off; }
// CHECK-DAG: list{{.*}} [flattened]
// CHECK-DAG: grid_stride{{.*}} [flattened]
// CHECK-DAG: collatz{{.*}} [flattened]
#include "check.h"

enum { ITEMS = 12, N = 256 * ITEMS, MOST = 200 };
#define BOTH static __host__ __device__ inline
#define GRID int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x

BOTH int iterations(float cx, float cy, int most) {
    float x = 0, y = 0;
    int k = 0;
    while (k < most && x * x + y * y < 4) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy, x = t, k++;
    }
    return k;
}
BOTH int steps(unsigned n) {
    int k = 0;
    while (n > 1) n = n & 1 ? 3 * n + 1 : n / 2, k++;
    return k;
}
BOTH int row(const int *a, int i) {
    int s = 0;
    for (int k = 0; k < (a[i] & 15); k++) s += a[k * 7 + i % 100];
    return s;
}
__global__ void list(int *out, const float *x, const float *y, int items, int most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < items; j++) out[i * items + j] = iterations(x[i * items + j], y[i * items + j], most);
}
__global__ void grid_stride(int *out, const float *x, const float *y, int n, int most) {
    for (GRID) out[i] = iterations(x[i], y[i], most);
}
__global__ void collatz(int *out, int n) {
    for (GRID) out[i] = steps(i * 37 + 1);
}
__global__ void rows(int *out, const int *a, int n) {
    for (GRID) out[i] = row(a, i);
}

static int *out, *a;
static float *x, *y;
static int differ(const char *what, int by_float, int (*f)(int)) {
    int bad = 0;
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++) bad += abs(out[i] - f(i)) > by_float, out[i] = -1;
    if (bad) printf("%s: %d bad\n", what, bad);
    return bad > (by_float ? N / 100 : 0); /* fused products may end a point's orbit elsewhere */
}

int main() {
    cudaMallocManaged(&out, N * 4), cudaMallocManaged(&a, N * 4), cudaMallocManaged(&x, N * 4), cudaMallocManaged(&y, N * 4);
    for (int i = 0; i < N; i++) a[i] = i * 37 % 1009, x[i] = (i * 71 % 300) / 100.0f - 2, y[i] = (i * 53 % 200) / 100.0f - 1;
    auto point = [](int i) { return iterations(x[i], y[i], MOST); };
    int bad = 0;
    list<<<4, 64>>>(out, x, y, ITEMS, MOST), bad += differ("list", 2, point);
    grid_stride<<<4, 64>>>(out, x, y, N, MOST), bad += differ("grid_stride", 2, point);
    grid_stride<<<3, 50>>>(out, x, y, N, MOST), bad += differ("grid_stride, rows of 50", 2, point);
    collatz<<<4, 64>>>(out, N), bad += differ("collatz", 0, [](int i) { return steps(i * 37 + 1); });
    collatz<<<5, 33>>>(out, N), bad += differ("collatz, rows of 33", 0, [](int i) { return steps(i * 37 + 1); });
    rows<<<4, 64>>>(out, a, N), bad += differ("rows", 0, [](int i) { return row(a, i); });
    printf("%d bad\n", bad);
    return bad != 0;
}
