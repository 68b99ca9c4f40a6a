; A local array that is used on both sides lives in the frame; one that is not stays local.
; RUN: %cucpu-opt --passes=split_barriers --simd=1 --report=frames %s 2>&1 | FileCheck %s
define void @k(ptr %p, i64 %n) "cucpu.kernel" {
  %both = alloca [4 x i32]
  %one = alloca [64 x i32]
  %a = getelementptr i32, ptr %both, i64 %n
  store i32 1, ptr %a
  %b = getelementptr i32, ptr %one, i64 %n
  store i32 2, ptr %b
  %v = load volatile i32, ptr %one
  call void @cucpu.barrier(i32 0)
  %c = getelementptr i32, ptr %both, i64 2
  %w = load volatile i32, ptr %c
  ret void
}
declare void @cucpu.barrier(i32)
; CHECK: frames: k: {{.*}}: 0.00 bytes per thread and 0 per block saved, {{.*}}; local arrays 16
; CHECK-LABEL: define void @k(
; CHECK-NOT: %both = alloca
; CHECK: %one = alloca [64 x i32]
; CHECK: call ptr @cucpu.frame.slot(i32 0, i32 16)
; CHECK: call void @cucpu.barrier
; CHECK: call ptr @cucpu.frame.slot(i32 0, i32 16)
