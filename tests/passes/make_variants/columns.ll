; Lanes along y, where what neighbours along x access lies apart: a variant for blocks of any size whose columns are whole groups, and, along z, one of half
; of the lanes.  Not where shared memory alone would gain (tiles become registers), where lanes along x are as good, or results tell of the order of threads.
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 --simd=16 %s | FileCheck --implicit-check-not='{{tile|rows|order}}.w16.along_y' %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 --simd=16 --disable=swap_block %s | FileCheck --check-prefix=NONE %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 --simd=1 %s | FileCheck --check-prefix=NONE %s
; NONE-NOT: {{w[0-9]+.along_|cucpu.along}}
; CHECK: define void @far.w16.along_y({{.*}}) #[[far:[0-9]+]] {
; The ids and sizes have changed places; so has the number of the thread: (z * blockDim.x + x) * blockDim.y + y.
; CHECK-DAG: %[[x:.*]] = call i32 @cucpu.tid.y()
; CHECK-DAG: %[[y:.*]] = call i32 @cucpu.tid.x()
; CHECK-DAG: call i32 @cucpu.ntid.x()
; CHECK-NOT: cucpu.tid.linear
; CHECK: ret void
; CHECK: define void @far.w16.rows_full(
; CHECK: define void @far.w16.general(
; CHECK: define void @deep.w16.along_z({{.*}}) #[[deep:[0-9]+]] {
; CHECK-DAG: call i32 @cucpu.tid.z()
; CHECK-DAG: call i32 @cucpu.tid.x()
; CHECK: ret void
; CHECK: define void @deep.w8.along_z(
; CHECK: attributes #[[far]] = {{.*}}"cucpu.along"="1" "cucpu.along_time"="{{[0-9]+}}"
; CHECK: attributes #[[deep]] = {{.*}}"cucpu.along"="2"
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.ntid.y()
declare i32 @cucpu.tid.linear()
declare ptr @cucpu.shared()
define void @far(ptr %a, ptr %b) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %n = call i32 @cucpu.ntid.y()
  %t = call i32 @cucpu.tid.linear()
  %row = mul nsw i32 %x, 1024
  %i = add nsw i32 %row, %y
  %w = sext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %w
  %v = load i32, ptr %p
  %s = add i32 %v, %n
  %u = add i32 %s, %t
  %q = getelementptr i32, ptr %b, i64 %w
  store i32 %u, ptr %q
  ret void
}
define void @rows(ptr %a, ptr %b) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %row = mul nsw i32 %y, 1024
  %i = add nsw i32 %row, %x
  %w = sext i32 %i to i64
  %p = getelementptr { i32, [15 x i32] }, ptr %a, i64 %w
  %v = load i32, ptr %p
  %q = getelementptr { i32, [15 x i32] }, ptr %b, i64 %w
  store i32 %v, ptr %q
  ret void
}
define void @tile(ptr %a) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %row = mul nsw i32 %x, 64
  %i = add nsw i32 %row, %y
  %shared = call ptr @cucpu.shared()
  %s = getelementptr i32, ptr %shared, i32 %i
  store i32 %y, ptr %s
  %line = mul nsw i32 %y, 1024
  %j = add nsw i32 %line, %x
  %p = getelementptr i32, ptr %a, i32 %j
  store i32 %x, ptr %p
  ret void
}
define void @order(ptr %a, ptr %b) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %row = mul nsw i32 %x, 1024
  %i = add nsw i32 %row, %y
  %w = sext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %w
  %v = load float, ptr %p
  %old = atomicrmw fadd ptr %b, float %v monotonic
  ret void
}
declare i32 @cucpu.tid.z()
define void @deep(ptr %a, ptr %b) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %z = call i32 @cucpu.tid.z()
  %row = mul nsw i32 %x, 4096
  %i = add nsw i32 %row, %z
  %w = sext i32 %i to i64
  %p = getelementptr i32, ptr %a, i64 %w
  %v = load i32, ptr %p
  %q = getelementptr i32, ptr %b, i64 %w
  store i32 %v, ptr %q
  ret void
}
