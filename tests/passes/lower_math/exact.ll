; Functions that are instruction sequences: no call is left that the back end would cut into lanes.
; RUN: %cucpu-opt --cpu=x86-64-v3 --passes=lower_math %s | FileCheck %s
; RUN: %cucpu-opt --cpu=x86-64-v4 --passes=lower_math %s | FileCheck %s --check-prefix=V4
; RUN: %cucpu-opt --cpu=x86-64-v2 --passes=lower_math %s | FileCheck %s --check-prefix=V2
; RUN: %cucpu-opt --cpu=x86-64-v3 --passes=lower_math %s | llc -mcpu=x86-64-v3 -o - | FileCheck %s --check-prefix=ASM
; ASM-NOT: {{call.*(ldexp|frexp|modf|fma)}}
; ASM-NOT: {{v?cvttss2si}}

define <8 x float> @ldexp(<8 x float> %x, <8 x i32> %e) {
; CHECK-LABEL: @ldexp
; CHECK-NOT: llvm.ldexp
; CHECK: ret
; V4-LABEL: @ldexp
; V4: call <8 x float> @llvm.ldexp
  %r = call <8 x float> @llvm.ldexp.v8f32.v8i32(<8 x float> %x, <8 x i32> %e)
  ret <8 x float> %r
}

define {<8 x double>, <8 x i32>} @frexp(<8 x double> %x) {
; CHECK-LABEL: @frexp
; CHECK-NOT: llvm.frexp
; CHECK: ret
  %r = call {<8 x double>, <8 x i32>} @llvm.frexp.v8f64.v8i32(<8 x double> %x)
  ret {<8 x double>, <8 x i32>} %r
}

define {<8 x float>, <8 x float>} @modf(<8 x float> %x) {
; CHECK-LABEL: @modf
; CHECK: llvm.trunc.v8f32
; CHECK-NOT: llvm.modf
; CHECK: ret
  %r = call {<8 x float>, <8 x float>} @llvm.modf.v8f32(<8 x float> %x)
  ret {<8 x float>, <8 x float>} %r
}

; Without the instruction, fma of floats is computed in double; with it, it stays.
define <4 x float> @fma(<4 x float> %x, <4 x float> %y, <4 x float> %z) {
; CHECK-LABEL: @fma
; CHECK: call <4 x float> @llvm.fma.v4f32
; V2-LABEL: @fma
; V2-NOT: llvm.fma
; V2: fmul <4 x double>
; V2: ret
  %r = call <4 x float> @llvm.fma.v4f32(<4 x float> %x, <4 x float> %y, <4 x float> %z)
  ret <4 x float> %r
}

define <8 x i32> @to_int(<8 x float> %x) {
; CHECK-LABEL: @to_int
; CHECK: [[V:%.*]] = fcmp ord <8 x float> %x, %x
; CHECK: [[X:%.*]] = select <8 x i1> [[V]], <8 x float> %x, <8 x float> zeroinitializer
; CHECK: [[I:%.*]] = call <8 x i32> @llvm.x86.avx.cvtt.ps2dq.256(<8 x float> [[X]])
; CHECK: [[A:%.*]] = fcmp oge <8 x float> %x, splat (float 0x41E0000000000000)
; CHECK: select <8 x i1> [[A]], <8 x i32> splat (i32 2147483647), <8 x i32> [[I]]
; V2-LABEL: @to_int
; V2-COUNT-2: call <4 x i32> @llvm.x86.sse2.cvttps2dq(
  %r = call <8 x i32> @llvm.fptosi.sat.v8i32.v8f32(<8 x float> %x)
  ret <8 x i32> %r
}

; Others by LLVM's conversion, which is undefined out of range.
define <4 x i32> @from_double(<4 x double> %x) {
; CHECK-LABEL: @from_double
; CHECK: [[I:%.*]] = fptosi <4 x double> %x to <4 x i32>
; CHECK: freeze <4 x i32> [[I]]
; CHECK-NOT: fptosi.sat
; CHECK: ret
  %r = call <4 x i32> @llvm.fptosi.sat.v4i32.v4f64(<4 x double> %x)
  ret <4 x i32> %r
}
declare <4 x i32> @llvm.fptosi.sat.v4i32.v4f64(<4 x double>)

define <32 x i32> @to_unsigned(<32 x float> %x) {
; CHECK-LABEL: @to_unsigned
; V4-LABEL: @to_unsigned
; V4-COUNT-2: call <16 x i32> @llvm.x86.avx512.mask.cvttps2udq.512(
  %r = call <32 x i32> @llvm.fptoui.sat.v32i32.v32f32(<32 x float> %x)
  ret <32 x i32> %r
}
declare <32 x i32> @llvm.fptoui.sat.v32i32.v32f32(<32 x float>)

; exp of floats: no call, no conversion, the same operations in a scalar.
define <8 x float> @exp(<8 x float> %x) {
; CHECK-LABEL: @exp(
; CHECK-NOT: Sleef
; CHECK-COUNT-8: call <8 x float> @llvm.fma.v8f32
; CHECK-NOT: Sleef
; CHECK: ret
; V4-LABEL: @exp(
; V4: call <8 x float> @llvm.ldexp.v8f32.v8i32
; V2-LABEL: @exp(
; V2: @Sleef_cinz_expf4_u10sse4
  %r = call <8 x float> @llvm.exp.v8f32(<8 x float> %x)
  ret <8 x float> %r
}
define float @exp1(float %x) {
; CHECK-LABEL: @exp1(
; CHECK-NOT: Sleef
; CHECK-COUNT-8: call float @llvm.fma.f32
; CHECK: ret
  %r = call float @llvm.exp.f32(float %x)
  ret float %r
}

; Exponents of powi may differ between lanes; in double every exponent is exact.
define <8 x float> @powi(<8 x float> %x, <8 x i32> %e) {
; CHECK-LABEL: @powi
; CHECK: sitofp <8 x i32> %e to <8 x double>
; CHECK: call <8 x double> @cucpu.guard.pow.v8(
; CHECK: fptrunc
  %r = call <8 x float> @cucpu.math.powif.v8(<8 x float> %x, <8 x i32> %e)
  ret <8 x float> %r
}
declare <8 x float> @cucpu.math.powif.v8(<8 x float>, <8 x i32>)
