; A gather whose index is defined in no lane gets one register for index and result: #UD.
; RUN: llc -O3 -mtriple=x86_64-linux -mcpu=x86-64-v4 -mattr=+fast-gather %s -o - | FileCheck %s
; CHECK: vgatherdps (%rdi,%zmm[[I:[0-9]+]],4), %zmm[[I]]
define <16 x float> @frozen(ptr %b, <16 x i1> %m) {
  %f = freeze <16 x i32> poison
  %p = getelementptr float, ptr %b, <16 x i32> %f
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %p, <16 x i1> %m, <16 x float> poison)
  ret <16 x float> %r
}
