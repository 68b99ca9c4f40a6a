; Loops that walk through the grid: the block makes its steps together.
; RUN: %cucpu-opt --passes=interchange_grid_stride %s | FileCheck %s
; RUN: %cucpu-opt --passes=interchange_grid_stride,interchange_grid_stride %s | FileCheck --check-prefix=TWICE %s
; TWICE-COUNT-6: call void @cucpu.barrier(i32 16
; TWICE-NOT: call void @cucpu.barrier(i32 16
; RUN: %cucpu-opt --passes=interchange_grid_stride --disable=interchange_grid_stride %s | FileCheck --check-prefix=OFF %s
; OFF: call void @cucpu.barrier(
; OFF-NOT: call void @cucpu.barrier(
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.nctaid.x()
declare i32 @cucpu.ctaid.x()
declare void @cucpu.barrier(i32)

; A sum is carried.  The loop is one of the grid: all of its blocks start at 0, and a thread adds its index in the grid.
; CHECK-LABEL: define void @sum(
; CHECK: %[[PLACE:[0-9]+]] = add i32 %start, %{{.*}}
; CHECK: %grid = mul i64
; CHECK: icmp sgt i32 %[[STEP:.*]], 0
; CHECK: icmp ule i64 %grid, 2147482623
; CHECK: %[[ROOM:.*]] = sub i32 2147483647, %[[STEP]]
; CHECK: icmp sle i32 %n, %[[ROOM]]
; CHECK: %[[ROOM2:.*]] = sub i32 2147483647, %{{.*}}
; CHECK: icmp sle i32 %n, %[[ROOM2]]
; CHECK: br i1 %{{.*}}, label %steps, label %head
; CHECK: steps:
; CHECK: %at = phi i32 [ 0, %{{.*}} ], [ %[[NEXT:.*]], %strip.end ]
; CHECK: %[[SUM:.*]] = phi float
; CHECK: icmp slt i32 %at, %n
; Four iterations of a thread follow each other: where all threads make them, without tests.
; CHECK: %whole = icmp ult i32 %span, %left
; CHECK: %room = select i1 %whole, i32 %{{.*}}, i32 0
; CHECK: %[[NEXT]] = select i1 %whole, i32 %{{.*}}, i32 %n
; CHECK: %all = icmp ult i32 %[[PLACE]], %room
; CHECK: br i1 %all, label %to.fast, label %to.slow
; CHECK: fast:
; CHECK: %[[AT:.*]] = phi i32 [ %at, %to.fast ]
; CHECK: add nsw i32 %[[AT]], %[[PLACE]]
; CHECK: icmp ult i32 %{{.*}}, 4
; CHECK: slow:
; CHECK: %[[AT:.*]] = phi i32 [ %at, %to.slow ]
; CHECK: %[[LEFT:.*]] = sub i32 %n, %[[AT]]
; CHECK: %on = icmp ult i32 %[[PLACE]], %[[LEFT]]
; CHECK: br i1 %on, label %{{.*}}, label %slow.next
; CHECK: slow.next:
; CHECK: %[[MORE:.*]] = add nsw i32 %[[AT]], %[[STEP]]
; CHECK: icmp ult i32 %{{.*}}, 4
; CHECK: icmp slt i32 %[[MORE]], %n
; CHECK: !llvm.loop
; CHECK: strip.end:
; CHECK: %[[CARRIED:.*]] = phi float
; CHECK: call void @cucpu.barrier(i32 16)
; CHECK: call void @cucpu.barrier(i32 17)
define void @sum(ptr %p, i32 %n, ptr %out) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %start = mul i32 %d, %b
  %first = add i32 %start, %t
  br label %head
head:
  %i = phi i32 [ %first, %entry ], [ %next, %body ]
  %s = phi float [ 0.0, %entry ], [ %more, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %out.block
body:
  %j = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %j
  %v = load float, ptr %a
  %more = fadd float %s, %v
  %g = call i32 @cucpu.nctaid.x()
  %step = mul i32 %d, %g
  %next = add i32 %i, %step
  br label %head
out.block:
  %k = sext i32 %first to i64
  %o = getelementptr float, ptr %out, i64 %k
  store float %s, ptr %o
  ret void
}

; Left alone: a constant bound; threads that leave in the middle; a barrier inside; a counter that is used behind the loop;
; only some threads come to it; a bound that a thread has loaded.
; CHECK-LABEL: define void @constant(
; CHECK-NOT: call void @cucpu.barrier
; CHECK-LABEL: define void @leaves(
; CHECK-NOT: call void @cucpu.barrier
; CHECK-LABEL: define void @meets(
; CHECK: call void @cucpu.barrier
; CHECK-NOT: call void @cucpu.barrier
; CHECK-LABEL: define void @behind(
; CHECK-NOT: call void @cucpu.barrier
; CHECK-LABEL: define void @some(
; CHECK-NOT: call void @cucpu.barrier
; CHECK-LABEL: define void @loaded(
; CHECK-NOT: call void @cucpu.barrier
; A loop inside waits for what another thread adds, maybe in a later step.
; CHECK-LABEL: define void @waits(
; CHECK-NOT: call void @cucpu.barrier
define void @constant(ptr %p) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %head
head:
  %i = phi i32 [ %t, %entry ], [ %next, %body ]
  %c = icmp slt i32 %i, 1024
  br i1 %c, label %body, label %out
body:
  %a = getelementptr i32, ptr %p, i32 %i
  store i32 %t, ptr %a
  %d = call i32 @cucpu.ntid.x()
  %next = add i32 %i, %d
  br label %head
out:
  ret void
}
define void @leaves(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %head
head:
  %i = phi i32 [ %t, %entry ], [ %next, %latch ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %out
body:
  %a = getelementptr i32, ptr %p, i32 %i
  %v = load i32, ptr %a
  %e = icmp eq i32 %v, 0
  br i1 %e, label %out, label %latch
latch:
  store i32 %t, ptr %a
  %d = call i32 @cucpu.ntid.x()
  %next = add i32 %i, %d
  br label %head
out:
  ret void
}
define void @meets(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %head
head:
  %i = phi i32 [ %t, %entry ], [ %next, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %out
body:
  %a = getelementptr i32, ptr %p, i32 %i
  store i32 %t, ptr %a
  call void @cucpu.barrier(i32 0)
  %d = call i32 @cucpu.ntid.x()
  %next = add i32 %i, %d
  br label %head
out:
  ret void
}
define void @behind(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %head
head:
  %i = phi i32 [ %t, %entry ], [ %next, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %out
body:
  %a = getelementptr i32, ptr %p, i32 %i
  store i32 %t, ptr %a
  %d = call i32 @cucpu.ntid.x()
  %next = add i32 %i, %d
  br label %head
out:
  store i32 %i, ptr %p
  ret void
}
define void @some(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %few = icmp ult i32 %t, 5
  br i1 %few, label %head, label %out
head:
  %i = phi i32 [ %t, %entry ], [ %next, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %out
body:
  %a = getelementptr i32, ptr %p, i32 %i
  store i32 %t, ptr %a
  %d = call i32 @cucpu.ntid.x()
  %next = add i32 %i, %d
  br label %head
out:
  ret void
}
define void @loaded(ptr %p, ptr %q) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %n = load i32, ptr %q
  br label %head
head:
  %i = phi i32 [ %t, %entry ], [ %next, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %out
body:
  %a = getelementptr i32, ptr %p, i32 %i
  store i32 %t, ptr %a
  %d = call i32 @cucpu.ntid.x()
  %next = add i32 %i, %d
  br label %head
out:
  ret void
}
define void @waits(ptr %p, ptr %q, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %head
head:
  %i = phi i32 [ %t, %entry ], [ %next, %latch ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %poll, label %out
poll:
  %a = getelementptr i32, ptr %q, i32 %i
  %v = atomicrmw add ptr %a, i32 0 monotonic
  %e = icmp eq i32 %v, 0
  br i1 %e, label %poll, label %latch
latch:
  %b = getelementptr i32, ptr %p, i32 %i
  store i32 %t, ptr %b
  %d = call i32 @cucpu.ntid.x()
  %next = add i32 %i, %d
  br label %head
out:
  ret void
}

; The last element is included: the loop ends at n + 1, if there is such a number.
; CHECK-LABEL: define void @inclusive(
; CHECK: %[[FITS:.*]] = icmp sle i64 %n, 9223372036854775806
; CHECK: %end = add i64 %n, 1
; CHECK: and i1 %steps{{[0-9]*}}, %[[FITS]]
; CHECK: icmp slt i64 %at, %end
; The start is a sum of 64 bits, and still of the grid.
; CHECK: add nsw i64 %at{{[0-9]*}}, %
; CHECK: call void @cucpu.barrier(i32 16)
define void @inclusive(ptr %p, i64 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %tw = zext i32 %t to i64
  %dw = zext i32 %d to i64
  %bw = zext i32 %b to i64
  %start = mul i64 %dw, %bw
  %first = add i64 %start, %tw
  br label %head
head:
  %i = phi i64 [ %first, %entry ], [ %next, %body ]
  %c = icmp sgt i64 %i, %n
  br i1 %c, label %out.block, label %body
body:
  %a = getelementptr float, ptr %p, i64 %i
  store float 1.0, ptr %a
  %g = call i32 @cucpu.nctaid.x()
  %gw = zext i32 %g to i64
  %step = mul i64 %dw, %gw
  %next = add i64 %i, %step
  br label %head
out.block:
  ret void
}

; Iterations are counted: the index becomes the counter.
; CHECK-LABEL: define void @counted(
; CHECK: steps:
; CHECK: call void @cucpu.barrier(i32 16)
define void @counted(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %g = call i32 @cucpu.nctaid.x()
  %start = mul i32 %d, %b
  %first = add i32 %start, %t
  %step = mul i32 %d, %g
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %m = mul i32 %k, %step
  %i = add i32 %m, %first
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %out.block
body:
  %j = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %j
  store float 1.0, ptr %a
  %next = add i32 %k, 1
  br label %head
out.block:
  ret void
}

; All threads of the block count alike: the loop only gets the barrier.
; CHECK-LABEL: define void @rows_of_block(
; CHECK-NOT: steps
; CHECK: call void @cucpu.barrier(i32 16)
; CHECK-NEXT: br label %head
define void @rows_of_block(ptr %p, i64 %n) "cucpu.kernel" {
entry:
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %bw = zext i32 %b to i64
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %c = icmp slt i32 %k, 4
  br i1 %c, label %body, label %out.block
body:
  %t = call i32 @cucpu.tid.x()
  %row = mul i32 %k, %d
  %rw = zext i32 %row to i64
  %tw = zext i32 %t to i64
  %s = add i64 %bw, %rw
  %i = add i64 %s, %tw
  %in = icmp slt i64 %i, %n
  br i1 %in, label %write, label %latch
write:
  %a = getelementptr float, ptr %p, i64 %i
  store float 1.0, ptr %a
  br label %latch
latch:
  %next = add i32 %k, 1
  br label %head
out.block:
  ret void
}

; Neighbouring elements of one thread are near: nothing is gained.
; CHECK-LABEL: define void @near(
; CHECK-NOT: call void @cucpu.barrier(
; CHECK: ret void
define void @near(ptr %p) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %body ]
  %c = icmp slt i32 %k, 4
  br i1 %c, label %body, label %out.block
body:
  %i = add i32 %t, %k
  %w = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %w
  store float 1.0, ptr %a
  %next = add i32 %k, 1
  br label %head
out.block:
  ret void
}

; From row to row of the block; a thread that leaves the loop goes on without doing anything.
; CHECK-LABEL: define void @breaks(
; CHECK: %on = phi i1 [ true, %entry ], [ %[[STILL:.*]], %latch ]
; CHECK: %k = phi i32 [ 0, %entry ], [ %{{.*}}, %latch ]
; CHECK: br i1 %c, label %held, label %out.block
; CHECK: held:
; CHECK: br i1 %on, label %test, label %latch
; CHECK: latch:
; CHECK: %[[STILL]] = phi i1 [ false, %held ], [ true, %next.block ], [ false, %test ]
; CHECK: call void @cucpu.barrier(i32 16)
define void @breaks(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  br label %head
head:
  %c0 = phi i32 [ 0, %entry ], [ %c1, %next.block ]
  %c = icmp slt i32 %c0, 4
  br i1 %c, label %test, label %out.block
test:
  %m = mul i32 %c0, %d
  %i = add i32 %m, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %next.block, label %out.block
next.block:
  %w = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %w
  store float 1.0, ptr %a
  %c1 = add i32 %c0, 1
  br label %head
out.block:
  ret void
}

; The iteration in which a thread leaves is used after the loop; more iterations than a few: unchanged.
; CHECK-LABEL: define void @found(
; CHECK-NOT: barrier
define void @found(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  br label %head
head:
  %c0 = phi i32 [ 0, %entry ], [ %c1, %next.block ]
  %c = icmp slt i32 %c0, 4
  br i1 %c, label %test, label %out.block
test:
  %m = mul i32 %c0, %d
  %i = add i32 %m, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %next.block, label %out.block
next.block:
  %w = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %w
  store float 1.0, ptr %a
  %c1 = add i32 %c0, 1
  br label %head
out.block:
  %at = phi i32 [ -1, %head ], [ %c0, %test ]
  store i32 %at, ptr %p
  ret void
}

; CHECK-LABEL: define void @long_search(
; CHECK-NOT: barrier
define void @long_search(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  br label %head
head:
  %c0 = phi i32 [ 0, %entry ], [ %c1, %next.block ]
  %c = icmp slt i32 %c0, 400
  br i1 %c, label %test, label %out.block
test:
  %m = mul i32 %c0, %d
  %i = add i32 %m, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %next.block, label %out.block
next.block:
  %w = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %w
  store float 1.0, ptr %a
  %c1 = add i32 %c0, 1
  br label %head
out.block:
  ret void
}

; What a thread accumulates in memory is carried as well.
; CHECK-LABEL: define void @in_memory(
; CHECK: br i1 %all, label %to.fast, label %to.slow
; CHECK: strip.end:
; CHECK-NEXT: call void @cucpu.barrier(i32 16)
define void @in_memory(ptr %p, i32 %n, ptr %sums) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %g = call i32 @cucpu.nctaid.x()
  %start = mul i32 %d, %b
  %first = add i32 %start, %t
  %step = mul i32 %d, %g
  %at = sext i32 %t to i64
  %sum = getelementptr float, ptr %sums, i64 %at
  br label %head
head:
  %i = phi i32 [ %first, %entry ], [ %next, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %out
body:
  %j = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %j
  %v = load float, ptr %a
  %old = load float, ptr %sum
  %new = fadd float %old, %v
  store float %new, ptr %sum
  %next = add i32 %i, %step
  br label %head
out:
  ret void
}
