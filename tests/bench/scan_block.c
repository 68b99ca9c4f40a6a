/* scan_block.c: by hand; the vector version keeps the log-step algorithm of the kernel. */
#include "hand.h"

void scan_block_omp(const int *in, int *out, int blocks) {
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        int total = 0;
        for (int i = 0; i < 256; i++) out[b * 256 + i] = total += in[b * 256 + i];
    }
}

/* Zeros before the array stand for what a thread left of the block would add. */
void scan_block_simd(const int *in, int *out, int blocks) {
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        int buffer[256 + 128] = {0}, *s = buffer + 128;
        memcpy(s, in + b * 256, 256 * sizeof *s);
        for (int d = 1; d < 256; d *= 2)
            for (int i = 256 - VW; i >= 0; i -= VW) storei(s + i, loadi(s + i) + loadi(s + i - d));
        memcpy(out + b * 256, s, 256 * sizeof *s);
    }
}

/* Shape of the kernel: every step first reads what lies d to the left for the whole block, then
** adds it; d below a vector: lanes of two neighbours. */
INLINE void scan_step(int *s, int d) {
    VI left[256 / VW];
    UNROLL for (int i = 0; i < 256; i += VW) {
        VI low = i >= d || (d < VW && i > 0) ? loadi(s + i - (d < VW ? VW : d)) : seti(0);
        left[i / VW] = d < VW ? slidei(low, loadi(s + i), d) : low;
    }
    UNROLL for (int i = 0; i < 256; i += VW) storei(s + i, loadi(s + i) + left[i / VW]);
}

void scan_block_shape(const int *in, int *out, int blocks) {
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        _Alignas(64) int s[256];
        memcpy(s, in + b * 256, sizeof s);
        UNROLL for (int d = 1; d < 256; d *= 2) scan_step(s, d);
        memcpy(out + b * 256, s, sizeof s);
    }
}
