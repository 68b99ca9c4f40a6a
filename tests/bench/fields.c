/* fields.c: by hand; the vector version turns VW structures into four vectors and back. */
#include "hand.h"

typedef struct Four {
    float x, y, z, w;
} Four;

INLINE Four one(Four v) {
    float length = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z) + v.w;
    return (Four){v.x / length, v.y / length, v.z / length, length};
}

void fields_omp(const Four *in, Four *out, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) out[i] = one(in[i]);
}

/* Every second lane of a and b in a row; the lanes of a and b by turns, first or second half. */
#if VW == 16
#define EVERY_SECOND(a, b, k)                                                                                          \
    __builtin_shufflevector(a, b, k, 2 + k, 4 + k, 6 + k, 8 + k, 10 + k, 12 + k, 14 + k, 16 + k, 18 + k, 20 + k, 22 + k, 24 + k, \
                            26 + k, 28 + k, 30 + k)
#define BY_TURNS(a, b, k)                                                                                              \
    __builtin_shufflevector(a, b, 8 * k, 16 + 8 * k, 1 + 8 * k, 17 + 8 * k, 2 + 8 * k, 18 + 8 * k, 3 + 8 * k, 19 + 8 * k, \
                            4 + 8 * k, 20 + 8 * k, 5 + 8 * k, 21 + 8 * k, 6 + 8 * k, 22 + 8 * k, 7 + 8 * k, 23 + 8 * k)
#elif VW == 8
#define EVERY_SECOND(a, b, k) __builtin_shufflevector(a, b, k, 2 + k, 4 + k, 6 + k, 8 + k, 10 + k, 12 + k, 14 + k)
#define BY_TURNS(a, b, k)                                                                                              \
    __builtin_shufflevector(a, b, 4 * k, 8 + 4 * k, 1 + 4 * k, 9 + 4 * k, 2 + 4 * k, 10 + 4 * k, 3 + 4 * k, 11 + 4 * k)
#else
#define EVERY_SECOND(a, b, k) __builtin_shufflevector(a, b, k, 2 + k, 4 + k, 6 + k)
#define BY_TURNS(a, b, k) __builtin_shufflevector(a, b, 2 * k, 4 + 2 * k, 1 + 2 * k, 5 + 2 * k)
#endif

void fields_simd(const Four *in, Four *out, int n) {
    int full = n / VW * VW;
#pragma omp parallel for
    for (int i = 0; i < full; i += VW) {
        const float *p = (const float *)(in + i);
        float *q = (float *)(out + i);
        VF a = loadf(p), b = loadf(p + VW), c = loadf(p + 2 * VW), d = loadf(p + 3 * VW);
        VF xz0 = EVERY_SECOND(a, b, 0), yw0 = EVERY_SECOND(a, b, 1), xz1 = EVERY_SECOND(c, d, 0), yw1 = EVERY_SECOND(c, d, 1);
        VF x = EVERY_SECOND(xz0, xz1, 0), z = EVERY_SECOND(xz0, xz1, 1), y = EVERY_SECOND(yw0, yw1, 0), w = EVERY_SECOND(yw0, yw1, 1);
        VF length = sqrtv(x * x + y * y + z * z) + w;
        x = x / length, y = y / length, z = z / length;
        VF even0 = BY_TURNS(x, z, 0), even1 = BY_TURNS(x, z, 1), odd0 = BY_TURNS(y, length, 0), odd1 = BY_TURNS(y, length, 1);
        storef(q, BY_TURNS(even0, odd0, 0));
        storef(q + VW, BY_TURNS(even0, odd0, 1));
        storef(q + 2 * VW, BY_TURNS(even1, odd1, 0));
        storef(q + 3 * VW, BY_TURNS(even1, odd1, 1));
    }
    for (int i = full; i < n; i++) out[i] = one(in[i]);
}
