; warpSize, warp ids and lane masks follow --warp-size.
; RUN: %cucpu-opt --passes=import_nvvm --warp-size=8 %s | FileCheck %s
define ptx_kernel void @k(ptr %p) {
  %w = call i32 @llvm.nvvm.read.ptx.sreg.warpsize()
  store volatile i32 %w, ptr %p
  %i = call i32 @llvm.nvvm.read.ptx.sreg.warpid()
  store volatile i32 %i, ptr %p
  %m = call i32 @llvm.nvvm.read.ptx.sreg.lanemask.lt()
  store volatile i32 %m, ptr %p
  ret void
}
; CHECK-LABEL: define void @k(
; CHECK: store volatile i32 8, ptr %p
; CHECK: %[[T:.*]] = call i32 @cucpu.tid.linear()
; CHECK: udiv i32 %[[T]], 8
; CHECK: %[[L:.*]] = call i32 @cucpu.lane()
; CHECK: %[[W:.*]] = zext i32 %[[L]] to i64
; CHECK: %[[EQ:.*]] = shl i64 1, %[[W]]
; CHECK: sub i64 %[[EQ]], 1
