; The analysis can be limited to the degrees of Sampaio et al. (2013): the simple one, where what differs between lanes
; varies; strides that are constants; all, with strides that are uniform but unknown.
; RUN: %cucpu-opt --passes='print<shapes>' --simd=8 %s | FileCheck --check-prefixes=ALL,CHECK %s
; RUN: %cucpu-opt --passes='print<shapes>' --simd=8 --disable=unknown_strides %s | FileCheck --check-prefixes=ONE,CHECK %s
; RUN: %cucpu-opt --passes='print<shapes>' --simd=8 --disable=affine_values %s | FileCheck --check-prefixes=SIMPLE,CHECK %s
; RUN: not %cucpu-opt --passes='print<shapes>' --simd=8 --disable=affine_value %s 2>&1 | FileCheck --check-prefix=NAME %s
; NAME: --disable=affine_value: no pass or option of this name
declare i32 @cucpu.tid.x()

; CHECK-LABEL: shapes of kernel
; ALL: %x: affine x
; ONE: %x: affine x
; SIMPLE: %x: varying
; CHECK: %u: uniform(grid)
; ALL: %one: affine x + grid
; ONE: %one: affine x + grid
; SIMPLE: %one: varying
; ALL: %two: affine U*x
; ONE: %two: varying
; SIMPLE: %two: varying
; ALL: %low: pattern
; ONE: %low: varying
; SIMPLE: %low: varying
; ALL: %same: uniform
; ONE: %same: uniform
; SIMPLE: %same: varying
define void @kernel(ptr %out, i32 %n) #0 {
  %x = call i32 @cucpu.tid.x()
  %u = add i32 %n, 1
  %one = add i32 %x, %n
  %two = mul i32 %x, %n
  %low = and i32 %x, 3
  %same = sub i32 %one, %x
  store i32 %same, ptr %out
  ret void
}
attributes #0 = { "cucpu.kernel" }
