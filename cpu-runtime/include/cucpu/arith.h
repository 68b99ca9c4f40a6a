/* arith.h: arithmetic with an explicit rounding mode, and the fast intrinsics.
**
** _rn is the plain operation, but never contracted into a fused one, as CUDA documents; the other
** modes and the fast intrinsics are functions of the device library. */
#ifndef CUCPU_ARITH_H
#define CUCPU_ARITH_H
#include "defs.h"

/* ---- directed rounding ---- */
#define CUCPU_DIRECTED_(m)                                                                         \
    extern "C" {                                                                                   \
    __device__ float __nv_fadd_##m(float, float) __attribute__((const, nothrow));                  \
    __device__ float __nv_fsub_##m(float, float) __attribute__((const, nothrow));                  \
    __device__ float __nv_fmul_##m(float, float) __attribute__((const, nothrow));                  \
    __device__ float __nv_fdiv_##m(float, float) __attribute__((const, nothrow));                  \
    __device__ float __nv_frcp_##m(float) __attribute__((const, nothrow));                         \
    __device__ float __nv_fsqrt_##m(float) __attribute__((const, nothrow));                        \
    __device__ float __nv_fmaf_##m(float, float, float) __attribute__((const, nothrow));           \
    __device__ double __nv_dadd_##m(double, double) __attribute__((const, nothrow));               \
    __device__ double __nv_dsub_##m(double, double) __attribute__((const, nothrow));               \
    __device__ double __nv_dmul_##m(double, double) __attribute__((const, nothrow));               \
    __device__ double __nv_ddiv_##m(double, double) __attribute__((const, nothrow));               \
    __device__ double __nv_drcp_##m(double) __attribute__((const, nothrow));                       \
    __device__ double __nv_dsqrt_##m(double) __attribute__((const, nothrow));                      \
    __device__ double __nv_fma_##m(double, double, double) __attribute__((const, nothrow));        \
    __device__ float __nv_double2float_##m(double) __attribute__((const, nothrow));                \
    __device__ float __nv_int2float_##m(int) __attribute__((const, nothrow));                      \
    __device__ float __nv_uint2float_##m(unsigned) __attribute__((const, nothrow));                \
    __device__ float __nv_ll2float_##m(long long) __attribute__((const, nothrow));                 \
    __device__ float __nv_ull2float_##m(unsigned long long) __attribute__((const, nothrow));       \
    __device__ double __nv_ll2double_##m(long long) __attribute__((const, nothrow));               \
    __device__ double __nv_ull2double_##m(unsigned long long) __attribute__((const, nothrow));     \
    }                                                                                              \
    CUCPU_D float __fadd_##m(float a_, float b_) { return __nv_fadd_##m(a_, b_); }                 \
    CUCPU_D float __fsub_##m(float a_, float b_) { return __nv_fsub_##m(a_, b_); }                 \
    CUCPU_D float __fmul_##m(float a_, float b_) { return __nv_fmul_##m(a_, b_); }                 \
    CUCPU_D float __fdiv_##m(float a_, float b_) { return __nv_fdiv_##m(a_, b_); }                 \
    CUCPU_D float __frcp_##m(float a_) { return __nv_frcp_##m(a_); }                               \
    CUCPU_D float __fsqrt_##m(float a_) { return __nv_fsqrt_##m(a_); }                             \
    CUCPU_D float __fmaf_##m(float a_, float b_, float c_) { return __nv_fmaf_##m(a_, b_, c_); }   \
    CUCPU_D float __fmaf_ieee_##m(float a_, float b_, float c_) { return __nv_fmaf_##m(a_, b_, c_); } \
    CUCPU_D double __dadd_##m(double a_, double b_) { return __nv_dadd_##m(a_, b_); }              \
    CUCPU_D double __dsub_##m(double a_, double b_) { return __nv_dsub_##m(a_, b_); }              \
    CUCPU_D double __dmul_##m(double a_, double b_) { return __nv_dmul_##m(a_, b_); }              \
    CUCPU_D double __ddiv_##m(double a_, double b_) { return __nv_ddiv_##m(a_, b_); }              \
    CUCPU_D double __drcp_##m(double a_) { return __nv_drcp_##m(a_); }                             \
    CUCPU_D double __dsqrt_##m(double a_) { return __nv_dsqrt_##m(a_); }                           \
    CUCPU_D double __fma_##m(double a_, double b_, double c_) { return __nv_fma_##m(a_, b_, c_); } \
    CUCPU_D float __double2float_##m(double a_) { return __nv_double2float_##m(a_); }              \
    CUCPU_D float __int2float_##m(int a_) { return __nv_int2float_##m(a_); }                       \
    CUCPU_D float __uint2float_##m(unsigned a_) { return __nv_uint2float_##m(a_); }                \
    CUCPU_D float __ll2float_##m(long long a_) { return __nv_ll2float_##m(a_); }                   \
    CUCPU_D float __ull2float_##m(unsigned long long a_) { return __nv_ull2float_##m(a_); }        \
    CUCPU_D double __ll2double_##m(long long a_) { return __nv_ll2double_##m(a_); }                \
    CUCPU_D double __ull2double_##m(unsigned long long a_) { return __nv_ull2double_##m(a_); }
