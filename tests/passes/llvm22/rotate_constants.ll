; 11 rotated by 0 is 11.
; RUN: llc -O3 -mtriple=x86_64-linux -mcpu=x86-64-v3 %s -o - | FileCheck %s
; CHECK: .long 4294967295
; CHECK-LABEL: rotated:
define <4 x i32> @rotated() {
  %r = call <4 x i32> @llvm.fshl.v4i32(<4 x i32> splat (i32 11), <4 x i32> splat (i32 11), <4 x i32> <i32 0, i32 poison, i32 0, i32 1>)
  ret <4 x i32> %r
}
