; Lanes that are picked out of a longer mask are picked as bytes; stretches, masks of the same length and longer ones, and bytes stay.
; RUN: %cucpu-opt --passes=spread_masks %s | FileCheck %s
; RUN: %cucpu-opt --passes=spread_masks --disable=spread_masks %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: %spread
; RUN: %cucpu-opt --passes=spread_masks %s -o %t.ll && llc -mcpu=x86-64-v4 %t.ll -o - | FileCheck --check-prefix=ASM %s

; CHECK-LABEL: @picked(
; CHECK: [[B:%.*]] = sext <64 x i1> %c to <64 x i8>
; CHECK: %spread = shufflevector <64 x i8> [[B]], <64 x i8> {{.*}}, <16 x i32> <i32 1, i32 5, i32 9,
; CHECK: icmp slt <16 x i8> %spread, zeroinitializer
; ASM-LABEL: picked:
; ASM-NOT: kshift
; ASM: vpmovdb
; ASM-NOT: kshift
; ASM: retq
define <16 x i8> @picked(<64 x i8> %x, <64 x i8> %y) {
  %c = icmp ne <64 x i8> %x, %y
  %s = shufflevector <64 x i1> %c, <64 x i1> poison, <16 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29, i32 33, i32 37, i32 41, i32 45, i32 49, i32 53, i32 57, i32 61>
  %z = zext <16 x i1> %s to <16 x i8>
  ret <16 x i8> %z
}

; Of two masks, with a lane that nobody asks for.
; CHECK-LABEL: @of_two(
; CHECK-COUNT-2: sext <8 x i1>
; CHECK: %spread = shufflevector <8 x i8> {{.*}}, <4 x i32> <i32 0, i32 8, i32 poison, i32 9>
define <4 x i1> @of_two(<8 x i1> %x, <8 x i1> %y) {
  %s = shufflevector <8 x i1> %x, <8 x i1> %y, <4 x i32> <i32 0, i32 8, i32 poison, i32 9>
  ret <4 x i1> %s
}

; CHECK-LABEL: @others(
; CHECK-NOT: spread
; CHECK: ret
define <16 x i1> @others(<32 x i1> %x, <4 x i1> %y, <32 x i8> %z) {
  %stretch = shufflevector <32 x i1> %x, <32 x i1> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %same = shufflevector <16 x i1> %stretch, <16 x i1> poison, <16 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6, i32 9, i32 8, i32 11, i32 10, i32 13, i32 12, i32 15, i32 14>
  %longer = shufflevector <4 x i1> %y, <4 x i1> poison, <16 x i32> <i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1, i32 2, i32 2, i32 2, i32 2, i32 3, i32 3, i32 3, i32 3>
  %bytes = shufflevector <32 x i8> %z, <32 x i8> poison, <16 x i32> <i32 0, i32 2, i32 4, i32 6, i32 8, i32 10, i32 12, i32 14, i32 16, i32 18, i32 20, i32 22, i32 24, i32 26, i32 28, i32 30>
  %b = trunc <16 x i8> %bytes to <16 x i1>
  %u = and <16 x i1> %same, %longer
  %v = or <16 x i1> %u, %b
  ret <16 x i1> %v
}
