; A reducing barrier: arriving groups add to an accumulator; the region behind reads it once and clears it.
; RUN: %cucpu-opt --passes=split_barriers,loop_groups --simd=1 %s | FileCheck %s
define void @k(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %c = icmp slt i32 %t, 7
  %n = call i32 @cucpu.barrier.popc(i32 0, i1 %c)
  store volatile i32 %n, ptr %p
  ret void
}
declare i32 @cucpu.tid.x()
declare i32 @cucpu.barrier.popc(i32, i1)
; CHECK: define internal void @k.entry(
; CHECK: %[[C:.*]] = icmp slt i32 %{{.*}}, 7
; CHECK: %[[Z:.*]] = zext i1 %[[C]] to i32
; CHECK: add i32 %acc{{.*}}, %[[Z]]
; CHECK: store volatile i32 %{{.*}}, ptr
; CHECK-NOT: @cucpu.barrier.popc(
; CHECK: ret void
