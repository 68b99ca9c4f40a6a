; Kernels of bytes have variants with more lanes for rows that fill them; blocks of other shapes run the usual ones.
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v3 %s | FileCheck --check-prefix=AVX2 %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 --disable=wide_rows %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 --simd=16 %s | FileCheck --check-prefix=OFF %s
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)

; OFF-NOT: .w32.
; OFF-NOT: .w64.

; Bytes that stay bytes fill a register with four times the lanes.
; CHECK: define void @bytes.w64.rows_full(
; CHECK: define void @bytes.w32.rows_full(
; CHECK: define void @bytes.w16.rows_full(
; CHECK-NOT: define void @bytes.w{{64|32}}
; CHECK: define void @bytes.w16.general(
; AVX2: define void @bytes.w32.rows_full(
; AVX2: define void @bytes.w16.rows_full(
; AVX2: define void @bytes.w8.rows_full(
define void @bytes(ptr %a, ptr %b) "cucpu.kernel" {
  %i = call i32 @cucpu.tid.x()
  %j = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %j
  %v = load i8, ptr %p
  %c = icmp ugt i8 %v, 100
  %r = select i1 %c, i8 %v, i8 0
  %q = getelementptr i8, ptr %b, i64 %j
  store i8 %r, ptr %q
  ret void
}

; Arithmetic of 32 bits takes two registers with twice the lanes: no more than that.
; CHECK: define void @sums.w32.rows_full(
; CHECK: define void @sums.w16.rows_full(
define void @sums(ptr %a, ptr %b) "cucpu.kernel" {
  %i = call i32 @cucpu.tid.x()
  %j = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %j
  %v0 = load i8, ptr %p
  %p1 = getelementptr i8, ptr %p, i64 1
  %v1 = load i8, ptr %p1
  %p2 = getelementptr i8, ptr %p, i64 2
  %v2 = load i8, ptr %p2
  %w0 = zext i8 %v0 to i32
  %w1 = zext i8 %v1 to i32
  %w2 = zext i8 %v2 to i32
  %s = add i32 %w0, %w1
  %s2 = add i32 %s, %w2
  %q = getelementptr i8, ptr %b, i64 %j
  %h = lshr i32 %s2, 2
  %r = trunc i32 %h to i8
  store i8 %r, ptr %q
  ret void
}

; No narrow data, and barriers: none.
; CHECK-NOT: define void @floats.w{{64|32}}
; CHECK: define void @floats.w16.rows_full(
define void @floats(ptr %a) "cucpu.kernel" {
  %i = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
  %w = fadd float %v, 1.0
  store float %w, ptr %p
  ret void
}

; CHECK-NOT: define void @waits.w{{64|32}}
; CHECK: define void @waits.w16.rows_full(
define void @waits(ptr %a) "cucpu.kernel" {
  %i = call i32 @cucpu.tid.x()
  %p = getelementptr i8, ptr %a, i32 %i
  %v = load i8, ptr %p
  call void @cucpu.barrier(i32 0)
  store i8 %v, ptr %p
  ret void
}

; A walk through the rows of a matrix: neighbours are touched together.
; CHECK: define void @columns.w32.rows_full(
; CHECK: define void @columns.w16.rows_full(
define void @columns(ptr %a, ptr %b, i32 %n) "cucpu.kernel" {
entry:
  %i = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop.loop ]
  %s = phi float [ 0.0, %entry ], [ %s1, %loop.loop ]
  %row = mul nsw i32 %k, %n
  %at = add nsw i32 %row, %i
  %j = sext i32 %at to i64
  %p = getelementptr float, ptr %a, i64 %j
  %v = load float, ptr %p
  %s1 = fadd float %s, %v
  %k1 = add nsw i32 %k, 1
  %c = icmp slt i32 %k1, %n
  br i1 %c, label %loop.loop, label %out
loop.loop:
  br label %loop
out:
  %l = phi float [ %s1, %loop ]
  %q = getelementptr float, ptr %b, i32 %i
  store float %l, ptr %q
  ret void
}

; The next iteration touches the next element, and does not wait for the one before.
; CHECK-NOT: define void @along.w{{64|32}}
; CHECK: define void @along.w16.rows_full(
define void @along(ptr %a, ptr %b, i32 %n) "cucpu.kernel" {
entry:
  %i = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop.loop ]
  %s = phi i32 [ 0, %entry ], [ %s1, %loop.loop ]
  %at = add nsw i32 %k, %i
  %j = sext i32 %at to i64
  %p = getelementptr i32, ptr %a, i64 %j
  %v = load i32, ptr %p
  %s1 = add i32 %s, %v
  %k1 = add nsw i32 %k, 1
  %c = icmp slt i32 %k1, %n
  br i1 %c, label %loop.loop, label %out
loop.loop:
  br label %loop
out:
  %l = phi i32 [ %s1, %loop ]
  %q = getelementptr i32, ptr %b, i32 %i
  store i32 %l, ptr %q
  ret void
}

; Lanes that take turns gain nothing from more of them.
; CHECK-NOT: define void @counts.w{{64|32}}
; CHECK: define void @counts.w16.rows_full(
define void @counts(ptr %a, ptr %b) "cucpu.kernel" {
  %i = call i32 @cucpu.tid.x()
  %j = zext i32 %i to i64
  %p = getelementptr i8, ptr %a, i64 %j
  %v = load i8, ptr %p
  %k = zext i8 %v to i64
  %q = getelementptr i8, ptr %b, i64 %k
  %old = atomicrmw add ptr %q, i8 1 monotonic
  ret void
}
