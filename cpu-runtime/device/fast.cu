/* fast.cu: the fast intrinsics (__sinf, __expf ...).
**
** Compiled with -fapprox-func: the LLVM intrinsics in here carry the afn flag, by which the compiler
** recognises that the less precise vector functions (3.5 ulp) may stand for them, and sines and cosines only of
** arguments that are not large (docs/math.md).  That is the only
** difference from sinf and friends, so each is within the bounds of the precise one too, there. */
#include "lib.h"

#define FAST extern "C" __device__ __attribute__((always_inline))
FAST float __nv_fast_sinf(float x) { return __builtin_sinf(x); }
FAST float __nv_fast_cosf(float x) { return __builtin_cosf(x); }
FAST float __nv_fast_tanf(float x) { return __builtin_sinf(x) / __builtin_cosf(x); }
FAST float __nv_fast_tanhf(float x) { return __builtin_tanhf(x); }
FAST float __nv_fast_expf(float x) { return __builtin_expf(x); }
FAST float __nv_fast_exp10f(float x) { return __builtin_exp10f(x); }
FAST float __nv_fast_logf(float x) { return __builtin_logf(x); }
FAST float __nv_fast_log2f(float x) { return __builtin_log2f(x); }
FAST float __nv_fast_log10f(float x) { return __builtin_log10f(x); }
/* As documented: exp2(y*log2(x)), so a negative x gives NaN. */
FAST float __nv_fast_powf(float x, float y) { return __builtin_exp2f(y * __builtin_log2f(x)); }
