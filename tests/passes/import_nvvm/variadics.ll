; Functions with an ellipsis take a buffer that callers fill: as va_arg for nvptx64 reads it, not as x86-64 does.
; A structure that may lie elsewhere than its members is refused, and so is a kernel with an ellipsis.
; RUN: split-file %s %t
; RUN: %cucpu-opt --passes=import_nvvm %t/right.ll | FileCheck %s
; RUN: not %cucpu-opt --passes=import_nvvm %t/structure.ll 2>&1 | FileCheck %s --check-prefix=STRUCT
; RUN: not %cucpu-opt --passes=import_nvvm %t/kernel.ll 2>&1 | FileCheck %s --check-prefix=KERNEL
; CHECK: type <{ i32, [4 x i8], i64 }>
; CHECK: define internal i32 @first(i32 %n, ptr %varargs)
; CHECK-NOT: va_start
; CHECK: store ptr %varargs, ptr %list
; CHECK: call i32 @first(i32 1, ptr %{{[a-z0-9_]+}})
; CHECK: call i32 %f(i32 1, ptr %{{[a-z0-9_]+}})
; STRUCT: error: unsupported: a structure is passed to a variadic function
; KERNEL: error: a __global__ function cannot have an ellipsis

;--- right.ll
target triple = "nvptx64-nvidia-cuda"
define i32 @first(i32 %n, ...) {
  %list = alloca ptr
  call void @llvm.va_start.p0(ptr %list)
  %at = load ptr, ptr %list
  %v = load i32, ptr %at
  call void @llvm.va_end.p0(ptr %list)
  ret i32 %v
}
define ptx_kernel void @k(ptr %p, ptr %f) {
  %r = call i32 (i32, ...) @first(i32 1, i32 7, i64 9)
  %q = call i32 (i32, ...) %f(i32 1, i32 8)
  %s = add i32 %r, %q
  store i32 %s, ptr %p
  ret void
}

;--- structure.ll
target triple = "nvptx64-nvidia-cuda"
define i32 @first(i32 %n, ...) {
  %list = alloca ptr
  %s = alloca [16 x i8], align 8
  call void @llvm.va_start.p0(ptr %list)
  %at = load ptr, ptr %list
  %up = getelementptr inbounds i8, ptr %at, i32 7
  %from = call ptr @llvm.ptrmask.p0.i64(ptr %up, i64 -8)
  %next = getelementptr inbounds i8, ptr %from, i64 16
  store ptr %next, ptr %list
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %s, ptr align 8 %from, i64 16, i1 false)
  %v = load i32, ptr %s
  ret i32 %v
}

;--- kernel.ll
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(i32 %n, ...) {
  ret void
}
