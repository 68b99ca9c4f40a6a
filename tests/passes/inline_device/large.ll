; Functions are small before they are copied where the kernels would be very large: 2^18 copies of @leaf, whose variables are no memory.
; RUN: %cucpu-opt --disable=vectorise_calls --passes=inline_device %s | FileCheck %s
define void @k(ptr %p) "cucpu.kernel" {
  %v = call i32 @f17(i32 1)
  store i32 %v, ptr %p
  ret void
}
define internal i32 @leaf(i32 %x) {
  %a = alloca i32
  store i32 %x, ptr %a
  %b = load i32, ptr %a
  ret i32 %b
}
define internal i32 @f0(i32 %x) {
  %a = call i32 @leaf(i32 %x)
  %b = call i32 @leaf(i32 %a)
  ret i32 %b
}
define internal i32 @f1(i32 %x) {
  %a = call i32 @f0(i32 %x)
  %b = call i32 @f0(i32 %a)
  ret i32 %b
}
define internal i32 @f2(i32 %x) {
  %a = call i32 @f1(i32 %x)
  %b = call i32 @f1(i32 %a)
  ret i32 %b
}
define internal i32 @f3(i32 %x) {
  %a = call i32 @f2(i32 %x)
  %b = call i32 @f2(i32 %a)
  ret i32 %b
}
define internal i32 @f4(i32 %x) {
  %a = call i32 @f3(i32 %x)
  %b = call i32 @f3(i32 %a)
  ret i32 %b
}
define internal i32 @f5(i32 %x) {
  %a = call i32 @f4(i32 %x)
  %b = call i32 @f4(i32 %a)
  ret i32 %b
}
define internal i32 @f6(i32 %x) {
  %a = call i32 @f5(i32 %x)
  %b = call i32 @f5(i32 %a)
  ret i32 %b
}
define internal i32 @f7(i32 %x) {
  %a = call i32 @f6(i32 %x)
  %b = call i32 @f6(i32 %a)
  ret i32 %b
}
define internal i32 @f8(i32 %x) {
  %a = call i32 @f7(i32 %x)
  %b = call i32 @f7(i32 %a)
  ret i32 %b
}
define internal i32 @f9(i32 %x) {
  %a = call i32 @f8(i32 %x)
  %b = call i32 @f8(i32 %a)
  ret i32 %b
}
define internal i32 @f10(i32 %x) {
  %a = call i32 @f9(i32 %x)
  %b = call i32 @f9(i32 %a)
  ret i32 %b
}
define internal i32 @f11(i32 %x) {
  %a = call i32 @f10(i32 %x)
  %b = call i32 @f10(i32 %a)
  ret i32 %b
}
define internal i32 @f12(i32 %x) {
  %a = call i32 @f11(i32 %x)
  %b = call i32 @f11(i32 %a)
  ret i32 %b
}
define internal i32 @f13(i32 %x) {
  %a = call i32 @f12(i32 %x)
  %b = call i32 @f12(i32 %a)
  ret i32 %b
}
define internal i32 @f14(i32 %x) {
  %a = call i32 @f13(i32 %x)
  %b = call i32 @f13(i32 %a)
  ret i32 %b
}
define internal i32 @f15(i32 %x) {
  %a = call i32 @f14(i32 %x)
  %b = call i32 @f14(i32 %a)
  ret i32 %b
}
define internal i32 @f16(i32 %x) {
  %a = call i32 @f15(i32 %x)
  %b = call i32 @f15(i32 %a)
  ret i32 %b
}
define internal i32 @f17(i32 %x) {
  %a = call i32 @f16(i32 %x)
  %b = call i32 @f16(i32 %a)
  ret i32 %b
}
; CHECK-LABEL: define void @k(
; CHECK-NOT: alloca
; CHECK: store i32 1
; CHECK-NEXT: ret void
