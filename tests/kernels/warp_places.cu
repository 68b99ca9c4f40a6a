// Lanes of a warp, or of a part of it, that call one function of the warp with one mask from several places of the program meet there: from both
// sides of a branch, one side behind the other, in nested branches, a switch, in loops that lanes leave at different times.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t.G -G
// RUN: %also { %cucpu -G --simd=32 --cpu=x86-64-v3 %s -o %t.v3 && %t.v3; }
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define ALL 0xffffffffu
enum { KINDS = 13, FORMS = 8 };

/* One function of each kind. */
static __device__ int call(int kind, unsigned mask, int v) {
    int same;
    switch (kind) {
    case 0: return __shfl_sync(mask, v, (v + 1) & 31);
    case 1: return __shfl_up_sync(mask, v, 1);
    case 2: return __shfl_down_sync(mask, v, 1);
    case 3: return __shfl_xor_sync(mask, v, 1);
    case 4: return int(__ballot_sync(mask, v % 5 == 0));
    case 5: return __any_sync(mask, v % 32 == 31);
    case 6: return __all_sync(mask, v % 32 < 30);
    case 7: return int(__match_any_sync(mask, v / 3));
    case 8: return int(__match_all_sync(mask, v / 64, &same)) + same;
    case 9: return int(__reduce_add_sync(mask, unsigned(v)));
    case 10: return __reduce_max_sync(mask, v);
    case 11: return int(__reduce_xor_sync(mask, unsigned(v)));
    default: return int(__reduce_or_sync(mask, unsigned(v)));
    }
}

/* All lanes of the warp call it once, in form 0 at one place. */
template <int FORM> __global__ void places(int *out, int kind, unsigned m) {
    int t = int(threadIdx.x), lane = t % 32, v = t, r = -1;
    switch (FORM) {
    case 0: r = call(kind, ALL, v); break;
    case 1: /* both sides */
        if (lane % 3 == 0) r = call(kind, ALL, v);
        else r = call(kind, ALL, v + 0);
        break;
    case 2: /* one side behind the other, as for those that write and those that read */
        if (lane < 16) r = call(kind, ALL, v);
        out[t] = lane;
        if (lane >= 16) r = call(kind, ALL, v);
        break;
    case 3: /* deeper */
        if (lane & 1) {
            if (lane & 2) r = call(kind, ALL, v);
            else out[t] = 5, r = call(kind, ALL, v);
        } else {
            r = call(kind, ALL, v);
        }
        break;
    case 4:
        switch (lane % 5) {
        case 0: r = call(kind, ALL, v); break;
        case 1: r = call(kind, ALL, v); break;
        case 2: out[t] = 1; /* falls through */
        case 3: r = call(kind, ALL, v); break;
        default: r = call(kind, ALL, v);
        }
        break;
    case 5: /* the mask is not known at compile time */
        if (lane % 3 == 0) r = call(kind, m, v);
        else r = call(kind, m, v);
        break;
    case 6: /* some by way of a return */
        if (lane < 7) {
            out[t] = call(kind, ALL, v);
            return;
        }
        r = call(kind, ALL, v);
        break;
    default: /* a side and what stands behind the branch */
        if (lane % 3 == 0) {
            r = call(kind, ALL, v);
            break;
        }
        out[t] = 3;
        r = call(kind, ALL, v);
    }
    out[t] = r;
}

template <int FORM> static void check_places(int *out) {
    std::vector<int> want;
    for (int kind = 0; kind < KINDS; kind++) {
        places<0><<<1, 64>>>(out, kind, ALL);
        CUDA(cudaDeviceSynchronize());
        want.assign(out, out + 64);
        places<FORM><<<1, 64>>>(out, kind, ALL);
        CUDA(cudaDeviceSynchronize());
        for (int t = 0; t < 64; t++)
            if (out[t] != want[size_t(t)] && failures++ < 8) std::printf("form %d, kind %d, thread %d: %d, want %d\n", FORM, kind, t, out[t], want[size_t(t)]);
    }
    if constexpr (FORM + 1 < FORMS) check_places<FORM + 1>(out);
}

/* Lanes go through a loop as often as their number says, and through another one for the rest. */
__global__ void loops(int *out) {
    int lane = int(threadIdx.x) % 32, v = lane, n = lane % 4;
    for (int k = 0; k < n; k++) v = __shfl_xor_sync(ALL, v, 1) * 3 + lane;
    for (int k = n; k < 5; k++) v = __shfl_xor_sync(ALL, v, 1) * 3 + lane;
    out[threadIdx.x] = v;
}
static std::vector<int> rounds() {
    std::vector<int> v(64), w(64);
    for (int t = 0; t < 64; t++) v[size_t(t)] = t % 32;
    for (int k = 0; k < 5; k++, v = w)
        for (int t = 0; t < 64; t++) w[size_t(t)] = v[size_t(t ^ 1)] * 3 + t % 32;
    return v;
}

/* In turns: each lane at one of two places in each round. */
__global__ void turns(int *out) {
    int lane = int(threadIdx.x) % 32, v = lane;
    for (int k = 0; k < 5; k++)
        if ((lane + k) % 3) v = __shfl_xor_sync(ALL, v, 1) * 3 + lane;
        else out[threadIdx.x] = v, v = __shfl_xor_sync(ALL, v, 1) * 3 + lane;
    out[threadIdx.x] = v;
}

template <int N> __global__ void tiles(int *out) {
    auto t = cg::tiled_partition<N>(cg::this_thread_block());
    int r = int(threadIdx.x), v = r * 3 + 1, bad = 0;
    if (t.thread_rank() + 1 < N && t.shfl_down(v, 1) != v + 3) bad = 1;
    else if (t.thread_rank() + 1 == N) (void)t.shfl_down(v, 1);
    out[r] = bad;
}

/* Tiles that go different ways, each as a whole. */
template <int N> __global__ void whole_tiles(int *out) {
    auto t = cg::tiled_partition<N>(cg::this_thread_block());
    int v = int(threadIdx.x), r;
    if (t.meta_group_rank() % 3 == 1) r = t.shfl_xor(v, 1) + 1;
    else if (t.any(v == 5)) r = t.shfl_xor(v, 1) + 2;
    else r = t.shfl(v, 0);
    out[v] = r;
}

int main() {
    int *out;
    CUDA(cudaMallocManaged(&out, 128 * sizeof(int)));
    check_places<1>(out);
    loops<<<1, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(std::vector<int>(out, out + 64) == rounds());
    turns<<<1, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    CHECK(std::vector<int>(out, out + 64) == rounds());
    tiles<32><<<1, 128>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 128; t++) CHECK(out[t] == 0);
    tiles<16><<<1, 128>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 128; t++) CHECK(out[t] == 0);
    tiles<4><<<1, 128>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 128; t++) CHECK(out[t] == 0);
    whole_tiles<8><<<1, 64>>>(out);
    CUDA(cudaDeviceSynchronize());
    for (int t = 0; t < 64; t++) CHECK(out[t] == (t / 8 % 3 == 1 ? (t ^ 1) + 1 : t / 8 == 0 ? (t ^ 1) + 2 : t / 8 * 8));
    return finish();
}
