; r may be s: then y is 7, but both fields of s are loaded before anything is stored.
; RUN: opt -mtriple=x86_64-linux -mcpu=x86-64-v3 -passes=loop-vectorize -force-vector-width=4 -force-vector-interleave=1 -S %s | FileCheck %s
; CHECK: vector.body:
; CHECK-NOT: store
; CHECK: load <8 x i32>
; CHECK-NOT: load
; CHECK: store <8 x i32>
; CHECK: middle.block:
define void @f(ptr %s, ptr %r, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.n, %loop ]
  %a = getelementptr {i32, i32}, ptr %s, i64 %i, i32 0
  %b = getelementptr {i32, i32}, ptr %s, i64 %i, i32 1
  %c = getelementptr {i32, i32}, ptr %r, i64 %i, i32 0
  %d = getelementptr {i32, i32}, ptr %r, i64 %i, i32 1
  %x = load i32, ptr %a, !llvm.access.group !1
  store i32 7, ptr %d, !llvm.access.group !1
  %y = load i32, ptr %b, !llvm.access.group !1
  %z = add i32 %x, %y
  store i32 %z, ptr %c, !llvm.access.group !1
  %i.n = add nuw nsw i64 %i, 1
  %e = icmp eq i64 %i.n, %n
  br i1 %e, label %end, label %loop, !llvm.loop !0
end:
  ret void
}
!0 = distinct !{!0, !2}
!1 = distinct !{}
!2 = !{!"llvm.loop.parallel_accesses", !1}
