// Atomics on one address, combined over the groups of a block: sums, minima, bits; several on one address; what a
// thread accesses after its own atomic through another pointer, in loops, after barriers; threads that wait for another
// one's; a null pointer that no thread uses; addresses that differ between blocks; partial blocks.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O3 --cpu=x86-64-v3 %s -o %t.v3 && env CUCPU_NUM_THREADS=3 %run %t.v3
// RUN: %also { %cucpu -O2 --shuffle %s -o %t.s && env CUCPU_SCHED=shuffle:3 %run %t.s; }
// RUN: %also { %cucpu -O3 --disable=defer_atomics %s -o %t.d && %run %t.d; }
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>

typedef unsigned long long u64;

__global__ void all(const int *x, int n, int *r, u64 *wide) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = x[i];
    atomicAdd(&r[0], v), atomicSub(&r[1], v), atomicMax(&r[2], v), atomicMin(&r[3], v);
    atomicMax((unsigned *)&r[4], (unsigned)v), atomicMin((unsigned *)&r[5], (unsigned)v);
    atomicXor(&r[6], v), atomicOr(&r[7], v), atomicAnd(&r[8], v);
    if (v % 3 == 0) atomicAdd(&r[9], 1);
    atomicAdd(wide, (u64)v << 24), atomicMax(wide + 1, (u64)(unsigned)v << 8);
}
/* One thread sees the order of what it does: sums and maxima of one address. */
__global__ void own_order(int *p, int *q) {
    atomicAdd(p, 5);
    atomicMax(q, 3);
}
__global__ void reads_after(int *p, const int *q, int *out) {
    if (threadIdx.x == 0) {
        atomicAdd(p, 4);
        out[0] = *q, out[1] = *p;
    }
}
__global__ void writes(int *p, int *q, bool after) {
    if (threadIdx.x == 40) {
        if (!after) *q = 1;
        atomicAdd(p, 7);
        if (after) *q = 1;
    }
}
__global__ void reads_in_loop(int *p, const int *q, int *out, int n) {
    if (threadIdx.x != 0) return;
    for (int k = 0; k < n; k++) {
        out[k] = *q;
        atomicAdd(p, k + 1);
    }
}
__global__ void reads_apart(int *__restrict__ p, const int *__restrict__ q, int n) {
    for (int k = 0; k < n; k++)
        if (q[k * blockDim.x + threadIdx.x] & 1) atomicAdd(p, k);
}
__global__ void after_barrier(int *p, int *out) {
    atomicAdd(p, threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = *p;
    __syncthreads();
    atomicAdd(p, 1);
}
__global__ void copies(int *p, int4 *q) {
    if (threadIdx.x == 0) {
        atomicAdd(p, 4);
        int4 all = q[0];
        q[1] = all;
    }
}
/* The last warp waits for the first one. */
__global__ void waits(int *p, int *out, int how) {
    if (threadIdx.x < 32) {
        atomicAdd(p, 1);
    } else if (threadIdx.x == blockDim.x - 1) {
        if (how == 0) while (atomicAdd(p, 0) < 32) {}
        if (how == 1) while (*(volatile int *)p < 32) {}
        if (how == 2) while (atomicCAS(p, 32, 32) < 32) {}
        out[how] = 1;
    }
}
__global__ void unused(int *p, const int *x) {
    if (x[threadIdx.x] == 12345) atomicAdd(p, 1);
}
__global__ void of_blocks(int *p, const int *x, int at) {
    atomicAdd(&p[blockIdx.x + 1], x[threadIdx.x]);
    atomicAdd(&p[8 + at], 1);
}
__global__ void fence(int *p, int *last, int *out, int blocks) {
    __shared__ bool is_last;
    atomicAdd(p, 1);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(last, 1) == blocks - 1;
    __syncthreads();
    if (is_last && threadIdx.x == 0) *out = atomicAdd(p, 0);
}
__global__ void leaders(const int *x, int *p) {
    int v = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int k = 16; k > 0; k >>= 1) v += __shfl_xor_sync(~0u, v, k);
    if (threadIdx.x % 32 == 0) atomicAdd(p, v), atomicMax(p + 1, v);
}

