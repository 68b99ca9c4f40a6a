; The condition of a divergent branch is a phi: the mask of its side must follow when linearise replaces the phi.
; (found by cucpu-fuzz: the mask was a deleted value)
; RUN: %cucpu-opt --passes=linearise --simd=2 %s | FileCheck %s
; CHECK-LABEL: define void @kernel(
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: l10:
; CHECK-NEXT: call void @cucpu.mask(i1 %{{.+}})
; CHECK: atomicrmw or
define void @kernel(ptr %a0, ptr %a1, ptr %a2, ptr %a3, ptr %a4, ptr %a5, ptr %a6) "cucpu.kernel" {
entry:
  %0 = call i32 @cucpu.tid.x()
  %1 = call i32 @cucpu.ntid.y()
  %2 = call i32 @cucpu.tid.z()
  %t29 = mul nuw nsw i32 %2, %1
  %3 = call i32 @cucpu.tid.y()
  %t31 = add nuw nsw i32 %t29, %3
  %4 = call i32 @cucpu.ntid.x()
  %t33 = mul nuw nsw i32 %t31, %4
  %t35 = add nuw nsw i32 %t33, %0
  %t39.not = icmp eq i32 %t35, 0
  br i1 %t39.not, label %entry.l1_crit_edge, label %l2

entry.l1_crit_edge:                               ; preds = %entry
  br label %l1

l2:                                               ; preds = %entry
  %5 = icmp eq i32 %t35, 0
  %divisor = select i1 %5, i32 1, i32 %t35
  %t41 = udiv i32 %0, %divisor
  %6 = icmp ugt i32 %t41, 9
  br label %l1

l1:                                               ; preds = %entry.l1_crit_edge, %l2
  %v11.0 = phi i1 [ %6, %l2 ], [ false, %entry.l1_crit_edge ]
  call void @cucpu.barrier(i32 0)
  br i1 %v11.0, label %l10, label %l1.common.ret_crit_edge

l1.common.ret_crit_edge:                          ; preds = %l1
  br label %common.ret

common.ret:                                       ; preds = %l1.common.ret_crit_edge, %l10
  ret void

l10:                                              ; preds = %l1
  %7 = call i32 @cucpu.nctaid.x()
  %8 = call i32 @cucpu.ctaid.y()
  %t65 = mul nuw nsw i32 %8, %7
  %9 = call i32 @cucpu.ctaid.x()
  %t67 = add nuw nsw i32 %t65, %9
  %t69 = shl nuw nsw i32 %t67, 9
  %w8 = zext nneg i32 %t69 to i64
  %p8 = getelementptr inbounds nuw i32, ptr %a6, i64 %w8
  %t71 = atomicrmw or ptr %p8, i32 0 monotonic, align 4
  br label %common.ret
}
declare void @cucpu.barrier(i32)
declare i32 @cucpu.ctaid.x()
declare i32 @cucpu.ctaid.y()
declare i32 @cucpu.nctaid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ntid.y()
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.tid.z()
