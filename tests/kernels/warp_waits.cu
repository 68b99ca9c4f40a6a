// Threads that wait for each other, in kernels that also use warp-level functions: locks, polling between
// lanes, between warps and between blocks, barriers in loops that lanes leave one by one.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

#define ALL 0xffffffffu

/* The critical section inside the loop that takes the lock, and behind it; then a sum of the warp. */
__global__ void locked(int *lock, int *sum, int *out) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *(volatile int *)sum = *(volatile int *)sum + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
    while (atomicExch(lock + 1, 1) != 0) {}
    *(volatile int *)(sum + 1) = *(volatile int *)(sum + 1) + 2;
    __threadfence();
    atomicExch(lock + 1, 0);
    int v = int(threadIdx.x);
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(ALL, v, d);
    out[global_rank()] = v;
}

/* Each lane waits for the lane above it. */
__global__ void chained(volatile int *flag, int *out) {
    unsigned i = global_rank(), lane = threadIdx.x % 32;
    int above = 0;
    if (lane < 31) {
        while (flag[i + 1] == 0) {}
        above = flag[i + 1];
    }
    __threadfence();
    flag[i] = above + 1;
    out[i] = int(__ballot_sync(ALL, above & 1));
}

/* Warp 0 polls, with all its lanes, for what the other warps of the block write later. */
__global__ void polling(int *out) {
    __shared__ volatile int flag[32];
    unsigned t = threadIdx.x;
    if (t < 32) flag[t] = 0;
    __syncthreads();
    if (t < 32) {
        int f;
        do {
            f = flag[t];
        } while (__any_sync(ALL, f == 0));
        out[block_rank() * 32 + t] = __reduce_add_sync(ALL, f);
    } else if (t < 64) {
        flag[t - 32] = int(t);
    }
}

/* Prefix sums over blocks with decoupled look-back: a warp looks at the 32 blocks in front of its own. */
struct Tile { volatile int state, sum, all; };
__global__ void lookback(Tile *tiles, int *next, const int *in, int *out) {
    __shared__ int tile, before, warps[8];
    unsigned t = threadIdx.x, lane = t % 32;
    if (t == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    int v = in[unsigned(tile) * blockDim.x + t], sum = v;
    for (unsigned d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(ALL, sum, d);
        if (lane >= d) sum += other;
    }
    if (lane == 31) warps[t / 32] = sum;
    __syncthreads();
    for (unsigned w = 0; w < t / 32; w++) sum += warps[w];
    if (t == blockDim.x - 1) {
        tiles[tile].sum = tiles[tile].all = sum;
        __threadfence();
        tiles[tile].state = tile == 0 ? 2 : 1;
        if (tile == 0) before = 0;
    }
    if (t < 32 && tile > 0) {
        int total = 0, at = tile - 1 - int(lane);
        for (bool more = true; more;) {
            int state, part;
            do {
                state = at >= 0 ? tiles[at].state : 2;
            } while (__any_sync(ALL, state == 0));
            __threadfence();
            part = at < 0 ? 0 : state == 2 ? tiles[at].all : tiles[at].sum;
            unsigned full = __ballot_sync(ALL, state == 2);
            int last = full ? __ffs(int(full)) - 1 : 31;
            total += __reduce_add_sync(ALL, int(lane) <= last ? part : 0);
            more = full == 0;
            at -= 32;
        }
        if (lane == 0) before = total;
    }
    __syncthreads();
    if (t == blockDim.x - 1 && tile > 0) {
        tiles[tile].all = before + sum; /* sum stays: others may have seen state 1 */
        __threadfence();
        tiles[tile].state = 2;
    }
    out[unsigned(tile) * blockDim.x + t] = before + sum;
}

/* Whole warps leave the loop at different times, and the others meet at a barrier in it. */
__global__ void leaving(const unsigned *trips, int *out) {
    unsigned lane = threadIdx.x % 32;
    int sum = 0;
    for (unsigned k = 0;; k++) {
        sum += __reduce_add_sync(ALL, int(lane + k));
        if (k >= trips[threadIdx.x]) break;
        __syncthreads();
    }
    out[global_rank()] = sum;
    atomicAdd(out + gridDim.x * blockDim.x, 1);
}

int main() {
    Buffer<int> lock(2), sum(2);
    Buffer<int> out(4096 + 1);
    locked<<<3, 64>>>(lock, sum, out);
    std::vector<int> s = sum.get(), o = out.get();
    CHECK(s[0] == 192);
    CHECK(s[1] == 384);
    for (unsigned i = 0; i < 192; i++) CHECK(o[i] == (i % 64 < 32 ? 496 : 1520));

    Buffer<int> flags(256);
    chained<<<2, 128>>>(flags, out);
    s = flags.get(), o = out.get();
    for (unsigned i = 0; i < 256; i++) CHECK(s[i] == int(32 - i % 32) && unsigned(o[i]) == 0x55555555u);

    polling<<<3, 96>>>(out);
    o = out.get();
    for (unsigned i = 0; i < 96; i++) CHECK(o[i] == 32 * 32 + 496);

    const unsigned tiles = 70, threads = 128;
    std::vector<int> in(tiles * threads);
    Random random(5);
    for (int &v : in) v = int(random.below(100)) - 40;
    Buffer<int> din(in), next(1), scanned(in.size());
    Buffer<Tile> state(tiles);
    lookback<<<tiles, threads>>>(state, next, din, scanned);
    o = scanned.get();
    int total = 0;
    for (unsigned i = 0; i < in.size(); i++) {
        total += in[i];
        CHECK(o[i] == total);
    }

    std::vector<unsigned> trips(128);
    for (unsigned i = 0; i < 128; i++) trips[i] = i / 32;
    Buffer<unsigned> dtrips(trips);
    Buffer<int> left(2 * 128 + 1);
    leaving<<<2, 128>>>(dtrips, left);
    o = left.get();
    for (unsigned i = 0; i < 256; i++) {
        int want = 0;
        for (int k = 0; k <= int(i % 128 / 32); k++) want += 496 + 32 * k;
        CHECK(o[i] == want);
    }
    CHECK(o[256] == 256);
    return finish();
}
