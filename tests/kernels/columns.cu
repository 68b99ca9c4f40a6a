// Blocks of one column, 1 x n and 1 x 1 x n: its threads are consecutive lanes, with barriers, functions of the warp, several
// blocks side by side, and where the last group is not full.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O2 %s -o %t.auto && %t.auto
// RUN: %also { %cucpu -O2 --cpu=x86-64-v3 %s -o %t.v3 && %t.v3; }
// RUN: %also { %cucpu -O2 --disable=launch_sites %s -o %t.off && %t.off; }
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 4096 };
static int *in, *out, failures;

static void expect(const char *what, int n, int i, int want) {
    if (out[i] != want && failures++ < 10) printf("%s of %d threads: %d is %d, not %d\n", what, n, i, out[i], want);
}

__global__ void columns(const int *a, int *b, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) b[x * h + y] = a[x * h + y] * 3 + y - x;
}

// Neighbours lie beside each other in x: rows of neighbouring blocks, unless there is but one block.
__global__ void lines(const int *a, int *b, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) b[y * w + x] = a[y * w + x] * 3 + y - x;
}

template <int n> __global__ void reversed(const int *a, int *b) {
    __shared__ int s[n];
    int t = threadIdx.y, base = blockIdx.x * n;
    s[t] = a[base + t] + threadIdx.x + threadIdx.z;
    __syncthreads();
    int sum = s[n - 1 - t];
    for (int i = t; i < n; i += 7) sum += s[i];
    b[base + t] = sum;
}

__global__ void deep(const int *a, int *b) {
    int t = threadIdx.z, base = blockIdx.x * blockDim.z;
    b[base + t] = t & 1 ? a[base + t] : a[base + t / 2] + threadIdx.y;
}

__global__ void warps(const int *a, int *b) {
    int t = threadIdx.y, i = blockIdx.x * blockDim.y + t, v = a[i];
    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    b[i] = v + __popc(__ballot_sync(~0u, t % 3 == 0));
}

static void run_columns(int w, int h) {
    cudaMemset(out, 0, N * sizeof *out);
    columns<<<dim3(w, (h + 31) / 32), dim3(1, 32)>>>(in, out, w, h);
    cudaDeviceSynchronize();
    for (int i = 0; i < w * h; i++) expect("columns", h, i, in[i] * 3 + i % h - i / h);
    cudaMemset(out, 0, N * sizeof *out);
    columns<<<dim3(w, (h + 19) / 20), dim3(1, 20)>>>(in, out, w, h);
    cudaDeviceSynchronize();
    for (int i = 0; i < w * h; i++) expect("columns of 20", h, i, in[i] * 3 + i % h - i / h);
}

static void run_lines(int w, int h) {
    cudaMemset(out, 0, N * sizeof *out);
    lines<<<dim3(w, (h + 31) / 32), dim3(1, 32)>>>(in, out, w, h);
    cudaDeviceSynchronize();
    for (int i = 0; i < w * h; i++) expect("lines", h, i, in[i] * 3 + i / w - i % w);
}

template <int n> static void run_reversed() {
    const int blocks = 3;
    reversed<n><<<blocks, dim3(1, n)>>>(in, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < blocks * n; i++) {
        const int *s = in + i / n * n, t = i % n;
        int sum = s[n - 1 - t];
        for (int k = t; k < n; k += 7) sum += s[k];
        expect("reversed", n, i, sum);
    }
}

static void check_deep(int blocks, int n) {
    cudaDeviceSynchronize();
    for (int i = 0; i < blocks * n; i++) expect("deep", n, i, i % n & 1 ? in[i] : in[i / n * n + i % n / 2]);
}

static void check_warps(int n, int blocks) {
    cudaDeviceSynchronize();
    for (int i = 0; i < n * blocks; i++) {
        int sum = 0, first = i / 32 * 32;
        for (int k = 0; k < 32; k++) sum += in[first + k] + ((first + k) % n % 3 == 0);
        expect("warps", n, i, sum);
    }
}

int main() {
    cudaMallocManaged(&in, N * sizeof *in);
    cudaMallocManaged(&out, N * sizeof *out);
    for (int i = 0; i < N; i++) in[i] = i * 7919 % 1009;
    run_columns(1, 100);
    run_columns(33, 64);
    run_columns(5, 7);
    run_lines(1, 100);
    run_lines(70, 50);
    run_reversed<1>();
    run_reversed<16>();
    run_reversed<33>();
    run_reversed<100>();
    run_reversed<1000>();
    deep<<<3, dim3(1, 1, 64)>>>(in, out);
    check_deep(3, 64);
    deep<<<5, dim3(1, 1, 31)>>>(in, out);
    check_deep(5, 31);
    warps<<<4, dim3(1, 128)>>>(in, out);
    check_warps(128, 4);
    warps<<<2, dim3(1, 96)>>>(in, out);
    check_warps(96, 2);
    if (cudaGetLastError() != cudaSuccess) failures++;
    printf("%d failures\n", failures);
    return failures != 0;
}
