// Sides that one lane of a group takes: halos, results of a block, joined with other conditions, in loops, with
// values that join; at block shapes where the lane is in a tail, in another group, or does not exist.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %also { %cucpu --disable=scalarise_single_lane %s -o %t.off && %t.off; }
#include "check.h"

#define MOST 1024

__global__ void halo(const int *in, int *out, int n) {
    __shared__ int s[MOST + 2];
    int x = threadIdx.x, last = blockDim.x - 1, gx = blockIdx.x * blockDim.x + x;
    s[x + 1] = in[min(gx, n - 1)];
    if (x == 0) s[0] = in[max(gx - 1, 0)];
    if (x == last) s[x + 2] = in[min(gx + 1, n - 1)];
    __syncthreads();
    out[gx] = s[x] * 100 + s[x + 1] * 10 + s[x + 2];
}

/* The value of the one lane joins those of the others; the side has a loop of its own. */
__global__ void join(const int *in, int *out, int chosen, int n) {
    int t = thread_rank(), x = threadIdx.x, v = in[t], w = 3 * t;
    if (x == chosen && in[0] > n) {
        for (int i = 0; i < x + n; i++) v += in[(t + i) % MOST] * i;
        w = in[x] - t;
    }
    out[2 * t] = v;
    out[2 * t + 1] = w;
}

/* Within loops and within other conditions; several lanes of a block may be chosen, one per row. */
__global__ void nested(const int *in, int *out, int turns) {
    int t = thread_rank(), x = threadIdx.x, sum = 0;
    for (int i = 0; i < turns + (t & 3); i++) {
        if (t % 3 != 1) {
            sum += i;
            if (x == i) {
                out[t] = in[x + i];
                sum += in[(x * 5 + i) % MOST];
            }
        }
        switch (x) {
        case 2: sum ^= in[t]; break;
        case 5: sum += in[(t + x) % MOST]; break;
        case 7: sum -= 3;
        }
    }
    out[MOST + t] = sum;
}

/* Where the others do something else first: with loops, stores and values that join; the second side is one lane's too. */
__global__ void either(const int *in, int *out, int *low, int turns) {
    int t = thread_rank(), x = threadIdx.x, last = blockDim.x - 1, v = 0;
    for (int i = 0; i < turns; i++) {
        int w = i;
        if (in[t] % 4 == i) continue;
        if (x == i) {
            for (int k = 0; k < turns; k++) w += in[(t + k) % MOST];
            low[t] = w;
        } else if (x == last) {
            w = in[t + i];
            if (w & 1) low[t] = i;
        } else if (in[t] & 1) {
            for (int k = 0; k < in[t] % 7; k++) w ^= in[(x + k) % MOST];
        }
        v = v * 3 + w;
    }
    out[t] = v;
}

static int expect_either(const std::vector<int> &in, unsigned t, unsigned x, unsigned last, int turns, int *low) {
    int v = 0;
    for (int i = 0; i < turns; i++) {
        int w = i;
        if (in[t] % 4 == i) continue;
        if (int(x) == i) {
            for (int k = 0; k < turns; k++) w += in[(t + unsigned(k)) % MOST];
            *low = w;
        } else if (x == last) {
            w = in[t + unsigned(i)];
            if (w & 1) *low = i;
        } else if (in[t] & 1) {
            for (int k = 0; k < in[t] % 7; k++) w ^= in[(x + unsigned(k)) % MOST];
        }
        v = v * 3 + w;
    }
    return v;
}

static void check_halo(const std::vector<int> &in, unsigned threads) {
    unsigned blocks = 3, n = blocks * threads;
    Buffer<int> din(in), dout(n);
    halo<<<blocks, threads>>>(din, dout, int(n));
    std::vector<int> want(n);
    for (unsigned i = 0; i < n; i++) want[i] = in[i ? i - 1 : 0] * 100 + in[i] * 10 + in[i + 1 < n ? i + 1 : n - 1];
    SAME(dout.get(), want);
}

int main() {
    Random random(5);
    std::vector<int> in(3 * MOST);
    for (int &x : in) x = int(random.below(1000));
    in[0] = 10;
    Buffer<int> din(in);
    for (unsigned threads : {1u, 7u, 16u, 31u, 32u, 33u, 100u, 256u, 1000u}) check_halo(in, threads);
    each_shape([&](dim3 block, unsigned n) {
        for (int chosen : {0, 1, 15, 16, 31, 40, 999, -1})
            for (int k : {3, 12}) {
                Buffer<int> dout(2 * n);
                join<<<1, block>>>(din, dout, chosen, k);
                std::vector<int> want(2 * n);
                for (unsigned t = 0; t < n; t++) {
                    int x = int(t % block.x), v = in[t], w = int(3 * t);
                    if (x == chosen && in[0] > k) {
                        for (int i = 0; i < x + k; i++) v += in[(t + unsigned(i)) % MOST] * i;
                        w = in[unsigned(x)] - int(t);
                    }
                    want[2 * t] = v, want[2 * t + 1] = w;
                }
                SAME(dout.get(), want);
            }
        Buffer<int> dout(2 * MOST);
        nested<<<1, block>>>(din, dout, 20);
        std::vector<int> want(2 * MOST);
        for (unsigned t = 0; t < n; t++) {
            unsigned x = t % block.x;
            int sum = 0;
            for (unsigned i = 0; i < 20 + (t & 3); i++) {
                if (t % 3 != 1) {
                    sum += int(i);
                    if (x == i) want[t] = in[x + i], sum += in[(x * 5 + i) % MOST];
                }
                if (x == 2) sum ^= in[t];
                if (x == 5) sum += in[(t + x) % MOST];
                if (x == 7) sum -= 3;
            }
            want[MOST + t] = sum;
        }
        SAME(dout.get(), want);
        Buffer<int> deither(MOST), dlow(MOST);
        either<<<1, block>>>(din, deither, dlow, 6);
        std::vector<int> results(MOST), low(MOST);
        for (unsigned t = 0; t < n; t++) results[t] = expect_either(in, t, t % block.x, block.x - 1, 6, &low[t]);
        SAME(deither.get(), results);
        SAME(dlow.get(), low);
    });
    return finish();
}
