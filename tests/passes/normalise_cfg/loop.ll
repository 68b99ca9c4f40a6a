; A loop has one preheader, one latch, exits of its own; values used behind it pass through phis there.
; A barrier in it is not duplicated.
; RUN: %cucpu-opt --passes=normalise_cfg %s | FileCheck %s
define void @k(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %latch1 ], [ %j, %latch2 ]
  %v = load volatile i32, ptr %p
  %j = add i32 %i, %v
  call void @cucpu.barrier(i32 0)
  %c = icmp slt i32 %j, %n
  br i1 %c, label %even, label %out
even:
  %b = and i32 %v, 1
  %e = icmp eq i32 %b, 0
  br i1 %e, label %latch1, label %latch2
latch1:
  store volatile i32 1, ptr %p
  br label %head
latch2:
  store volatile i32 2, ptr %p
  br label %head
out:
  store i32 %j, ptr %p
  ret void
}
declare void @cucpu.barrier(i32) convergent
; CHECK-LABEL: define void @k(
; CHECK: phi i32 [ {{.*}} ], [ {{[^]]*}} ]{{$}}
; CHECK: call void @cucpu.barrier
; CHECK-NOT: call void @cucpu.barrier
; CHECK: .lcssa = phi i32
; CHECK: ret void
