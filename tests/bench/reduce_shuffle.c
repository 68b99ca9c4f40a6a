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
