; RUN: %cucpu-opt --passes=split_conditions --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=split_conditions --simd=8 --disable=split_conditions %s -o - | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=split_conditions --simd=1 %s -o - | FileCheck %s --check-prefix=OFF
; The uniform part of a condition is tested first, by a branch of its own.
; OFF-NOT: varying:
declare i32 @cucpu.tid.x()
declare float @sinf(float) memory(none)

; CHECK-LABEL: define {{.*}} @both(
; CHECK:      br i1 %u, label %varying, label %entry.else_crit_edge
; CHECK: varying:
; CHECK-NEXT: br i1 %c, label %then, label %varying.else_crit_edge
define void @both(ptr %p, i1 %u) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %a = getelementptr inbounds float, ptr %p, i32 %t
  %v = load float, ptr %a
  %c = fcmp olt float %v, 0.5
  %j = and i1 %c, %u
  br i1 %j, label %then, label %else
else:
  br label %out
then:
  %x = call float @sinf(float %v)
  store float %x, ptr %a
  br label %out
out:
  ret void
}

; A test that short-circuiting skips may be poison; the order of the varying ones stays.
; CHECK-LABEL: define {{.*}} @late(
; CHECK:      [[U:%.*]] = freeze i1 %u
; CHECK-NEXT: br i1 [[U]], label %{{.*}}, label %varying
; CHECK: varying:
; CHECK:      [[V:%.*]] = select i1 %c, i1 true, i1 %d
; CHECK-NEXT: br i1 [[V]], label %varying.else_crit_edge, label %then
define void @late(ptr %p, i1 %u) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %a = getelementptr inbounds float, ptr %p, i32 %t
  %v = load float, ptr %a
  %c = fcmp olt float %v, 0.5
  %d = fcmp ogt float %v, 7.0
  %h = select i1 %c, i1 true, i1 %u
  %j = select i1 %h, i1 true, i1 %d
  br i1 %j, label %else, label %then
else:
  br label %out
then:
  %x = call float @sinf(float %v)
  store float %x, ptr %a
  br label %out
out:
  ret void
}

; Nothing is skipped but what costs no more than the test; a condition of one kind has no parts.
; CHECK-LABEL: define {{.*}} @cheap(
; CHECK-NOT:  varying:
define void @cheap(ptr %p, i1 %u, i1 %w) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %a = getelementptr inbounds float, ptr %p, i32 %t
  %v = load float, ptr %a
  %c = fcmp olt float %v, 0.5
  %d = fcmp ogt float %v, 0.25
  %j = and i1 %c, %u
  br i1 %j, label %then, label %else
else:
  br label %out
then:
  br label %out
out:
  %r = phi float [ %v, %then ], [ 1.0, %else ]
  store float %r, ptr %a
  %k = and i1 %c, %d
  br i1 %k, label %then2, label %end
then2:
  %x = call float @sinf(float %v)
  store float %x, ptr %a
  br label %end2
end:
  br label %end2
end2:
  ret void
}

; The exit of a loop stays one exit, whose condition begins with what is uniform.
; CHECK-LABEL: define {{.*}} @loop(
; CHECK:      [[J:%.*]] = select i1 {{.*}}, i1 %c, i1 false
; CHECK-NEXT: br i1 [[J]], label %latch, label %out
define void @loop(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %s = phi i32 [ 1, %entry ], [ %s2, %latch ]
  %s2 = mul i32 %s, %t
  %next = add nuw nsw i32 %i, 1
  %c = icmp slt i32 %s2, 100
  %u = icmp slt i32 %next, %n
  %j = select i1 %c, i1 %u, i1 false
  br i1 %j, label %latch, label %out
latch:
  br label %head
out:
  %r = phi i32 [ %s2, %head ]
  %a = getelementptr inbounds i32, ptr %p, i32 %t
  store i32 %r, ptr %a
  ret void
}
attributes #0 = { "cucpu.kernel" }
