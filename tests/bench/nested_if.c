/* nested_if.c: by hand; the vector version computes all sides and selects. */
#include "hand.h"

void nested_if_omp(const float *in, float *out, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float x = in[i], r;
        if (x < 0.5f) {
            if (x < 0.25f) {
                if (x < 0.125f) r = sqrtf(x) + 1.0f;
                else r = 1.0f / (x + 1.0f);
            } else {
                r = x * x * x - 0.5f * x;
            }
        } else if (x < 0.75f) {
            r = (x - 0.5f) / (x + 0.5f);
        } else {
            r = x;
            for (int k = 0; k < 8; k++) r = r * x + 0.25f;
        }
        out[i] = r;
    }
}

void nested_if_simd(const float *in, float *out, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i += VW) {
        VF x = loadf(in + i), r = x;
        for (int k = 0; k < 8; k++) r = r * x + 0.25f;
        VI half = x < 0.5f;
        VF quotient = pickf(half, setf(1.0f), x - 0.5f) / (x + pickf(half, setf(1.0f), setf(0.5f)));
        VF low = pickf(x < 0.125f, sqrtv(x) + 1.0f, quotient);
        low = pickf(x < 0.25f, low, x * x * x - 0.5f * x);
        storef(out + i, pickf(half, low, pickf(x < 0.75f, quotient, r)));
    }
}
