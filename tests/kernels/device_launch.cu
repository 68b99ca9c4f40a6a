// Kernels that launch kernels: arguments of all sizes, order within a stream and behind the grid, nesting, errors.
// REQUIRES: run
// RUN: %cucpu -rdc=true %s -o %t && env CUCPU_NUM_THREADS=1 %run %t 2>&1 | FileCheck %s && env CUCPU_NUM_THREADS=4 %run %t 2>&1 | FileCheck %s
// RUN: %cucpu -rdc=true --simd=1 %s -o %t.1 && %run %t.1 2>&1 | FileCheck %s
// RUN: %cucpu -rdc=true --simd=8 -G %s -o %t.g && %run %t.g 2>&1 | FileCheck %s
// CHECK: kernel traps(int*) ({{.*}}device_launch.cu:{{[0-9]+}}), block [0,0,0]: trap
// CHECK-NEXT: 0 failures
#include "check.h"

struct Mixed {
    double d;
    char c[3];
};

// ---- arguments ----
__global__ void take(int *out, char c, float4 f, short s, Mixed m, long long l, int3 i) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = c + (int)(f.x + f.w) + s + (int)m.d + m.c[2] + (int)l + i.z + t;
}

__global__ void give(int *out) {
    if (threadIdx.x % 8 == 3) {
        Mixed m = {4.0, {0, 0, (char)threadIdx.x}};
        take<<<2, dim3(3, 2), 0, 0>>>(out + threadIdx.x * 16, 1, make_float4(10, 0, 0, 20), 300, m, 1LL << 12, make_int3(0, 0, 7));
    }
}

static void arguments(int *p) {
    cudaMemset(p, 0, 1 << 16);
    give<<<1, 37>>>(p);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 37; t++)
        for (int i = 0; i < 16; i++) {
            // the rows of a block of 3 x 2 write the same elements
            bool there = t % 8 == 3 && i < 6;
            CHECK(p[t * 16 + i] == (there ? 1 + 30 + 300 + 4 + t + 4096 + 7 + i : 0));
        }
}

// ---- order ----
__global__ void append(int *log, int what) { log[atomicAdd(log, 1) + 1] = what; }

__global__ void order(int *log) {
    append<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 90);
    for (int i = 0; i < 3; i++) append<<<1, 1>>>(log, i);
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    append<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 91);
    cudaMemsetAsync(log + 100, 1, 4, s);
    cudaMemcpyAsync(log + 101, log + 100, 4, cudaMemcpyDeviceToDevice, s);
    append<<<1, 1, 0, s>>>(log, 3);
    cudaStreamDestroy(s);
    append<<<1, 1, 0, cudaStreamFireAndForget>>>(log, 4);
    log[99] = log[0]; // nothing has run yet, or all in order
}

static void orders(int *p) {
    for (int streams = 0; streams < 2; streams++) {
        cudaStream_t s = 0;
        if (streams) CUDA(cudaStreamCreate(&s));
        CUDA(cudaMemset(p, 0, 1 << 16));
        CUDA(cudaDeviceSynchronize());
        order<<<1, 1, 0, s>>>(p);
        append<<<1, 1, 0, s>>>(p, 1000); // behind the grid and its children
        CUDA(cudaStreamSynchronize(s));
        CHECK(p[0] == 8 && p[6] == 90 && p[7] == 91 && p[8] == 1000);
        int at[5] = {0};
        for (int i = 1; i <= 5; i++)
            if (p[i] >= 0 && p[i] < 5) at[p[i]] = i;
        CHECK(at[0] && at[0] < at[1] && at[1] < at[2] && at[3] && at[4]);
        CHECK(p[100] == 0x01010101 && p[101] == p[100]);
    }
}

// Blocks do not wait for each other's children; within a block they keep their order, and what a child launches comes before the next.
__global__ void step(int *p, int i) { *p = *p * 3 + i; }
__global__ void steps(int *p, int i) {
    step<<<1, 1>>>(p, i);
    step<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 2 * i);
}
__global__ void chains(int *p) {
    if (threadIdx.x == 5)
        for (int i = 0; i < 4; i++) steps<<<1, 1>>>(p + blockIdx.x, i);
    if (threadIdx.x < 4) step<<<1, 1, 0, cudaStreamFireAndForget>>>(p + 1000 + 4 * blockIdx.x + threadIdx.x, 5);
}

