; Recursion stays a call; where it has no vector function ids travel with it: a wrapper stores them for cucpu_thread(), where the function reads them.
; RUN: %cucpu-opt --passes=inline_device --disable=outline_recursion %s | FileCheck %s
define void @k(ptr %p, i32 %n) "cucpu.kernel" {
  %r = call i32 @fac(i32 %n)
  store i32 %r, ptr %p
  ret void
}
define internal i32 @fac(i32 %n) {
  %t = call i32 @cucpu.tid.x()
  %end = icmp sle i32 %n, %t
  br i1 %end, label %stop, label %more
stop:
  ret i32 1
more:
  %m = sub i32 %n, 1
  %r = call i32 @fac(i32 %m)
  %x = sub i32 %n, %r
  ret i32 %x
}
declare i32 @cucpu.tid.x()
; CHECK-LABEL: define void @k(
; CHECK: %[[T:[0-9]+]] = call i32 @cucpu.tid.x()
; CHECK: call i32 @cucpu_with_ids(i32 %[[T]], {{.*}}, ptr @fac, i32 %n)
; CHECK-LABEL: define internal i32 @fac(
; CHECK-NOT: @cucpu.tid.x
; CHECK: %[[Q:.*]] = call ptr @cucpu_thread()
; CHECK: load i32, ptr
; CHECK-LABEL: define internal i32 @cucpu_with_ids(
; CHECK: call ptr @cucpu_thread()
; CHECK: store i32 %0, ptr
; CHECK: %[[R:[0-9]+]] = call i32 %{{[0-9]+}}(i32 %{{[0-9]+}})
; CHECK-NEXT: ret i32 %[[R]]
