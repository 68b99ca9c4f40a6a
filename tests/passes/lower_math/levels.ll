; One vector of 16 floats on each CPU level: cut into registers; the scalar is of the same family.
; RUN: %cucpu-opt --cpu=x86-64 --passes=lower_math %s | FileCheck %s --check-prefix=SSE2
; RUN: %cucpu-opt --cpu=x86-64-v2 --passes=lower_math %s | FileCheck %s --check-prefix=V2
; RUN: %cucpu-opt --cpu=x86-64-v3 --passes=lower_math %s | FileCheck %s --check-prefix=V3
; RUN: %cucpu-opt --cpu=x86-64-v4 --passes=lower_math %s | FileCheck %s --check-prefix=V4

define <16 x float> @wide(<16 x float> %x) {
; SSE2-LABEL: @wide
; SSE2-COUNT-4: call <4 x float> @Sleef_cinz_asinf4_u10sse2(
; SSE2-NOT: call
; SSE2: ret
; V2-LABEL: @wide
; V2-COUNT-4: call <4 x float> @Sleef_cinz_asinf4_u10sse4(
; V2-NOT: call
; V2: ret
; V3-LABEL: @wide
; V3-COUNT-2: call <8 x float> @Sleef_finz_asinf8_u10avx2(
; V3-NOT: call
; V3: ret
; V4-LABEL: @wide
; V4-NEXT: %r = call <16 x float> @Sleef_finz_asinf16_u10avx512f(<16 x float> %x)
; V4-NEXT: ret <16 x float> %r
  %r = call <16 x float> @llvm.asin.v16f32(<16 x float> %x)
  ret <16 x float> %r
}

define <2 x float> @narrow(<2 x float> %x) {
; V2-LABEL: @narrow
; V2: call <4 x float> @Sleef_cinz_asinf4_u10sse4(
; V4-LABEL: @narrow
; V4: [[P:%.*]] = shufflevector <2 x float> %x, <2 x float> poison, <4 x i32> <i32 0, i32 1, i32 0, i32 0>
; V4: call <4 x float> @Sleef_finz_asinf4_u10avx2128(<4 x float> [[P]])
; V4: ret <2 x float>
  %r = call <2 x float> @llvm.asin.v2f32(<2 x float> %x)
  ret <2 x float> %r
}

define double @scalar(double %x) {
; V2-LABEL: @scalar
; V2: call double @Sleef_cinz_asind1_u10purec(double %x)
; V4-LABEL: @scalar
; V4: call double @Sleef_finz_asind1_u10purecfma(double %x)
  %r = call double @llvm.asin.f64(double %x)
  ret double %r
}

; V4: declare <16 x float> @Sleef_finz_asinf16_u10avx512f(<16 x float>) [[A:#[0-9]+]]
; V4: attributes [[A]] = {{{.*}}nounwind willreturn memory(none)