CUCPU_DIRECTED_(rd)
CUCPU_DIRECTED_(ru)
CUCPU_DIRECTED_(rz)
#undef CUCPU_DIRECTED_

#define CUCPU_SEPARATE_ _Pragma("clang fp contract(off)") /* local to the function */
CUCPU_D float __fadd_rn(float a_, float b_) { CUCPU_SEPARATE_ return a_ + b_; }
CUCPU_D float __fsub_rn(float a_, float b_) { CUCPU_SEPARATE_ return a_ - b_; }
CUCPU_D float __fmul_rn(float a_, float b_) { CUCPU_SEPARATE_ return a_ * b_; }
CUCPU_D float __fdiv_rn(float a_, float b_) { CUCPU_SEPARATE_ return a_ / b_; }
CUCPU_D float __frcp_rn(float a_) { CUCPU_SEPARATE_ return 1.0f / a_; }
CUCPU_D float __fsqrt_rn(float a_) { return __builtin_sqrtf(a_); }
CUCPU_D float __fmaf_rn(float a_, float b_, float c_) { return __builtin_fmaf(a_, b_, c_); }
CUCPU_D float __fmaf_ieee_rn(float a_, float b_, float c_) { return __builtin_fmaf(a_, b_, c_); }
/* Exact to the last bit: the double result is never close enough to a tie to matter. */
CUCPU_D float __frsqrt_rn(float a_) { return (float)(1.0 / __builtin_sqrt((double)a_)); }
CUCPU_D double __dadd_rn(double a_, double b_) { CUCPU_SEPARATE_ return a_ + b_; }
CUCPU_D double __dsub_rn(double a_, double b_) { CUCPU_SEPARATE_ return a_ - b_; }
CUCPU_D double __dmul_rn(double a_, double b_) { CUCPU_SEPARATE_ return a_ * b_; }
CUCPU_D double __ddiv_rn(double a_, double b_) { CUCPU_SEPARATE_ return a_ / b_; }
CUCPU_D double __drcp_rn(double a_) { CUCPU_SEPARATE_ return 1.0 / a_; }
CUCPU_D double __dsqrt_rn(double a_) { return __builtin_sqrt(a_); }
CUCPU_D double __fma_rn(double a_, double b_, double c_) { return __builtin_fma(a_, b_, c_); }
#undef CUCPU_SEPARATE_

/* ---- fast ---- */
extern "C" {
__device__ float __nv_fast_sinf(float) __attribute__((const, nothrow));
__device__ float __nv_fast_cosf(float) __attribute__((const, nothrow));
__device__ float __nv_fast_tanf(float) __attribute__((const, nothrow));
__device__ float __nv_fast_tanhf(float) __attribute__((const, nothrow));
__device__ float __nv_fast_expf(float) __attribute__((const, nothrow));
__device__ float __nv_fast_exp10f(float) __attribute__((const, nothrow));
__device__ float __nv_fast_logf(float) __attribute__((const, nothrow));
__device__ float __nv_fast_log2f(float) __attribute__((const, nothrow));
__device__ float __nv_fast_log10f(float) __attribute__((const, nothrow));
__device__ float __nv_fast_powf(float, float) __attribute__((const, nothrow));
}
CUCPU_D float __sinf(float x) { return __nv_fast_sinf(x); }
CUCPU_D float __cosf(float x) { return __nv_fast_cosf(x); }
CUCPU_D float __tanf(float x) { return __nv_fast_tanf(x); }
CUCPU_D float __tanhf(float x) { return __nv_fast_tanhf(x); }
CUCPU_D void __sincosf(float x, float *s_, float *c_) { *s_ = __nv_fast_sinf(x), *c_ = __nv_fast_cosf(x); }
CUCPU_D float __expf(float x) { return __nv_fast_expf(x); }
CUCPU_D float __exp10f(float x) { return __nv_fast_exp10f(x); }
CUCPU_D float __logf(float x) { return __nv_fast_logf(x); }
CUCPU_D float __log2f(float x) { return __nv_fast_log2f(x); }
CUCPU_D float __log10f(float x) { return __nv_fast_log10f(x); }
CUCPU_D float __powf(float x, float y) { return __nv_fast_powf(x, y); }
CUCPU_D float __fdividef(float x, float y) { return x / y; }
/* NaN gives 0: maxnum ignores it. */
CUCPU_D float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
#endif
