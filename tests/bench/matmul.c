/* matmul.c: by hand: rows as sums of rows; registers hold 8 rows of 2 vectors.
**
** Shape of the kernel: blocks of TILE x TILE, a loop over tiles of A and B that are copied first;
** each row of the block adds into registers, several rows in a turn share what they load of B. */
#include "hand.h"
#ifndef TILE
#define TILE 16
#endif

void matmul_omp(const float *a, const float *b, float *c, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) c[i * n + j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

void matmul_simd(const float *a, const float *b, float *c, int n) {
    enum { ROWS = 8 };
#pragma omp parallel for
    for (int i = 0; i < n; i += ROWS)
        for (int j = 0; j < n; j += 2 * VW) {
            VF low[ROWS] = {0}, high[ROWS] = {0};
            for (int k = 0; k < n; k++) {
                VF b0 = loadf(&b[k * n + j]), b1 = loadf(&b[k * n + j + VW]);
                for (int r = 0; r < ROWS; r++) {
                    VF x = setf(a[(i + r) * n + k]);
                    low[r] += x * b0;
                    high[r] += x * b1;
                }
            }
            for (int r = 0; r < ROWS; r++) {
                storef(&c[(i + r) * n + j], low[r]);
                storef(&c[(i + r) * n + j + VW], high[r]);
            }
        }
}

enum { COLS = TILE / VW, SUMS = VW == 16 ? 16 : 8, TURN = SUMS / COLS };

INLINE void copy(const float *from, long pitch, float (*tile)[TILE]) {
#pragma clang loop unroll_count(4)
    for (int y = 0; y < TILE; y++, from += pitch)
        UNROLL for (int x = 0; x < TILE; x += VW) storef(&tile[y][x], loadf(from + x));
}

/* TURN rows of the block and one pair of tiles. */
INLINE void multiply(const float (*a)[TILE], const float (*b)[TILE], VF (*sum)[COLS]) {
    VF s[TURN][COLS];
    memcpy(s, sum, sizeof s);
    for (int i = 0; i < TILE; i++) {
        VF row[COLS];
        UNROLL for (int c = 0; c < COLS; c++) row[c] = loadf(&b[i][c * VW]);
        UNROLL for (int r = 0; r < TURN; r++) {
            VF x = setf(a[r][i]);
            UNROLL for (int c = 0; c < COLS; c++) s[r][c] += x * row[c];
        }
    }
    memcpy(sum, s, sizeof s);
}

void matmul_shape(const float *a, const float *b, float *c, int n) {
#pragma omp parallel for
    for (int y = 0; y < n; y += TILE)
        for (int x = 0; x < n; x += TILE) {
            _Alignas(64) float as[TILE][TILE], bs[TILE][TILE];
            VF sum[TILE][COLS] = {0};
            for (int k = 0; k < n; k += TILE) {
                copy(a + y * n + k, n, as);
                copy(b + k * n + x, n, bs);
                for (int r = 0; r < TILE; r += TURN) multiply(as + r, bs, sum + r);
            }
            for (int r = 0; r < TILE; r++) memcpy(c + (y + r) * n + x, sum[r], sizeof sum[r]);
        }
}
