/* rounding.cu: +, -, *, /, sqrt, fma and conversions rounded up, down or towards zero: exact.
**
** Each computes the result rounded to nearest and, by an error-free transformation, the sign of
** (exact - nearest); then steps one bit pattern where the mode asks for it.  float goes through
** double.  double scales operands whose error term would underflow.  No use of the CPU's
** rounding mode: the code must stay correct when lanes of different modes are merged.
** In a kernel that flushes denormals these stay zero as operands of conversions to double, and a
** step must not leave zero for one.  fmaf_ieee never flushes: it takes and gives them as integers.
 */
#include "lib.h"

enum Mode { DOWN, UP, ZERO, NEAREST };

template <typename T> LOCAL T next_up(T x) {
    auto i = BITS(x);
    i = x == 0 ? 1 : x > 0 ? i + 1 : i - 1;
    return __builtin_bit_cast(T, i);
}
template <typename T> LOCAL T next_down(T x) { return -next_up(-x); }

/* r is the nearest value, below/above: the exact value lies there. */
template <typename T> LOCAL T step(T r, bool below, bool above, Mode mode) {
    bool down = below && (mode == DOWN || (mode == ZERO && r > 0));
    bool up = above && (mode == UP || (mode == ZERO && r < 0));
    return down ? next_down(r) : up ? next_up(r) : r;
}

LOCAL void two_sum(double a, double b, double &s, double &e) {
    s = a + b;
    double t = s - a;
    e = (a - (s - t)) + (b - t);
}

/* Zero if x is denormal and the kernel runs in the CPU's flushing mode: there it equals zero. */
LOCAL float flushed(float x) {
    int32_t i = BITS(x);
    return __builtin_bit_cast(float, x == 0 ? (int32_t)(i & INT32_MIN) : i);
}

/* A sum that is exactly zero is -0 when rounded down, unless both terms are +0. */
template <typename T> LOCAL T zero_sum(T r, bool exact_zero, T a, T b, Mode mode) {
    bool both_plus = !__builtin_signbit(a) && !__builtin_signbit(b);
    return exact_zero && mode == DOWN && !both_plus ? (T)-0.0 : r;
}

/* ---- float: s + e exact, s the nearest double ---- */
LOCAL float round_pair(double s, double e, Mode mode) {
    float f = (float)s;
    double d = s - (double)f; /* exact; NaN if s is not finite */
    return flushed(step(f, d < 0 || (d == 0 && e < 0), d > 0 || (d == 0 && e > 0), mode));
}
LOCAL float add_f(float a, float b, Mode mode) {
    double s, e;
    two_sum(a, b, s, e);
    return zero_sum(round_pair(s, e, mode), s == 0, a, b, mode);
}
LOCAL float mul_f(float a, float b, Mode mode) { return round_pair((double)a * b, 0, mode); }
LOCAL float div_f(float a, float b, Mode mode) {
    double q = (double)a / b, r = __builtin_fma(-q, (double)b, (double)a);
    return round_pair(q, b < 0 ? -r : r, mode);
}
LOCAL float sqrt_f(float a, Mode mode) {
    double s = __builtin_sqrt((double)a);
    return round_pair(s, __builtin_fma(-s, s, (double)a), mode);
}
LOCAL float fma_f(float a, float b, float c, Mode mode) {
    double p = (double)a * b, s, e;
    two_sum(p, c, s, e);
    return zero_sum(round_pair(s, e, mode), s == 0, (float)__builtin_copysign(1.0, p), c, mode);
}

/* ---- float, denormals kept in all kernels ---- */
LOCAL double widened(float a) {
    int32_t i = BITS(a);
    double denormal = (double)(i & 0x7fffff) * 0x1p-149;
    return i & 0x7f800000 ? (double)a : i < 0 ? -denormal : denormal;
}
/* The whole number that f + rest, 0 <= f + rest < 1 from f on, is rounded to; tail: what rest
 * lacks. */
