; Loops of constant trip count are unrolled whole where they are small, but not around a barrier: each copy would be a loop
; over the groups.
; RUN: %cucpu-opt --passes=normalise_cfg --opt=3 %s | FileCheck %s
; CHECK-LABEL: define void @tiles(
; CHECK-COUNT-1: call void @cucpu.barrier
; CHECK-NOT: noduplicate
; CHECK-NOT: call void @cucpu.barrier
; CHECK: ret void
define void @tiles(ptr %p) "cucpu.kernel" {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  store i32 %k, ptr %p
  call void @cucpu.barrier(i32 0)
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, 16
  br i1 %more, label %loop, label %done
done:
  ret void
}
; CHECK-LABEL: define void @few(
; CHECK-COUNT-3: call void @cucpu.barrier
; CHECK-NOT: call void @cucpu.barrier
; CHECK: ret void
define void @few(ptr %p) "cucpu.kernel" {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  store i32 %k, ptr %p
  call void @cucpu.barrier(i32 0)
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, 3
  br i1 %more, label %loop, label %done
done:
  ret void
}
; CHECK-LABEL: define void @asked(
; CHECK-COUNT-8: call void @cucpu.barrier
; CHECK: ret void
define void @asked(ptr %p) "cucpu.kernel" {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  store i32 %k, ptr %p
  call void @cucpu.barrier(i32 0)
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, 8
  br i1 %more, label %loop, label %done, !llvm.loop !0
done:
  ret void
}
declare void @cucpu.barrier(i32) convergent
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.enable"}
