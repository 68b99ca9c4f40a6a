; Straight-line barriers: region follows region, nothing is dispatched at run time, and nothing is kept.
; RUN: %cucpu-opt --passes=split_barriers,loop_groups --simd=1 %s | FileCheck %s
define void @k(ptr %p) "cucpu.kernel" {
  store volatile i32 1, ptr %p
  call void @cucpu.barrier(i32 0)
  store volatile i32 2, ptr %p
  call void @cucpu.barrier(i32 0)
  store volatile i32 3, ptr %p
  ret void
}
declare void @cucpu.barrier(i32)
; CHECK: define internal void @k.entry({{.*}} #[[E:[0-9]+]]
; CHECK: store volatile i32 1
; CHECK: icmp ult i32
; CHECK: store volatile i32 2
; CHECK: icmp ult i32
; CHECK: store volatile i32 3
; CHECK-NOT: store volatile
; CHECK-NOT: switch
; CHECK-NOT: parity
; CHECK: ret void
; CHECK: attributes #[[E]] = {{{.*}}"cucpu.frame"="0,0"
