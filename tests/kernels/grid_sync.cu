// Barriers of the whole grid with more blocks than cores: what lives across them - registers, local
// arrays, shared memory, values of the whole block - belongs to each block for the whole launch.
// REQUIRES: run
// RUN: %cucpu --simd=1 %s -o %t.1 && %run %t.1 | FileCheck %s
// RUN: %cucpu --simd=16 %s -o %t.16 && %run %t.16 | FileCheck %s
// RUN: env CUCPU_NUM_THREADS=5 CUCPU_SCHED=shuffle:7 %run %t.16 | FileCheck %s
// RUN: %cucpu --simd=8 --disable=static_dispatch %s -o %t.d && %run %t.d | FileCheck %s
// RUN: %cucpu --simd=32 --disable=frame_classes %s -o %t.f && %run %t.f | FileCheck %s
// CHECK: sum: 0 errors
// CHECK-NEXT: jacobi: 0 errors
// CHECK-NEXT: converge: 0 errors
// CHECK-NEXT: state: 0 errors
// CHECK-NEXT: some blocks: 0 errors
// CHECK-NEXT: no barrier: 0 errors
// CHECK-NEXT: occupancy: 0 errors
// CHECK-NEXT: last error: no error
#include <cooperative_groups.h>
#include <algorithm>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

// A tree over the whole array: half as many values after each barrier.
__global__ void sum(int *a, int n) {
    cg::grid_group grid = cg::this_grid();
    int t = (int)grid.thread_rank(), step = (int)grid.size();
    for (int half = n / 2; half > 0; half /= 2) {
        for (int i = t; i < half; i += step) a[i] += a[i + half];
        grid.sync();
    }
}

__global__ void jacobi(int *a, int *b, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < steps; s++) {
        const int *from = s & 1 ? b : a;
        int *to = s & 1 ? a : b;
        if (i > 0 && i < n - 1) to[i] = (from[i - 1] + 2 * from[i] + from[i + 1]) >> 2;
        else if (i < n) to[i] = from[i];
        cg::this_grid().sync();
    }
}

// The number of rounds is data: the same for all threads, which the compiler cannot know.  Threads
// behind the end have returned.
__global__ void converge(int *a, int n, int *changed, int *rounds) {
    __shared__ int any;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cg::grid_group grid = cg::this_grid();
    volatile int *flag = changed;
    int local = 0;
    for (int r = 0;; r++) {
        if (threadIdx.x == 0) any = 0;
        __syncthreads();
        if (a[i] > i % 7) { a[i]--; any = 1; local++; }
        __syncthreads();
        if (threadIdx.x == 0 && any) flag[r] = 1;
        grid.sync();
        if (!flag[r]) {
            rounds[i] = r * 1000 + local;
            return;
        }
    }
}

__global__ void state(int *out, const int *in, int rounds) {
    __shared__ int shared[96];
    extern __shared__ int dynamic[];
    int t = threadIdx.x, kept[8], mine = in[blockIdx.x];
    for (int k = 0; k < 8; k++) kept[k] = t * k + (int)blockIdx.x;
    shared[t] = t + (int)blockIdx.x;
    dynamic[t] = 2 * t;
    for (int r = 0; r < rounds; r++) {
        __syncthreads();
        int other = shared[(t + 1) % 96];
        __syncthreads();
        shared[t] = other + mine;
        kept[(t + r) & 7] += other;
        cg::this_grid().sync();
        mine += in[(blockIdx.x + r) % gridDim.x];
        dynamic[t] += r;
    }
    int s = shared[t] + dynamic[t] + mine;
    for (int k = 0; k < 8; k++) s = 31 * s + kept[k];
    out[blockIdx.x * 96 + t] = s;
}

// Blocks whose threads have all returned are not waited for.
__global__ void some(int *a) {
    if (blockIdx.x % 3 == 2) return;
    if (threadIdx.x == 0) atomicAdd(a, 1);
    cg::this_grid().sync();
    if (threadIdx.x < 20) a[1 + blockIdx.x * 20 + threadIdx.x] = a[0];
}

__global__ void plain(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = (int)blockIdx.x; }

static int *device(const std::vector<int> &h) {
    int *d;
    cudaMalloc(&d, h.size() * 4);
    cudaMemcpy(d, h.data(), h.size() * 4, cudaMemcpyHostToDevice);
    return d;
}
static std::vector<int> host(int *d, size_t n) {
    std::vector<int> h(n);
    cudaMemcpy(h.data(), d, n * 4, cudaMemcpyDeviceToHost);
    return h;
}
template <class... A> static void run(void (*k)(A...), dim3 grid, dim3 block, size_t bytes, A... a) {
    void *args[] = {&a...};
    cudaError_t e = cudaLaunchCooperativeKernel((const void *)k, grid, block, args, bytes, 0);
    if (e) std::printf("%s\n", cudaGetErrorString(e));
}

