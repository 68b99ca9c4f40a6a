; Of a gather or scatter whose constant mask has few active lanes only these are accessed, where the target's instruction
; takes longer; the others keep their value.
; RUN: %cucpu-opt --passes=lower_masked --cpu=znver4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=lower_masked --cpu=znver4 --disable=lower_masked %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: extractelement
; CHECK-LABEL: define <16 x float> @two(
; CHECK: %[[I:.*]] = extractelement <16 x i32> %i, i64 0
; CHECK: %[[S:.*]] = sext i32 %[[I]] to i64
; CHECK: %[[P:.*]] = getelementptr float, ptr %p, i64 %[[S]]
; CHECK: %[[V:.*]] = load float, ptr %[[P]], align 4
; CHECK: insertelement <16 x float> %rest, float %[[V]], i64 0
; CHECK: extractelement <16 x i32> %i, i64 5
; CHECK-NOT: extractelement
; CHECK: ret <16 x float>
define <16 x float> @two(ptr %p, <16 x i32> %i, <16 x float> %rest) {
  %q = getelementptr float, ptr %p, <16 x i32> %i
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %q, <16 x i1> <i1 1, i1 0, i1 0, i1 0, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>, <16 x float> %rest)
  ret <16 x float> %v
}
; CHECK-LABEL: define void @one(
; CHECK: extractelement <16 x i32> %i, i64 3
; CHECK: %[[E:.*]] = extractelement <16 x float> %v, i64 3
; CHECK: store float %[[E]], ptr {{.*}}, align 4
; CHECK-NOT: store
; CHECK: ret void
define void @one(ptr %p, <16 x i32> %i, <16 x float> %v) {
  %q = getelementptr float, ptr %p, <16 x i32> %i
  call void @llvm.masked.scatter.v16f32.v16p0(<16 x float> %v, <16 x ptr> align 4 %q, <16 x i1> <i1 0, i1 0, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>)
  ret void
}
; CHECK-LABEL: define <16 x float> @most(
; CHECK: masked.gather
define <16 x float> @most(ptr %p, <16 x i32> %i) {
  %q = getelementptr float, ptr %p, <16 x i32> %i
  %v = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> align 4 %q, <16 x i1> <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 0, i1 1>, <16 x float> poison)
  ret <16 x float> %v
}
