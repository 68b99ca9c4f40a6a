; A function that stays a call has no block to take the address from.
; RUN: not %cucpu-opt --passes=lower_shared %s 2>&1 | FileCheck %s
; CHECK: error: a recursive or indirectly called function uses a __shared__ variable
@s = internal addrspace(3) global [3 x i32] undef, align 4
define internal void @f() {
  store i32 1, ptr addrspace(3) @s
  ret void
}
define void @k() "cucpu.kernel" {
  call void @f()
  ret void
}
