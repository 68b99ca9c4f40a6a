/* hotspot_pyramid.c: by hand: step after step over the grid; the vector version does all steps
** of 32 rows before it goes on, so that what is between stays in the cache.
**
** Shape of the kernel: blocks of 16 x 16, 12 apart, in memory of the block; every step computes
** t from s and then moves it to s.  Lanes whose neighbours are outside of the block get values
** that no lane written at the end depends on; at the border of the grid lanes and rows take
** themselves. */
#include <stdlib.h>
#include "hand.h"

static int within(int a, int low, int high) { return a < low ? low : a < high ? a : high - 1; }

static float cell(const float *up, const float *row, const float *down, float power, int x, int n) {
    float c = row[x], left = row[x > 0 ? x - 1 : 0], right = row[x < n - 1 ? x + 1 : x];
    float change =
        0.1f * (up[x] + down[x] - 2.0f * c) + 0.2f * (left + right - 2.0f * c) + 0.05f * (0.5f - c);
    return c + 0.3f * (power + change);
}

void hotspot_pyramid_omp(const float *in, const float *power, float *out, int n, int steps) {
    size_t bytes = (size_t)n * (size_t)n * sizeof *in;
    float *now = malloc(bytes);
    memcpy(now, in, bytes);
    for (int i = 0; i < steps; i++) {
#pragma omp parallel for
        for (int y = 0; y < n; y++) {
            const float *up = now + within(y - 1, 0, n) * n, *down = now + within(y + 1, 0, n) * n;
            for (int x = 0; x < n; x++)
                out[y * n + x] = cell(up, now + y * n, down, power[y * n + x], x, n);
        }
        if (i + 1 < steps) memcpy(now, out, bytes);
    }
    free(now);
}

INLINE VF cells(VF up, VF c, VF down, VF left, VF right, VF power) {
    VF change =
        0.1f * (up + down - 2.0f * c) + 0.2f * (left + right - 2.0f * c) + 0.05f * (0.5f - c);
    return c + 0.3f * (power + change);
}

static void line(const float *up, const float *row, const float *down, const float *power,
                 float *to, int n) {
    for (int x = 1; x < n - 1; x += VW) {
        if (x + VW > n - 1) x = n - 1 - VW;
        storef(to + x, cells(loadf(up + x), loadf(row + x), loadf(down + x), loadf(row + x - 1),
                             loadf(row + x + 1), loadf(power + x)));
    }
    to[0] = cell(up, row, down, power[0], 0, n);
    to[n - 1] = cell(up, row, down, power[n - 1], n - 1, n);
}

void hotspot_pyramid_simd(const float *in, const float *power, float *out, int n, int steps) {
    enum { BAND = 32 };
#pragma omp parallel for
    for (int first = 0; first < n; first += BAND) {
        size_t size = (size_t)(BAND + 2 * steps) * (size_t)n;
        float *memory = malloc(2 * size * sizeof *memory), *next = memory, *spare = memory + size;
        const float *now = in;
        int base = 0;
        for (int left = steps - 1; left >= 0; left--) {
            int low = within(first - left, 0, n), high = within(first + BAND + left, 0, n + 1);
            float *to = left ? next - low * n : out;
            const float *from = now - base * n;
            for (int y = low; y < high; y++)
                line(from + within(y - 1, 0, n) * n, from + y * n, from + within(y + 1, 0, n) * n,
                     power + y * n, to + y * n, n);
            now = next;
            base = low;
            next = spare;
            spare = (float *)now;
        }
        free(memory);
    }
}

#if VW == 16
/* The lanes from low to high, without high. */
INLINE __mmask16 between(int low, int high) { return (__mmask16)((1 << high) - (1 << low)); }

/* One step; left and right: the lanes of the neighbours; the first and the last row of the grid. */
INLINE void step(VF *s, const VF *p, VI left, VI right, int first, int last) {
    VF t[16];
    UNROLL for (int y = 1; y < 15; y++) {
        VF west = (VF)_mm512_permutexvar_ps((__m512i)left, (__m512)s[y]);
        VF east = (VF)_mm512_permutexvar_ps((__m512i)right, (__m512)s[y]);
        t[y] = cells(y == first ? s[y] : s[y - 1], s[y], y == last ? s[y] : s[y + 1], west, east,
                     p[y]);
    }
    UNROLL for (int y = 1; y < 15; y++) s[y] = t[y];
}

void hotspot_pyramid_shape(const float *in, const float *power, float *out, int n, int steps) {
#pragma omp parallel for
    for (int by = -steps; by < n - steps; by += 16 - 2 * steps)
        for (int bx = -steps; bx < n - steps; bx += 16 - 2 * steps) {
            VF s[16] = {0}, p[16] = {0};
            int low = by < 0 ? -by : 0, high = n - by < 16 ? n - by : 16,
                end = n - bx < 16 ? n - bx : 16;
            __mmask16 valid = between(bx < 0 ? -bx : 0, end);
            __mmask16 inner = between(steps, end < 16 - steps ? end : 16 - steps);
            const float *from = in + by * n + bx, *heat = power + by * n + bx;
            for (int y = low; y < high; y++) {
                s[y] = (VF)_mm512_maskz_loadu_ps(valid, from + y * n);
                p[y] = (VF)_mm512_maskz_loadu_ps(valid, heat + y * n);
            }
            VI left = lanes() + (bx + lanes() > 0), right = lanes() - (bx + lanes() < n - 1);
            for (int i = 0; i < steps; i++)
                if (by > 0 && by + 16 < n)
                    step(s, p, left, right, -1, -1);
                else
                    step(s, p, left, right, -by, n - 1 - by);
            for (int y = steps; y < high && y < 16 - steps; y++)
                _mm512_mask_storeu_ps(out + (by + y) * n + bx, inner, (__m512)s[y]);
        }
}
#else
void hotspot_pyramid_shape(const float *in, const float *power, float *out, int n, int steps) {
    hotspot_pyramid_omp(in, power, out, n, steps);
}
#endif
