; Lanes that lie in a pattern known at compile time: windows, runs, constant indices.
; RUN: %cucpu-opt --passes=linearise,widen --simd=8 %s -o - | FileCheck %s
declare i32 @cucpu.tid.x()
declare ptr @cucpu.shared()
declare void @cucpu.barrier(i32)

; A butterfly of stride 4 in shared memory: two vectors hold all sixteen elements, whole vectors are stored.
; CHECK-LABEL: define {{.*}} @butterfly
; CHECK-NOT: gather
; CHECK: load <8 x float>
; CHECK: load <8 x float>
; CHECK: shufflevector <8 x float> {{.*}} <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
; CHECK: shufflevector <8 x float> {{.*}} <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
; CHECK: shufflevector <8 x float> {{.*}} <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 12, i32 13, i32 14, i32 15>
; CHECK: store <8 x float>
; CHECK: store <8 x float>
; CHECK-NOT: scatter
; CHECK: ret void
define void @butterfly() #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %low = and i32 %t, 3
  %twice = shl i32 %t, 1
  %at = sub nsw i32 %twice, %low
  %i = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %s, i64 %i
  %q = getelementptr inbounds i8, ptr %p, i64 16
  %a = load float, ptr %p
  %b = load float, ptr %q
  %sum = fadd float %a, %b
  %difference = fsub float %a, %b
  store float %sum, ptr %p
  store float %difference, ptr %q
  ret void
}

; Some lanes only: the others keep what is there, and if none is on, the arena's start is as good.
; CHECK-LABEL: define {{.*}} @some
; CHECK: %[[ON:.*]] = fcmp
; CHECK: %safe = select i1 %{{.*}}, ptr %{{.*}}, ptr %
; CHECK: %[[OLD:.*]] = load <8 x float>, ptr
; CHECK: %[[IN:.*]] = shufflevector <8 x float> %[[OLD]]{{.*}} <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
; CHECK: select <8 x i1> %[[ON]], <8 x float> %{{.*}}, <8 x float> %[[IN]]
; CHECK: store <8 x float>
; CHECK-NOT: masked
; CHECK: ret void
define void @some(ptr %from) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %i = sext i32 %t to i64
  %f = getelementptr inbounds float, ptr %from, i64 %i
  %v = load float, ptr %f
  %on = fcmp ogt float %v, 0.0
  br i1 %on, label %then, label %to.end
to.end:
  br label %end
then:
  %other = xor i32 %t, 1
  %j = sext i32 %other to i64
  %p = getelementptr inbounds float, ptr %s, i64 %j
  store float %v, ptr %p
  br label %end
end:
  ret void
}

; Global memory may be written by others: only what the lanes write is stored, here two runs.
; CHECK-LABEL: define {{.*}} @runs
; CHECK-NOT: scatter
; CHECK: store <4 x float>
; CHECK: store <4 x float>
; CHECK-NOT: store
; CHECK: ret void
define void @runs(ptr %p) #0 {
  %t = call i32 @cucpu.tid.x()
  %low = and i32 %t, 3
  %twice = shl i32 %t, 1
  %at = sub nsw i32 %twice, %low
  %i = sext i32 %at to i64
  %q = getelementptr inbounds float, ptr %p, i64 %i
  store float 1.0, ptr %q
  ret void
}

; A column: scalar base, constant index.
; CHECK-LABEL: define {{.*}} @column
; CHECK: getelementptr float, ptr %{{.*}}, <8 x i64> <i64 0, i64 17, i64 34, i64 51, i64 68, i64 85, i64 102, i64 119>
; CHECK: llvm.masked.gather
; CHECK: getelementptr float, ptr %{{.*}}, <8 x i64> <i64 0, i64 17,
; CHECK: llvm.masked.scatter
define void @column(ptr %p) #0 {
  %t = call i32 @cucpu.tid.x()
  %at = mul nsw i32 %t, 17
  %i = sext i32 %at to i64
  %q = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %q
  %w = fadd float %v, 1.0
  store float %w, ptr %q
  ret void
}

; A window in memory that is not ours to read in part: only with all lanes on.
; CHECK-LABEL: define {{.*}} @global
; CHECK: load <8 x float>
; CHECK: load <8 x float>
; CHECK: shufflevector <8 x float>
; CHECK-NOT: gather
; CHECK: ret void
define void @global(ptr %p, ptr %q) #0 {
  %t = call i32 @cucpu.tid.x()
  %twice = shl nuw nsw i32 %t, 1
  %i = zext nneg i32 %twice to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %a
  %j = zext nneg i32 %t to i64
  %b = getelementptr inbounds float, ptr %q, i64 %j
  store float %v, ptr %b
  ret void
}
attributes #0 = { "cucpu.kernel" "cucpu.layout"="0" }
