// Ranks by ballots and aggregated atomics: compaction by __popc(ballot & lanes before) with the leader's atomic, by
// __activemask and by coalesced groups; stores by fewer lanes, or others, than those of the mask; ranks used beside a
// store; indices that wrap before they are extended; elements of 1 to 16 bytes; counters of 32 and 64 bits; loops;
// partial warps; blocks whose rows are no warps; the destination is the source. Operands of atomics that all lanes
// share; atomics of a single lane.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %cucpu -O3 --cpu=x86-64-v3 %s -o %t.v3 && %run %t.v3
// RUN: %also { %cucpu -O1 --cpu=x86-64-v2 %s -o %t.v2 && %run %t.v2; }
// RUN: %also { %cucpu -G %s -o %t.g && %run %t.g; }
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <vector>
namespace cg = cooperative_groups;

__device__ int warp_lane() { return (threadIdx.x + blockDim.x * threadIdx.y) & 31; }
__device__ unsigned lanes_below(int form) {
    unsigned m;
    if (form == 0) return (1u << warp_lane()) - 1;
    if (form == 1) return ~(~0u << warp_lane());
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
    return m;
}
__device__ unsigned lanes_up_to() {
    unsigned m;
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(m));
    return m;
}
__host__ __device__ bool keep(int v) { return v % 3 == 1; }

/* FORM: of the mask of the lanes below. */
template <int FORM, class T, class C> __global__ void by_ballot(int n, const T *in, T *out, C *count) {
    int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    T v = i < n ? in[i] : T(0);
    bool p = keep((int)v);
    unsigned m = __ballot_sync(~0u, p);
    C base = 0;
    if (warp_lane() == 0) base = atomicAdd(count, (C)__popc(m));
    base = __shfl_sync(~0u, base, 0);
    if (p) out[base + __popc(m & lanes_below(FORM))] = v;
}
/* The first of the active lanes; all others have left. */
template <int FORM> __global__ void by_leader(int n, const int *in, int *out, int *count) {
    int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (i >= n || !keep(in[i])) return;
    unsigned m = __activemask();
    int leader = __ffs(m) - 1, base = -7;
    if (warp_lane() == leader) base = atomicAdd(count, __popc(m));
    base = __shfl_sync(m, base, leader);
    out[base + __popc(m & lanes_below(FORM))] = in[i];
}
__global__ void by_group(int n, const int *in, int *out, int *count) {
    int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (i >= n || !keep(in[i])) return;
    auto g = cg::coalesced_threads();
    int base;
    if (g.thread_rank() == 0) base = atomicAdd(count, g.size());
    out[g.shfl(base, 0) + g.thread_rank()] = in[i];
}
/* One warp; ranks are used by lanes that the mask has not, stores come from a part of its lanes, from others, from more. */
__global__ void others(const int *in, int *rank, int *upto, int *part, int *beside, int *more) {
    int lane = threadIdx.x, v = in[lane];
    unsigned m = __ballot_sync(~0u, v & 1);
    int before = __popc(m & ((1u << lane) - 1));
    rank[lane] = before;
    upto[lane] = __popc(m & lanes_up_to());
    if ((v & 1) && v % 5) part[before] = v;
    if (!(v & 1)) beside[lane - before] = v;
    if ((v & 1) || v % 5 == 0) more[2 * before + !(v & 1)] = v;
}
/* The index is computed in 32 bits, and may wrap among the lanes: ends of an array of 2^32 elements, and of one around 0. */
__global__ void wraps(const int *in, unsigned base, int *all, int *around) {
    int v = in[threadIdx.x];
    unsigned m = __ballot_sync(~0u, keep(v));
    if (!keep(v)) return;
    int before = __popc(m & ((1u << threadIdx.x) - 1));
    all[base + before] = v;
    around[(int)(base + before)] = -v;
}
/* A warp goes through an array, the destination is the source; up to and including the own lane, less one. */
__global__ void in_place(int n, int *a, int *count) {
    int done = 0;
    for (int i = threadIdx.x; i - (int)threadIdx.x < n; i += 32) {
        int v = i < n ? a[i] : 0;
        unsigned m = __ballot_sync(~0u, keep(v));
        if (keep(v)) a[done + __popc(m & lanes_up_to()) - 1] = v;
        done += __popc(m);
        __syncwarp();
    }
    if (threadIdx.x == 0) *count = done;
}
struct Pair { double a; int b, c; };
__global__ void sizes(const int *in, unsigned char *bytes, short *shorts, double *doubles, Pair *pairs, long long *count) {
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned m = __ballot_sync(~0u, keep(v));
    unsigned long long base = 0;
    if ((threadIdx.x & 31) == 5) base = atomicAdd((unsigned long long *)count, (unsigned long long)__popc(m));
    base = __shfl_sync(~0u, base, 5);
    if (!keep(v)) return;
    unsigned long long k = base + __popc(m & lanes_below(2));
    bytes[k] = (unsigned char)v, shorts[k] = (short)v, doubles[k] = v, pairs[k] = {v / 2., v, -v};
}
/* Operands that all lanes share, under masks; a leader with a second condition. */
__global__ void shared_operands(const int *in, int a, int *r, int *old) {
    int lane = threadIdx.x & 31, v = in[blockIdx.x * blockDim.x + threadIdx.x];
    int b = a + blockIdx.x;
    if (keep(v)) {
        atomicAdd(&r[0], b), atomicSub(&r[1], b), atomicXor(&r[2], b), atomicOr(&r[3], b);
        atomicAnd(&r[4], ~b), atomicMax(&r[5], b), atomicMin(&r[6], -b);
        atomicMax((unsigned *)&r[7], (unsigned)b);
        atomicAdd((unsigned long long *)&r[8], (unsigned long long)b << 20);
    }
    int mine = -1;
    if (lane == 3 && keep(v)) mine = atomicAdd(&r[10], b);
    int all = __shfl_sync(~0u, mine, 3), none = __shfl_sync(~0u, mine, 4);
    old[blockIdx.x * blockDim.x + threadIdx.x] = (all < 0 ? -1 : 1) * (none == -1);
    int each = lane == (v & 31) ? atomicSub(&r[11], b) : 0; /* several lanes, of which some */
    if (each > 0) atomicAdd(&r[12], 1);
}

