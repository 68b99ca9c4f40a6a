/* reduce_shuffle.c: by hand: the same sums, from vectors. */
#include "hand.h"

void reduce_shuffle_omp(const float *in, float *sums, int blocks) {
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        float total = 0;
#pragma omp simd reduction(+ : total)
        for (int i = 0; i < 256; i++) total += in[b * 256 + i];
        sums[b] = total;
    }
}

void reduce_shuffle_simd(const float *in, float *sums, int blocks) {
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        VF s[256 / VW];
        for (int i = 0; i < 256 / VW; i++) s[i] = loadf(in + b * 256 + i * VW);
        for (int w = 128 / VW; w > 0; w /= 2)
            for (int i = 0; i < w; i++) s[i] += s[i + w];
        sums[b] = sum(s[0]);
    }
}

/* Shape of the kernel: every warp adds its values at distances 16, 8 and so on.  A warp is 32 /
** VW vectors; below their width half of the lanes are not needed any more, so the warps in two
** vectors share one; so the partial sums come out as one vector. */
INLINE VF join(VF a, VF b, int d) {
    VF near, far;
    UNROLL for (int l = 0; l < VW; l++) {
        near[l] = l & d ? b[l - d] : a[l];
        far[l] = l & d ? b[l] : a[l + d];
    }
    return near + far;
}

void reduce_shuffle_shape(const float *in, float *sums, int blocks) {
    enum { WARPS = 8, LEFT = VW < WARPS ? WARPS / VW : 1 };
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        VF v[256 / VW], partial;
        memcpy(v, in + b * 256, sizeof v);
        UNROLL for (int w = 0; w < WARPS; w++) {
            VF *warp = v + w * 32 / VW;
            UNROLL for (int d = 16 / VW; d > 0; d /= 2) UNROLL for (int i = 0; i < d; i++)
                warp[i] += warp[i + d];
            v[w] = warp[0];
        }
        UNROLL for (int n = WARPS / 2; n >= LEFT; n /= 2) UNROLL for (int w = 0; w < n; w++) v[w] =
            join(v[w], v[w + n], n * VW / WARPS);
        if (VW > WARPS) v[0] += swapf(v[0], 1);
        partial = v[0];
        UNROLL for (int w = 1; w < LEFT; w++) partial += v[w];
        UNROLL for (int d = VW / 2; d > (VW > WARPS); d /= 2) partial += swapf(partial, d);
        sums[b] = partial[0];
    }
}
