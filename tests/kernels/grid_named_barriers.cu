// Named barriers: parts of a block wait for each other and for nobody else.
// REQUIRES: run
// RUN: %cucpu --simd=1 %s -o %t.1 && %run %t.1 | FileCheck %s
// RUN: %cucpu --simd=32 %s -o %t.32 && %run %t.32 | FileCheck %s
// RUN: %also { %cucpu --simd=64 %s -o %t.64 && %run %t.64 | FileCheck %s; }
// RUN: %cucpu --warp-size=8 --simd=8 %s -o %t.w && %run %t.w | FileCheck %s
// RUN: %also { %cucpu --simd=16 --disable=frame_classes %s -o %t.f && %run %t.f | FileCheck %s; }
// CHECK: pipeline: 0 errors
// CHECK-NEXT: pairs: 0 errors
// CHECK-NEXT: tiles: 0 errors
// CHECK-NEXT: nested: 0 errors
// CHECK-NEXT: tail: 0 errors
// CHECK-NEXT: returned: 0 errors
// CHECK-NEXT: batches: 0 errors
// CHECK-NEXT: grid: 0 errors
// CHECK-NEXT: rows: 0 errors
// CHECK-NEXT: crossed: 0 errors
// CHECK-NEXT: last error: no error
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

enum { FULL = 1, EMPTY = 2, PART = 64 };

// Threads 0..63 fill one of two buffers while threads 64..127 use the other one; both sides also
// have a barrier of their own.
__global__ void pipeline(int *out, const int *in, int steps) {
    __shared__ int buffer[2][PART], reversed[PART], sums[PART];
    int t = threadIdx.x % PART, total = 0;
    if (threadIdx.x / PART == 0) {
        for (int s = 0; s < steps; s++) {
            sums[t] = in[s * PART + t];
            __barrier_sync_count(3, PART);
            buffer[s & 1][t] = sums[t] + sums[(t + 1) % PART];
            __barrier_sync_count(FULL + (s & 1) * 4, 2 * PART);
            if (s + 1 < steps) continue;
        }
    } else {
        for (int s = 0; s < steps; s++) {
            __barrier_sync_count(FULL + (s & 1) * 4, 2 * PART);
            reversed[PART - 1 - t] = buffer[s & 1][t];
            __barrier_sync_count(4, PART);
            total = total * 3 + reversed[t];
            __barrier_sync_count(4, PART);
        }
    }
    __syncthreads();
    if (threadIdx.x >= PART) out[t] = total;
}

// Each pair of warps runs a loop of its own length; the number of the barrier is data.
__global__ void pairs(int *out, const int *turns) {
    extern __shared__ int line[];
    int t = threadIdx.x, pair = t / PART, n = turns[pair], v = t;
    for (int i = 0; i < n; i++) {
        line[t] = v;
        __barrier_sync_count(1 + pair, PART);
        v = 2 * line[pair * PART + (t + 1) % PART] + i;
        __barrier_sync_count(1 + pair, PART);
    }
    __syncthreads();
    line[t] = v;
    __syncthreads();
    out[t] = line[blockDim.x - 1 - t];
}

__global__ void tiles(int *out) {
    __shared__ int line[256];
    auto tile = cg::tiled_partition<128>(cg::this_thread_block());
    int t = threadIdx.x, r = (int)tile.thread_rank();
    int turns = tile.meta_group_rank() ? 7 : 2;
    line[t] = r;
    for (int i = 0; i < turns; i++) {
        tile.sync();
        int v = line[t - r + (r + 1) % 128];
        tile.sync();
        line[t] = v;
    }
    out[t] = line[t];
}

