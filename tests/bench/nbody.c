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

/* Shape of the kernel: blocks of 256 bodies, the others pass through a tile of 256; two vectors of
** bodies in a turn share what they load of it. */
typedef struct {
    VF x, y, z, fx, fy, fz;
} Group;

INLINE void pull(Group *g, const float *other) {
    VF dx = other[0] - g->x, dy = other[1] - g->y, dz = other[2] - g->z;
    VF inverse = rsqrtv(dx * dx + dy * dy + dz * dz + 0.01f);
    VF scale = other[3] * inverse * inverse * inverse;
    g->fx += dx * scale;
    g->fy += dy * scale;
    g->fz += dz * scale;
}

void nbody_shape(const float *body, float *force, int n) {
    enum { BLOCK = 256, GROUPS = BLOCK / VW };
#pragma omp parallel for
    for (int b = 0; b < n; b += BLOCK) {
        _Alignas(64) float tile[BLOCK][4];
        Group group[GROUPS] = {0};
        for (int g = 0; g < GROUPS; g++) {
            VI at = 4 * (b + g * VW + lanes());
            group[g].x = gatherf(body, at);
            group[g].y = gatherf(body, at + 1);
            group[g].z = gatherf(body, at + 2);
        }
        for (int first = 0; first < n; first += BLOCK) {
            memcpy(tile, body + 4 * first, sizeof tile);
            for (int g = 0; g < GROUPS; g += 2) {
                Group one = group[g], two = group[g + 1];
                for (int j = 0; j < BLOCK; j++) {
                    pull(&one, tile[j]);
                    pull(&two, tile[j]);
                }
                group[g] = one;
                group[g + 1] = two;
            }
        }
        for (int i = 0; i < BLOCK; i++) {
            force[3 * (b + i)] = group[i / VW].fx[i % VW];
            force[3 * (b + i) + 1] = group[i / VW].fy[i % VW];
            force[3 * (b + i) + 2] = group[i / VW].fz[i % VW];
        }
    }
}
