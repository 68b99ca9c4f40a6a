/* math_c.h: the C math functions (C99 names, float and double) for device code.
**
** Included before <cmath>, so that its using-declarations see them.  Each is an LLVM intrinsic
** (through a clang builtin) or a call of the libm function by name: the compiler passes map both to
** vector math.  The rest of CUDA's math is in cucpu/math_cuda.h.  docs/math.md has the table. */
#ifndef CUCPU_MATH_C_H
#define CUCPU_MATH_C_H
#include "casts.h"
#include "defs.h"

#define CUCPU_UNARY_(name)                                                                         \
    CUCPU_D float name##f(float x) { return __builtin_##name##f(x); }                              \
    CUCPU_D double name(double x) { return __builtin_##name(x); }
#define CUCPU_BINARY_(name)                                                                        \
    CUCPU_D float name##f(float x, float y) { return __builtin_##name##f(x, y); }                  \
    CUCPU_D double name(double x, double y) { return __builtin_##name(x, y); }
CUCPU_UNARY_(acos) CUCPU_UNARY_(asin) CUCPU_UNARY_(atan)
CUCPU_UNARY_(cos) CUCPU_UNARY_(sin) CUCPU_UNARY_(tan)
CUCPU_UNARY_(cosh) CUCPU_UNARY_(sinh) CUCPU_UNARY_(tanh)
CUCPU_UNARY_(acosh) CUCPU_UNARY_(asinh) CUCPU_UNARY_(atanh)
CUCPU_UNARY_(exp) CUCPU_UNARY_(exp2) CUCPU_UNARY_(expm1)
CUCPU_UNARY_(log) CUCPU_UNARY_(log2) CUCPU_UNARY_(log10) CUCPU_UNARY_(log1p)
CUCPU_UNARY_(sqrt) CUCPU_UNARY_(cbrt)
CUCPU_UNARY_(fabs) CUCPU_UNARY_(floor) CUCPU_UNARY_(ceil) CUCPU_UNARY_(trunc)
CUCPU_UNARY_(rint) CUCPU_UNARY_(nearbyint) CUCPU_UNARY_(round)
CUCPU_UNARY_(erf) CUCPU_UNARY_(erfc)
CUCPU_BINARY_(pow)
CUCPU_BINARY_(copysign) CUCPU_BINARY_(fmin) CUCPU_BINARY_(fmax)
#undef CUCPU_UNARY_
#undef CUCPU_BINARY_

extern "C" {
__device__ float cucpu_fmodf(float x, float y) CUCPU_INTRINSIC("fmodf");
__device__ double cucpu_fmod(double x, double y) CUCPU_INTRINSIC("fmod");
__device__ float cucpu_tgammaf(float x) CUCPU_INTRINSIC("tgammaf");
__device__ double cucpu_tgamma(double x) CUCPU_INTRINSIC("tgamma");
__device__ float cucpu_lgammaf(float x) CUCPU_INTRINSIC("lgammaf");
__device__ double cucpu_lgamma(double x) CUCPU_INTRINSIC("lgamma");
}
/* -ftz=true: zero for a denormal, where the kernel runs in the CPU's flushing mode: it equals zero there.  The quotients in atan2f, hypotf, fmodf and
** remainderf and what they lack need exponents far from the ends then; nextafter of zero is the smallest normal number. */
#ifdef __CUCPU_FTZ__
CUCPU_D float cucpu_flush(float x) { return x == 0 ? __builtin_copysignf(0.0f, x) : x; }
CUCPU_D float cucpu_power_between(bool large_, bool small_) { return large_ ? 0x1p-60f : small_ ? 0x1p60f : 1.0f; }
CUCPU_D float atan2f(float y, float x) {
    float ay = __builtin_fabsf(y), most = __builtin_fmaxf(__builtin_fabsf(x), ay);
    float scale_ = cucpu_power_between(most > 0x1p60f, most < 0x1p30f);
    return ay < x * 0x1p-13f ? y / x : __builtin_atan2f(y * scale_, x * scale_);
}
CUCPU_D float hypotf(float x, float y) {
    float most = __builtin_fmaxf(__builtin_fabsf(x), __builtin_fabsf(y));
    bool large_ = most > 0x1p60f, small_ = most < 0x1p-60f;
    float scale_ = cucpu_power_between(large_, small_);
    return __builtin_hypotf(x * scale_, y * scale_) * cucpu_power_between(small_, large_);
}
#define CUCPU_REST_(name, function) /* an infinite y * 2^60 was larger than x before */            \
    CUCPU_D float name(float x, float y) {                                                         \
        bool small_ = __builtin_fabsf(x) < 0x1p60f;                                                \
        bool large_ = !small_ && __builtin_fabsf(y) > 0x1p80f;                                     \
        float scale_ = cucpu_power_between(large_, small_);                                        \
        return function(x * scale_, y * scale_) * cucpu_power_between(small_, large_);             \
    }
#define CUCPU_LEAST_FLOAT_ 0x1p-126f
#else
CUCPU_D float cucpu_flush(float x) { return x; }
CUCPU_D float atan2f(float y, float x) { return __builtin_atan2f(y, x); }
CUCPU_D float hypotf(float x, float y) { return __builtin_hypotf(x, y); }
#define CUCPU_REST_(name, function) CUCPU_D float name(float x, float y) { return function(x, y); }
#define CUCPU_LEAST_FLOAT_ 0x1p-149f
#endif
CUCPU_REST_(fmodf, cucpu_fmodf)
CUCPU_REST_(remainderf, __builtin_remainderf)
#undef CUCPU_REST_
CUCPU_D double atan2(double y, double x) { return __builtin_atan2(y, x); }
CUCPU_D double hypot(double x, double y) { return __builtin_hypot(x, y); }
CUCPU_D double remainder(double x, double y) { return __builtin_remainder(x, y); }
CUCPU_D double fmod(double x, double y) { return cucpu_fmod(x, y); }
CUCPU_D float tgammaf(float x) { return cucpu_tgammaf(x); }
CUCPU_D double tgamma(double x) { return cucpu_tgamma(x); }
CUCPU_D float lgammaf(float x) { return cucpu_lgammaf(x); }
CUCPU_D double lgamma(double x) { return cucpu_lgamma(x); }

CUCPU_D float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
CUCPU_D double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
CUCPU_D float fdimf(float x, float y) { return x <= y ? 0.0f : x - y; }
CUCPU_D double fdim(double x, double y) { return x <= y ? 0.0 : x - y; }

CUCPU_D float ldexpf(float x, int e_) { return __builtin_ldexpf(x, e_); }
CUCPU_D double ldexp(double x, int e_) { return __builtin_ldexp(x, e_); }
CUCPU_D float scalbnf(float x, int e_) { return __builtin_ldexpf(x, e_); }
CUCPU_D double scalbn(double x, int e_) { return __builtin_ldexp(x, e_); }
CUCPU_D int cucpu_clamp_exponent(long e_) { return (int)(e_ > 9999 ? 9999 : e_ < -9999 ? -9999 : e_); }
CUCPU_D float scalblnf(float x, long e_) { return __builtin_ldexpf(x, cucpu_clamp_exponent(e_)); }
CUCPU_D double scalbln(double x, long e_) { return __builtin_ldexp(x, cucpu_clamp_exponent(e_)); }
CUCPU_D float frexpf(float x, int *e_) { return __builtin_frexpf(cucpu_flush(x), e_); }
CUCPU_D double frexp(double x, int *e_) { return __builtin_frexp(x, e_); }
CUCPU_D float modff(float x, float *i_) { return __builtin_modff(x, i_); }
CUCPU_D double modf(double x, double *i_) { return __builtin_modf(x, i_); }
CUCPU_D void sincosf(float x, float *s_, float *c_) { __builtin_sincosf(x, s_, c_); }
CUCPU_D void sincos(double x, double *s_, double *c_) { __builtin_sincos(x, s_, c_); }

CUCPU_D long long llrintf(float x) { return cucpu_sat_ll(__builtin_rintf(x)); }
CUCPU_D long long llrint(double x) { return cucpu_sat_ll(__builtin_rint(x)); }
CUCPU_D long long llroundf(float x) { return cucpu_sat_ll(__builtin_roundf(x)); }
CUCPU_D long long llround(double x) { return cucpu_sat_ll(__builtin_round(x)); }
CUCPU_D long lrintf(float x) { return cucpu_sat_ll(__builtin_rintf(x)); }
CUCPU_D long lrint(double x) { return cucpu_sat_ll(__builtin_rint(x)); }
CUCPU_D long lroundf(float x) { return cucpu_sat_ll(__builtin_roundf(x)); }
CUCPU_D long lround(double x) { return cucpu_sat_ll(__builtin_round(x)); }

CUCPU_D int ilogbf(float x) {
    int e_;
    (void)__builtin_frexpf(x, &e_);
    return x == 0 ? -__INT_MAX__ - 1 : __builtin_isnan(x) ? -__INT_MAX__ - 1
         : __builtin_isinf(x) ? __INT_MAX__ : e_ - 1;
}
CUCPU_D int ilogb(double x) {
    int e_;
    (void)__builtin_frexp(x, &e_);
    return x == 0 ? -__INT_MAX__ - 1 : __builtin_isnan(x) ? -__INT_MAX__ - 1
         : __builtin_isinf(x) ? __INT_MAX__ : e_ - 1;
}
CUCPU_D float logbf(float x) {
    return x == 0 ? -__builtin_inff() : __builtin_isfinite(x) ? (float)ilogbf(x) : x * x;
}
CUCPU_D double logb(double x) {
    return x == 0 ? -__builtin_inf() : __builtin_isfinite(x) ? (double)ilogb(x) : x * x;
}
/* One step of the bit pattern; +-0 -> the smallest number with y's sign. */
CUCPU_D float nextafterf(float x, float y) {
    x = cucpu_flush(x), y = cucpu_flush(y);
    int i_ = __builtin_bit_cast(int, x);
    int step = (x < y) == (i_ >= 0) ? i_ + 1 : i_ - 1;
    float r_ = x == 0 ? __builtin_copysignf(CUCPU_LEAST_FLOAT_, y)
                     : cucpu_flush(__builtin_bit_cast(float, step));
    return x != x || y != y ? x + y : x == y ? y : r_;
}
#undef CUCPU_LEAST_FLOAT_
CUCPU_D double nextafter(double x, double y) {
    long long i_ = __builtin_bit_cast(long long, x);
    long long step = (x < y) == (i_ >= 0) ? i_ + 1 : i_ - 1;
    double r_ = x == 0 ? __builtin_copysign(__builtin_bit_cast(double, 1LL), y)
                      : __builtin_bit_cast(double, step);
    return x != x || y != y ? x + y : x == y ? y : r_;
}
CUCPU_D float nanf(const char *) { return __builtin_nanf(""); }
CUCPU_D double nan(const char *) { return __builtin_nan(""); }

CUCPU_D int abs(int x) { return x < 0 ? (int)(0u - (unsigned)x) : x; }
CUCPU_D long labs(long x) { return x < 0 ? (long)(0ul - (unsigned long)x) : x; }
CUCPU_D long long llabs(long long x) { return x < 0 ? (long long)(0ull - (unsigned long long)x) : x; }
/* The overloads of C++ that are not constexpr in libstdc++, which makes them host functions, or call a builtin that does not
** flush, or is no intrinsic. */
CUCPU_D long abs(long x) { return labs(x); }
CUCPU_D long long abs(long long x) { return llabs(x); }
CUCPU_D float frexp(float x, int *e_) { return frexpf(x, e_); }
#define CUCPU_OVERLOAD_(name) CUCPU_D float name(float x, float y) { return name##f(x, y); }
CUCPU_OVERLOAD_(atan2) CUCPU_OVERLOAD_(hypot) CUCPU_OVERLOAD_(fmod) CUCPU_OVERLOAD_(remainder)
CUCPU_OVERLOAD_(fdim) CUCPU_OVERLOAD_(nextafter)
#undef CUCPU_OVERLOAD_
CUCPU_D int ilogb(float x) { return ilogbf(x); }
CUCPU_D float logb(float x) { return logbf(x); }
CUCPU_D float scalbn(float x, int e_) { return scalbnf(x, e_); }
CUCPU_D float scalbln(float x, long e_) { return scalblnf(x, e_); }
CUCPU_D float modf(float x, float *i_) { return __builtin_modff(x, i_); }

/* remquo through remainder: the quotient's low 3 bits and sign.  Up to 8 |y| may be more than the largest number. */
CUCPU_D float remquof(float x, float y, int *quotient) {
    float r_ = remainderf(x, y);
    float big = fmodf(__builtin_fabsf(x), 8 * __builtin_fabsf(y)); /* exact: |x| mod 8|y| */
    float ar = __builtin_signbit(x) ? -r_ : r_;
    float scale_ = __builtin_fabsf(y) > 1 ? 0.25f : 1;
    int q_ = (int)__builtin_rintf((scale_ * big - scale_ * ar) / (scale_ * __builtin_fabsf(y))) & 7;
    *quotient = __builtin_signbit(x) != __builtin_signbit(y) ? -q_ : q_;
    return r_;
}
CUCPU_D float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }
CUCPU_D double remquo(double x, double y, int *quotient) {
    double r_ = __builtin_remainder(x, y);
    double big = cucpu_fmod(__builtin_fabs(x), 8 * __builtin_fabs(y));
    double ar = __builtin_signbit(x) ? -r_ : r_;
    double scale_ = __builtin_fabs(y) > 1 ? 0.25 : 1;
    int q_ = (int)__builtin_rint((scale_ * big - scale_ * ar) / (scale_ * __builtin_fabs(y))) & 7;
    *quotient = __builtin_signbit(x) != __builtin_signbit(y) ? -q_ : q_;
    return r_;
}
#endif
