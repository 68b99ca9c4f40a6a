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
    VF sign;
    for (int l = 0; l < VW; l++) sign[l] = l & stride ? -1.0f : 1.0f;
    return sign * v + swapf(v, stride);
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

/* Shape of the kernel: 512 values in memory of the block, a pass over them for every stride. */
INLINE void near(float *s, int stride) {
    for (int i = 0; i < 512; i += VW) storef(s + i, butterfly(loadf(s + i), stride));
}

void fastwalsh_shape(const float *in, float *out, int blocks) {
#pragma omp parallel for
    for (int b = 0; b < blocks; b++) {
        _Alignas(64) float s[512];
        memcpy(s, in + b * 512, sizeof s);
        for (int stride = 256; stride >= VW; stride /= 2)
            for (int t = 0; t < 256; t += VW) {
                int at = 2 * t - (t & (stride - 1));
                VF x = loadf(s + at), y = loadf(s + at + stride);
                storef(s + at, x + y);
                storef(s + at + stride, x - y);
            }
        if (VW > 8) near(s, 8);
        if (VW > 4) near(s, 4);
        near(s, 2);
        near(s, 1);
        memcpy(out + b * 512, s, sizeof s);
    }
}
