; Where ways meet, a vector of cells has a phi: in a loop whose number of iterations is not known, and behind a
; branch.  What the loop does not change has none.  Lanes of a store that may be off keep what was there.
; RUN: %cucpu-opt --passes=promote_shared --cpu=x86-64-v3 %s | FileCheck %s
; CHECK-LABEL: define void @meets.entry(
; CHECK: load <4 x i32>, ptr %in
; CHECK: [[FIXED:%.*]] = load <4 x i32>, ptr %more.in
; CHECK: loop:
; CHECK: [[KEPT:%.*]] = phi <4 x i32>
; CHECK-NOT: phi <4 x i32>
; CHECK: add <4 x i32> [[KEPT]], [[FIXED]]
; CHECK: select <4 x i1> %mask, <4 x i32> {{.*}}, <4 x i32> [[KEPT]]
; CHECK-NOT: ptr %shared
; CHECK: ret void
define void @meets.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %in, ptr %more.in, ptr %out, i32 %n, <4 x i1> %mask) #0 {
entry:
  %shared = load ptr, ptr %worker
  %number = getelementptr i8, ptr %worker, i64 16
  store i64 %first, ptr %number
  %v = load <4 x i32>, ptr %in
  store <4 x i32> %v, ptr %shared
  %w = load <4 x i32>, ptr %more.in
  %s1 = getelementptr i32, ptr %shared, i64 4
  store <4 x i32> %w, ptr %s1
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %loop ]
  %a = load <4 x i32>, ptr %shared
  %b = load <4 x i32>, ptr %s1
  %c = add <4 x i32> %a, %b
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %c, ptr %shared, <4 x i1> %mask)
  %i.next = add i32 %i, 1
  %again = icmp ult i32 %i.next, %n
  br i1 %again, label %loop, label %done
done:
  %r = load <4 x i32>, ptr %shared
  store <4 x i32> %r, ptr %out
  ret void
}
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, <4 x i1>)
attributes #0 = { "cucpu.entry" "cucpu.width"="4" "cucpu.layout"="0" "cucpu.block"="8,1,1" "cucpu.static_shared"="32" }
