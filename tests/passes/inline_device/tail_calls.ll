; A call of a function to itself that nothing follows, or only a sum or a product, is a loop, and the function is inlined.
; RUN: %cucpu-opt --passes=inline_device %s | FileCheck %s
; CHECK-LABEL: define void @k(
; CHECK: phi i32
; CHECK: phi i32
; CHECK: srem i32
; CHECK-NOT: call
; CHECK: ret void
; CHECK-NOT: define
define void @k(ptr %p, i32 %a, i32 %b) "cucpu.kernel" {
  %r = call i32 @gcd(i32 %a, i32 %b)
  %s = call i32 @power(i32 %r, i32 %b)
  store i32 %s, ptr %p
  ret void
}
define internal i32 @gcd(i32 %a, i32 %b) {
  %end = icmp eq i32 %b, 0
  br i1 %end, label %stop, label %more
stop:
  ret i32 %a
more:
  %c = srem i32 %a, %b
  %r = call i32 @gcd(i32 %b, i32 %c)
  ret i32 %r
}
define internal i32 @power(i32 %x, i32 %n) {
  %end = icmp eq i32 %n, 0
  br i1 %end, label %stop, label %more
stop:
  ret i32 1
more:
  %m = sub i32 %n, 1
  %r = call i32 @power(i32 %x, i32 %m)
  %y = mul i32 %r, %x
  ret i32 %y
}
