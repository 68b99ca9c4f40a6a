/* lud.c: by hand: rows in vectors, the pivot row subtracted from those below it. */
#include "hand.h"

void lud_omp(const float *in, float *out, int tiles) {
#pragma omp parallel for
    for (int b = 0; b < tiles; b++) {
        float *s = out + b * 256;
        memcpy(s, in + b * 256, 256 * sizeof *s);
        for (int k = 0; k < 15; k++)
            for (int y = k + 1; y < 16; y++) {
                s[y * 16 + k] /= s[k * 16 + k];
                for (int x = k + 1; x < 16; x++) s[y * 16 + x] -= s[y * 16 + k] * s[k * 16 + x];
            }
    }
}

#if VW == 16
void lud_simd(const float *in, float *out, int tiles) {
#pragma omp parallel for
    for (int b = 0; b < tiles; b++) {
        float *s = out + b * 256;
        memcpy(s, in + b * 256, 256 * sizeof *s);
        for (int k = 0; k < 15; k++) {
            VF pivot = loadf(s + k * 16);
            VI right = lanes() > k, on = lanes() == k;
            for (int y = k + 1; y < 16; y++) {
                VF row = loadf(s + y * 16);
                float factor = s[y * 16 + k] / s[k * 16 + k];
                row = pickf(right, row - factor * pivot, row);
                storef(s + y * 16, pickf(on, setf(factor), row));
            }
        }
    }
}

/* Shape of the kernel: a tile in memory of the block, a vector of 16 threads; a step divides
** column k, then subtracts row k from the rows below.  Unrolled, so the tile may stay in
** registers. */
INLINE void lud_step(VF *s, int k) {
    VI right = lanes() > k, on = lanes() == k;
    float column[16];
    UNROLL for (int y = k + 1; y < 16; y++) column[y] = s[y][k] / s[k][k];
    UNROLL for (int y = k + 1; y < 16; y++) {
        VF factor = setf(column[y]);
        s[y] = pickf(on, factor, pickf(right, s[y] - factor * s[k], s[y]));
    }
}

void lud_shape(const float *in, float *out, int tiles) {
#pragma omp parallel for
    for (int b = 0; b < tiles; b++) {
        VF s[16];
        memcpy(s, in + b * 256, sizeof s);
        UNROLL for (int k = 0; k < 15; k++) lud_step(s, k);
        memcpy(out + b * 256, s, sizeof s);
    }
}
#else
void lud_shape(const float *in, float *out, int tiles) { lud_omp(in, out, tiles); }
void lud_simd(const float *in, float *out, int tiles) { lud_omp(in, out, tiles); }
#endif
