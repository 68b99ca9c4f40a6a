// Which lanes take part: member masks, diverged callers, lanes that have returned, calls that meet from
// different places of the program, masks that shrink in a loop.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"
#include <functional>

#define ALL 0xffffffffu
enum { KINDS = 12 };

/* Halves, and quarters, of a warp call with masks of their own; whole warps only. */
__global__ void parts(const int *in, int *out) {
    unsigned i = global_rank(), lane = thread_rank() % 32;
    int v = in[i], *o = out + i * KINDS, r;
    if (lane < 16) r = __shfl_sync(0x0000ffffu, v, 3);
    else r = __shfl_sync(0xffff0000u, v, 20);
    o[0] = r;
    if (lane < 16) r = int(__ballot_sync(0xffffu, v & 1));
    else r = __reduce_add_sync(0xffff0000u, v);
    o[1] = r;
    unsigned quarter = 0xffu << lane / 8 * 8;
    int sum = v, trips = int(lane / 8) + 1;
    for (int k = 0; k < trips; k++) sum += __shfl_xor_sync(quarter, sum, 1 << k % 3);
    o[2] = sum;
    o[3] = __any_sync(quarter, v > 90);
    o[4] = __all_sync(quarter, v > 10);
    o[5] = int(__match_any_sync(quarter, v % 4));
    int same;
    o[6] = int(__match_all_sync(quarter, v / 50, &same)) * same;
    o[7] = __reduce_max_sync(quarter, v - 50) * 100 + __reduce_min_sync(quarter, v - 50);
    o[8] = int(__reduce_xor_sync(quarter, unsigned(v)) ^ __reduce_and_sync(quarter, unsigned(v) | 0xff00u));
    o[9] = int(__shfl_down_sync(quarter, (long long)v << 20, 1, 8) >> 20);
    o[10] = o[11] = 0;
}

/* All lanes of the warp meet, but each half calls from its own place. */
__global__ void places(const int *in, int *out) {
    __shared__ int s[1024];
    unsigned t = thread_rank(), i = global_rank(), lane = t % 32;
    int v = in[i], *o = out + i * KINDS, r;
    if (lane < 16) r = __shfl_sync(ALL, v, int(lane) + 16);
    else r = __shfl_sync(ALL, v * 2, int(lane) - 16);
    o[0] = r;
    if (v & 1) r = int(__ballot_sync(ALL, v > 50));
    else r = ~int(__ballot_sync(ALL, v > 70));
    o[1] = r;
    if (lane % 3 == 0) {
        s[t] = v;
        __syncwarp();
        r = s[t ^ 1] + 1;
        __syncwarp();
    } else {
        s[t] = v * 3;
        __syncwarp();
        r = s[t ^ 1];
        __syncwarp();
    }
    o[2] = r;
    /* one half writes, the other reads what it has written */
    if (lane < 16) {
        s[t] = v * 5;
        __syncwarp();
        r = 0;
    } else {
        __syncwarp();
        r = s[t - 16];
    }
    o[3] = r;
    for (int k = 4; k < KINDS; k++) o[k] = 0;
}

/* Lanes that have returned do not take part, nor do lanes that never were. */
__global__ void gone(const int *in, int *out, int most) {
    unsigned i = global_rank();
    int v = in[i], *o = out + i * KINDS;
    for (int k = 0; k < KINDS; k++) o[k] = 0;
    if (v > most) return;
    o[0] = int(__ballot_sync(ALL, v & 1));
    o[1] = __all_sync(ALL, v <= most);
    o[2] = __reduce_add_sync(ALL, v);
    __syncwarp();
    o[3] = int(__match_any_sync(ALL, v % 3));
    o[4] = int(__activemask());
}

/* The mask loses lanes as they leave the loop. */
__global__ void shrinking(const int *in, int *out) {
    unsigned i = global_rank(), n = blockDim.x * blockDim.y * blockDim.z, first = thread_rank() / 32 * 32;
    unsigned mask = n - first < 32 ? (1u << (n - first)) - 1 : ALL;
    int v = in[i] % 7, sum = 0, rounds = 0;
    for (;;) {
        mask = __ballot_sync(mask, v > 0);
        if (v <= 0) break;
        sum += __reduce_add_sync(mask, v) + __popc(__ballot_sync(mask, v & 1));
        rounds++;
        v--;
    }
    int *o = out + i * KINDS;
    for (int k = 0; k < KINDS; k++) o[k] = 0;
    o[0] = sum;
    o[1] = rounds;
}

/* Forms without _sync: with those who are at the same place. */
__global__ void legacy(const int *in, int *out) {
    unsigned i = global_rank();
    int v = in[i], *o = out + i * KINDS;
    for (int k = 0; k < KINDS; k++) o[k] = 0;
    o[0] = __any(v > 97);
    o[1] = __all(v >= 0);
    o[2] = __shfl(v, 0);
    if (v & 1) {
        unsigned here = __activemask();
        o[3] = __popc(here);
        o[4] = int(__ballot(v > 50));
    } else {
        o[3] = 100 + __popc(__activemask());
    }
    int left = v % 5;
    while (left > 0) left--;
    o[5] = __popc(__activemask()); /* behind a loop: together again */
}

/* ---- reference ---- */

using Lanes = std::vector<int>;
typedef std::function<void(const Lanes &v, unsigned lane, int *o)> Reference;

