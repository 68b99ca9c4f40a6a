; sin and cos are instructions where there is fused multiply-add; those of one argument share the reduction, and one rare branch
; leads to SLEEF for large arguments.  The fast forms have no branch.
; RUN: %cucpu-opt --cpu=x86-64-v3 --passes=lower_math %s | FileCheck %s
; RUN: %cucpu-opt --cpu=x86-64-v2 --passes=lower_math %s | FileCheck %s --check-prefix=V2
; RUN: %cucpu-opt --cpu=x86-64-v3 --passes=lower_math %s -o %t.ll && %clang -O2 -march=x86-64-v3 -S -emit-llvm -Wno-override-module -x ir %t.ll -o - | FileCheck %s --check-prefix=INLINE

define <8 x float> @pair(<8 x float> %x) {
; CHECK-LABEL: @pair(
; CHECK-NEXT: [[P:%.*]] = call { <8 x float>, <8 x float> } @cucpu.guard.sincosf.v8(<8 x float> %x) [[ALWAYS:#[0-9]+]]
; CHECK-NOT: call
; CHECK: fsub <8 x float>
; V2-LABEL: @pair(
; V2-COUNT-2: call <4 x float> @Sleef_cinz_cosf4_u10sse4(
; V2-COUNT-2: call <4 x float> @Sleef_cinz_sinf4_u10sse4(
; INLINE-LABEL: @pair(
; INLINE-COUNT-1: fadd <8 x float> %{{.*}}, splat (float 0xC168000000000000)
; INLINE-COUNT-1: br i1
; INLINE-NOT: br i1
; INLINE: call <8 x float> @Sleef_finz_sinf8_u35avx2(
; INLINE-NEXT: call <8 x float> @Sleef_finz_cosf8_u35avx2(
; INLINE: ret
  %c = call <8 x float> @llvm.cos.v8f32(<8 x float> %x)
  %s = call <8 x float> @llvm.sin.v8f32(<8 x float> %x)
  %d = fsub <8 x float> %s, %c
  ret <8 x float> %d
}

define double @apart(double %x, double %y) {
; CHECK-LABEL: @apart(
; CHECK: call double @cucpu.guard.cos.v1(double %x) [[ALWAYS]]
; CHECK: call double @cucpu.guard.sin.v1(double %y) [[ALWAYS]]
  %c = call double @llvm.cos.f64(double %x)
  %s = call double @llvm.sin.f64(double %y)
  %d = fsub double %s, %c
  ret double %d
}

define <8 x float> @fast(<8 x float> %x) {
; CHECK-LABEL: @fast(
; CHECK-COUNT-1: fsub <8 x float>
; CHECK-NOT: br
; CHECK-NOT: Sleef
; CHECK: ret
  %s = call afn <8 x float> @llvm.sin.v8f32(<8 x float> %x)
  %c = call afn <8 x float> @llvm.cos.v8f32(<8 x float> %x)
  %d = fdiv <8 x float> %s, %c
  ret <8 x float> %d
}

; CHECK: define internal { <8 x float>, <8 x float> } @cucpu.guard.sincosf.v8(
; CHECK: freeze
; CHECK: fcmp ugt <8 x float> {{.*}}, splat (float 1.310720e+05)
; CHECK: br i1 {{.*}}, label %rare, label %done, !prof
; CHECK: attributes [[ALWAYS]] = { alwaysinline }
