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
#define TERM(k)                                                                                    \
    col[k] * __builtin_shufflevector(t, t, k, k, k, k, k, k, k, k, 8 + k, 8 + k, 8 + k, 8 + k,     \
                                     8 + k, 8 + k, 8 + k, 8 + k)
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

/* Shape of the kernel: one block of 8 x 8 after the other, coefficients and values copied first,
** the product C * X goes through memory; a row is a vector of 8. */
typedef float V8 __attribute__((vector_size(32)));

INLINE void transpose8(const float (*c)[8], V8 *t) {
    V8 a[8], b[8];
    memcpy(a, c, sizeof a);
    UNROLL for (int i = 0; i < 8; i += 2) {
        b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    UNROLL for (int i = 0; i < 8; i++) if (!(i & 2)) {
        a[i] = __builtin_shufflevector(b[i], b[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        a[i + 2] = __builtin_shufflevector(b[i], b[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    UNROLL for (int i = 0; i < 4; i++) {
        t[i] = __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        t[i + 4] = __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/* A row of a product: row, a row on the left, times the rows on the right. */
INLINE V8 product(const float *row, const V8 *right) {
    V8 s = row[0] * right[0];
    UNROLL for (int k = 1; k < 8; k++) s += row[k] * right[k];
    return s;
}

void dct8x8_shape(const float *in, const float *c, float *out, int n) {
#pragma omp parallel for
    for (int y = 0; y < n; y += 8)
        for (int x = 0; x < n; x += 8) {
            _Alignas(64) float cs[8][8], a[8][8], b[8][8];
            V8 right[8];
            memcpy(cs, c, sizeof cs);
            for (int i = 0; i < 8; i++) memcpy(a[i], in + (y + i) * n + x, sizeof a[i]);
            memcpy(right, a, sizeof right);
            for (int i = 0; i < 8; i++) {
                V8 s = product(cs[i], right);
                memcpy(b[i], &s, sizeof s);
            }
            transpose8(cs, right);
            for (int i = 0; i < 8; i++) {
                V8 s = product(b[i], right);
                memcpy(out + (y + i) * n + x, &s, sizeof s);
            }
        }
}
