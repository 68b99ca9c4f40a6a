/* bitonic.c: by hand: the same network; strides below the vector are shuffles. */
#include "hand.h"

void bitonic_omp(const int *in, int *out, int blocks) {
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        int *s = out + b * 512;
        memcpy(s, in + b * 512, 512 * sizeof *s);
        for (int size = 2; size <= 512; size *= 2)
            for (int stride = size / 2; stride > 0; stride /= 2)
                for (int t = 0; t < 256; t++) {
                    int at = 2 * t - (t & (stride - 1));
                    int x = s[at], y = s[at + stride];
                    if ((x > y) == ((at & size) == 0)) {
                        s[at] = y;
                        s[at + stride] = x;
                    }
                }
    }
}

/* Compare-exchange within a vector: lane l against lane l ^ stride. */
INLINE VI exchange(VI v, VI low, int stride) {
    VI other = swapi(v, stride);
    return picki(low, mini(v, other), maxi(v, other));
}

/* Lanes that keep the lower of the two, at places i and more. */
INLINE VI keep_low(int i, int stride, int size) {
    VI at = i + lanes();
    return ((at & stride) == 0) ^ ((at & size) != 0);
}

void bitonic_simd(const int *in, int *out, int blocks) {
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        int *s = out + b * 512;
        memcpy(s, in + b * 512, 512 * sizeof *s);
        for (int size = 2; size <= 512; size *= 2) {
            int stride = size / 2;
            for (; stride >= VW; stride /= 2)
                for (int i = 0; i < 512; i += 2 * stride)
                    for (int j = i; j < i + stride; j += VW) {
                        VI x = loadi(s + j), y = loadi(s + j + stride);
                        VI low = mini(x, y), high = maxi(x, y);
                        storei(s + j, i & size ? high : low);
                        storei(s + j + stride, i & size ? low : high);
                    }
            for (int i = 0; i < 512; i += VW) {
                VI v = loadi(s + i);
                if (VW > 8 && stride >= 8) v = exchange(v, keep_low(i, 8, size), 8);
                if (VW > 4 && stride >= 4) v = exchange(v, keep_low(i, 4, size), 4);
                if (stride >= 2) v = exchange(v, keep_low(i, 2, size), 2);
                storei(s + i, exchange(v, keep_low(i, 1, size), 1));
            }
        }
    }
}

/* Shape of the kernel: 512 keys in memory of the block, a pass over them for every stride; a
** turn does the pairs of VW threads. */
INLINE void far(int *s, int size, int stride) {
    for (int t = 0; t < 256; t += VW) {
        int at = 2 * t - (t & (stride - 1)), low = at & size ? stride : 0;
        VI x = loadi(s + at), y = loadi(s + at + stride);
        storei(s + at + low, mini(x, y));
        storei(s + at + stride - low, maxi(x, y));
    }
}

/* Up to the width of a vector all have the same directions, above it vectors size apart opposite
** ones. */
INLINE void near(int *s, int size, int stride) {
    int apart = size < VW ? VW : size & 511 ? size : VW;
    VI low = keep_low(0, stride, size), other = apart == VW && size != VW ? low : ~low;
    for (int t = 0; t < 256; t += VW) {
        int at = 2 * t - (t & (apart - 1));
        storei(s + at, exchange(loadi(s + at), low, stride));
        storei(s + at + apart, exchange(loadi(s + at + apart), other, stride));
    }
}

void bitonic_shape(const int *in, int *out, int blocks) {
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        _Alignas(64) int s[512];
        memcpy(s, in + b * 512, sizeof s);
        for (int size = 2; size <= 512; size *= 2) {
            int stride = size / 2;
            for (; stride >= VW; stride /= 2) far(s, size, stride);
            if (VW > 8 && stride >= 8) near(s, size, 8);
            if (VW > 4 && stride >= 4) near(s, size, 4);
            if (stride >= 2) near(s, size, 2);
            near(s, size, 1);
        }
        memcpy(out + b * 512, s, sizeof s);
    }
}