/* One lane, some of the time: operands of its own, of other types, operations that do not combine. */
__global__ void single(const int *in, float *f, double *d, int *r, unsigned *u, int *old) {
    int lane = threadIdx.x & 31, i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    if (lane == 5 && keep(v)) atomicAdd(f, (float)v), atomicAdd(d, v * .5), atomicMax(&r[0], v), atomicAdd(&r[1], v);
    int o = -2;
    if (lane == 9) o = atomicExch(&r[2], v);
    if (keep(v) && lane == (blockIdx.x & 31)) atomicInc(u, 2u), o = atomicXor(&r[3], v);
    old[i] = o;
}

static int failures;
static void expect(bool good, const char *what, int n) {
    if (!good && failures++ < 10) printf("%s, %d: wrong\n", what, n);
}
template <class T> static T *memory(size_t n, T v) {
    T *p;
    cudaMallocManaged(&p, (n + 64) * sizeof *p);
    std::fill(p, p + n + 64, v);
    return p;
}
template <class T> static bool same(const T *have, std::vector<T> want, bool sorted) {
    std::vector<T> h(have, have + want.size());
    if (!sorted) std::sort(h.begin(), h.end()), std::sort(want.begin(), want.end());
    return h == want && have[want.size()] == T(-1);
}
static int value(int i, int seed) { return (int)(((unsigned)i * 2654435761u + seed * 40503u) >> 20); }

