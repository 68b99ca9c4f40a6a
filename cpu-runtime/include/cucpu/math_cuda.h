/* math_cuda.h: CUDA's own math functions (rsqrt, sinpi, norm3d, normcdf ...), host and device.
**
** Short ones are here, from the C functions; long ones (Bessel functions, inverses of erf and
** normcdf, erfcx) are calls into the device library.  float overloads of the CUDA-only names are
** in the global namespace, as CUDA has them. */
#ifndef CUCPU_MATH_CUDA_H
#define CUCPU_MATH_CUDA_H
#include "defs.h"

CUCPU_HD float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
CUCPU_HD double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
CUCPU_HD float rcbrtf(float x) { return 1.0f / __builtin_cbrtf(x); }
CUCPU_HD double rcbrt(double x) { return 1.0 / __builtin_cbrt(x); }
CUCPU_HD float fdividef(float x, float y) { return x / y; }
CUCPU_HD float saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
#endif
