; Small fields beside larger ones are parts of numbers of the larger size.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,join_fields --simd=8 --opt=3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,join_fields --simd=8 --opt=3 --disable=join_fields %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,join_fields --simd=1 --opt=3 %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: %fields

; { i8, i8, i16, float }: one number of four bytes for the byte and the short.
; CHECK-LABEL: define void @mixed.w8.rows_full(
; CHECK: %fields = load i32, ptr %p, align 4
; CHECK: [[A:%.*]] = lshr i32 %fields, 8
; CHECK: trunc i32 [[A]] to i8
; CHECK: load float
; CHECK: [[B:%.*]] = lshr i32 %fields, 16
; CHECK: trunc i32 [[B]] to i16
; CHECK-NOT: load
; CHECK: ret void
define void @mixed(ptr %a, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr { i8, i8, i16, float }, ptr %a, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 1
  %p2 = getelementptr i8, ptr %p, i64 2
  %p4 = getelementptr i8, ptr %p, i64 4
  %b = load i8, ptr %p1, align 1
  %f = load float, ptr %p4, align 4
  %s = load i16, ptr %p2, align 2
  %x = sitofp i8 %b to float
  %y = sitofp i16 %s to float
  %z = fadd float %x, %y
  %w = fmul float %z, %f
  %o = getelementptr float, ptr %out, i64 %i
  store float %w, ptr %o
  ret void
}

; { double, half }, by a list: the half is a part of the eight bytes behind the double.
; CHECK-LABEL: define void @listed.w8.rows_full(
; CHECK: %fields = load i64, ptr {{.*}}, align 8
; CHECK: trunc i64 {{.*}} to i16
; CHECK: bitcast i16 {{.*}} to half
; CHECK: ret void
define void @listed(ptr %a, ptr %list, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %l = getelementptr i32, ptr %list, i64 %i
  %n = load i32, ptr %l
  %e = sext i32 %n to i64
  %p = getelementptr { double, half }, ptr %a, i64 %e
  %p8 = getelementptr i8, ptr %p, i64 8
  %d = load double, ptr %p, align 8
  %h = load half, ptr %p8, align 2
  %x = fpext half %h to double
  %z = fadd double %x, %d
  %o = getelementptr double, ptr %out, i64 %i
  store double %z, ptr %o
  ret void
}

; Not aligned, so that the number may lie on two pages; a store in between; a field across two numbers.
; CHECK-LABEL: define void @others.w8.rows_full(
; CHECK-NOT: %fields
; CHECK: ret void
define void @others(ptr %a, ptr %b, ptr %c, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr <{ i8, float }>, ptr %a, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 1
  %x = load i8, ptr %p, align 1
  %f = load float, ptr %p1, align 1
  %q = getelementptr { i16, i32 }, ptr %b, i64 %i
  %q4 = getelementptr i8, ptr %q, i64 4
  %y = load i16, ptr %q, align 2
  %o = getelementptr i16, ptr %out, i64 %i
  store i16 %y, ptr %o
  %g = load i32, ptr %q4, align 4
  %r = getelementptr { i32, i32, i32 }, ptr %c, i64 %i
  %r3 = getelementptr i8, ptr %r, i64 3
  %r8 = getelementptr i8, ptr %r, i64 8
  %z = load i16, ptr %r3, align 1
  %h = load i32, ptr %r8, align 4
  %s = zext i8 %x to i16
  %s2 = add i16 %s, %z
  store i16 %s2, ptr %o
  %u = add i32 %g, %h
  %k = fptosi float %f to i32
  %u2 = add i32 %u, %k
  %o2 = getelementptr i32, ptr %out, i64 %i
  store i32 %u2, ptr %o2
  ret void
}
declare i32 @cucpu.tid.x()

; Loads of a group are in front of and behind one that is in none, of a pointer.
; CHECK-LABEL: define void @beside_pointer.w8.rows_full(
; CHECK: %fields = load i32, ptr %p, align 4
; CHECK-NOT: %fields = load
; CHECK: load ptr
; CHECK-NOT: = load i{{8|16}}
; CHECK: ret void
define void @beside_pointer(ptr %a, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr { i8, i8, i16, float, ptr }, ptr %a, i64 %i
  %p1 = getelementptr i8, ptr %p, i64 1
  %p2 = getelementptr i8, ptr %p, i64 2
  %p4 = getelementptr i8, ptr %p, i64 4
  %p8 = getelementptr i8, ptr %p, i64 8
  %b = load i8, ptr %p1, align 1
  %v = load ptr, ptr %p8, align 8
  %f = load float, ptr %p4, align 4
  %s = load i16, ptr %p2, align 2
  %x = sitofp i8 %b to float
  %y = sitofp i16 %s to float
  %z = fadd float %x, %y
  %w = fmul float %z, %f
  %o = getelementptr float, ptr %v, i64 %i
  store float %w, ptr %o
  ret void
}
