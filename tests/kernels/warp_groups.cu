// Cooperative groups on parts of a warp: tiles, coalesced groups in divergent code and in loops that lanes
// leave one by one, partitions by label.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

enum { KINDS = 8 };

template <class Tile> __device__ int sum_of(const Tile &g, int v) {
    for (unsigned d = g.size() / 2; d > 0; d /= 2) v += g.shfl_xor(v, int(d));
    return v;
}

/* Blocks of whole warps. */
__global__ void tiles(const int *in, int *out) {
    unsigned i = global_rank();
    int v = in[i], *o = out + i * KINDS;
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto four = cg::tiled_partition<4>(warp);
    static_assert(decltype(four)::size() == 4 && decltype(warp)::num_threads() == 32, "known to the compiler");
    o[0] = sum_of(warp, v);
    o[1] = sum_of(cg::tiled_partition<8>(block), v) * 100 + int(four.meta_group_rank());
    o[2] = four.shfl(v, 2) + four.any(v > 80) * 1000 + int(four.ballot(v & 1)) * 10000;
    /* tiles whose members go different ways */
    if (v % 4 == 0) o[3] = int(cg::coalesced_threads().size());
    else o[3] = -int(cg::coalesced_threads().size());
    o[4] = cg::reduce(four, v, cg::greater<int>());
    o[5] = cg::exclusive_scan(warp, v);
    auto label = cg::labeled_partition(warp, v % 3);
    o[6] = cg::reduce(label, v, cg::plus<int>()) * 64 + int(label.thread_rank());
    if (warp.meta_group_rank() % 2) { /* tiles of some warps only, each as often as it likes */
        auto two = cg::tiled_partition<2>(warp);
        int times = int(two.meta_group_rank()) % 5, sum = v;
        while (times-- > 0) sum += two.shfl_xor(sum, 1), two.sync();
        o[7] = sum;
    } else {
        o[7] = 0;
    }
}

/* One atomic for all that have come, as in the programming guide. */
__device__ int take_ticket(int *counter) {
    auto g = cg::coalesced_threads();
    int first = 0;
    if (g.thread_rank() == 0) first = atomicAdd(counter, int(g.size()));
    return g.shfl(first, 0) + int(g.thread_rank());
}

__global__ void tickets(const int *in, int *counter, int *taken) {
    int v = in[global_rank()];
    while (v > 0) {
        if (v & 1) taken[take_ticket(counter)] += 1;
        v >>= 1;
    }
}

/* Tiles of a size known at run time: the last one of a block may be cut off. */
__global__ void parts(int *out) {
    for (unsigned n = 1; n <= 32; n *= 2, out += 2 * blockDim.x) {
        auto part = cg::tiled_partition(cg::this_thread_block(), n);
        auto same = cg::tiled_partition(part, 32);
        out[threadIdx.x] = int(part.size() * 100 + part.meta_group_rank());
        out[blockDim.x + threadIdx.x] = int(same.size() * 100 + same.meta_group_rank()) + cg::reduce(part, int(threadIdx.x), cg::plus<int>()) * 10000;
    }
}
static void check_parts(unsigned threads) {
    Buffer<int> out(threads * 12);
    std::vector<int> want;
    parts<<<1, threads>>>(out);
    for (unsigned n = 1; n <= 32; n *= 2) {
        std::vector<int> size, sum;
        for (unsigned t = 0; t < threads; t++) {
            unsigned first = t / n * n, count = std::min(n, threads - first);
            size.push_back(int(count * 100 + t / n));
            sum.push_back(int(count * 100 + t / n + (first + first + count - 1) * count / 2 * 10000));
        }
        want.insert(want.end(), size.begin(), size.end()), want.insert(want.end(), sum.begin(), sum.end());
    }
    SAME(out.get(), want);
}

int main() {
    check_parts(48), check_parts(39);
    each_shape([](dim3 block, unsigned n) {
        const unsigned total = 2 * n;
        Random random(n);
        std::vector<int> in(total), want(total * KINDS);
        for (int &v : in) v = int(random.below(100));
        Buffer<int> din(in), out(want.size()), counter(1), taken(total * 8);
        int ones = 0;
        for (int v : in) ones += __builtin_popcount(unsigned(v));
        tickets<<<2, block>>>(din, counter, taken);
        std::vector<int> t = taken.get(), all(total * 8);
        for (int k = 0; k < ones; k++) all[unsigned(k)] = 1;
        CHECK(counter.get()[0] == ones);
        SAME(t, all);
        if (n % 32) return;
        for (unsigned i = 0; i < total; i++) {
            int *o = &want[i * KINDS], *v = &in[i], *w = v - i % 32, *f = v - i % 4;
            unsigned lane = i % 32;
            int alike = 0, label = 0, rank = 0;
            for (unsigned l = 0; l < 32; l++) {
                o[0] += w[l];
                if (l < lane) o[5] += w[l];
                alike += (w[l] % 4 == 0) == (*v % 4 == 0);
                if (w[l] % 3 == *v % 3) label += w[l], rank += l < lane;
            }
            for (unsigned l = 0; l < 8; l++) o[1] += (v - i % 8)[l] * 100;
            o[1] += int(lane / 4);
            bool any = false;
            o[4] = f[0];
            for (int l = 0; l < 4; l++) any |= f[l] > 80, o[2] += (f[l] & 1) * 10000 << l, o[4] = std::max(o[4], f[l]);
            o[2] += f[2] + any * 1000;
            o[3] = *v % 4 == 0 ? alike : -alike;
            o[6] = label * 64 + rank;
            if (i % n / 32 % 2) {
                int a = *v, b = v[i % 2 ? -1 : 1];
                for (unsigned k = 0; k < lane / 2 % 5; k++) {
                    int old = a;
                    a += b, b += old;
                }
                o[7] = a;
            }
        }
        tiles<<<2, block>>>(din, out);
        SAME(out.get(), want);
    });
    return finish();
}
