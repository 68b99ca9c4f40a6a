; Width 1 has one variant; a wider kernel one for each layout; the flags say what it does.
; RUN: %cucpu-opt --passes=make_variants --simd=1 --disable=repeated_threads %s | FileCheck --check-prefix=ONE %s
; RUN: %cucpu-opt --passes=make_variants --simd=8 --disable=repeated_threads %s | FileCheck --check-prefix=EIGHT %s
; A kernel that looks at warps has groups of whole warps.
; RUN: %cucpu-opt --passes=make_variants --simd=8 --disable=repeated_threads --warp-size=16 %s | FileCheck --check-prefix=WARP %s
define void @plain(ptr %p) "cucpu.kernel" {
  call void @cucpu.barrier(i32 0)
  ret void
}
define void @looks(ptr %p) "cucpu.kernel" {
  %l = call i32 @cucpu.lane()
  store i32 %l, ptr %p
  ret void
}
declare void @cucpu.barrier(i32)
declare i32 @cucpu.lane()
; ONE: define void @plain.w1.rows_full({{.*}} #[[V:[0-9]+]]
; ONE-NOT: @plain.w1.
; ONE: attributes #[[V]] = {{{.*}}"cucpu.base"="plain" "cucpu.flags"="4"{{.*}}"cucpu.layout"="0" "cucpu.width"="1"
; EIGHT-DAG: define void @plain.w8.rows_full(
; EIGHT-DAG: define void @plain.w8.rows(
; EIGHT-DAG: define void @plain.w8.general(
; WARP-DAG: define void @plain.w8.general(
; WARP-DAG: define void @looks.w16.rows_full(
; WARP-DAG: define void @looks.w16.general(
