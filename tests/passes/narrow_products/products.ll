; Products in more than 32 bits of numbers of 16 bits are computed in 32 bits; others, and those of scalars, stay.
; RUN: %cucpu-opt --passes=narrow_products %s | FileCheck %s
; RUN: %cucpu-opt --passes=narrow_products,narrow_products %s | FileCheck %s

; CHECK-LABEL: @shorts(
; CHECK: %product = mul nsw <8 x i32>
; CHECK-NEXT: sext <8 x i32> %product to <8 x i64>
define <8 x i64> @shorts(<8 x i16> %a, <8 x i16> %b) {
  %x = sext <8 x i16> %a to <8 x i64>
  %y = sext <8 x i16> %b to <8 x i64>
  %p = mul nsw <8 x i64> %x, %y
  ret <8 x i64> %p
}

; CHECK-LABEL: @byte_and_constant(
; CHECK: mul nsw <4 x i32>
define <4 x i64> @byte_and_constant(<4 x i8> %a) {
  %x = zext <4 x i8> %a to <4 x i64>
  %p = mul <4 x i64> %x, splat (i64 -32768)
  %q = lshr <4 x i64> %p, splat (i64 16)
  ret <4 x i64> %q
}

; CHECK-LABEL: @uniform(
; CHECK: mul nsw <8 x i32>
define <8 x i64> @uniform(<8 x i16> %a, i16 %g) {
  %x = sext <8 x i16> %a to <8 x i64>
  %w = sext i16 %g to i64
  %i = insertelement <8 x i64> poison, i64 %w, i64 0
  %y = shufflevector <8 x i64> %i, <8 x i64> poison, <8 x i32> zeroinitializer
  %p = mul <8 x i64> %x, %y
  ret <8 x i64> %p
}

; CHECK-LABEL: @in_128_bits(
; CHECK: mul nsw <4 x i32>
; CHECK-NEXT: sext <4 x i32> %product to <4 x i128>
define <4 x i128> @in_128_bits(<4 x i16> %a, <4 x i16> %b) {
  %x = sext <4 x i16> %a to <4 x i128>
  %y = sext <4 x i16> %b to <4 x i128>
  %p = mul <4 x i128> %x, %y
  ret <4 x i128> %p
}

; CHECK-LABEL: @in_32_bits(
; CHECK: mul <8 x i32>
define <8 x i32> @in_32_bits(<8 x i16> %a, <8 x i16> %b) {
  %x = sext <8 x i16> %a to <8 x i32>
  %y = sext <8 x i16> %b to <8 x i32>
  %p = mul <8 x i32> %x, %y
  ret <8 x i32> %p
}

; CHECK-LABEL: @too_large(
; CHECK: mul <8 x i64>
define <8 x i64> @too_large(<8 x i16> %a, <8 x i16> %b) {
  %x = zext <8 x i16> %a to <8 x i64>
  %y = zext <8 x i16> %b to <8 x i64>
  %p = mul <8 x i64> %x, %y
  ret <8 x i64> %p
}

; CHECK-LABEL: @constant_too_large(
; CHECK: mul <4 x i64>
define <4 x i64> @constant_too_large(<4 x i16> %a) {
  %x = sext <4 x i16> %a to <4 x i64>
  %p = mul <4 x i64> %x, splat (i64 32768)
  ret <4 x i64> %p
}

; CHECK-LABEL: @scalar(
; CHECK: mul i64
define i64 @scalar(i16 %a, i16 %b) {
  %x = sext i16 %a to i64
  %y = sext i16 %b to i64
  %p = mul i64 %x, %y
  ret i64 %p
}

; A factor that is the same in all lanes, in the middle: what is left of the product of three bytes is its sign.
; CHECK-LABEL: @three_bytes(
; CHECK-NOT: mul {{.*}}i64>
; CHECK: mul nsw <16 x i32>
; CHECK-NOT: mul {{.*}}i64>
; CHECK: mul nsw <16 x i32>
; CHECK-NOT: mul {{.*}}i64>
; CHECK: ret
define <16 x i16> @three_bytes(<16 x i8> %a, i8 %b, i8 %c) {
  %x = sext <16 x i8> %a to <16 x i64>
  %t = sext i8 %b to i64
  %i = insertelement <16 x i64> poison, i64 %t, i64 0
  %s = shufflevector <16 x i64> %i, <16 x i64> poison, <16 x i32> zeroinitializer
  %m = mul <16 x i64> %s, %x
  %u = sext i8 %c to i64
  %j = insertelement <16 x i64> poison, i64 %u, i64 0
  %v = shufflevector <16 x i64> %j, <16 x i64> poison, <16 x i32> zeroinitializer
  %n = mul <16 x i64> %m, %v
  %h = lshr <16 x i64> %n, splat (i64 32)
  %r = trunc <16 x i64> %h to <16 x i16>
  ret <16 x i16> %r
}

; Of the product of two words only lower bits are used: code generation sees that their signs will do, and so must this.
; CHECK-LABEL: @lower_bits(
; CHECK: mul nsw <8 x i32>
; CHECK-NOT: mul {{.*}}i128
; CHECK: ret
define <8 x i16> @lower_bits(<8 x i16> %a, <8 x i8> %b) {
  %x = sext <8 x i16> %a to <8 x i64>
  %y = sext <8 x i8> %b to <8 x i64>
  %v = zext <8 x i64> %x to <8 x i128>
  %w = zext <8 x i64> %y to <8 x i128>
  %p = mul nuw <8 x i128> %v, %w
  %h = lshr <8 x i128> %p, splat (i128 44)
  %r = trunc <8 x i128> %h to <8 x i16>
  ret <8 x i16> %r
}

; CHECK-LABEL: @upper_bits(
; CHECK: mul nuw <8 x i128>
define <8 x i32> @upper_bits(<8 x i64> %x, <8 x i64> %y) {
  %v = zext <8 x i64> %x to <8 x i128>
  %w = zext <8 x i64> %y to <8 x i128>
  %p = mul nuw <8 x i128> %v, %w
  %h = lshr <8 x i128> %p, splat (i128 44)
  %r = trunc <8 x i128> %h to <8 x i32>
  ret <8 x i32> %r
}
