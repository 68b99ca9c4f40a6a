; Scalar calls in an entry of width 1 name the vector functions of their family, which kernel_table and LLVM's
; clean-up leave alone until the vectorizer has run.  Other entries and functions have no such calls.
; RUN: %cucpu-opt --passes=loop_groups,lower_math --simd=1 --cpu=x86-64-v3 %s | FileCheck %s --check-prefixes=CHECK,FINZ
; RUN: %cucpu-opt --passes=loop_groups,lower_math --simd=1 --cpu=x86-64 %s | FileCheck %s --check-prefix=CINZ
; RUN: %cucpu-opt --passes=make_variants,mark_parallel,loop_groups,lower_math,kernel_table,optimise --simd=1 --cpu=x86-64-v3 %s | FileCheck --check-prefix=USED %s
declare i32 @cucpu.tid.x()
declare float @llvm.log.f32(float)
declare double @llvm.pow.f64(double, double)
declare double @llvm.atan2.f64(double, double)
; FINZ: @llvm.compiler.used = {{.*}}@Sleef_finz_logf4_u10avx2128, ptr @Sleef_finz_logf8_u10avx2
; CHECK: call float @Sleef_finz_logf1_u10purecfma(float %x{{.*}}) #[[LOG:[0-9]+]]
; CHECK: call double @Sleef_finz_atan2d1_u10purecfma(double %y, double %y) #[[ATAN:[0-9]+]]
; CHECK: call double @cucpu.guard.pow.v1(double %y, double %y){{$}}
; FINZ-DAG: attributes #[[LOG]] = { "vector-function-abi-variant"="_ZGV_LLVM_N4v_Sleef_finz_logf1_u10purecfma(Sleef_finz_logf4_u10avx2128),_ZGV_LLVM_N8v_Sleef_finz_logf1_u10purecfma(Sleef_finz_logf8_u10avx2)" }
; FINZ-DAG: attributes #[[ATAN]] = { "vector-function-abi-variant"="_ZGV_LLVM_N2vv_Sleef_finz_atan2d1_u10purecfma(Sleef_finz_atan2d2_u10avx2128),_ZGV_LLVM_N4vv_Sleef_finz_atan2d1_u10purecfma(Sleef_finz_atan2d4_u10avx2)" }
; CINZ: "vector-function-abi-variant"="_ZGV_LLVM_N4v_Sleef_cinz_logf1_u10purec(Sleef_cinz_logf4_u10sse2)"
; USED-LABEL: define internal {{.*}}@k.w1.rows_full.entry
; USED-NOT: define
; USED: call <8 x float> @Sleef_finz_logf8_u10avx2(
define void @k(ptr %p, ptr %q, double %y) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr float, ptr %p, i64 %i
  %x = load float, ptr %a
  %l = call float @llvm.log.f32(float %x)
  store float %l, ptr %a
  ret void
}
define void @m(ptr %q, double %y) "cucpu.kernel" {
  %r = call double @llvm.atan2.f64(double %y, double %y)
  store double %r, ptr %q
  %s = call double @llvm.pow.f64(double %y, double %y)
  store double %s, ptr %q
  ret void
}
