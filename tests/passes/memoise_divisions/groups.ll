; A scalar division of each group by a divisor that all groups share keeps its last quotient: x - base < d.
; RUN: %cucpu-opt --passes=make_variants,linearise,widen,loop_groups,memoise_divisions --simd=4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants,linearise,widen,loop_groups,memoise_divisions --simd=4 --disable=memoise_divisions %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: divide:
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()

; The quotient and the rest in one; zero, zero where d is new; nothing is kept where base + d wraps.
; CHECK-LABEL: define internal void @rows.w4.rows_full.entry(
; CHECK: %base.0 = phi i32 [ 0, %entry ]
; CHECK: %last.0 = phi i32 [ 0, %entry ]
; CHECK: %rest = sub i32 %[[X:.*]], %base
; CHECK: %[[SAME:.*]] = icmp ult i32 %rest, %d
; CHECK: br i1 %[[SAME]], label %divided, label %divide
; CHECK: divide:
; CHECK: %[[Q:.*]] = udiv i32 %[[X]], %divisor
; CHECK: %[[R:.*]] = urem i32 %[[X]], %divisor
; CHECK: %[[NEW:.*]] = sub i32 %[[X]], %[[R]]
; CHECK: %[[MOST:.*]] = sub i32 -1, %d
; CHECK: %[[KEEP:.*]] = icmp ule i32 %[[NEW]], %[[MOST]]
; CHECK: select i1 %[[KEEP]], i32 %[[Q]], i32 0
; CHECK: select i1 %[[KEEP]], i32 %[[NEW]], i32 0
; CHECK-NOT: urem
; CHECK: ret void
define void @rows(ptr %a, i32 %d) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %l = and i32 %t, -4
  %b = call i32 @cucpu.ctaid.x()
  %x = add i32 %l, %b
  %q = udiv i32 %x, %d
  %r = urem i32 %x, %d
  %s = shl i32 %q, 10
  %i = add i32 %s, %r
  %e = zext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %e
  %o = getelementptr i32, ptr %p, i32 %t
  store i32 %q, ptr %o
  ret void
}

; Signed: only of divisors above 0, and of dividends that are not below.
; CHECK-LABEL: define internal void @signed.w4.rows_full.entry(
; CHECK: %[[D:.*]] = call i32 @llvm.smax.i32(i32 %d, i32 0)
; CHECK: icmp ult i32 %rest{{.*}}, %[[D]]
; CHECK: divide:
; CHECK: sdiv i32 %[[X:.*]], %divisor
; CHECK: sub i32 2147483647, %d
; CHECK: icmp sge i32 %[[X]], 0
; CHECK: ret void
define void @signed(ptr %a, i32 %d) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %l = and i32 %t, -4
  %x = sub i32 %l, 7
  %q = sdiv i32 %x, %d
  %o = getelementptr i32, ptr %a, i32 %t
  store i32 %q, ptr %o
  ret void
}

; Not: the same dividend in all groups, a divisor of the group, a constant.
; CHECK-LABEL: define internal void @others.w4.rows_full.entry(
; CHECK-NOT: divide:
; CHECK: ret void
define void @others(ptr %a, i32 %d, i32 %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %l = or i32 %t, 3
  %q = udiv i32 %n, %d
  %r = udiv i32 %n, %l
  %s = udiv i32 %l, 12
  %u = add i32 %q, %r
  %v = add i32 %u, %s
  %o = getelementptr i32, ptr %a, i32 %t
  store i32 %v, ptr %o
  ret void
}
