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

CUCPU_CX_ cuFloatComplex make_cuFloatComplex(float r_, float i_) { return make_float2(r_, i_); }
CUCPU_CX_ float cuCrealf(cuFloatComplex x) { return x.x; }
CUCPU_CX_ float cuCimagf(cuFloatComplex x) { return x.y; }
CUCPU_CX_ cuFloatComplex cuConjf(cuFloatComplex x) { return make_float2(x.x, -x.y); }
CUCPU_CX_ cuFloatComplex cuCaddf(cuFloatComplex x, cuFloatComplex y) { return make_float2(x.x + y.x, x.y + y.y); }
CUCPU_CX_ cuFloatComplex cuCsubf(cuFloatComplex x, cuFloatComplex y) { return make_float2(x.x - y.x, x.y - y.y); }
CUCPU_CX_ cuFloatComplex cuCmulf(cuFloatComplex x, cuFloatComplex y) {
    return make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
CUCPU_CX_ cuFloatComplex cuCdivf(cuFloatComplex x, cuFloatComplex y) {
    float s_ = fabsf(y.x) + fabsf(y.y), o_ = 1.0f / s_;
    float a_ = x.x * o_, b_ = x.y * o_, c_ = y.x * o_, d_ = y.y * o_;
    s_ = 1.0f / (c_ * c_ + d_ * d_);
    return make_float2((a_ * c_ + b_ * d_) * s_, (b_ * c_ - a_ * d_) * s_);
}
CUCPU_CX_ float cuCabsf(cuFloatComplex x) {
    float a_ = fabsf(x.x), b_ = fabsf(x.y), big = a_ > b_ ? a_ : b_, small = a_ > b_ ? b_ : a_;
    float t_ = small / big;
    if (big == 0.0f || big > (float)3.402823466e38f || small > (float)3.402823466e38f) return a_ + b_;
    return big * sqrtf(1.0f + t_ * t_);
}
CUCPU_CX_ cuFloatComplex cuCfmaf(cuFloatComplex x, cuFloatComplex y, cuFloatComplex d_) {
    return make_float2((x.x * y.x + d_.x) - x.y * y.y, (x.x * y.y + d_.y) + x.y * y.x);
}
CUCPU_CX_ cuDoubleComplex make_cuDoubleComplex(double r_, double i_) { return make_double2(r_, i_); }
CUCPU_CX_ double cuCreal(cuDoubleComplex x) { return x.x; }
CUCPU_CX_ double cuCimag(cuDoubleComplex x) { return x.y; }
CUCPU_CX_ cuDoubleComplex cuConj(cuDoubleComplex x) { return make_double2(x.x, -x.y); }
CUCPU_CX_ cuDoubleComplex cuCadd(cuDoubleComplex x, cuDoubleComplex y) { return make_double2(x.x + y.x, x.y + y.y); }
CUCPU_CX_ cuDoubleComplex cuCsub(cuDoubleComplex x, cuDoubleComplex y) { return make_double2(x.x - y.x, x.y - y.y); }
CUCPU_CX_ cuDoubleComplex cuCmul(cuDoubleComplex x, cuDoubleComplex y) {
    return make_double2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
CUCPU_CX_ cuDoubleComplex cuCdiv(cuDoubleComplex x, cuDoubleComplex y) {
    double s_ = fabs(y.x) + fabs(y.y), o_ = 1.0 / s_;
    double a_ = x.x * o_, b_ = x.y * o_, c_ = y.x * o_, d_ = y.y * o_;
    s_ = 1.0 / (c_ * c_ + d_ * d_);
    return make_double2((a_ * c_ + b_ * d_) * s_, (b_ * c_ - a_ * d_) * s_);
}
CUCPU_CX_ double cuCabs(cuDoubleComplex x) {
    double a_ = fabs(x.x), b_ = fabs(x.y), big = a_ > b_ ? a_ : b_, small = a_ > b_ ? b_ : a_;
    double t_ = small / big;
    if (big == 0.0 || big > (double)1.79769313486231570e+308 || small > (double)1.79769313486231570e+308) return a_ + b_;
    return big * sqrt(1.0 + t_ * t_);
}
CUCPU_CX_ cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d_) {
    return make_double2((x.x * y.x + d_.x) - x.y * y.y, (x.x * y.y + d_.y) + x.y * y.x);
}
CUCPU_CX_ cuComplex make_cuComplex(float r_, float i_) { return make_cuFloatComplex(r_, i_); }
CUCPU_CX_ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c_) {
    return make_cuDoubleComplex((double)c_.x, (double)c_.y);
}
CUCPU_CX_ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c_) {
    return make_cuFloatComplex((float)c_.x, (float)c_.y);
}
#endif
