// C math functions are LLVM intrinsics or libm calls by name, in every spelling.
// RUN: %device %s | FileCheck %s
#include <cmath>
// CHECK-LABEL: define {{.*}} @_Z1fPf(
__global__ void f(float *p) {
#define CHECKED(n, e) p[n] = e
    // CHECK: @llvm.sin.f32
    CHECKED(0, sinf(p[0]));
    // CHECK: @llvm.cos.f32
    CHECKED(1, std::cos(p[1]));
    // CHECK: @llvm.exp.f32
    CHECKED(2, exp(p[2]));
    // CHECK: @llvm.pow.f32
    CHECKED(3, powf(p[3], 3.5f));
    // CHECK: @llvm.sqrt.f32
    CHECKED(4, std::sqrt(p[4]));
    // CHECK: @llvm.maxnum.f32
    CHECKED(5, fmaxf(p[5], 1.0f));
    // CHECK: @llvm.fabs.f32
    CHECKED(6, std::abs(p[6]));
    // CHECK: @erff(
    CHECKED(7, erff(p[7]));
    // CHECK: @fmodf(
    CHECKED(8, fmodf(p[8], 3.0f));
    // CHECK: @llvm.atan2.f32
    CHECKED(9, atan2f(p[9], 2.0f));
    // CHECK: @llvm.tanh.f32
    CHECKED(10, tanhf(p[10]));
    // CHECK: @cucpu_rsqrtf(
    CHECKED(11, rsqrtf(p[11]));
    // CHECK: @llvm.sincos.f32
    sincosf(p[12], p + 13, p + 14);
    // CHECK: @__nv_fast_expf(
    CHECKED(15, __expf(p[15]));
    // CHECK: @__nv_erfinvf(
    CHECKED(16, erfinvf(p[16]));
    // CHECK: @llvm.fptosi.sat.i32.f32
    CHECKED(17, (float)__float2int_rz(p[17]));
    // CHECK: @llvm.rint.f32
    // CHECK: @llvm.fptoui.sat.i32.f32
    CHECKED(18, (float)__float2uint_rn(p[18]));
    // CHECK: ret void
}
// CHECK-LABEL: define {{.*}} @_Z1dPdi(
__global__ void d(double *p, int n) {
    // CHECK: @llvm.log.f64
    CHECKED(0, log(p[0]));
    // CHECK: @llvm.fma.f64
    CHECKED(1, fma(p[1], 2.0, 3.0));
    // CHECK: @llvm.floor.f64
    CHECKED(2, std::floor(p[2]));
    // CHECK: @llvm.abs.i32
    CHECKED(3, abs(n));
    // CHECK: @cbrt(
    CHECKED(4, cbrt(p[4]));
    // CHECK: @llvm.ldexp.f64.i32
    CHECKED(5, ldexp(p[5], n));
    // CHECK: @__nv_sinpi(
    CHECKED(6, sinpi(p[6]));
    // CHECK: fmul double
    // CHECK: fadd double
    CHECKED(7, __dadd_rn(__dmul_rn(p[7], p[8]), p[9]));
    // CHECK: @__nv_dadd_ru(
    CHECKED(10, __dadd_ru(p[10], 1.0));
    // CHECK: ret void
}