static void chained(int *p) {
    int want = 0;
    for (int i = 0; i < 4; i++) want = (want * 3 + i) * 3 + 2 * i;
    CUDA(cudaMemset(p, 0, 1 << 16));
    chains<<<100, 33>>>(p);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 100; i++) CHECK(p[i] == want);
    for (int i = 0; i < 400; i++) CHECK(p[1000 + i] == 5);
}

// ---- nesting: what a parent and its block have written is seen; sorting by recursion ----
__global__ void quicksort(int *a, int left, int right, int level) {
    if (level > 12) {
        for (int i = left; i < right; i++)
            for (int k = i + 1; k <= right; k++)
                if (a[k] < a[i]) {
                    int t = a[i];
                    a[i] = a[k];
                    a[k] = t;
                }
        return;
    }
    int *l = a + left, *r = a + right, pivot = a[(left + right) / 2];
    while (l <= r) {
        while (*l < pivot) l++;
        while (*r > pivot) r--;
        if (l <= r) {
            int t = *l;
            *l++ = *r;
            *r-- = t;
        }
    }
    int nl = (int)(r - a), nr = (int)(l - a);
    if (left < nl) quicksort<<<1, 1>>>(a, left, nl, level + 1);
    if (nr < right) quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(a, nr, right, level + 1);
}

// Each block splits its range in two until it is small.
template <int N> __global__ void fill(int *a, int n, int value) {
    __shared__ int half;
    if (threadIdx.x == 0) half = n / 2;
    __syncthreads();
    if (n <= N) {
        if (threadIdx.x < n) a[threadIdx.x] = value + threadIdx.x;
    } else if (threadIdx.x < 2) {
        int first = threadIdx.x * half;
        fill<N><<<1, N>>>(a + first, threadIdx.x ? n - half : half, value + first);
    }
}

static void nesting(int *p) {
    unsigned x = 1;
    for (int i = 0; i < 3000; i++) p[i] = (x = x * 1664525u + 1013904223u) >> 8;
    quicksort<<<1, 1>>>(p, 0, 2999, 0);
    CUDA(cudaDeviceSynchronize());
    for (int i = 1; i < 3000; i++) CHECK(p[i - 1] <= p[i]);
    CUDA(cudaMemset(p, 0, 1 << 16));
    fill<64><<<1, 64>>>(p, 5001, 5);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 5001; i++) CHECK(p[i] == i + 5);
    CHECK(p[5001] == 0);
}

// A chain of tail launches is no nesting: it may be as long as it likes.
__global__ void chain(int *p, int n) {
    p[n] = n;
    if (n) chain<<<1, 1, 0, cudaStreamTailLaunch>>>(p, n - 1);
}

__global__ void deep(int *p, int n) {
    p[n] = 1;
    deep<<<1, 1>>>(p, n + 1);
    cudaError_t e = cudaGetLastError();
    p[100 + n] = e == cudaErrorLaunchMaxDepthExceeded ? 2 : e;
}

static void depth(int *p) {
    chain<<<1, 1>>>(p, 5000);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i <= 5000; i++) CHECK(p[i] == i);
    CUDA(cudaMemset(p, 0, 1 << 16));
    deep<<<1, 1>>>(p, 0);
    CUDA(cudaDeviceSynchronize());
    CHECK(cudaGetLastError() == cudaSuccess);
    for (int i = 0; i < 30; i++) {
        CHECK(p[i] == (i <= 24));
        CHECK(p[100 + i] == (i == 24 ? 2 : 0));
    }
}

// ---- kernels as values; errors of one launch ----
__global__ void add(int *p, int n) { atomicAdd(p, n); }
__global__ void subtract(int *p, int n) { atomicSub(p, n); }
__device__ void (*const kernels[2])(int *, int) = {add, subtract};

__global__ void choose(int *p) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    kernels[t % 3 == 0]<<<1, t % 5 + 1>>>(p, t);
    cudaFuncAttributes a;
    int blocks = 0;
    if (t == 0 && cudaFuncGetAttributes(&a, add) == cudaSuccess && a.maxThreadsPerBlock == 1024)
        p[1] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0) == cudaSuccess && blocks > 0;
}

