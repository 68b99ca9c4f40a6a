/* arith.h: arithmetic with an explicit rounding mode, and the fast intrinsics. */
#ifndef CUCPU_ARITH_H
#define CUCPU_ARITH_H
#include "defs.h"

CUCPU_D float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
CUCPU_D float __sinf(float x) { return __builtin_sinf(x); }
CUCPU_D float __cosf(float x) { return __builtin_cosf(x); }
CUCPU_D float __tanf(float x) { return __builtin_tanf(x); }
CUCPU_D void __sincosf(float x, float *s, float *c) { __builtin_sincosf(x, s, c); }
CUCPU_D float __expf(float x) { return __builtin_expf(x); }
CUCPU_D float __exp10f(float x) { return __builtin_exp10f(x); }
CUCPU_D float __logf(float x) { return __builtin_logf(x); }
CUCPU_D float __log2f(float x) { return __builtin_log2f(x); }
CUCPU_D float __log10f(float x) { return __builtin_log10f(x); }
CUCPU_D float __powf(float x, float y) { return __builtin_powf(x, y); }
CUCPU_D float __fdividef(float x, float y) { return x / y; }
CUCPU_D float __frsqrt_rn(float x) { return 1.0f / __builtin_sqrtf(x); }
#endif