template <class T, class C> static void compact(int n, dim3 block, int seed) {
    int threads = block.x * block.y, blocks = (n + threads - 1) / threads;
    T *in = memory(n, T(0)), *out = memory(n, T(-1));
    C *count = memory(1, C(0));
    std::vector<T> want;
    for (int i = 0; i < n; i++) {
        in[i] = T(seed == 0 ? 1 : seed == 1 ? 3 : value(i, seed));
        if (in[i] == T(1) || (int)in[i] % 3 == 1) want.push_back(in[i]);
    }
    auto done = [&](const char *what) {
        cudaDeviceSynchronize();
        expect(*count == (C)want.size() && same(out, want, blocks == 1), what, n);
        std::fill(out, out + n, T(-1)), *count = 0;
    };
    by_ballot<0><<<blocks, block>>>(n, in, out, count), done("(1 << lane) - 1");
    by_ballot<1><<<blocks, block>>>(n, in, out, count), done("~(~0 << lane)");
    by_ballot<2><<<blocks, block>>>(n, in, out, count), done("lanemask_lt");
    if constexpr (sizeof(T) == 4 && sizeof(C) == 4 && T(1) / 2 == 0) {
        by_leader<0><<<blocks, block>>>(n, (int *)in, (int *)out, (int *)count), done("leader");
        by_leader<2><<<blocks, block>>>(n, (int *)in, (int *)out, (int *)count), done("leader, lanemask_lt");
        by_group<<<blocks, block>>>(n, (int *)in, (int *)out, (int *)count), done("coalesced");
    }
}

