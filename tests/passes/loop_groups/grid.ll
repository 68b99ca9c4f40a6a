; A barrier of the grid leaves the block: its state and the block-uniform slots go to the fixed part
; of the frame, and the head of the block finds the way back.  With one way only (static dispatch) the
; state is the region; where groups may differ the runtime looks after them.
; RUN: %cucpu-opt --passes=split_barriers,loop_groups --simd=1 %s | FileCheck %s
; RUN: %cucpu-opt --passes=split_barriers,loop_groups --simd=1 --disable=static_dispatch %s | FileCheck --check-prefix=DYNAMIC %s
define void @k(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %b = call i32 @cucpu.ctaid.x()
  %q = sdiv i32 %n, %b
  store i32 %q, ptr %p
  call void @cucpu.grid.sync()
  %t = call i32 @cucpu.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  store i32 %q, ptr %at
  ret void
}
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()
declare void @cucpu.grid.sync()
; CHECK-LABEL: define internal void @k.entry(ptr %launch, ptr %worker, i64 %first, i64 %end)
; CHECK: %state = load i32, ptr %
; CHECK: icmp eq i32 %state, 0
; CHECK: br i1 %{{.*}}, label %{{.*}}, label %again
; CHECK: block.done:
; CHECK: store i32 -1, ptr %
; CHECK: again:
; CHECK: grid.stop:
; CHECK: store i32 1, ptr %
; CHECK: br label %block.next
; CHECK-NOT: @cucpu_barrier_release
; CHECK: "cucpu.frame"="128,{{[0-9]+}}"
; DYNAMIC-LABEL: define internal void @k.entry(
; DYNAMIC: %released = call i32 @cucpu_barrier_release(ptr @cucpu.barriers{{[.0-9]*}}, ptr %launch, ptr %waits
; DYNAMIC: switch i32 %released
