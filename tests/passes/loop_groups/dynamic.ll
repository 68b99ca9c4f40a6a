; Threads that return before the barrier: each group notes where it stopped, a dispatcher runs what is pending.
; RUN: %cucpu-opt --passes=split_barriers,loop_groups --simd=1 %s | FileCheck %s
define void @k(ptr %p) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %c = icmp slt i32 %t, 7
  br i1 %c, label %go, label %out
go:
  store volatile i32 1, ptr %p
  call void @cucpu.barrier(i32 0)
  store volatile i32 2, ptr %p
  br label %out
out:
  ret void
}
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)
; CHECK: define internal void @k.entry({{.*}} #[[E:[0-9]+]]
; CHECK: store volatile i32 1
; CHECK: %resume = load i32
; CHECK: icmp eq i32 %resume
; CHECK: store volatile i32 2
; CHECK: attributes #[[E]] = {{{.*}}"cucpu.frame"="0,4"
