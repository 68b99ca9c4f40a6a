; Where device code takes the address of a kernel stands a handle; kernel_table makes it the kernel's row.
; RUN: %cucpu-opt --passes=kernel_handles %s | FileCheck %s
; RUN: %cucpu-opt --passes=kernel_handles,make_variants,split_barriers,loop_groups,kernel_table --simd=1 %s | FileCheck --check-prefix=TABLE %s
; RUN: sed 's/define void @child.*/declare void @child(ptr) "cucpu.kernel" define void @no(ptr %%p) {/' %s | not %cucpu-opt --passes=kernel_handles 2>&1 | FileCheck --check-prefix=MISSING %s
; CHECK-DAG: @kernels = internal constant [2 x ptr] [ptr @cucpu.handle.child, ptr @cucpu.handle.parent]
; CHECK-DAG: @cucpu.handle.child = external constant i8
; CHECK-DAG: @cucpu.handle.parent = external constant i8
; CHECK-NOT: @cucpu.handle.alone
; CHECK-LABEL: define void @parent(
; CHECK: call i32 @cucpu_launch(ptr @cucpu.handle.child,
; TABLE-NOT: cucpu.handle
; TABLE: @kernels = internal constant [2 x ptr] [ptr getelementptr {{.*}} ptr @cucpu.kernels, i64 0, i64 1), ptr @cucpu.kernels]
; TABLE: call i32 @cucpu_launch(ptr {{.*}}@cucpu.kernels
; MISSING: error: undefined kernel 'child'; with -rdc=true it may be in another file
@kernels = internal constant [2 x ptr] [ptr @child, ptr @parent]
define void @parent(ptr %p, i32 %n) "cucpu.kernel" {
  %e = call i32 @cucpu_launch(ptr @child, ptr %p, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 0, ptr null)
  store i32 %e, ptr %p
  %k = getelementptr [2 x ptr], ptr @kernels, i64 0, i32 %n
  store ptr %k, ptr %p
  ret void
}
define void @child(ptr %p) "cucpu.kernel" {
  store i32 1, ptr %p
  ret void
}
define void @alone(ptr %p) "cucpu.kernel" {
  ret void
}
declare i32 @cucpu_launch(ptr, ptr, i32, i32, i32, i32, i32, i32, i32, ptr)
