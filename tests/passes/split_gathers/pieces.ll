; Gathers and scatters of constant distances become loads and stores of their elements, pairs where all are neighbours,
; where that takes less than the target's instruction: on Zen 4, not on Skylake but for pairs.
; RUN: %cucpu-opt --passes=split_gathers --cpu=znver4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=split_gathers --cpu=skylake-avx512 %s | FileCheck --check-prefix=INTEL %s
; RUN: %cucpu-opt --passes=split_gathers --disable=split_gathers --cpu=znver4 %s | FileCheck --check-prefix=OFF %s
; CHECK-LABEL: define void @pairs(
; CHECK: [[V:%.*]] = shufflevector <8 x float> %v, <8 x float> poison, <8 x i32> <i32 0, i32 4, i32 1, i32 5, i32 2, i32 6, i32 3, i32 7>
; CHECK: [[D:%.*]] = bitcast <8 x float> [[V]] to <4 x double>
; CHECK: [[E:%.*]] = extractelement <4 x double> [[D]], i64 1
; CHECK: [[P:%.*]] = getelementptr float, ptr %p, i64 64
; CHECK: store double [[E]], ptr [[P]], align 4
; CHECK-NOT: masked.scatter
; INTEL-LABEL: define void @pairs(
; INTEL-NOT: masked.scatter
; OFF-LABEL: define void @pairs(
; OFF: masked.scatter
define void @pairs(ptr %p, <8 x float> %v) {
  %q = getelementptr float, ptr %p, <8 x i64> <i64 0, i64 64, i64 128, i64 192, i64 1, i64 65, i64 129, i64 193>
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v, <8 x ptr> align 4 %q, <8 x i1> splat (i1 true))
  ret void
}
; CHECK-LABEL: define <8 x float> @column(
; CHECK: [[Q:%.*]] = getelementptr float, ptr %p, i64 64
; CHECK: load float, ptr [[Q]], align 4
; CHECK-NOT: masked.gather
; CHECK: ret <8 x float>
; INTEL-LABEL: define <8 x float> @column(
; INTEL: masked.gather
define <8 x float> @column(ptr %p) {
  %q = getelementptr float, ptr %p, <8 x i64> <i64 0, i64 64, i64 128, i64 192, i64 256, i64 320, i64 384, i64 448>
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %q, <8 x i1> splat (i1 true), <8 x float> poison)
  ret <8 x float> %v
}
; Four neighbours are one vector; offsets in other units than elements, and a structure of two of them.
; CHECK-LABEL: define <8 x i32> @fours(
; CHECK: [[A:%.*]] = load <4 x i32>, ptr {{.*}}, align 4
; CHECK: [[B:%.*]] = getelementptr i32, ptr %p, i64 100
; CHECK: [[C:%.*]] = load <4 x i32>, ptr [[B]], align 4
; CHECK: [[D:%.*]] = shufflevector <4 x i32> [[A]], <4 x i32> [[C]], <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
; CHECK: shufflevector <8 x i32> [[D]], <8 x i32> poison, <8 x i32> <i32 4, i32 0, i32 5, i32 1, i32 6, i32 2, i32 7, i32 3>
define <8 x i32> @fours(ptr %p) {
  %q = getelementptr i8, ptr %p, <8 x i64> <i64 400, i64 0, i64 404, i64 4, i64 408, i64 8, i64 412, i64 12>
  %v = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 %q, <8 x i1> splat (i1 true), <8 x i32> poison)
  ret <8 x i32> %v
}
; Of lanes with one address the last one stores; a load is shared.
; CHECK-LABEL: define <4 x i64> @same(
; CHECK-DAG: [[L2:%.*]] = extractelement <4 x i64> %v, i64 2
; CHECK-DAG: [[L3:%.*]] = extractelement <4 x i64> %v, i64 3
; CHECK-NOT: extractelement
; CHECK: [[G1:%.*]] = load i64
; CHECK: [[G2:%.*]] = load i64
; CHECK-NOT: load
; CHECK: shufflevector <2 x i64> {{.*}} <4 x i32> <i32 0, i32 1, i32 0, i32 1>
define <4 x i64> @same(ptr %p, <4 x i64> %v) {
  %q = getelementptr i64, ptr %p, <4 x i64> <i64 -5, i64 7, i64 -5, i64 7>
  call void @llvm.masked.scatter.v4i64.v4p0(<4 x i64> %v, <4 x ptr> align 8 %q, <4 x i1> splat (i1 true))
  %w = call <4 x i64> @llvm.masked.gather.v4i64.v4p0(<4 x ptr> align 8 %q, <4 x i1> splat (i1 true), <4 x i64> poison)
  ret <4 x i64> %w
}
; Not: some lanes inactive, unknown distances, between elements, bytes.
; CHECK-LABEL: define void @others(
; CHECK-COUNT-4: call void @llvm.masked.scatter
define void @others(ptr %p, <4 x float> %v, <4 x i1> %m, <4 x i64> %i, <4 x i8> %bytes) {
  %q = getelementptr float, ptr %p, <4 x i64> <i64 0, i64 64, i64 128, i64 192>
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %v, <4 x ptr> align 4 %q, <4 x i1> %m)
  %r = getelementptr float, ptr %p, <4 x i64> %i
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %v, <4 x ptr> align 4 %r, <4 x i1> splat (i1 true))
  %s = getelementptr i8, ptr %p, <4 x i64> <i64 0, i64 6, i64 12, i64 18>
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %v, <4 x ptr> align 1 %s, <4 x i1> splat (i1 true))
  call void @llvm.masked.scatter.v4i8.v4p0(<4 x i8> %bytes, <4 x ptr> align 1 %s, <4 x i1> splat (i1 true))
  ret void
}
