/* math_cuda.h: CUDA's own math functions (rsqrt, sinpi, norm3d, normcdf ...), host and device.
**
** The functions of the device library, under their CUDA names, with float overloads where CUDA has
** them (not of the norms: whole numbers as arguments would be ambiguous); Bessel functions of the
** first two kinds are libm's.  docs/math.md has the table. */
#ifndef CUCPU_MATH_CUDA_H
#define CUCPU_MATH_CUDA_H
#include "defs.h"

#define CUCPU_LIB1_(name)                                                                          \
    CUCPU_PURE_LIB double __nv_##name(double);                                                     \
    CUCPU_PURE_LIB float __nv_##name##f(float);                                                    \
    CUCPU_HD double name(double x) { return __nv_##name(x); }                                      \
    CUCPU_HD float name##f(float x) { return __nv_##name##f(x); }                                  \
    CUCPU_HD float name(float x) { return __nv_##name##f(x); }
CUCPU_LIB1_(rcbrt) CUCPU_LIB1_(sinpi) CUCPU_LIB1_(cospi)
CUCPU_LIB1_(erfcx) CUCPU_LIB1_(erfinv) CUCPU_LIB1_(erfcinv)
CUCPU_LIB1_(normcdf) CUCPU_LIB1_(normcdfinv)
CUCPU_LIB1_(cyl_bessel_i0) CUCPU_LIB1_(cyl_bessel_i1)
#undef CUCPU_LIB1_

CUCPU_PURE_LIB double __nv_rsqrt(double);
CUCPU_HD double rsqrt(double x) { return __nv_rsqrt(x); }
#ifdef __CUDA_ARCH__
CUCPU_PURE_LIB float cucpu_rsqrtf(float); /* instructions of the target: passes/ir/math.def */
#else
static __host__ inline float cucpu_rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
#endif
CUCPU_HD float rsqrtf(float x) { return cucpu_rsqrtf(x); }
CUCPU_HD float rsqrt(float x) { return cucpu_rsqrtf(x); }

#define CUCPU_NORM_(name, params, fparams, args)                                                   \
    CUCPU_PURE_LIB double __nv_##name params;                                                      \
    CUCPU_PURE_LIB float __nv_##name##f fparams;                                                   \
    CUCPU_HD double name params { return __nv_##name args; }                                       \
    CUCPU_HD float name##f fparams { return __nv_##name##f args; }
CUCPU_NORM_(rhypot, (double a_, double b_), (float a_, float b_), (a_, b_))
CUCPU_NORM_(norm3d, (double a_, double b_, double c_), (float a_, float b_, float c_), (a_, b_, c_))
CUCPU_NORM_(rnorm3d, (double a_, double b_, double c_), (float a_, float b_, float c_), (a_, b_, c_))
CUCPU_NORM_(norm4d, (double a_, double b_, double c_, double d_),
            (float a_, float b_, float c_, float d_), (a_, b_, c_, d_))
CUCPU_NORM_(rnorm4d, (double a_, double b_, double c_, double d_),
            (float a_, float b_, float c_, float d_), (a_, b_, c_, d_))
#undef CUCPU_NORM_
extern "C" {
__host__ __device__ double __nv_norm(int n_, const double *v_) __attribute__((pure, nothrow));
__host__ __device__ float __nv_normf(int n_, const float *v_) __attribute__((pure, nothrow));
__host__ __device__ double __nv_rnorm(int n_, const double *v_) __attribute__((pure, nothrow));
__host__ __device__ float __nv_rnormf(int n_, const float *v_) __attribute__((pure, nothrow));
}
CUCPU_HD double norm(int n_, const double *v_) { return __nv_norm(n_, v_); }
CUCPU_HD float norm(int n_, const float *v_) { return __nv_normf(n_, v_); }
CUCPU_HD float normf(int n_, const float *v_) { return __nv_normf(n_, v_); }
CUCPU_HD double rnorm(int n_, const double *v_) { return __nv_rnorm(n_, v_); }
CUCPU_HD float rnorm(int n_, const float *v_) { return __nv_rnormf(n_, v_); }
CUCPU_HD float rnormf(int n_, const float *v_) { return __nv_rnormf(n_, v_); }

CUCPU_HD void sincospi(double x, double *s_, double *c_) { *s_ = __nv_sinpi(x), *c_ = __nv_cospi(x); }
CUCPU_HD void sincospif(float x, float *s_, float *c_) { *s_ = __nv_sinpif(x), *c_ = __nv_cospif(x); }
CUCPU_HD void sincospi(float x, float *s_, float *c_) { sincospif(x, s_, c_); }
CUCPU_D void sincos(float x, float *s_, float *c_) { __builtin_sincosf(x, s_, c_); }
/* What glibc's and CUDA's headers make of isnan and its like; programs call them too. */
CUCPU_D int __isnan(double x) { return __builtin_isnan(x); }
CUCPU_D int __isnanf(float x) { return __builtin_isnan(x); }
CUCPU_D int __isinf(double x) { return __builtin_isinf(x); }
CUCPU_D int __isinff(float x) { return __builtin_isinf(x); }
CUCPU_D int __finite(double x) { return __builtin_isfinite(x); }
CUCPU_D int __finitef(float x) { return __builtin_isfinite(x); }
CUCPU_D int __signbit(double x) { return __builtin_signbit(x); }
CUCPU_D int __signbitf(float x) { return __builtin_signbit(x); }
CUCPU_HD float fdividef(float x, float y) { return x / y; }
CUCPU_D double fdivide(double x, double y) { return x / y; }
CUCPU_D float fdivide(float x, float y) { return fdividef(x, y); }
CUCPU_D float exp10f(float x) { return __builtin_exp10f(x); }
CUCPU_D double exp10(double x) { return __builtin_exp10(x); }
CUCPU_HD float exp10(float x) { return __builtin_exp10f(x); }
CUCPU_D double pow10(double x) { return __builtin_exp10(x); }
CUCPU_D float pow10f(float x) { return __builtin_exp10f(x); }
CUCPU_HD float powif(float x, int n_) { return __builtin_powif(x, n_); }
CUCPU_HD double powi(double x, int n_) { return __builtin_powi(x, n_); }

/* Bessel functions: libm's jn, yn and those of float by name; j0 ... y1 in double are those of the device library. */
extern "C" {
#define CUCPU_BESSEL_(name)                                                                        \
    CUCPU_PURE_LIB double __nv_##name(double);                                                     \
    __device__ float cucpu_##name##f(float) CUCPU_INTRINSIC(#name "f");
CUCPU_BESSEL_(j0) CUCPU_BESSEL_(j1) CUCPU_BESSEL_(y0) CUCPU_BESSEL_(y1)
#undef CUCPU_BESSEL_
__device__ double cucpu_jn(int, double) CUCPU_INTRINSIC("jn");
__device__ float cucpu_jnf(int, float) CUCPU_INTRINSIC("jnf");
__device__ double cucpu_yn(int, double) CUCPU_INTRINSIC("yn");
__device__ float cucpu_ynf(int, float) CUCPU_INTRINSIC("ynf");
}
#define CUCPU_BESSEL_(name)                                                                        \
    CUCPU_D double name(double x) { return __nv_##name(x); }                                       \
    CUCPU_D float name##f(float x) { return cucpu_##name##f(x); }
CUCPU_BESSEL_(j0) CUCPU_BESSEL_(j1) CUCPU_BESSEL_(y0) CUCPU_BESSEL_(y1)
#undef CUCPU_BESSEL_
/* CUDA has no orders below 0. */
CUCPU_D double jn(int n_, double x) { return n_ < 0 ? __builtin_nan("") : cucpu_jn(n_, x); }
CUCPU_D float jnf(int n_, float x) { return n_ < 0 ? __builtin_nanf("") : cucpu_jnf(n_, x); }
CUCPU_D double yn(int n_, double x) { return n_ < 0 ? __builtin_nan("") : cucpu_yn(n_, x); }
CUCPU_D float ynf(int n_, float x) { return n_ < 0 ? __builtin_nanf("") : cucpu_ynf(n_, x); }
#endif
