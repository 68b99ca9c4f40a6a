/* blackscholes.c: by hand; the vector version calls SLEEF. */
#include "hand.h"

static const float rate = 0.02f, volatility = 0.30f;

static float normal(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * d * d) * p;
    return d > 0 ? 1.0f - tail : tail;
}

void blackscholes_omp(const float *s, const float *x, const float *t, float *call, float *put, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float root = sqrtf(t[i]);
        float d1 = (logf(s[i] / x[i]) + (rate + 0.5f * volatility * volatility) * t[i]) / (volatility * root);
        float d2 = d1 - volatility * root;
        float n1 = normal(d1), n2 = normal(d2), discount = expf(-rate * t[i]);
        call[i] = s[i] * n1 - x[i] * discount * n2;
        put[i] = x[i] * discount * (1.0f - n2) - s[i] * (1.0f - n1);
    }
}

static VF normalv(VF d) {
    VF k = 1.0f / (1.0f + 0.2316419f * __builtin_elementwise_abs(d));
    VF p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    VF tail = 0.39894228f * expv(-0.5f * d * d) * p;
    return pickf(d > 0, 1.0f - tail, tail);
}

void blackscholes_simd(const float *s, const float *x, const float *t, float *call, float *put, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i += VW) {
        VF si = loadf(s + i), xi = loadf(x + i), ti = loadf(t + i), root = sqrtv(ti);
        VF d1 = (logv(si / xi) + (rate + 0.5f * volatility * volatility) * ti) / (volatility * root);
        VF d2 = d1 - volatility * root;
        VF n1 = normalv(d1), n2 = normalv(d2), discount = expv(-rate * ti);
        storef(call + i, si * n1 - xi * discount * n2);
        storef(put + i, xi * discount * (1.0f - n2) - si * (1.0f - n1));
    }
}
