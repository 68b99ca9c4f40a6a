; As many neighbours at an address of each lane as a register holds: one load for each lane, transposed as a square.
; Shuffles are within 16 bytes, then of 16 bytes.
; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=8 --cpu=x86-64-v3 %s | FileCheck %s
; CHECK-LABEL: define void @eight.w8.rows_full(
; CHECK-COUNT-8: load <8 x float>, ptr {{.*}}, align 4
; CHECK-NOT: load <
; CHECK-COUNT-16: shufflevector <8 x float> {{.*}} <8 x i32> <i32 {{[02]}}, i32 {{[189]|10}},
; CHECK-COUNT-8: shufflevector <8 x float> {{.*}} <8 x i32> <i32 {{[04]}}, i32 {{[15]}}, i32 {{[26]}}, i32 {{[37]}}, i32 {{8|12}},
; CHECK-NOT: gather
; CHECK: ret void
define void @eight(ptr %a, ptr %out, i64 %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = zext i32 %t to i64
  %r = mul i64 %e, %n
  %p0 = getelementptr float, ptr %a, i64 %r
  %p1 = getelementptr i8, ptr %p0, i64 4
  %p2 = getelementptr i8, ptr %p0, i64 8
  %p3 = getelementptr i8, ptr %p0, i64 12
  %p4 = getelementptr i8, ptr %p0, i64 16
  %p5 = getelementptr i8, ptr %p0, i64 20
  %p6 = getelementptr i8, ptr %p0, i64 24
  %p7 = getelementptr i8, ptr %p0, i64 28
  %x0 = load float, ptr %p0
  %x1 = load float, ptr %p1
  %x2 = load float, ptr %p2
  %x3 = load float, ptr %p3
  %x4 = load float, ptr %p4
  %x5 = load float, ptr %p5
  %x6 = load float, ptr %p6
  %x7 = load float, ptr %p7
  %s0 = fmul float %x0, %x1
  %s1 = fsub float %s0, %x2
  %s2 = fsub float %s1, %x3
  %s3 = fsub float %s2, %x4
  %s4 = fsub float %s3, %x5
  %s5 = fsub float %s4, %x6
  %s6 = fsub float %s5, %x7
  %o = getelementptr float, ptr %out, i64 %e
  store float %s6, ptr %o
  ret void
}
; Three of eight are read by 16 bytes, and nothing where none is accessed.
; CHECK-LABEL: define void @three.w8.rows_full(
; CHECK-COUNT-8: load <4 x float>, ptr {{.*}}, align 4
; CHECK-NOT: load <4
; CHECK: ret void
define void @three(ptr %a, ptr %out, i64 %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = zext i32 %t to i64
  %r = mul i64 %e, %n
  %p0 = getelementptr float, ptr %a, i64 %r
  %p2 = getelementptr i8, ptr %p0, i64 8
  %p9 = getelementptr i8, ptr %p0, i64 36
  %x0 = load float, ptr %p0
  %x2 = load float, ptr %p2
  %x9 = load float, ptr %p9
  %s = fmul float %x0, %x2
  %u = fsub float %s, %x9
  %o = getelementptr float, ptr %out, i64 %e
  store float %u, ptr %o
  ret void
}
declare i32 @cucpu.tid.x()