static void test_sum() {
    std::vector<int> h(1 << 14);
    int want = 0, errors = 0;
    for (size_t i = 0; i < h.size(); i++) want += h[i] = (int)(i * 7 % 1001);
    const int shapes[][2] = {{1, 64}, {3, 100}, {500, 32}, {17, 33}};
    for (auto &s : shapes) {
        int *d = device(h);
        run<int *, int>(sum, s[0], s[1], 0, d, (int)h.size());
        errors += host(d, 1)[0] != want;
    }
    std::printf("sum: %d errors\n", errors);
}

static void test_jacobi() {
    int n = 500 * 64 - 5, errors = 0;
    std::vector<int> a((size_t)n), b;
    for (int i = 0; i < n; i++) a[(size_t)i] = i * 37 % 1000;
    int *x = device(a), *y = device(a);
    run<int *, int *, int, int>(jacobi, 500, 64, 0, x, y, n, 11);
    for (int s = 0; s < 11; s++) {
        b = a;
        for (size_t i = 1; i + 1 < (size_t)n; i++) b[i] = (a[i - 1] + 2 * a[i] + a[i + 1]) >> 2;
        a = b;
    }
    std::vector<int> r = host(y, (size_t)n);
    for (size_t i = 0; i < (size_t)n; i++) errors += r[i] != a[i];
    std::printf("jacobi: %d errors\n", errors);
}

static void test_converge() {
    int n = 300 * 48 - 30, errors = 0, last = 0;
    std::vector<int> a((size_t)n), zero(100);
    for (int i = 0; i < n; i++) a[(size_t)i] = i % 7 + i % 5 * 3 + (i == 77 ? 20 : 0);
    for (int i = 0; i < n; i++) last = std::max(last, a[(size_t)i] - i % 7);
    int *d = device(a), *flags = device(zero), *rounds = device(a);
    run<int *, int, int *, int *>(converge, 300, 48, 0, d, n, flags, rounds);
    std::vector<int> r = host(rounds, (size_t)n), e = host(d, (size_t)n);
    for (int i = 0; i < n; i++) {
        int steps = a[(size_t)i] - i % 7;
        errors += r[(size_t)i] != last * 1000 + steps || e[(size_t)i] != i % 7;
    }
    std::printf("converge: %d errors\n", errors);
}

static void test_state() {
    int blocks = 70, rounds = 5, errors = 0;
    std::vector<int> in((size_t)blocks), want((size_t)blocks * 96);
    for (int i = 0; i < blocks; i++) in[(size_t)i] = i * i;
    int *d = device(in), *out = device(want);
    run<int *, const int *, int>(state, blocks, 96, 96 * 4, out, d, rounds);
    for (int b = 0; b < blocks; b++) {
        int shared[96], dynamic[96], kept[96][8], mine = in[(size_t)b];
        for (int t = 0; t < 96; t++) {
            for (int k = 0; k < 8; k++) kept[t][k] = t * k + b;
            shared[t] = t + b;
            dynamic[t] = 2 * t;
        }
        for (int r = 0; r < rounds; r++) {
            int other[96];
            for (int t = 0; t < 96; t++) other[t] = shared[(t + 1) % 96];
            for (int t = 0; t < 96; t++) {
                shared[t] = other[t] + mine;
                kept[t][(t + r) & 7] += other[t];
                dynamic[t] += r;
            }
            mine += in[(size_t)((b + r) % blocks)];
        }
        for (int t = 0; t < 96; t++) {
            unsigned s = (unsigned)(shared[t] + dynamic[t] + mine);
            for (int k = 0; k < 8; k++) s = 31 * s + (unsigned)kept[t][k];
            want[(size_t)(b * 96 + t)] = (int)s;
        }
    }
    std::vector<int> r = host(out, want.size());
    for (size_t i = 0; i < r.size(); i++) errors += r[i] != want[i];
    std::printf("state: %d errors\n", errors);
}

static void test_some() {
    int blocks = 100, errors = 0, alive = 67;
    int *d = device(std::vector<int>(1 + 20 * 100));
    run<int *>(some, blocks, 40, 0, d);
    std::vector<int> r = host(d, 1 + 20 * 100);
    for (int b = 0; b < blocks; b++)
        for (int t = 0; t < 20; t++) errors += r[(size_t)(1 + b * 20 + t)] != (b % 3 == 2 ? 0 : alive);
    std::printf("some blocks: %d errors\n", errors);
}

static void test_plain() {
    int errors = 0;
    int *d = device(std::vector<int>(500));
    run<int *>(plain, 50, 10, 0, d);
    std::vector<int> r = host(d, 500);
    for (int i = 0; i < 500; i++) errors += r[(size_t)i] != i / 10;
    std::printf("no barrier: %d errors\n", errors);
}

int main() {
    test_sum();
    test_jacobi();
    test_converge();
    test_state();
    test_some();
    test_plain();
    int blocks = 0, possible = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, state, 96, 96 * 4);
    cudaDeviceGetAttribute(&possible, cudaDevAttrCooperativeLaunch, 0);
    std::printf("occupancy: %d errors\n", (blocks < 1) + (possible != 1));
    std::printf("last error: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
