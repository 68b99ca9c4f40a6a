/* hand.h: vectors of the full width of the machine for the hand-written versions.
**
** Clang's vector extensions; intrinsics only for what they lack (gather), SLEEF for functions. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#include <sleef.h>
#endif

#if defined(__AVX512F__)
#define VW 16
#elif defined(__AVX2__)
#define VW 8
#else
#define VW 4
#endif

typedef float VF __attribute__((vector_size(4 * VW)));
typedef int VI __attribute__((vector_size(4 * VW)));
#define INLINE static inline __attribute__((always_inline))

INLINE VF loadf(const float *p) {
    VF v;
    memcpy(&v, p, sizeof v);
    return v;
}
INLINE VI loadi(const int *p) {
    VI v;
    memcpy(&v, p, sizeof v);
    return v;
}
INLINE void storef(float *p, VF v) { memcpy(p, &v, sizeof v); }
INLINE void storei(int *p, VI v) { memcpy(p, &v, sizeof v); }
INLINE VF setf(float x) { return x - (VF){0}; }
INLINE VI seti(int x) { return x + (VI){0}; }
INLINE VI lanes(void) {
    VI v;
    for (int i = 0; i < VW; i++) v[i] = i;
    return v;
}
INLINE VF to_float(VI v) { return __builtin_convertvector(v, VF); }
INLINE VF pickf(VI mask, VF a, VF b) { return (VF)((mask & (VI)a) | (~mask & (VI)b)); }
INLINE VI picki(VI mask, VI a, VI b) { return (mask & a) | (~mask & b); }
INLINE VF fmav(VF a, VF b, VF c) { return __builtin_elementwise_fma(a, b, c); }
INLINE VI mini(VI a, VI b) { return __builtin_elementwise_min(a, b); }
INLINE VI maxi(VI a, VI b) { return __builtin_elementwise_max(a, b); }
INLINE VF sqrtv(VF a) { return __builtin_elementwise_sqrt(a); }
#define UNROLL _Pragma("clang loop unroll(full)")
/* Lanes of two vectors in a row, from d places before the second; lanes against lanes ^ d. */
INLINE VI slidei(VI low, VI high, int d) {
    VI v;
    UNROLL for (int l = 0; l < VW; l++) v[l] = l < d ? low[VW - d + l] : high[l - d];
    return v;
}
INLINE VI swapi(VI a, int d) {
    VI v;
    UNROLL for (int l = 0; l < VW; l++) v[l] = a[l ^ d];
    return v;
}
INLINE VF slidef(VF low, VF high, int d) { return (VF)slidei((VI)low, (VI)high, d); }
INLINE VF swapf(VF a, int d) { return (VF)swapi((VI)a, d); }
INLINE int any(VI mask) { return __builtin_reduce_or(mask) != 0; }
INLINE float sum(VF v) {
    float s[VW], t = 0;
    memcpy(s, &v, sizeof s);
    for (int w = VW / 2; w; w /= 2)
        for (int i = 0; i < w; i++) s[i] += s[i + w];
    t = s[0];
    return t;
}

#if VW == 16
INLINE VF expv(VF x) { return (VF)Sleef_expf16_u10avx512f((__m512)x); }
INLINE VF logv(VF x) { return (VF)Sleef_logf16_u10avx512f((__m512)x); }
INLINE void sincosv(VF x, VF *s, VF *c) {
    Sleef___m512_2 r = Sleef_sincosf16_u10avx512f((__m512)x);
    *s = (VF)r.x;
    *c = (VF)r.y;
}
INLINE VF gatherf(const float *p, VI i) { return (VF)_mm512_i32gather_ps((__m512i)i, p, 4); }
INLINE VI gatheri(const int *p, VI i) { return (VI)_mm512_i32gather_epi32((__m512i)i, p, 4); }
#elif VW == 8
INLINE VF expv(VF x) { return (VF)Sleef_expf8_u10avx2((__m256)x); }
INLINE VF logv(VF x) { return (VF)Sleef_logf8_u10avx2((__m256)x); }
INLINE void sincosv(VF x, VF *s, VF *c) {
    Sleef___m256_2 r = Sleef_sincosf8_u10avx2((__m256)x);
    *s = (VF)r.x;
    *c = (VF)r.y;
}
INLINE VF gatherf(const float *p, VI i) { return (VF)_mm256_i32gather_ps(p, (__m256i)i, 4); }
INLINE VI gatheri(const int *p, VI i) { return (VI)_mm256_i32gather_epi32(p, (__m256i)i, 4); }
#else
INLINE VF expv(VF x) {
    for (int i = 0; i < VW; i++) x[i] = expf(x[i]);
    return x;
}
INLINE VF logv(VF x) {
    for (int i = 0; i < VW; i++) x[i] = logf(x[i]);
    return x;
}
INLINE void sincosv(VF x, VF *s, VF *c) {
    for (int i = 0; i < VW; i++) {
        (*s)[i] = sinf(x[i]);
        (*c)[i] = cosf(x[i]);
    }
}
INLINE VF gatherf(const float *p, VI i) {
    VF v;
    for (int l = 0; l < VW; l++) v[l] = p[i[l]];
    return v;
}
INLINE VI gatheri(const int *p, VI i) {
    VI v;
    for (int l = 0; l < VW; l++) v[l] = p[i[l]];
    return v;
}
#endif
