/* columns.c: by hand: a vector of columns; of each row of the image the vector is loaded once for each of the rows that it adds to. */
#include "hand.h"

enum { RADIUS = 8, TAPS = 2 * RADIUS + 1, STEPS = 8, ROWS = 8, TALL = (STEPS + 2) * ROWS };

void columns_omp(const float *in, const float *taps, float *out, int w, int h) {
#pragma omp parallel for
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float sum = 0;
            for (int k = 0; k < TAPS; k++) {
                int from = y + k - RADIUS;
                if (from >= 0 && from < h) sum += taps[k] * in[from * w + x];
            }
            out[y * w + x] = sum;
        }
}

/* Four rows of results at a time: a row of the image is loaded once for them. */
INLINE void four_rows(const float *in, const VF *tap, float *out, int x, int y, int w, int h) {
    VF sum[4] = {0};
    UNROLL for (int k = 0; k < TAPS + 3; k++) {
        int from = y + k - RADIUS;
        VF v = from >= 0 && from < h ? loadf(in + from * w + x) : setf(0);
        UNROLL for (int i = 0; i < 4; i++) if (k >= i && k - i < TAPS) sum[i] = fmav(tap[k - i], v, sum[i]);
    }
    UNROLL for (int i = 0; i < 4; i++) storef(out + (y + i) * w + x, sum[i]);
}

void columns_simd(const float *in, const float *taps, float *out, int w, int h) {
#pragma omp parallel for
    for (int y = 0; y < h; y += 4) {
        VF tap[TAPS];
        UNROLL for (int k = 0; k < TAPS; k++) tap[k] = setf(taps[k]);
        for (int x = 0; x < w; x += VW) four_rows(in, tap, out, x, y, w, h);
    }
}

/* Shape of the kernel: a tile of 16 columns, copied first; a row of the tile is a vector (or more of them). */
INLINE VF result(const float (*tile)[16], const float *taps, int y, int x) {
    VF sum = {0};
    UNROLL for (int k = 0; k < TAPS; k++) sum = fmav(setf(taps[k]), loadf(&tile[y + k - RADIUS][x]), sum);
    return sum;
}

void columns_shape(const float *in, const float *taps, float *out, int w, int h) {
#pragma omp parallel for collapse(2)
    for (int y = 0; y < h; y += STEPS * ROWS)
        for (int x = 0; x < w; x += 16) {
            _Alignas(64) float tile[TALL][16];
            for (int i = 0; i < TALL; i++) {
                int from = y - ROWS + i;
                if (from >= 0 && from < h)
                    memcpy(tile[i], in + from * w + x, sizeof tile[i]);
                else
                    memset(tile[i], 0, sizeof tile[i]);
            }
            for (int r = 0; r < ROWS; r++)
                for (int i = 1; i <= STEPS; i++)
                    for (int l = 0; l < 16; l += VW)
                        storef(out + (y - ROWS + i * ROWS + r) * w + x + l, result(tile, taps, i * ROWS + r, l));
        }
}
