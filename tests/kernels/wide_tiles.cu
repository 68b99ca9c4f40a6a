// Cooperative groups: tiles of more than a warp, groups of a partition, one thread for its group.
// REQUIRES: run
// RUN: %cucpu --simd=32 %s -o %t && %run %t
// RUN: %cucpu -std=c++11 -c --emit=llvm --stop-after=import_nvvm %s -o %t.ll
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
enum { RESULTS = 14 };

struct Max {
    __device__ double operator()(double a, double b) const { return a < b ? b : a; }
};
struct Ranked { // keeps the order of the operands
    int first, last;
};
struct Chain {
    __device__ Ranked operator()(Ranked a, Ranked b) const { return Ranked{a.first, b.last}; }
};
static __host__ __device__ int value(int t) { return t * 37 % 101 - 20; }

template <int N> __global__ void wide(int *out) {
    __shared__ cg::block_tile_memory<1024> memory;
    auto tile = cg::tiled_partition<N>(cg::this_thread_block(memory));
    int t = threadIdx.x, v = value(t), *r = out + t * RESULTS;
    r[0] = tile.thread_rank(), r[1] = tile.meta_group_rank(), r[2] = tile.meta_group_size();
    if (tile.meta_group_rank() == 1) return; // the others go on
    r[3] = cg::reduce(tile, v, cg::plus<int>());
    r[4] = (int)cg::reduce(tile, (double)v, Max());
    r[5] = cg::inclusive_scan(tile, v);
    r[6] = cg::exclusive_scan(tile, v);
    r[7] = tile.shfl(v, 40);
    r[8] = tile.any(t % N == 50), r[9] = tile.all(t % N < 50), r[10] = tile.all(t >= 0);
    Ranked ends = cg::reduce(tile, Ranked{t, t}, Chain());
    r[11] = ends.first == t / N * N && ends.last == t / N * N + N - 1;
    tile.sync();
    r[12] = cg::invoke_one_broadcast(tile, [=] { return t + 1; });
    cg::invoke_one(tile, [=](int add) { r[13] += add; }, 5);
}

template <int N> void test_wide(int threads) {
    Buffer<int> out(threads * RESULTS);
    wide<N><<<1, threads>>>(out);
    auto got = out.get();
    for (int t = 0; t < threads; t++) {
        const int *r = &got[t * RESULTS];
        int first = t / N * N, sum = 0, most = -99, up_to = 0;
        for (int i = first; i < first + N; i++) {
            sum += value(i), most = std::max(most, value(i));
            if (i <= t) up_to += value(i);
        }
        CHECK(r[0] == t - first && r[1] == t / N && r[2] == threads / N);
        if (t / N == 1) continue;
        CHECK(r[3] == sum); CHECK(r[4] == most); CHECK(r[5] == up_to); CHECK(r[6] == up_to - value(t));
        CHECK(r[7] == value(first + 40)); CHECK(r[8] == 1 && r[9] == 0 && r[10] == 1); CHECK(r[11]);
        CHECK(r[12] == first + 1); CHECK(r[13] == (t == first ? 5 : 0));
    }
}

__global__ void partitions(int *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    auto binary = cg::binary_partition<32>(warp, t % 5 < 2);
    auto whole = cg::binary_partition(warp, t >= 0);
    auto labeled = cg::labeled_partition(warp, (t + 3) / 2 % 4);
    out[t] = (int)(binary.meta_group_rank() + 10 * binary.meta_group_size() + 100 * whole.meta_group_size() +
                   1000 * labeled.meta_group_rank() + 10000 * labeled.meta_group_size());
}

int main() {
    for (int n : {64, 128, 256, 1024}) test_wide<64>(n);
    for (int n : {128, 384, 1024}) test_wide<128>(n);
    test_wide<256>(768), test_wide<512>(512), test_wide<512>(1024);
    Buffer<int> out(64);
    partitions<<<1, 64>>>(out);
    auto got = out.get();
    // labels appear in the order 1 2 3 0
    for (int t = 0; t < 64; t++)
        CHECK(got[t] == (t % 5 < 2) + 20 + 100 + 1000 * (((t + 3) / 2 + 3) % 4) + 40000);
    return finish();
}
