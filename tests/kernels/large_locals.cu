// Local arrays up to 512 KiB a thread, CUDA's limit: with any number of lanes, indexed in step or not, handed to a function, across a barrier, in recursion.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu --simd=32 %s -o %t.32 && %run %t.32
// RUN: %also { %cucpu --simd=64 --cpu=x86-64-v3 %s -o %t.64 && %t.64; %cucpu -G --simd=32 %s -o %t.G && %t.G; }
#include "check.h"
#include <thread>

enum { INTS = 131072 - 64 /* 512 KiB, but for what else a thread has */ };

__global__ void whole(const int *in, int *out) {
    int a[INTS], t = threadIdx.x, s = 0;
    for (int i = 0; i < INTS; i += 16) a[i] = i * t + in[i & 63];
    for (int i = 0; i < INTS; i += 1024) s += a[(i + s) & 0xfff0];
    out[t] = s;
}
static int want_whole(const int *in, int t) {
    std::vector<int> a(INTS);
    int s = 0;
    for (int i = 0; i < INTS; i += 16) a[size_t(i)] = int(unsigned(i) * unsigned(t)) + in[i & 63];
    for (int i = 0; i < INTS; i += 1024) s = int(unsigned(s) + unsigned(a[(i + s) & 0xfff0]));
    return s;
}

static __device__ __noinline__ int fill(int *a, int n, int by) {
    for (int i = 0; i < n; i += 32) a[i] = i ^ by;
    return a[by * 32 % n];
}
/* Two arrays, one of which a function sees, a pointer to either, and a barrier in between. */
__global__ void shared_out(int *out) {
    __shared__ int *first;
    __shared__ int s[64];
    int a[60000], b[60000], t = threadIdx.x, *p = t % 3 ? a : b;
    for (int i = 0; i < 60000; i += 32) a[i] = i + t, b[i] = i - t;
    int v = fill(p, 60000, t);
    s[t] = v;
    if (t == 0) first = p;
    __syncthreads();
    out[t] = v + a[32 * t] * 3 + b[32 * t + 32] * 5 + s[63 - t] + first[64];
}
static int want_shared_out(int t) {
    int v = (32 * t) ^ t, a = t % 3 ? v : 33 * t, b = t % 3 ? 31 * t + 32 : (32 * t + 32) ^ t, u = 63 - t;
    return v + a * 3 + b * 5 + ((32 * u) ^ u) + 64;
}

static __device__ __noinline__ int deep(int n, const int *p) {
    int a[1000];
    for (int i = 0; i < 1000; i += 10) a[i] = n * i + p[i & 63];
    int s = n ? deep(n - 1, p) : 0;
    return (s + a[s % 100 * 10]) & 0xffff;
}
__global__ void recursive(const int *p, int *o) { o[threadIdx.x] = deep(120, p); }

static void run(int *in, int *out) {
    whole<<<1, 40>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 40; t += 13) CHECK(out[t] == want_whole(in, t));
}

int main() {
    int *in, *out;
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 512 << 10));
    CUDA(cudaMallocManaged(&in, 64 * sizeof *in));
    CUDA(cudaMallocManaged(&out, 64 * sizeof *out));
    for (int i = 0; i < 64; i++) in[i] = i * 3;
    run(in, out);
    std::thread(run, in, out).join(); /* another stack */
    shared_out<<<1, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 64; t++) CHECK(out[t] == want_shared_out(t));
    recursive<<<1, 64>>>(in, out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 1; t < 64; t++) CHECK(out[t] == out[0]);
    return finish();
}
