/* pathfinder.c: by hand: row after row; the vector version in blocks with halo like the kernel. */
#include <stdlib.h>
#include "hand.h"

static int least(int a, int b) { return a < b ? a : b; }

void pathfinder_omp(const int *wall, const int *in, int *out, int n, int rows) {
    int *now = malloc((size_t)n * sizeof *now), *next = out;
    memcpy(now, in, (size_t)n * sizeof *now);
    for (int row = 0; row < rows; row++) {
#pragma omp parallel for
        for (int x = 0; x < n; x++) {
            int best = now[x];
            if (x > 0) best = least(best, now[x - 1]);
            if (x < n - 1) best = least(best, now[x + 1]);
            next[x] = best + wall[row * n + x];
        }
        memcpy(now, next, (size_t)n * sizeof *now);
    }
    free(now);
}

void pathfinder_simd(const int *wall, const int *in, int *out, int n, int rows) {
    enum { INNER = 512, EDGE = 16 };
#pragma omp parallel for
    for (int first = 0; first < n; first += INNER) {
        int a[INNER + 4 * EDGE], b[INNER + 4 * EDGE];
        int low = first - EDGE, high = first + INNER + EDGE;
        for (int x = low - EDGE; x < high + EDGE; x++)
            a[x - low + EDGE] = b[x - low + EDGE] = 1 << 29;
        if (low < 0) low = 0;
        if (high > n) high = n;
        int *now = a + 2 * EDGE - first, *next = b + 2 * EDGE - first;
        memcpy(now + low, in + low, (size_t)(high - low) * sizeof *in);
        for (int row = 0; row < rows; row++) {
            int x = low;
            for (; x + VW <= high; x += VW)
                storei(next + x,
                       mini(loadi(now + x), mini(loadi(now + x - 1), loadi(now + x + 1))) +
                           loadi(wall + row * n + x));
            for (; x < high; x++)
                next[x] = least(now[x], least(now[x - 1], now[x + 1])) + wall[row * n + x];
            int *swap = now;
            now = next;
            next = swap;
        }
        int end = least(first + INNER, n);
        memcpy(out + first, now + first, (size_t)(end - first) * sizeof *out);
    }
}

/* Shape of the kernel: blocks of 256 columns, neighbours 240 apart; every step computes t from s
** for the block and then moves it to s.  Columns whose neighbours are outside of the block get
** values that no column written at the end depends on.  Blocks at the border of the grid take
** the wall from a copy. */
enum { WIDTH = 256, BORDER = 1 << 29 };

INLINE void advance(int *s, const int *wall) {
    VI t[WIDTH / VW];
    VI before = loadi(s - VW), now = loadi(s);
    UNROLL for (int x = 0; x < WIDTH; x += VW) {
        VI next = loadi(s + x + VW);
        VI best = mini(now, mini(slidei(before, now, 1), slidei(now, next, VW - 1)));
        t[x / VW] = best + loadi(wall + x);
        before = now;
        now = next;
    }
    UNROLL for (int x = 0; x < WIDTH; x += VW) storei(s + x, t[x / VW]);
}

void pathfinder_shape(const int *wall, const int *in, int *out, int n, int rows) {
#pragma omp parallel for
    for (int first = 0; first < n; first += WIDTH - 2 * rows) {
        _Alignas(64) int memory[WIDTH + 2 * VW], *s = memory + VW;
        int low = first - rows, skip = low < 0 ? -low : 0;
        int end = n - low < WIDTH ? n - low : WIDTH, last = least(end, WIDTH - rows);
        s[-1] = s[WIDTH] = BORDER;
        if (skip == 0 && end == WIDTH) {
            memcpy(s, in + low, WIDTH * sizeof *s);
            for (int row = 0; row < rows; row++) advance(s, wall + row * n + low);
        } else {
            int copy[WIDTH] = {0};
            for (int x = 0; x < WIDTH; x++) s[x] = BORDER;
            memcpy(s + skip, in + low + skip, (size_t)(end - skip) * sizeof *s);
            for (int row = 0; row < rows; row++) {
                memcpy(copy + skip, wall + row * n + low + skip, (size_t)(end - skip) * sizeof *s);
                advance(s, copy);
                for (int x = 0; x < skip; x++) s[x] = BORDER;
                for (int x = end; x < WIDTH; x++) s[x] = BORDER;
            }
        }
        memcpy(out + first, s + rows, (size_t)(last - rows) * sizeof *s);
    }
}