static void check(const char *what, dim3 block, unsigned n, Reference want_of, const std::vector<int> &in, const std::vector<int> &got) {
    std::vector<int> want(got.size());
    for (unsigned i = 0; i < in.size(); i++) {
        unsigned t = i % n, first = i - t % 32, size = n - t / 32 * 32 < 32 ? n - t / 32 * 32 : 32;
        want_of(Lanes(in.begin() + first, in.begin() + first + size), t % 32, &want[i * KINDS]);
    }
    int before = failures;
    SAME(got, want);
    if (failures > before) std::printf("... in %s, block %ux%ux%u\n", what, block.x, block.y, block.z);
}

static unsigned bits(const Lanes &v, unsigned of, std::function<bool(int)> yes) {
    unsigned r = 0;
    for (unsigned l = 0; l < v.size(); l++)
        if (of >> l & 1 && yes(v[l])) r |= 1u << l;
    return r;
}

static void want_parts(const Lanes &v, unsigned lane, int *o) {
    o[0] = lane < 16 ? v[3] : v[20];
    for (unsigned l = 16; l < 32; l++) o[1] += v[l];
    if (lane < 16) o[1] = int(bits(v, 0xffff, [](int x) { return x & 1; }));
    unsigned q = lane / 8 * 8, quarter = 0xffu << q;
    Lanes sum = v;
    for (unsigned k = 0; k < lane / 8 + 1; k++) {
        Lanes old = sum;
        for (unsigned l = q; l < q + 8; l++) sum[l] += old[l ^ 1u << k % 3];
    }
    o[2] = sum[lane];
    o[3] = bits(v, quarter, [](int x) { return x > 90; }) != 0;
    o[4] = bits(v, quarter, [](int x) { return x > 10; }) == quarter;
    o[5] = int(bits(v, quarter, [&](int x) { return x % 4 == v[lane] % 4; }));
    o[6] = bits(v, quarter, [&](int x) { return x / 50 == v[lane] / 50; }) == quarter ? int(quarter) : 0;
    int most = -100, least = 100, x = 0, a = -1;
    for (unsigned l = q; l < q + 8; l++)
        most = std::max(most, v[l] - 50), least = std::min(least, v[l] - 50), x ^= v[l], a &= v[l] | 0xff00;
    o[7] = most * 100 + least;
    o[8] = x ^ a;
    o[9] = lane % 8 == 7 ? v[lane] : v[lane + 1];
}

static void want_places(const Lanes &v, unsigned lane, int *o) {
    o[0] = lane < 16 ? v[lane + 16] * 2 : v[lane - 16];
    unsigned high = bits(v, ALL, [](int x) { return x & 1 ? x > 50 : x > 70; });
    o[1] = v[lane] & 1 ? int(high) : ~int(high);
    o[2] = (lane ^ 1) % 3 == 0 ? v[lane ^ 1] : v[lane ^ 1] * 3;
    if (lane % 3 == 0) o[2]++;
    o[3] = lane < 16 ? 0 : v[lane - 16] * 5;
}

static void want_gone(const Lanes &v, unsigned lane, int *o, int limit) {
    if (v[lane] > limit) return;
    auto in = [&](int x) { return x <= limit; };
    o[0] = int(bits(v, ALL, [&](int x) { return in(x) && x & 1; }));
    o[1] = 1;
    for (int x : v) o[2] += in(x) ? x : 0;
    o[3] = int(bits(v, ALL, [&](int x) { return in(x) && x % 3 == v[lane] % 3; }));
    o[4] = int(bits(v, ALL, in));
}

static void want_shrinking(const Lanes &v, unsigned lane, int *o) {
    for (int k = 0; k < v[lane] % 7; k++) {
        for (int x : v)
            if (x % 7 - k > 0) o[0] += x % 7 - k + ((x % 7 - k) & 1);
        o[1]++;
    }
}

static void want_legacy(const Lanes &v, unsigned lane, int *o) {
    o[0] = bits(v, ALL, [](int x) { return x > 97; }) != 0;
    o[1] = 1;
    o[2] = v[0];
    int odd = __builtin_popcount(bits(v, ALL, [](int x) { return x & 1; }));
    o[3] = v[lane] & 1 ? odd : 100 + int(v.size()) - odd;
    if (v[lane] & 1) o[4] = int(bits(v, ALL, [](int x) { return x & 1 && x > 50; }));
    o[5] = int(v.size());
}

int main() {
    each_shape([](dim3 block, unsigned n) {
        const unsigned total = 2 * n;
        Random random(n);
        std::vector<int> in(total);
        for (int &v : in) v = int(random.below(100));
        Buffer<int> din(in), out(total * KINDS);
        if (n % 32 == 0) {
            parts<<<2, block>>>(din, out);
            check("parts", block, n, want_parts, in, out.get());
            places<<<2, block>>>(din, out);
            check("places", block, n, want_places, in, out.get());
        }
        for (int limit : {99, 60, 5}) {
            gone<<<2, block>>>(din, out, limit);
            check("gone", block, n, [=](const Lanes &v, unsigned l, int *o) { want_gone(v, l, o, limit); }, in, out.get());
        }
        shrinking<<<2, block>>>(din, out);
        check("shrinking", block, n, want_shrinking, in, out.get());
        legacy<<<2, block>>>(din, out);
        check("legacy", block, n, want_legacy, in, out.get());
    });
    return finish();
}
