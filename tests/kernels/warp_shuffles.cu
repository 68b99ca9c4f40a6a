// __shfl_sync, up, down, xor: types, widths, warps whose last lanes do not exist.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

#define ALL 0xffffffffu
enum { KINDS = 9 };

__global__ void shuffle(int *out) {
    unsigned i = global_rank(), lane = thread_rank() % 32;
    int v = int(i * 7 + 3), *o = out + i * KINDS;
    unsigned n = blockDim.x * blockDim.y * blockDim.z, first = thread_rank() / 32 * 32;
    unsigned live = n - first < 32 ? (1u << (n - first)) - 1 : ALL;
    o[0] = __shfl_sync(live, v, 0);
    o[1] = __shfl_sync(live, v, int(lane / 2));
    o[2] = __shfl_up_sync(live, v, 1);
    o[3] = __shfl_up_sync(live, v, 3, 8);
    o[4] = __shfl_down_sync(live, v, 2) * (first + lane + 2 < n || lane + 2 > 31);
    o[5] = __shfl_down_sync(live, v, 1, 4) * (first + lane + 1 < n || lane % 4 == 3);
    o[6] = __shfl_xor_sync(live, v, 1) * ((thread_rank() ^ 1) < n);
    o[7] = __shfl_sync(live, v, 1, 2) * (first + lane / 2 * 2 + 1 < n);
    o[8] = int(__shfl_sync(live, double(v) * 0.5, 0) * 2) + int(__shfl_sync(live, (long long)v << 33, 0) >> 33);
}

__global__ void sum(const int *in, int *out) {
    unsigned n = blockDim.x * blockDim.y * blockDim.z, first = thread_rank() / 32 * 32;
    unsigned live = n - first < 32 ? (1u << (n - first)) - 1 : ALL;
    int v = in[global_rank()];
    for (int step = 16; step > 0; step /= 2) {
        int other = __shfl_down_sync(live, v, step);
        if (thread_rank() % 32 + step < 32 && thread_rank() + step < n) v += other;
    }
    out[global_rank()] = __shfl_sync(live, v, 0);
}

int main() {
    each_shape([](dim3 block, unsigned n) {
        const unsigned blocks = 2;
        std::vector<int> want(blocks * n * KINDS), in(blocks * n), sums(in.size());
        for (unsigned i = 0; i < blocks * n; i++) {
            unsigned t = i % n, lane = t % 32, first = t / 32 * 32, base = i - lane;
            auto value = [&](unsigned l) { return int((base + l) * 7 + 3); };
            auto exists = [&](unsigned l) { return first + l < n; };
            int *o = &want[i * KINDS];
            o[0] = value(0);
            o[1] = value(lane / 2);
            o[2] = value(lane ? lane - 1 : 0);
            o[3] = value(lane % 8 >= 3 ? lane - 3 : lane);
            o[4] = lane + 2 > 31 ? value(lane) : exists(lane + 2) ? value(lane + 2) : 0;
            o[5] = lane % 4 == 3 ? value(lane) : exists(lane + 1) ? value(lane + 1) : 0;
            o[6] = exists(lane ^ 1) ? value(lane ^ 1) : 0;
            o[7] = exists(lane / 2 * 2 + 1) ? value(lane / 2 * 2 + 1) : 0;
            o[8] = 2 * value(0);
            in[i] = int(i * i % 101);
        }
        for (unsigned i = 0; i < blocks * n; i++)
            for (unsigned t = i % n / 32 * 32; t < n && t < i % n / 32 * 32 + 32; t++) sums[i] += in[i / n * n + t];
        Buffer<int> out(want.size()), din(in), dsums(in.size());
        shuffle<<<blocks, block>>>(out);
        SAME(out.get(), want);
        sum<<<blocks, block>>>(din, dsums);
        SAME(dsums.get(), sums);
    });
    return finish();
}
