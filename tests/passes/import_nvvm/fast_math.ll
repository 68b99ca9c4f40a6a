; What clang says of all operations with -use_fast_math (arcp, afn) and -prec-div=false (arcp): it stays where NVIDIA documents it.
; RUN: %cucpu-opt --passes=import_nvvm %s -o - | FileCheck %s
target triple = "nvptx64-nvidia-cuda"
declare float @llvm.sin.f32(float)
declare double @llvm.sin.f64(double)
declare float @llvm.sinh.f32(float)
declare float @llvm.sqrt.f32(float)
declare half @llvm.log.f16(half)

; CHECK-LABEL: @fast(
; CHECK: fdiv arcp contract float %x, %y
; CHECK: fdiv arcp contract <2 x float>
; CHECK: fdiv contract double
; CHECK: fdiv contract half
; CHECK: call contract afn float @llvm.sin.f32
; CHECK: call contract double @llvm.sin.f64
; CHECK: call contract float @llvm.sinh.f32
; CHECK: call contract float @llvm.sqrt.f32
; CHECK: call contract half @llvm.log.f16
; CHECK: fadd contract float
; CHECK: fmul nsz float
define ptx_kernel void @fast(ptr %p, float %x, float %y, double %d, half %h, <2 x float> %v) {
  %a = fdiv arcp contract afn float %x, %y
  store volatile float %a, ptr %p
  %b = fdiv arcp contract afn <2 x float> %v, %v
  store volatile <2 x float> %b, ptr %p
  %c = fdiv arcp contract afn double %d, 3.0
  store volatile double %c, ptr %p
  %e = fdiv arcp contract afn half %h, %h
  store volatile half %e, ptr %p
  %f = call arcp contract afn float @llvm.sin.f32(float %x)
  store volatile float %f, ptr %p
  %g = call arcp contract afn double @llvm.sin.f64(double %d)
  store volatile double %g, ptr %p
  %i = call arcp contract afn float @llvm.sinh.f32(float %x)
  store volatile float %i, ptr %p
  %j = call arcp contract afn float @llvm.sqrt.f32(float %x)
  store volatile float %j, ptr %p
  %k = call arcp contract afn half @llvm.log.f16(half %h)
  store volatile half %k, ptr %p
  %l = fadd arcp contract afn float %x, %y
  store volatile float %l, ptr %p
  %m = fmul arcp afn nsz float %x, %y
  store volatile float %m, ptr %p
  ret void
}

; CHECK-LABEL: @divisions(
; CHECK: fdiv float %x, %y
; CHECK: fdiv arcp float %x, 3.0
define ptx_kernel void @divisions(ptr %p, float %x, float %y) {
  %a = fdiv arcp float %x, %y
  store volatile float %a, ptr %p
  %b = fdiv arcp float %x, 3.0
  store volatile float %b, ptr %p
  ret void
}

; The library's own are what they are.
; CHECK-LABEL: @__nv_fast_tanhf(
; CHECK: call afn float
define float @__nv_fast_tanhf(float %x) {
  %r = call afn float @llvm.tanh.f32(float %x)
  ret float %r
}
declare float @llvm.tanh.f32(float)
