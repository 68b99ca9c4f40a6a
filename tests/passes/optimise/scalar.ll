; LLVM makes vectors of loops over threads where code is for one lane, unless it is to stay scalar.
; RUN: %cucpu-opt --passes=make_variants,linearise,widen,loop_groups,mark_parallel,lower_math,lower_runtime,kernel_table,optimise --simd=1 --opt=3 --cpu=x86-64-v3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants,linearise,widen,loop_groups,mark_parallel,lower_math,lower_runtime,kernel_table,optimise --simd=1 --opt=3 --cpu=x86-64-v3 --disable=vectorize_threads %s | FileCheck --check-prefix=SCALAR %s
; CHECK: define internal void @k.w1.rows_full.entry(
; CHECK: fadd <8 x float>
; SCALAR: define internal void @k.w1.rows_full.entry(
; SCALAR-NOT: x float>
; SCALAR: fadd float
; SCALAR-NOT: x float>
declare i32 @cucpu.tid.x()
define void @k(ptr noalias %p, ptr noalias %q) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr float, ptr %p, i64 %i
  %b = getelementptr float, ptr %q, i64 %i
  %x = load float, ptr %a
  %y = fadd float %x, 1.0
  store float %y, ptr %b
  ret void
}
