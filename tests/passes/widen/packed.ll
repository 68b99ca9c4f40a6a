; Fields that are computed alike stay as they lie in memory: no shuffles but those that repeat what a thread's fields share.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,linearise,widen,optimise --simd=4 --opt=3 --cpu=x86-64-v2 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,linearise,widen,optimise --simd=4 --opt=3 --cpu=x86-64-v2 --disable=packed %s | FileCheck --check-prefix=OFF %s
declare i32 @cucpu.tid.x()
declare float @llvm.fma.f32(float, float, float)

; OFF-LABEL: define {{.*}}@pairs.w4.rows_full(
; OFF: shufflevector
; CHECK-LABEL: define {{.*}}@pairs.w4.rows_full(
; CHECK-NOT: shufflevector
; CHECK-COUNT-2: call <4 x float> @llvm.fma
; CHECK-NOT: shufflevector
; CHECK: ret void
define void @pairs(ptr noalias %p, ptr noalias %q) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { float, float }, ptr %p, i64 %i
  %a1 = getelementptr i8, ptr %a, i64 4
  %b = getelementptr { float, float }, ptr %q, i64 %i
  %b1 = getelementptr i8, ptr %b, i64 4
  %x = load float, ptr %a, align 4
  %y = load float, ptr %a1, align 4
  %u = load float, ptr %b, align 4
  %v = load float, ptr %b1, align 4
  %r = call float @llvm.fma.f32(float %x, float 3.0, float %u)
  %s = call float @llvm.fma.f32(float %y, float 5.0, float %v)
  store float %r, ptr %a, align 4
  store float %s, ptr %a1, align 4
  ret void
}

; Exchanged fields, and operations that differ, are taken apart.
; CHECK-LABEL: define {{.*}}@exchanged.w4.rows_full(
; CHECK: shufflevector
; CHECK: ret void
define void @exchanged(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { float, float }, ptr %p, i64 %i
  %a1 = getelementptr i8, ptr %a, i64 4
  %x = load float, ptr %a, align 4
  %y = load float, ptr %a1, align 4
  %r = fmul float %x, 3.0
  %s = fmul float %y, 3.0
  store float %s, ptr %a, align 4
  store float %r, ptr %a1, align 4
  ret void
}

; A factor of the thread is repeated, the fourth field is blended in.
; CHECK-LABEL: define {{.*}}@shared.w4.rows_full(
; CHECK-DAG: <4 x i32> zeroinitializer
; CHECK-DAG: <i32 1, i32 1, i32 1, i32 1>
; CHECK-DAG: <i32 3, i32 3, i32 3, i32 3>
; CHECK: ret void
define void @shared(ptr noalias %p, ptr noalias %f) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %fp = getelementptr float, ptr %f, i64 %i
  %k = load float, ptr %fp
  %a = getelementptr { float, float, float, i32 }, ptr %p, i64 %i
  %a1 = getelementptr i8, ptr %a, i64 4
  %a2 = getelementptr i8, ptr %a, i64 8
  %a3 = getelementptr i8, ptr %a, i64 12
  %x = load float, ptr %a, align 4
  %y = load float, ptr %a1, align 4
  %z = load float, ptr %a2, align 4
  %r = fmul float %x, %k
  %s = fmul float %y, %k
  %q = fmul float %z, %k
  store float %r, ptr %a, align 4
  store float %s, ptr %a1, align 4
  store float %q, ptr %a2, align 4
  store i32 9, ptr %a3, align 4
  ret void
}

; An operation with two uses, both of which are packed.
; CHECK-LABEL: define {{.*}}@reused.w4.rows_full(
; CHECK-NOT: shufflevector
; CHECK-COUNT-2: fadd <4 x float>
; CHECK-NOT: shufflevector
; CHECK: ret void
define void @reused(ptr noalias %p, ptr noalias %q) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { float, float }, ptr %p, i64 %i
  %a1 = getelementptr i8, ptr %a, i64 4
  %x = load float, ptr %a, align 4
  %y = load float, ptr %a1, align 4
  %u = fadd float %x, 7.0
  %v = fadd float %y, 7.0
  %ux = fmul float %u, %x
  %vy = fmul float %v, %y
  %r = fsub float %ux, %u
  %s = fsub float %vy, %v
  store float %r, ptr %a, align 4
  store float %s, ptr %a1, align 4
  ret void
}

; One of the uses is not: the fields are taken apart.
; CHECK-LABEL: define {{.*}}@escapes.w4.rows_full(
; CHECK: shufflevector
; CHECK: ret void
define void @escapes(ptr noalias %p, ptr noalias %q) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { float, float }, ptr %p, i64 %i
  %a1 = getelementptr i8, ptr %a, i64 4
  %to = getelementptr float, ptr %q, i64 %i
  %x = load float, ptr %a, align 4
  %y = load float, ptr %a1, align 4
  %u = fadd float %x, 7.0
  %v = fadd float %y, 7.0
  store float %u, ptr %to, align 4
  store float %u, ptr %a, align 4
  store float %v, ptr %a1, align 4
  ret void
}
