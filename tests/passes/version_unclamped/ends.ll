; On which side of a bound groups are that run the copy: below a constant that is far above the first group, and at or
; above the divisor of a row's index (`x / d > 0`, which LLVM compares as `x >= d`).
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_unclamped --simd=8 --opt=3 %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()

; CHECK-LABEL: define void @constants.w8.rows_full(
; CHECK-DAG: icmp sgt i32 %{{.*}}, 0
; CHECK-DAG: icmp slt i32 %{{.*}}, 999
; CHECK: %all = call i1 @cucpu.all(
define void @constants(ptr noalias %p, ptr noalias %o) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = mul i32 %b, 128
  %x = add i32 %s, %t
  %not.first = icmp sgt i32 %x, 0
  %minus = sext i1 %not.first to i32
  %l = add i32 %x, %minus
  %not.last = icmp slt i32 %x, 999
  %plus = zext i1 %not.last to i32
  %r = add i32 %x, %plus
  %la = getelementptr float, ptr %p, i32 %l
  %ra = getelementptr float, ptr %p, i32 %r
  %u = load float, ptr %la
  %v = load float, ptr %ra
  %w = fadd float %u, %v
  %oa = getelementptr float, ptr %o, i32 %x
  store float %w, ptr %oa
  ret void
}

; CHECK-LABEL: define void @up.w8.rows_full(
; CHECK: icmp uge i32 %
; CHECK: %all = call i1 @cucpu.all(
; CHECK: unclamped:
; CHECK: add i32 %{{.*}}, -1
; CHECK: rows:
define void @up(ptr noalias %p, ptr noalias %o, i32 %d) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = shl i32 %b, 7
  %x = add i32 %s, %t
  %r = udiv i32 %x, %d
  %c = urem i32 %x, %d
  %first = icmp uge i32 %x, %d
  %minus = sext i1 %first to i32
  %u = add i32 %r, %minus
  %m = mul i32 %u, %d
  %i = add i32 %m, %c
  %ii = zext i32 %i to i64
  %pa = getelementptr float, ptr %p, i64 %ii
  %v = load float, ptr %pa
  %xi = zext i32 %x to i64
  %oa = getelementptr float, ptr %o, i64 %xi
  store float %v, ptr %oa
  ret void
}
