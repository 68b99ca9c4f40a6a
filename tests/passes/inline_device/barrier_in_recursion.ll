; A function with a barrier that calls itself becomes a loop over records of its activations.  It is refused by the name of the barrier where a variable is
; aligned to more than records are.
; RUN: %cucpu-opt --passes=inline_device %s | FileCheck %s
; RUN: sed 's/align 16/align 64/' %s | not %cucpu-opt --passes=inline_device - 2>&1 | FileCheck %s --check-prefix=REFUSED
; REFUSED: error: unsupported: a barrier or warp-level function is called in a recursion that cannot become a loop ('cucpu.barrier') [recursive-barrier]
; CHECK-LABEL: define void @k(
; CHECK: alloca [64 x i8], align 16
; CHECK-DAG: call ptr @cucpu_local_malloc(i64 64)
; CHECK-DAG: call void @cucpu_local_free(
; CHECK-DAG: call void @cucpu.barrier(
; CHECK-DAG: call void @cucpu_stack_overflow()
; CHECK-DAG: icmp ugt i32 %{{.*}}, 524288
; CHECK-NOT: call i32 @r(
; CHECK: ret void
define void @k(i32 %n, ptr %p) "cucpu.kernel" {
  %x = call i32 @r(i32 %n, ptr %p)
  store i32 %x, ptr %p
  ret void
}
define internal i32 @r(i32 %n, ptr %up) {
  %v = alloca [4 x i32], align 16
  call void @cucpu.barrier(i32 0)
  store i32 %n, ptr %v
  %end = icmp eq i32 %n, 0
  br i1 %end, label %stop, label %more
more:
  %m = sub i32 %n, 1
  %s = call i32 @r(i32 %m, ptr %v)
  %t = load i32, ptr %up
  %u = sub i32 %t, %s
  ret i32 %u
stop:
  ret i32 7
}
declare void @cucpu.barrier(i32)
