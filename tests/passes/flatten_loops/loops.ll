; RUN: %cucpu-opt --passes=flatten_loops --simd=16 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=flatten_loops --simd=16 --disable=flatten_loops %s -o - | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=flatten_loops --simd=1 %s -o - | FileCheck %s --check-prefix=OFF
; OFF-NOT: dispatch:
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)
declare float @sinf(float) memory(none)

; The loops as they are count active lanes; the copy is one loop, in which a lane has a value for what it uses next only, and the inner
; part of which runs while more than three fourths of the lanes are in it.
; CHECK-LABEL: define {{.*}} @trips(
; CHECK: dispatch:
; CHECK:     [[IN:%kept.*]] = phi i1 [ {{.*}}, %latch ], [ false, %flat{{.*}} ]
; CHECK:     phi i32 [ {{.*}}, %latch ], [ %i.next{{.*}}, %flat{{.*}} ]
; CHECK:     phi i32 [ {{.*}}, %latch ], [ poison, %flat{{.*}} ]
; CHECK:     [[ALIVE:%.*]] = call i32 @cucpu.count(i1 true)
; CHECK:     [[THREE:%.*]] = mul i32 [[ALIVE]], 3
; CHECK:     [[FILLED:%.*]] = udiv i32 [[THREE]], 4
; CHECK:     [[OUT:%.*]] = xor i1 [[IN]], true
; CHECK:     [[ANY:%.*]] = call i1 @cucpu.any(i1 [[OUT]])
; CHECK:     br i1 [[ANY]], label %enter
; CHECK: enter:
; CHECK:     br i1 [[IN]], label
; CHECK: resume:
; CHECK:     call i1 @cucpu.any(i1 true)
; CHECK: vote:
; CHECK:     [[ACTIVE:%.*]] = call i32 @cucpu.count(i1 true)
; CHECK:     [[FEW:%.*]] = icmp ule i32 [[ACTIVE]], [[FILLED]]
; CHECK:     br i1 [[FEW]], label %pause, label %[[BODY:.*]]
; CHECK: latch:
; CHECK:     phi i1 [ [[IN]], %resume.latch_crit_edge ], [ false, %[[LEFT:.*]] ], [ true, %pause ]
; CHECK:     phi i32 [ {{.*}}, %resume.latch_crit_edge ], [ poison, %[[LEFT]] ], [ {{.*}}, %pause ]
; CHECK:     br label %dispatch
; CHECK: [[BODY]]:
; CHECK: inner:
; CHECK:     [[ACTIVE:%.*]] = call i32 @cucpu.count(i1 true)
; CHECK:     [[SHARED:%.*]] = sub i32 {{[0-9]+}}, [[ACTIVE]]
; CHECK:     add i32 %{{.*}}, [[SHARED]]
; CHECK: outer.latch:
; CHECK:     [[SUM:%.*]] = add i32 %{{.*}}, -{{[0-9]+}}
; CHECK:     [[MANY:%.*]] = icmp sgt i32 [[SUM]], 0
; CHECK:     call i1 @cucpu.any(i1 [[MANY]])
define void @trips(ptr %p, ptr %n, i32 %items) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  %x = phi float [ 1.0, %entry ], [ %y.left, %outer.latch ]
  %more = icmp slt i32 %i, %items
  br i1 %more, label %enter.inner, label %out
enter.inner:
  %m = mul i32 %i, %t
  br label %inner
inner:
  %j = phi i32 [ 0, %enter.inner ], [ %j.next, %inner.latch ]
  %y = phi float [ %x, %enter.inner ], [ %z, %inner.latch ]
  %left = icmp slt i32 %j, %m
  br i1 %left, label %inner.latch, label %outer.latch
inner.latch:
  %z0 = call float @sinf(float %y)
  %z = call float @sinf(float %z0)
  %j.next = add i32 %j, 1
  br label %inner
outer.latch:
  %y.left = phi float [ %y, %inner ]
  %i.next = add i32 %i, 1
  br label %outer
out:
  %r = phi float [ %x, %outer ]
  %a = getelementptr inbounds float, ptr %p, i32 %t
  store float %r, ptr %a
  ret void
}

