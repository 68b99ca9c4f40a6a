; A function that reaches a barrier is inlined whatever its attributes were; a second run changes nothing.
; RUN: %cucpu-opt --passes=inline_device %s | FileCheck %s
; RUN: %cucpu-opt --passes=inline_device,inline_device %s | FileCheck %s
define void @k(ptr %p) "cucpu.kernel" {
  call void @wait(ptr %p)
  call void @wait(ptr %p)
  ret void
}
define internal void @wait(ptr %p) {
  call void @inner(ptr %p)
  ret void
}
define internal void @inner(ptr %p) {
  call void @cucpu.barrier(i32 0)
  store volatile i32 1, ptr %p
  ret void
}
declare void @cucpu.barrier(i32)
; CHECK-LABEL: define void @k(
; CHECK-NOT: call void @wait
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: store volatile
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: store volatile
; CHECK: ret void
; CHECK-NOT: define
