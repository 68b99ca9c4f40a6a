/* arith.h: arithmetic with an explicit rounding mode, and the fast intrinsics.
**
** _rn is the plain operation, but never contracted into a fused one, as CUDA documents; the other
** modes and the fast intrinsics are functions of the device library. */
#ifndef CUCPU_ARITH_H
#define CUCPU_ARITH_H
#include "defs.h"

#ifdef __CUCPU_FTZ__ /* -ftz=true: the kernel's flushing mode must not reach them */
#define CUCPU_FMAF_IEEE_ "__nv_fmaf_ieee_"
#else
#define CUCPU_FMAF_IEEE_ "__nv_fmaf_"
#endif
/* ---- directed rounding ---- */
#define CUCPU_DIRECTED_(m)                                                                         \
    __device__ float __fadd_##m(float, float) CUCPU_INTRINSIC("__nv_fadd_" #m);                    \
    __device__ float __fsub_##m(float, float) CUCPU_INTRINSIC("__nv_fsub_" #m);                    \
    __device__ float __fmul_##m(float, float) CUCPU_INTRINSIC("__nv_fmul_" #m);                    \
    __device__ float __fdiv_##m(float, float) CUCPU_INTRINSIC("__nv_fdiv_" #m);                    \
    __device__ float __frcp_##m(float) CUCPU_INTRINSIC("__nv_frcp_" #m);                           \
    __device__ float __fsqrt_##m(float) CUCPU_INTRINSIC("__nv_fsqrt_" #m);                         \
    __device__ float __fmaf_##m(float, float, float) CUCPU_INTRINSIC("__nv_fmaf_" #m);             \
    __device__ float __fmaf_ieee_##m(float, float, float) CUCPU_INTRINSIC(CUCPU_FMAF_IEEE_ #m);    \
    __device__ double __dadd_##m(double, double) CUCPU_INTRINSIC("__nv_dadd_" #m);                 \
    __device__ double __dsub_##m(double, double) CUCPU_INTRINSIC("__nv_dsub_" #m);                 \
    __device__ double __dmul_##m(double, double) CUCPU_INTRINSIC("__nv_dmul_" #m);                 \
    __device__ double __ddiv_##m(double, double) CUCPU_INTRINSIC("__nv_ddiv_" #m);                 \
    __device__ double __drcp_##m(double) CUCPU_INTRINSIC("__nv_drcp_" #m);                         \
    __device__ double __dsqrt_##m(double) CUCPU_INTRINSIC("__nv_dsqrt_" #m);                       \
    __device__ double __fma_##m(double, double, double) CUCPU_INTRINSIC("__nv_fma_" #m);           \
    __device__ float __double2float_##m(double) CUCPU_INTRINSIC("__nv_double2float_" #m);          \
    __device__ float __int2float_##m(int) CUCPU_INTRINSIC("__nv_int2float_" #m);                   \
    __device__ float __uint2float_##m(unsigned) CUCPU_INTRINSIC("__nv_uint2float_" #m);            \
    __device__ float __ll2float_##m(long long) CUCPU_INTRINSIC("__nv_ll2float_" #m);               \
    __device__ float __ull2float_##m(unsigned long long) CUCPU_INTRINSIC("__nv_ull2float_" #m);    \
    __device__ double __ll2double_##m(long long) CUCPU_INTRINSIC("__nv_ll2double_" #m);            \
    __device__ double __ull2double_##m(unsigned long long) CUCPU_INTRINSIC("__nv_ull2double_" #m);
CUCPU_DIRECTED_(rd)
CUCPU_DIRECTED_(ru)
CUCPU_DIRECTED_(rz)
#undef CUCPU_DIRECTED_

