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
#else
void lud_simd(const float *in, float *out, int tiles) { lud_omp(in, out, tiles); }
#endif
