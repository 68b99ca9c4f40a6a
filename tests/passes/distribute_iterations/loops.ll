; Loops in which each thread makes consecutive iterations: neighbouring threads make them instead.
; RUN: %cucpu-opt --passes=distribute_iterations %s | FileCheck %s
; RUN: %cucpu-opt --passes=distribute_iterations,distribute_iterations %s | FileCheck --check-prefix=TWICE %s
; TWICE-COUNT-1: call i32 @cucpu.apart()
; TWICE-NOT: call i32 @cucpu.apart()
; RUN: %cucpu-opt --passes=distribute_iterations --disable=distribute_iterations %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: call i32 @cucpu.apart()
; OFF-NOT: %distributed
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()
declare void @cucpu.barrier(i32)

; The arrays may overlap: the loop stays for that.
; CHECK-LABEL: define void @tested(
; CHECK: %[[T4:.*]] = mul i32 %t, 4
; CHECK: call i32 @cucpu.apart()
; CHECK: %start = add i32 %{{.*}}, %[[T:.*]]
; CHECK: %[[N:.*]] = call i32 @cucpu.ntid.x()
; CHECK: br i1 %apart, label %distributed, label %head
; CHECK: distributed:
; CHECK: %[[Q:.*]] = phi i32 [ 0, %entry ]
; CHECK: icmp slt i32 %[[Q]], 4
; CHECK: %[[STEP:.*]] = mul i32 %[[Q]], %[[N]]
; CHECK: %[[I:i[0-9]*]] = add i32 %start, %[[STEP]]
; CHECK: icmp slt i32 %[[I]], %n
; CHECK: sext i32 %[[I]] to i64
; CHECK: head:
; CHECK: br label %head, !llvm.loop
define void @tested(ptr %x, ptr %y, i32 %n) "cucpu.kernel" {
entry:
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %k = call i32 @cucpu.tid.x()
  %s = mul i32 %b, %d
  %t = add i32 %s, %k
  %first = mul i32 %t, 4
  br label %head
head:
  %q = phi i32 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i32 %q, 4
  br i1 %more, label %body, label %end
body:
  %i = add nsw i32 %first, %q
  %on = icmp slt i32 %i, %n
  br i1 %on, label %do, label %latch
do:
  %j = sext i32 %i to i64
  %from = getelementptr float, ptr %x, i64 %j
  %v = load float, ptr %from
  %to = getelementptr float, ptr %y, i64 %j
  store float %v, ptr %to
  br label %latch
latch:
  %next = add i32 %q, 1
  br label %head
end:
  ret void
}

; A thread that has reached n would leave the loop: it skips the other iterations.
; CHECK-LABEL: define void @left(
; CHECK: %[[I:i[0-9]+]] = add i32
; CHECK: %[[OUT:.*]] = icmp sge i32 %[[I]], %n
; CHECK: br i1 %[[OUT]], label %latch, label %do
define void @left(ptr noalias %y, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %first = mul i32 %t, 4
  br label %head
head:
  %q = phi i32 [ 0, %entry ], [ %next, %do ]
  %more = icmp slt i32 %q, 4
  br i1 %more, label %body, label %end
body:
  %i = add nsw i32 %first, %q
  %out = icmp sge i32 %i, %n
  br i1 %out, label %end, label %do
do:
  %j = sext i32 %i to i64
  %to = getelementptr i32, ptr %y, i64 %j
  store i32 %n, ptr %to
  %next = add i32 %q, 1
  br label %head
end:
  ret void
}

; Counter and index are one; the end of the last interval may wrap around, so that the bound is one lower than that.
; CHECK-LABEL: define void @bounded(
; CHECK: %[[BOUND:.*]] = call i32 @llvm.umin.i32(i32 %n, i32 -4)
; CHECK: %q = phi i32 [ 0, %entry ], [ %{{.*}}, %latch ]
; CHECK: icmp ult i32 %q, 4
; CHECK: %[[I:i[0-9]+]] = add i32
; CHECK: %on = icmp ult i32 %[[I]], %[[BOUND]]
define void @bounded(ptr noalias %y, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %first = mul i32 %t, 4
  %e = add i32 %first, 4
  %c = icmp ult i32 %e, %n
  %last = select i1 %c, i32 %e, i32 %n
  br label %head
head:
  %i = phi i32 [ %first, %entry ], [ %next, %body ]
  %more = icmp ult i32 %i, %last
  br i1 %more, label %body, label %end
body:
  %j = zext i32 %i to i64
  %to = getelementptr i32, ptr %y, i64 %j
  store i32 %n, ptr %to
  %next = add i32 %i, 1
  br label %head
end:
  ret void
}

; The index of the thread in a block of rows, extended as a whole; the block has ntid.x * ntid.y threads.
; CHECK-LABEL: define void @plane(
; CHECK: %threads = mul i64
; CHECK: mul i64 %q, %threads
define void @plane(ptr noalias %y) "cucpu.kernel" {
entry:
  %x = call i32 @cucpu.tid.x()
  %r = call i32 @cucpu.tid.y()
  %d = call i32 @cucpu.ntid.x()
  %row = mul i32 %d, %r
  %t = add i32 %row, %x
  %wide = zext i32 %t to i64
  %first = mul i64 %wide, 2
  br label %head
head:
  %q = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %q, 2
  br i1 %more, label %body, label %end
body:
  %i = add i64 %first, %q
  %to = getelementptr i64, ptr %y, i64 %i
  store i64 %i, ptr %to
  %next = add i64 %q, 1
  br label %head
end:
  ret void
}

; What an iteration stores the next one may load.
; CHECK-LABEL: define void @chained(
; CHECK-NOT: = mul i32 %q, %
; CHECK-LABEL: define void @carried(
define void @chained(ptr noalias %y) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %first = mul i32 %t, 4
  br label %head
head:
  %q = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %q, 4
  br i1 %more, label %body, label %end
body:
  %i = add nsw i32 %first, %q
  %j = sext i32 %i to i64
  %from = getelementptr i32, ptr %y, i64 %j
  %v = load i32, ptr %from
  %to = getelementptr i32, ptr %from, i64 1
  store i32 %v, ptr %to
  %next = add i32 %q, 1
  br label %head
end:
  ret void
}

; A sum is carried.
; CHECK-NOT: = mul i32 %q, %
; CHECK-LABEL: define void @of_iteration(
define void @carried(ptr noalias %x, ptr noalias %y) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %first = mul i32 %t, 4
  br label %head
head:
  %q = phi i32 [ 0, %entry ], [ %next, %body ]
  %s = phi i32 [ 0, %entry ], [ %sum, %body ]
  %more = icmp slt i32 %q, 4
  br i1 %more, label %body, label %end
body:
  %i = add nsw i32 %first, %q
  %j = sext i32 %i to i64
  %from = getelementptr i32, ptr %x, i64 %j
  %v = load i32, ptr %from
  %sum = add i32 %s, %v
  %next = add i32 %q, 1
  br label %head
end:
  %to = getelementptr i32, ptr %y, i32 %t
  store i32 %s, ptr %to
  ret void
}

; The iteration counts beside the index.
; CHECK-NOT: = mul i32 %q, %
; CHECK-LABEL: define void @read_later(
define void @of_iteration(ptr noalias %y) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %first = mul i32 %t, 4
  br label %head
head:
  %q = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %q, 4
  br i1 %more, label %body, label %end
body:
  %i = add nsw i32 %first, %q
  %j = sext i32 %i to i64
  %to = getelementptr i32, ptr %y, i64 %j
  store i32 %q, ptr %to
  %next = add i32 %q, 1
  br label %head
end:
  ret void
}

; The thread loads what it has stored in the loop: with no barrier between.
; CHECK-NOT: = mul i32 %q, %
; CHECK-LABEL: define void @met_later(
; CHECK: = mul i32 %q, %
define void @read_later(ptr noalias %y, ptr noalias %z) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %first = mul i32 %t, 4
  br label %head
head:
  %q = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %q, 4
  br i1 %more, label %body, label %end
body:
  %i = add nsw i32 %first, %q
  %j = sext i32 %i to i64
  %to = getelementptr i32, ptr %y, i64 %j
  store i32 %i, ptr %to
  %next = add i32 %q, 1
  br label %head
end:
  %from = getelementptr i32, ptr %y, i32 %first
  %v = load i32, ptr %from
  %out = getelementptr i32, ptr %z, i32 %t
  store i32 %v, ptr %out
  ret void
}
define void @met_later(ptr noalias %y, ptr noalias %z) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %first = mul i32 %t, 4
  br label %head
head:
  %q = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %q, 4
  br i1 %more, label %body, label %end
body:
  %i = add nsw i32 %first, %q
  %j = sext i32 %i to i64
  %to = getelementptr i32, ptr %y, i64 %j
  store i32 %i, ptr %to
  %next = add i32 %q, 1
  br label %head
end:
  call void @cucpu.barrier(i32 0)
  %from = getelementptr i32, ptr %y, i32 %first
  %v = load i32, ptr %from
  %out = getelementptr i32, ptr %z, i32 %t
  store i32 %v, ptr %out
  ret void
}
