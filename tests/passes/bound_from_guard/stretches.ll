; The loop over threads runs over the stretches of threads that pass the test; the test is gone.
; RUN: %cucpu-opt --passes=make_variants,loop_groups,bound_from_guard --simd=1 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants,loop_groups,bound_from_guard,bound_from_guard --simd=1 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants,loop_groups,bound_from_guard --simd=1 --disable=bound_from_guard %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=make_variants,linearise,widen,loop_groups,bound_from_guard --simd=4 %s | FileCheck --check-prefix=OFF %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()

; OFF-NOT: %from = phi
; CHECK-LABEL: define internal void @k.w1.rows_full.entry
; CHECK: %[[BASE:.*]] = mul i32 %ctaid.x.0, %ntid
; CHECK: %[[T:.*]] = call i32 @llvm.umax.i32(i32 %ntid, i32 1)
; CHECK: %wrap = sub i32 -2147483648, %[[BASE]]
; CHECK: %[[SOME:.*]] = icmp slt i32 %[[BASE]], %n
; CHECK: %[[N:.*]] = sub i32 %n, %[[BASE]]
; CHECK: %[[C:.*]] = select i1 %[[SOME]], i32 %[[N]], i32 0
; CHECK: %[[TO:.*]] = call i32 @llvm.umin.i32(i32 %[[T]], i32 %[[C]])
; CHECK: %[[SUM:.*]] = add i32 %[[BASE]], 0
; CHECK: %[[AT:.*]] = add i32 %wrap, 0
; CHECK: %from = phi i32 [ 0, {{.*}} ], [ %[[AT]], %part.end ]
; CHECK-NEXT: %to = phi i32 [ %[[TO]], {{.*}} ]
; CHECK-NEXT: %sum = phi i32 [ %[[SUM]], {{.*}} ], [ -2147483648, %part.end ]
; CHECK: %count = sub i32 %to, %from
; CHECK: %[[X:x[0-9.]*]] = phi i32 [ 0, %part ], [ %[[NEXT:.*]], %{{.*}} ]
; CHECK: add nsw i64
; CHECK: store float
; CHECK: %[[NEXT]] = add nuw i32 %[[X]], 1
; CHECK: icmp ult i32 %[[NEXT]], %count
define void @k(ptr %p, i32 %n, float %v) "cucpu.kernel" {
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
  store float %v, ptr %a
  br label %out
out:
  ret void
}

; A conjunction, the other way round and unsigned; nothing can wrap where there is no base.
; CHECK-LABEL: define internal void @both.w1.rows_full.entry
; CHECK: %[[ZERO:.*]] = icmp eq i32 %m, 0
; CHECK: %[[ON:.*]] = xor i1 %[[ZERO]], true
; CHECK: %[[SOME:.*]] = icmp ult i32 0, %n
; CHECK: select i1 %[[ON]], i1 %[[SOME]], i1 false
; CHECK: %last = phi i1 [ true
define void @both(ptr %p, i32 %n, i32 %m) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %c = icmp uge i32 %t, %n
  %e = icmp eq i32 %m, 0
  %f = or i1 %c, %e
  br i1 %f, label %entry.out, label %then
entry.out:
  br label %out
then:
  store i32 %t, ptr %p
  br label %out
out:
  ret void
}

; Left alone: something happens on the other side, too; the test is not about a range; the bound depends on
; the thread; there is an effect in front of the test.
; CHECK-LABEL: define internal void @otherwise.w1.rows_full.entry
; CHECK-NOT: %from = phi
define void @otherwise(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %c = icmp ult i32 %t, %n
  br i1 %c, label %then, label %else
then:
  store i32 %t, ptr %p
  br label %out
else:
  store i32 %n, ptr %p
  br label %out
out:
  ret void
}
define void @equal(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %c = icmp eq i32 %t, %n
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  store i32 %t, ptr %p
  br label %out
out:
  ret void
}
define void @varying(ptr %p) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %n = load i32, ptr %p
  %c = icmp ult i32 %t, %n
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  store i32 %t, ptr %p
  br label %out
out:
  ret void
}
define void @effect(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  store i32 1, ptr %p
  %c = icmp ult i32 %t, %n
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  store i32 %t, ptr %p
  br label %out
out:
  ret void
}

