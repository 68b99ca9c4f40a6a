; Kernels made of PTX: nothing says that a sum of 32 bits does not wrap.  Where it is part of an address, neighbouring lanes
; are not 2^32 elements apart; bytes may be, but not in shared memory.
; RUN: %build/tests/analysis/print_shapes -w 8 -l full %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare ptr @cucpu.shared()

; CHECK-LABEL: shapes of sums
; CHECK: %x: affine x + group
; CHECK: %y: affine x + group
; CHECK: %p: affine 4*x + group
; CHECK: %r: affine 4*x + group
; CHECK: %b: varying
; CHECK: %s: affine x + group
; CHECK: %also: varying
define void @sums(ptr %a, i32 %n, i64 %m) "cucpu.kernel" "cucpu.sums" {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = add i32 %t, %n
  %x = sext i32 %i to i64
  %j = add i32 %i, %n
  %y = sext i32 %j to i64
  %p = getelementptr [4 x i8], ptr %a, i64 %x
  store i32 0, ptr %p
  %sum = add i64 %y, %m
  %scaled = shl i64 %sum, 2
  %r = getelementptr i8, ptr %a, i64 %scaled
  store i32 1, ptr %r
  %k = add i32 %j, 7
  %b = sext i32 %k to i64
  %q = getelementptr i8, ptr %a, i64 %b
  store i8 2, ptr %q
  %l = add i32 %j, 9
  %s = sext i32 %l to i64
  %sh = call ptr @cucpu.shared()
  %u = getelementptr i8, ptr %sh, i64 %s
  store i8 2, ptr %u
  %o = add i32 %j, 11
  %also = sext i32 %o to i64
  %w = getelementptr [4 x i8], ptr %a, i64 %also
  store i64 %also, ptr %w
  ret void
}