// Tiles in tiles beside each other: the first two of 64 threads, then one of 128, and the last of 64, the sixteenth, while the others
// wait for the block; somebody else's barrier 1 is none of theirs.
__global__ void nested(int *out) {
    __shared__ int line[1024];
    auto large = cg::tiled_partition<128>(cg::this_thread_block());
    auto small = cg::tiled_partition<64>(large);
    int t = threadIdx.x, size = t < 128 || t >= 960 ? 64 : t < 256 ? 128 : 1;
    line[t] = t;
    if (t >= 256 && t < 320) __barrier_sync_count(1, 64);
    for (int i = 0; size > 1 && i < 2 + t / 128; i++) {
        size == 64 ? small.sync() : large.sync();
        int v = line[t / size * size + (t + 1) % size];
        size == 64 ? small.sync() : large.sync();
        line[t] = v;
    }
    __syncthreads();
    out[t] = line[1023 - t];
}

// The last warp is not full and counts as if it were.
__global__ void tail(int *out) {
    __shared__ int line[64];
    int t = threadIdx.x;
    line[t] = t;
    __barrier_sync_count(5, warpSize * ((blockDim.x + warpSize - 1) / warpSize));
    out[t] = line[blockDim.x - 1 - t];
}

__global__ void returned(int *out) {
    __shared__ int line[128];
    int t = threadIdx.x;
    if (t >= 100) return;
    line[t] = t;
    __barrier_sync(7);
    if (t >= 32) {
        out[t] = line[131 - t];
        return;
    }
    __barrier_sync_count(2, 32);
    out[t] = line[31 - t];
}

__global__ void batches(int *out) {
    __barrier_sync_count(1, PART);
    out[threadIdx.x] = 1;
}

__global__ void grid(int *out, int *global) {
    __shared__ int line[128];
    int t = threadIdx.x, part = t / PART, v = 0;
    for (int i = 0; i < 3; i++) {
        line[t] = t + i;
        __barrier_sync_count(1 + part, PART);
        v += line[part * PART + (t + 5) % PART];
        __barrier_sync_count(1 + part, PART);
        global[blockIdx.x * 128 + t] = v;
        cg::this_grid().sync();
        v += global[(blockIdx.x + 1) % gridDim.x * 128 + t];
        cg::this_grid().sync();
    }
    out[blockIdx.x * 128 + t] = v;
}

// Rows that are no multiple of a warp: warps go by the linear number of a thread.
__global__ void rows(int *out) {
    __shared__ int line[192];
    int t = threadIdx.y * blockDim.x + threadIdx.x, part = t / PART;
    line[t] = t;
    for (int i = 0; i <= part; i++) {
        __barrier_sync_count(1 + part, PART);
        int v = line[part * PART + (t + 1) % PART];
        __barrier_sync_count(1 + part, PART);
        line[t] = v;
    }
    out[t] = line[t];
}

// Warps 0 and 2 wait for each other, and so do warps 1 and 3, in turns of their own.
__global__ void crossed(int *out, const int *turns) {
    __shared__ int line[128];
    int t = threadIdx.x, w = t / 32, n = turns[w % 2], v = t;
    for (int i = 0; i < n; i++) {
        line[t] = v;
        __barrier_sync_count(1 + w % 2, PART);
        v = line[(t + 64) % 128] + 1;
        __barrier_sync_count(1 + w % 2, PART);
    }
    out[t] = v;
}

static int *device(const std::vector<int> &h) {
    int *d;
    cudaMalloc(&d, h.size() * 4);
    cudaMemcpy(d, h.data(), h.size() * 4, cudaMemcpyHostToDevice);
    return d;
}

static void check(const char *what, int *d, const std::vector<int> &want) {
    std::vector<int> r(want.size());
    int errors = cudaMemcpy(r.data(), d, r.size() * 4, cudaMemcpyDeviceToHost) != cudaSuccess;
    for (size_t i = 0; i < r.size(); i++) errors += r[i] != want[i];
    std::printf("%s: %d errors\n", what, errors);
}

static void test_pipeline() {
    int steps = 9;
    std::vector<int> in((size_t)(steps * PART)), want(PART);
    for (size_t i = 0; i < in.size(); i++) in[i] = (int)(i * 13 % 101);
    for (int s = 0; s < steps; s++)
        for (int t = 0; t < PART; t++) {
            int u = PART - 1 - t;
            want[(size_t)t] = want[(size_t)t] * 3 + in[(size_t)(s * PART + u)] + in[(size_t)(s * PART + (u + 1) % PART)];
        }
    int *d = device(in), *out = device(want);
    cudaMemset(out, 0, PART * 4);
    pipeline<<<3, 2 * PART>>>(out, d, steps);
    check("pipeline", out, want);
}

