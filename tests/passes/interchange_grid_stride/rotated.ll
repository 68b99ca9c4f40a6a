; A loop of PTX is tested before it and at its end; it is a loop of the grid all the same.
; RUN: %cucpu-opt --passes=interchange_grid_stride %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.nctaid.x()
declare i32 @cucpu.ctaid.x()

; CHECK-LABEL: define void @rotated(
; CHECK: steps:
; CHECK: call void @cucpu.barrier(i32 16)
; CHECK: done:
; CHECK: [[S:%.*]] = phi i32
; CHECK: store i32 [[S]], ptr %out
define void @rotated(ptr %p, i32 %n, ptr %out) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %m = mul i32 %b, %d
  %i0 = add i32 %m, %t
  %none = icmp sge i32 %i0, %n
  br i1 %none, label %done, label %before
before:
  %g = call i32 @cucpu.nctaid.x()
  %by = mul i32 %g, %d
  br label %loop
loop:
  %i = phi i32 [ %i0, %before ], [ %i1, %loop ]
  %s = phi i32 [ 5, %before ], [ %s1, %loop ]
  %x = sext i32 %i to i64
  %q = getelementptr [4 x i8], ptr %p, i64 %x
  %v = load i32, ptr %q
  %s1 = add i32 %s, %v
  %i1 = add i32 %i, %by
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %done
done:
  %r = phi i32 [ 7, %entry ], [ %s1, %loop ]
  store i32 %r, ptr %out
  ret void
}

; Not the test at the end, or something in between that must not happen for nothing: not touched.
; CHECK-LABEL: define void @others(
; CHECK-NOT: call void @cucpu.barrier
; CHECK: ret void
define void @others(ptr %p, i32 %n, i32 %k) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %none = icmp sgt i32 %t, %n
  br i1 %none, label %second, label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i1, %loop ]
  %x = sext i32 %i to i64
  %q = getelementptr [4 x i8], ptr %p, i64 %x
  store i32 %i, ptr %q
  %i1 = add i32 %i, %d
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %second
second:
  %off = icmp sge i32 %t, %k
  br i1 %off, label %done, label %before
before:
  store i32 %t, ptr %p
  br label %loop2
loop2:
  %j = phi i32 [ %t, %before ], [ %j1, %loop2 ]
  %y = sext i32 %j to i64
  %z = getelementptr [4 x i8], ptr %p, i64 %y
  store i32 %j, ptr %z
  %j1 = add i32 %j, %d
  %again = icmp slt i32 %j1, %k
  br i1 %again, label %loop2, label %done
done:
  ret void
}
