; Only lanes with i % 7 == k divide; the address of all of them is made of the quotient of the first lane.
; RUN: opt -mtriple=x86_64-linux -passes=loop-vectorize -force-vector-width=4 -force-vector-interleave=1 -S %s | FileCheck %s
; CHECK: pred.udiv.continue:
; CHECK: [[Q:%.*]] = phi i32 [ poison, %vector.body ], [ {{%.*}}, %pred.udiv.if ]
; CHECK: [[W:%.*]] = zext i32 [[Q]] to i64
; CHECK: [[P:%.*]] = getelementptr i32, ptr %a, i64 [[W]]
; CHECK-COUNT-4: load i32, ptr [[P]]
define void @f(ptr noalias %o, ptr noalias %a, i32 %p, i32 %q, i32 %k, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.n, %latch ]
  %i32 = trunc i64 %i to i32
  %m = urem i32 %i32, 7
  %c = icmp eq i32 %m, %k
  br i1 %c, label %then, label %latch
then:
  %d = udiv i32 %p, %q
  %w = zext i32 %d to i64
  %x = getelementptr i32, ptr %a, i64 %w
  %v = load i32, ptr %x
  br label %latch
latch:
  %r = phi i32 [ 0, %loop ], [ %v, %then ]
  %y = getelementptr i32, ptr %o, i64 %i
  store i32 %r, ptr %y
  %i.n = add nuw nsw i64 %i, 1
  %e = icmp eq i64 %i.n, %n
  br i1 %e, label %end, label %loop
end:
  ret void
}