LOCAL double whole(double f, double rest, double tail, bool negative, Mode mode) {
    bool up =
        rest > 0.5 || (rest == 0.5 && (tail > 0 || (tail == 0 && f != 2 * __builtin_floor(f / 2))));
    if (mode != NEAREST)
        up = (mode == UP || (mode == ZERO && negative)) && (rest != 0 || tail != 0);
    return up ? f + 1 : f;
}
LOCAL float narrowed_denormal(double s, double e, Mode mode) {
    double k = s * 0x1p149, tail = e * 0x1p149, f = __builtin_floor(k), rest = k - f;
    if (rest == 0 && tail < 0) f -= 1, rest = 1;
    int32_t i = (int32_t)__builtin_fabs(whole(f, rest, tail, s < 0, mode));
    return __builtin_bit_cast(float, __builtin_signbit(s) ? (int32_t)(i | INT32_MIN) : i);
}
LOCAL float narrowed(double s, double e, Mode mode) {
    if (__builtin_fabs(s) <= 0x1p-126) return narrowed_denormal(s, e, mode);
    if (mode != NEAREST) return round_pair(s, e, mode);
    int64_t i = BITS(s); /* rounded to odd first: the second rounding is then the only one */
    if ((e < 0 || e > 0) && !(i & 1)) i += (e > 0) == (s > 0) ? 1 : -1;
    return (float)__builtin_bit_cast(double, i);
}
LOCAL float fma_ieee(float a, float b, float c, Mode mode) {
    double p = widened(a) * widened(b), s, e;
    two_sum(p, widened(c), s, e);
    return zero_sum(narrowed(s, e, mode), s == 0, (float)__builtin_copysign(1.0, p), c, mode);
}

/* ---- double: e has the sign of (exact - r); finite: overflow counts as inexact ---- */
LOCAL double round_d(double r, double e, bool finite, Mode mode) {
    bool over = finite && __builtin_isinf(r);
    return step(r, over ? r > 0 : e < 0, over ? r < 0 : e > 0, mode);
}
LOCAL double add_d(double a, double b, Mode mode) {
    double s, e;
    two_sum(a, b, s, e);
    double r = round_d(s, e, __builtin_isfinite(a) && __builtin_isfinite(b), mode);
    return zero_sum(r, s == 0, a, b, mode);
}
LOCAL double mul_d(double a, double b, Mode mode) {
    double r = a * b, rs = r;
    double sa = 1, sb = 1;
    if (__builtin_fabs(r) < 0x1p-900) {
        sa = __builtin_fabs(a) < 1 ? 0x1p600 : 1;
        sb = __builtin_fabs(b) < 1 ? 0x1p600 : 1;
        rs = r * sa * sb;
    }
    double e = __builtin_fma(a * sa, b * sb, -rs);
    return round_d(r, e, __builtin_isfinite(a) && __builtin_isfinite(b), mode);
}
LOCAL double div_d(double a, double b, Mode mode) {
    double q = a / b;
    double s = __builtin_fabs(a) < 0x1p-900 ? 0x1p200 : 1;
    double e = __builtin_fma(-(q * s), b, a * s);
    bool finite = __builtin_isfinite(a) && __builtin_isfinite(b) && b != 0;
    return round_d(q, finite ? (b < 0 ? -e : e) : 0, finite, mode);
}
LOCAL double sqrt_d(double a, Mode mode) {
    double s = __builtin_sqrt(a), t = s, x = a;
    if (a < 0x1p-900) x = a * 0x1p200, t = s * 0x1p100;
    return round_d(s, __builtin_fma(-t, t, x), false, mode);
}

/* Sign of a*b + c - r for values of moderate exponents (Boldo and Muller's exact error of fma). */
LOCAL double fma_error(double a, double b, double c, double r) {
    double u1 = a * b, u2 = __builtin_fma(a, b, -u1), a1, z, b1, b2;
    two_sum(c, u2, a1, z);
    two_sum(u1, a1, b1, b2);
    double g = (b1 - r) + b2, e = g + z;
    return e != 0 ? e : (g - e) + z;
}
LOCAL int exponent(double x) {
    int e;
    (void)__builtin_frexp(x, &e);
    return e;
}
LOCAL double fma_d(double a, double b, double c, Mode mode) {
    double r = __builtin_fma(a, b, c);
    bool finite = __builtin_isfinite(a) && __builtin_isfinite(b) && __builtin_isfinite(c);
    if (!finite) return r;
    bool product = a != 0 && b != 0;
    if (!product || c == 0) { /* one rounding only */
        double e = product ? mul_d(a, b, mode) : c;
        bool zero = !product && c == 0;
        double p = __builtin_copysign(1.0, a) * __builtin_copysign(1.0, b);
        if (zero) return zero_sum(r, true, p, c, mode);
        return e;
    }
    /* Normalise: the product gets an exponent near 0, the rest follows; a term too small to
    ** matter but by its sign is brought near enough to count. */
    int ea = exponent(a), eb = exponent(b), ep = ea + eb, ec = exponent(c) - ep;
    double x = __builtin_ldexp(a, -ea), y = __builtin_ldexp(b, -eb);
    double z = ec < -200  ? __builtin_copysign(0x1p-200, c)
               : ec > 200 ? __builtin_copysign(0x1p200, c)
                          : __builtin_ldexp(c, -ep);
    double e;
    if (ec > 200)
        e = x * y < 0 ? -1 : 1; /* r is c or its neighbour in the subnormals: c is exact */
    else if (r == 0 || __builtin_isinf(r))
        e = __builtin_fma(x, y, z);
    else
        e = fma_error(x, y, z, __builtin_ldexp(r, -ep));
    if (r == 0 && e == 0) return zero_sum(r, true, x * y, c, mode);
    return round_d(r, e, true, mode);
}

