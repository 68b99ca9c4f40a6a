/* nbody.c: by hand: a vector of bodies against one body after another. */
#include "hand.h"

void nbody_omp(const float *body, float *force, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float fx = 0, fy = 0, fz = 0;
#pragma omp simd reduction(+ : fx, fy, fz)
        for (int j = 0; j < n; j++) {
            float dx = body[4 * j] - body[4 * i], dy = body[4 * j + 1] - body[4 * i + 1];
            float dz = body[4 * j + 2] - body[4 * i + 2];
            float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float scale = body[4 * j + 3] * inverse * inverse * inverse;
            fx += dx * scale;
            fy += dy * scale;
            fz += dz * scale;
        }
        force[3 * i] = fx;
        force[3 * i + 1] = fy;
        force[3 * i + 2] = fz;
    }
}

/* An estimate and a Newton step: 2 ulp, what rsqrtf of CUDA guarantees. */
INLINE VF rsqrtv(VF x) {
#if VW == 16
    VF y = (VF)_mm512_rsqrt14_ps((__m512)x);
    return y * (1.5f - 0.5f * x * y * y);
#else
    return 1.0f / sqrtv(x);
#endif
}

void nbody_simd(const float *body, float *force, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i += VW) {
        VI at = 4 * (i + lanes());
        VF x = gatherf(body, at), y = gatherf(body, at + 1), z = gatherf(body, at + 2);
        VF fx = {0}, fy = {0}, fz = {0};
        for (int j = 0; j < n; j++) {
            VF dx = body[4 * j] - x, dy = body[4 * j + 1] - y, dz = body[4 * j + 2] - z;
            VF inverse = rsqrtv(dx * dx + dy * dy + dz * dz + 0.01f);
            VF scale = body[4 * j + 3] * inverse * inverse * inverse;
            fx += dx * scale;
            fy += dy * scale;
            fz += dz * scale;
        }
        for (int l = 0; l < VW; l++) {
            force[3 * (i + l)] = fx[l];
            force[3 * (i + l) + 1] = fy[l];
            force[3 * (i + l) + 2] = fz[l];
        }
    }
}
