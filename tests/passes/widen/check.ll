; RUN: %cucpu-opt --check=memory --passes=linearise,widen --simd=8 %s -o - | FileCheck %s
; Accesses of --check: one test of the first and the last byte for consecutive lanes, of one address for a uniform one, of
; a vector for others; the runtime is called where it fails.
@cucpu.sites = internal global [3 x [40 x i8]] zeroinitializer
declare i32 @cucpu.tid.x()
declare void @cucpu_check_access(ptr, ptr, i32, i64, ptr, i64, i32, i32)
declare void @cucpu_check_barrier(ptr, i32)
declare void @cucpu.barrier(i32)

; CHECK-LABEL: define {{.*}} @row
; CHECK: call ptr @cucpu_check_bounds(ptr @cucpu.sites)
; CHECK: %[[FROM:.*]] = sub i64 %{{.*}}, %{{.*}}
; CHECK: %[[TO:.*]] = add i64 %[[FROM]], 32
; CHECK: icmp ule i64 %[[TO]],
; CHECK: %within = freeze i1
; CHECK: br i1 %within, label %checked, label %check.bounds, !prof
; CHECK: check.bounds:
; CHECK: check.words:
; CHECK: load <8 x i32>
; CHECK: check:
; CHECK: %[[DONE:.*]] = call i32 @cucpu_check_row(ptr @cucpu.sites, i64 %{{.*}}, i64 4, i64 255, i32 %t, i64 4)
; CHECK: check.rest:
; CHECK: store <8 x i64>
; CHECK: call void @cucpu_check_lanes(ptr @cucpu.sites, ptr %check.lanes, i64 4, ptr null, i64 0, i32 1073741828)
; CHECK: checked:
; CHECK: load <8 x float>
define void @row(ptr %p, ptr %o) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr float, ptr %p, i64 %i
  call void @cucpu_check_access(ptr @cucpu.sites, ptr %a, i32 %t, i64 4, ptr null, i64 0, i32 4, i32 1)
  %v = load float, ptr %a
  %b = getelementptr float, ptr %o, i64 %i
  store float %v, ptr %b
  ret void
}

; No comparison of words for bytes; one address.
; CHECK-LABEL: define {{.*}} @same
; CHECK: %[[FROM:.*]] = sub i64 %{{.*}}, %{{.*}}
; CHECK: add i64 %[[FROM]], 1
; CHECK: br i1 %within, label %checked, label %check, !prof
; CHECK-NOT: check.words
; CHECK: call void @cucpu_check_lanes(
define void @same(ptr %p, ptr %o) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  call void @cucpu_check_access(ptr @cucpu.sites, ptr %p, i32 %t, i64 1, ptr null, i64 0, i32 1, i32 1)
  %v = load i8, ptr %p
  %b = getelementptr i8, ptr %o, i64 %i
  store i8 %v, ptr %b
  ret void
}

; CHECK-LABEL: define {{.*}} @gather
; CHECK: %[[FROM:.*]] = sub <8 x i64>
; CHECK: icmp ugt <8 x i64> %[[FROM]]
; CHECK: call i1 @llvm.vector.reduce.or.v8i1
; CHECK: br i1 %within, label %checked, label %check.bounds, !prof
; CHECK: call void @cucpu_check_lanes({{.*}}, i32 4)
define void @gather(ptr %p, ptr %list, ptr %o) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %at = getelementptr i32, ptr %list, i64 %i
  %n = load i32, ptr %at
  %k = sext i32 %n to i64
  %a = getelementptr float, ptr %p, i64 %k
  call void @cucpu_check_access(ptr @cucpu.sites, ptr %a, i32 %t, i64 4, ptr null, i64 0, i32 4, i32 1)
  %v = load float, ptr %a
  %b = getelementptr float, ptr %o, i64 %i
  store float %v, ptr %b
  ret void
}

; What is stored goes with the lanes: here one value, at addresses with a constant distance.
; CHECK-LABEL: define {{.*}} @values
; CHECK: getelementptr i8, ptr %check.lanes, i64 784
; CHECK-NEXT: store <8 x i64> splat (i64 7)
; CHECK: call void @cucpu_check_lanes({{.*}}, i32 -1073741820)
define void @values(ptr %o) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %b = getelementptr i32, ptr %o, i64 %i
  call void @cucpu_check_access(ptr @cucpu.sites, ptr %b, i32 %t, i64 4, ptr null, i64 0, i32 4, i32 2)
  store i32 7, ptr %b
  ret void
}

; A barrier: whether it is reported is tested after it, before the call.
; CHECK-LABEL: define {{.*}} @barrier
; CHECK: call void @cucpu.barrier(
; CHECK: %silent = xor i1
; CHECK-NEXT: br i1 %silent, label %[[AFTER:.*]], label %[[CALLS:.*]], !prof
; CHECK: [[CALLS]]:
; CHECK: call void @cucpu_check_barrier_lanes(
; CHECK: [[AFTER]]:
; CHECK-NEXT: ret void
define void @barrier() #0 {
  %t = call i32 @cucpu.tid.x()
  call void @cucpu.barrier(i32 0)
  call void @cucpu_check_barrier(ptr @cucpu.sites, i32 %t)
  ret void
}

; A number of bytes that is not known: lane by lane.
; CHECK-LABEL: define {{.*}} @bytes
; CHECK-NOT: cucpu_check_lanes
; CHECK: call void @cucpu_check_access(
define void @bytes(ptr %p, i64 %n) #0 {
  %t = call i32 @cucpu.tid.x()
  call void @cucpu_check_access(ptr @cucpu.sites, ptr %p, i32 %t, i64 %n, ptr null, i64 0, i32 1, i32 2)
  ret void
}

attributes #0 = { "cucpu.kernel" }
