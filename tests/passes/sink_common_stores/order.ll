; Stores of both sides in another order: each becomes one store after them if what follows it in its block is independent of it.
; RUN: %cucpu-opt --passes=sink_common_stores --simd=16 %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare ptr @cucpu.shared()

; Different arrays, one of which is __restrict__, are apart.
define void @restrict(ptr noalias %d, ptr %e, i32 %n) "cucpu.kernel" "cucpu.width"="16" "cucpu.layout"="0" {
; CHECK-LABEL: @restrict(
; CHECK: yes:
; CHECK-NOT: store
; CHECK: out:
; CHECK: phi i32 [ 1, %yes ], [ 4, %no ]
; CHECK: phi i32 [ 2, %yes ], [ 3, %no ]
; CHECK-COUNT-2: store i32
; CHECK-NOT: store
; CHECK: ret void
  %x = call i32 @cucpu.tid.x()
  %w = sext i32 %x to i64
  %p = getelementptr i32, ptr %d, i64 %w
  %q = getelementptr i32, ptr %e, i64 %w
  %c = icmp slt i32 %x, %n
  br i1 %c, label %yes, label %no
yes:
  store i32 1, ptr %p
  store i32 2, ptr %q
  br label %out
no:
  store i32 3, ptr %q
  store i32 4, ptr %p
  br label %out
out:
  ret void
}

; They may be one array: the order of a thread's stores counts.
define void @alias(ptr %d, ptr %e, i32 %n) "cucpu.kernel" "cucpu.width"="16" "cucpu.layout"="0" {
; CHECK-LABEL: @alias(
; CHECK: yes:
; CHECK-COUNT-2: store i32
; CHECK: no:
; CHECK-COUNT-2: store i32
; CHECK: out:
; CHECK-NOT: store
; CHECK: ret void
  %x = call i32 @cucpu.tid.x()
  %w = sext i32 %x to i64
  %p = getelementptr i32, ptr %d, i64 %w
  %q = getelementptr i32, ptr %e, i64 %w
  %c = icmp slt i32 %x, %n
  br i1 %c, label %yes, label %no
yes:
  store i32 1, ptr %p
  store i32 2, ptr %q
  br label %out
no:
  store i32 3, ptr %q
  store i32 4, ptr %p
  br label %out
out:
  ret void
}

; One array, 4 bytes apart: stores of 4 bytes are independent, of 8 bytes they are not.
define void @fields(ptr %d, i32 %n) "cucpu.kernel" "cucpu.width"="16" "cucpu.layout"="0" {
; CHECK-LABEL: @fields(
; CHECK: yes:
; CHECK-NOT: store
; CHECK: out:
; CHECK-COUNT-2: store i32
; CHECK: ret void
  %x = call i32 @cucpu.tid.x()
  %w = sext i32 %x to i64
  %p = getelementptr { i32, i32 }, ptr %d, i64 %w
  %q = getelementptr i8, ptr %p, i64 4
  %c = icmp slt i32 %x, %n
  br i1 %c, label %yes, label %no
yes:
  store i32 1, ptr %p
  store i32 2, ptr %q
  br label %out
no:
  store i32 3, ptr %q
  store i32 4, ptr %p
  br label %out
out:
  ret void
}

define void @overlap(ptr %d, i32 %n) "cucpu.kernel" "cucpu.width"="16" "cucpu.layout"="0" {
; CHECK-LABEL: @overlap(
; CHECK: yes:
; CHECK-COUNT-2: store i64
; CHECK: no:
; CHECK-COUNT-2: store i64
; CHECK: out:
; CHECK-NOT: store
  %x = call i32 @cucpu.tid.x()
  %w = sext i32 %x to i64
  %p = getelementptr { i32, i32 }, ptr %d, i64 %w
  %q = getelementptr i8, ptr %p, i64 4
  %c = icmp slt i32 %x, %n
  br i1 %c, label %yes, label %no
yes:
  store i64 1, ptr %p
  store i64 2, ptr %q
  br label %out
no:
  store i64 3, ptr %q
  store i64 4, ptr %p
  br label %out
out:
  ret void
}

; A load after the store: of shared memory, to which no parameter points; then of what it may have written.
define void @loads(ptr %d, ptr %e, i32 %n) "cucpu.kernel" "cucpu.width"="16" "cucpu.layout"="0" {
; CHECK-LABEL: @loads(
; CHECK: yes:
; CHECK-NOT: store i32 1,
; CHECK: no:
; CHECK-NOT: store i32 4,
; CHECK: out:
; CHECK: store i32
; CHECK: ret void
  %x = call i32 @cucpu.tid.x()
  %s = call ptr @cucpu.shared()
  %w = sext i32 %x to i64
  %p = getelementptr i32, ptr %d, i64 %w
  %q = getelementptr i32, ptr %s, i64 %w
  %c = icmp slt i32 %x, %n
  br i1 %c, label %yes, label %no
yes:
  store i32 1, ptr %p
  %v = load i32, ptr %q
  br label %out
no:
  store i32 4, ptr %p
  br label %out
out:
  %u = phi i32 [ %v, %yes ], [ 0, %no ]
  store i32 %u, ptr %q
  ret void
}

define void @reads_again(ptr %d, ptr %e, i32 %n) "cucpu.kernel" "cucpu.width"="16" "cucpu.layout"="0" {
; CHECK-LABEL: @reads_again(
; CHECK: yes:
; CHECK: store i32 1,
; CHECK: no:
; CHECK: store i32 4,
; CHECK: out:
  %x = call i32 @cucpu.tid.x()
  %s = call ptr @cucpu.shared()
  %w = sext i32 %x to i64
  %p = getelementptr i32, ptr %d, i64 %w
  %q = getelementptr i32, ptr %e, i64 %w
  %r = getelementptr i32, ptr %s, i64 %w
  %c = icmp slt i32 %x, %n
  br i1 %c, label %yes, label %no
yes:
  store i32 1, ptr %p
  %v = load i32, ptr %q
  br label %out
no:
  store i32 4, ptr %p
  br label %out
out:
  %u = phi i32 [ %v, %yes ], [ 0, %no ]
  store i32 %u, ptr %r
  ret void
}

; Flags of the addresses may differ; the distance of two elements is known, as the index does not wrap where it is accessed.
define void @distant(ptr %d, i32 %n) "cucpu.kernel" "cucpu.width"="16" "cucpu.layout"="0" {
; CHECK-LABEL: @distant(
; CHECK: yes:
; CHECK-NOT: store
; CHECK: out:
; CHECK-COUNT-2: store i32
; CHECK-NOT: store
; CHECK: ret void
  %x = call i32 @cucpu.tid.x()
  %w = sext i32 %x to i64
  %c = icmp slt i32 %x, %n
  br i1 %c, label %yes, label %no
yes:
  %p = getelementptr inbounds i32, ptr %d, i64 %w
  store i32 1, ptr %p
  %x.far = add nsw i32 %x, 1000
  %w.far = sext i32 %x.far to i64
  %q = getelementptr inbounds i32, ptr %d, i64 %w.far
  store i32 2, ptr %q
  br label %out
no:
  %x.far2 = add nsw i32 %x, 1000
  %w.far2 = sext i32 %x.far2 to i64
  %q2 = getelementptr i32, ptr %d, i64 %w.far2
  store i32 3, ptr %q2
  %p2 = getelementptr i32, ptr %d, i64 %w
  store i32 4, ptr %p2
  br label %out
out:
  ret void
}

; Without flags the second index may be that of the first element.
define void @wraps(ptr %d, i32 %n) "cucpu.kernel" "cucpu.width"="16" "cucpu.layout"="0" {
; CHECK-LABEL: @wraps(
; CHECK: yes:
; CHECK: store i32 1
; CHECK: no:
; CHECK: store i32 4
; CHECK: ret void
  %x = call i32 @cucpu.tid.x()
  %w = sext i32 %x to i64
  %c = icmp slt i32 %x, %n
  %x.far = add i32 %x, 1000
  %w.far = sext i32 %x.far to i64
  br i1 %c, label %yes, label %no
yes:
  %p = getelementptr inbounds i32, ptr %d, i64 %w
  store i32 1, ptr %p
  %q = getelementptr inbounds i32, ptr %d, i64 %w.far
  store i32 2, ptr %q
  br label %out
no:
  %q2 = getelementptr i32, ptr %d, i64 %w.far
  store i32 3, ptr %q2
  %p2 = getelementptr i32, ptr %d, i64 %w
  store i32 4, ptr %p2
  br label %out
out:
  ret void
}
