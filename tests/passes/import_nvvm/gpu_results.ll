; What C++ leaves undefined and a GPU defines.  Shifts by the width or more: 0, or the sign; a known small amount stays as it is.
; RUN: %cucpu-opt --passes=import_nvvm %s | FileCheck %s
; The second run, after the device library was linked, adds nothing.
; RUN: %cucpu-opt --passes=import_nvvm,import_nvvm %s | FileCheck %s
; CHECK-LABEL: @left(
; CHECK-NEXT: %[[C:.*]] = icmp ult i32 %n, 32
; CHECK-NEXT: %[[S:.*]] = shl i32 %x, %n
; CHECK-NEXT: %[[R:.*]] = select i1 %[[C]], i32 %[[S]], i32 0
; CHECK-NEXT: ret i32 %[[R]]
define i32 @left(i32 %x, i32 %n) {
  %s = shl i32 %x, %n
  ret i32 %s
}
; CHECK-LABEL: @arithmetic(
; CHECK: icmp ult i64 %n, 64
; CHECK-NEXT: select i1 %{{.*}}, i64 %n, i64 63
; CHECK-NEXT: ashr i64 %x
; CHECK-NEXT: ret
define i64 @arithmetic(i64 %x, i64 %n) {
  %s = ashr i64 %x, %n
  ret i64 %s
}
; CHECK-LABEL: @small(
; CHECK-NEXT: lshr i32 %x, 31
; CHECK-NEXT: ret
define i32 @small(i32 %x) {
  %s = lshr i32 %x, 31
  ret i32 %s
}
; CHECK-LABEL: @too_far(
; CHECK: ret i32 0
define i32 @too_far(i32 %x) {
  %s = shl i32 %x, 40
  ret i32 %s
}
; CHECK-LABEL: @all_sign(
; CHECK: ashr i32 %x, 31
define i32 @all_sign(i32 %x) {
  %s = ashr i32 %x, 32
  ret i32 %s
}
; CHECK-LABEL: @wide(
; CHECK-NEXT: lshr i128 %x, 64
; CHECK-NEXT: ret
define i128 @wide(i128 %x) {
  %s = lshr i128 %x, 64
  ret i128 %s
}
; CHECK-LABEL: @to_int(
; CHECK-NEXT: %[[I:.*]] = call i32 @llvm.fptosi.sat.i32.f32(float %x)
; CHECK-NEXT: ret i32 %[[I]]
define i32 @to_int(float %x) {
  %i = fptosi float %x to i32
  ret i32 %i
}
; CHECK-LABEL: @to_byte(
; CHECK: %[[W:.*]] = call i32 @llvm.fptoui.sat.i32.f64(double %x)
; CHECK-NEXT: %[[N:.*]] = fcmp uno double %x, %x
; CHECK-NEXT: %[[V:.*]] = select i1 %[[N]], i32 -2147483648, i32 %[[W]]
; CHECK-NEXT: trunc i32 %[[V]] to i8
define i8 @to_byte(double %x) {
  %i = fptoui double %x to i8
  ret i8 %i
}
; CHECK-LABEL: @to_long(
; CHECK-NEXT: %[[L:.*]] = call i64 @llvm.fptoui.sat.i64.f32(float %x)
; CHECK-NEXT: %[[N:.*]] = fcmp uno float %x, %x
; CHECK-NEXT: select i1 %[[N]], i64 -9223372036854775808, i64 %[[L]]
define i64 @to_long(float %x) {
  %i = fptoui float %x to i64
  ret i64 %i
}
