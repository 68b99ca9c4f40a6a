; All fields of neighbouring lanes' structures are vectors in a row.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,linearise,widen --simd=4 --opt=3 --cpu=x86-64-v2 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,linearise,widen --simd=4 --opt=3 --cpu=x86-64-v2 --disable=fields %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,linearise,widen --simd=16 --opt=3 --cpu=x86-64-v4 %s | FileCheck --check-prefix=WIDE %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,linearise,widen --simd=16 --opt=3 --cpu=x86-64-v4 --disable=packed %s | FileCheck --check-prefix=LONE %s
declare i32 @cucpu.tid.x()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; CHECK-LABEL: define void @pairs.w4.rows_full(
; CHECK-COUNT-2: load <4 x i32>
; CHECK: shufflevector <4 x i32> {{.*}} <4 x i32> <i32 0, i32 2, i32 4, i32 6>
; CHECK: shufflevector <4 x i32> {{.*}} <4 x i32> <i32 1, i32 3, i32 5, i32 7>
; CHECK: shufflevector <4 x i32> {{.*}} <4 x i32> <i32 0, i32 4, i32 1, i32 5>
; CHECK: shufflevector <4 x i32> {{.*}} <4 x i32> <i32 2, i32 6, i32 3, i32 7>
; CHECK: store <4 x i32>
; CHECK: store <4 x i32>
; CHECK: ret void
; OFF-LABEL: define void @pairs.w4.rows_full(
; OFF: llvm.masked.scatter
; OFF: llvm.masked.scatter
define void @pairs(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { float, float }, ptr %p, i64 %i
  %b = getelementptr i8, ptr %a, i64 4
  %x = load float, ptr %a, align 4
  %y = load float, ptr %b, align 4
  %s = fadd float %x, %y
  store float %s, ptr %a, align 4
  store float %x, ptr %b, align 4
  ret void
}

; A store in between may be to the other field: the loads stay apart.
; CHECK-LABEL: define void @between.w4.rows_full(
; CHECK-NOT: shufflevector <4 x i32> {{.*}} <i32 0, i32 4, i32 1, i32 5>
; CHECK: ret void
define void @between(ptr %p, ptr %q) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { i32, i32 }, ptr %p, i64 %i
  %b = getelementptr i8, ptr %a, i64 4
  store i32 1, ptr %a, align 4
  %c = getelementptr i32, ptr %q, i64 %i
  %v = load i32, ptr %c, align 4
  store i32 %v, ptr %b, align 4
  ret void
}

; CHECK-LABEL: define void @copies.w4.rows_full(
; CHECK-NOT: memcpy
; CHECK: [[A:%.*]] = load <4 x i32>
; CHECK: [[B:%.*]] = load <4 x i32>
; CHECK: [[C:%.*]] = load <4 x i32>
; CHECK: store <4 x i32> [[A]]
; CHECK: store <4 x i32> [[B]]
; CHECK: store <4 x i32> [[C]]
define void @copies(ptr %p, ptr %q) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { i32, i32, i32 }, ptr %p, i64 %i
  %b = getelementptr { i32, i32, i32 }, ptr %q, i64 %i
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %a, ptr align 4 %b, i64 12, i1 false)
  ret void
}

; Three of four: what is behind the last one is left out, unless it is known to be there.
; WIDE-LABEL: define void @three.w16.rows_full(
; WIDE-COUNT-3: load <16 x i32>
; WIDE: llvm.masked.load.v16i32{{.*}} i1 true, i1 true, i1 true, i1 false>, <16 x i32> poison)
; WIDE: ret void
define void @three(ptr %p, ptr %q) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { float, float, float, float }, ptr %p, i64 %i
  %b = getelementptr i8, ptr %a, i64 4
  %c = getelementptr i8, ptr %a, i64 8
  %x = load float, ptr %a, align 4
  %y = load float, ptr %b, align 4
  %z = load float, ptr %c, align 4
  %s = fadd float %x, %y
  %s2 = fmul float %s, %z
  %o = getelementptr float, ptr %q, i64 %i
  store float %s2, ptr %o, align 4
  ret void
}
; WIDE-LABEL: define void @three_aligned.w16.rows_full(
; WIDE-NOT: masked
; WIDE: ret void
define void @three_aligned(ptr %p, ptr %q) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { float, float, float, float }, ptr %p, i64 %i
  %b = getelementptr i8, ptr %a, i64 4
  %c = getelementptr i8, ptr %a, i64 8
  %x = load float, ptr %a, align 16
  %y = load float, ptr %b, align 4
  %z = load float, ptr %c, align 8
  %s = fadd float %x, %y
  %s2 = fmul float %s, %z
  %o = getelementptr float, ptr %q, i64 %i
  store float %s2, ptr %o, align 4
  ret void
}

