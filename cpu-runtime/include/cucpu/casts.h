/* casts.h: conversions with an explicit rounding mode.
**
** Float to integer saturates.  NaN gives 0 from float to 32 bits and the sign bit alone from double
** or to 64 bits, as the PTX ISA's cvt does.  Conversions that round a result to a float other than to
** nearest are exact, in the device library (cucpu/arith.h).  Included by math_c.h for lrint. */
#ifndef CUCPU_CASTS_H
#define CUCPU_CASTS_H
#include "defs.h"

extern "C" {
#define CUCPU_SAT_(kind, R, bits, n)                                                               \
    __device__ R cucpu_fpto_##n##_f32(float) CUCPU_INTRINSIC("llvm.fpto" kind ".sat." bits ".f32"); \
    __device__ R cucpu_fpto_##n##_f64(double) CUCPU_INTRINSIC("llvm.fpto" kind ".sat." bits ".f64");
CUCPU_SAT_("si", int, "i32", int)
CUCPU_SAT_("ui", unsigned, "i32", uint)
CUCPU_SAT_("si", long long, "i64", ll)
CUCPU_SAT_("ui", unsigned long long, "i64", ull)
#undef CUCPU_SAT_
}
/* The intrinsics give 0 for NaN. */
#define CUCPU_CAST_(R, name, nan32, nan64)                                                         \
    CUCPU_D R cucpu_sat_##name(float x) { return x != x ? nan32 : cucpu_fpto_##name##_f32(x); }    \
    CUCPU_D R cucpu_sat_##name(double x) { return x != x ? nan64 : cucpu_fpto_##name##_f64(x); }   \
    CUCPU_D R __float2##name##_rn(float x) { return cucpu_sat_##name(__builtin_rintf(x)); }        \
    CUCPU_D R __float2##name##_rz(float x) { return cucpu_sat_##name(x); }                         \
    CUCPU_D R __float2##name##_ru(float x) { return cucpu_sat_##name(__builtin_ceilf(x)); }        \
    CUCPU_D R __float2##name##_rd(float x) { return cucpu_sat_##name(__builtin_floorf(x)); }       \
    CUCPU_D R __double2##name##_rn(double x) { return cucpu_sat_##name(__builtin_rint(x)); }       \
    CUCPU_D R __double2##name##_rz(double x) { return cucpu_sat_##name(x); }                       \
    CUCPU_D R __double2##name##_ru(double x) { return cucpu_sat_##name(__builtin_ceil(x)); }       \
    CUCPU_D R __double2##name##_rd(double x) { return cucpu_sat_##name(__builtin_floor(x)); }
CUCPU_CAST_(int, int, 0, -__INT_MAX__ - 1)
CUCPU_CAST_(unsigned, uint, 0u, 1u << 31)
CUCPU_CAST_(long long, ll, -__LONG_LONG_MAX__ - 1, -__LONG_LONG_MAX__ - 1)
CUCPU_CAST_(unsigned long long, ull, 1ull << 63, 1ull << 63)
#undef CUCPU_CAST_
CUCPU_D int float2int(float x) { return __float2int_rz(x); }
CUCPU_D unsigned float2uint(float x) { return __float2uint_rz(x); }
CUCPU_D float int2float(int x) { return (float)x; }
CUCPU_D float uint2float(unsigned x) { return (float)x; }

CUCPU_D float __int2float_rn(int x) { return (float)x; }
CUCPU_D float __uint2float_rn(unsigned x) { return (float)x; }
CUCPU_D float __ll2float_rn(long long x) { return (float)x; }
CUCPU_D float __ull2float_rn(unsigned long long x) { return (float)x; }
CUCPU_D double __int2double_rn(int x) { return x; }
CUCPU_D double __uint2double_rn(unsigned x) { return x; }
CUCPU_D double __ll2double_rn(long long x) { return (double)x; }
CUCPU_D double __ull2double_rn(unsigned long long x) { return (double)x; }
CUCPU_D float __double2float_rn(double x) { return (float)x; }
#endif
