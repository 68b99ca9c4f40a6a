; A divisor that is extended and kept from being 0, or -1 under the least dividend, before and after it was extended: it
; is still the same in all lanes.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_uniform_quotient --simd=8 --opt=3 %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()

; CHECK-LABEL: define void @rows.w8.rows_full(
; CHECK: br i1 %same, label %row, label %row.ends
; CHECK: row:
define void @rows(ptr noalias %q, ptr noalias %o, i32 %d) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %tw = zext i32 %t to i64
  %bw = zext i32 %b to i64
  %s = shl i64 %bw, 7
  %x = add i64 %s, %tw
  %w = sext i32 %d to i64
  %zero = icmp eq i32 %d, 0
  %minus = icmp eq i32 %d, -1
  %least = icmp eq i64 %x, -9223372036854775808
  %over = and i1 %least, %minus
  %special = or i1 %over, %zero
  %safe = select i1 %special, i64 1, i64 %w
  %y = sdiv i64 %x, %safe
  %r = srem i64 %x, %safe
  %qa = getelementptr float, ptr %q, i64 %r
  %qb = getelementptr float, ptr %qa, i64 %y
  %v = load float, ptr %qb
  %oa = getelementptr float, ptr %o, i64 %x
  store float %v, ptr %oa
  ret void
}

; With one that is zero-extended, -1 is a large divisor: it is varying where it is replaced in some lanes.
; CHECK-LABEL: define void @large.w8.rows_full(
; CHECK-NOT: br i1 %same
; CHECK: ret void
define void @large(ptr noalias %q, ptr noalias %o, i32 %d) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %x = zext i32 %t to i64
  %w = zext i32 %d to i64
  %minus = icmp eq i32 %d, -1
  %some = icmp eq i64 %x, 5
  %special = and i1 %some, %minus
  %safe = select i1 %special, i64 1, i64 %w
  %y = udiv i64 %x, %safe
  %qa = getelementptr float, ptr %q, i64 %y
  %v = load float, ptr %qa
  %oa = getelementptr float, ptr %o, i64 %x
  store float %v, ptr %oa
  ret void
}
