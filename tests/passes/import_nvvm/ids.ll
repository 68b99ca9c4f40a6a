; Ids become cucpu.* functions; a kernel is marked, loses its calling convention and stays external.
; RUN: %cucpu-opt --passes=import_nvvm %s | FileCheck %s
; A second run changes nothing:
; RUN: %cucpu-opt --passes=import_nvvm,import_nvvm %s | FileCheck %s
define ptx_kernel void @k(ptr %p) #0 {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %z = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %l = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %w = call i32 @llvm.nvvm.read.ptx.sreg.warpsize()
  store volatile i32 %x, ptr %p
  store volatile i32 %y, ptr %p
  store volatile i32 %z, ptr %p
  store volatile i32 %n, ptr %p
  store volatile i32 %l, ptr %p
  store volatile i32 %w, ptr %p
  ret void
}
attributes #0 = { convergent mustprogress noinline "nvvm.maxntid"="128" "target-cpu"="sm_70" }
; CHECK: define void @k(ptr %p) #[[K:[0-9]+]]
; CHECK: %[[X:.*]] = call i32 @cucpu.tid.x()
; CHECK: call i32 @cucpu.ntid.y()
; CHECK: call i32 @cucpu.ctaid.z()
; CHECK: call i32 @cucpu.nctaid.x()
; CHECK: call i32 @cucpu.lane()
; CHECK: store volatile i32 %[[X]], ptr %p
; CHECK: store volatile i32 32, ptr %p
; CHECK-NOT: @llvm.nvvm
; CHECK: attributes #[[K]] = {{{.*}}"cucpu.kernel" "cucpu.maxntid"="128"{{.*}}}
; CHECK-NOT: sm_70
