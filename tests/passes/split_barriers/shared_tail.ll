; Two barriers that lead to one tail: each keeps and restores the value, nothing passes around them.
; RUN: %cucpu-opt --passes=split_barriers --simd=1 --disable=frame_classes %s | FileCheck %s
define void @k(ptr %p, i1 %c) "cucpu.kernel" {
entry:
  %v = load volatile i32, ptr %p
  br i1 %c, label %a, label %b
a:
  call void @cucpu.barrier(i32 0)
  br label %tail
b:
  call void @cucpu.barrier(i32 1)
  br label %tail
tail:
  store volatile i32 %v, ptr %p
  ret void
}
declare void @cucpu.barrier(i32)
; CHECK-LABEL: define void @k(
; CHECK: store i32 %v, ptr %slot
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK-NEXT: %[[S:.*]] = call ptr @cucpu.frame.slot
; CHECK-NEXT: %[[A:.*]] = load i32, ptr %[[S]]
; CHECK: store i32 %v, ptr %slot
; CHECK: call void @cucpu.barrier(i32 1)
; CHECK-NEXT: %[[S2:.*]] = call ptr @cucpu.frame.slot
; CHECK-NEXT: %[[B:.*]] = load i32, ptr %[[S2]]
; CHECK: tail:
; CHECK-NEXT: %[[PHI:.*]] = phi i32
; CHECK-NEXT: store volatile i32 %[[PHI]], ptr %p
