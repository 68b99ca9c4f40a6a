; LLVM's own intrinsics keep their attributes: its passes rely on them (BDCE deleted the operand of
; a dead smin that had lost memory(none), and left the call).
; RUN: %cucpu-opt --passes=import_nvvm %s | FileCheck %s
define ptx_kernel void @k(ptr %p, i32 %x) {
  %m = call i32 @llvm.smin.i32(i32 %x, i32 0)
  store i32 %m, ptr %p
  ret void
}
declare i32 @llvm.smin.i32(i32, i32)
; CHECK: declare i32 @llvm.smin.i32(i32, i32) #[[A:[0-9]+]]
; CHECK: attributes #[[A]] = {{.*}}willreturn memory(none)
