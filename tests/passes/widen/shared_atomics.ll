; Atomics on shared memory: straight code, one operation for each lane; of some lanes only: a loop; of a row of elements: a vector.
; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=4 %s -o - | FileCheck %s
declare i32 @cucpu.tid.x()
declare ptr @cucpu.shared()

; CHECK-LABEL: define {{.*}} @all.w4.rows_full
; CHECK-NOT: br
; CHECK: %[[BYTE:.*]] = extractelement <4 x i8> %{{.*}}, i32 0
; CHECK: %[[INDEX:.*]] = zext {{.*}}i8 %[[BYTE]] to i64
; CHECK: %[[AT:.*]] = getelementptr i32, ptr %{{.*}}, i64 %[[INDEX]]
; CHECK: atomicrmw add ptr %[[AT]], i32 1
; CHECK-COUNT-3: atomicrmw add
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @all(ptr %in) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr inbounds i8, ptr %in, i64 %i
  %v = load i8, ptr %p
  %j = zext i8 %v to i64
  %q = getelementptr inbounds i32, ptr %s, i64 %j
  %old = atomicrmw add ptr %q, i32 1 monotonic
  ret void
}

; CHECK-LABEL: define {{.*}} @some.w4.rows_full
; CHECK: br i1 %{{.*}}, label %all.lanes, label %some.lanes
; CHECK: all.lanes:
; CHECK-COUNT-4: atomicrmw max
; CHECK: br label %joined
; CHECK: phi <4 x i32>
; CHECK: lanes:
; CHECK: atomicrmw max
define void @some(ptr %in) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr inbounds i32, ptr %in, i64 %i
  %v = load i32, ptr %p
  %on = icmp sgt i32 %v, 0
  br i1 %on, label %then, label %to.end
to.end:
  br label %end
then:
  %j = zext nneg i32 %v to i64
  %q = getelementptr inbounds i32, ptr %s, i64 %j
  %old = atomicrmw max ptr %q, i32 %t monotonic
  store i32 %old, ptr %p
  br label %end
end:
  ret void
}
; CHECK-LABEL: define {{.*}} @row.w4.rows_full
; CHECK-NOT: atomicrmw
; CHECK: %[[AT:.*]] = getelementptr i32, ptr %s
; CHECK: %[[OLD:.*]] = load <4 x i32>, ptr %[[AT]], align 4
; CHECK: %[[NOW:.*]] = add <4 x i32> %[[OLD]]
; CHECK: store <4 x i32> %[[NOW]], ptr %[[AT]], align 4
; CHECK: store <4 x i32> %[[OLD]], ptr
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @row(ptr %in) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr inbounds i32, ptr %in, i64 %i
  %v = load i32, ptr %p
  %q = getelementptr inbounds i32, ptr %s, i64 %i
  %old = atomicrmw add ptr %q, i32 %v monotonic
  store i32 %old, ptr %p
  ret void
}

; CHECK-LABEL: define {{.*}} @row_of_some.w4.rows_full
; CHECK: call <4 x float> @llvm.masked.load.v4f32
; CHECK: fadd <4 x float>
; CHECK: call void @llvm.masked.store.v4f32
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @row_of_some(ptr %in) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr inbounds float, ptr %in, i64 %i
  %v = load float, ptr %p
  %on = fcmp ogt float %v, 0.0
  br i1 %on, label %then, label %to.end
to.end:
  br label %end
then:
  %q = getelementptr inbounds float, ptr %s, i64 %i
  %old = atomicrmw fadd ptr %q, float %v monotonic
  br label %end
end:
  ret void
}

; Two elements apart, and a counter that wraps: lane by lane.
; CHECK-LABEL: define {{.*}} @apart.w4.rows_full
; CHECK-COUNT-4: atomicrmw add
; CHECK-COUNT-4: atomicrmw uinc_wrap
define void @apart() #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %j = shl nuw nsw i64 %i, 1
  %q = getelementptr inbounds i32, ptr %s, i64 %j
  %old = atomicrmw add ptr %q, i32 %t monotonic
  %r = getelementptr inbounds i32, ptr %s, i64 %i
  %wrapped = atomicrmw uinc_wrap ptr %r, i32 %t monotonic
  ret void
}

attributes #0 = { "cucpu.kernel" }
