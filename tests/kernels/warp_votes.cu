// Ballot, any, all, activemask, match, reduce and __syncwarp; divergent and partial warps.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"
#include <algorithm>

enum { KINDS = 10 };

__device__ unsigned live_lanes() {
    unsigned n = blockDim.x * blockDim.y * blockDim.z, first = thread_rank() / 32 * 32;
    return n - first < 32 ? (1u << (n - first)) - 1 : 0xffffffffu;
}

__global__ void vote(const int *in, unsigned *out) {
    unsigned i = global_rank(), live = live_lanes(), *o = out + i * KINDS;
    int v = in[i];
    o[0] = __ballot_sync(live, v > 50);
    o[1] = __any_sync(live, v > 97) != 0;
    o[2] = __all_sync(live, v < 98) != 0;
    o[3] = __match_any_sync(live, v % 5);
    int same;
    o[4] = __match_all_sync(live, v / 100, &same) + unsigned(same);
    o[5] = unsigned(__reduce_add_sync(live, v));
    o[6] = unsigned(__reduce_min_sync(live, v) * 1000 + __reduce_max_sync(live, v));
    o[7] = __reduce_or_sync(live, unsigned(v)) ^ __reduce_and_sync(live, unsigned(v)) << 8 ^ __reduce_xor_sync(live, unsigned(v)) << 16;
    o[8] = o[9] = 0;
    unsigned odd = __ballot_sync(live, v & 1);
    if (v & 1) {
        o[8] = __ballot_sync(odd, v > 50);
        o[9] = unsigned(__popc(odd));
    }
}

__global__ void exchange(int *data) {
    __shared__ int s[1024];
    unsigned t = thread_rank(), first = t / 32 * 32, n = blockDim.x * blockDim.y * blockDim.z;
    unsigned live = live_lanes(), size = n - first < 32 ? n - first : 32;
    s[t] = data[global_rank()];
    __syncwarp(live);
    int v = s[first + (t - first + 1) % size];
    __syncwarp(live);
    s[t] = v * 2;
    __syncwarp(live);
    data[global_rank()] = s[first + (t - first + 1) % size];
}

int main() {
    each_shape([](dim3 block, unsigned n) {
        const unsigned total = 2 * n;
        Random random(n);
        std::vector<int> in(total), turned(total);
        std::vector<unsigned> want(total * KINDS);
        for (int &v : in) v = int(random.below(100));
        for (unsigned i = 0; i < total; i++) {
            unsigned t = i % n, first = i - t % 32, size = std::min(32u, n - t / 32 * 32), *o = &want[i * KINDS];
            unsigned ors = 0, ands = ~0u, xors = 0;
            int least = 1000, most = 0, sum = 0;
            o[2] = 1;
            for (unsigned l = 0; l < size; l++) {
                int v = in[first + l];
                unsigned bit = 1u << l;
                if (v > 50) o[0] |= bit;
                if (v > 97) o[1] = 1, o[2] = v >= 98 ? 0 : o[2];
                if (v % 5 == in[i] % 5) o[3] |= bit;
                o[4] |= bit;
                sum += v, least = std::min(least, v), most = std::max(most, v);
                ors |= unsigned(v), ands &= unsigned(v), xors ^= unsigned(v);
                if (in[i] & 1 && v & 1) o[8] |= v > 50 ? bit : 0, o[9]++;
            }
            o[4] += 1;
            o[5] = unsigned(sum), o[6] = unsigned(least * 1000 + most), o[7] = ors ^ ands << 8 ^ xors << 16;
            turned[i] = in[first + (t % 32 + 2) % size] * 2;
        }
        Buffer<int> din(in);
        Buffer<unsigned> out(want.size());
        vote<<<2, block>>>(din, out);
        SAME(out.get(), want);
        exchange<<<2, block>>>(din);
        SAME(din.get(), turned);
    });
    return finish();
}
