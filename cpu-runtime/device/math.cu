/* math.cu: CUDA's math functions that are neither LLVM intrinsics nor C99 functions.
**
** Names are libdevice's (__nv_erfinv ...), which cucpu/math_cuda.h calls.  Branch-free, so that
** they vectorise: argument reduction, one polynomial (coefficients.h, made by fit.py), selects for
** special cases.  float versions evaluate in double and round once, except sinpi and cospi, which
** have float polynomials.  docs/math.md lists methods and error bounds. */
#include "coefficients.h"
#include "lib.h"

#define INF __builtin_inf()
#define NAN_ __builtin_nan("")

template <int N> LOCAL double poly(const double (&c)[N], double t) {
    double r = c[N - 1];
    UNROLL
    for (int i = N - 2; i >= 0; i--) r = __builtin_fma(r, t, c[i]);
    return r;
}
/* x mapped linearly from [a, b] to [-1, 1]. */
LOCAL double map(double x, double a, double b) { return (x - (a + b) / 2) * (2 / (b - a)); }

/* ---- roots ---- */
LOCAL double rsqrt_d(double x) {
    double y = 1.0 / __builtin_sqrt(x), t = x * y, low = __builtin_fma(x, y, -t);
    double e = __builtin_fma(-t, y, 1.0) - low * y; /* 1 - x*y*y */
    double r = __builtin_fma(0.5 * e, y, y);
    return x > 0 && x < INF ? r : y;
}
LIB double __nv_rsqrt(double x) {
    /* a subnormal x is scaled, so that low above is exact */
    bool small = __builtin_fabs(x) < 0x1p-960;
    double r = rsqrt_d(small ? x * 0x1p200 : x);
    return small ? r * 0x1p100 : r;
}
LIB float __nv_rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
LIB double __nv_rcbrt(double x) {
    double y = 1.0 / __builtin_cbrt(x);
    /* one Newton step on y*y*y*x = 1, with the product's rounding error */
    double xs = x, ys = y;
    bool scale = __builtin_fabs(x) < 0x1p-900;
    if (scale) xs = x * 0x1p300, ys = y * 0x1p-100;
    double a = ys * ys, al = __builtin_fma(ys, ys, -a);
    double b = ys * xs, bl = __builtin_fma(ys, xs, -b);
    double e = __builtin_fma(-a, b, 1.0) - (al * b + a * bl);
    double r = __builtin_fma(e * (1.0 / 3), y, y);
    return x != 0 && __builtin_isfinite(x) ? r : y;
}
LIB float __nv_rcbrtf(float x) { return (float)(1.0 / __builtin_cbrt((double)x)); }

/* ---- norms ---- */
/* A scale that keeps the squares of numbers up to `big` in range. */
LOCAL double norm_scale(double big) {
    return big > 0x1p500 ? 0x1p-600 : big < 0x1p-400 ? 0x1p600 : 1.0;
}
LOCAL void add_square(double x, double &s, double &e) {
    double p = x * x, q = __builtin_fma(x, x, -p), t = s + p, z = t - s;
    e += ((s - (t - z)) + (p - z)) + q;
    s = t;
}
template <typename Get> LOCAL double norm_of(int n, Get get, bool inverse) {
    double big = 0;
    bool inf = false, nan = false;
    for (int i = 0; i < n; i++) {
        double a = __builtin_fabs(get(i));
        big = __builtin_fmax(big, a);
        inf |= a == INF;
        nan |= a != a;
    }
    double k = norm_scale(big), s = 0, e = 0;
    for (int i = 0; i < n; i++) add_square(get(i) * k, s, e);
    double r;
    if (inverse)
        r = rsqrt_d(s + e) * k;
    else
        r = __builtin_sqrt(s + e) / k;
    return inf ? (inverse ? 0 : INF) : nan ? NAN_ : big == 0 && inverse ? INF : r;
}
#define NORM(name, inverse, n, params, ...)                                                        \
    LIB double __nv_##name params {                                                                \
        const double v[] = {__VA_ARGS__};                                                          \
        return norm_of(n, [&](int i) { return v[i]; }, inverse);                                   \
    }
