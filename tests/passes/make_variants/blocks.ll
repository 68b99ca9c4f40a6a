; Variants for the blockDims of launches: blockDim is a constant in them, ids have a range.  Rows that fill groups need none,
; unless there is a barrier; .reqntid allows one block and so makes one variant.
; RUN: %cucpu-opt --passes=make_variants --simd=8 --disable=repeated_threads %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants --simd=8 --disable=repeated_threads %s | FileCheck --check-prefix=TAIL %s
; With barriers, and no launch but those that are known, none for rows with a tail.
; TAIL-NOT: @waits.w8.rows(
; RUN: %cucpu-opt --passes=make_variants --simd=8 --disable=launch_sites,repeated_threads %s | FileCheck --check-prefix=OFF %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.ntid.x()
declare void @cucpu.barrier(i32)

; CHECK-NOT: @plain.w8{{.*}}16x4x1
; CHECK-LABEL: define void @plain.w8.general.4x4x1(
; CHECK: call range(i32 0, 4) i32 @cucpu.tid.x()
; CHECK: shl nuw nsw i32 %y, 2
; CHECK-LABEL: define void @plain.w8.rows.20x1x1(
; CHECK-NOT: tid.y
; CHECK-LABEL: define void @plain.w8.rows.12x1x1(
; CHECK-LABEL: define void @plain.w8.rows.9x1x1(
; CHECK-NOT: @plain.w8{{.*}}2x2x2
; OFF-NOT: x1(
define void @plain(ptr %a) "cucpu.kernel" "cucpu.launches"="16,4,1;4,4,1;20,1,1;12,1,1;9,1,1;2,2,2" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %n = call i32 @cucpu.ntid.x()
  %row = mul i32 %y, %n
  %i = add i32 %row, %x
  %p = getelementptr i32, ptr %a, i32 %i
  store i32 1, ptr %p
  ret void
}

; CHECK-LABEL: define void @waits.w8.rows_full.16x4x1(
define void @waits(ptr %a) "cucpu.kernel" "cucpu.launches"="16,4,1" {
  call void @cucpu.barrier(i32 0)
  ret void
}

; CHECK-NOT: @one.w8.{{[a-z_]+}}(
; CHECK-LABEL: define void @one.w8.general.2x4x2(
define void @one(ptr %a) "cucpu.kernel" "cucpu.reqntid"="2,4,2" {
  ret void
}

; The threads of a column are numbered as its rows are; also where blocks are joined to rows.
; CHECK-LABEL: define void @column.w8.general.1x32x1(
; CHECK: call range(i32 0, 32) i32 @cucpu.tid.linear()
; CHECK-LABEL: define void @column.w8.general.1x1x16(
; CHECK: call range(i32 0, 16) i32 @cucpu.tid.linear()
declare i32 @cucpu.tid.z()
define void @column(ptr %a) "cucpu.kernel" "cucpu.joined" "cucpu.launches"="4,2,1;1,32,1;1,1,16" {
  %y = call i32 @cucpu.tid.y()
  %z = call i32 @cucpu.tid.z()
  %far = mul nsw i32 %y, 1024
  %farther = mul nsw i32 %z, 1024
  %i = add nsw i32 %far, %farther
  %p = getelementptr i32, ptr %a, i32 %i
  store i32 1, ptr %p
  ret void
}
