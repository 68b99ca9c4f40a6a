; --shuffle: each region asks the runtime for an order and runs the groups in it, one by one.
; RUN: %cucpu-opt --passes=make_variants,guard_coherent,linearise,widen,split_barriers,loop_groups --simd=8 --shuffle %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants,guard_coherent,linearise,widen,split_barriers,loop_groups --simd=8 %s | FileCheck --check-prefix=PLAIN %s
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32) convergent

define void @k(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %p, i32 %t
  %v = load i32, ptr %q
  call void @cucpu.barrier(i32 0)
  %w = add i32 %v, 1
  store i32 %w, ptr %q
  ret void
}
; CHECK-LABEL: define internal void @k.w8.rows_full.entry(
; CHECK: %[[FIRST:.*]] = call ptr @cucpu_group_order(i32 %
; CHECK: icmp eq ptr %[[FIRST]], null
; CHECK: %[[AT:.*]] = getelementptr inbounds i32, ptr %[[FIRST]], i64 %
; CHECK: load i32, ptr %[[AT]]
; CHECK: udiv i32
; CHECK: load <8 x i32>
; CHECK: call ptr @cucpu_group_order(i32 %
; CHECK: store <8 x i32>
; PLAIN-NOT: cucpu_group_order
