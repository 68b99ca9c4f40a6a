/* stencil3d.c: by hand: rows of vectors; the last one of a row overlaps. */
#include "hand.h"

void stencil3d_omp(const float *in, float *out, int n) {
    int plane = n * n;
#pragma omp parallel for
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                int at = (z * n + y) * n + x;
                out[at] = 0.1f * (in[at - plane] + in[at + plane] + in[at - 1] + in[at + 1] + in[at - n] + in[at + n]) - 0.6f * in[at];
            }
}

void stencil3d_simd(const float *in, float *out, int n) {
    int plane = n * n;
#pragma omp parallel for
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x += VW) {
                if (x > n - 1 - VW) x = n - 1 - VW;
                const float *p = in + (z * n + y) * n + x;
                VF total = loadf(p - plane) + loadf(p + plane) + loadf(p - 1) + loadf(p + 1) + loadf(p - n) + loadf(p + n);
                storef(out + (p - in), 0.1f * total - 0.6f * loadf(p));
            }
}
