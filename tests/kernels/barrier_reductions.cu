// __syncthreads_count, __syncthreads_and, __syncthreads_or.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

__global__ void reduce(const int *in, int *out) {
    int v = in[global_rank()];
    int count = __syncthreads_count(v > 0);
    int all = __syncthreads_and(v < 900);
    int any = __syncthreads_or(v > 990);
    out[global_rank()] = count * 4 + (all != 0) * 2 + (any != 0);
}

__global__ void until_sorted(int *data, int *rounds) {
    __shared__ int s[1024];
    unsigned t = thread_rank(), n = blockDim.x * blockDim.y * blockDim.z;
    s[t] = data[t];
    int round = 0, swapped;
    do {
        swapped = 0;
        for (unsigned phase = 0; phase < 2; phase++) {
            __syncthreads();
            if (t % 2 == phase && t + 1 < n && s[t] > s[t + 1]) {
                int x = s[t];
                s[t] = s[t + 1], s[t + 1] = x;
                swapped = 1;
            }
        }
        round++;
    } while (__syncthreads_or(swapped));
    data[t] = s[t];
    if (t == 0) *rounds = round;
}

int main() {
    each_shape([](dim3 block, unsigned n) {
        Random random(n);
        const unsigned blocks = 5;
        std::vector<int> in(blocks * n), want(in.size());
        for (int &x : in) x = int(random.below(1000)) - int(random.below(3)) * 200;
        for (unsigned b = 0; b < blocks; b++) {
            int count = 0, all = 1, any = 0;
            for (unsigned t = 0; t < n; t++) {
                int v = in[b * n + t];
                count += v > 0, all &= v < 900, any |= v > 990;
            }
            for (unsigned t = 0; t < n; t++) want[b * n + t] = count * 4 + all * 2 + any;
        }
        Buffer<int> din(in), out(in.size());
        reduce<<<blocks, block>>>(din, out);
        SAME(out.get(), want);
        if (n > 256) return;
        Buffer<int> rounds(1);
        until_sorted<<<1, block>>>(din, rounds);
        auto sorted = din.get();
        long sum = 0, before = 0;
        for (unsigned t = 0; t < n; t++) sum += sorted[t], before += in[t];
        for (unsigned t = 1; t < n; t++) CHECK(sorted[t - 1] <= sorted[t]);
        CHECK(sum == before);
        CHECK(rounds.get()[0] >= 1 && rounds.get()[0] <= int(n) + 1);
    });
    return finish();
}