/* ---- integers: the value as an exact sum of two doubles ---- */
LOCAL void split(int64_t v, double &s, double &e) {
    two_sum((double)(v >> 32) * 0x1p32, (double)(uint32_t)v, s, e);
}
LOCAL void split(uint64_t v, double &s, double &e) {
    two_sum((double)(v >> 32) * 0x1p32, (double)(uint32_t)v, s, e);
}
template <typename T> LOCAL float to_f(T v, Mode mode) {
    double s, e;
    split(v, s, e);
    return round_pair(s, e, mode);
}
template <typename T> LOCAL double to_d(T v, Mode mode) {
    double s, e;
    split(v, s, e);
    return round_d(s, e, true, mode);
}

#define MODES(f) f(rd, DOWN) f(ru, UP) f(rz, ZERO)
#define FUNCTIONS(m, M)                                                                            \
    LIB float __nv_fadd_##m(float a, float b) { return add_f(a, b, M); }                           \
    LIB float __nv_fsub_##m(float a, float b) { return add_f(a, -b, M); }                          \
    LIB float __nv_fmul_##m(float a, float b) { return mul_f(a, b, M); }                           \
    LIB float __nv_fdiv_##m(float a, float b) { return div_f(a, b, M); }                           \
    LIB float __nv_frcp_##m(float a) { return div_f(1, a, M); }                                    \
    LIB float __nv_fsqrt_##m(float a) { return sqrt_f(a, M); }                                     \
    LIB float __nv_fmaf_##m(float a, float b, float c) { return fma_f(a, b, c, M); }               \
    LIB float __nv_fmaf_ieee_##m(float a, float b, float c) { return fma_ieee(a, b, c, M); }       \
    LIB double __nv_dadd_##m(double a, double b) { return add_d(a, b, M); }                        \
    LIB double __nv_dsub_##m(double a, double b) { return add_d(a, -b, M); }                       \
    LIB double __nv_dmul_##m(double a, double b) { return mul_d(a, b, M); }                        \
    LIB double __nv_ddiv_##m(double a, double b) { return div_d(a, b, M); }                        \
    LIB double __nv_drcp_##m(double a) { return div_d(1, a, M); }                                  \
    LIB double __nv_dsqrt_##m(double a) { return sqrt_d(a, M); }                                   \
    LIB double __nv_fma_##m(double a, double b, double c) { return fma_d(a, b, c, M); }            \
    LIB float __nv_double2float_##m(double a) { return round_pair(a, 0, M); }                      \
    LIB float __nv_int2float_##m(int32_t a) { return round_pair(a, 0, M); }                        \
    LIB float __nv_uint2float_##m(uint32_t a) { return round_pair(a, 0, M); }                      \
    LIB float __nv_ll2float_##m(int64_t a) { return to_f(a, M); }                                  \
    LIB float __nv_ull2float_##m(uint64_t a) { return to_f(a, M); }                                \
    LIB double __nv_ll2double_##m(int64_t a) { return to_d(a, M); }                                \
    LIB double __nv_ull2double_##m(uint64_t a) { return to_d(a, M); }
MODES(FUNCTIONS)
LIB float __nv_fmaf_ieee_rn(float a, float b, float c) { return fma_ieee(a, b, c, NEAREST); }
/* Exact to the last bit: the double result is never close enough to a tie to matter. */
LIB float __nv_frsqrt_rn(float a) { return (float)(1.0 / __builtin_sqrt((double)a)); }
