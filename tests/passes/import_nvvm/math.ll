; Math intrinsics become LLVM's generic ones or plain operations.
; RUN: %cucpu-opt --passes=import_nvvm %s | FileCheck %s
define ptx_kernel void @k(ptr %p, float %x, float %y, i32 %n) {
  %a = call float @llvm.nvvm.sqrt.rn.f(float %x)
  store volatile float %a, ptr %p
  %b = call float @llvm.nvvm.div.rn.f(float %x, float %y)
  store volatile float %b, ptr %p
  %c = call float @llvm.nvvm.rcp.rn.f(float %x)
  store volatile float %c, ptr %p
  %d = call i32 @llvm.nvvm.mulhi.ui(i32 %n, i32 %n)
  store volatile i32 %d, ptr %p
  ret void
}
; CHECK-LABEL: define void @k(
; CHECK: call float @llvm.sqrt.f32(float %x)
; CHECK: fdiv float %x, %y
; CHECK: fdiv float 1.000000e+00, %x
; CHECK: mul {{.*}}i64
; CHECK: lshr i64 %{{.*}}, 32
