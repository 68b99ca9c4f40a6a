; Where SLEEF is wrong beyond a limit, one helper per function and width adds the C function.
; RUN: %cucpu-opt --cpu=x86-64-v3 --passes=lower_math %s | FileCheck %s

define <16 x float> @f(<16 x float> %x) {
; CHECK-LABEL: @f(
; CHECK-NEXT: %a = call <16 x float> @cucpu.guard.asinhf.v16(<16 x float> %x)
; CHECK-NEXT: %b = call <16 x float> @cucpu.guard.asinhf.v16(<16 x float> %a)
  %a = call <16 x float> @cucpu.math.asinhf.v16(<16 x float> %x)
  %b = call <16 x float> @cucpu.math.asinhf.v16(<16 x float> %a)
  ret <16 x float> %b
}

define float @scalar(float %x) {
; CHECK-LABEL: @scalar(
; CHECK-NEXT: call float @cucpu.guard.asinhf.v1(float %x)
  %a = call float @asinhf(float %x)
  ret float %a
}

; CHECK-LABEL: define internal <16 x float> @cucpu.guard.asinhf.v16(<16 x float> %0)
; CHECK: [[X:%.*]] = freeze <16 x float> %0
; CHECK-COUNT-2: call <8 x float> @Sleef_finz_asinhf8_u10avx2(
; CHECK: [[M:%.*]] = fcmp ogt <16 x float>
; CHECK: call i1 @llvm.vector.reduce.or.v16i1(<16 x i1> [[M]])
; CHECK: rare:
; CHECK: call <16 x double> @cucpu.lanes.asinh.v16(
; CHECK: select <16 x i1> [[M]], <16 x float>
; CHECK-LABEL: define internal <16 x double> @cucpu.lanes.asinh.v16(
; CHECK: call double @asinh(double
; CHECK-LABEL: define internal float @cucpu.guard.asinhf.v1(float %0)
; CHECK: call float @Sleef_finz_asinhf1_u10purecfma(
; CHECK: call double @asinh(double

declare float @asinhf(float)
declare <16 x float> @cucpu.math.asinhf.v16(<16 x float>)
