; `if (tid.x == 0)`: the side is scalar, tid.x is 0 in all that it takes from outside; the value of the one lane joins
; those of the others by a select.
; RUN: %cucpu-opt --passes=scalarise_single_lane --simd=8 %s | FileCheck %s
; RUN: %cucpu-opt --passes=scalarise_single_lane --simd=8 --disable=scalarise_single_lane %s | FileCheck --check-prefix=OFF %s
define void @halo(ptr %in, ptr %out, i32 %n) "cucpu.kernel" {
entry:
  %x = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %base = mul nsw i32 %b, 100
  %gx = add nsw i32 %base, %x
  %first = icmp eq i32 %x, 0
  br i1 %first, label %side, label %beside
beside:
  br label %join
side:
  %left = add nsw i32 %gx, -1
  %at = sext i32 %left to i64
  %p = getelementptr inbounds i32, ptr %in, i64 %at
  %v = load i32, ptr %p, align 4
  br label %join
join:
  %r = phi i32 [ %v, %side ], [ %n, %beside ]
  %i = sext i32 %gx to i64
  %q = getelementptr inbounds i32, ptr %out, i64 %i
  store i32 %r, ptr %q, align 4
  ret void
}
; CHECK-LABEL: define void @halo(
; CHECK: %any = call i1 @cucpu.any(i1 %first)
; CHECK: br i1 %any, label %side
; CHECK: side:
; CHECK: [[GX:%.*]] = add nsw i32 %base, 0
; CHECK: %left = add nsw i32 [[GX]], -1
; CHECK: [[S:%.*]] = select i1 %first, i32 %v, i32 %n
; CHECK: %r = phi i32 [ [[S]], %side ], [ %n, %beside ]
; OFF-NOT: cucpu.any
; An atomic must be done by the one lane only.
define void @count(ptr %out) "cucpu.kernel" {
entry:
  %x = call i32 @cucpu.tid.x()
  %first = icmp eq i32 %x, 3
  br i1 %first, label %side, label %entry.join
entry.join:
  br label %join
side:
  %i = sext i32 %x to i64
  %q = getelementptr inbounds i32, ptr %out, i64 %i
  %v = load i32, ptr %q, align 4
  %old = atomicrmw add ptr %out, i32 %v seq_cst, align 4
  br label %join
join:
  ret void
}
; CHECK-LABEL: define void @count(
; CHECK: br i1 %first
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()
