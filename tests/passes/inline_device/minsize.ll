; Code that is to be as small as possible stays a call, whatever else it is; with a barrier it cannot.
; RUN: %cucpu-opt --passes=inline_device %s | FileCheck %s
; CHECK-LABEL: define void @k(
; CHECK: %a = call float @rare(float %x)
; CHECK-NOT: call float @usual
; CHECK-NOT: call void @waits
; CHECK: call void @cucpu.barrier
define void @k(ptr %p, float %x) "cucpu.kernel" {
  %a = call float @rare(float %x)
  %b = call float @usual(float %a)
  call void @waits()
  store float %b, ptr %p
  ret void
}
define internal float @rare(float %x) minsize {
  %y = fadd float %x, 1.0
  ret float %y
}
define internal float @usual(float %x) {
  %y = fadd float %x, 2.0
  ret float %y
}
define internal void @waits() minsize {
  call void @cucpu.barrier(i32 0)
  ret void
}
declare void @cucpu.barrier(i32)
