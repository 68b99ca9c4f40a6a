// Loops that try a compare-and-swap until it succeeds: own atomics on one address, on many, in shared memory, in
// branches and loops, with results; a retry that gives up; and one per lock word, which must not be taken for one.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O3 --disable=outline_cas_loops,raise_cas_loops %s -o %t.off && %run %t.off; }
// RUN: %also { %cucpu -O3 --disable=raise_cas_loops %s -o %t.loops && %run %t.loops; }
// RUN: %cucpu -O3 --simd=16 -Rcucpu -c --stop-after=kernel_table %s -o %t.r 2>&1 | FileCheck %s
// CHECK: retries.cu:[[# @LINE + 7]]:{{[0-9]+}}: remark: {{.*}}: lane by lane
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__device__ double add(double *a, double v) {
    unsigned long long *p = (unsigned long long *)a, old = *p, assumed;
    do { assumed = old; old = atomicCAS(p, assumed, __double_as_longlong(v + __longlong_as_double(assumed))); } while (assumed != old);
    return __longlong_as_double(old);
}
__device__ float atMost(float *a, float v) {
    int *p = (int *)a, old = *p;
    while (v < __int_as_float(old)) {
        int assumed = old;
        old = atomicCAS(p, assumed, __float_as_int(v));
        if (assumed == old) break;
    }
    return __int_as_float(old);
}
/* What the instruction set has as one operation, and what it has not. */
struct Minus { static __device__ int of(int old, int v) { return old - v; } };
struct From { static __device__ int of(int old, int v) { return v - old; } };
struct Most { static __device__ int of(int old, int v) { return old > v ? old : v; } };
struct Bits { static __device__ int of(int old, int v) { return v ^ old; } };
struct Twice { static __device__ int of(int old, int v) { return old + old + v; } };
template <class F> __device__ int apply(int *p, int v) {
    int old = *p, assumed;
    do { assumed = old; old = atomicCAS(p, assumed, F::of(assumed, v)); } while (assumed != old);
    return old;
}
__device__ float addFloat(float *a, float v) {
    int *p = (int *)a, old = 0, assumed;
    while ((assumed = atomicCAS(p, old, __float_as_int(__int_as_float(old) + v))) != old) old = assumed;
    return __int_as_float(old);
}
/* Bytes of a word. */
__device__ void addByte(unsigned char *base, int i, int v) {
    unsigned *word = (unsigned *)base + i / 4, shift = i % 4 * 8, old = *word, assumed;
    do {
        assumed = old;
        unsigned sum = (assumed >> shift) + v & 0xff;
        old = atomicCAS(word, assumed, (assumed & ~(0xffu << shift)) | sum << shift);
    } while (assumed != old);
}
/* Gives up after some tries: counts those that did. */
__device__ bool addOrGiveUp(int *p, int v, int tries) {
    int old = *p;
    for (int k = 0; k < tries; k++) {
        int seen = atomicCAS(p, old, old + v);
        if (seen == old) return true;
        old = seen;
    }
    return false;
}

__global__ void totals(const int *in, double *sum, float *least, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    add(sum, in[i]);
    if (in[i] % 3) add(sum + 1 + in[i] % 5, 1.0);
    atMost(least, (float)in[i]);
    for (int k = 0; k < i % 4; k++) add(sum + 6, k + 1);
}
__global__ void operations(const int *in, int *all, float *sum, int n) {
    __shared__ int part[3];
    __shared__ float partSum;
    if (threadIdx.x < 3) part[threadIdx.x] = 0;
    if (!threadIdx.x) partSum = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        apply<Minus>(&part[0], in[i]), apply<Most>(&part[1], in[i]), apply<Bits>(&part[2], in[i]), addFloat(&partSum, in[i] % 16);
        apply<Minus>(&all[3], in[i]), apply<Most>(&all[4], in[i]), apply<Bits>(&all[5], in[i]);
        apply<From>(&all[6], 5), apply<Twice>(&all[7], 0);
    }
    __syncthreads();
    if (threadIdx.x) return;
    apply<Minus>(&all[0], -part[0]), apply<Most>(&all[1], part[1]), apply<Bits>(&all[2], part[2]), addFloat(sum, partSum);
}
__global__ void tickets(double *next, int *taken, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&taken[(int)add(next, 1.0)], 1);
}
__global__ void bytes(const int *in, unsigned char *out, int n) {
    __shared__ unsigned local[16];
    if (threadIdx.x < 16) local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) addByte((unsigned char *)local, in[i] % 64, 1);
    __syncthreads();
    if (threadIdx.x < 64) addByte(out, threadIdx.x, local[threadIdx.x / 4] >> threadIdx.x % 4 * 8 & 0xff);
}
__global__ void some(int *sum, int *gaveUp, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && !addOrGiveUp(sum, 1, 40)) atomicAdd(gaveUp, 1);
}
/* The lowest bit is a lock: who finds it set looks again. */
__global__ void locked(volatile unsigned *word, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (bool done = i >= n; !done;) {
        unsigned v = *word;
        if (v & 1) continue;
        if (atomicCAS((unsigned *)word, v, v | 1) != v) continue;
        *(volatile int *)count += 1;
        __threadfence();
        atomicExch((unsigned *)word, v + 2);
        done = true;
    }
}

