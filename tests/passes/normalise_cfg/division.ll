; Integer division cannot trap: a zero divisor and the overflowing case divide by 1 instead.  Divisions by one number
; share what asks.
; RUN: %cucpu-opt --passes=normalise_cfg %s | FileCheck %s
define void @k(ptr %p, i32 %n, i32 %d) "cucpu.kernel" {
  %u = udiv i32 %n, %d
  store volatile i32 %u, ptr %p
  %s = sdiv i32 %n, %d
  store volatile i32 %s, ptr %p
  %min = srem i32 -2147483648, %d
  store volatile i32 %min, ptr %p
  %other = srem i32 7, %d
  store volatile i32 %other, ptr %p
  ret void
}
; CHECK-LABEL: define void @k(
; CHECK: %[[Z:[0-9]+]] = icmp eq i32 %[[D:[0-9]+]], 0
; CHECK: %[[U:divisor[0-9]*]] = select i1 %[[Z]], i32 1, i32 %[[D]]
; CHECK-NOT: icmp
; CHECK: udiv i32 %{{[0-9]+}}, %[[U]]
; CHECK: icmp eq i32 %[[D]], -1
; CHECK: icmp eq i32 %{{[0-9]+}}, -2147483648
; CHECK: %[[S:divisor[0-9]*]] = select i1 %{{[0-9]+}}, i32 1, i32 %[[U]]
; CHECK: sdiv i32 %{{[0-9]+}}, %[[S]]
; CHECK: %[[M:divisor[0-9]*]] = select i1 %{{[0-9]+}}, i32 1, i32 %[[U]]
; CHECK: srem i32 -2147483648, %[[M]]
; CHECK-NOT: icmp eq i32 %{{.*}}, -1
; CHECK: srem i32 7, %[[U]]

; Constants and what is never zero need no guard.
define void @safe(ptr %p, i32 %n) "cucpu.kernel" {
  %u = udiv i32 %n, 7
  store volatile i32 %u, ptr %p
  %x = call i32 @cucpu.ntid.x()
  %r = urem i32 %n, %x
  store volatile i32 %r, ptr %p
  ret void
}
declare i32 @cucpu.ntid.x()
; CHECK-LABEL: define void @safe(
; CHECK-NOT: select
; CHECK: urem i32
