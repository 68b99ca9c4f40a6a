// Loops that go from row to row of a block, which threads leave early: by range, by data, by a return.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O3 --dump-after=interchange_grid_stride %s -o %t 2>&1 | FileCheck %s
// RUN: %also { %cucpu -O3 --cpu=x86-64-v3 %s -o %t && %run %t; }
// RUN: %also { %cucpu -G %s -o %t && %run %t; }
// CHECK-COUNT-4: call void @cucpu.barrier(i32 16)
#include <cstdio>

__global__ void by_range(int n, const float *x, float *y) {
    int first = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    for (int k = 0; k < 4; k++) {
        int i = first + k * blockDim.x;
        if (i >= n) break;
        y[i] = 2 * x[i];
    }
}
__global__ void by_return(int n, const float *x, float *y) {
    int first = blockIdx.x * 512 + threadIdx.x;
    for (int k = 0; k < 4; k++) {
        int i = first + k * 128;
        if (i >= n) return;
        y[i] = 2 * x[i];
    }
}
// An element that is negative ends the thread, whose later ones may be positive again.
__global__ void by_data(int n, const float *x, float *y) {
    int first = blockIdx.x * 512 + threadIdx.x;
    for (int k = 0; k < 512; k += 128) {
        int i = first + k;
        if (i >= n || x[i] < 0) break;
        y[i] = 2 * x[i];
    }
    if (threadIdx.x == 0 && first < n) y[first] += 1;
}
// The loop is followed by a barrier.
__global__ void then_meet(int n, const float *x, float *y) {
    __shared__ int done;
    int first = blockIdx.x * 512 + threadIdx.x;
    if (!threadIdx.x) done = 0;
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        int i = first + k * 128;
        if (i >= n) break;
        y[i] = 2 * x[i];
        atomicAdd(&done, 1);
    }
    __syncthreads();
    if (!threadIdx.x) y[first] += done;
}

static int wrong;

template <class F> static void check(int n, float *y, const char *name, F expected) {
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) {
        if (y[i] != expected(i) && !wrong++) printf("%s: y[%d] = %g, not %g\n", name, i, y[i], (double)expected(i));
        y[i] = -1;
    }
}

int main() {
    const int n = 10007, blocks = (n + 511) / 512;
    float *x, *y;
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&y, n * sizeof *y);
    for (int i = 0; i < n; i++) x[i] = i % 101, y[i] = -1;
    auto twice = [=](int i) { return 2 * x[i]; };
    by_range<<<blocks, 128>>>(n, x, y);
    check(n, y, "by_range", twice);
    by_range<<<(n + 399) / 400, 100>>>(n, x, y);
    check(n, y, "by_range", twice);
    by_return<<<blocks, 128>>>(n, x, y);
    check(n, y, "by_return", twice);
    then_meet<<<blocks, 128>>>(n, x, y);
    check(n, y, "then_meet", [=](int i) {
        int left = n - i / 512 * 512;
        return i % 512 ? 2 * x[i] : 2 * x[i] + (left < 512 ? left : 512);
    });
    for (int i = 0; i < n; i++) x[i] = i * 7919 % 1009 < 200 ? -1 : i % 101;
    by_data<<<blocks, 128>>>(n, x, y);
    check(n, y, "by_data", [=](int i) {
        float v = -1;
        bool on = true;
        for (int j = i / 512 * 512 + i % 128; j <= i; j += 128) on = on && x[j] >= 0;
        if (on) v = 2 * x[i];
        return i % 512 ? v : v + 1;
    });
    return wrong != 0;
}
