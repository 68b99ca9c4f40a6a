; Loops that pick the elements of a small local array or of a table by their counters are unrolled, the array becomes values.  Not where
; the array is larger than the register file, where it is picked from by something else too, where unrolling is forbidden, nor with
; barriers in the loop.
; RUN: %cucpu-opt --passes=normalise_cfg --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg --cpu=x86-64-v4 --disable=unroll_arrays %s | FileCheck --check-prefix=OFF %s
@dx = internal constant [9 x i32] [i32 0, i32 1, i32 0, i32 -1, i32 0, i32 1, i32 -1, i32 -1, i32 7]
declare void @cucpu.barrier(i32) convergent
declare i32 @cucpu.tid.x()
declare float @llvm.sqrt.f32(float)

; Two loops, the second one counts down; too long for LLVM's own limit.
; CHECK-LABEL: define void @picked(
; CHECK-NOT: alloca
; CHECK-NOT: phi
; CHECK: ret void
; OFF-LABEL: define void @picked(
; OFF: alloca
; OFF: phi
define void @picked(ptr %p, i32 %w) "cucpu.kernel" {
entry:
  %q = alloca [9 x float]
  br label %first
first:
  %k = phi i32 [ 0, %entry ], [ %k1, %first ]
  %i = zext i32 %k to i64
  %d = getelementptr [9 x i32], ptr @dx, i64 0, i64 %i
  %x = load i32, ptr %d
  %r = srem i32 %x, %w
  %at = getelementptr float, ptr %p, i32 %r
  %v = load float, ptr %at
  %a1 = call float @llvm.sqrt.f32(float %v)
  %a2 = fmul float %a1, %v
  %a3 = call float @llvm.sqrt.f32(float %a2)
  %a4 = fmul float %a3, %a2
  %a5 = call float @llvm.sqrt.f32(float %a4)
  %a6 = fmul float %a5, %a1
  %a7 = call float @llvm.sqrt.f32(float %a6)
  %a8 = fmul float %a7, %a5
  %a9 = call float @llvm.sqrt.f32(float %a8)
  %b1 = fmul float %a9, %a7
  %b2 = call float @llvm.sqrt.f32(float %b1)
  %b3 = fmul float %b2, %a9
  %b4 = call float @llvm.sqrt.f32(float %b3)
  %b5 = fmul float %b4, %b2
  %b6 = call float @llvm.sqrt.f32(float %b5)
  %b7 = fmul float %b6, %b4
  %b8 = call float @llvm.sqrt.f32(float %b7)
  %b9 = fmul float %b8, %b6
  %c1 = call float @llvm.sqrt.f32(float %b9)
  %c2 = fmul float %c1, %b8
  %c3 = call float @llvm.sqrt.f32(float %c2)
  %e = getelementptr [9 x float], ptr %q, i64 0, i64 %i
  store float %c3, ptr %e
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k1, 9
  br i1 %more, label %first, label %second
second:
  %n = phi i32 [ 8, %first ], [ %n1, %second ]
  %sum = phi float [ 0.0, %first ], [ %sum1, %second ]
  %j = zext i32 %n to i64
  %f = getelementptr [9 x float], ptr %q, i64 0, i64 %j
  %u = load float, ptr %f
  %sum1 = fadd float %sum, %u
  %n1 = add i32 %n, -1
  %end = icmp eq i32 %n, 0
  br i1 %end, label %out, label %second
out:
  store float %sum1, ptr %p
  ret void
}

; A table alone.
; CHECK-LABEL: define void @table(
; CHECK-NOT: phi
; CHECK: ret void
; OFF-LABEL: define void @table(
; OFF: phi
define void @table(ptr %p, i32 %w) "cucpu.kernel" {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum2, %loop ]
  %i = zext i32 %k to i64
  %d = getelementptr [9 x i32], ptr @dx, i64 0, i64 %i
  %x = load i32, ptr %d
  %y = add i32 %x, %w
  %r = srem i32 %y, %w
  %at = getelementptr i32, ptr %p, i32 %r
  %v = load volatile i32, ptr %at
  %at2 = getelementptr i32, ptr %at, i32 %w
  %v2 = load volatile i32, ptr %at2
  %at3 = getelementptr i32, ptr %at2, i32 %w
  %v3 = load volatile i32, ptr %at3
  %at4 = getelementptr i32, ptr %at3, i32 %w
  %v4 = load volatile i32, ptr %at4
  %at5 = getelementptr i32, ptr %at4, i32 %w
  %v5 = load volatile i32, ptr %at5
  %at6 = getelementptr i32, ptr %at5, i32 %w
  %v6 = load volatile i32, ptr %at6
  %s2 = mul i32 %v, %v2
  %s3 = mul i32 %s2, %v3
  %s4 = xor i32 %s3, %v4
  %s5 = mul i32 %s4, %v5
  %s6 = xor i32 %s5, %v6
  %t1 = mul i32 %s6, %s4
  %t2 = xor i32 %t1, %s3
  %t3 = mul i32 %t2, %s2
  %t4 = lshr i32 %t3, 3
  %t5 = xor i32 %t4, %t3
  %t6 = mul i32 %t5, %t2
  %sum1 = add i32 %sum, %t6
  %sum2 = xor i32 %sum1, %y
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k1, 9
  br i1 %more, label %loop, label %out
out:
  store i32 %sum2, ptr %p
  ret void
}

; 40 values do not fit into 32 registers.
; CHECK-LABEL: define void @large(
; CHECK: alloca
; CHECK: phi
define void @large(ptr %p, i32 %w) "cucpu.kernel" {
entry:
  %q = alloca [40 x float]
  br label %first
first:
  %k = phi i32 [ 0, %entry ], [ %k1, %first ]
  %i = zext i32 %k to i64
  %at = getelementptr float, ptr %p, i64 %i
  %v = load volatile float, ptr %at
  %a1 = call float @llvm.sqrt.f32(float %v)
  %a2 = fmul float %a1, %v
  %a3 = call float @llvm.sqrt.f32(float %a2)
  %e = getelementptr [40 x float], ptr %q, i64 0, i64 %i
  store float %a3, ptr %e
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k1, 40
  br i1 %more, label %first, label %second
second:
  %n = phi i32 [ 39, %first ], [ %n1, %second ]
  %sum = phi float [ 0.0, %first ], [ %sum1, %second ]
  %j = zext i32 %n to i64
  %f = getelementptr [40 x float], ptr %q, i64 0, i64 %j
  %u = load float, ptr %f
  %s2 = fmul float %sum, %u
  %s3 = call float @llvm.sqrt.f32(float %s2)
  %s4 = fmul float %s3, %u
  %s5 = call float @llvm.sqrt.f32(float %s4)
  %sum1 = fadd float %s5, %u
  %n1 = add i32 %n, -1
  %end = icmp eq i32 %n, 0
  br i1 %end, label %out, label %second
out:
  store float %sum1, ptr %p
  ret void
}

; An element that the thread picks: the array stays memory whatever becomes of the loop.
; CHECK-LABEL: define void @by_thread(
; CHECK: phi
; CHECK: ret void
define void @by_thread(ptr %p, i32 %w) "cucpu.kernel" {
entry:
  %q = alloca [9 x float]
  br label %first
first:
  %k = phi i32 [ 0, %entry ], [ %k1, %first ]
  %i = zext i32 %k to i64
  %at = getelementptr float, ptr %p, i64 %i
  %v = load volatile float, ptr %at
  %a1 = call float @llvm.sqrt.f32(float %v)
  %a2 = fmul float %a1, %v
  %a3 = call float @llvm.sqrt.f32(float %a2)
  %a4 = fmul float %a3, %a2
  %a5 = call float @llvm.sqrt.f32(float %a4)
  %a6 = fmul float %a5, %a1
  %a7 = call float @llvm.sqrt.f32(float %a6)
  %a8 = fmul float %a7, %a5
  %a9 = call float @llvm.sqrt.f32(float %a8)
  %b1 = fmul float %a9, %a7
  %b2 = call float @llvm.sqrt.f32(float %b1)
  %b3 = fmul float %b2, %a9
  %b4 = call float @llvm.sqrt.f32(float %b3)
  %b5 = fmul float %b4, %b2
  %b6 = call float @llvm.sqrt.f32(float %b5)
  %b7 = fmul float %b6, %b4
  %b8 = call float @llvm.sqrt.f32(float %b7)
  %b9 = fmul float %b8, %b6
  %c1 = call float @llvm.sqrt.f32(float %b9)
  %c2 = fmul float %c1, %b8
  %c3 = call float @llvm.sqrt.f32(float %c2)
  %c4 = fmul float %c3, %b8
  %c5 = call float @llvm.sqrt.f32(float %c4)
  %c6 = fmul float %c5, %b8
  %c7 = call float @llvm.sqrt.f32(float %c6)
  %e = getelementptr [9 x float], ptr %q, i64 0, i64 %i
  store float %c7, ptr %e
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k1, 9
  br i1 %more, label %first, label %out
out:
  %t = call i32 @cucpu.tid.x()
  %f = getelementptr [9 x float], ptr %q, i64 0, i32 %t
  %u = load float, ptr %f
  store float %u, ptr %p
  ret void
}

; CHECK-LABEL: define void @pragma(
; CHECK: phi
; CHECK: ret void
define void @pragma(ptr %p, i32 %w) "cucpu.kernel" {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %i = zext i32 %k to i64
  %d = getelementptr [9 x i32], ptr @dx, i64 0, i64 %i
  %x = load i32, ptr %d
  %r = srem i32 %x, %w
  %at = getelementptr i32, ptr %p, i32 %r
  store volatile i32 %r, ptr %at
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k1, 9
  br i1 %more, label %loop, label %out, !llvm.loop !0
out:
  ret void
}

; CHECK-LABEL: define void @barrier(
; CHECK: phi
; CHECK: ret void
define void @barrier(ptr %p, i32 %w) "cucpu.kernel" {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %i = zext i32 %k to i64
  %d = getelementptr [9 x i32], ptr @dx, i64 0, i64 %i
  %x = load i32, ptr %d
  %r = srem i32 %x, %w
  %at = getelementptr i32, ptr %p, i32 %r
  store volatile i32 %r, ptr %at
  call void @cucpu.barrier(i32 0)
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %k1, 9
  br i1 %more, label %loop, label %out
out:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
