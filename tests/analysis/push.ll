; Extensions move to the operands of a sum where lane 0 might overflow alone.
; RUN: %build/tests/analysis/print_shapes -w 8 -l full %s | FileCheck %s --check-prefix=BEFORE
; RUN: %build/tests/analysis/print_shapes -w 8 -l full -x %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.ntid.x()

; for (j = threadIdx.x; j < n; j += blockDim.x) a[row*n + j]: nobody knows the sign of j
; BEFORE-LABEL: shapes of rows
; CHECK-LABEL: shapes of rows
define void @rows(ptr %a, i32 %n, i32 %row) "cucpu.kernel" {
entry:
  %tx = call i32 @cucpu.tid.x()
  %nx = call i32 @cucpu.ntid.x()
  %start = mul nsw i32 %row, %n
  br label %loop
loop:
  %j = phi i32 [ %tx, %entry ], [ %j1, %loop ]
  %e = add nsw i32 %start, %j
; BEFORE: %e64: affine x + group
  %e64 = sext i32 %e to i64
; CHECK: %p: affine 4*x + group
  %p = getelementptr float, ptr %a, i64 %e64
  %v = load float, ptr %p
  %j1 = add i32 %j, %nx
  %c = icmp slt i32 %j1, %n
  br i1 %c, label %loop, label %done
done:
  ret void
}

; BEFORE-LABEL: shapes of flags
; CHECK-LABEL: shapes of flags
define void @flags(ptr %a, i32 %n) "cucpu.kernel" {
  %tx = call i32 @cucpu.tid.x()
  %minus = sub nuw i32 %tx, %n
  %u = zext i32 %minus to i64
; BEFORE: %p: varying
; CHECK: %p: affine 4*x + grid
  %p = getelementptr float, ptr %a, i64 %u
  %plain = add i32 %tx, %n
  %w = zext i32 %plain to i64
; CHECK: %q: varying
  %q = getelementptr float, ptr %a, i64 %w
  ret void
}

; a[4 * t + k]: one base for all four, from which they are told by constants.
; RUN: %build/tests/analysis/print_shapes -w 8 -l full -x %s | FileCheck %s --check-prefix=SIDE
; SIDE-LABEL: define void @four
; SIDE: [[BASE:%[0-9]+]] = getelementptr float, ptr %a, i64
; SIDE: load float, ptr [[BASE]]
; SIDE: [[P1:%[0-9]+]] = getelementptr float, ptr [[BASE]], i64 1
; SIDE: load float, ptr [[P1]]
; SIDE: [[P3:%[0-9]+]] = getelementptr float, ptr [[BASE]], i64 3
; SIDE: store float {{.*}}, ptr [[P3]]
define void @four(ptr %a) "cucpu.kernel" {
  %tx = call i32 @cucpu.tid.x()
  %i0 = shl nsw i32 %tx, 2
  %j0 = sext i32 %i0 to i64
  %p0 = getelementptr float, ptr %a, i64 %j0
  %v0 = load float, ptr %p0
  %i1 = or disjoint i32 %i0, 1
  %j1 = sext i32 %i1 to i64
  %p1 = getelementptr float, ptr %a, i64 %j1
  %v1 = load float, ptr %p1
  %v = fadd float %v0, %v1
  %i3 = or disjoint i32 %i0, 3
  %j3 = zext nneg i32 %i3 to i64
  %p3 = getelementptr float, ptr %a, i64 %j3
  store float %v, ptr %p3
  ret void
}
