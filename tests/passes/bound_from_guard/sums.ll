; What is base + x (group_sum, as for split_iteration_space): sums, differences and disjoint
; ors with invariant values; not what subtracts x, multiplies it, or extends a sum with it that may wrap.
; RUN: %cucpu-opt --passes=make_variants,loop_groups,bound_from_guard --simd=1 %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()

; CHECK-LABEL: define internal void @difference.w1.rows_full.entry
; CHECK: %[[BASE:.*]] = sub i32 0, %n
; CHECK: %wrap = sub i32 -2147483648, %[[BASE]]
; CHECK: %from = phi
define void @difference(ptr %p, i32 %n, i32 %m) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = sub i32 %t, %n
  %c = icmp slt i32 %i, %m
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  store i32 %i, ptr %p
  br label %out
out:
  ret void
}

; CHECK-LABEL: define internal void @disjoint.w1.rows_full.entry
; CHECK: %from = phi
define void @disjoint(ptr %p, i64 %m) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %x = zext i32 %t to i64
  %b = call i32 @cucpu.ctaid.x()
  %w = zext i32 %b to i64
  %s = shl nuw nsw i64 %w, 10
  %i = or disjoint i64 %s, %x
  %c = icmp slt i64 %i, %m
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %a
  br label %out
out:
  ret void
}

; x is not negative: sext is the same.
; CHECK-LABEL: define internal void @signed.w1.rows_full.entry
; CHECK: %from = phi
define void @signed(ptr %p, i64 %n, i64 %m) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %x = sext i32 %t to i64
  %i = add i64 %x, %n
  %c = icmp slt i64 %i, %m
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %a
  br label %out
out:
  ret void
}

; CHECK-LABEL: define internal void @backwards.w1.rows_full.entry
; CHECK-NOT: %from = phi
define void @backwards(ptr %p, i64 %n, i64 %m) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %x = zext i32 %t to i64
  %i = sub i64 %n, %x
  %c = icmp slt i64 %i, %m
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %a
  br label %out
out:
  ret void
}

; CHECK-LABEL: define internal void @wraps.w1.rows_full.entry
; CHECK-NOT: %from = phi
define void @wraps(ptr %p, i32 %n, i64 %m, i64 %k) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %s = add i32 %t, %n
  %w = sext i32 %s to i64
  %i = add i64 %w, %k
  %c = icmp slt i64 %i, %m
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %a
  br label %out
out:
  ret void
}
