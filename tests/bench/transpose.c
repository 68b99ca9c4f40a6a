/* transpose.c: by hand: blocks of VW x VW values in registers; each step swaps halves of pairs. */
#include "hand.h"

void transpose_omp(const float *in, float *out, int n) {
#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) out[y * n + x] = in[x * n + y];
}

#if VW == 16
INLINE void block(const float *in, int from, float *out, int to) {
    VF v[16], w[16];
    for (int i = 0; i < 16; i++) v[i] = loadf(in + i * from);
#define PAIRS(a, b, d, lo, hi)                                                                     \
    for (int i = 0; i < 16; i++)                                                                   \
        if (!(i & d)) {                                                                            \
            b[i] = __builtin_shufflevector(a[i], a[i + d], lo);                                    \
            b[i + d] = __builtin_shufflevector(a[i], a[i + d], hi);                                \
        }
#define LIST(...) __VA_ARGS__
    PAIRS(v, w, 8, LIST(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
          LIST(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
    PAIRS(w, v, 4, LIST(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),
          LIST(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31))
    PAIRS(v, w, 2, LIST(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),
          LIST(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31))
    PAIRS(w, v, 1, LIST(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),
          LIST(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31))
    for (int i = 0; i < 16; i++) storef(out + i * to, v[i]);
}
#else
INLINE void block(const float *in, int from, float *out, int to) {
    for (int y = 0; y < VW; y++)
        for (int x = 0; x < VW; x++) out[y * to + x] = in[x * from + y];
}
#endif

void transpose_simd(const float *in, float *out, int n) {
#pragma omp parallel for
    for (int y = 0; y < n; y += VW)
        for (int x = 0; x < n; x += VW) block(in + y * n + x, n, out + x * n + y, n);
}

/* Shape of the kernel: a tile of 32 x 33 in memory of the block, written by rows, read by
** columns. */
void transpose_shape(const float *in, float *out, int n) {
#pragma omp parallel for
    for (int y = 0; y < n; y += 32)
        for (int x = 0; x < n; x += 32) {
            float tile[32][33];
            for (int i = 0; i < 32; i++) memcpy(tile[i], in + (y + i) * n + x, 32 * sizeof *in);
            for (int i = 0; i < 32; i += VW)
                for (int j = 0; j < 32; j += VW)
                    block(&tile[j][i], 33, out + (x + i) * n + y + j, n);
        }
}
