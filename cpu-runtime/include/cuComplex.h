/* cuComplex.h: complex numbers of the CUDA libraries, C and C++, host and device.
**
** Division and absolute value scale their operands, so that neither overflows early. */
#ifndef CUCPU_CUCOMPLEX_H
#define CUCPU_CUCOMPLEX_H
#define CU_COMPLEX_H_ /* programs ask for it */
#include <math.h>
#include "vector_functions.h"
#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
#define CUCPU_CX_ static __host__ __device__ __inline__

CUCPU_CX_ cuFloatComplex make_cuFloatComplex(float r, float i) { return make_float2(r, i); }
CUCPU_CX_ float cuCrealf(cuFloatComplex x) { return x.x; }
CUCPU_CX_ float cuCimagf(cuFloatComplex x) { return x.y; }
CUCPU_CX_ cuFloatComplex cuConjf(cuFloatComplex x) { return make_float2(x.x, -x.y); }
CUCPU_CX_ cuFloatComplex cuCaddf(cuFloatComplex x, cuFloatComplex y) { return make_float2(x.x + y.x, x.y + y.y); }
CUCPU_CX_ cuFloatComplex cuCsubf(cuFloatComplex x, cuFloatComplex y) { return make_float2(x.x - y.x, x.y - y.y); }
CUCPU_CX_ cuFloatComplex cuCmulf(cuFloatComplex x, cuFloatComplex y) {
    return make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
CUCPU_CX_ cuFloatComplex cuCdivf(cuFloatComplex x, cuFloatComplex y) {
    float s = fabsf(y.x) + fabsf(y.y), o = 1.0f / s;
    float a = x.x * o, b = x.y * o, c = y.x * o, d = y.y * o;
    s = 1.0f / (c * c + d * d);
    return make_float2((a * c + b * d) * s, (b * c - a * d) * s);
}
CUCPU_CX_ float cuCabsf(cuFloatComplex x) {
    float a = fabsf(x.x), b = fabsf(x.y), big = a > b ? a : b, small = a > b ? b : a;
    float t = small / big;
    if (big == 0.0f || big > (float)3.402823466e38f || small > (float)3.402823466e38f) return a + b;
    return big * sqrtf(1.0f + t * t);
}
CUCPU_CX_ cuFloatComplex cuCfmaf(cuFloatComplex x, cuFloatComplex y, cuFloatComplex d) {
    return make_float2((x.x * y.x + d.x) - x.y * y.y, (x.x * y.y + d.y) + x.y * y.x);
}
CUCPU_CX_ cuDoubleComplex make_cuDoubleComplex(double r, double i) { return make_double2(r, i); }
CUCPU_CX_ double cuCreal(cuDoubleComplex x) { return x.x; }
CUCPU_CX_ double cuCimag(cuDoubleComplex x) { return x.y; }
CUCPU_CX_ cuDoubleComplex cuConj(cuDoubleComplex x) { return make_double2(x.x, -x.y); }
CUCPU_CX_ cuDoubleComplex cuCadd(cuDoubleComplex x, cuDoubleComplex y) { return make_double2(x.x + y.x, x.y + y.y); }
CUCPU_CX_ cuDoubleComplex cuCsub(cuDoubleComplex x, cuDoubleComplex y) { return make_double2(x.x - y.x, x.y - y.y); }
CUCPU_CX_ cuDoubleComplex cuCmul(cuDoubleComplex x, cuDoubleComplex y) {
    return make_double2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
CUCPU_CX_ cuDoubleComplex cuCdiv(cuDoubleComplex x, cuDoubleComplex y) {
    double s = fabs(y.x) + fabs(y.y), o = 1.0 / s;
    double a = x.x * o, b = x.y * o, c = y.x * o, d = y.y * o;
    s = 1.0 / (c * c + d * d);
    return make_double2((a * c + b * d) * s, (b * c - a * d) * s);
}
CUCPU_CX_ double cuCabs(cuDoubleComplex x) {
    double a = fabs(x.x), b = fabs(x.y), big = a > b ? a : b, small = a > b ? b : a;
    double t = small / big;
    if (big == 0.0 || big > (double)1.79769313486231570e+308 || small > (double)1.79769313486231570e+308) return a + b;
    return big * sqrt(1.0 + t * t);
}
CUCPU_CX_ cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d) {
    return make_double2((x.x * y.x + d.x) - x.y * y.y, (x.x * y.y + d.y) + x.y * y.x);
}
CUCPU_CX_ cuComplex make_cuComplex(float r, float i) { return make_cuFloatComplex(r, i); }
CUCPU_CX_ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) {
    return make_cuDoubleComplex((double)c.x, (double)c.y);
}
CUCPU_CX_ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
    return make_cuFloatComplex((float)c.x, (float)c.y);
}
#endif
