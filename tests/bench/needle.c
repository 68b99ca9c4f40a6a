/* needle.c: by hand: the vector version holds three anti-diagonals of a tile in registers. */
#include "hand.h"

#define GAP 10

static int most(int a, int b) { return a > b ? a : b; }

static void tile(const int *score, const int *edge, int *out) {
    int s[17][17];
    for (int i = 0; i < 17; i++) s[0][i] = edge[i];
    for (int i = 1; i < 17; i++) s[i][0] = edge[16 + i];
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++)
            out[y * 16 + x] = s[y + 1][x + 1] =
                most(s[y][x] + score[y * 16 + x], most(s[y + 1][x] - GAP, s[y][x + 1] - GAP));
}

void needle_omp(const int *score, const int *border, int *out, int tiles) {
#pragma omp parallel for
    for (int b = 0; b < tiles; b++) tile(score + b * 256, border + b * 33, out + b * 256);
}

#if VW == 16
#define SHIFT(v, first)                                                                            \
    __builtin_shufflevector(seti(first), v, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, \
                            29, 30)

/* Lane y holds the value of row y on diagonal d, column d - y; to the left of the tile: the
** border. */
static void tile_simd(const int *score, const int *edge, int *out) {
    VI left = loadi(edge + 17), row = 15 * lanes(), y = lanes();
    VI last = left, before = SHIFT(left, edge[0]);
    for (int d = 0; d < 31; d++) {
        VI x = d - y, inside = (x >= 0) & (x < 16);
        VI w = (VI)_mm512_mask_i32gather_epi32(
            _mm512_setzero_si512(),
            _mm512_cmpneq_epi32_mask((__m512i)inside, _mm512_setzero_si512()), (__m512i)(row + d),
            score, 4);
        VI up = SHIFT(last, d < 16 ? edge[d + 1] : 0);
        VI next = maxi(before + w, maxi(last, up) - GAP);
        next = picki(x < 0, left, next);
        _mm512_mask_i32scatter_epi32(
            out, _mm512_cmpneq_epi32_mask((__m512i)inside, _mm512_setzero_si512()),
            (__m512i)(row + d), (__m512i)next, 4);
        before = up;
        last = next;
    }
}
void needle_simd(const int *score, const int *border, int *out, int tiles) {
#pragma omp parallel for
    for (int b = 0; b < tiles; b++) tile_simd(score + b * 256, border + b * 33, out + b * 256);
}

/* Shape of the kernel: scores and results in tiles in memory of the block, a vector of 16
** threads; what lane y reads of the tile is what it and the lane above computed in the last two
** steps. */
static void tile_shape(const int *score, const int *edge, int *out) {
    _Alignas(64) int s[17][17], w[16][16];
    memcpy(w, score, sizeof w);
    VI left = loadi(edge + 17), y = lanes(), last = left, before = SHIFT(left, edge[0]);
    memcpy(&s[0][1], edge + 1, 16 * sizeof *edge);
    UNROLL for (int d = 0; d < 31; d++) {
        VI x = d - y;
        __mmask16 inside = (__mmask16)(d < 16 ? (2 << d) - 1 : 0xffff << (d - 15));
        VI now = (VI)_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), inside,
                                                 (__m512i)(y * 16 + x), w, 4);
        VI up = SHIFT(last, d < 16 ? s[0][d + 1] : 0);
        VI next = maxi(before + now, maxi(last, up) - GAP);
        next = picki(x < 0, left, next);
        _mm512_mask_i32scatter_epi32(&s[1][1], inside, (__m512i)(y * 17 + x), (__m512i)next, 4);
        before = up;
        last = next;
    }
    for (int r = 0; r < 16; r++) memcpy(out + r * 16, &s[r + 1][1], 16 * sizeof *out);
}
void needle_shape(const int *score, const int *border, int *out, int tiles) {
#pragma omp parallel for
    for (int b = 0; b < tiles; b++) tile_shape(score + b * 256, border + b * 33, out + b * 256);
}
#else
void needle_shape(const int *score, const int *border, int *out, int tiles) {
    needle_omp(score, border, out, tiles);
}
void needle_simd(const int *score, const int *border, int *out, int tiles) {
    needle_omp(score, border, out, tiles);
}
#endif
