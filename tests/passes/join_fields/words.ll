; Bytes and shorts at addresses without a stride are accessed as the integers that they make up.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,join_fields --simd=8 --opt=3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,join_fields --simd=8 --opt=3 --disable=join_fields %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,join_fields --simd=1 --opt=3 %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: %fields

; Four bytes, in any order, are a word; their alignment does not matter, since all of it is stored.
; CHECK-LABEL: define void @stored.w8.rows_full(
; CHECK: [[D:%.*]] = zext i8 %d to i32
; CHECK: [[D24:%.*]] = shl i32 [[D]], 24
; CHECK-NOT: store i8
; CHECK: store i32 %fields{{.*}}, ptr %p, align 1
; CHECK-NOT: store i8
; CHECK: ret void
define void @stored(ptr %to, ptr %out, i32 %x) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %at = getelementptr i32, ptr %to, i32 %t
  %i = load i32, ptr %at
  %j = sext i32 %i to i64
  %p = getelementptr i32, ptr %out, i64 %j
  %p1 = getelementptr i8, ptr %p, i64 1
  %p2 = getelementptr i8, ptr %p, i64 2
  %p3 = getelementptr i8, ptr %p, i64 3
  %a = trunc i32 %t to i8
  %b = trunc i32 %x to i8
  %c = trunc i32 %i to i8
  %d = mul i8 %a, %c
  store i8 %d, ptr %p3, align 1
  store i8 %a, ptr %p, align 1
  store i8 %b, ptr %p1, align 1
  store i8 %c, ptr %p2, align 1
  ret void
}

; Three bytes are not stored as four; of those loaded the fourth is in the same aligned word. Two floats of 16 bits are one.
; CHECK-LABEL: define void @parts.w8.rows_full(
; CHECK: %fields = load i32, ptr %p, align 4
; CHECK-NOT: load i8
; CHECK: lshr i32 %fields, 16
; CHECK: [[TWO:%fields.*]] = load i32, ptr %h, align 2
; CHECK: bitcast i16 {{.*}} to half
; CHECK-NOT: load half
; CHECK: store i16 {{.*}}, ptr %q, align 1
; CHECK: store i8 {{.*}}, ptr %q2
; CHECK: ret void
define void @parts(ptr %to, ptr %in, ptr %halves, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %at = getelementptr i32, ptr %to, i32 %t
  %i = load i32, ptr %at
  %j = sext i32 %i to i64
  %p = getelementptr i32, ptr %in, i64 %j
  %p1 = getelementptr i8, ptr %p, i64 1
  %p2 = getelementptr i8, ptr %p, i64 2
  %x = load i8, ptr %p, align 4
  %y = load i8, ptr %p1, align 1
  %z = load i8, ptr %p2, align 2
  %h = getelementptr i32, ptr %halves, i64 %j
  %h1 = getelementptr i8, ptr %h, i64 2
  %u = load half, ptr %h, align 2
  %v = load half, ptr %h1, align 2
  %less = fcmp olt half %u, %v
  %m = select i1 %less, i8 %x, i8 %y
  %q = getelementptr i32, ptr %out, i64 %j
  %q1 = getelementptr i8, ptr %q, i64 1
  %q2 = getelementptr i8, ptr %q, i64 2
  store i8 %m, ptr %q, align 1
  store i8 %y, ptr %q1, align 1
  store i8 %z, ptr %q2, align 1
  ret void
}

; Not: a store of other memory or a load in between, one byte stored twice, and what has a stride.
; CHECK-LABEL: define void @apart.w8.rows_full(
; CHECK-NOT: %fields
; CHECK: ret void
define void @apart(ptr %to, ptr %in, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %at = getelementptr i32, ptr %to, i32 %t
  %i = load i32, ptr %at
  %j = sext i32 %i to i64
  %p = getelementptr i16, ptr %out, i64 %j
  %p1 = getelementptr i8, ptr %p, i64 1
  %o = getelementptr i8, ptr %in, i64 %j
  store i8 1, ptr %p, align 1
  store i8 2, ptr %o, align 1
  store i8 3, ptr %p1, align 1
  %l = load i8, ptr %o, align 1
  store i8 %l, ptr %p, align 1
  store i8 5, ptr %p, align 1
  %r = getelementptr i8, ptr %p, i64 4
  %r1 = getelementptr i8, ptr %p, i64 5
  store i8 5, ptr %r, align 1
  %again = load i8, ptr %o, align 1
  store i8 %again, ptr %r1, align 1
  %s = getelementptr [2 x i8], ptr %in, i32 %t
  %s1 = getelementptr i8, ptr %s, i64 1
  store i8 1, ptr %s, align 1
  store i8 2, ptr %s1, align 1
  ret void
}
declare i32 @cucpu.tid.x()
