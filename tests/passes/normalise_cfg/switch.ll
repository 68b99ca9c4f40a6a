; No switch, one return, no critical edges.
; RUN: %cucpu-opt --passes=normalise_cfg %s | FileCheck %s
define void @k(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  switch i32 %n, label %other [ i32 0, label %zero
                                i32 1, label %one
                                i32 7, label %zero ]
zero:
  store volatile i32 1, ptr %p
  ret void
one:
  store volatile i32 2, ptr %p
  br label %other
other:
  store volatile i32 3, ptr %p
  ret void
}
; CHECK-LABEL: define void @k(
; CHECK-NOT: switch
; CHECK: icmp
; CHECK: ret void
; CHECK-NOT: ret void
; CHECK: }
