; Groups that cross the end of a row run a copy in a loop over both quotients, under the condition that the lane has that
; one; there the quotient is uniform and the rest has stride 1. Not of unsigned 32-bit indices, whose extension is that of
; lane 0.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_uniform_quotient --simd=8 --opt=3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_uniform_quotient,linearise,widen --simd=8 --opt=3 --cpu=x86-64-v4 %s | FileCheck --check-prefix=WIDE %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.global.x()

; CHECK-LABEL: define void @rows.w8.rows_full(
; CHECK: %crosses = freeze
; CHECK: br i1 %same, label %row, label %row.ends
; CHECK: row.ends:
; CHECK: br i1 %crosses, label %part{{.*}}, label %
; CHECK: part:
; CHECK: %second = phi i32 {{.*}}[ 0, %part.preheader ]
; CHECK: %[[OFF:.*]] = mul i32 %second, %
; CHECK: %quotient{{.*}} = add i32 %quotient{{.*}}, %second
; CHECK: %[[REST:rest.*]] = add nsw i32
; CHECK: icmp ult i32 %[[REST]], %
; CHECK: row.part:
; CHECK-NOT: sdiv
; CHECK: load float
; CHECK: part.end:
; WIDE-LABEL: define void @rows.w8.rows_full(
; WIDE: row.part:
; WIDE-NOT: masked.gather
; WIDE: masked.load
; WIDE: part.end:
define void @rows(ptr noalias %a, ptr noalias %o, i32 %w, i32 %pitch) "cucpu.kernel" {
  %x = call i32 @cucpu.global.x()
  %y = sdiv i32 %x, %w
  %c = srem i32 %x, %w
  %m = mul nsw i32 %y, %pitch
  %i = add nsw i32 %m, %c
  %e = sext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %e
  %v = load float, ptr %p
  %xe = sext i32 %x to i64
  %q = getelementptr float, ptr %o, i64 %xe
  store float %v, ptr %q
  ret void
}
; CHECK-LABEL: define void @unsigned.w8.rows_full(
; CHECK: br i1 %same
; CHECK-NOT: part.end
; CHECK-LABEL: define void @unsigned.w8.rows(
define void @unsigned(ptr noalias %a, ptr noalias %o, i32 %w, i32 %pitch) "cucpu.kernel" {
  %x = call i32 @cucpu.global.x()
  %y = udiv i32 %x, %w
  %c = urem i32 %x, %w
  %m = mul i32 %y, %pitch
  %i = add i32 %m, %c
  %e = zext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %e
  %v = load float, ptr %p
  %xe = sext i32 %x to i64
  %q = getelementptr float, ptr %o, i64 %xe
  store float %v, ptr %q
  ret void
}
; Nor where a value of the region is used after it: the sum of both parts.
; CHECK-LABEL: define void @after.w8.rows_full(
; CHECK-NOT: part.end
; CHECK-LABEL: define void @after.w8.rows(
define void @after(ptr noalias %a, ptr noalias %o, i32 %w, i32 %n) "cucpu.kernel" {
entry:
  %x = call i32 @cucpu.global.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %kx = add nsw i32 %x, %k
  %y = sdiv i32 %kx, %w
  %e = sext i32 %y to i64
  %p = getelementptr float, ptr %a, i64 %e
  %v = load float, ptr %p
  %sum = fadd float %v, %s
  %next = add nuw nsw i32 %k, 5
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %xe = sext i32 %x to i64
  %q = getelementptr float, ptr %o, i64 %xe
  store float %sum, ptr %q
  ret void
}