#define CUCPU_SEPARATE_ _Pragma("clang fp contract(off) reciprocal(off)") /* local to the function */
CUCPU_D float __fadd_rn(float a_, float b_) { CUCPU_SEPARATE_ return a_ + b_; }
CUCPU_D float __fsub_rn(float a_, float b_) { CUCPU_SEPARATE_ return a_ - b_; }
CUCPU_D float __fmul_rn(float a_, float b_) { CUCPU_SEPARATE_ return a_ * b_; }
CUCPU_D float __fdiv_rn(float a_, float b_) { CUCPU_SEPARATE_ return a_ / b_; }
CUCPU_D float __frcp_rn(float a_) { CUCPU_SEPARATE_ return 1.0f / a_; }
CUCPU_D float __fsqrt_rn(float a_) { return __builtin_sqrtf(a_); }
CUCPU_D float __fmaf_rn(float a_, float b_, float c_) { return __builtin_fmaf(a_, b_, c_); }
#ifdef __CUCPU_FTZ__
__device__ float __fmaf_ieee_rn(float, float, float) CUCPU_INTRINSIC("__nv_fmaf_ieee_rn");
#else
CUCPU_D float __fmaf_ieee_rn(float a_, float b_, float c_) { return __builtin_fmaf(a_, b_, c_); }
#endif
__device__ float __frsqrt_rn(float) CUCPU_INTRINSIC("__nv_frsqrt_rn"); /* not in here: it would make the kernel one that computes in double */
CUCPU_D double __dadd_rn(double a_, double b_) { CUCPU_SEPARATE_ return a_ + b_; }
CUCPU_D double __dsub_rn(double a_, double b_) { CUCPU_SEPARATE_ return a_ - b_; }
CUCPU_D double __dmul_rn(double a_, double b_) { CUCPU_SEPARATE_ return a_ * b_; }
CUCPU_D double __ddiv_rn(double a_, double b_) { CUCPU_SEPARATE_ return a_ / b_; }
CUCPU_D double __drcp_rn(double a_) { CUCPU_SEPARATE_ return 1.0 / a_; }
CUCPU_D double __dsqrt_rn(double a_) { return __builtin_sqrt(a_); }
CUCPU_D double __fma_rn(double a_, double b_, double c_) { return __builtin_fma(a_, b_, c_); }
#undef CUCPU_SEPARATE_

/* ---- pairs ---- */
#define CUCPU_PAIRS_(m)                                                                            \
    CUCPU_D float2 __fadd2_##m(float2 a_, float2 b_) { return float2{__fadd_##m(a_.x, b_.x), __fadd_##m(a_.y, b_.y)}; } \
    CUCPU_D float2 __fmul2_##m(float2 a_, float2 b_) { return float2{__fmul_##m(a_.x, b_.x), __fmul_##m(a_.y, b_.y)}; } \
    CUCPU_D float2 __ffma2_##m(float2 a_, float2 b_, float2 c_) {                                  \
        return float2{__fmaf_##m(a_.x, b_.x, c_.x), __fmaf_##m(a_.y, b_.y, c_.y)};                 \
    }
CUCPU_PAIRS_(rn)
CUCPU_PAIRS_(rz)
CUCPU_PAIRS_(ru)
CUCPU_PAIRS_(rd)
#undef CUCPU_PAIRS_

/* ---- fast ---- */
__device__ float __sinf(float) CUCPU_INTRINSIC("__nv_fast_sinf");
__device__ float __cosf(float) CUCPU_INTRINSIC("__nv_fast_cosf");
__device__ float __tanf(float) CUCPU_INTRINSIC("__nv_fast_tanf");
__device__ float __tanhf(float) CUCPU_INTRINSIC("__nv_fast_tanhf");
__device__ float __expf(float) CUCPU_INTRINSIC("__nv_fast_expf");
__device__ float __exp10f(float) CUCPU_INTRINSIC("__nv_fast_exp10f");
__device__ float __logf(float) CUCPU_INTRINSIC("__nv_fast_logf");
__device__ float __log2f(float) CUCPU_INTRINSIC("__nv_fast_log2f");
__device__ float __log10f(float) CUCPU_INTRINSIC("__nv_fast_log10f");
__device__ float __powf(float, float) CUCPU_INTRINSIC("__nv_fast_powf");
CUCPU_D void __sincosf(float x, float *s_, float *c_) { *s_ = __sinf(x), *c_ = __cosf(x); }
CUCPU_D float __fdividef(float x, float y) { return x / y; }
/* NaN gives 0: maxnum ignores it. */
CUCPU_D float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
#endif
