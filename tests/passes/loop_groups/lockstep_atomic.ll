; The steps of an atomic that relax_atomics has made plain stay together: no lockstep where one is. The same code without it is in unroll_and_jam.ll.
; RUN: %cucpu-opt --passes=relax_atomics,loop_groups --cpu=x86-64-v4 --simd=16 %s | FileCheck %s
; RUN: %cucpu-opt --passes=loop_groups --disable=defer_atomics --cpu=x86-64-v4 --simd=16 %s | FileCheck --check-prefix=WHOLE %s
define void @k(ptr addrspace(3) %count, ptr noalias %a, ptr noalias %b, ptr noalias %c, i32 %n) "cucpu.kernel" "cucpu.width"="16" "cucpu.layout"="0" {
entry:
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %row = mul nsw i32 %y, 64
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %head ]
  %sum = phi <16 x float> [ zeroinitializer, %entry ], [ %next, %head ]
  %ai = add nsw i32 %row, %i
  %ax = sext i32 %ai to i64
  %ap = getelementptr float, ptr %a, i64 %ax
  %av = load float, ptr %ap
  %s = insertelement <16 x float> poison, float %av, i64 0
  %as = shufflevector <16 x float> %s, <16 x float> poison, <16 x i32> zeroinitializer
  %bi = mul nsw i32 %i, 64
  %bj = add nsw i32 %bi, %x
  %bx = sext i32 %bj to i64
  %bp = getelementptr float, ptr %b, i64 %bx
  %bv = load <16 x float>, ptr %bp, align 4
  %m = fmul contract <16 x float> %as, %bv
  %next = fadd contract <16 x float> %sum, %m
  %j = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %head, label %out
out:
  %ci = add nsw i32 %row, %x
  %cx = sext i32 %ci to i64
  %cp = getelementptr float, ptr %c, i64 %cx
  store <16 x float> %next, ptr %cp, align 4
  %old = atomicrmw add ptr addrspace(3) %count, i32 16 monotonic, align 4, !cucpu.block_only !0
  ret void
}
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
!0 = !{}
; CHECK-NOT: jammed
; CHECK: %old{{[0-9]*}} = load i32
; CHECK: store i32 {{.*}}!cucpu.undivided
; CHECK-NOT: jammed
; WHOLE: jammed
; WHOLE-COUNT-8: atomicrmw add
