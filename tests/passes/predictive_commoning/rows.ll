; start[row + 1] of one thread is start[row] of the next one.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,mark_parallel,loop_groups,bound_from_guard,predictive_commoning --simd=1 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,mark_parallel,loop_groups,bound_from_guard,predictive_commoning,predictive_commoning --simd=1 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,mark_parallel,loop_groups,bound_from_guard,predictive_commoning --simd=1 --disable=predictive_commoning %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,mark_parallel,loop_groups,bound_from_guard,predictive_commoning --simd=1 --disable=mark_parallel %s | FileCheck --check-prefix=OFF %s
declare i32 @cucpu.tid.x() memory(none) nounwind willreturn speculatable
declare i32 @cucpu.ntid.x() memory(none) nounwind willreturn speculatable
declare i32 @cucpu.ctaid.x() memory(none) nounwind willreturn speculatable

; OFF-NOT: %carried = phi
; CHECK-LABEL: define internal void @rows.w1.rows_full.entry
; CHECK: carry:
; CHECK: %[[FIRST:.*]] = load i32
; CHECK: %carried = phi i32 [ %[[FIRST]], %carry ], [ %[[NEXT:.*]], %{{.*}} ]
; CHECK-NOT: load
; CHECK: %[[NEXT]] = load i32
; CHECK: icmp slt i32 %carried, %[[NEXT]]
define void @rows(ptr %start, ptr %in, ptr %out, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %b, %d
  %i = add i32 %base, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %out.of
then:
  %j = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr %start, i64 %j
  %first = load i32, ptr %p
  %q = getelementptr inbounds i8, ptr %p, i64 4
  %end = load i32, ptr %q
  %some = icmp slt i32 %first, %end
  br i1 %some, label %loop, label %done
loop:
  %k = phi i32 [ %first, %then ], [ %k1, %loop ]
  %sum = phi i32 [ 0, %then ], [ %sum1, %loop ]
  %kw = sext i32 %k to i64
  %pv = getelementptr inbounds i32, ptr %in, i64 %kw
  %v = load i32, ptr %pv
  %sum1 = add i32 %sum, %v
  %k1 = add nsw i32 %k, 1
  %more = icmp slt i32 %k1, %end
  br i1 %more, label %loop, label %done
done:
  %total = phi i32 [ 0, %then ], [ %sum1, %loop ]
  %po = getelementptr inbounds i32, ptr %out, i64 %j
  store i32 %total, ptr %po
  br label %out.of
out.of:
  ret void
}

; No loop inside: the vectorizer loads both.
; CHECK-LABEL: define internal void @pairs.w1.rows_full.entry
; CHECK-NOT: %carried
define void @pairs(ptr %start, ptr %out, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %b, %d
  %i = add i32 %base, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %out.of
then:
  %j = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr %start, i64 %j
  %first = load i32, ptr %p
  %q = getelementptr inbounds i8, ptr %p, i64 4
  %end = load i32, ptr %q
  %v = sub i32 %end, %first
  %po = getelementptr inbounds i32, ptr %out, i64 %j
  store i32 %v, ptr %po
  br label %out.of
out.of:
  ret void
}

; An atomic: threads may wait for what others have stored.
; CHECK-LABEL: define internal void @atomics.w1.rows_full.entry
; CHECK-NOT: %carried
define void @atomics(ptr %start, ptr %in, ptr %out, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %b, %d
  %i = add i32 %base, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %out.of
then:
  %j = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr %start, i64 %j
  %first = load i32, ptr %p
  %q = getelementptr inbounds i8, ptr %p, i64 4
  %end = load i32, ptr %q
  %some = icmp slt i32 %first, %end
  br i1 %some, label %loop, label %out.of
loop:
  %k = phi i32 [ %first, %then ], [ %k1, %loop ]
  %kw = sext i32 %k to i64
  %pv = getelementptr inbounds i32, ptr %in, i64 %kw
  %old = atomicrmw add ptr %pv, i32 1 monotonic
  %k1 = add nsw i32 %k, 1
  %more = icmp slt i32 %k1, %end
  br i1 %more, label %loop, label %out.of
out.of:
  ret void
}

