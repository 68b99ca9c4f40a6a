; Clusters: places are arithmetic on blockIdx, shared memory of another block lies at a multiple of the stride, and only where there is
; such a block; arrive and wait side by side are one barrier.
; RUN: %cucpu-opt --passes=import_nvvm %s | FileCheck %s
define ptx_kernel void @k(ptr %p, ptr %out, i32 %rank) "nvvm.cluster_dim"="2,3,1" "nvvm.maxclusterrank"="6" {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
  store i32 %x, ptr %out
  %c = call i32 @llvm.nvvm.read.ptx.sreg.clusterid.y()
  store i32 %c, ptr %out
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  call void @llvm.nvvm.barrier.cluster.arrive.relaxed()
  store i32 0, ptr %out
  call void @llvm.nvvm.barrier.cluster.wait()
  %m = call ptr @llvm.nvvm.mapa(ptr %p, i32 %rank)
  store i32 1, ptr %m
  %r = call i32 @llvm.nvvm.getctarank(ptr %p)
  store i32 %r, ptr %out
  %set = call i1 @llvm.nvvm.is_explicit_cluster()
  store i1 %set, ptr %out
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.clusterid.y()
declare void @llvm.nvvm.barrier.cluster.arrive.aligned()
declare void @llvm.nvvm.barrier.cluster.wait.aligned()
declare void @llvm.nvvm.barrier.cluster.arrive.relaxed()
declare void @llvm.nvvm.barrier.cluster.wait()
declare ptr @llvm.nvvm.mapa(ptr, i32)
declare i32 @llvm.nvvm.getctarank(ptr)
declare i1 @llvm.nvvm.is_explicit_cluster()
; CHECK: define void @k(
; CHECK-NEXT: [[C:%.*]] = call i32 @cucpu.ctaid.x()
; CHECK-NEXT: [[N:%.*]] = call i32 @cucpu.cluster.x()
; CHECK-NEXT: [[X:%.*]] = urem i32 [[C]], [[N]]
; CHECK: store i32 [[X]], ptr %out
; CHECK: udiv i32
; CHECK: call void @cucpu.cluster.sync()
; CHECK-NOT: cucpu.cluster.sync
; CHECK: call void @cucpu.cluster.arrive()
; CHECK-NEXT: store i32 0
; CHECK-NEXT: call void @cucpu.cluster.wait()
; CHECK: call ptr @cucpu.cluster.base()
; CHECK: [[ALL:%.*]] = mul i32
; CHECK: [[IS:%.*]] = icmp ult i32 %rank, {{%.*}}
; CHECK: [[M:%.*]] = select i1 [[IS]], ptr {{%.*}}, ptr {{%.*}}
; CHECK: store i32 1, ptr [[M]]
; CHECK: call i32 @cucpu.cluster.set()
; CHECK-NOT: llvm.nvvm
; CHECK: attributes {{.*}}"cucpu.cluster"="2,3,1"{{.*}}"cucpu.max_cluster"="6"