; All lanes run the inner loop alike; there is a barrier; the outer loop is most of the work.
; CHECK-LABEL: define {{.*}} @alike(
; CHECK-NOT: dispatch
; CHECK-LABEL: define {{.*}} @barrier(
; CHECK-NOT: dispatch
; CHECK-LABEL: define {{.*}} @outer_is_expensive(
; CHECK-NOT: dispatch
define void @alike(ptr %p, i32 %m, i32 %items) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  %x = phi float [ 1.0, %entry ], [ %y.left, %outer.latch ]
  %more = icmp slt i32 %i, %items
  br i1 %more, label %enter.inner, label %out
enter.inner:
  br label %inner
inner:
  %j = phi i32 [ 0, %enter.inner ], [ %j.next, %inner.latch ]
  %y = phi float [ %x, %enter.inner ], [ %z, %inner.latch ]
  %left = icmp slt i32 %j, %m
  br i1 %left, label %inner.latch, label %outer.latch
inner.latch:
  %z = call float @sinf(float %y)
  %j.next = add i32 %j, 1
  br label %inner
outer.latch:
  %y.left = phi float [ %y, %inner ]
  %i.next = add i32 %i, 1
  br label %outer
out:
  %r = phi float [ %x, %outer ]
  %a = getelementptr inbounds float, ptr %p, i32 %t
  store float %r, ptr %a
  ret void
}
define void @barrier(ptr %p, ptr %n, i32 %items) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  %x = phi float [ 1.0, %entry ], [ %y.left, %outer.latch ]
  %more = icmp slt i32 %i, %items
  br i1 %more, label %enter.inner, label %out
enter.inner:
  %m = mul i32 %i, %t
  br label %inner
inner:
  %j = phi i32 [ 0, %enter.inner ], [ %j.next, %inner.latch ]
  %y = phi float [ %x, %enter.inner ], [ %z, %inner.latch ]
  %left = icmp slt i32 %j, %m
  br i1 %left, label %inner.latch, label %outer.latch
inner.latch:
  %z = call float @sinf(float %y)
  %j.next = add i32 %j, 1
  br label %inner
outer.latch:
  %y.left = phi float [ %y, %inner ]
  call void @cucpu.barrier(i32 0)
  %i.next = add i32 %i, 1
  br label %outer
out:
  %r = phi float [ %x, %outer ]
  %a = getelementptr inbounds float, ptr %p, i32 %t
  store float %r, ptr %a
  ret void
}
define void @outer_is_expensive(ptr %p, ptr %n, i32 %items) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  %x = phi float [ 1.0, %entry ], [ %y.left, %outer.latch ]
  %more = icmp slt i32 %i, %items
  br i1 %more, label %enter.inner, label %out
enter.inner:
  %m = mul i32 %i, %t
  %x1 = call float @sinf(float %x)
  %x2 = call float @sinf(float %x1)
  %x3 = call float @sinf(float %x2)
  br label %inner
inner:
  %j = phi i32 [ 0, %enter.inner ], [ %j.next, %inner.latch ]
  %y = phi float [ %x3, %enter.inner ], [ %z, %inner.latch ]
  %left = icmp slt i32 %j, %m
  br i1 %left, label %inner.latch, label %outer.latch
inner.latch:
  %z = fadd float %y, 1.0
  %j.next = add i32 %j, 1
  br label %inner
outer.latch:
  %y.left = phi float [ %y, %inner ]
  %i.next = add i32 %i, 1
  br label %outer
out:
  %r = phi float [ %x, %outer ]
  %a = getelementptr inbounds float, ptr %p, i32 %t
  store float %r, ptr %a
  ret void
}
attributes #0 = { "cucpu.kernel" }
