; Scattered lanes of a mask are moved one by one; so are the bits of an integer without AVX-512.
; RUN: llc -O3 -mtriple=x86_64-linux -mcpu=x86-64-v4 %s -o - | FileCheck %s
; RUN: llc -O3 -mtriple=x86_64-linux -mcpu=x86-64-v3 %s -o - | FileCheck --check-prefix=INTEGER %s
; CHECK-LABEL: picked:
; CHECK-COUNT-16: kshift
; INTEGER-LABEL: integer:
; INTEGER-COUNT-7: shrb
define void @picked(<64 x i8> %x, <8 x i32> %v, ptr %p) {
  %m = icmp eq <64 x i8> %x, zeroinitializer
  %s = shufflevector <64 x i1> %m, <64 x i1> poison, <8 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29>
  %r = select <8 x i1> %s, <8 x i32> %v, <8 x i32> zeroinitializer
  store <8 x i32> %r, ptr %p
  ret void
}

define void @integer(i8 %n, <8 x i32> %x, <8 x i32> %y, ptr %p) {
  %m = bitcast i8 %n to <8 x i1>
  %c = icmp sgt <8 x i32> %x, %y
  %b = and <8 x i1> %m, %c
  %r = select <8 x i1> %b, <8 x i32> %x, <8 x i32> zeroinitializer
  store <8 x i32> %r, ptr %p
  ret void
}
