; Lanes leave a loop one by one, and go on with what they computed there.  In lanes that never were in it the blend holds anything: the address of a
; run comes from a lane that is on, not from its first.
; RUN: %cucpu-opt --passes=widen --simd=16 %s | FileCheck %s
; CHECK-LABEL: done:
; CHECK: %[[AT:[0-9]+]] = getelementptr float, ptr %a, <16 x i64>
; CHECK: ptrtoint <16 x ptr> %[[AT]]
; CHECK: sub <16 x i64> %{{[0-9]+}}, <i64 0, i64 4, i64 8, i64 12, i64 0,
; CHECK: select <16 x i1> %{{[0-9]+}}, <16 x i64> %{{[0-9]+}}, <16 x i64> zeroinitializer
; CHECK: or <16 x i64>
; CHECK: or <16 x i64>
; CHECK: %[[TOLD:[0-9]+]] = inttoptr
; CHECK: extractelement <16 x ptr> %[[TOLD]], i32 0
; CHECK: call <4 x float> @llvm.masked.load
define void @k(ptr %a, ptr %out) "cucpu.kernel" "cucpu.width"="16" "cucpu.layout"="2" "cucpu.block"="4,1,32" {
entry:
  %active = call i1 @cucpu.active()
  call void @cucpu.mask(i1 %active)
  br label %turn
turn:
  %slot = phi i32 [ poison, %entry ], [ %blend, %next ]
  %live = phi i1 [ %active, %entry ], [ %rest, %next ]
  %left = phi i1 [ false, %entry ], [ %gone, %next ]
  call void @cucpu.mask(i1 %live)
  %one = call i1 @cucpu.front(i1 %live)
  %leaves = select i1 %live, i1 %one, i1 false
  %some = call i1 @cucpu.any(i1 %leaves)
  br i1 %some, label %first, label %next
first:
  call void @cucpu.mask(i1 %leaves)
  %n = call i32 @cucpu.nctaid.x()
  br label %next
next:
  %m = phi i32 [ poison, %turn ], [ %n, %first ]
  call void @cucpu.mask(i1 %live)
  %others = xor i1 %one, true
  %rest = select i1 %live, i1 %others, i1 false
  %gone = or i1 %left, %leaves
  %blend = select i1 %leaves, i32 %m, i32 %slot
  %any = call i1 @cucpu.any(i1 %rest)
  br i1 %any, label %turn, label %done
done:
  call void @cucpu.mask(i1 %gone)
  %z = call i32 @cucpu.tid.z()
  %x = call i32 @cucpu.tid.x()
  %row = mul nsw i32 %z, %blend
  %start = shl nsw i32 %row, 2
  %i = add nsw i32 %start, %x
  %i64 = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %i64
  %v = load float, ptr %p, align 4
  %q = getelementptr inbounds float, ptr %out, i64 %i64
  store float %v, ptr %q, align 4
  ret void
}
declare i1 @cucpu.active()
declare void @cucpu.mask(i1)
declare i32 @cucpu.nctaid.x()
declare i1 @cucpu.front(i1)
declare i1 @cucpu.any(i1)
declare i32 @cucpu.tid.z()
declare i32 @cucpu.tid.x()
