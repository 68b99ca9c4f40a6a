; The upper word of a product of 16-bit integers is shifted without its sign.
; RUN: llc -O3 -mtriple=x86_64-linux -mcpu=x86-64-v3 %s -o - | FileCheck %s
; CHECK-LABEL: product:
; CHECK: vpmulhw
; CHECK-NEXT: vpsrlw $4
define <8 x i16> @product(<8 x i16> %x, <8 x i16> %y) {
  %a = sext <8 x i16> %x to <8 x i64>
  %b = sext <8 x i16> %y to <8 x i64>
  %p = mul nsw <8 x i64> %a, %b
  %s = lshr <8 x i64> %p, splat (i64 20)
  %t = trunc <8 x i64> %s to <8 x i16>
  ret <8 x i16> %t
}
