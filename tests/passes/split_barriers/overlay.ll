; Values that are never live at the same barrier share a slot.
; RUN: %cucpu-opt --passes=split_barriers --simd=1 --disable=frame_classes %s | FileCheck %s
define void @k(ptr %p) "cucpu.kernel" {
  %a = load volatile i32, ptr %p
  call void @cucpu.barrier(i32 0)
  store volatile i32 %a, ptr %p
  %b = load volatile i32, ptr %p
  call void @cucpu.barrier(i32 0)
  store volatile i32 %b, ptr %p
  ret void
}
declare void @cucpu.barrier(i32)
; CHECK-LABEL: define void @k(
; CHECK: "cucpu.frame"="0,4"
