; Sums of floats by atomics without a result: one place for all lanes takes one call; other places ask first whether lanes follow
; each other to one address.  Used results and other orderings stay as they are.
; RUN: %cucpu-opt --passes=linearise,widen --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=linearise,widen --simd=8 --disable=float_sums %s -o - | FileCheck %s --check-prefix=OFF
; OFF-NOT: call void @cucpu_atomic_fadd
declare i32 @cucpu.tid.x()

; CHECK-LABEL: define {{.*}} @one
; CHECK-NOT: br i1
; CHECK: call void @cucpu_atomic_fadd32(ptr %{{.*}}, ptr %{{.*}}, i64 255)
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @one(ptr %s, ptr %p) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr float, ptr %p, i64 %i
  %v = load float, ptr %a
  %old = atomicrmw fadd ptr %s, float %v monotonic
  ret void
}

; CHECK-LABEL: define {{.*}} @places
; CHECK: [[BEFORE:%[0-9]+]] = shufflevector <8 x ptr> [[ALL:%[0-9]+]], <8 x ptr> [[ALL]], <8 x i32> <i32 7, i32 0, i32 1,
; CHECK: icmp eq <8 x ptr> [[ALL]], [[BEFORE]]
; CHECK: %follow = icmp uge i8 %{{.*}}, 2
; CHECK: br i1 %follow, label %runs, label %apart
; CHECK: runs:
; CHECK: call void @cucpu_atomic_fadd64
; CHECK: atomicrmw fadd ptr %{{.*}}, double
define void @places(ptr %s, ptr %p, ptr %to) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr double, ptr %p, i64 %i
  %v = load double, ptr %a
  %b = getelementptr i32, ptr %to, i64 %i
  %k = load i32, ptr %b
  %j = sext i32 %k to i64
  %c = getelementptr double, ptr %s, i64 %j
  %old = atomicrmw fadd ptr %c, double %v monotonic
  ret void
}

; Neighbours: no lane follows another.
; CHECK-LABEL: define {{.*}} @row
; CHECK-NOT: shufflevector <8 x ptr>
; CHECK-NOT: cucpu_atomic
; CHECK: atomicrmw fadd ptr %{{.*}}, float
; CHECK: ret void
define void @row(ptr %s, ptr %p) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr float, ptr %p, i64 %i
  %v = load float, ptr %a
  %c = getelementptr float, ptr %s, i64 %i
  %old = atomicrmw fadd ptr %c, float %v monotonic
  ret void
}

; CHECK-LABEL: define {{.*}} @used
; CHECK-NOT: cucpu_atomic
; CHECK-LABEL: define {{.*}} @ordered
; CHECK-NOT: call void @cucpu_atomic
define void @used(ptr %s, ptr %p) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr float, ptr %p, i64 %i
  %v = load float, ptr %a
  %old = atomicrmw fadd ptr %s, float %v monotonic
  store float %old, ptr %a
  ret void
}
define void @ordered(ptr %s, ptr %p) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr float, ptr %p, i64 %i
  %v = load float, ptr %a
  %old = atomicrmw fadd ptr %s, float %v seq_cst
  ret void
}
attributes #0 = { "cucpu.kernel" }
