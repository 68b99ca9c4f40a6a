/* mriq.c: by hand; the vector version calls SLEEF's sincos. */
#include "hand.h"

typedef struct {
    float x, y, z, weight;
} Sample;

void mriq_omp(const float *x, const float *y, const float *z, const Sample *ck, int samples, float *qr, float *qi, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float r = 0, m = 0;
        for (int k = 0; k < samples; k++) {
            float angle = 6.2831853f * (ck[k].x * x[i] + ck[k].y * y[i] + ck[k].z * z[i]);
            r += ck[k].weight * cosf(angle);
            m += ck[k].weight * sinf(angle);
        }
        qr[i] = r;
        qi[i] = m;
    }
}

void mriq_simd(const float *x, const float *y, const float *z, const Sample *ck, int samples, float *qr, float *qi, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i += VW) {
        VF sx = loadf(x + i), sy = loadf(y + i), sz = loadf(z + i), r = {0}, m = {0};
        for (int k = 0; k < samples; k++) {
            VF s, c;
            sincosv(6.2831853f * (ck[k].x * sx + ck[k].y * sy + ck[k].z * sz), &s, &c);
            r += ck[k].weight * c;
            m += ck[k].weight * s;
        }
        storef(qr + i, r);
        storef(qi + i, m);
    }
}
