; Lanes that share an address share an atomic operation: twice the lanes, up to a warp, while that is estimated faster.
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v3 %s | FileCheck --check-prefix=AVX2 %s
; CHECK-DAG: define {{.*}}@compact.w32.rows_full(
; CHECK-DAG: define {{.*}}@doubles.w32.rows_full(
; CHECK-DAG: define {{.*}}@bins.w16.rows_full(
; CHECK-DAG: define {{.*}}@plain.w16.rows_full(
; CHECK-DAG: define {{.*}}@in_shared.w16.rows_full(
; CHECK-DAG: define {{.*}}@floats.w16.rows_full(
; CHECK-DAG: define {{.*}}@plane.w16.rows_full(
; AVX2-DAG: define {{.*}}@compact.w32.rows_full(
; AVX2-DAG: define {{.*}}@bins.w{{8|16}}.rows_full(
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare ptr @cucpu.shared()
define void @compact(ptr %in, ptr %out, ptr %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %in, i32 %t
  %v = load i32, ptr %p
  %old = atomicrmw add ptr %n, i32 1 monotonic
  %e = sext i32 %old to i64
  %q = getelementptr i32, ptr %out, i64 %e
  store i32 %v, ptr %q
  ret void
}
define void @doubles(ptr %in, ptr %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr double, ptr %in, i32 %t
  %v = load double, ptr %p
  %c = fcmp ogt double %v, 0.0
  %w = zext i1 %c to i32
  %old = atomicrmw add ptr %n, i32 %w monotonic
  ret void
}
; An address for each lane: nothing is shared.
define void @bins(ptr %in, ptr %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %in, i32 %t
  %v = load i32, ptr %p
  %b = and i32 %v, 15
  %q = getelementptr i32, ptr %n, i32 %b
  %old = atomicrmw add ptr %q, i32 1 monotonic
  ret void
}
define void @plain(ptr %in, ptr %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %in, i32 %t
  %v = load i32, ptr %p
  %q = getelementptr i32, ptr %n, i32 %t
  store i32 %v, ptr %q
  ret void
}
; Not locked; and in an order.
define void @in_shared(ptr %in) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %in, i32 %t
  %v = load i32, ptr %p
  %s = call ptr @cucpu.shared()
  %old = atomicrmw add ptr %s, i32 %v monotonic
  ret void
}
define void @floats(ptr %in, ptr %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %in, i32 %t
  %v = load float, ptr %p
  %old = atomicrmw fadd ptr %n, float %v monotonic
  ret void
}
; Rows may be shorter than a warp.
define void @plane(ptr %in, ptr %n, i32 %pitch) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %r = mul i32 %y, %pitch
  %i = add i32 %r, %t
  %p = getelementptr i32, ptr %in, i32 %i
  %v = load i32, ptr %p
  %old = atomicrmw add ptr %n, i32 %v monotonic
  ret void
}