static void test_pairs() {
    std::vector<int> turns = {3, 0, 8, 1}, v(256), want(256);
    for (int p = 0; p < 4; p++) {
        for (int t = 0; t < PART; t++) v[(size_t)(p * PART + t)] = p * PART + t;
        for (int i = 0; i < turns[(size_t)p]; i++) {
            std::vector<int> old = v;
            for (int t = 0; t < PART; t++) v[(size_t)(p * PART + t)] = 2 * old[(size_t)(p * PART + (t + 1) % PART)] + i;
        }
    }
    for (size_t t = 0; t < 256; t++) want[t] = v[255 - t];
    int *d = device(turns), *out = device(std::vector<int>(256));
    pairs<<<2, 256, 1024>>>(out, d);
    check("pairs", out, want);
}

static void test_small() {
    std::vector<int> want(256);
    for (int t = 0; t < 256; t++) want[(size_t)t] = (t % 128 + (t < 128 ? 2 : 7)) % 128;
    int *out = device(std::vector<int>(256));
    tiles<<<2, 256>>>(out);
    check("tiles", out, want);
    want.assign(1024, 0);
    for (int t = 0; t < 1024; t++) {
        int size = t < 128 || t >= 960 ? 64 : t < 256 ? 128 : 1;
        want[(size_t)(1023 - t)] = size > 1 ? t / size * size + (t + 2 + t / 128) % size : t;
    }
    out = device(std::vector<int>(1024));
    nested<<<1, 1024>>>(out);
    check("nested", out, want);
    want.assign(50, 0);
    for (int t = 0; t < 50; t++) want[(size_t)t] = 49 - t;
    tail<<<1, 50>>>(out);
    check("tail", out, want);
    want.assign(100, 0);
    for (int t = 0; t < 100; t++) want[(size_t)t] = t < 32 ? 31 - t : 131 - t;
    returned<<<1, 128>>>(out);
    check("returned", out, want);
    batches<<<1, 256>>>(out);
    check("batches", out, std::vector<int>(256, 1));
}

static void test_grid() {
    int blocks = 40;
    std::vector<int> v((size_t)blocks * 128);
    for (int i = 0; i < 3; i++) {
        for (int b = 0; b < blocks; b++)
            for (int t = 0; t < 128; t++) v[(size_t)(b * 128 + t)] += t / PART * PART + (t + 5) % PART + i;
        std::vector<int> old = v;
        for (int b = 0; b < blocks; b++)
            for (int t = 0; t < 128; t++) v[(size_t)(b * 128 + t)] += old[(size_t)((b + 1) % blocks * 128 + t)];
    }
    int *out = device(v), *global = device(v);
    void *args[] = {&out, &global};
    cudaLaunchCooperativeKernel((const void *)grid, blocks, 128, args, 0, 0);
    check("grid", out, v);
}

static void test_rows() {
    std::vector<int> want(192);
    for (int t = 0; t < 192; t++) want[(size_t)t] = t / PART * PART + (t + 1 + t / PART) % PART;
    int *out = device(std::vector<int>(192));
    rows<<<1, dim3(12, 16)>>>(out);
    check("rows", out, want);
}

static void test_crossed() {
    std::vector<int> turns = {3, 6}, want(128);
    for (int t = 0; t < 128; t++) {
        int n = turns[(size_t)(t / 32 % 2)];
        want[(size_t)t] = (n % 2 ? (t + 64) % 128 : t) + n;
    }
    int *d = device(turns), *out = device(std::vector<int>(128));
    crossed<<<2, 128>>>(out, d);
    check("crossed", out, want);
}

int main() {
    test_pipeline();
    test_pairs();
    test_small();
    test_grid();
    test_rows();
    test_crossed();
    std::printf("last error: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
