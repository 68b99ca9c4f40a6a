// Counters in global memory that each worker keeps for itself: in large launches, where no other argument points to their memory.  Sums are exact, whoever
// else counts there at the time; small launches, arguments that share memory and kernels that read what they count go the usual way.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu -O3 --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3; }
// RUN: %also { %cucpu -O3 --cpu=x86-64-v2 %s -o %t.v2 && %run %t.v2; }
// RUN: %cucpu -O3 --disable=privatise_histogram %s -o %t.off && env CUCPU_TRACE=1 %run %t.off 2> %t.trace && not grep counters %t.trace
// RUN: env CUCPU_COUNTERS=0 CUCPU_TRACE=1 %run %t 2> %t.trace && not grep counters %t.trace
// RUN: env CUCPU_NUM_THREADS=1 %run %t && env CUCPU_NUM_THREADS=3 %run %t
// RUN: env CUCPU_NUM_THREADS=4 CUCPU_TRACE=1 %run %t 2> %t.trace && FileCheck %s < %t.trace
// CHECK-DAG: histogram{{.*}}<<<(64,1,1),(256,1,1),0>>>{{.*}}counters of each worker
// CHECK-DAG: blocks{{.*}}counters of each worker
// CHECK-DAG: sums{{.*}}counters of each worker
// RUN: not grep -E '(histogram|blocks).*<<<\(4,1,1\).*counters' %t.trace
// RUN: not grep -E 'shares.*counters' %t.trace
// RUN: not grep -E 'apart.*\(63,1,1\).*counters' %t.trace
#include <cuda_runtime.h>
#include "check.h"

enum { BINS = 100, N = 64 * 256 };

__global__ void histogram(const int *in, unsigned *h, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&h[in[i] % BINS], 1u);
}

/* In shared memory first. */
__global__ void blocks(const int *in, unsigned *h, int n) {
    __shared__ unsigned s[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) s[i] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&s[in[i] % BINS], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < BINS; k += blockDim.x) atomicAdd(&h[k], s[k]);
}

/* Two counters, one of 64 bits, one that goes down, and a pointer into the middle of the third. */
__global__ void sums(const int *in, unsigned long long *wide, int *down, int *both, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&wide[in[i] % 10], 1ull << 33);
    atomicSub(&down[in[i] % 7], in[i]);
    for (int k = 0; k < 3; k++) atomicAdd(&both[in[i] % 5 - 2], k);
}

/* What it counts may be what it reads. */
__global__ void shares(const unsigned *in, unsigned *h, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&h[in[i] % 4], 1u);
}
__global__ void apart(unsigned *h, unsigned *other, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&h[i % BINS], 1u);
    if (i < n) other[i] = 7;
}

static int *in;
static unsigned *h;

static void count(unsigned *want, int n, int times) {
    for (int i = 0; i < n; i++) want[in[i] % BINS] += times;
}

static void check_histogram(const char *what, const unsigned *want) {
    CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < BINS; k++)
        if (h[k] != want[k] && failures++ < 20) printf("%s %d: %u, not %u\n", what, k, h[k], want[k]);
}

static void histograms() {
    unsigned want[BINS] = {0};
    for (int r = 0; r < 3; r++) histogram<<<64, 256>>>(in, h, N);
    count(want, N, 3);
    check_histogram("histogram", want);
    histogram<<<132, 125>>>(in, h, N); /* a block of no full rows */
    count(want, N, 1);
    check_histogram("132 blocks", want);
    histogram<<<4, 256>>>(in, h, 1024);
    blocks<<<4, 256>>>(in, h, 1024);
    count(want, 1024, 2);
    check_histogram("small", want);
    blocks<<<64, 256>>>(in, h, N);
    count(want, N, 1);
    check_histogram("blocks", want);
    cudaStream_t s[3];
    for (cudaStream_t &x : s) CUDA(cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking));
    for (int r = 0; r < 8; r++)
        for (cudaStream_t x : s) histogram<<<64, 256, 0, x>>>(in, h, N);
    count(want, N, 24);
    check_histogram("streams", want);
    for (cudaStream_t x : s) CUDA(cudaStreamDestroy(x));
}

static void several() {
    unsigned long long *wide, want_wide[10] = {0};
    int *down, *both, want_down[7] = {0}, want_both[5] = {0};
    CUDA(cudaMallocManaged(&wide, sizeof want_wide));
    CUDA(cudaMallocManaged(&down, sizeof want_down));
    CUDA(cudaMallocManaged(&both, sizeof want_both));
    memset(wide, 0, sizeof want_wide), memset(down, 0, sizeof want_down), memset(both, 0, sizeof want_both);
    for (int r = 0; r < 2; r++) sums<<<64, 256>>>(in, wide, down, both + 2, N);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) want_wide[in[i] % 10] += 2ull << 33, want_down[in[i] % 7] -= 2 * in[i], want_both[in[i] % 5] += 6;
    CHECK(!memcmp(wide, want_wide, sizeof want_wide));
    CHECK(!memcmp(down, want_down, sizeof want_down));
    CHECK(!memcmp(both, want_both, sizeof want_both));
    sums<<<64, 256>>>(in, wide, down, down + 2, N); /* two counters in one allocation */
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) want_wide[in[i] % 10] += 1ull << 33, want_down[in[i] % 7] -= in[i], want_down[in[i] % 5] += 3;
    CHECK(!memcmp(wide, want_wide, sizeof want_wide));
    CHECK(!memcmp(down, want_down, sizeof want_down));
    CUDA(cudaFree(wide)), CUDA(cudaFree(down)), CUDA(cudaFree(both));
}

/* Numbers that all mean element 0 of what is counted in, which is the array itself. */
static void in_place() {
    unsigned *a, sum = 0;
    CUDA(cudaMallocManaged(&a, N * sizeof *a));
    for (int i = 0; i < N; i++) a[i] = 4 * i;
    a[0] = 0;
    shares<<<64, 256>>>(a + 4, a, N - 4);
    CUDA(cudaDeviceSynchronize());
    for (int k = 0; k < 4; k++) sum += a[k] - 4 * k;
    CHECK(sum == N - 4);
    for (int k = 0; k < 256; k++) a[k] = 0;
    apart<<<63, 256>>>(a, a + 128, 128); /* the end of the same allocation */
    CUDA(cudaDeviceSynchronize());
    sum = 0;
    for (int k = 0; k < BINS; k++) sum += a[k];
    CHECK(sum == 63 * 256 && a[128] == 7);
    CUDA(cudaFree(a));
}

int main() {
    CUDA(cudaMallocManaged(&in, N * sizeof *in));
    CUDA(cudaMallocManaged(&h, BINS * sizeof *h));
    memset(h, 0, BINS * sizeof *h);
    for (int i = 0; i < N; i++) in[i] = i * 7919 % 10007;
    histograms();
    several();
    in_place();
    return finish();
}
