; A stride that is halved decides which bits of the id select the address: unrolled, barrier and all.
; RUN: %cucpu-opt --passes=unroll_loops %s | FileCheck %s
; RUN: %cucpu-opt --passes=unroll_loops,unroll_loops %s | FileCheck %s
; RUN: %cucpu-opt --passes=unroll_loops --disable=unroll_loops %s | FileCheck --check-prefix=OFF %s
define void @butterfly(ptr %p) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %s = phi i32 [ 4, %entry ], [ %half, %again ]
  call void @cucpu.barrier(i32 0)
  %less = add nsw i32 %s, -1
  %low = and i32 %t, %less
  %at = getelementptr float, ptr %p, i32 %low
  store float 0.0, ptr %at
  %half = lshr i32 %s, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %again, label %out
again:
  br label %loop
out:
  ret void
}
; CHECK-LABEL: define void @butterfly(
; CHECK-NOT: phi
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: and i32 %t, 3
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: and i32 %t, 1
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: store float 0.000000e+00, ptr %p
; CHECK-NOT: call void @cucpu.barrier
; CHECK: ret void
; OFF-LABEL: define void @butterfly(
; OFF: phi i32

; The bounds of the inner loop are constants once the outer one is gone.
define void @nested(ptr %p) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %outer
outer:
  %size = phi i32 [ 2, %entry ], [ %twice, %next.outer ]
  %first = lshr i32 %size, 1
  br label %inner
inner:
  %s = phi i32 [ %first, %outer ], [ %half, %inner.inner ]
  %other = xor i32 %t, %s
  %at = getelementptr i32, ptr %p, i32 %other
  store volatile i32 %size, ptr %at
  %half = lshr i32 %s, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %inner.inner, label %next
inner.inner:
  br label %inner
next:
  %twice = shl i32 %size, 1
  %end = icmp ugt i32 %twice, 4
  br i1 %end, label %out, label %next.outer
next.outer:
  br label %outer
out:
  ret void
}
; CHECK-LABEL: define void @nested(
; CHECK-NOT: phi
; CHECK: xor i32 %t, 1
; CHECK: store volatile i32 2,
; CHECK: xor i32 %t, 2
; CHECK: store volatile i32 4,
; CHECK: store volatile i32 4,
; CHECK-NOT: store
; CHECK: ret void

; Which threads are on: halved.
define void @halving(ptr %p) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %s = phi i32 [ 32, %entry ], [ %half, %again ]
  %on = icmp ult i32 %t, %s
  br i1 %on, label %then, label %loop.skip
loop.skip:
  br label %skip
then:
  %at = getelementptr i32, ptr %p, i32 %t
  store volatile i32 %s, ptr %at
  br label %skip
skip:
  call void @cucpu.barrier(i32 0)
  %half = lshr i32 %s, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %again, label %out
again:
  br label %loop
out:
  ret void
}
; CHECK-LABEL: define void @halving(
; CHECK-NOT: phi
; CHECK: icmp ult i32 %t, 32
; CHECK: icmp ult i32 %t, 16
; CHECK: icmp eq i32 %t, 0
; CHECK-COUNT-1: call void @cucpu.barrier(i32 0)
; CHECK: ret void
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)
