; Loops that stay: shapes see through their addresses, or nothing is known, or the source says so.
; RUN: %cucpu-opt --passes=unroll_loops %s | FileCheck %s

; the counter is added, scales a row and bounds the active threads: all affine
define void @affine(ptr %p) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %skip.loop ]
  %on = icmp ugt i32 %t, %k
  br i1 %on, label %then, label %else
else:
  br label %skip
then:
  %row = mul i32 %k, 16
  %i = add i32 %row, %t
  %at = getelementptr i32, ptr %p, i32 %i
  store i32 1, ptr %at
  br label %skip
skip:
  call void @cucpu.barrier(i32 0)
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, 8
  br i1 %more, label %skip.loop, label %out
skip.loop:
  br label %loop
out:
  ret void
}
; CHECK-LABEL: define void @affine(
; CHECK: phi i32

; the trip count is an argument's
define void @unknown(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %s = phi i32 [ %n, %entry ], [ %half, %loop.loop ]
  %i = and i32 %t, %s
  %at = getelementptr i32, ptr %p, i32 %i
  store i32 1, ptr %at
  %half = lshr i32 %s, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop.loop, label %out
loop.loop:
  br label %loop
out:
  ret void
}
; CHECK-LABEL: define void @unknown(
; CHECK: phi i32

; #pragma unroll 1
define void @pragma(ptr %p) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %s = phi i32 [ 8, %entry ], [ %half, %loop.loop ]
  %i = and i32 %t, %s
  %at = getelementptr i32, ptr %p, i32 %i
  store i32 1, ptr %at
  %half = lshr i32 %s, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop.loop, label %out
loop.loop:
  br label %loop, !llvm.loop !0
out:
  ret void
}
; CHECK-LABEL: define void @pragma(
; CHECK: phi i32

; the bits of a value from memory: a constant shift would tell nothing about its lanes
define void @digits(ptr %p, ptr %keys) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %from = getelementptr i32, ptr %keys, i32 %t
  %key = load i32, ptr %from
  br label %loop
loop:
  %s = phi i32 [ 0, %entry ], [ %next, %loop.loop ]
  %digit = lshr i32 %key, %s
  %at = getelementptr i32, ptr %p, i32 %digit
  store i32 1, ptr %at
  %next = add i32 %s, 8
  %more = icmp ult i32 %next, 32
  br i1 %more, label %loop.loop, label %out
loop.loop:
  br label %loop
out:
  ret void
}
; CHECK-LABEL: define void @digits(
; CHECK: phi i32
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}

; a sum without carries is a sum
define void @disjoint(ptr %p) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %skip ]
  %i = or disjoint i32 %k, %t
  %at = getelementptr i32, ptr %p, i32 %i
  store i32 1, ptr %at
  call void @cucpu.barrier(i32 0)
  %next = add i32 %k, 16
  %more = icmp ult i32 %next, 256
  br i1 %more, label %skip, label %out
skip:
  br label %loop
out:
  ret void
}
; CHECK-LABEL: define void @disjoint(
; CHECK: phi i32
