; Every spelling of a block barrier; fences; LLVM's old names are upgraded by its reader.
; RUN: %cucpu-opt --passes=import_nvvm %s | FileCheck %s
define ptx_kernel void @k(ptr %p, i1 %c, i32 %n) {
  call void @llvm.nvvm.barrier0()
  call void @llvm.nvvm.barrier.cta.sync.all(i32 1)
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 2, i32 64)
  %r = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %c)
  %a = call i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(i32 0, i1 %c)
  %o = call i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32 0, i1 %c)
  store volatile i32 %r, ptr %p
  store volatile i1 %a, ptr %p
  store volatile i1 %o, ptr %p
  call void @llvm.nvvm.membar.cta()
  call void @llvm.nvvm.membar.gl()
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  ret void
}
; CHECK-LABEL: define void @k(
; CHECK-NEXT: call void @cucpu.barrier(i32 0)
; CHECK-NEXT: call void @cucpu.barrier(i32 1)
; CHECK-NEXT: call void @cucpu.barrier.count(i32 2, i32 64)
; CHECK-NEXT: %{{.*}} = call i32 @cucpu.barrier.popc(i32 0, i1 %c)
; CHECK-NEXT: %{{.*}} = call i1 @cucpu.barrier.and(i32 0, i1 %c)
; CHECK-NEXT: %{{.*}} = call i1 @cucpu.barrier.or(i32 0, i1 %c)
; CHECK: fence syncscope("singlethread") seq_cst
; CHECK-NEXT: fence seq_cst
; CHECK-NEXT: call void @cucpu.syncwarp(i32 -1)
; CHECK: declare void @cucpu.barrier(i32) #[[C:[0-9]+]]
; CHECK: attributes #[[C]] = { convergent nounwind }