NORM(norm3d, false, 3, (double a, double b, double c), a, b, c)
NORM(norm4d, false, 4, (double a, double b, double c, double d), a, b, c, d)
NORM(rhypot, true, 2, (double a, double b), a, b)
NORM(rnorm3d, true, 3, (double a, double b, double c), a, b, c)
NORM(rnorm4d, true, 4, (double a, double b, double c, double d), a, b, c, d)
#define NORMF(name, inverse, n, params, ...)                                                       \
    LIB float __nv_##name##f params {                                                              \
        const float v[] = {__VA_ARGS__};                                                           \
        double s = 0;                                                                              \
        bool inf = false;                                                                          \
        for (int i = 0; i < n; i++) s += (double)v[i] * v[i], inf |= __builtin_isinf(v[i]);        \
        double r = inverse ? 1.0 / __builtin_sqrt(s) : __builtin_sqrt(s);                          \
        return (float)(inf ? (inverse ? 0 : INF) : r);                                             \
    }
NORMF(norm3d, false, 3, (float a, float b, float c), a, b, c)
NORMF(norm4d, false, 4, (float a, float b, float c, float d), a, b, c, d)
NORMF(rhypot, true, 2, (float a, float b), a, b)
NORMF(rnorm3d, true, 3, (float a, float b, float c), a, b, c)
NORMF(rnorm4d, true, 4, (float a, float b, float c, float d), a, b, c, d)
#define NORMN(name, inverse)                                                                       \
    LIBMEM double __nv_##name(int n, const double *v) {                                            \
        return norm_of(n, [&](int i) { return v[i]; }, inverse);                                   \
    }                                                                                              \
    LIBMEM float __nv_##name##f(int n, const float *v) {                                           \
        return (float)norm_of(n, [&](int i) { return (double)v[i]; }, inverse);                    \
    }
NORMN(norm, false)
NORMN(rnorm, true)

/* ---- sin and cos of pi*x: x = 2k + n/2 + r exactly; 2x would overflow ---- */
struct Reduced {
    double r;
    int quadrant;
};
LOCAL Reduced reduce_pi(double x) {
    double t = __builtin_fma(-2.0, __builtin_rint(0.5 * x), x); /* huge x is an even integer: 0 */
    double n = __builtin_rint(2 * t), r = __builtin_fma(-0.5, n, t);
    return Reduced{r, (int)(n == n ? n : 0)};
}
LOCAL double sin_kernel(double r) { /* pi*r + r^3*(...), pi in two parts */
    double z = r * r, p = sinpi_d[9];
    UNROLL
    for (int i = 8; i >= 1; i--) p = __builtin_fma(p, z, sinpi_d[i]);
    double tail = __builtin_fma(r, 1.2246467991473532e-16, z * r * p);
    return __builtin_fma(r, 3.1415926535897931, tail);
}
LOCAL double cos_kernel(double r) {
    double z = r * r, p = cospi_d[9];
    UNROLL
    for (int i = 8; i >= 1; i--) p = __builtin_fma(p, z, cospi_d[i]);
    return __builtin_fma(p, z, 1.0);
}
LOCAL double sinpi_q(Reduced q, bool odd) {
    double v = odd ? cos_kernel(q.r) : sin_kernel(q.r);
    return q.quadrant & 2 ? -v : v;
}
LIB double __nv_sinpi(double x) {
    Reduced q = reduce_pi(x);
    double v = sinpi_q(q, q.quadrant & 1);
    v = x == __builtin_trunc(x) ? __builtin_copysign(0.0, x) : v; /* integers: +-0 */
    return __builtin_isfinite(x) ? v : NAN_;
}
LIB double __nv_cospi(double x) {
    Reduced q = reduce_pi(x);
    double v = q.quadrant & 1 ? sin_kernel(-q.r) : cos_kernel(q.r);
    v = q.quadrant & 2 ? -v : v;
    return __builtin_isfinite(x) ? v + 0.0 : NAN_; /* halves: +0 */
}
LIB float __nv_sinpif(float x) {
    float t = __builtin_fmaf(-2.0f, __builtin_rintf(0.5f * x), x);
    float n = __builtin_rintf(2 * t), r = __builtin_fmaf(-0.5f, n, t), z = r * r;
    int q = (int)n & 3;
    float s = __builtin_fmaf(z, __builtin_fmaf(z, __builtin_fmaf(z, 0.0821458866f, -0.599264529f),
                                               2.55016404f), -5.16771278f);
    s = __builtin_fmaf(r, 3.14159274f, __builtin_fmaf(r, -8.74227766e-8f, z * r * s));
    float c = __builtin_fmaf(z, __builtin_fmaf(z, __builtin_fmaf(z, __builtin_fmaf(z, -0.0258068913f,
              0.235330630f), -1.33526276f), 4.05871213f), -4.93480220f);
    c = __builtin_fmaf(c, z, 1.0f);
    float v = q & 1 ? c : s;
    v = q & 2 ? -v : v;
    v = x == __builtin_truncf(x) ? __builtin_copysignf(0.0f, x) : v;
    return __builtin_isfinite(x) ? v : __builtin_nanf("");
}
LIB float __nv_cospif(float x) {
    float t = __builtin_fmaf(-2.0f, __builtin_rintf(0.5f * x), x);
    float n = __builtin_rintf(2 * t), r = __builtin_fmaf(-0.5f, n, t), z = r * r;
    int q = (int)n & 3;
    float s = __builtin_fmaf(z, __builtin_fmaf(z, __builtin_fmaf(z, 0.0821458866f, -0.599264529f),
                                               2.55016404f), -5.16771278f);
    s = __builtin_fmaf(r, 3.14159274f, __builtin_fmaf(r, -8.74227766e-8f, z * r * s));
    float c = __builtin_fmaf(z, __builtin_fmaf(z, __builtin_fmaf(z, __builtin_fmaf(z, -0.0258068913f,
              0.235330630f), -1.33526276f), 4.05871213f), -4.93480220f);
    c = __builtin_fmaf(c, z, 1.0f);
    float v = q & 1 ? -s : c;
    v = q & 2 ? -v : v;
    return __builtin_isfinite(x) ? v + 0.0f : __builtin_nanf("");
}

