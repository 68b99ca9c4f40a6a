; Cheap arms between accesses to neighbouring elements of a thread become selects.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,speculate_arms --simd=16 --opt=3 --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,speculate_arms --simd=16 --opt=3 --cpu=x86-64-v4 --disable=speculate_arms %s | FileCheck %s --check-prefix=OFF
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()
declare float @expf(float)

; CHECK-LABEL: define void @cheap.w16.rows_full(
; CHECK: %c = icmp sgt i32 %x, 3
; CHECK-NOT: br i1
; CHECK: %[[Z:.*]] = select i1 %c, i32 %{{.*}}, i32 %{{.*}}
; CHECK-NEXT: store i32 %[[Z]], ptr %a
; CHECK: ret void
; OFF-LABEL: define void @cheap.w16.rows_full(
; OFF: br i1 %c
; OFF-LABEL: define void @triangle
define void @cheap(ptr %p) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %w64 = sext i32 %t to i64
  %a = getelementptr [2 x i32], ptr %p, i64 %w64
  %x = load i32, ptr %a
  %c = icmp sgt i32 %x, 3
  br i1 %c, label %yes, label %no
yes:
  %v0 = mul i32 %x, 5
  %v1 = xor i32 %v0, 77
  %v2 = mul i32 %v1, %x
  %v3 = lshr i32 %v2, 3
  %v = mul i32 %v3, %v1
  br label %join
no:
  %w = add i32 %x, 7
  br label %join
join:
  %z = phi i32 [ %v, %yes ], [ %w, %no ]
  store i32 %z, ptr %a
  %a1 = getelementptr i8, ptr %a, i64 4
  store i32 1, ptr %a1
  ret void
}

; One arm.
; CHECK-LABEL: define void @triangle.w16.rows_full(
; CHECK-NOT: br i1
; CHECK: select i1 %c, i32 %{{.*}}, i32 %{{.*}}
; CHECK: ret void
; CHECK-LABEL: define void @store.w16.rows_full(
; CHECK: br i1 %c
; CHECK-LABEL: define void @divide.w16.rows_full(
; CHECK: br i1 %c
; CHECK-LABEL: define void @alone.w16.rows_full(
; CHECK: br i1 %c
; CHECK-LABEL: define void @index.w16.rows_full(
; CHECK: br i1 %c
define void @triangle(ptr %p) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %w64 = sext i32 %t to i64
  %a = getelementptr [2 x i32], ptr %p, i64 %w64
  %x = load i32, ptr %a
  %c = icmp sgt i32 %x, 3
  br i1 %c, label %yes, label %join
yes:
  %v0 = mul i32 %x, 5
  %v1 = xor i32 %v0, 77
  %v2 = mul i32 %v1, %x
  %v3 = lshr i32 %v2, 3
  %v = mul i32 %v3, %v1
  br label %join
join:
  %z = phi i32 [ %v, %yes ], [ %x, %entry ]
  store i32 %z, ptr %a
  ret void
}

; An arm that accesses memory.
define void @store(ptr %p, ptr %q) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %w64 = sext i32 %t to i64
  %a = getelementptr [2 x i32], ptr %p, i64 %w64
  %x = load i32, ptr %a
  %c = icmp sgt i32 %x, 3
  br i1 %c, label %yes, label %join
yes:
  %at = getelementptr i32, ptr %q, i64 %w64
  store i32 1, ptr %at
  br label %join
join:
  %z = phi i32 [ 4, %yes ], [ %x, %entry ]
  store i32 %z, ptr %a
  ret void
}

; An arm that may trap.
define void @divide(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %w64 = sext i32 %t to i64
  %a = getelementptr [2 x i32], ptr %p, i64 %w64
  %x = load i32, ptr %a
  %c = icmp sgt i32 %x, 3
  br i1 %c, label %yes, label %join
yes:
  %v0 = sdiv i32 %n, %x
  %v1 = xor i32 %v0, 77
  %v2 = mul i32 %v1, %x
  %v3 = lshr i32 %v2, 3
  %v = mul i32 %v3, %v1
  br label %join
join:
  %z = phi i32 [ %v, %yes ], [ %x, %entry ]
  store i32 %z, ptr %a
  ret void
}

; One element of each thread: nothing is combined.
define void @alone(ptr %p) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %w64 = sext i32 %t to i64
  %a = getelementptr i32, ptr %p, i64 %w64
  %x = load i32, ptr %a
  %c = icmp sgt i32 %x, 3
  br i1 %c, label %yes, label %join
yes:
  %v0 = mul i32 %x, 5
  %v1 = xor i32 %v0, 77
  %v2 = mul i32 %v1, %x
  %v3 = lshr i32 %v2, 3
  %v = mul i32 %v3, %v1
  br label %join
join:
  %z = phi i32 [ %v, %yes ], [ %x, %entry ]
  store i32 %z, ptr %a
  ret void
}

; Whole groups take one arm.
define void @index(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %w64 = sext i32 %t to i64
  %a = getelementptr [2 x i32], ptr %p, i64 %w64
  %x = load i32, ptr %a
  %c = icmp slt i32 %t, %n
  br i1 %c, label %yes, label %join
yes:
  %v0 = mul i32 %x, 5
  %v1 = xor i32 %v0, 77
  %v2 = mul i32 %v1, %x
  %v3 = lshr i32 %v2, 3
  %v = mul i32 %v3, %v1
  br label %join
join:
  %z = phi i32 [ %v, %yes ], [ %x, %entry ]
  store i32 %z, ptr %a
  ret void
}