static int failures;
static void expect(bool good, const char *what, int n) {
    if (!good && failures++ < 10) printf("%s, %d: wrong\n", what, n);
}
static void test(int n, int threads) {
    int *x, *r, blocks = (n + threads - 1) / threads;
    u64 *wide;
    cudaMallocManaged(&x, (n + 64) * 4), cudaMallocManaged(&r, 64 * 4), cudaMallocManaged(&wide, 16);
    int w[10] = {10, 20, -50, 50, 3, 60000, 7, 8, -1, 0};
    u64 w0 = 11, w1 = 12;
    for (int k = 0; k < 10; k++) r[k] = w[k];
    wide[0] = w0, wide[1] = w1;
    for (int i = 0; i < n; i++) {
        int v = x[i] = (int)((unsigned)i * 2654435761u) >> 9;
        w[0] += v, w[1] -= v, w[2] = std::max(w[2], v), w[3] = std::min(w[3], v);
        w[4] = (int)std::max((unsigned)w[4], (unsigned)v), w[5] = (int)std::min((unsigned)w[5], (unsigned)v);
        w[6] ^= v, w[7] |= v, w[8] &= v, w[9] += v % 3 == 0;
        w0 += (u64)v << 24, w1 = std::max(w1, (u64)(unsigned)v << 8);
    }
    all<<<blocks, threads>>>(x, n, r, wide);
    cudaDeviceSynchronize();
    for (int k = 0; k < 10; k++) expect(r[k] == w[k], "all", k);
    expect(wide[0] == w0 && wide[1] == w1, "wide", n);
    cudaFree(x), cudaFree(r), cudaFree(wide);
}
static void orders() {
    int *p, *out, *x;
    cudaMallocManaged(&p, 64 * 4), cudaMallocManaged(&out, 256 * 4), cudaMallocManaged(&x, 1024 * 4);
    auto start = [&] { cudaDeviceSynchronize(), std::fill(p, p + 64, 0), std::fill(out, out + 256, -1); };
    start(), own_order<<<1, 1>>>(p, p), cudaDeviceSynchronize();
    expect(p[0] == 5, "own order", p[0]);
    for (int threads : {1, 64, 100}) {
        start(), reads_after<<<1, threads>>>(p, p, out), cudaDeviceSynchronize();
        expect(p[0] == 4 && out[0] == 4 && out[1] == 4, "reads after", out[0]);
        start(), reads_in_loop<<<1, threads>>>(p, p, out, 9), cudaDeviceSynchronize();
        for (int k = 0; k < 9; k++) expect(out[k] == k * (k + 1) / 2, "reads in a loop", k);
        start(), copies<<<1, threads>>>(p, (int4 *)p), cudaDeviceSynchronize();
        expect(p[0] == 4 && p[4] == 4, "copies", threads);
    }
    start(), writes<<<1, 64>>>(p, p, false), cudaDeviceSynchronize();
    expect(p[0] == 8, "writes before", p[0]);
    start(), writes<<<1, 64>>>(p, p, true), cudaDeviceSynchronize();
    expect(p[0] == 1, "writes after", p[0]);
    int sum = 0;
    for (int i = 0; i < 1024; i++) x[i] = i * 7 % 13, sum += (x[i] & 1) * (i / 128);
    start(), reads_apart<<<1, 128>>>(p, x, 8), cudaDeviceSynchronize();
    expect(p[0] == sum, "reads apart", p[0]);
    start(), after_barrier<<<1, 128>>>(p, out), cudaDeviceSynchronize();
    for (int k = 0; k < 128; k++) expect(out[k] == 127 * 64, "after a barrier", k);
    expect(p[0] == 127 * 64 + 128, "after a barrier", p[0]);
    for (int how = 0; how < 3; how++) {
        start(), waits<<<1, 96>>>(p, out, how), cudaDeviceSynchronize();
        expect(out[how] == 1 && p[0] == 32, "waits", how);
    }
    unused<<<3, 96>>>(NULL, x);
    expect(cudaDeviceSynchronize() == cudaSuccess, "null", 0);
    start(), of_blocks<<<3, 128>>>(p, x, 2), cudaDeviceSynchronize();
    int first = 0;
    for (int i = 0; i < 128; i++) first += x[i];
    expect(p[1] == first && p[2] == first && p[3] == first && p[10] == 384 && !p[0] && !p[4], "of blocks", p[1]);
    start(), fence<<<7, 96>>>(p, p + 1, p + 2, 7), cudaDeviceSynchronize();
    expect(p[2] == 7 * 96, "fence", p[2]);
    start(), leaders<<<4, 256>>>(x, p), cudaDeviceSynchronize();
    int most = 0, total = 0;
    for (int g = 0; g < 32; g++) {
        int s = 0;
        for (int i = 0; i < 32; i++) s += x[g * 32 + i];
        most = std::max(most, s), total += s;
    }
    expect(p[0] == total && p[1] == most, "leaders", p[0]);
}
int main() {
    for (int n : {1, 63, 1000, 5003})
        for (int threads : {32, 50, 256}) test(n, threads);
    orders();
    if (cudaGetLastError() != cudaSuccess) failures++;
    if (!failures) printf("ok\n");
    return failures != 0;
}
