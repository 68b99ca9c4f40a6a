; What leaves a divergent loop by a uniform branch is blended in a block of that edge, not in each iteration; exits that lead to one block
; share the slot of its phi.
; RUN: %cucpu-opt --passes=linearise --simd=8 %s -o - | FileCheck %s
declare i32 @cucpu.tid.x()

; CHECK-LABEL: @two_exits
; CHECK: loop:
; CHECK:      %blend = select i1
; CHECK: more:
; CHECK-NOT:  select
; CHECK:      br i1 %{{.*}}, label %[[LEAVE:edge.*]], label %[[STAY:edge.*]]
; CHECK: [[LEAVE]]:
; CHECK:      %blend{{.*}} = select i1 %{{.*}}, i32 7, i32 %blend
; CHECK-NEXT: br label %latch
; CHECK: [[STAY]]:
; CHECK-NEXT: br label %latch
; CHECK: latch:
; CHECK:      phi i1 [ %{{.*}}, %[[STAY]] ], [ false, %[[LEAVE]] ]
; CHECK: join:
; CHECK-NOT:  select
; CHECK: ret void
define void @two_exits(ptr %p, ptr %u, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %mine = icmp eq i32 %i, %t
  br i1 %mine, label %out.mine, label %more
more:
  %q = getelementptr i32, ptr %u, i32 %i
  %w = load i32, ptr %q
  %stop = icmp sgt i32 %w, %n
  br i1 %stop, label %out.stop, label %latch
latch:
  %i.next = add i32 %i, 1
  br label %loop
out.mine:
  %i.mine = phi i32 [ %i, %loop ]
  br label %join
out.stop:
  br label %join
join:
  %r = phi i32 [ %i.mine, %out.mine ], [ 7, %out.stop ]
  %x = sext i32 %t to i64
  %to = getelementptr i32, ptr %p, i64 %x
  store i32 %r, ptr %to
  ret void
}

; The uniform exit and the next iteration are one block of the new graph, but what happens on the way there is not.
; CHECK-LABEL: @bound
; CHECK: more:
; CHECK:      br i1 %left{{.*}}, label %[[STAY:edge.*]], label %[[LEAVE:edge.*]]
; CHECK: [[STAY]]:
; CHECK-NEXT: br label %latch
; CHECK: [[LEAVE]]:
; CHECK:      br label %latch
; CHECK: latch:
; CHECK:      phi i1 [ false, %[[LEAVE]] ], [ %{{.*}}, %[[STAY]] ]
define void @bound(ptr %p, ptr %u, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %mine = icmp eq i32 %i, %t
  br i1 %mine, label %out.mine, label %more
more:
  %i.next = add i32 %i, 1
  %left = icmp slt i32 %i.next, %n
  br i1 %left, label %latch, label %out.all
latch:
  br label %loop
out.mine:
  %i.mine = phi i32 [ %i, %loop ]
  br label %join
out.all:
  %i.all = phi i32 [ %i.next, %more ]
  br label %join
join:
  %r = phi i32 [ %i.mine, %out.mine ], [ %i.all, %out.all ]
  %x = sext i32 %t to i64
  %to = getelementptr i32, ptr %p, i64 %x
  store i32 %r, ptr %to
  ret void
}
attributes #0 = { "cucpu.kernel" }