/* ---- erfcx, normcdf ---- */
LOCAL double erfcx_positive(double x) {
    double t = (x - 4) / (x + 4);
    double y = poly(erfcx_d, x == INF ? 1.0 : t);
    double big = 0.56418958354775628695 / x; /* 1/(x sqrt(pi)): beyond 1e10 exact to the last bit */
    return x > 0x1p40 ? big : y / __builtin_fma(2.0, x, 1.0);
}
LIB double __nv_erfcx(double x) {
    double a = __builtin_fabs(x), p = erfcx_positive(a);
    double h = a * a, l = __builtin_fma(a, a, -h);
    double e = __builtin_exp(h);
    double neg = __builtin_fma(2 * e, l, 2 * e) - p; /* 2 exp(x^2) - erfcx(-x) */
    return x != x ? x : x < 0 ? (2 * e < INF ? neg : INF) : p;
}
LIB float __nv_erfcxf(float x) { return (float)__nv_erfcx((double)x); }

/* normcdf(x) = erfc(-x/sqrt 2)/2, for the small tail as exp(-x^2/2) erfcx(|x|/sqrt 2)/2. */
LIB double __nv_normcdf(double x) {
    double a = __builtin_fmin(__builtin_fabs(x), 40.0), h = 0.5 * a * a;
    double l = __builtin_fma(0.5 * a, a, -h), e = __builtin_exp(-h);
    double tail = 0.5 * __builtin_fma(-l, e, e) * erfcx_positive(a * 0.70710678118654752440);
    return x != x ? x : x <= 0 ? tail : 1 - tail;
}
LIB float __nv_normcdff(float x) { return (float)__nv_normcdf((double)x); }

