; An estimate and a Newton step where the CPU has an estimate; where that is 0 or infinite it stays. Else a root and a division.
; RUN: %cucpu-opt --cpu=x86-64-v3 --passes=lower_math %s | FileCheck %s --check-prefix=V3
; RUN: %cucpu-opt --cpu=x86-64-v4 --passes=lower_math %s | FileCheck %s --check-prefix=V4

define <16 x float> @group(<16 x float> %x) {
; V3-LABEL: @group
; V3: call <16 x float> @llvm.sqrt.v16f32(
; V3-NEXT: fdiv <16 x float> splat (float 1.000000e+00)
; V4-LABEL: @group
; V4: [[Y:%.*]] = call <16 x float> @llvm.x86.avx512.rsqrt14.ps.512(<16 x float> %x
; V4-COUNT-2: call <16 x float> @llvm.fma.v16f32(
; V4: call <16 x float> @llvm.x86.avx512.mask.fixupimm.ps.512(<16 x float> {{%.*}}, <16 x float> [[Y]], <16 x i32> splat (i32 1114368), i32 0, i16 -1, i32 4)
; V4-NEXT: ret
  %r = call <16 x float> @cucpu.math.cucpu_rsqrtf.v16(<16 x float> %x)
  ret <16 x float> %r
}

declare <16 x float> @cucpu.math.cucpu_rsqrtf.v16(<16 x float>)
