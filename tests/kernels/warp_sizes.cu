// Warp sizes other than 32.  Masks have 32 bits: warps of 64 lanes have only the one that names all.
// REQUIRES: run
// RUN: for n in 4 8 16 64; do for w in 1 $n; do %cucpu --warp-size=$n --simd=$w -DWARP=$n %s -o %t && %run %t || exit 1; done; done
// RUN: not %cucpu --warp-size=64 -DWARP=64 -DMASKS %s -o %t 2>&1 | FileCheck --check-prefix=REFUSED %s
// REFUSED: a mask of 32 bits cannot hold the lanes of a warp of 64
#include "check.h"

#define ALL 0xffffffffu
enum { KINDS = 10 };

__global__ void functions(const int *in, int *out) {
    unsigned i = global_rank(), lane = thread_rank() % WARP;
    int v = in[i], *o = out + i * KINDS, sum = v;
    for (int d = WARP / 2; d > 0; d /= 2) sum += __shfl_down_sync(ALL, sum, d);
    o[0] = __shfl_sync(ALL, sum, 0);
    o[1] = __shfl_up_sync(ALL, v, 1);
    o[2] = __shfl_xor_sync(ALL, v, WARP / 2);
    o[3] = __shfl_sync(ALL, v, int(lane) + 1, WARP / 2);
    o[4] = __any_sync(ALL, v > 97);
    o[5] = __all_sync(ALL, v > 1);
    o[6] = __reduce_max_sync(ALL, v);
    o[7] = warpSize;
    o[8] = o[9] = 0;
#if WARP <= 32 || defined MASKS
    unsigned full = __ballot_sync(ALL, v & 1);
    o[8] = int(full);
    if (lane < WARP / 2) o[9] = __popc(__match_any_sync((1u << WARP / 2) - 1, v & 3));
    else o[9] = -__reduce_add_sync(((1u << WARP / 2) - 1) << WARP / 2, v);
#endif
}

int main() {
    for (dim3 block : {dim3(128), dim3(16, 16), dim3(256), dim3(4, 4, 8)}) {
        unsigned n = volume(block), total = 2 * n;
        Random random(n);
        std::vector<int> in(total), want(total * KINDS);
        for (int &v : in) v = int(random.below(100));
        for (unsigned i = 0; i < total; i++) {
            unsigned lane = i % WARP;
            int *o = &want[i * KINDS], *w = &in[i - lane];
            o[1] = w[lane ? lane - 1 : 0];
            o[2] = w[lane ^ WARP / 2];
            o[3] = w[lane / (WARP / 2) * (WARP / 2) + (lane + 1) % (WARP / 2)];
            o[5] = 1;
            o[7] = WARP;
            for (unsigned l = 0; l < WARP; l++) {
                o[0] += w[l], o[4] |= w[l] > 97, o[5] &= w[l] > 1, o[6] = std::max(o[6], w[l]);
                if (WARP > 32) continue;
                o[8] |= int(unsigned(w[l] & 1) << l % 32);
                if (lane < WARP / 2) o[9] += l < WARP / 2 && (w[l] & 3) == (w[lane] & 3);
                else o[9] -= l < WARP / 2 ? 0 : w[l];
            }
        }
        Buffer<int> din(in), out(want.size());
        functions<<<2, block>>>(din, out);
        SAME(out.get(), want);
    }
    return finish();
}
