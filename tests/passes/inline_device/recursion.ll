; Recursion stays a call; ids travel through cucpu_thread().
; RUN: %cucpu-opt --passes=inline_device %s | FileCheck %s
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
  %x = mul i32 %r, %n
  ret i32 %x
}
declare i32 @cucpu.tid.x()
; CHECK-LABEL: define void @k(
; CHECK: %[[T:.*]] = call i32 @cucpu.tid.x()
; CHECK: %[[P:.*]] = call ptr @cucpu_thread()
; CHECK: store i32 %[[T]], ptr
; CHECK: call i32 @fac(i32 %n)
; CHECK-LABEL: define internal i32 @fac(
; CHECK-NOT: @cucpu.tid.x
; CHECK: %[[Q:.*]] = call ptr @cucpu_thread()
; CHECK: load i32, ptr
