// Shared memory of blocks whose size is known at the launch: kept in registers or not, nobody can tell.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O2 --disable=promote_shared %s -o %t.plain && %t.plain; }
// RUN: %also { %cucpu -O3 --cpu=x86-64-v3 %s -o %t.v3 && %t.v3; }
#include <cstdio>
#include <cuda_runtime.h>
#include <utility>

enum { BLOCKS = 3, MOST = 512 };

static int *in, *out, failures;

static int input(int i) { return (i * 7919 + 13) % 1000 - 300; }

static void check(const char *what, int i, int got, int expected) {
    if (got != expected && failures++ < 10) printf("%s [%d]: %d, expected %d\n", what, i, got, expected);
}

template <class F> static void run(const char *what, int threads, F reference) {
    if (cudaDeviceSynchronize() != cudaSuccess && failures++ < 10) printf("%s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    for (int b = 0; b < BLOCKS; b++)
        for (int t = 0; t < threads; t++) check(what, b * threads + t, out[b * threads + t], reference(b * threads, t));
}

// Neighbours on both sides; the loop's length is not known.
__global__ void smooth(const int *in, int *out, int steps) {
    __shared__ int s[64], r[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        if (t > k && t < 63 - k) r[t] = s[t - 1] + 2 * s[t] + s[t + 1];
        __syncthreads();
        if (t > k && t < 63 - k) s[t] = r[t];
        __syncthreads();
    }
    out[i] = s[t];
}

static int smooth_reference(int base, int t, int steps) {
    int s[64], r[64];
    for (int k = 0; k < 64; k++) s[k] = input(base + k);
    for (int k = 0; k < steps; k++) {
        for (int x = k + 1; x < 63 - k; x++) r[x] = s[x - 1] + 2 * s[x] + s[x + 1];
        for (int x = k + 1; x < 63 - k; x++) s[x] = r[x];
    }
    return s[t];
}

// A tile written in rows and read in columns and along a diagonal.
__global__ void turn(const int *in, int *out) {
    __shared__ int s[16][17];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 256 + y * 16 + x;
    s[y][x] = in[i];
    __syncthreads();
    out[i] = s[x][y] * 3 + s[(x + y) % 16][x] + s[5][y];
}

static int turn_reference(int base, int t) {
    int x = t % 16, y = t / 16;
    return input(base + x * 16 + y) * 3 + input(base + (x + y) % 16 * 16 + x) + input(base + 5 * 16 + y);
}

// Elements of several sizes in one structure, bytes, and doubles.
struct Item { char c; short s; double d; };

__global__ void mixed(const int *in, int *out) {
    __shared__ Item a[32];
    __shared__ unsigned char b[32];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    a[t].c = (char)in[i];
    a[t].s = (short)(in[i] * 3);
    a[t].d = in[i] / 4.0;
    b[31 - t] = (unsigned char)in[i];
    __syncthreads();
    int o = t ^ 5;
    out[i] = a[o].c + a[o].s + (int)(a[o].d * 8) + b[t];
}

static int mixed_reference(int base, int t) {
    int v = input(base + (t ^ 5));
    return (char)v + (short)(v * 3) + 2 * v + (unsigned char)input(base + 31 - t);
}

// Lanes that are switched off by what they loaded keep the old contents; two views of the same bytes.
__global__ void masked(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    s[t] = t;
    __syncthreads();
    if (in[i] > 0) s[t ^ 1] = in[i];
    __syncthreads();
    bool large = s[(t + 3) % 32] > 100;
    __syncthreads();
    if (large) atomicAdd(&s[t], 1000);
    __syncthreads();
    out[i] = s[31 - t] + ((short *)s)[2 * t];
}

static int masked_reference(int base, int t) {
    int s[32];
    auto first = [&](int k) { int v = input(base + (k ^ 1)); return v > 0 ? v : k; };
    for (int k = 0; k < 32; k++) s[k] = first(k) + (first((k + 3) % 32) > 100 ? 1000 : 0);
    return s[31 - t] + (short)(s[t] & 0xffff);
}

// Memory of the launch, halved step by step; the last block of threads leaves early.
__global__ void halve(const int *in, int *out) {
    extern __shared__ int s[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = in[i];
    __syncthreads();
    for (int w = blockDim.x / 2; w > 0; w /= 2) {
        if (t < w) s[t] += s[t + w];
        __syncthreads();
    }
    if (t >= 100) { out[i] = -1; return; }
    out[i] = s[0] + t;
}

static int halve_reference(int base, int t) {
    int sum = 0;
    for (int k = 0; k < 128; k++) sum += input(base + k);
    return t >= 100 ? -1 : sum + t;
}

// A pointer and an index that only memory knows.
__global__ void indirect(const int *in, int *out) {
    __shared__ int s[32], at[32];
    __shared__ int *p;
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
    s[t] = in[i];
    at[t] = (t * 11 + in[i] * 0) % 32;
    if (t == 0) p = s + 4;
    __syncthreads();
    out[i] = s[at[t]] + p[t % 8];
}

static int indirect_reference(int base, int t) { return input(base + t * 11 % 32) + input(base + 4 + t % 8); }

// Loops whose bounds are counters of loops around them, and a loop in which one side of a branch is never taken.
__global__ void factors(const int *in, int *out, int stride, int offset) {
    __shared__ int s[16][16];
    int t = threadIdx.x, at = blockIdx.x * 256 + offset * stride + offset;
    for (int i = 0; i < 16; i++, at += stride) s[i][t] = in[at + t];
    __syncthreads();
    for (int i = 0; i < 15; i++) {
        if (t > i) {
            for (int j = 0; j < i; j++) s[t][i] -= s[t][j] * s[j][i];
            s[t][i] ^= s[i][i];
        }
        __syncthreads();
        if (t > i)
            for (int j = 0; j < i + 1; j++) s[i + 1][t] -= s[i + 1][j] * s[j][t];
        __syncthreads();
    }
    at = blockIdx.x * 256 + (offset + 1) * stride + offset;
    out[blockIdx.x * 256 + t] = s[0][t];
    for (int i = 1; i < 16; i++, at += stride) out[at + t] = s[i][t];
}

static int factors_reference(int base, int t) {
    int s[16][16];
    for (int i = 0; i < 256; i++) s[i / 16][i % 16] = input(base + i);
    for (int i = 0; i < 15; i++) {
        for (int k = i + 1; k < 16; k++) {
            unsigned v = s[k][i];
            for (int j = 0; j < i; j++) v -= (unsigned)s[k][j] * s[j][i];
            s[k][i] = v ^ s[i][i];
        }
        for (int k = i + 1; k < 16; k++) {
            unsigned v = s[i + 1][k];
            for (int j = 0; j < i + 1; j++) v -= (unsigned)s[i + 1][j] * s[j][k];
            s[i + 1][k] = v;
        }
    }
    return s[t / 16][t % 16];
}

// Neighbours in pairs, first from even places, then from odd ones: each group stores part of what the next one loads.
__global__ void exchange(const int *in, int *out, int steps) {
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = in[i];
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        if (t % 2 == k % 2 && t < 127 && s[t] > s[t + 1]) {
            int other = s[t];
            s[t] = s[t + 1];
            s[t + 1] = other;
        }
        __syncthreads();
    }
    out[i] = s[t];
}

static int exchange_reference(int base, int t, int steps) {
    int s[128];
    for (int k = 0; k < 128; k++) s[k] = input(base + k);
    for (int k = 0; k < steps; k++)
        for (int i = k % 2; i < 127; i += 2)
            if (s[i] > s[i + 1]) std::swap(s[i], s[i + 1]);
    return s[t];
}

int main() {
    cudaMallocManaged(&in, BLOCKS * MOST * sizeof(int));
    cudaMallocManaged(&out, BLOCKS * MOST * sizeof(int));
    for (int i = 0; i < BLOCKS * MOST; i++) in[i] = input(i);
    smooth<<<BLOCKS, 64>>>(in, out, 5);
    run("smooth", 64, [](int b, int t) { return smooth_reference(b, t, 5); });
    turn<<<BLOCKS, dim3(16, 16)>>>(in, out);
    run("turn", 256, turn_reference);
    mixed<<<BLOCKS, 32>>>(in, out);
    run("mixed", 32, mixed_reference);
    masked<<<BLOCKS, 32>>>(in, out);
    run("masked", 32, masked_reference);
    halve<<<BLOCKS, 128, 128 * sizeof(int)>>>(in, out);
    run("halve", 128, halve_reference);
    factors<<<BLOCKS, 16>>>(in, out, 16, 0);
    run("factors", 256, factors_reference);
    exchange<<<BLOCKS, 128>>>(in, out, 77);
    run("exchange", 128, [](int b, int t) { return exchange_reference(b, t, 77); });
    indirect<<<BLOCKS, 32>>>(in, out);
    run("indirect", 32, indirect_reference);
    printf("%d failures\n", failures);
    return failures != 0;
}
