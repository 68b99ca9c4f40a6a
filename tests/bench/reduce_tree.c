/* reduce_tree.c: by hand: the same sums; the first halvings are additions of vectors. */
#include "hand.h"

void reduce_tree_omp(const float *in, float *sums, int blocks) {
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        float total = 0;
#pragma omp simd reduction(+ : total)
        for (int i = 0; i < 256; i++) total += in[b * 256 + i];
        sums[b] = total;
    }
}

void reduce_tree_simd(const float *in, float *sums, int blocks) {
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        VF s[256 / VW];
        for (int i = 0; i < 256 / VW; i++) s[i] = loadf(in + b * 256 + i * VW);
        for (int w = 128 / VW; w > 0; w /= 2)
            for (int i = 0; i < w; i++) s[i] += s[i + w];
        sums[b] = sum(s[0]);
    }
}

/* Shape of the kernel: 256 values in memory of the block, halved step by step; lanes above the step
** add what nobody reads. */
void reduce_tree_shape(const float *in, float *sums, int blocks) {
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        _Alignas(64) float s[256];
        memcpy(s, in + b * 256, sizeof s);
        UNROLL for (int w = 128; w >= VW; w /= 2) UNROLL for (int t = 0; t < w; t += VW)
            storef(s + t, loadf(s + t) + loadf(s + t + w));
        UNROLL for (int w = VW / 2; w > 0; w /= 2) storef(s, loadf(s) + swapf(loadf(s), w));
        sums[b] = s[0];
    }
}
