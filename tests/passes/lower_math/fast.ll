; The flag afn chooses the fast form, of float only, where there is one and widths agree on it.
; RUN: %cucpu-opt --cpu=x86-64-v3 --passes=lower_math %s | FileCheck %s
; RUN: %cucpu-opt --cpu=x86-64-v2 --passes=lower_math %s | FileCheck %s --check-prefix=V2

define void @f(<8 x float> %x, float %y, double %z, ptr %p) {
; CHECK: call <8 x float> @Sleef_finz_log2f8_u35avx2(
; CHECK: call float @Sleef_finz_logf1_u35purecfma(
; CHECK: call <8 x float> @Sleef_finz_asinf8_u10avx2(
; CHECK: call double @Sleef_finz_atand1_u10purecfma(
; CHECK: call <8 x float> @Sleef_finz_log2f8_u10avx2(
; V2-NOT: u35
  %a = call afn <8 x float> @llvm.log2.v8f32(<8 x float> %x)
  store volatile <8 x float> %a, ptr %p
  %b = call fast float @llvm.log.f32(float %y)
  store volatile float %b, ptr %p
  %c = call afn <8 x float> @llvm.asin.v8f32(<8 x float> %x)
  store volatile <8 x float> %c, ptr %p
  %d = call fast double @llvm.atan.f64(double %z)
  store volatile double %d, ptr %p
  %e = call contract nnan <8 x float> @llvm.log2.v8f32(<8 x float> %x)
  store volatile <8 x float> %e, ptr %p
  ret void
}
