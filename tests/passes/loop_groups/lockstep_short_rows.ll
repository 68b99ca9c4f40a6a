; A product of matrices in blocks of short rows that are joined: a kernel with a loop has few groups side by side, so rows
; run in lockstep, and share the vectors of %b.
; RUN: %cucpu-opt --passes=loop_groups --cpu=x86-64-v4 --simd=16 %s | FileCheck %s
define void @k(ptr noalias %a, ptr noalias %b, ptr noalias %c, i32 %n) "cucpu.kernel" "cucpu.width"="16" "cucpu.layout"="0" "cucpu.joined" {
entry:
  %ntid = call i32 @cucpu.ntid.x()
  %x = call i32 @cucpu.global.x(i32 %ntid)
  %y = call i32 @cucpu.tid.y()
  %row = mul nsw i32 %y, %n
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
  %bi = mul nsw i32 %i, %n
  %bj = add nsw i32 %bi, %x
  %bx = sext i32 %bj to i64
  %bp = getelementptr float, ptr %b, i64 %bx
  %bv = load <16 x float>, ptr %bp, align 4
  %next = call contract <16 x float> @llvm.fma.v16f32(<16 x float> %as, <16 x float> %bv, <16 x float> %sum)
  %j = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %head, label %out
out:
  %ci = add nsw i32 %row, %x
  %cx = sext i32 %ci to i64
  %cp = getelementptr float, ptr %c, i64 %cx
  store <16 x float> %next, ptr %cp, align 4
  ret void
}
declare i32 @cucpu.global.x(i32)
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.tid.y()
; CHECK: %jammed = and i32 %ntid{{[0-9]*}}, -8
; CHECK: icmp ult i32 0, %jammed
; CHECK-COUNT-8: load float, ptr %ap
; CHECK-COUNT-8: llvm.fma.v16f32(
; CHECK: br i1 %more
; CHECK: %y{{[.0-9]*}} = phi i32 [ %jammed
