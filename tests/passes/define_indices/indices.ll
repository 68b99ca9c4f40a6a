; RUN: %cucpu-opt --passes=define_indices %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=define_indices --cpu=x86-64-v4 %s -o %t.ll && llc -O3 -mcpu=x86-64-v4 -mattr=+fast-gather %t.ll -o - | FileCheck %s --check-prefix=ASM
; What no lane has given an index is 0, through arithmetic and round a loop; other phis stay.
declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, <16 x i1>, <16 x float>)

; CHECK-LABEL: @frozen(
; CHECK: freeze <16 x i32> zeroinitializer
; ASM-LABEL: frozen:
; ASM-NOT: vgatherdps (%rdi,%zmm[[I:[0-9]+]],4), %zmm[[I]]
; ASM: ret
define <16 x float> @frozen(ptr %b, <16 x i1> %m) {
  %f = freeze <16 x i32> poison
  %p = getelementptr float, ptr %b, <16 x i32> %f
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %p, <16 x i1> %m, <16 x float> poison)
  ret <16 x float> %r
}

; CHECK-LABEL: @loop(
; CHECK: %x = phi <16 x i32> [ zeroinitializer, %entry ], [ %x.n, %loop ]
; CHECK: %v = phi <16 x float> [ poison, %entry ], [ %r, %loop ]
define <16 x float> @loop(ptr %b, <16 x i1> %m, <16 x i32> %d, i32 %n) {
entry:
  br label %loop
loop:
  %x = phi <16 x i32> [ poison, %entry ], [ %x.n, %loop ]
  %v = phi <16 x float> [ poison, %entry ], [ %r, %loop ]
  %i = phi i32 [ 0, %entry ], [ %i.n, %loop ]
  %x.n = add <16 x i32> %x, %d
  %w = sext <16 x i32> %x.n to <16 x i64>
  %p = getelementptr float, ptr %b, <16 x i64> %w
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %p, <16 x i1> %m, <16 x float> %v)
  %i.n = add i32 %i, 1
  %c = icmp slt i32 %i.n, %n
  br i1 %c, label %loop, label %out
out:
  ret <16 x float> %v
}

; Of 32 lanes 27 are open, and with them all of the second gather.
; CHECK-LABEL: @five(
; CHECK: %filled = shufflevector <8 x i32> %x, <8 x i32> zeroinitializer, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 8, i32 8,
; CHECK: freeze <32 x i32> %filled
; ASM-LABEL: five:
; ASM-NOT: vgatherdps (%rdi,%zmm[[I:[0-9]+]],4), %zmm[[I]]
; ASM: ret
define <32 x float> @five(ptr %b, <8 x i32> %x) {
  %s = shufflevector <8 x i32> %x, <8 x i32> poison, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %f = freeze <32 x i32> %s
  %m = icmp ult <32 x i32> %f, splat (i32 100)
  %p = getelementptr float, ptr %b, <32 x i32> %f
  %r = call <32 x float> @llvm.masked.gather.v32f32.v32p0(<32 x ptr> align 4 %p, <32 x i1> %m, <32 x float> poison)
  ret <32 x float> %r
}

; Not behind a freeze or a phi: the code generator knows better.
; CHECK-LABEL: @open(
; CHECK: shufflevector <8 x i32> %x, <8 x i32> poison
define <16 x float> @open(ptr %b, <16 x i1> %m, <8 x i32> %x) {
  %s = shufflevector <8 x i32> %x, <8 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %p = getelementptr float, ptr %b, <16 x i32> %s
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %p, <16 x i1> %m, <16 x float> poison)
  ret <16 x float> %r
}
