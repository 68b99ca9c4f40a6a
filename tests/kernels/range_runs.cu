// Range tests one behind the other (widen_guards): the elements of a thread, a stencil's neighbours, chunks of unsigned places
// that wrap, both sides with accesses, runs under a mask, in loops, behind an early return and beside an inner fast path;
// values that keep what they had where a test fails, and values of the run that go on behind it.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O3 --disable=widen_guards %s -o %t.off && %run %t.off; }
// RUN: %also { %cucpu -O3 --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3; }
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

enum { N = 1100, ROWS = 9 };

/* Four elements of each thread; what a lane has not loaded stays from the round before. */
__host__ __device__ void items_of(int block, int thread, int threads, int blocks, const float *a, unsigned char *out, int n) {
    float v[4] = {1, 2, 3, 4};
    for (int start = block * 4 * threads; start < n; start += blocks * 4 * threads) {
        int left = n - start, valid = left < 4 * threads ? left : 4 * threads;
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (4 * thread + j < valid) v[j] = a[start + 4 * thread + j];
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (4 * thread + j < valid) out[start + 4 * thread + j] = (unsigned char)(int)(v[j] + v[(j + 1) % 4]);
    }
}
__global__ void items(const float *a, unsigned char *out, int n, int) {
    items_of(blockIdx.x, threadIdx.x, blockDim.x, gridDim.x, a, out, n);
}

/* mode 0: a run behind an early return; 1: beside a fast path; 2: under a test of data; 3: both sides load. */
template <int MODE> __host__ __device__ void cell(int x, int y, int n, const float *a, float *out) {
    if (x >= n || y >= ROWS) return;
    int i = y * n + x;
    float s = a[i], kept = 0;
    if (MODE == 2 && s < 40) return;
    if (MODE == 1 && x > 0 && x < n - 1 && y > 0 && y < ROWS - 1) {
        s += a[i - 1] + a[i + 1] + a[i - n] + a[i + n];
    } else {
        if (x > 0) kept = a[i - 1], s += kept;
        else if (MODE == 3) s -= a[i + n * (ROWS - 1 - y)];
        if (x < n - 1) s += a[i + 1] * 2;
        else if (MODE == 3) kept = a[i], s *= 3;
        if (y > 0) s += a[i - n] * 3;
        if (y < ROWS - 1) s += a[i + n] * 4;
    }
    out[i] = s + 2 * kept;
}
template <int MODE> __global__ void cells(const float *a, float *out, int n, int) {
    cell<MODE>(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y, n, a, out);
}

/* Places that wrap: beyond the end for some lanes of a group, at the start again for others. */
template <class T> __host__ __device__ void chunk(T i, T step, T n, const int *a, int *out, int at) {
    int s = 0, last = -1;
    if (i < n) s += a[i];
    if (i + step < n) last = a[i + step], s += last;
    if (i + 2 * step < n) s += a[i + 2 * step] * 5;
    if (i + 3 * step < n) last = a[i + 3 * step], s ^= last;
    out[at] = s * 3 + last;
}
template <class T> __global__ void chunks(const int *a, int *out, T first, T step, T n) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    chunk<T>(first + at, step, n, a, out, at);
}

static int wrong;
template <class T> static void compare(const std::vector<T> &want, const T *got, const char *what, int n, int threads) {
    for (size_t i = 0; i < want.size(); i++) {
        if (want[i] == got[i]) continue;
        printf("%s, n = %d, %d threads: [%zu] is %g, not %g\n", what, n, threads, i, (double)got[i], (double)want[i]);
        wrong++;
        return;
    }
}

template <class T> static T *device(size_t n) {
    T *p;
    cudaMallocManaged(&p, n * sizeof *p);
    cudaMemset(p, 0, n * sizeof *p);
    return p;
}

static void check_items(int n, int threads) {
    static float *a = device<float>(N);
    static unsigned char *out = device<unsigned char>(N);
    std::vector<unsigned char> want(N);
    for (int i = 0; i < N; i++) a[i] = (float)(i * 7 % 100), out[i] = 0;
    for (int b = 0; b < 2; b++)
        for (int t = 0; t < threads; t++) items_of(b, t, threads, 2, a, want.data(), n);
    items<<<2, threads>>>(a, out, n, 0);
    cudaDeviceSynchronize();
    compare(want, out, "items", n, threads);
}

template <int MODE> static void check_cells(int n, int threads) {
    static float *a = device<float>(N * ROWS), *out = device<float>(N * ROWS);
    std::vector<float> want((size_t)n * ROWS);
    for (int i = 0; i < n * ROWS; i++) a[i] = (float)(i * 11 % 97), out[i] = 0;
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < n; x++) cell<MODE>(x, y, n, a, want.data());
    cells<MODE><<<dim3((unsigned)((n + threads - 1) / threads), (ROWS + 3) / 4), dim3((unsigned)threads, 4)>>>(a, out, n, 0);
    cudaDeviceSynchronize();
    compare(want, out, MODE == 0 ? "cells" : MODE == 1 ? "fast path" : MODE == 2 ? "masked" : "both sides", n, threads);
}

template <class T> static void check_chunks(T first, T step, T n, int threads) {
    static int *a = device<int>(N), *out = device<int>(N);
    std::vector<int> want(3 * (size_t)threads);
    for (int i = 0; i < N; i++) a[i] = i * 31 % 1009, out[i] = 0;
    for (int i = 0; i < 3 * threads; i++) chunk<T>(first + i, step, n, a, want.data(), i);
    chunks<T><<<3, threads>>>(a, out, first, step, n);
    cudaDeviceSynchronize();
    compare(want, out, "chunks", (int)n, threads);
}

int main() {
    const int threads[] = {1, 31, 32, 64, 100}, sizes[] = {1, 15, 16, 17, 63, 128, 129, 255, 260, 1099};
    for (int t : threads)
        for (int n : sizes) {
            check_items(n, t);
            check_cells<0>(n, t);
            check_cells<1>(n, t);
            check_cells<2>(n, t);
            check_cells<3>(n, t);
            check_chunks<unsigned>(0, (unsigned)t, (unsigned)n, t);
            check_chunks<unsigned>(0u - 40, 24, (unsigned)n, t);
            check_chunks<unsigned long long>(0ull - 40, 24, (unsigned)n, t);
            check_chunks<long long>(7, t, n, t);
        }
    printf("%d wrong\n", wrong);
    return wrong || cudaGetLastError() != cudaSuccess;
}