; The sum is extended to 64 bits for the test: the limit is what 32 bits can reach.
; CHECK-LABEL: define internal void @size.w1.rows_full.entry
; CHECK: %[[LIMIT:.*]] = call i64 @llvm.umin.i64(i64 %n, i64 4294967296)
; CHECK: icmp ult i64 %{{.*}}, %[[LIMIT]]
; CHECK: call i64 @llvm.umin.i64(
; CHECK: %count = sub i32 %to, %from
define void @size(ptr %p, i64 %n, float %v) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %b, %d
  %i = add i32 %base, %t
  %j = zext i32 %i to i64
  %c = icmp ult i64 %j, %n
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %a = getelementptr float, ptr %p, i64 %j
  store float %v, ptr %a
  br label %out
out:
  ret void
}

; A sum of 64 bits.
; CHECK-LABEL: define internal void @long.w1.rows_full.entry
; CHECK: %sum = phi i64
; CHECK: %count = sub i32 %to, %from
define void @long(ptr %p, i64 %n, float %v) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %bw = zext i32 %b to i64
  %dw = zext i32 %d to i64
  %base = mul i64 %bw, %dw
  %tw = zext i32 %t to i64
  %i = add i64 %base, %tw
  %c = icmp ult i64 %i, %n
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %a = getelementptr float, ptr %p, i64 %i
  store float %v, ptr %a
  br label %out
out:
  ret void
}

; Two sides, and a base of several parts: the stretch begins where the sum reaches the lower limit.
; CHECK-LABEL: define internal void @inside.w1.rows_full.entry
; CHECK: %[[BASE:base[0-9]*]] = add i32 {{.*}}%shift
; CHECK: %[[LATER:.*]] = icmp slt i32 %[[BASE]], %low
; CHECK: %[[SKIP:.*]] = sub i32 %low, %[[BASE]]
; CHECK: %[[S:.*]] = select i1 %[[LATER]], i32 %[[SKIP]], i32 0
; CHECK: %[[FROM:.*]] = call i32 @llvm.umin.i32(i32 %[[S]], i32 %{{.*}})
; CHECK: %from = phi i32 [ %[[FROM]],
; CHECK-NOT: br i1 {{.*}}%then
; CHECK: store float
define void @inside(ptr %p, i32 %low, i32 %high, i32 %shift, float %v) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %start = mul i32 %b, %d
  %g = add i32 %start, %t
  %i = add i32 %shift, %g
  %c = icmp sge i32 %i, %low
  br i1 %c, label %more, label %entry.out
entry.out:
  br label %out
more:
  %e = icmp slt i32 %i, %high
  br i1 %e, label %then, label %more.out
more.out:
  br label %out
then:
  %j = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %j
  store float %v, ptr %a
  br label %out
out:
  ret void
}

; The tests are of different sums: the second one stays.
; CHECK-LABEL: define internal void @two_sums.w1.rows_full.entry
; CHECK: icmp slt i32 %{{.*}}, %high
; CHECK: store float
define void @two_sums(ptr %p, i32 %low, i32 %high, float %v) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %c = icmp sge i32 %t, %low
  br i1 %c, label %more, label %entry.out
entry.out:
  br label %out
more:
  %i = add i32 %t, %b
  %e = icmp slt i32 %i, %high
  br i1 %e, label %then, label %more.out
more.out:
  br label %out
then:
  store float %v, ptr %p
  br label %out
out:
  ret void
}

; What is added to the sum is x itself: a sum of the loop, not one of fixed parts.
; CHECK-LABEL: define internal void @twice.w1.rows_full.entry
; CHECK: %[[SUM:sum[0-9]*]] = add nsw i32 %sum, %[[T:x[0-9.]*]]
; CHECK: %x = add nuw i32 %from, %[[T]]
; CHECK: %[[DOUBLE:.*]] = add nsw i32 %[[SUM]], %x
; CHECK: sext i32 %[[DOUBLE]] to i64
define void @twice(ptr %p, i32 %n, float %v) "cucpu.kernel" {
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
  %i2 = add nsw i32 %i, %t
  %j = sext i32 %i2 to i64
  %a = getelementptr float, ptr %p, i64 %j
  store float %v, ptr %a
  br label %out
out:
  ret void
}
