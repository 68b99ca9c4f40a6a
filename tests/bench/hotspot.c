/* hotspot.c: by hand; the vector version peels the columns at the border. */
#include "hand.h"

static float cell(const float *in, const float *power, int x, int y, int n) {
    int left = x > 0 ? x - 1 : 0, right = x < n - 1 ? x + 1 : n - 1;
    int up = y > 0 ? y - 1 : 0, down = y < n - 1 ? y + 1 : n - 1;
    float c = in[y * n + x];
    float change = 0.1f * (in[up * n + x] + in[down * n + x] - 2.0f * c) +
                   0.2f * (in[y * n + left] + in[y * n + right] - 2.0f * c) + 0.05f * (0.5f - c);
    return c + 0.3f * (power[y * n + x] + change);
}

void hotspot_omp(const float *in, const float *power, float *out, int n) {
#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) out[y * n + x] = cell(in, power, x, y, n);
}

void hotspot_simd(const float *in, const float *power, float *out, int n) {
#pragma omp parallel for
    for (int y = 0; y < n; y++) {
        const float *row = in + y * n, *up = y > 0 ? row - n : row,
                    *down = y < n - 1 ? row + n : row;
        for (int x = 1; x < n - 1; x += VW) {
            if (x + VW > n - 1) x = n - 1 - VW;
            VF c = loadf(row + x);
            VF change = 0.1f * (loadf(up + x) + loadf(down + x) - 2.0f * c) +
                        0.2f * (loadf(row + x - 1) + loadf(row + x + 1) - 2.0f * c) +
                        0.05f * (0.5f - c);
            storef(out + y * n + x, c + 0.3f * (loadf(power + y * n + x) + change));
        }
        out[y * n] = cell(in, power, 0, y, n);
        out[y * n + n - 1] = cell(in, power, n - 1, y, n);
    }
}

/* Shape of the kernel: tiles of 16 x 16 with a frame of one value in memory of the block; a
** value to the left or right of a vector is put in beside its lanes. */
void hotspot_shape(const float *in, const float *power, float *out, int n) {
#pragma omp parallel for
    for (int by = 0; by < n; by += 16)
        for (int bx = 0; bx < n; bx += 16) {
            _Alignas(64) float s[18][48];
            for (int y = 0; y < 18; y++) {
                int gy = by + y - 1;
                gy = gy < 0 ? 0 : gy < n ? gy : n - 1;
                const float *row = in + gy * n + bx;
                memcpy(&s[y][16], row, 16 * sizeof *row);
                s[y][15] = row[bx > 0 ? -1 : 0];
                s[y][32] = row[bx + 16 < n ? 16 : 15];
            }
            for (int x = 16; x < 32; x += VW) {
                VF up = loadf(&s[0][x]), c = loadf(&s[1][x]);
                UNROLL for (int y = 1; y < 17; y++) {
                    int at = (by + y - 1) * n + bx + x - 16;
                    VF down = loadf(&s[y + 1][x]);
                    VF left = slidef(setf(s[y][x - 1]), c, 1),
                       right = slidef(c, setf(s[y][x + VW]), VW - 1);
                    VF change = 0.1f * (up + down - 2.0f * c) + 0.2f * (left + right - 2.0f * c) +
                                0.05f * (0.5f - c);
                    storef(out + at, c + 0.3f * (loadf(power + at) + change));
                    up = c;
                    c = down;
                }
            }
        }
}
