; In a lane that is switched off a divisor can be what the branches around exclude for a thread
; that divides: the guards stay in wide variants.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants --simd=4 %s | FileCheck %s
define void @k(ptr %p, i64 %d) "cucpu.kernel" {
entry:
  %even = shl i64 %d, 1
  %zero = icmp eq i64 %even, 0
  br i1 %zero, label %out, label %divide
divide:
  %q = srem i64 -9223372036854775808, %even
  store i64 %q, ptr %p
  br label %out
out:
  ret void
}
; CHECK-LABEL: define void @k.w4.rows_full(
; CHECK: divide:
; CHECK: %[[ZERO:[0-9]+]] = icmp eq i64 %[[D:[0-9a-z]+]], 0
; CHECK: %[[SAFE:divisor[0-9]*]] = select i1 %[[ZERO]], i64 1, i64 %[[D]]
; CHECK: %[[SAFE2:divisor[0-9]*]] = select i1 %{{.*}}, i64 1, i64 %[[SAFE]]
; CHECK: srem i64 -9223372036854775808, %[[SAFE2]]
