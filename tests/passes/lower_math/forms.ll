; The three forms of input: intrinsics, C functions, and what widen makes of C functions.
; RUN: %cucpu-opt --cpu=x86-64-v4 --passes=lower_math %s | FileCheck %s
; RUN: %cucpu-opt --cpu=x86-64-v4 --passes=lower_math %s -o %t && %cucpu-opt --cpu=x86-64-v4 --passes=lower_math %t | diff %t - -I ModuleID

define float @named(float %x, float %y) {
; CHECK-LABEL: @named
; CHECK-NEXT: %a = call float @Sleef_finz_erff1_u10purecfma(float %x)
; CHECK-NEXT: %b = call float @Sleef_finz_hypotf1_u05purecfma(float %a, float %y)
; CHECK-NEXT: %c = call float @fmodf(float %b, float %y)
; CHECK-NEXT: %d = call float @fmodf(float %c, float %x)
; CHECK-NEXT: ret float %d
  %a = call float @erff(float %x)
  %b = call float @hypotf(float %a, float %y)
  %c = call float @fmodf(float %b, float %y)
  %d = frem float %c, %x
  ret float %d
}

define <16 x float> @widened(<16 x float> %x, <16 x float> %y) {
; CHECK-LABEL: @widened
; CHECK-NEXT: %a = call <16 x float> @Sleef_finz_erff16_u10avx512f(<16 x float> %x)
; CHECK-NEXT: %b = call <16 x float> @Sleef_finz_hypotf16_u05avx512f(<16 x float> %a, <16 x float> %y)
; CHECK-NEXT: %c = call <16 x float> @cucpu.guard.fmodf.v16(<16 x float> %b, <16 x float> %y)
; CHECK-NEXT: ret <16 x float> %c
  %a = call <16 x float> @cucpu.math.erff.v16(<16 x float> %x)
  %b = call <16 x float> @cucpu.math.hypotf.v16(<16 x float> %a, <16 x float> %y)
  %c = call <16 x float> @cucpu.math.fmodf.v16(<16 x float> %b, <16 x float> %y)
  ret <16 x float> %c
}

; A function of the program with the name of a C function is the program's.
define float @cbrtf(float %x) {
  ret float %x
}
define float @own(float %x) {
; CHECK-LABEL: @own
; CHECK-NEXT: %r = call float @cbrtf(float %x)
  %r = call float @cbrtf(float %x)
  ret float %r
}

; Other types than the C function's: not ours either.
define i32 @other(i32 %x) {
; CHECK-LABEL: @other
; CHECK-NEXT: %r = call i32 @expm1f(i32 %x)
  %r = call i32 @expm1f(i32 %x)
  ret i32 %r
}

; half goes through float.
define half @half(half %x) {
; CHECK-LABEL: @half
; CHECK-NEXT: [[F:%.*]] = fpext half %x to float
; CHECK-NEXT: [[R:%.*]] = call float @Sleef_finz_atanf1_u10purecfma(float [[F]])
; CHECK-NEXT: %r = fptrunc float [[R]] to half
  %r = call half @llvm.atan.f16(half %x)
  ret half %r
}

; What the back end has instructions for stays.
define <16 x float> @native(<16 x float> %x) {
; CHECK-LABEL: @native
; CHECK-NEXT: %a = call <16 x float> @llvm.sqrt.v16f32(<16 x float> %x)
; CHECK-NEXT: %b = call <16 x float> @llvm.fma.v16f32(<16 x float> %a, <16 x float> %x, <16 x float> %x)
; CHECK-NEXT: %c = call <16 x float> @llvm.round.v16f32(<16 x float> %b)
; CHECK-NEXT: [[S:%.*]] = call <16 x float> @llvm.sqrt.v16f32(<16 x float> %c)
; CHECK-NEXT: ret <16 x float> [[S]]
  %a = call <16 x float> @llvm.sqrt.v16f32(<16 x float> %x)
  %b = call <16 x float> @llvm.fma.v16f32(<16 x float> %a, <16 x float> %x, <16 x float> %x)
  %c = call <16 x float> @llvm.round.v16f32(<16 x float> %b)
  %d = call <16 x float> @cucpu.math.sqrtf.v16(<16 x float> %c)
  ret <16 x float> %d
}

; CHECK-LABEL: define internal <16 x float> @cucpu.guard.fmodf.v16(
; CHECK: call <16 x float> @Sleef_finz_fmodf16_avx512f(
; CHECK: call <16 x double> @cucpu.lanes.fmod.v16(
; CHECK-LABEL: define internal <16 x double> @cucpu.lanes.fmod.v16(
; CHECK: call double @fmod(double
; CHECK: icmp eq i32 {{.*}}, 16

declare float @erff(float)
declare float @hypotf(float, float)
declare float @fmodf(float, float)
declare i32 @expm1f(i32)
declare <16 x float> @cucpu.math.erff.v16(<16 x float>)
declare <16 x float> @cucpu.math.hypotf.v16(<16 x float>, <16 x float>)
declare <16 x float> @cucpu.math.fmodf.v16(<16 x float>, <16 x float>)
declare <16 x float> @cucpu.math.sqrtf.v16(<16 x float>)
