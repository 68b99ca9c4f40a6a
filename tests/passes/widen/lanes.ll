; RUN: %cucpu-opt --passes=linearise,widen --simd=32 %s -o - | FileCheck %s
; A shuffle from lanes that are computed from the lane and constants alone is a permutation.
declare i32 @cucpu.lane()
declare i32 @cucpu.shfl.idx(i32, i32, i32, i32)

; CHECK-LABEL: define {{.*}} @broadcast
; CHECK: shufflevector <32 x i32> %{{.*}}, <32 x i32> poison, <32 x i32> <i32 3, i32 3, i32 3, i32 3, i32 7, i32 7, i32 7, i32 7, i32 11,
; CHECK: ret void
define void @broadcast(ptr %p) #0 {
  %l = call i32 @cucpu.lane()
  %i = zext nneg i32 %l to i64
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  %v = load i32, ptr %a
  %row = lshr i32 %l, 2
  %four = shl i32 %row, 2
  %from = or i32 %four, 3
  %s = call i32 @cucpu.shfl.idx(i32 -1, i32 %v, i32 %from, i32 31)
  store i32 %s, ptr %a
  ret void
}

attributes #0 = { "cucpu.kernel" }