/* ---- inverses: erfinv(y) = y*P(w), w = -log((1-y)(1+y)); q is 1-|y| or the argument of erfcinv ---- */
LOCAL double inverse_factor(double w) {
    double s = __builtin_sqrt(w);
    double r = poly(erfinv_0_d, map(w, 0, 1));
    r = w > 1 ? poly(erfinv_1_d, map(w, 1, 4)) : r;
    r = w > 4 ? poly(erfinv_2_d, map(w, 4, 9)) : r;
    r = w > 9 ? poly(erfinv_3_d, map(w, 9, 18)) : r;
    r = s > 4.2426406871192851 ? poly(erfinv_4_d, map(s, 4.2426406871192851, 9)) : r;
    return s > 9 ? poly(erfinv_5_d, map(s, 9, 28)) : r;
}
LIB double __nv_erfinv(double y) {
    double w = -__builtin_log((1 - y) * (1 + y));
    w = __builtin_fabs(y) < 0x1p-20 ? y * y : w;
    double r = y * inverse_factor(w);
    double a = __builtin_fabs(y);
    return a == 1 ? __builtin_copysign(INF, y) : a <= 1 ? r : NAN_;
}
LIB float __nv_erfinvf(float y) { return (float)__nv_erfinv((double)y); }
LIB double __nv_erfcinv(double y) {
    double d = 1 - y; /* erfcinv(y) = erfinv(1 - y) */
    double w = -__builtin_log(y * (2 - y));
    w = __builtin_fabs(d) < 0x1p-20 ? d * d : w;
    double r = d * inverse_factor(w);
    return y == 0 ? INF : y == 2 ? -INF : y > 0 && y < 2 ? r : NAN_;
}
LIB float __nv_erfcinvf(float y) { return (float)__nv_erfcinv((double)y); }
LIB double __nv_normcdfinv(double p) { return 0 - 1.4142135623730950488 * __nv_erfcinv(2 * p); } /* +0 for 1/2 */
LIB float __nv_normcdfinvf(float p) { return (float)__nv_normcdfinv((double)p); }

/* ---- modified Bessel functions ---- */
LOCAL double bessel_large(double a, double series) { /* exp(a)/sqrt(a) * series without overflow */
    double half = __builtin_exp(0.5 * a);
    return series / __builtin_sqrt(a) * half * half;
}
LIB double __nv_cyl_bessel_i0(double x) {
    double a = __builtin_fabs(x);
    double small = poly(i0_small_d, a * 0.25 - 1) * __builtin_exp(a);
    double large = bessel_large(a, poly(i0_large_d, 16 / a - 1));
    return a != a ? x : a == 0 ? 1 : a == INF ? INF : a <= 8 ? small : large;
}
LIB double __nv_cyl_bessel_i1(double x) {
    double a = __builtin_fabs(x);
    double small = poly(i1_small_d, a * 0.25 - 1) * __builtin_exp(a) * a;
    double large = bessel_large(a, poly(i1_large_d, 16 / a - 1));
    double r = a == INF ? INF : a <= 8 ? small : large;
    return a != a ? x : __builtin_copysign(r, x);
}
LIB float __nv_cyl_bessel_i0f(float x) { return (float)__nv_cyl_bessel_i0((double)x); }
LIB float __nv_cyl_bessel_i1f(float x) { return (float)__nv_cyl_bessel_i1((double)x); }

/* ---- Bessel functions of the first and second kind: the C library's but near their zeros below 8 ---- */
#if defined(__CUDA__)
#define LIBM(name) extern "C" __device__ double libm_##name(double) __asm__(#name) __attribute__((const, nothrow));
#else
#define LIBM(name) extern "C" double libm_##name(double) __asm__(#name) __attribute__((const, nothrow));
#endif
LIBM(j0) LIBM(j1) LIBM(y0) LIBM(y1)
enum { NEAR = 20 }; /* coefficients for each zero */
template <int N> LOCAL double near_zero(double x, const double (&zeros)[N], const double (&c)[N * NEAR / 2], double far) {
    double high = zeros[0], low = zeros[1], r = 0;
    int k = 0;
    UNROLL
    for (int i = 1; i < N / 2; i++)
        if (x > 0.5 * (zeros[2 * i - 2] + zeros[2 * i])) high = zeros[2 * i], low = zeros[2 * i + 1], k = i;
    double t = (x - high) - low;
    UNROLL
    for (int i = NEAR - 1; i >= 0; i--) {
        double a = c[i];
        UNROLL
        for (int m = 1; m < N / 2; m++) a = k == m ? c[m * NEAR + i] : a;
        r = __builtin_fma(r, 4 * t, a);
    }
    return __builtin_fabs(t) < 0.25 ? t * r : far;
}
LIB double __nv_j0(double x) {
    double a = __builtin_fabs(x);
    return near_zero(a, j0_zeros_d, j0_near_d, libm_j0(a));
}
LIB double __nv_j1(double x) {
    double a = __builtin_fabs(x);
    return __builtin_copysign(1.0, x) * near_zero(a, j1_zeros_d, j1_near_d, libm_j1(a));
}
LIB double __nv_y0(double x) { return near_zero(x, y0_zeros_d, y0_near_d, libm_y0(x)); }
LIB double __nv_y1(double x) { return near_zero(x, y1_zeros_d, y1_near_d, libm_y1(x)); }
