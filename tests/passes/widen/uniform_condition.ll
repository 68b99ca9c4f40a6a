; RUN: %cucpu-opt --passes=linearise,widen --simd=8 %s -o - | FileCheck %s
; %last is the same for all lanes, but no scalar can be computed for it: lanes take it from the loop in different
; iterations, and where they leave by the other exit it is poison.  It becomes a vector; so does what is made of it:
; `select %last, 1, 2` has no divergent condition that both operands could be equal for.
; CHECK-LABEL: define {{.*}} @kernel
; CHECK: [[R:%.*]] = select <8 x i1> {{.*}}, <8 x i32> splat (i32 1), <8 x i32> splat (i32 2)
; CHECK: store <8 x i32> [[R]]
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
define void @kernel(ptr %p, i1 %dead) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %n = phi i32 [ 3, %entry ], [ %less, %next ]
  br i1 %dead, label %none, label %some
none:
  br label %join
some:
  %d = call i32 @cucpu.ntid.x()
  %ten = icmp eq i32 %d, 10
  br label %join
join:
  %v = phi i1 [ poison, %none ], [ %ten, %some ]
  %first = icmp slt i32 %t, 1
  br i1 %first, label %go, label %leave
leave:
  %v1 = phi i1 [ %v, %join ]
  br label %out
go:
  %again = icmp sgt i32 %n, 1
  br i1 %again, label %next, label %end
end:
  %v2 = phi i1 [ %v, %go ]
  br label %out
next:
  %less = add nsw i32 %n, -1
  br label %loop
out:
  %last = phi i1 [ %v2, %end ], [ %v1, %leave ]
  %r = select i1 %last, i32 1, i32 2
  %i = zext nneg i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 %r, ptr %q
  ret void
}
attributes #0 = { "cucpu.kernel" "cucpu.width"="8" }