static void one_warp(int seed) {
    int *in = memory(32, 0), *rank = memory(32, -1), *upto = memory(32, -1), *part = memory(64, -1), *beside = memory(64, -1),
        *more = memory(128, -1), before = 0;
    for (int i = 0; i < 32; i++) in[i] = value(i, seed);
    std::vector<int> p(64, -1), b(64, -1);
    for (int i = 0; i < 32; before += in[i++] & 1) {
        int v = in[i];
        if ((v & 1) && v % 5) p[before] = v;
        if (!(v & 1)) b[i - before] = v;
    }
    others<<<1, 32>>>(in, rank, upto, part, beside, more);
    cudaDeviceSynchronize();
    for (int i = 0, k = 0; i < 32; i++) {
        expect(rank[i] == k, "rank", seed);
        k += in[i] & 1;
        expect(upto[i] == k, "up to", seed);
        if (in[i] & 1) expect(more[2 * k - 2] == in[i], "more", seed);
    }
    expect(std::equal(p.begin(), p.end(), part), "part", seed);
    expect(std::equal(b.begin(), b.end(), beside), "beside", seed);
    static int *all = (int *)mmap(NULL, 4ull << 32, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int *around = all + (1ull << 31), kept = 0;
    if (all == MAP_FAILED) return expect(false, "mmap", 0);
    for (unsigned start : {100u, 0x7ffffffdu, 0xfffffffdu, 0xffffff00u}) {
        kept = 0;
        wraps<<<1, 32>>>(in, start, all, around);
        cudaDeviceSynchronize();
        for (int i = 0; i < 32; i++) {
            if (!keep(in[i])) continue;
            unsigned at = start + kept++;
            /* the second array overlaps the first */
            expect((all[at] == in[i] || all[at] < 0) && around[(int)at] == -in[i], "wrap", seed + (int)start);
            all[at] = around[(int)at] = 0;
        }
        expect(!all[start + (unsigned)kept] && !around[(int)(start + (unsigned)kept)], "after the wrap", seed);
    }
    int n = 32 * 9 + seed % 32, *a = memory(n, -1), *count = memory(1, 0);
    std::vector<int> want;
    for (int i = 0; i < n; i++)
        if (keep(a[i] = value(i, seed))) want.push_back(a[i]);
    in_place<<<1, 32>>>(n, a, count);
    cudaDeviceSynchronize();
    expect(*count == (int)want.size() && std::equal(want.begin(), want.end(), a), "in place", seed);
}

static void kinds(int seed) {
    int n = 192, *in = memory(n, 0), *old = memory(n, 9), *r = memory(16, 0), a = 5 + seed;
    unsigned char *bytes = memory(n, (unsigned char)255);
    short *shorts = memory(n, short(-1));
    double *doubles = memory(n, -1.);
    Pair *pairs;
    long long *count = memory(1, 0ll);
    cudaMallocManaged(&pairs, n * sizeof *pairs);
    std::vector<double> want;
    int sum = 0, flips = 0, ors = 0, any[3] = {}, kept = 0, ten = 0, eleven = 0;
    for (int i = 0; i < n; i++) {
        in[i] = value(i, seed);
        int b = a + i / 64;
        if (i % 64 % 32 == (in[i] & 31)) eleven += b;
        if (!keep(in[i])) continue;
        want.push_back(in[i]), sum += b, flips ^= b, ors |= b, any[i / 64] = b, kept++;
        if (i % 32 == 3) ten += b;
    }
    sizes<<<3, 64>>>(in, bytes, shorts, doubles, pairs, count);
    r[4] = -1, r[11] = 1 << 20, r[7] = 0;
    shared_operands<<<3, 64>>>(in, a, r, old);
    cudaDeviceSynchronize();
    expect(*count == (long long)want.size() && same(doubles, want, false), "doubles", seed);
    for (int k = 0; k < *count; k++) {
        int v = (int)doubles[k];
        expect(bytes[k] == (unsigned char)v && shorts[k] == (short)v, "bytes and shorts", seed);
        expect(pairs[k].a == v / 2. && pairs[k].b == v && pairs[k].c == -v, "structures", seed);
    }
    expect(bytes[*count] == 255 && shorts[*count] == -1, "ends", seed);
    int most = std::max(any[0], std::max(any[1], any[2]));
    unsigned long long wide;
    memcpy(&wide, &r[8], 8);
    expect(r[0] == sum && r[1] == -sum && r[2] == flips && r[3] == ors && r[4] == ~ors && r[5] == most && r[6] == -most &&
               r[7] == most && wide == (unsigned long long)sum << 20,
           "operands", seed);
    expect(r[10] == ten && r[11] == (1 << 20) - eleven, "leaders", seed);
    for (int i = 0; i < n; i++) expect(old[i] == (keep(in[i / 32 * 32 + 3]) ? 1 : -1), "of the leader", seed);
}

static void singles(int seed) {
    int n = 5 * 64, *in = memory(n, 0), *r = memory(4, 0), *old = memory(n, 0), most = 0, sum = 0, bits = 0, counts = 0, swaps = 0;
    float *f = memory(1, 0.f);
    double *d = memory(1, 0.);
    unsigned *u = memory(1, 0u);
    for (int i = 0; i < n; i++) {
        int v = in[i] = value(i, seed), lane = i % 32;
        if (lane == 5 && keep(v)) most = std::max(most, v), sum += v;
        if (lane == i / 64 && keep(v)) bits ^= v, counts = counts == 2 ? 0 : counts + 1;
        if (lane == 9) swaps += v;
    }
    single<<<5, 64>>>(in, f, d, r, u, old);
    cudaDeviceSynchronize();
    expect(*f == (float)sum && *d == sum * .5 && r[0] == most && r[1] == sum && r[3] == bits && (int)*u == counts, "single", seed);
    swaps -= r[2];
    for (int i = 0; i < n; i++) {
        int lane = i % 32, other = lane == i / 64 && keep(in[i]);
        if (lane == 9 && !other) swaps -= old[i];
        if (lane != 9 && !other) expect(old[i] == -2, "of others", seed);
    }
    expect(swaps == 0, "exchanged", seed);
}

int main() {
    for (int seed = 0; seed < 4; seed++)
        for (int n : {1, 31, 33, 64, 1000, 2085}) {
            compact<int, int>(n, {64, 1, 1}, seed);
            compact<float, unsigned>(n, {96, 1, 1}, seed);
            compact<double, unsigned long long>(n, {128, 1, 1}, seed);
            compact<int, int>(n, {16, 8, 1}, seed);
            compact<long long, int>(n, {8, 12, 1}, seed);
        }
    for (int seed = 2; seed < 12; seed++) one_warp(seed), kinds(seed), singles(seed);
    if (cudaGetLastError() != cudaSuccess) failures++;
    if (!failures) printf("ok\n");
    return failures != 0;
}
