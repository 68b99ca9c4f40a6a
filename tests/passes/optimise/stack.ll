; Vectors on the stack never cross cache lines: entries align it for the registers of the target.
; RUN: %cucpu-opt --passes=make_variants,linearise,widen,loop_groups,lower_math,lower_runtime,kernel_table,optimise --simd=8 --cpu=x86-64-v4 %s | FileCheck %s --check-prefix=V4
; RUN: %cucpu-opt --passes=make_variants,linearise,widen,loop_groups,lower_math,lower_runtime,kernel_table,optimise --simd=8 --cpu=x86-64-v3 %s | FileCheck %s --check-prefix=V3
; RUN: %cucpu-opt --passes=make_variants,linearise,widen,loop_groups,lower_math,lower_runtime,kernel_table,optimise --simd=4 --cpu=x86-64-v2 %s | FileCheck %s --check-prefix=V2
; V4: define internal void @k.w8.rows_full.entry({{.*}} #[[A:[0-9]+]]
; V4: attributes #[[A]] = {{.*}} alignstack=64
; V3: define internal void @k.w8.rows_full.entry({{.*}} #[[A:[0-9]+]]
; V3: attributes #[[A]] = {{.*}} alignstack=32
; V2: define internal void @k.w4.rows_full.entry(
; V2-NOT: alignstack
declare i32 @cucpu.tid.x()
define void @k(ptr %p, float %v) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %a = getelementptr float, ptr %p, i32 %t
  store float %v, ptr %a
  ret void
}
