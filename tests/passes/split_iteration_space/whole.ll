; Groups that pass a range test whole have a loop of their own, without the test.
; RUN: %cucpu-opt --passes=coalesce_blocks,make_variants,version_all_active,linearise,widen,loop_groups,split_iteration_space --simd=4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=coalesce_blocks,make_variants,version_all_active,linearise,widen,loop_groups,split_iteration_space --simd=4 --disable=split_iteration_space %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=coalesce_blocks,make_variants,version_all_active,linearise,widen,loop_groups,split_iteration_space --simd=4 --disable=coalesce_blocks %s | FileCheck --check-prefix=OFF %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()

; OFF-NOT: whole.enter:
; CHECK-LABEL: define internal void @below.w4.rows_full.entry
; CHECK: %[[END:.*]] = call i32 @llvm.umax.i32(i32 %row, i32 1)
; CHECK: %[[BASE:.*]] = add i32 %{{.*}}, 3
; CHECK: %[[AWAY:.*]] = sub i32 %n, %[[BASE]]
; CHECK: %[[NOW:.*]] = icmp slt i32 %[[BASE]], %n
; CHECK: %[[COUNT:.*]] = select i1 %[[NOW]], i32 %[[AWAY]], i32 0
; CHECK: %[[MIN:.*]] = call i32 @llvm.umin.i32(i32 %[[END]], i32 %[[COUNT]])
; CHECK: %[[UP:.*]] = add i32 %[[MIN]], 3
; CHECK: %[[HIGH:.*]] = and i32 %[[UP]], -4
; CHECK: %[[SOME:.*]] = icmp ult i32 0, %[[HIGH]]
; CHECK: icmp sle i32
; CHECK: %high = select i1 %{{.*}}, i32 %[[HIGH]], i32 0
; CHECK: part:
; CHECK: %from = phi i32 [ 0, %{{.*}} ], [ %high, %whole.end ]
; CHECK: whole.enter:
; CHECK: %[[X:.*]] = phi i32 [ 0, %whole.enter ], [ %[[NEXT:.*]], %whole
; CHECK-NOT: llvm.masked
; CHECK: load <4 x float>
; CHECK-NOT: llvm.masked
; CHECK: %[[NEXT]] = add nuw i32 %[[X]], 4
; CHECK: icmp ult i32 %[[NEXT]], %high
define void @below(ptr %p, ptr %q, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %b, %d
  %i = add i32 %base, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %j = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %j
  %v = load float, ptr %a
  %e = getelementptr float, ptr %q, i64 %j
  store float %v, ptr %e
  br label %out
out:
  ret void
}

; Two sides: the copy lies between two runs of the loop.
; CHECK-LABEL: define internal void @between.w4.rows_full.entry
; CHECK: %low = select
; CHECK: %to = phi i32 [ %low, %{{.*}} ]
; CHECK: phi i32 [ %low, %whole.enter ]
define void @between(ptr %p, ptr %q, i32 %n, i32 %m) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %b, %d
  %i = add i32 %base, %t
  %c1 = icmp slt i32 %i, %n
  %c2 = icmp sge i32 %i, %m
  %c = select i1 %c1, i1 %c2, i1 false
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %j = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %j
  %v = load float, ptr %a
  %e = getelementptr float, ptr %q, i64 %j
  store float %v, ptr %e
  br label %out
out:
  ret void
}

; Rows of a two-dimensional kernel are joined as well.
; CHECK-LABEL: define internal void @plane.w4.rows_full.entry
; CHECK: whole.enter:
define void @plane(ptr %p, ptr %q, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %b, %d
  %i = add i32 %base, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %j = sext i32 %i to i64
  %row = getelementptr float, ptr %p, i32 %y
  %a = getelementptr float, ptr %row, i64 %j
  %v = load float, ptr %a
  %e = getelementptr float, ptr %q, i64 %j
  store float %v, ptr %e
  br label %out
out:
  ret void
}

; A test of data is none of ranges.
; CHECK-LABEL: define internal void @data.w4.rows_full.entry
; CHECK-NOT: whole.enter:
; CHECK: ret void
define void @data(ptr %p, ptr %q, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %b, %d
  %i = add i32 %base, %t
  %j = sext i32 %i to i64
  %a = getelementptr i32, ptr %p, i64 %j
  %v = load i32, ptr %a
  %c = icmp slt i32 %v, %n
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %e = getelementptr i32, ptr %q, i64 %j
  store i32 %v, ptr %e
  br label %out
out:
  ret void
}

; An unsigned index that might wrap: in the copy, where it is known not to, no group asks (once in the other loop).
; CHECK-LABEL: define internal void @row.w4.rows_full.entry
; CHECK: %[[FIRST:.*]] = freeze i32
; CHECK: icmp ule i32 %[[FIRST]], %{{.*}}
; CHECK: %high = select
; CHECK: zext i32 %[[FIRST]] to i64
; CHECK: whole.enter:
; CHECK: %[[X:.*]] = phi i32 [ 0, %whole.enter ]
; CHECK-NOT: llvm.masked
; CHECK: store <4 x float>
; CHECK-NOT: llvm.masked
; CHECK: icmp ult i32 %{{.*}}, %high
define void @row(ptr %p, ptr %q, i32 %n, i32 %start) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %b, %d
  %i = add i32 %base, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %u = add i32 %i, %start
  %j = zext i32 %u to i64
  %a = getelementptr float, ptr %p, i64 %j
  %v = load float, ptr %a
  %e = getelementptr float, ptr %q, i64 %j
  store float %v, ptr %e
  br label %out
out:
  ret void
}
