; Code of one lane beside variants of several, where times will tell which is faster; not where results would show which ran.
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 --disable=trial %s | FileCheck --check-prefix=NONE %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 --simd=8 %s | FileCheck --check-prefix=NONE %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 --shuffle %s | FileCheck --check-prefix=NONE %s
; NONE-NOT: cucpu.scalar
; CHECK-DAG: define {{.*}}@gather.w1.rows_full({{.*}}) #[[gather:[0-9]+]]
; CHECK-DAG: define {{.*}}@gather.w16.rows_full(
; CHECK-DAG: define {{.*}}@counts.w1.rows_full(
; CHECK-DAG: define {{.*}}@sums.w16.rows_full(
; CHECK-DAG: define {{.*}}@retries.w16.rows_full(
; CHECK-DAG: define {{.*}}@prints.w16.rows_full(
; CHECK-DAG: define {{.*}}@calls.w16.rows_full(
; CHECK-DAG: attributes #[[gather]] = {{.*}} "cucpu.scalar"="{{[0-9]+}}"
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 %s | FileCheck --check-prefix=ONE %s
; ONE-NOT: @{{sums|retries|prints|calls}}.w1.
declare i32 @cucpu.tid.x()
declare i32 @cucpu_vprintf(ptr, ptr)

define void @gather(ptr %in, ptr %place, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %at = load i32, ptr %p
  %q = getelementptr float, ptr %in, i32 %at
  %v = load float, ptr %q
  %o = getelementptr float, ptr %out, i32 %t
  store float %v, ptr %o
  ret void
}
define void @counts(ptr %place, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %at = load i32, ptr %p
  %o = getelementptr i32, ptr %out, i32 %at
  %old = atomicrmw add ptr %o, i32 1 monotonic
  ret void
}
define void @sums(ptr %place, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %at = load i32, ptr %p
  %o = getelementptr float, ptr %out, i32 %at
  %old = atomicrmw fadd ptr %o, float 1.0 monotonic
  ret void
}
define void @retries(ptr %place, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %old = load i32, ptr %p
  %f = bitcast i32 %old to float
  %g = fmul float %f, 3.0
  %new = bitcast float %g to i32
  %r = cmpxchg ptr %p, i32 %old, i32 %new monotonic monotonic
  ret void
}
define void @prints(ptr %place) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %r = call i32 @cucpu_vprintf(ptr %p, ptr %p)
  ret void
}
define void @calls(ptr %place, ptr %f) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  call void %f(ptr %p)
  ret void
}
