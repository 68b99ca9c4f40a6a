; Kernels with rows of threads have variants with fewer lanes, for blocks of short rows: not where all blocks are known, which
; then take as many lanes as the row has threads; not for functions of the warp; not where blocks are joined.
; RUN: %cucpu-opt --passes=make_variants --disable=repeated_threads --simd=auto --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants --disable=repeated_threads --simd=auto --cpu=x86-64-v3 %s | FileCheck --check-prefix=V3 %s
; RUN: %cucpu-opt --passes=make_variants --simd=auto --cpu=x86-64-v4 --disable=narrow_rows,repeated_threads %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=make_variants --disable=repeated_threads --simd=16 --cpu=x86-64-v4 %s | FileCheck --check-prefix=OFF %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()
declare i32 @cucpu.lane()
declare void @cucpu.barrier(i32)

; CHECK-DAG: define void @any.w8.rows_full({{.*}} #[[BELOW:[0-9]+]]
; CHECK-DAG: define void @any.w4.rows_full(
; CHECK-DAG: define void @any.w16.rows_full(
; CHECK-DAG: define void @any.w16.rows(
; CHECK-DAG: define void @any.w16.general(
; V3-DAG: define void @any.w4.rows_full(
; V3-DAG: define void @any.w8.rows_full(
; V3-NOT: @any.w2
; OFF-NOT: define void @any.w{{[48]}}
define void @any(ptr %a) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %n = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %row = mul i32 %y, %n
  %at = mul i32 %b, 40
  %i = add i32 %row, %x
  %j = add i32 %i, %at
  %p = getelementptr i32, ptr %a, i32 %j
  store i32 1, ptr %p
  ret void
}

; CHECK-NOT: define void @known.w{{[48]}}.rows_full(
; CHECK-DAG: define void @known.w8.rows_full.8x8x1(
; CHECK-DAG: define void @known.w4.rows_full.4x4x4(
; V3-DAG: define void @known.w8.rows_full.8x8x1(
; OFF-DAG: define void @known.w16.general.8x8x1(
define void @known(ptr %a) "cucpu.kernel" "cucpu.launches"="8,8,1;4,4,4" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %n = call i32 @cucpu.ntid.x()
  %row = mul i32 %y, %n
  %i = add i32 %row, %x
  %p = getelementptr i32, ptr %a, i32 %i
  store i32 1, ptr %p
  call void @cucpu.barrier(i32 0)
  ret void
}

; CHECK-NOT: define void @looks.w{{[48]}}.
define void @looks(ptr %a) "cucpu.kernel" {
  %y = call i32 @cucpu.tid.y()
  %l = call i32 @cucpu.lane()
  %p = getelementptr i32, ptr %a, i32 %l
  store i32 %y, ptr %p
  ret void
}

; CHECK-NOT: define void @rows.w{{[48]}}.
define void @rows(ptr %a) "cucpu.kernel" "cucpu.joined" {
  %y = call i32 @cucpu.tid.y()
  %l = call i32 @cucpu.global.x(i32 8)
  %p = getelementptr i32, ptr %a, i32 %l
  store i32 %y, ptr %p
  ret void
}
declare i32 @cucpu.global.x(i32)
; CHECK: attributes #[[BELOW]] = {{.*}}"cucpu.below"="16"{{.*}}"cucpu.step"="40"
