// Threads that differ in an unread threadIdx.y or .z alone do the same: one of them runs for all, except where several
// executions of an operation are not one.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O3 -Rcucpu %s -o %t.on > %t.r 2>&1 && FileCheck --check-prefix=SAYS %s < %t.r && %run %t.on once
// RUN: %cucpu -O3 --disable=repeated_threads %s -o %t.off && %run %t.off && not %run %t.off once
// SAYS: racing{{.*}}: threads that differ in threadIdx.y or .z alone do the same
// SAYS: row_sums{{.*}}: threads that differ in threadIdx.y or .z alone do the same
// SAYS-NOT: alone do the same
#include "check.h"

constexpr int n = 100, rows = 8;

// A racing increment by eight threads in step counts once.
__global__ void racing(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = a[i] + 1;
}

__global__ void row_sums(const int *m, int *sum, int n) {
    __shared__ int tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s = 0;
    for (int k = 0; k < n; k += 32) {
        tile[threadIdx.x] = k + (int)threadIdx.x < n ? m[k + threadIdx.x] : 0;
        __syncthreads();
        for (int j = 0; j < 32; j++) s += tile[j] * (i + 1);
        __syncthreads();
    }
    if (i < n) sum[i] = s;
}

__global__ void atomic_count(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&a[i], 1);
}

__global__ void reads_size(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = (int)(blockDim.y * blockDim.z);
}

__global__ void reads_row(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && threadIdx.y == 5) a[i] = 5;
}

__global__ void barrier_count(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int all = __syncthreads_count(i < n);
    if (i < n) a[i] = all;
}

__global__ void lanes(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int bits = __popc(__ballot_sync(~0u, true)), other = __shfl_xor_sync(~0u, i, 16);
    if (i < n) a[i] = bits + (other - i) * 0;
}

__global__ void volatile_count(volatile int *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = a[i] + 0 * i;
}

static int *a, *m;
static bool once;

template <typename F> static void each(F expected, const char *what) {
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += a[i] != expected(i);
    if (wrong) printf("%s: %d wrong, a[0] = %d\n", what, wrong, a[0]);
    CHECK(!wrong);
    for (int i = 0; i < 128; i++) a[i] = 0;
}

static void graphs(dim3 block) {
    cudaGraph_t g;
    cudaGraphNode_t node;
    int size = n;
    void *args[] = {&a, &size};
    cudaKernelNodeParams p = {}, back = {};
    p.func = (void *)racing, p.gridDim = dim3(4), p.blockDim = block, p.kernelParams = args;
    CHECK(cudaGraphCreate(&g, 0) == cudaSuccess && cudaGraphAddKernelNode(&node, g, NULL, 0, &p) == cudaSuccess);
    CHECK(cudaGraphKernelNodeGetParams(node, &back) == cudaSuccess);
    CHECK(back.blockDim.x == block.x && back.blockDim.y == block.y && back.blockDim.z == block.z);
    CHECK(cudaGraphDestroy(g) == cudaSuccess);
}

static void all(dim3 block) {
    int threads = (int)(block.y * block.z), sum = 0;
    for (int i = 0; i < n; i++) sum += m[i];
    if (once) {
        racing<<<4, block>>>(a, n);
        each([](int) { return 1; }, "racing");
    }
    row_sums<<<4, block>>>(m, a, n);
    each([=](int i) { return sum * (i + 1); }, "row sums");
    atomic_count<<<4, block>>>(a, n);
    each([=](int) { return threads; }, "atomics");
    reads_size<<<4, block>>>(a, n);
    each([=](int) { return threads; }, "blockDim");
    barrier_count<<<4, block>>>(a, n);
    each([=](int i) { return threads * (i < 96 ? 32 : 4); }, "barriers that count");
    lanes<<<4, block>>>(a, n);
    each([](int) { return 32; }, "functions of the warp");
    volatile_count<<<4, block>>>(a);
    each([](int) { return 0; }, "volatile");
    graphs(block);
}

int main(int argc, char **) {
    once = argc > 1;
    CHECK(cudaMallocManaged(&a, 128 * sizeof(int)) == cudaSuccess);
    CHECK(cudaMallocManaged(&m, 128 * sizeof(int)) == cudaSuccess);
    for (int i = 0; i < 128; i++) a[i] = 0, m[i] = i * 7 % 13;
    all(dim3(32, rows));
    all(dim3(32, 2, 3));
    all(dim3(32, 1, 4));
    reads_row<<<4, dim3(32, rows)>>>(a, n);
    each([](int) { return 5; }, "threadIdx.y");
    return finish();
}