; Two elements ahead: that is what the thread after the next one begins with.
; CHECK-LABEL: define internal void @ahead.w1.rows_full.entry
; CHECK-NOT: %carried
define void @ahead(ptr %start, ptr %in, ptr %out, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %b, %d
  %i = add i32 %base, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %out.of
then:
  %j = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr %start, i64 %j
  %first = load i32, ptr %p
  %q = getelementptr inbounds i8, ptr %p, i64 8
  %end = load i32, ptr %q
  %some = icmp slt i32 %first, %end
  br i1 %some, label %loop, label %out.of
loop:
  %k = phi i32 [ %first, %then ], [ %k1, %loop ]
  %kw = sext i32 %k to i64
  %pv = getelementptr inbounds i32, ptr %in, i64 %kw
  store i32 1, ptr %pv
  %k1 = add nsw i32 %k, 1
  %more = icmp slt i32 %k1, %end
  br i1 %more, label %loop, label %out.of
out.of:
  ret void
}

; An index that a flag of each sum keeps from wrapping, and one whose inner sum may wrap: its successor's element is not
; always the next one.
; CHECK-LABEL: define internal void @no_wrap.w1.rows_full.entry
; CHECK: %carried = phi i32
define void @no_wrap(ptr %start, ptr %in, ptr %out, i32 %n, i32 %m, i32 %k0) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %s1 = add nsw i32 %t, %m
  %s2 = add nsw i32 %s1, %k0
  %j = sext i32 %s2 to i64
  %p = getelementptr inbounds i32, ptr %start, i64 %j
  %first = load i32, ptr %p
  %q = getelementptr inbounds i8, ptr %p, i64 4
  %end = load i32, ptr %q
  %some = icmp slt i32 %first, %end
  br i1 %some, label %loop, label %done
loop:
  %k = phi i32 [ %first, %entry ], [ %k1, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum1, %loop ]
  %kw = sext i32 %k to i64
  %pv = getelementptr inbounds i32, ptr %in, i64 %kw
  %v = load i32, ptr %pv
  %sum1 = add i32 %sum, %v
  %k1 = add nsw i32 %k, 1
  %more = icmp slt i32 %k1, %end
  br i1 %more, label %loop, label %done
done:
  %total = phi i32 [ 0, %entry ], [ %sum1, %loop ]
  %po = getelementptr inbounds i32, ptr %out, i64 %j
  store i32 %total, ptr %po
  ret void
}

; CHECK-LABEL: define internal void @inner_wraps.w1.rows_full.entry
; CHECK-NOT: %carried
define void @inner_wraps(ptr %start, ptr %in, ptr %out, i32 %n, i32 %m, i32 %k0) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %s1 = add i32 %t, %m
  %s2 = add nsw i32 %s1, %k0
  %j = sext i32 %s2 to i64
  %p = getelementptr inbounds i32, ptr %start, i64 %j
  %first = load i32, ptr %p
  %q = getelementptr inbounds i8, ptr %p, i64 4
  %end = load i32, ptr %q
  %some = icmp slt i32 %first, %end
  br i1 %some, label %loop, label %done
loop:
  %k = phi i32 [ %first, %entry ], [ %k1, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum1, %loop ]
  %kw = sext i32 %k to i64
  %pv = getelementptr inbounds i32, ptr %in, i64 %kw
  %v = load i32, ptr %pv
  %sum1 = add i32 %sum, %v
  %k1 = add nsw i32 %k, 1
  %more = icmp slt i32 %k1, %end
  br i1 %more, label %loop, label %done
done:
  %total = phi i32 [ 0, %entry ], [ %sum1, %loop ]
  %po = getelementptr inbounds i32, ptr %out, i64 %j
  store i32 %total, ptr %po
  ret void
}
