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
INLINE VI exchange(VI v, VI at, int stride, int size) {
    VI other = v;
#if VW == 16
    if (stride == 1) other = __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    if (stride == 2) other = __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    if (stride == 4) other = __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    if (stride == 8) other = __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    for (int l = 0; l < VW; l++) other[l] = v[l ^ stride];
#endif
    VI low = ((at & stride) == 0) ^ ((at & size) != 0);
    return picki(low, mini(v, other), maxi(v, other));
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
                VI v = loadi(s + i), at = i + lanes();
                if (VW > 8 && stride >= 8) v = exchange(v, at, 8, size);
                if (VW > 4 && stride >= 4) v = exchange(v, at, 4, size);
                if (stride >= 2) v = exchange(v, at, 2, size);
                storei(s + i, exchange(v, at, 1, size));
            }
        }
    }
}
