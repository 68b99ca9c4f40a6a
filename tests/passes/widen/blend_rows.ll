; Rows of shared memory that all lanes have used, and of local arrays, under a mask: without AVX-512 they are loaded, blended and stored whole,
; and no other group may come in between.  Other rows of shared memory are marked for lower_masked.  Of global memory others may write a part.
; RUN: %cucpu-opt --passes=linearise,widen --simd=8 --cpu=x86-64-v3 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=linearise,widen --simd=8 --cpu=x86-64-v2 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=linearise,widen --simd=8 --cpu=x86-64-v4 %s -o - | FileCheck --check-prefix=MASKED %s
; RUN: %cucpu-opt --passes=linearise,widen --simd=8 --cpu=x86-64-v3 --disable=blend_rows %s -o - | FileCheck --check-prefix=MASKED %s
declare i32 @cucpu.tid.x()
declare ptr @cucpu.shared()

; CHECK-LABEL: define {{.*}} @row
; CHECK: call void @llvm.masked.store{{.*}} %p, {{.*}}, !cucpu.blendable
; CHECK: call void @llvm.masked.store{{.*}} %f, <8 x i1> %{{[0-9]+}}){{$}}
; MASKED-LABEL: define {{.*}} @row
; MASKED-COUNT-2: call void @llvm.masked.store
define void @row(ptr %from) #0 {
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
  %p = getelementptr inbounds float, ptr %s, i64 %i
  store float %v, ptr %p
  store float 1.0, ptr %f
  br label %end
end:
  ret void
}

; All lanes have been there: no lane needs to be on.
; CHECK-LABEL: define {{.*}} @read_before
; CHECK: load <8 x i32>, ptr %p
; CHECK: %[[OLD:.*]] = load <8 x i32>, ptr %p, align 4, !cucpu.undivided
; CHECK: store <8 x i32> {{.*}}, ptr %p, align 4, !cucpu.undivided
; CHECK: ret void
; MASKED-LABEL: define {{.*}} @read_before
; MASKED: call void @llvm.masked.store
define void @read_before() #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %i = sext i32 %t to i64
  %p = getelementptr inbounds i32, ptr %s, i64 %i
  %v = load i32, ptr %p
  %on = icmp sgt i32 %v, 0
  br i1 %on, label %then, label %to.end
to.end:
  br label %end
then:
  store i32 7, ptr %p
  br label %end
end:
  ret void
}

; From the last lane to the first.
; CHECK-LABEL: define {{.*}} @falling
; CHECK: %[[LOW:.*]] = getelementptr i8, ptr %p, i64 -28
; CHECK: call void @llvm.masked.store{{.*}} %[[LOW]], {{.*}}, !cucpu.blendable
define void @falling(i32 %n) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %on = icmp slt i32 %t, %n
  br i1 %on, label %then, label %to.end
to.end:
  br label %end
then:
  %back = sub nsw i32 300, %t
  %i = sext i32 %back to i64
  %p = getelementptr inbounds i32, ptr %s, i64 %i
  store i32 %t, ptr %p
  br label %end
end:
  ret void
}

; A local array is the group's own: nothing to keep together.
; CHECK-LABEL: define {{.*}} @local
; CHECK: %[[OLD:.*]] = load <8 x i32>, ptr %element{{[0-9]*}}, align 4{{$}}
; CHECK: store <8 x i32> {{.*}}, ptr %element{{[0-9]*}}, align 4{{$}}
define void @local(ptr %q, i32 %k) #0 {
  %l = alloca [8 x i32]
  %t = call i32 @cucpu.tid.x()
  %i = sext i32 %t to i64
  %f = getelementptr inbounds i32, ptr %q, i64 %i
  %v = load i32, ptr %f
  %at = getelementptr inbounds [8 x i32], ptr %l, i64 0, i32 %k
  store i32 3, ptr %at
  %on = icmp sgt i32 %v, 0
  br i1 %on, label %then, label %to.end
to.end:
  br label %end
then:
  store i32 %v, ptr %at
  br label %end
end:
  %r = load i32, ptr %at
  store i32 %r, ptr %f
  ret void
}

attributes #0 = { "cucpu.kernel" }
