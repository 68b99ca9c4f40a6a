; A barrier in a recursive function is refused by its name.
; RUN: not %cucpu-opt --passes=inline_device %s 2>&1 | FileCheck %s
; CHECK: error: unsupported: a barrier or warp-level function stands in a recursive function ('cucpu.barrier')
define void @k(i32 %n) "cucpu.kernel" {
  call void @r(i32 %n)
  ret void
}
define internal void @r(i32 %n) {
  call void @cucpu.barrier(i32 0)
  %end = icmp eq i32 %n, 0
  br i1 %end, label %stop, label %more
more:
  %m = sub i32 %n, 1
  call void @r(i32 %m)
  br label %stop
stop:
  ret void
}
declare void @cucpu.barrier(i32)
