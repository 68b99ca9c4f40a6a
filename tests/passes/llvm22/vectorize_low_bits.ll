; x[2 * t - (t & 3)] is x[0], x[1], x[2], x[3], x[8], ...: not contiguous.
; RUN: opt -mtriple=x86_64-linux -mcpu=x86-64-v3 -passes=loop-vectorize -S %s | FileCheck %s
; CHECK: vector.body:
; CHECK: and i32 %index, 3
; CHECK: load <8 x i32>
define void @f(ptr noalias %o, ptr noalias %x, i32 %n) {
entry:
  br label %loop
loop:
  %t = phi i32 [ 0, %entry ], [ %t.n, %loop ]
  %d = shl nuw i32 %t, 1
  %l = and i32 %t, 3
  %i = sub nuw i32 %d, %l
  %w = zext i32 %i to i64
  %p = getelementptr i32, ptr %x, i64 %w
  %v = load i32, ptr %p
  %tw = zext i32 %t to i64
  %q = getelementptr i32, ptr %o, i64 %tw
  store i32 %v, ptr %q
  %t.n = add nuw nsw i32 %t, 1
  %e = icmp eq i32 %t.n, %n
  br i1 %e, label %end, label %loop
end:
  ret void
}
