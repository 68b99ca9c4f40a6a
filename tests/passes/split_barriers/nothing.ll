; Without barriers nothing happens; a second run over split code keeps nothing more.
; RUN: %cucpu-opt --passes=split_barriers --simd=1 %s | FileCheck %s
; RUN: %cucpu-opt --passes=split_barriers,split_barriers --simd=1 %s | FileCheck %s
define void @k(ptr %p) "cucpu.kernel" {
  %v = load volatile i32, ptr %p
  store volatile i32 %v, ptr %p
  ret void
}
; CHECK-LABEL: define void @k(ptr %p)
; CHECK-NEXT: %v = load volatile i32, ptr %p
; CHECK-NEXT: store volatile i32 %v, ptr %p
; CHECK-NEXT: ret void
; CHECK: "cucpu.frame"="0,0"
