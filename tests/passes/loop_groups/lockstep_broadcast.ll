; A number that one instruction asks for in all lanes takes one register for all groups: eight of them go together with 16 registers.
; RUN: %cucpu-opt --passes=loop_groups --cpu=x86-64-v3 --simd=8 %s | FileCheck %s
define void @k(ptr noalias %a, ptr noalias %b, ptr noalias %c, i32 %n) "cucpu.kernel" "cucpu.width"="8" "cucpu.layout"="0" {
entry:
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %row = mul nsw i32 %y, 64
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %head ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %next, %head ]
  %ai = add nsw i32 %row, %i
  %ax = sext i32 %ai to i64
  %ap = getelementptr float, ptr %a, i64 %ax
  %av = load float, ptr %ap
  %s = insertelement <8 x float> poison, float %av, i64 0
  %as = shufflevector <8 x float> %s, <8 x float> poison, <8 x i32> zeroinitializer
  %bi = mul nsw i32 %i, 64
  %bj = add nsw i32 %bi, %x
  %bx = sext i32 %bj to i64
  %bp = getelementptr float, ptr %b, i64 %bx
  %bv = load <8 x float>, ptr %bp, align 4
  %next = call contract <8 x float> @llvm.fma.v8f32(<8 x float> %as, <8 x float> %bv, <8 x float> %sum)
  %j = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %head, label %out
out:
  %ci = add nsw i32 %row, %x
  %cx = sext i32 %ci to i64
  %cp = getelementptr float, ptr %c, i64 %cx
  store <8 x float> %next, ptr %cp, align 4
  ret void
}
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
; CHECK: jammed
; CHECK-COUNT-8: call contract <8 x float> @llvm.fma.v8f32(
; CHECK-NOT: llvm.fma
; CHECK: br i1 %more