__global__ void wrong(int *p) {
    add<<<1, 1025>>>(p, 1);
    p[1] = cudaPeekAtLastError() == cudaErrorInvalidConfiguration;
    p[2] = cudaGetLastError() == cudaErrorInvalidConfiguration;
    p[3] = cudaGetLastError() == cudaSuccess;
    add<<<dim3(0), 1>>>(p, 1);
    p[4] = cudaGetLastError() == cudaErrorInvalidConfiguration;
    add<<<1, 1, 1 << 20>>>(p, 1);
    p[5] = cudaGetLastError() != cudaSuccess;
    add<<<1, 1>>>(p, 100);
    p[6] = cudaGetLastError() == cudaSuccess;
}

static void values(int *p) {
    int want = 0;
    for (int t = 0; t < 300; t++) want += (t % 3 ? t : -t) * (t % 5 + 1);
    p[0] = p[1] = 0;
    choose<<<3, 100>>>(p);
    CUDA(cudaDeviceSynchronize());
    CHECK(p[0] == want && p[1] == 1);
    CUDA(cudaMemset(p, 0, 64));
    wrong<<<1, 1>>>(p);
    CUDA(cudaDeviceSynchronize());
    CHECK(p[0] == 100 && p[1] && p[2] && p[3] && p[4] && p[5] && p[6]);
    CHECK(cudaGetLastError() == cudaSuccess);
}

// ---- waiting in the kernel, as it was before CUDA 12 ----
__global__ void waits(int *p) {
    if (threadIdx.x == 0) {
        add<<<4, 32>>>(p + blockIdx.x, 1);
        cudaDeviceSynchronize();
        p[64 + blockIdx.x] = p[blockIdx.x];
    }
    __syncthreads();
    if (threadIdx.x == 33) p[128 + blockIdx.x] = p[64 + blockIdx.x];
}

// A parent that polls for what its child stores (in CUDA it may, or may not, run at the same time).
__global__ void answer(volatile int *p) { *p = 7; }
__global__ void asks(volatile int *p) {
    if (threadIdx.x == 0) {
        answer<<<1, 1, 0, cudaStreamFireAndForget>>>(p);
        while (*p == 0) {}
    }
    __syncthreads();
    if (threadIdx.x == 20) p[1] = *p;
}

// Memory and events of the device runtime.
__global__ void allocates(int *p) {
    double *mine;
    cudaEvent_t event;
    p[0] = cudaMalloc(&mine, 8 * sizeof *mine);
    for (int i = 0; i < 8; i++) mine[i] = i * 0.5;
    p[1] = (int)(mine[7] * 2);
    p[2] = cudaFree(mine);
    p[3] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming) || cudaEventRecord(event, 0) || cudaEventDestroy(event);
}

// ---- faults ----
__global__ void traps(int *p) {
    if (*p == 7) __trap();
}

__global__ void fails(int *p) {
    add<<<1, 1>>>(p, 7);
    traps<<<1, 1>>>(p);
    add<<<1, 1>>>(p, 1);
}

int main() {
    int *p;
    CUDA(cudaMallocManaged(&p, 1 << 16));
    arguments(p);
    orders(p);
    chained(p);
    nesting(p);
    depth(p);
    values(p);
    CUDA(cudaMemset(p, 0, 1 << 10));
    waits<<<20, 64>>>(p);
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < 20; b++) CHECK(p[b] == 128 && p[64 + b] == 128 && p[128 + b] == 128);
    p[0] = p[1] = 0;
    asks<<<1, 32>>>(p);
    CUDA(cudaDeviceSynchronize());
    CHECK(p[1] == 7);
    allocates<<<1, 1>>>(p);
    CUDA(cudaDeviceSynchronize());
    CHECK(p[0] == 0 && p[1] == 7 && p[2] == 0 && p[3] == 0);
    p[0] = 0;
    fails<<<1, 1>>>(p);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    CHECK(p[0] == 7);
    std::printf("%d failures\n", failures);
    return failures != 0;
}
