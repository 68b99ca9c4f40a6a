; What is computed for lane 0, which may be off, must not be poison where the active lanes are not.
; RUN: %build/tests/analysis/print_shapes -w 8 -l full -x %s | FileCheck %s
declare i32 @cucpu.tid.x()

; CHECK-LABEL: define void @settle
define void @settle(ptr %a, i32 %s, i32 %n) "cucpu.kernel" {
  %tx = call i32 @cucpu.tid.x()
; CHECK: %minus = sub i32 %tx, %s
  %minus = sub nuw nsw i32 %tx, %s
; CHECK: [[Z:%[0-9]+]] = sext i32 %tx to i64
  %z = zext nneg i32 %tx to i64
; CHECK: %p = getelementptr float, ptr %a, i64 [[Z]]
  %p = getelementptr inbounds nuw float, ptr %a, i64 %z
; CHECK: = add i32 %minus, %n
  %o = or disjoint i32 %minus, %n
  store i32 %o, ptr %p
  %c = icmp slt i32 %tx, %n
  %sel = select i1 %c, i32 %tx, i32 poison
; CHECK: %two = shl i32 %tx, 1
  %two = shl nuw nsw i32 %sel, 1
; CHECK: %e = icmp ult i32 %two, 64
  %e = icmp samesign ult i32 %two, 64
; uniform operands: all lanes agree, so flags hold for lane 0 if for any lane
; CHECK: %u = add nsw i32 %n, 1
  %u = add nsw i32 %n, 1
; CHECK: %v = mul nsw i32 %mixed, %n
  %mixed = select i1 %c, i32 %n, i32 1
  %v = mul nsw i32 %mixed, %n
  ret void
}

; Sums of which addresses are made are sums of 64 bits, which no lane makes poison.
; CHECK-LABEL: define void @sums
define void @sums(ptr %a, i32 %row, i32 %n) "cucpu.kernel" {
  %tx = call i32 @cucpu.tid.x()
; CHECK: [[N:%[0-9]+]] = sext i32 %n to i64
; CHECK: [[ROW:%[0-9]+]] = sext i32 %row to i64
; CHECK: [[X:%[0-9]+]] = sext i32 %tx to i64
; CHECK: [[DIFF:%[0-9]+]] = sub i64 [[X]], [[ROW]]
; CHECK: [[SUM:%[0-9]+]] = add i64 [[DIFF]], [[N]]
  %minus = sub nsw i32 %tx, %row
  %plus = add nsw i32 %minus, %n
  %z = sext i32 %plus to i64
; CHECK: getelementptr float, ptr %a, i64 [[SUM]]
  %p = getelementptr inbounds float, ptr %a, i64 %z
  store i32 0, ptr %p
; CHECK: sext i32 %wraps to i64
  %wraps = add i32 %tx, %n
  %y = sext i32 %wraps to i64
  %q = getelementptr inbounds float, ptr %a, i64 %y
  store i32 0, ptr %q
  ret void
}

; Behind a skipped block the first operand may be poison although all lanes want the second.
; CHECK-LABEL: define void @skipped
define void @skipped(ptr %a, i32 %n, i1 %u) "cucpu.kernel" {
entry:
  %tx = call i32 @cucpu.tid.x()
  %c = icmp slt i32 %tx, %n
  br i1 %u, label %run, label %join
run:
  br label %join
join:
  %slot = phi i32 [ poison, %entry ], [ %tx, %run ]
; CHECK: store i32 %tx, ptr %a
  %v = select i1 %c, i32 %slot, i32 %tx
  store i32 %v, ptr %a
  ret void
}
