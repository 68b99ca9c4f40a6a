/* fastwalsh.c: by hand: strides below the vector are shuffles and signs. */
#include "hand.h"

void fastwalsh_omp(const float *in, float *out, int blocks) {
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        float *s = out + b * 512;
        memcpy(s, in + b * 512, 512 * sizeof *s);
        for (int stride = 256; stride > 0; stride /= 2)
            for (int i = 0; i < 512; i += 2 * stride)
                for (int j = i; j < i + stride; j++) {
                    float x = s[j], y = s[j + stride];
                    s[j] = x + y;
                    s[j + stride] = x - y;
                }
    }
}

INLINE VF butterfly(VF v, int stride) {
    VF other = v, sign;
#if VW == 16
    if (stride == 1) other = __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    if (stride == 2) other = __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    if (stride == 4) other = __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    if (stride == 8) other = __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    for (int l = 0; l < VW; l++) other[l] = v[l ^ stride];
#endif
    for (int l = 0; l < VW; l++) sign[l] = l & stride ? -1.0f : 1.0f;
    return sign * v + other;
}

void fastwalsh_simd(const float *in, float *out, int blocks) {
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        float *s = out + b * 512;
        memcpy(s, in + b * 512, 512 * sizeof *s);
        for (int stride = 256; stride >= VW; stride /= 2)
            for (int i = 0; i < 512; i += 2 * stride)
                for (int j = i; j < i + stride; j += VW) {
                    VF x = loadf(s + j), y = loadf(s + j + stride);
                    storef(s + j, x + y);
                    storef(s + j + stride, x - y);
                }
        for (int i = 0; i < 512; i += VW) {
            VF v = loadf(s + i);
            if (VW > 8) v = butterfly(v, 8);
            if (VW > 4) v = butterfly(v, 4);
            storef(s + i, butterfly(butterfly(v, 2), 1));
        }
    }
}
