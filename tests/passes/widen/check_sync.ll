; RUN: %cucpu-opt --check=sync --passes=linearise,widen --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --check=race --passes=linearise,widen --simd=8 %s -o - | FileCheck --check-prefix=RACE %s
; Synccheck alone: barriers that all threads of the block come to need no check.
@cucpu.sites = internal global [3 x [40 x i8]] zeroinitializer
declare i32 @cucpu.tid.x()
declare void @cucpu_check_barrier(ptr, i32)
declare void @cucpu.barrier(i32)

; CHECK-LABEL: define {{.*}} @loop
; CHECK: call void @cucpu.barrier(
; CHECK-NOT: cucpu_check_barrier
; CHECK: ret void
; RACE-LABEL: define {{.*}} @loop
; RACE: call void @cucpu_check_barrier_lanes(
define void @loop(i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  call void @cucpu.barrier(i32 0)
  call void @cucpu_check_barrier(ptr @cucpu.sites, i32 %t)
  %next = add i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %latch, label %exit
latch:
  br label %body
exit:
  ret void
}

; Threads from n on do not come to it; which, the width of a group does not tell.
; CHECK-LABEL: define {{.*}} @some
; CHECK: call void @cucpu_check_barrier_lanes(
define void @some(i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %group = lshr i32 %t, 3
  %in = icmp slt i32 %group, %n
  br i1 %in, label %then, label %else
else:
  br label %exit
then:
  call void @cucpu.barrier(i32 0)
  call void @cucpu_check_barrier(ptr @cucpu.sites, i32 %t)
  br label %exit
exit:
  ret void
}

attributes #0 = { "cucpu.kernel" }