static int failures;
static void check(const char *what, double got, double want) {
    if (got != want && failures++ < 10) printf("%s: %g, not %g\n", what, got, want);
}

int main() {
    const int n = 3001, block = 96, blocks = (n + block - 1) / block;
    int *in, *taken, *sums;
    double *sum;
    float *least;
    unsigned char *out;
    cudaMallocManaged(&in, n * sizeof *in), cudaMallocManaged(&taken, n * sizeof *taken), cudaMallocManaged(&sums, 4 * sizeof *sums);
    cudaMallocManaged(&sum, 8 * sizeof *sum), cudaMallocManaged(&least, sizeof *least), cudaMallocManaged(&out, 64);
    double want[8] = {0};
    unsigned char bins[64] = {0};
    for (int i = 0; i < n; i++) in[i] = (i * 7919 + 17) % 1009 + 4, taken[i] = 0;
    for (int i = 0; i < n; i++) {
        want[0] += in[i], bins[in[i] % 64]++;
        if (in[i] % 3) want[1 + in[i] % 5] += 1;
        for (int k = 0; k < i % 4; k++) want[6] += k + 1;
    }
    for (int i = 0; i < 8; i++) sum[i] = 0;
    for (int i = 0; i < 64; i++) out[i] = 0;
    *least = 1e9f;
    totals<<<blocks, block>>>(in, sum, least, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < 7; i++) check("totals", sum[i], want[i]);
    check("least", *least, 4);
    sum[7] = 0;
    tickets<<<blocks, block>>>(sum + 7, taken, n);
    bytes<<<blocks, block>>>(in, out, n);
    for (int i = 0; i < 4; i++) sums[i] = 0;
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) check("tickets", taken[i], 1);
    for (int i = 0; i < 64; i++) check("bytes", out[i], bins[i]);
    int *all, wanted[8] = {0, 0, 0, 0, 0, 0, n % 2 ? 5 - 3 : 3, 0};
    cudaMallocManaged(&all, 9 * sizeof *all);
    memset(all, 0, 9 * sizeof *all), all[6] = 3;
    float *total = (float *)all + 8;
    double wantedTotal = 0;
    for (int i = 0; i < n; i++)
        wanted[0] -= in[i], wanted[1] = in[i] > wanted[1] ? in[i] : wanted[1], wanted[2] ^= in[i], wantedTotal += in[i] % 16;
    for (int k = 0; k < 3; k++) wanted[3 + k] = wanted[k];
    operations<<<blocks, block>>>(in, all, total, n);
    cudaDeviceSynchronize();
    for (int k = 0; k < 8; k++) check("operations", all[k], wanted[k]);
    check("total", *total, wantedTotal);
    some<<<blocks, block>>>(sums, sums + 1, n);
    locked<<<2, 64>>>((unsigned *)sums + 2, sums + 3, 100);
    cudaDeviceSynchronize();
    check("some", sums[0] + sums[1], n);
    check("locked", sums[3], 100);
    check("lock", sums[2], 200);
    check("error", cudaGetLastError(), cudaSuccess);
    if (!failures) printf("ok\n");
    return failures != 0;
}
