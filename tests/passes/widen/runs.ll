; A few neighbouring elements at an address of each lane: one load for each lane, transposed by shuffles.
; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=8 --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=8 --cpu=x86-64-v4 --disable=runs %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: %row

; Lanes whose distance is a constant, farther than fields are, have rows of their own as well.
; CHECK-LABEL: define void @rows.w8.rows_full(
; CHECK-COUNT-8: load <4 x float>, ptr {{.*}}, align 4
; CHECK-NOT: gather
; CHECK: ret void
define void @rows(ptr %a, ptr %out) "cucpu.kernel" {
  %n = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %m = mul i32 %b, %n
  %x0 = call i32 @cucpu.tid.x()
  %t = add i32 %m, %x0
  %e = sext i32 %t to i64
  %r = shl i64 %e, 12
  %p = getelementptr float, ptr %a, i64 %r
  %p1 = getelementptr i8, ptr %p, i64 4
  %p2 = getelementptr i8, ptr %p, i64 8
  %p3 = getelementptr i8, ptr %p, i64 12
  %x = load float, ptr %p
  %y = load float, ptr %p1
  %z = load float, ptr %p2
  %w = load float, ptr %p3
  %s = fadd float %x, %y
  %s2 = fadd float %z, %w
  %s3 = fmul float %s, %s2
  %o = getelementptr float, ptr %out, i64 %e
  store float %s3, ptr %o
  ret void
}

; CHECK-LABEL: define void @four.w8.rows_full(
; CHECK: extractelement <8 x ptr>
; CHECK-COUNT-8: load <4 x float>, ptr {{.*}}, align 4
; CHECK-NOT: gather
; CHECK: ret void
define void @four(ptr %a, ptr %list, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = sext i32 %t to i64
  %l = getelementptr i32, ptr %list, i64 %e
  %n = load i32, ptr %l
  %i = sext i32 %n to i64
  %p = getelementptr {float, float, float, float}, ptr %a, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 4
  %p2 = getelementptr i8, ptr %p, i64 8
  %p3 = getelementptr i8, ptr %p, i64 12
  %x = load float, ptr %p
  %y = load float, ptr %p1
  %z = load float, ptr %p2
  %w = load float, ptr %p3
  %s = fadd float %x, %y
  %s2 = fadd float %z, %w
  %s3 = fmul float %s, %s2
  %o = getelementptr float, ptr %out, i64 %e
  store float %s3, ptr %o
  ret void
}

; Three of twelve bytes: nothing is read behind them.
; CHECK-LABEL: define void @three.w8.rows_full(
; CHECK-NOT: load <4 x
; CHECK-NOT: gather
; CHECK: load <2 x float>
; CHECK: load float
; CHECK-NOT: load <4 x
; CHECK: ret void
define void @three(ptr %a, ptr %list, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = sext i32 %t to i64
  %l = getelementptr i32, ptr %list, i64 %e
  %n = load i32, ptr %l
  %i = sext i32 %n to i64
  %p = getelementptr {float, float, float}, ptr %a, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 4
  %p2 = getelementptr i8, ptr %p, i64 8
  %x = load float, ptr %p
  %y = load float, ptr %p1
  %z = load float, ptr %p2
  %s = fadd float %x, %y
  %s3 = fmul float %s, %z
  %o = getelementptr float, ptr %out, i64 %e
  store float %s3, ptr %o
  ret void
}

; A store in between; one element by itself; two that are too far apart.
; CHECK-LABEL: define void @others.w8.rows_full(
; CHECK-NOT: %row
; CHECK: ret void
define void @others(ptr %a, ptr %list, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = sext i32 %t to i64
  %l = getelementptr i32, ptr %list, i64 %e
  %n = load i32, ptr %l
  %i = sext i32 %n to i64
  %p = getelementptr i32, ptr %a, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 4
  %far = getelementptr i8, ptr %p, i64 64
  %x = load i32, ptr %p
  %o = getelementptr i32, ptr %out, i64 %e
  store i32 %x, ptr %o
  %y = load i32, ptr %p1
  %z = load i32, ptr %far
  %s = add i32 %y, %z
  store i32 %s, ptr %o
  ret void
}
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()

; Stores of four: transposed, one store for each lane; the element of the list is loaded for each lane.
; CHECK-LABEL: define void @stores.w8.rows_full(
; CHECK: load i32, ptr
; CHECK-NOT: extractelement <8 x ptr>
; CHECK-COUNT-8: store <4 x i32> {{.*}}, align 4
; CHECK-NOT: scatter
; CHECK: ret void
define void @stores(ptr %a, ptr %list, ptr %from) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = sext i32 %t to i64
  %f = getelementptr float, ptr %from, i64 %e
  %v = load float, ptr %f
  %v2 = fmul float %v, %v
  %l = getelementptr i32, ptr %list, i64 %e
  %n = load i32, ptr %l
  %i = sext i32 %n to i64
  %p = getelementptr {float, float, float, float}, ptr %a, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 4
  %p2 = getelementptr i8, ptr %p, i64 8
  %p3 = getelementptr i8, ptr %p, i64 12
  store float %v, ptr %p1
  store float %v2, ptr %p
  store float 1.0, ptr %p3
  store float %v2, ptr %p2
  ret void
}

; A gap, and a load in between: not at once.
; CHECK-LABEL: define void @gap.w8.rows_full(
; CHECK-COUNT-4: scatter
; CHECK: ret void
define void @gap(ptr %a, ptr %list) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = sext i32 %t to i64
  %l = getelementptr i32, ptr %list, i64 %e
  %n = load i32, ptr %l
  %i = sext i32 %n to i64
  %p = getelementptr i32, ptr %a, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 8
  %p2 = getelementptr i8, ptr %p, i64 12
  store i32 1, ptr %p
  store i32 2, ptr %p1
  %again = load i32, ptr %l
  store i32 %again, ptr %p2
  %p3 = getelementptr i8, ptr %p, i64 16
  %x = load volatile i32, ptr %p3
  store i32 %x, ptr %p3
  ret void
}
