; A barrier in a loop whose trip count is a parameter: uniform for the block, so the block loop itself branches;
; with --disable=static_dispatch every group notes where it stopped.
; RUN: %cucpu-opt --passes=normalise_cfg,split_barriers,loop_groups --simd=1 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,split_barriers,loop_groups --simd=1 --disable=static_dispatch %s | FileCheck --check-prefix=DYNAMIC %s
define void @k(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %head ]
  store volatile i32 %i, ptr %p
  call void @cucpu.barrier(i32 0)
  %j = add nuw nsw i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %head, label %out
out:
  ret void
}
declare void @cucpu.barrier(i32)
; CHECK: define internal void @k.entry(
; CHECK-NOT: resume
; CHECK: "cucpu.frame"="0,0"
; DYNAMIC: %resume = load i32
; DYNAMIC: "cucpu.frame"="0,4"
