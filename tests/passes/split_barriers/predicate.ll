; The predicate of a reducing barrier is computed in front of it, not in the barrier's own block:
; that starts with the barrier.  What only the predicate needs does not go to the frame.
; RUN: %cucpu-opt --passes=split_barriers --simd=1 %s | FileCheck %s
; RUN: %cucpu-opt --passes=split_barriers,loop_groups --simd=1 %s | FileCheck --check-prefix=LOOPS %s
define void @k(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  call void @cucpu.barrier(i32 0)
  %x = load i32, ptr %p
  %c = icmp slt i32 %x, %n
  %t = call i32 @cucpu.tid.x()
  %d = icmp slt i32 %t, %n
  %both = and i1 %c, %d
  call void @cucpu.barrier(i32 0)
  %count = call i32 @cucpu.barrier.popc(i32 0, i1 %both)
  store i32 %count, ptr %p
  ret void
}
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)
declare i32 @cucpu.barrier.popc(i32, i1)
; CHECK-LABEL: define void @k(
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: store i8 {{.*}}, ptr %slot
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK-NOT: store
; CHECK: {{^}}barrier{{[0-9]*}}:
; CHECK-NEXT: call i32 @cucpu.barrier.popc
; LOOPS-LABEL: define internal void @k.entry(
; LOOPS-NOT: call {{.*}}@cucpu.barrier
; LOOPS: ret void
