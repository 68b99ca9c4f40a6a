; The slot keeps a value from barrier to barrier: it is stored once, and loaded where it is read.
; RUN: %cucpu-opt --passes=split_barriers --simd=4 %s | FileCheck %s
; CHECK-LABEL: define void @k(
; CHECK: store i32 %v, ptr %slot
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK-NOT: cucpu.frame.slot
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK-NOT: cucpu.frame.slot
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK-NOT: store
; CHECK: %kept{{.*}} = load i32, ptr %slot
; CHECK-NEXT: store i32 %kept{{.*}}, ptr %p
; CHECK: ret void
define void @k(ptr %p) "cucpu.kernel" "cucpu.width"="1" {
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %p, i32 %t
  %v = load i32, ptr %q
  call void @cucpu.barrier(i32 0)
  call void @cucpu.barrier(i32 0)
  call void @cucpu.barrier(i32 0)
  store i32 %v, ptr %p
  ret void
}
; Where one way to a barrier comes from the definition and another from a barrier, the value is stored for both.
; CHECK-LABEL: define void @two_ways(
; CHECK: some:
; CHECK: store i32 %v, ptr %slot
; CHECK: join:
; CHECK: %[[M:.*]] = phi i32 {{.*}}%kept
; CHECK: store i32 %[[M]], ptr %slot
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: ret void
define void @two_ways(ptr %p, i1 %c) "cucpu.kernel" "cucpu.width"="1" {
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %p, i32 %t
  %v = load i32, ptr %q
  br i1 %c, label %some, label %join
some:
  call void @cucpu.barrier(i32 0)
  br label %join
join:
  call void @cucpu.barrier(i32 0)
  store i32 %v, ptr %p
  ret void
}
; A loop that makes a new value in each pass stores it in each.
; CHECK-LABEL: define void @loop(
; CHECK: again:
; CHECK: store i32 %next, ptr %slot
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: load i32, ptr %slot
; CHECK: ret void
define void @loop(ptr %p, i32 %n) "cucpu.kernel" "cucpu.width"="1" {
entry:
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %p, i32 %t
  br label %again
again:
  %v = phi i32 [ 0, %entry ], [ %next, %again ]
  %x = load i32, ptr %q
  %next = add i32 %x, %v
  call void @cucpu.barrier(i32 0)
  call void @cucpu.barrier(i32 0)
  %more = icmp ult i32 %next, %n
  br i1 %more, label %again, label %end
end:
  store i32 %next, ptr %p
  ret void
}
; An accumulator of a loop with barriers has one slot: it is not copied where an iteration begins, and what it starts with
; is stored before the loop.
; CHECK-LABEL: define void @accumulator(
; CHECK: entry:
; CHECK: store i32 7, ptr %slot
; CHECK: again:
; CHECK-NOT: cucpu.frame.slot
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: %[[K:kept.*]] = load i32, ptr %slot
; CHECK: %next = add i32 %x, %[[K]]
; CHECK: store i32 %next, ptr %slot
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: ret void
define void @accumulator(ptr %p, i1 %more) "cucpu.kernel" "cucpu.width"="1" {
entry:
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %p, i32 %t
  br label %again
again:
  %v = phi i32 [ 7, %entry ], [ %next, %again ]
  store volatile i32 0, ptr %q
  call void @cucpu.barrier(i32 0)
  %x = load volatile i32, ptr %q
  %next = add i32 %x, %v
  call void @cucpu.barrier(i32 0)
  br i1 %more, label %again, label %end
end:
  store i32 %next, ptr %p
  ret void
}
; The phi keeps a slot of its own where the other value is needed after it: %w is.
; CHECK-LABEL: define void @needed_later(
; CHECK: again:
; CHECK: %v = phi
; CHECK: store i32 %v, ptr %slot
; CHECK: ret void
define void @needed_later(ptr %p, i1 %more, i1 %other) "cucpu.kernel" "cucpu.width"="1" {
entry:
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %p, i32 %t
  %w = load volatile i32, ptr %q
  call void @cucpu.barrier(i32 0)
  br label %again
again:
  %v = phi i32 [ %w, %entry ], [ %next, %body ]
  br i1 %more, label %body, label %end
body:
  call void @cucpu.barrier(i32 0)
  %x = load volatile i32, ptr %q
  %next = mul i32 %x, %v
  br label %again
end:
  call void @cucpu.barrier(i32 0)
  store i32 %w, ptr %p
  ret void
}
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)