; Two of four are stored: the other two keep what they have.
; WIDE-LABEL: define void @gaps.w16.rows_full(
; WIDE-COUNT-4: llvm.masked.store.v16i32{{.*}} <16 x i1> <i1 true, i1 false, i1 true, i1 false, i1 true, i1 false,
; WIDE: ret void
; CHECK-LABEL: define void @gaps.w4.rows_full(
; CHECK-NOT: llvm.masked.store
; CHECK: ret void
define void @gaps(ptr %p, ptr %q) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { i32, i32, i32, i32 }, ptr %p, i64 %i
  %c = getelementptr i8, ptr %a, i64 8
  store i32 %t, ptr %a, align 4
  store i32 7, ptr %c, align 4
  ret void
}

; One of four: each of its lanes goes to its place in one shuffle.
; LONE-LABEL: define void @lone.w16.rows_full(
; LONE: shufflevector <16 x i32> %{{[0-9]+}}, <16 x i32> poison, <16 x i32> <i32 0, i32 poison, i32 poison, i32 poison, i32 1, i32 poison, i32 poison, i32 poison, i32 2,
; LONE: shufflevector <16 x i32> %{{[0-9]+}}, <16 x i32> poison, <16 x i32> <i32 4, i32 poison, i32 poison, i32 poison, i32 5,
; LONE-COUNT-4: llvm.masked.store.v16i32{{.*}} <16 x i1> <i1 true, i1 false, i1 false, i1 false, i1 true,
; LONE: ret void
define void @lone(ptr %p, ptr %q) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { i32, i32, i32, i32 }, ptr %p, i64 %i
  %o = getelementptr i32, ptr %q, i64 %i
  %v = load i32, ptr %o, align 4
  store i32 %v, ptr %a, align 4
  ret void
}

; Two stores with a load of another array in between stay apart: each has gaps. Where the load is of the same array it would
; have to wait for the masked store.
; LONE-LABEL: define void @stores_apart.w16.rows_full(
; LONE-NOT: llvm.masked.scatter
; LONE: ret void
; LONE-LABEL: define void @load_waits.w16.rows_full(
; LONE: llvm.masked.scatter
; LONE: ret void
define void @stores_apart(ptr %p, ptr %q) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %v = getelementptr inbounds [2 x float], ptr %p, i64 %i
  %w = getelementptr inbounds i8, ptr %v, i64 4
  %b = getelementptr inbounds float, ptr %q, i64 %i
  store float 1.0, ptr %v, align 4
  %x = load float, ptr %b, align 4
  store float %x, ptr %w, align 4
  ret void
}
define void @load_waits(ptr %p, ptr %q) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %v = getelementptr inbounds [2 x float], ptr %p, i64 %i
  %w = getelementptr inbounds i8, ptr %v, i64 4
  %b = getelementptr inbounds float, ptr %q, i64 %i
  store float 1.0, ptr %v, align 4
  %x = load float, ptr %w, align 4
  store float %x, ptr %b, align 4
  ret void
}

; Sixteen structures of four bytes are one register.
; WIDE-LABEL: define void @bytes.w16.rows_full(
; WIDE: load <64 x i8>
; WIDE: shufflevector <64 x i8> {{.*}}, <64 x i8> poison, <16 x i32> <i32 0, i32 4, i32 8,
; WIDE: shufflevector <64 x i8> {{.*}}, <64 x i8> poison, <16 x i32> <i32 2, i32 6, i32 10,
; WIDE: ret void
define void @bytes(ptr %p, ptr %q) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { i8, i8, i8, i8 }, ptr %p, i64 %i
  %c = getelementptr i8, ptr %a, i64 2
  %x = load i8, ptr %a, align 4
  %z = load i8, ptr %c, align 2
  %s = xor i8 %x, %z
  %o = getelementptr i8, ptr %q, i64 %i
  store i8 %s, ptr %o
  ret void
}

; Eight elements of each lane in shared memory, which by a pattern (`t & 15` of sixteen lanes) are eight apart; computed for each load anew.
; WIDE-LABEL: define void @shared_by_pattern.w16.rows_full(
; WIDE-COUNT-8: load <16 x i32>
; WIDE-NOT: llvm.masked.gather
; WIDE: ret void
declare ptr @cucpu.shared()
define void @shared_by_pattern(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %s = call ptr @cucpu.shared()
  %c = and i32 %t, 15
  %e = shl i32 %c, 3
  %i0 = zext nneg i32 %e to i64
  %b0 = getelementptr inbounds nuw float, ptr %s, i64 %i0
  %a0 = getelementptr inbounds nuw i8, ptr %b0, i64 0
  %v0 = load float, ptr %a0, align 4
  %m0 = fmul float %v0, 2.0
  %i1 = zext nneg i32 %e to i64
  %b1 = getelementptr inbounds nuw float, ptr %s, i64 %i1
  %a1 = getelementptr inbounds nuw i8, ptr %b1, i64 4
  %v1 = load float, ptr %a1, align 4
  %m1 = fmul float %v1, 3.0
  %i2 = zext nneg i32 %e to i64
  %b2 = getelementptr inbounds nuw float, ptr %s, i64 %i2
  %a2 = getelementptr inbounds nuw i8, ptr %b2, i64 8
  %v2 = load float, ptr %a2, align 4
  %m2 = fmul float %v2, 4.0
  %i3 = zext nneg i32 %e to i64
  %b3 = getelementptr inbounds nuw float, ptr %s, i64 %i3
  %a3 = getelementptr inbounds nuw i8, ptr %b3, i64 12
  %v3 = load float, ptr %a3, align 4
  %m3 = fmul float %v3, 5.0
  %i4 = zext nneg i32 %e to i64
  %b4 = getelementptr inbounds nuw float, ptr %s, i64 %i4
  %a4 = getelementptr inbounds nuw i8, ptr %b4, i64 16
  %v4 = load float, ptr %a4, align 4
  %m4 = fmul float %v4, 6.0
  %i5 = zext nneg i32 %e to i64
  %b5 = getelementptr inbounds nuw float, ptr %s, i64 %i5
  %a5 = getelementptr inbounds nuw i8, ptr %b5, i64 20
  %v5 = load float, ptr %a5, align 4
  %m5 = fmul float %v5, 7.0
  %i6 = zext nneg i32 %e to i64
  %b6 = getelementptr inbounds nuw float, ptr %s, i64 %i6
  %a6 = getelementptr inbounds nuw i8, ptr %b6, i64 24
  %v6 = load float, ptr %a6, align 4
  %m6 = fmul float %v6, 8.0
  %i7 = zext nneg i32 %e to i64
  %b7 = getelementptr inbounds nuw float, ptr %s, i64 %i7
  %a7 = getelementptr inbounds nuw i8, ptr %b7, i64 28
  %v7 = load float, ptr %a7, align 4
  %m7 = fmul float %v7, 9.0
  %x0 = fadd float %m0, 0.0
  %x1 = fadd float %x0, %m1
  %x2 = fadd float %x1, %m2
  %x3 = fadd float %x2, %m3
  %x4 = fadd float %x3, %m4
  %x5 = fadd float %x4, %m5
  %x6 = fadd float %x5, %m6
  %x7 = fadd float %x6, %m7
  %o = getelementptr float, ptr %p, i32 %t
  store float %x7, ptr %o
  ret void
}

; Four elements of each lane in shared memory: 8 shuffles; where one of them is not accessed, windows, with 3 for each.
; WIDE-LABEL: define void @shared_four.w16.rows_full(
; WIDE-COUNT-4: load <16 x i32>
; WIDE-COUNT-8: shufflevector <16 x i32>
; WIDE-NOT: shufflevector
; WIDE: ret void
define void @shared_four(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %s = call ptr @cucpu.shared()
  %c = and i32 %t, 15
  %e = shl i32 %c, 4
  %i = zext nneg i32 %e to i64
  %a0 = getelementptr i8, ptr %s, i64 %i
  %a1 = getelementptr i8, ptr %a0, i64 4
  %a2 = getelementptr i8, ptr %a0, i64 8
  %a3 = getelementptr i8, ptr %a0, i64 12
  %v0 = load float, ptr %a0, align 4
  %v1 = load float, ptr %a1, align 4
  %v2 = load float, ptr %a2, align 4
  %v3 = load float, ptr %a3, align 4
  %s0 = fmul float %v0, %v1
  %s1 = fsub float %s0, %v2
  %s2 = fsub float %s1, %v3
  %ti = zext i32 %t to i64
  %o = getelementptr float, ptr %p, i64 %ti
  store float %s2, ptr %o
  ret void
}
; WIDE-LABEL: define void @shared_three.w16.rows_full(
; WIDE-COUNT-4: load <16 x float>
; WIDE: shufflevector <16 x float>
; WIDE: ret void
define void @shared_three(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %s = call ptr @cucpu.shared()
  %c = and i32 %t, 15
  %e = shl i32 %c, 4
  %i = zext nneg i32 %e to i64
  %a0 = getelementptr i8, ptr %s, i64 %i
  %a1 = getelementptr i8, ptr %a0, i64 4
  %a2 = getelementptr i8, ptr %a0, i64 8
  %v0 = load float, ptr %a0, align 4
  %v1 = load float, ptr %a1, align 4
  %v2 = load float, ptr %a2, align 4
  %s0 = fmul float %v0, %v1
  %s1 = fsub float %s0, %v2
  %ti = zext i32 %t to i64
  %o = getelementptr float, ptr %p, i64 %ti
  store float %s1, ptr %o
  ret void
}
