; Memory whose size is not known until run time cannot move to the frame.
; RUN: not %cucpu-opt --passes=split_barriers --simd=1 %s 2>&1 | FileCheck %s
; CHECK: error: unsupported: a value of this type cannot live across a barrier ('k')
define void @k(ptr %p, i32 %n) "cucpu.kernel" {
  %a = alloca i32, i32 %n
  store i32 1, ptr %a
  call void @cucpu.barrier(i32 0)
  %v = load volatile i32, ptr %a
  ret void
}
declare void @cucpu.barrier(i32)
