; Every run makes variants of the kernels, never of variants.
; RUN: %cucpu-opt --passes=make_variants,make_variants --simd=1 %s | FileCheck %s
define void @k() "cucpu.kernel" {
  ret void
}
; CHECK-NOT: @k.w1.rows_full.w1
