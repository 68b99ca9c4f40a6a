; Functions of optimised IR, and their calls, get the C convention: a call by another one than the function's is undefined.
; RUN: %cucpu-opt --passes=import_nvvm %s | FileCheck %s
; CHECK-LABEL: define void @k(
; CHECK: call void @f(ptr %p)
; CHECK: define internal void @f(ptr %p)
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %p) {
  call fastcc void @f(ptr %p)
  ret void
}
define internal fastcc void @f(ptr %p) noinline {
  store i32 1, ptr %p
  ret void
}
