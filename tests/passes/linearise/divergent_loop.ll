; RUN: %cucpu-opt --passes=linearise --simd=8 %s -o - | FileCheck %s
; A loop that lanes leave one by one runs while any lane is left.  Its counter stays one scalar; what
; leaves the loop is blended as each lane goes.
declare i32 @cucpu.tid.x()

; CHECK-LABEL: define {{.*}} @loop
; CHECK: [[I:%.*]] = phi i32 {{.*}}[ 0, %entry ]
; CHECK: select i1 %{{.*}}, i32 [[I]]
; CHECK: [[ANY:%any.*]] = call i1 @cucpu.any(i1
; CHECK: br i1 [[ANY]]
define void @loop(ptr %p) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %q = getelementptr inbounds i32, ptr %p, i32 %t
  %limit = load i32, ptr %q
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %c = icmp slt i32 %i, %limit
  br i1 %c, label %latch, label %out
latch:
  %next = add i32 %i, 1
  br label %head
out:
  %r = phi i32 [ %i, %head ]
  store i32 %r, ptr %q
  ret void
}
attributes #0 = { "cucpu.kernel" }
