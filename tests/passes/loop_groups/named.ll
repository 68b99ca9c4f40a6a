; Named barriers: groups note which barrier they wait at, for how many threads, and the runtime says
; which of them go on.  Nothing counts as uniform for the block: its groups are in different phases.
; RUN: %cucpu-opt --passes=split_barriers,loop_groups --simd=1 %s | FileCheck %s
; RUN: %cucpu-opt --passes=split_barriers --simd=1 %s | FileCheck --check-prefix=SPLIT %s
define void @k(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %b = call i32 @cucpu.ctaid.x()
  %q = sdiv i32 %n, %b
  call void @cucpu.barrier.count(i32 %n, i32 64)
  store i32 %q, ptr %p
  ret void
}
declare i32 @cucpu.ctaid.x()
declare void @cucpu.barrier.count(i32, i32)
; SPLIT-NOT: cucpu.block
; SPLIT: call ptr @cucpu.frame.slot
; CHECK-LABEL: define internal void @k.entry(
; CHECK: store i32 -2147483647, ptr %slot{{[0-9]*}}
; CHECK: store i32 %n, ptr
; CHECK: store i32 64, ptr
; CHECK: call i32 @cucpu_barrier_release
