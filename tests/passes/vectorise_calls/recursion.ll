; Recursive functions, alone and in turns, have a kernel over lanes that calls them: they may write, and their ids are parameters.  The calls in
; widened code are under a test for active lanes; with --disable, without optimisation, and where lanes might wait for each other, they stay
; calls of one lane.
; RUN: %cucpu-opt --passes=inline_device,vectorise_calls %s | FileCheck %s
; RUN: %cucpu-opt --passes=inline_device,vectorise_calls,lower_shared,normalise_cfg,make_variants,linearise,widen --simd=8 %s | FileCheck %s --check-prefix=WIDE
; RUN: %cucpu-opt --passes=inline_device,vectorise_calls --disable=outline_recursion %s | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=inline_device,vectorise_calls --opt=0 %s | FileCheck %s --check-prefix=OFF
; CHECK-LABEL: define void @k(
; CHECK: [[T:%.*]] = call i32 @cucpu.tid.x()
; CHECK: call i32 @sum.called(ptr %p, i32 %n, i32 [[T]])
; CHECK: call void @waits(
; CHECK: define internal i32 @sum.called(ptr %0, i32 %1, i32 %2)
; CHECK-NOT: call i32 @cucpu.tid.x()
; CHECK: call void @ping.called(ptr %0, i32 %m{{.*}}, i32 %2)
; CHECK: call i32 @sum.called(
; CHECK: define internal void @ping.called(ptr %0, i32 %1, i32 %2)
; CHECK: call i32 @sum.called(
; CHECK: define void @sum.lanes(ptr noalias readonly %0, ptr noalias %1, i64 %2, i64 %3, i64 %4, i64 %5)
; p and n are the same for all threads, and so they are in all calls; the thread's id is not.
; CHECK: define void @ping.lanes(
; OFF-LABEL: define void @k(
; OFF: call i32 @cucpu_with_ids({{.*}}ptr @sum, ptr %p, i32 %n)
; OFF-NOT: .lanes
; WIDE-LABEL: define void @sum.lanes.w8.rows_full.8x1x1(
; The body is under the mask: calls only where a lane is active, of another function where the stack is nearly used up.
; WIDE: call{{.*}}:
; WIDE: %floor = load i64
; WIDE: [[LOW:%low[0-9]*]] = icmp ult i64 %{{[0-9]+}}, %floor
; WIDE: [[F:%.*]] = select i1 [[LOW]], ptr @ping.lanes.w8.rows_full.8x1x1.scalar, ptr @ping.lanes.w8.rows_full.8x1x1
; WIDE: call void [[F]](ptr %in, ptr %out
; WIDE-DAG: "cucpu.uniform"="110"
define void @k(ptr %p, i32 %n, ptr %out) #0 {
  %r = call i32 @sum(ptr %p, i32 %n)
  call void @waits(ptr %p, i32 %r)
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %out, i32 %t
  store i32 %r, ptr %q
  ret void
}
define internal i32 @sum(ptr %p, i32 %n) {
  %end = icmp slt i32 %n, 0
  br i1 %end, label %leave, label %more
more:
  %m = sub i32 %n, 1
  call void @ping(ptr %p, i32 %m)
  %s = call i32 @sum(ptr %p, i32 %m)
  %t = call i32 @cucpu.tid.x()
  %r = mul i32 %s, %t
  br label %leave
leave:
  %v = phi i32 [ 1, %0 ], [ %r, %more ]
  ret i32 %v
}
define internal void @ping(ptr %p, i32 %n) {
  %end = icmp slt i32 %n, 3
  br i1 %end, label %leave, label %more
more:
  %m = sdiv i32 %n, 2
  %s = call i32 @sum(ptr %p, i32 %m)
  %q = getelementptr i32, ptr %p, i32 %s
  store i32 %n, ptr %q
  br label %leave
leave:
  ret void
}
define internal void @waits(ptr %p, i32 %n) {
  %v = load volatile i32, ptr %p
  %end = icmp eq i32 %v, %n
  br i1 %end, label %leave, label %more
more:
  call void @waits(ptr %p, i32 %v)
  %w = load volatile i32, ptr %p
  call void @waits(ptr %p, i32 %w)
  store i32 %v, ptr %p
  br label %leave
leave:
  ret void
}
declare i32 @cucpu.tid.x()
attributes #0 = { "cucpu.kernel" }
