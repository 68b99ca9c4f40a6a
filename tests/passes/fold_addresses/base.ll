; What LICM took out of a loop goes back into the address: a scalar base, an index as narrow as it was.
; RUN: %cucpu-opt --passes=fold_addresses %s | FileCheck %s
; RUN: %cucpu-opt --passes=fold_addresses,fold_addresses %s | FileCheck %s
; RUN: %cucpu-opt --passes=fold_addresses --disable=fold_addresses %s | FileCheck --check-prefix=OFF %s
declare <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr>, <4 x i1>, <4 x float>)
declare void @llvm.masked.scatter.v4f32.v4p0(<4 x float>, <4 x ptr>, <4 x i1>)

; CHECK-LABEL: define void @constants(
; CHECK: %[[ROW:.*]] = mul i64 %row, 64
; CHECK: %[[BASE:.*]] = getelementptr i8, ptr %p, i64 %[[ROW]]
; CHECK: %[[AT:.*]] = getelementptr i8, ptr %[[BASE]], <4 x i64> <i64 0, i64 64, i64 128, i64 192>
; CHECK: gather{{.*}}(<4 x ptr> %[[AT]]
; CHECK: scatter{{.*}}<4 x ptr> %[[AT]]
; OFF-LABEL: define void @constants(
; OFF: getelementptr [16 x float], <4 x ptr> %lanes, i64 %row
define void @constants(ptr %p, i64 %n) {
entry:
  %lanes = getelementptr float, ptr %p, <4 x i64> <i64 0, i64 16, i64 32, i64 48>
  br label %loop
loop:
  %row = phi i64 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr [16 x float], <4 x ptr> %lanes, i64 %row
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %at, <4 x i1> splat (i1 true), <4 x float> poison)
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %v, <4 x ptr> %at, <4 x i1> splat (i1 true))
  %next = add i64 %row, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}

; The extension is the address unit's work.
; CHECK-LABEL: define void @narrow(
; CHECK: getelementptr i32, ptr %{{.*}}, <4 x i32> %index
define void @narrow(ptr %p, <4 x i32> %index, ptr %to) {
entry:
  %long = sext <4 x i32> %index to <4 x i64>
  %lanes = getelementptr float, ptr %p, <4 x i64> %long
  %at = getelementptr i8, <4 x ptr> %lanes, i64 8
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %at, <4 x i1> splat (i1 true), <4 x float> poison)
  store <4 x float> %v, ptr %to
  ret void
}

; Two vectors, and a factor that no addressing mode has: left alone.
; CHECK-LABEL: define void @left(
; CHECK: %at = getelementptr i8, <4 x ptr> %lanes, <4 x i64> %more
; CHECK: gather{{.*}}(<4 x ptr> %at
; CHECK: %far = getelementptr [3 x float], ptr %p, <4 x i64> %index
; CHECK: gather{{.*}}(<4 x ptr> %far
define void @left(ptr %p, <4 x i64> %index, <4 x i64> %more, ptr %to) {
entry:
  %lanes = getelementptr float, ptr %p, <4 x i64> %index
  %at = getelementptr i8, <4 x ptr> %lanes, <4 x i64> %more
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %at, <4 x i1> splat (i1 true), <4 x float> poison)
  store <4 x float> %v, ptr %to
  %far = getelementptr [3 x float], ptr %p, <4 x i64> %index
  %w = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> %far, <4 x i1> splat (i1 true), <4 x float> poison)
  store <4 x float> %w, ptr %to
  ret void
}
