; What is read at x / d and x % d is a broadcast and a row where all threads of a group have the same quotient.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_uniform_quotient --simd=8 --opt=3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_uniform_quotient,linearise,widen --simd=8 --opt=3 --cpu=x86-64-v3 %s | FileCheck --check-prefix=WIDE %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_uniform_quotient --simd=8 --opt=3 --disable=version_uniform_quotient %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: %same
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()
declare void @cucpu.barrier(i32)
declare i32 @cucpu.ntid.x()

; CHECK-LABEL: define void @rows.w8.rows_full(
; CHECK: %lane = and i32 %{{.*}}, 7
; CHECK: %first = sub i32 %x, %
; CHECK: %quotient = udiv i32 %first, %
; CHECK: %same = freeze i1
; CHECK: br i1 %same, label %row, label %rows
; CHECK: row:
; CHECK: load float
; CHECK: rows:
; CHECK: udiv i32 %{{.*}}, !cucpu.split
; CHECK: urem i32 %{{.*}}, !cucpu.split
; WIDE-LABEL: define void @rows.w8.rows_full(
; WIDE: br i1 %same
; WIDE-NOT: masked.gather
; WIDE: load float,
; WIDE: load <8 x float>,
; WIDE: store <8 x float>
; WIDE: masked.gather
define void @rows(ptr noalias %p, ptr noalias %q, ptr noalias %o, i32 %d) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = shl i32 %b, 7
  %x = add i32 %s, %t
  %y = udiv i32 %x, %d
  %r = urem i32 %x, %d
  %yi = zext i32 %y to i64
  %ri = zext i32 %r to i64
  %pa = getelementptr float, ptr %p, i64 %yi
  %qa = getelementptr float, ptr %q, i64 %ri
  %u = load float, ptr %pa
  %v = load float, ptr %qa
  %w = fadd float %u, %v
  %xi = zext i32 %x to i64
  %oa = getelementptr float, ptr %o, i64 %xi
  store float %w, ptr %oa
  ret void
}

; Nothing in memory depends on it.
; CHECK-LABEL: define void @numbers.w8.rows_full(
; CHECK-NOT: %same
; CHECK: ret void
define void @numbers(ptr noalias %o, i32 %d) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = udiv i32 %x, %d
  %xi = zext i32 %x to i64
  %oa = getelementptr i32, ptr %o, i64 %xi
  store i32 %y, ptr %oa
  ret void
}

; A barrier cannot be copied.
; CHECK-LABEL: define void @waits.w8.rows_full(
; CHECK-NOT: %same
; CHECK: ret void
define void @waits(ptr noalias %p, i32 %d) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = udiv i32 %x, %d
  %yi = zext i32 %y to i64
  %a = getelementptr i32, ptr %p, i64 %yi
  %v = load i32, ptr %a
  call void @cucpu.barrier(i32 0)
  %xi = zext i32 %x to i64
  %oa = getelementptr i32, ptr %p, i64 %xi
  store i32 %v, ptr %oa
  ret void
}

; A loop through the grid: the next place is computed in front of both copies.
; CHECK-LABEL: define void @loop.w8.rows_full(
; CHECK: add i32 %x, 64
; CHECK: %same = freeze i1
; CHECK: ret void
define void @loop(ptr noalias %p, ptr noalias %o, i32 %d, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %body
body:
  %x = phi i32 [ %t, %entry ], [ %next, %body ]
  %y = udiv i32 %x, %d
  %yi = zext i32 %y to i64
  %a = getelementptr i32, ptr %p, i64 %yi
  %v = load i32, ptr %a
  %xi = zext i32 %x to i64
  %oa = getelementptr i32, ptr %o, i64 %xi
  store i32 %v, ptr %oa
  %next = add i32 %x, 64
  %c = icmp ult i32 %next, %n
  br i1 %c, label %body, label %end
end:
  ret void
}

; A range test alone, by a divisor that only the launch knows: in the copy an index is tested, and the groups of which
; all lanes pass have no mask.
; CHECK-LABEL: define void @inside.w8.rows_full(
; CHECK: br i1 %same, label %row, label %rows
; CHECK: row:
; CHECK: call i1 @cucpu.all(
; CHECK: rows:
define void @inside(ptr noalias %p, ptr noalias %o, i32 %d) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %n = call i32 @cucpu.ntid.x()
  %s = mul i32 %b, %n
  %x = add i32 %s, %t
  %r = urem i32 %x, %d
  %in = icmp ugt i32 %r, 3
  br i1 %in, label %do, label %end
do:
  %xi = zext i32 %x to i64
  %pa = getelementptr float, ptr %p, i64 %xi
  %u = load float, ptr %pa
  %pb = getelementptr float, ptr %pa, i64 -3
  %v = load float, ptr %pb
  %w = fadd float %u, %v
  %oa = getelementptr float, ptr %o, i64 %xi
  store float %w, ptr %oa
  br label %end
end:
  ret void
}

; By a constant, which lanes do not divide by: unchanged.
; CHECK-LABEL: define void @constant_range.w8.rows_full(
; CHECK-NOT: %same
; CHECK: ret void
define void @constant_range(ptr noalias %o) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = shl i32 %b, 7
  %x = add i32 %s, %t
  %r = urem i32 %x, 1000
  %in = icmp ugt i32 %r, 3
  br i1 %in, label %do, label %end
do:
  %xi = zext i32 %x to i64
  %oa = getelementptr float, ptr %o, i64 %xi
  store float 1.0, ptr %oa
  br label %end
end:
  ret void
}
