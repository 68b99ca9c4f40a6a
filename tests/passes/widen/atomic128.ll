; Atomic accesses of 16 bytes are one access in each lane; unordered ones of adjacent lanes a row.  Parts come out by shuffles.
; RUN: %cucpu-opt --passes=linearise,widen --simd=4 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=linearise,widen --simd=1 %s -o - | FileCheck --check-prefix=ONE %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare i32 @cucpu.tid.x()

; CHECK-LABEL: define {{.*}} @scattered
; CHECK-COUNT-4: load atomic volatile i128, ptr %{{.*}} monotonic, align 16
; CHECK: %part = shufflevector <8 x i64> %{{.*}}, <8 x i64> poison, <4 x i32> <i32 1, i32 3, i32 5, i32 7>
; CHECK-COUNT-4: store atomic volatile i128 %{{.*}}, ptr %{{.*}} monotonic, align 16
; ONE-LABEL: define {{.*}} @scattered
; ONE: load atomic volatile i128, ptr %{{.*}} monotonic, align 16
; ONE: store atomic volatile i128 %{{.*}}, ptr %{{.*}} monotonic, align 16
define void @scattered(ptr %p, ptr %out) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = sext i32 %t to i64
  %j = mul i64 %i, 5
  %from = getelementptr inbounds i128, ptr %p, i64 %j
  %v = load atomic volatile i128, ptr %from monotonic, align 16
  %s = lshr i128 %v, 64
  %high = trunc i128 %s to i64
  %to = getelementptr inbounds i64, ptr %out, i64 %i
  store i64 %high, ptr %to
  %low = zext i64 %i to i128
  %up = shl i128 %low, 64
  %both = or i128 %up, %low
  store atomic volatile i128 %both, ptr %from monotonic, align 16
  ret void
}

; Inactive lanes use scratch memory.
; CHECK-LABEL: define {{.*}} @masked
; CHECK: %scratch = alloca
; CHECK: select <4 x i1> %{{.*}}, <4 x ptr> %{{.*}}, <4 x ptr>
; CHECK-COUNT-4: load atomic i128, ptr %{{.*}} monotonic, align 16
define void @masked(ptr %p, ptr %out) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = sext i32 %t to i64
  %to = getelementptr inbounds i32, ptr %out, i64 %i
  %n = load i32, ptr %to
  %on = icmp sgt i32 %n, 0
  br i1 %on, label %then, label %to.end
to.end:
  br label %end
then:
  %k = sext i32 %n to i64
  %from = getelementptr inbounds i128, ptr %p, i64 %k
  %v = load atomic i128, ptr %from monotonic, align 16
  %w = trunc i128 %v to i32
  store i32 %w, ptr %to
  br label %end
end:
  ret void
}

; CHECK-LABEL: define {{.*}} @row
; CHECK-NOT: atomic
; CHECK: load <8 x i64>, ptr %{{.*}}, align 16
; CHECK-NOT: atomic
; CHECK: store <8 x i64> %{{.*}}, ptr %{{.*}}, align 16
define void @row(ptr %p, ptr %q) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = sext i32 %t to i64
  %from = getelementptr inbounds i128, ptr %p, i64 %i
  %to = getelementptr inbounds i128, ptr %q, i64 %i
  %v = load atomic i128, ptr %from unordered, align 16
  store atomic i128 %v, ptr %to unordered, align 16
  ret void
}

; One address for all lanes: one access.
; CHECK-LABEL: define {{.*}} @shared_address
; CHECK: load atomic volatile i128, ptr %p monotonic, align 16
; CHECK-NOT: load atomic
define void @shared_address(ptr %p, ptr %out) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = sext i32 %t to i64
  %v = load atomic volatile i128, ptr %p monotonic, align 16
  %w = trunc i128 %v to i64
  %to = getelementptr inbounds i64, ptr %out, i64 %i
  store i64 %w, ptr %to
  ret void
}

attributes #0 = { "cucpu.kernel" }
