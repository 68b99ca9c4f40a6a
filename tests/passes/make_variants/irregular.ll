; Rows of a sparse matrix: gathers in a loop that lanes leave one by one gain nothing from lanes.  A walk through a tree
; does: each lane waits for its own chain of loads.  So does the same row loop where all lanes make as many passes.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants --cpu=x86-64-v4 --simd=8 %s | FileCheck %s --check-prefix=ASKED
; CHECK-DAG: define void @rows.w1.rows_full(
; CHECK-DAG: define void @walk.w16.rows_full(
; CHECK-DAG: define void @equal_rows.w16.rows_full(
; Sums of floats have no trial: one lane where several are not estimated faster, though atomics take most of the time.
; CHECK-DAG: define void @byte_sums.w1.rows_full(
; CHECK-DAG: define void @sums.w16.rows_full(
; ASKED-DAG: define void @rows.w8.rows_full(
declare i32 @cucpu.tid.x()

define void @rows(ptr %start, ptr %col, ptr %val, ptr %x, ptr %y) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %at = getelementptr inbounds i32, ptr %start, i64 %i
  %first = load i32, ptr %at
  %next = getelementptr inbounds i32, ptr %at, i64 1
  %end = load i32, ptr %next
  %some = icmp slt i32 %first, %end
  br i1 %some, label %loop, label %out
loop:
  %j = phi i32 [ %first, %entry ], [ %j1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %loop ]
  %jj = sext i32 %j to i64
  %pv = getelementptr inbounds float, ptr %val, i64 %jj
  %v = load float, ptr %pv
  %pc = getelementptr inbounds i32, ptr %col, i64 %jj
  %c = load i32, ptr %pc
  %cc = sext i32 %c to i64
  %px = getelementptr inbounds float, ptr %x, i64 %cc
  %w = load float, ptr %px
  %p = fmul float %v, %w
  %sum1 = fadd float %sum, %p
  %j1 = add nsw i32 %j, 1
  %more = icmp slt i32 %j1, %end
  br i1 %more, label %loop, label %out
out:
  %r = phi float [ 0.0, %entry ], [ %sum1, %loop ]
  %py = getelementptr inbounds float, ptr %y, i64 %i
  store float %r, ptr %py
  ret void
}

define void @equal_rows(ptr %col, ptr %val, ptr %x, ptr %y, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %loop ]
  %row = mul nsw i32 %t, %n
  %j = add nsw i32 %row, %k
  %jj = sext i32 %j to i64
  %pv = getelementptr inbounds float, ptr %val, i64 %jj
  %v = load float, ptr %pv
  %pc = getelementptr inbounds i32, ptr %col, i64 %jj
  %c = load i32, ptr %pc
  %cc = sext i32 %c to i64
  %px = getelementptr inbounds float, ptr %x, i64 %cc
  %w = load float, ptr %px
  %p = fmul float %v, %w
  %sum1 = fadd float %sum, %p
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k1, %n
  br i1 %more, label %loop, label %out
out:
  %py = getelementptr inbounds float, ptr %y, i64 %i
  store float %sum1, ptr %py
  ret void
}

define void @walk(ptr %tree, ptr %keys, ptr %found, i32 %nodes) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %pk = getelementptr inbounds i32, ptr %keys, i64 %i
  %key = load i32, ptr %pk
  br label %loop
loop:
  %at = phi i32 [ 0, %entry ], [ %next, %loop ]
  %j = zext nneg i32 %at to i64
  %pn = getelementptr inbounds i32, ptr %tree, i64 %j
  %here = load i32, ptr %pn
  %left = icmp slt i32 %key, %here
  %step = select i1 %left, i32 1, i32 2
  %twice = shl nuw nsw i32 %at, 1
  %next = add nuw nsw i32 %twice, %step
  %more = icmp slt i32 %next, %nodes
  br i1 %more, label %loop, label %out
out:
  %pf = getelementptr inbounds i32, ptr %found, i64 %i
  store i32 %at, ptr %pf
  ret void
}
define void @byte_sums(ptr %place, ptr %bytes, ptr %o) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %pi = getelementptr inbounds i32, ptr %place, i64 %i
  %p = load i32, ptr %pi
  %k = sext i32 %p to i64
  %pb = getelementptr inbounds i8, ptr %bytes, i64 %k
  %b = load i8, ptr %pb
  %f = uitofp i8 %b to float
  %q = getelementptr inbounds float, ptr %o, i64 %i
  %old = atomicrmw fadd ptr %q, float %f monotonic
  ret void
}
define void @sums(ptr %v, ptr %o) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %pv = getelementptr inbounds float, ptr %v, i64 %i
  %f = load float, ptr %pv
  %r = call float @llvm.exp.f32(float %f)
  %old = atomicrmw fadd ptr %o, float %r monotonic
  ret void
}
declare float @llvm.exp.f32(float)
attributes #0 = { "cucpu.kernel" }
