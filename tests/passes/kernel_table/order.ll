; The runtime takes the first variant that fits a launch: those for one block come first, but for columns (1 x n) rows of
; neighbouring blocks do, where their accesses are the cheaper ones.
; RUN: %cucpu-opt --passes=make_variants,linearise,widen,loop_groups,kernel_table --simd=8 %s | FileCheck %s
; CHECK-DAG: @cucpu.variants{{.*}} = {{.*}}@along.w8.rows_full.entry{{.*}}@along.w8.rows.entry{{.*}}@along.w8.general.1x32x1.entry{{.*}}@along.w8.general.entry
; CHECK-DAG: @cucpu.variants{{.*}} = {{.*}}@down.w8.general.1x32x1.entry{{.*}}@down.w8.rows_full.entry{{.*}}@down.w8.rows.entry{{.*}}@down.w8.general.entry
declare i32 @cucpu.global.x(i32)
declare i32 @cucpu.tid.y()

define void @along(ptr %a, i32 %n) "cucpu.kernel" "cucpu.joined" "cucpu.launches"="1,32,1" {
  %x = call i32 @cucpu.global.x(i32 1)
  %y = call i32 @cucpu.tid.y()
  %row = mul nsw i32 %y, %n
  %i = add nsw i32 %row, %x
  %e = sext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %e
  store float 1.0, ptr %p
  ret void
}

define void @down(ptr %a, i32 %n) "cucpu.kernel" "cucpu.joined" "cucpu.launches"="1,32,1" {
  %x = call i32 @cucpu.global.x(i32 1)
  %y = call i32 @cucpu.tid.y()
  %column = mul nsw i32 %x, %n
  %i = add nsw i32 %column, %y
  %e = sext i32 %i to i64
  %p = getelementptr float, ptr %a, i64 %e
  store float 1.0, ptr %p
  ret void
}
