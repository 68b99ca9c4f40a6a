; Minima, sums, products and comparisons of bytes have as few bits as they need, and are extended where a wider user is.
; RUN: %cucpu-opt --passes=narrow_values --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=narrow_values,narrow_values --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=narrow_values --simd=8 --disable=narrow_values %s -o - | FileCheck %s --check-prefix=OFF
; OFF-NOT: i16
; OFF-NOT: umin.i8
declare i32 @cucpu.tid.x()
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.abs.i32(i32, i1)

; Several uses, a minimum with a sign of numbers without.
; CHECK-LABEL: define void @sort(
; CHECK: [[L:%.*]] = call i8 @llvm.umin.i8(i8 %a, i8 %b)
; CHECK: [[M:%.*]] = call i8 @llvm.umax.i8(i8 %a, i8 %b)
; CHECK: [[N:%.*]] = call i8 @llvm.umin.i8(i8 [[M]], i8 [[L]])
; CHECK-NOT: zext
; CHECK: store i8 [[N]], ptr %p
; CHECK: store i8 [[M]], ptr %p
define void @sort(ptr %p, ptr %q) "cucpu.kernel" {
  %a = load i8, ptr %p
  %b = load i8, ptr %q
  %x = zext i8 %a to i32
  %y = zext i8 %b to i32
  %l = call i32 @llvm.smin.i32(i32 %x, i32 %y)
  %m = call i32 @llvm.smax.i32(i32 %x, i32 %y)
  %n = call i32 @llvm.umin.i32(i32 %m, i32 %l)
  %r = trunc i32 %n to i8
  %s = trunc i32 %m to i8
  store i8 %r, ptr %p
  store i8 %s, ptr %p
  ret void
}

; 16 bits with a sign, a float of it: extended there.
; CHECK-LABEL: define void @gradient(
; CHECK: [[X:%.*]] = zext i8 %a to i16
; CHECK: [[D:%.*]] = shl nuw nsw i16 [[X]], 1
; CHECK: [[S:%.*]] = sub nsw i16 [[D]],
; CHECK: [[W:%.*]] = sext i16 {{.*}} to i32
; CHECK: sitofp i32 [[W]] to float
define void @gradient(ptr %p, ptr %q, ptr %out) "cucpu.kernel" {
  %a = load i8, ptr %p
  %b = load i8, ptr %q
  %x = zext i8 %a to i32
  %y = zext i8 %b to i32
  %d = shl i32 %x, 1
  %s = sub i32 %d, %y
  %t = mul i32 %s, 3
  %u = add i32 %t, 5
  %v = ashr i32 %u, 1
  %f = sitofp i32 %v to float
  store float %f, ptr %out
  ret void
}

; The weights of a blend add up to 255: it fits 16 bits without a sign.
; CHECK-LABEL: define void @blend(
; CHECK: mul nuw i16
; CHECK: add nuw i16
; CHECK: [[Q:%.*]] = udiv i16 {{.*}}, 255
; CHECK: trunc i16 [[Q]] to i8
define void @blend(ptr %p, ptr %q, ptr %r) "cucpu.kernel" {
  %a = load i8, ptr %p
  %b = load i8, ptr %q
  %c = load i8, ptr %r
  %x = zext i8 %a to i32
  %y = zext i8 %b to i32
  %w = zext i8 %c to i32
  %m = mul i32 %x, %w
  %v = sub i32 255, %w
  %n = mul i32 %v, %y
  %s = add i32 %n, %m
  %t = add i32 %s, 127
  %d = udiv i32 %t, 255
  %o = trunc i32 %d to i8
  store i8 %o, ptr %p
  ret void
}

; |a - b| and what saturates.
; CHECK-LABEL: define void @forms(
; CHECK: [[M:%.*]] = call i8 @llvm.umax.i8(i8 %a, i8 %b)
; CHECK: [[N:%.*]] = call i8 @llvm.umin.i8(i8 %a, i8 %b)
; CHECK: sub i8 [[M]], [[N]]
; CHECK: call i8 @llvm.uadd.sat.i8(i8 %a, i8 %b)
; CHECK: call i8 @llvm.usub.sat.i8(i8 %b, i8 9)
; CHECK-NOT: abs
define void @forms(ptr %p, ptr %q, ptr %out) "cucpu.kernel" {
  %a = load i8, ptr %p
  %b = load i8, ptr %q
  %x = zext i8 %a to i32
  %y = zext i8 %b to i32
  %d = sub i32 %x, %y
  %e = call i32 @llvm.abs.i32(i32 %d, i1 false)
  %s = add i32 %x, %y
  %t = call i32 @llvm.umin.i32(i32 %s, i32 255)
  %u = sub i32 %y, 9
  %v = call i32 @llvm.smax.i32(i32 %u, i32 0)
  %1 = trunc i32 %e to i8
  %2 = trunc i32 %t to i8
  %3 = trunc i32 %v to i8
  store i8 %1, ptr %out
  store i8 %2, ptr %p
  store i8 %3, ptr %q
  ret void
}

; A sum over eight passes fits 16 bits.
; CHECK-LABEL: define void @sum(
; CHECK: phi i16 [ 0,
; CHECK: add nuw nsw i16
define void @sum(ptr %p, ptr %out) "cucpu.kernel" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop.loop ]
  %s = phi i32 [ 0, %entry ], [ %u, %loop.loop ]
  %at = getelementptr i8, ptr %p, i32 %i
  %a = load i8, ptr %at
  %x = zext i8 %a to i32
  %t = add i32 %s, %x
  %u = add i32 %t, 1
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, 8
  br i1 %c, label %loop.loop, label %end
loop.loop:
  br label %loop
end:
  %l = phi i32 [ %u, %loop ]
  %m = lshr i32 %l, 3
  %o = trunc i32 %m to i8
  store i8 %o, ptr %out
  ret void
}

; Not: what an address is computed from, thread ids, what does not fit, a lone operation between conversions.
; CHECK-LABEL: define void @index(
; CHECK-NOT: i16
; CHECK-NOT: {{(add|shl|mul|umin|and).*}}i8
; CHECK: ret void
define void @index(ptr %p, ptr %q, ptr %out) "cucpu.kernel" {
  %tid = call i32 @cucpu.tid.x()
  %low = and i32 %tid, 15
  %four = shl i32 %low, 2
  store i32 %four, ptr %out
  %a = load i8, ptr %p
  %x = zext i8 %a to i32
  %y = add i32 %x, 1
  %m = call i32 @llvm.umin.i32(i32 %y, i32 200)
  %at = getelementptr i32, ptr %q, i32 %m
  %v = load i32, ptr %at
  store i32 %v, ptr %out
  %b = load i8, ptr %q
  %z = zext i8 %b to i32
  %w = mul i32 %z, %v
  store i32 %w, ptr %out
  %one = add i32 %z, %z
  store i32 %one, ptr %out
  ret void
}

; The result of a test as a number.
; CHECK-LABEL: define void @count(
; CHECK: zext i1 %c to i8
; CHECK: sext i1 %d to i8
; CHECK: add nsw i8
define void @count(ptr %p, ptr %q) "cucpu.kernel" {
  %a = load i8, ptr %p
  %b = load i8, ptr %q
  %c = icmp ugt i8 %a, %b
  %d = icmp ult i8 %b, 9
  %x = zext i1 %c to i32
  %y = sext i1 %d to i32
  %s = add i32 %x, %y
  %r = trunc i32 %s to i8
  store i8 %r, ptr %p
  ret void
}
