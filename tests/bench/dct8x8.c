/* dct8x8.c: by hand: a vector holds a row of VW / 8 neighbouring blocks. */
#include "hand.h"

static void transform(const float *in, const float *c, float *out, int n) {
    float t[8][8];
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) {
            t[y][x] = 0;
            for (int k = 0; k < 8; k++) t[y][x] += c[y * 8 + k] * in[k * n + x];
        }
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) {
            float sum = 0;
            for (int k = 0; k < 8; k++) sum += t[y][k] * c[x * 8 + k];
            out[y * n + x] = sum;
        }
}

void dct8x8_omp(const float *in, const float *c, float *out, int n) {
#pragma omp parallel for
    for (int y = 0; y < n; y += 8)
        for (int x = 0; x < n; x += 8) transform(in + y * n + x, c, out + y * n + x, n);
}

#if VW == 16
#define TERM(k) col[k] * __builtin_shufflevector(t, t, k, k, k, k, k, k, k, k, 8 + k, 8 + k, 8 + k, 8 + k, 8 + k, 8 + k, 8 + k, 8 + k)
void dct8x8_simd(const float *in, const float *c, float *out, int n) {
    VF col[8];
    for (int k = 0; k < 8; k++)
        for (int x = 0; x < VW; x++) col[k][x] = c[x % 8 * 8 + k];
#pragma omp parallel for
    for (int y = 0; y < n; y += 8)
        for (int x = 0; x < n; x += VW) {
            VF row[8];
            for (int k = 0; k < 8; k++) row[k] = loadf(in + (y + k) * n + x);
            for (int i = 0; i < 8; i++) {
                VF t = c[i * 8] * row[0];
                for (int k = 1; k < 8; k++) t += c[i * 8 + k] * row[k];
                VF s = TERM(0);
                s += TERM(1);
                s += TERM(2);
                s += TERM(3);
                s += TERM(4);
                s += TERM(5);
                s += TERM(6);
                s += TERM(7);
                storef(out + (y + i) * n + x, s);
            }
        }
}
#else
void dct8x8_simd(const float *in, const float *c, float *out, int n) { dct8x8_omp(in, c, out, n); }
#endif
