; What no iteration changes is blended after the loop that lanes leave with it one by one; a header that counts the lanes that are left
; leaves the loop without any: its latch tests no mask.
; RUN: %cucpu-opt --passes=linearise --simd=8 %s -o - | FileCheck %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.count(i1)

; CHECK-LABEL: @found
; CHECK: loop:
; CHECK-NOT: select i1 %{{.*}}, i32
; CHECK: br i1 %any
; CHECK: out.end:
; CHECK: [[R:%blend.*]] = select i1 %{{.*}}, i32 7, i32 %start
; CHECK: join:
; CHECK: store i32 [[R]]
define void @found(ptr %p, ptr %u, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %start = mul i32 %t, %n
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %mine = icmp eq i32 %i, %t
  br i1 %mine, label %out.mine, label %more
more:
  %end = icmp sgt i32 %i, %start
  br i1 %end, label %out.end, label %latch
latch:
  %i.next = add i32 %i, 1
  br label %loop
out.mine:
  br label %join
out.end:
  br label %join
join:
  %r = phi i32 [ %start, %out.mine ], [ 7, %out.end ]
  %x = sext i32 %t to i64
  %to = getelementptr i32, ptr %p, i64 %x
  store i32 %r, ptr %to
  ret void
}

; Invariant in the inner loop only: blended as lanes leave both.
; CHECK-LABEL: @both_loops
; CHECK: inner:
; CHECK: select i1 %{{.*}}, i32 %square, i32
; CHECK: join:
define void @both_loops(ptr %p, ptr %u, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  %square = mul i32 %i, %i
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %inner.latch ]
  %mine = icmp eq i32 %j, %t
  br i1 %mine, label %out, label %inner.more
inner.more:
  %left = icmp slt i32 %j, %i
  br i1 %left, label %inner.latch, label %after
inner.latch:
  %j.next = add i32 %j, 1
  br label %inner
after:
  %i.next = add i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %outer.latch, label %end
outer.latch:
  br label %outer
out:
  %square.out = phi i32 [ %square, %inner ]
  br label %join
end:
  br label %join
join:
  %r = phi i32 [ %square.out, %out ], [ -1, %end ]
  %x = sext i32 %t to i64
  %to = getelementptr i32, ptr %p, i64 %x
  store i32 %r, ptr %to
  ret void
}

; CHECK-LABEL: @counted
; CHECK: loop:
; CHECK: [[ACTIVE:%.*]] = call i32 @cucpu.count(i1 %{{.*}})
; CHECK: icmp ule i32 [[ACTIVE]], %n
; CHECK: latch:
; CHECK-NOT: any
; CHECK: br label %loop
; CHECK-LABEL: @counts_more
; CHECK: latch:
; CHECK: call i1 @cucpu.any
define void @counted(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %active = call i32 @cucpu.count(i1 true)
  %few = icmp ule i32 %active, %n
  br i1 %few, label %out.few, label %body
body:
  %end = icmp sgt i32 %i, %t
  br i1 %end, label %out, label %latch
latch:
  %i.next = add i32 %i, 1
  br label %loop
out.few:
  %i.few = phi i32 [ %i, %loop ]
  br label %join
out:
  br label %join
join:
  %r = phi i32 [ %i.few, %out.few ], [ 0, %out ]
  %x = sext i32 %t to i64
  %to = getelementptr i32, ptr %p, i64 %x
  store i32 %r, ptr %to
  ret void
}
define void @counts_more(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  store i32 %i, ptr %p
  %active = call i32 @cucpu.count(i1 true)
  %few = icmp ule i32 %active, %n
  br i1 %few, label %out.few, label %body
body:
  %end = icmp sgt i32 %i, %t
  br i1 %end, label %out, label %latch
latch:
  %i.next = add i32 %i, 1
  br label %loop
out.few:
  %i.few = phi i32 [ %i, %loop ]
  br label %join
out:
  br label %join
join:
  %r = phi i32 [ %i.few, %out.few ], [ 0, %out ]
  %x = sext i32 %t to i64
  %to = getelementptr i32, ptr %p, i64 %x
  store i32 %r, ptr %to
  ret void
}
attributes #0 = { "cucpu.kernel" }
