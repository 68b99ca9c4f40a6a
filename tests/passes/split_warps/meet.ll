; At width 1 functions of the warp are places where threads stop: kind and mask, then value, its high word,
; source lane and clamp word.  Truths travel as numbers.
; RUN: %cucpu-opt --passes=make_variants,split_warps --simd=1 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants,split_warps --simd=32 %s -o - | FileCheck %s --check-prefix=WIDE
declare i32 @cucpu.shfl.idx(i32, i32, i32, i32)
declare i1 @cucpu.vote.any(i32, i1)
declare i32 @cucpu.match.any.i64(i32, i64)
declare i32 @cucpu.activemask()
declare void @cucpu.syncwarp(i32)
declare i32 @cucpu.redux.umax(i32, i32)

; WIDE-LABEL: define {{.*}} @kernel.w32.rows_full
; WIDE: call i32 @cucpu.shfl.idx
; WIDE-NOT: cucpu.meet(
; CHECK-LABEL: define {{.*}} @kernel.w1.rows_full
; CHECK: %[[S:.*]] = call i32 @cucpu.meet(i32 1073741825, i32 -1, i32 %v, i32 poison, i32 3, i32 31)
; CHECK: %[[N:.*]] = zext i1 %p to i32
; CHECK: %[[A:.*]] = call i32 @cucpu.meet(i32 1073741830, i32 %mask, i32 %[[N]], i32 poison, i32 poison, i32 poison)
; CHECK: trunc i32 %[[A]] to i1
; CHECK: %high = trunc i64
; CHECK: %low = trunc i64 %l to i32
; CHECK: call i32 @cucpu.meet(i32 1073741833, i32 %mask, i32 %low, i32 %high, i32 poison, i32 poison)
; CHECK: call i32 @cucpu.meet(i32 1073741843, i32 0, i32 poison, i32 poison, i32 poison, i32 poison)
; CHECK: call i32 @cucpu.meet(i32 1073741824, i32 %mask, i32 poison, i32 poison, i32 poison, i32 poison)
; CHECK: call i32 @cucpu.meet(i32 1073741837, i32 %mask, i32 %v, i32 poison, i32 poison, i32 poison)
; CHECK-NOT: cucpu.shfl.idx(i32 -1
; CHECK: ret void
define void @kernel(ptr %out, i32 %v, i1 %p, i64 %l, i32 %mask) #0 {
  %a = call i32 @cucpu.shfl.idx(i32 -1, i32 %v, i32 3, i32 31)
  %b = call i1 @cucpu.vote.any(i32 %mask, i1 %p)
  %c = call i32 @cucpu.match.any.i64(i32 %mask, i64 %l)
  %d = call i32 @cucpu.activemask()
  call void @cucpu.syncwarp(i32 %mask)
  %e = call i32 @cucpu.redux.umax(i32 %mask, i32 %v)
  %f = select i1 %b, i32 %c, i32 %d
  %g = add i32 %f, %e
  %h = add i32 %a, %g
  store i32 %h, ptr %out
  ret void
}
attributes #0 = { "cucpu.kernel" }
