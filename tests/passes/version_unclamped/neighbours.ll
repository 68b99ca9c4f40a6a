; Neighbours at clamped places lie in a row where no lane of the group is clamped.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_unclamped --simd=8 --opt=3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_unclamped,linearise,widen --simd=8 --opt=3 --cpu=x86-64-v3 %s | FileCheck --check-prefix=WIDE %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_unclamped,version_unclamped --simd=8 --opt=3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_unclamped --simd=8 --opt=3 --disable=version_unclamped %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: {{^[a-z.]*}}unclamped
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()
declare void @cucpu.barrier(i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.usub.sat.i32(i32, i32)

; The tests of both neighbours are asked in front; the sum between max and min is among them.
; CHECK-LABEL: define void @neighbours.w8.rows_full(
; CHECK: %[[X:.*]] = freeze i32 %x
; CHECK: icmp sge i32 %[[X]], 1
; CHECK: icmp sge i32 %[[X]], -1
; CHECK: %all = call i1 @cucpu.all(
; CHECK-NEXT: br i1 %all, label %unclamped, label %rows
; CHECK: unclamped:
; CHECK-NOT: llvm.smax
; CHECK-NOT: llvm.smin
; CHECK: rows:
; CHECK: call i32 @llvm.smax.i32(i32 %x, i32 1), !cucpu.clamp
; CHECK: call i32 @llvm.smin.i32({{.*}}, !cucpu.clamp
; WIDE-LABEL: define void @neighbours.w8.rows_full(
; WIDE: unclamped{{.*}}:
; WIDE-NOT: masked.gather
; WIDE: load <8 x float>
; WIDE: load <8 x float>
; WIDE: store <8 x float>
; WIDE: rows:
; WIDE: masked.gather
define void @neighbours(ptr noalias %p, ptr noalias %o, i32 %w) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = shl i32 %b, 7
  %x = add i32 %s, %t
  %l1 = call i32 @llvm.smax.i32(i32 %x, i32 1)
  %l = add i32 %l1, -1
  %r1 = call i32 @llvm.smax.i32(i32 %x, i32 -1)
  %r2 = add nsw i32 %r1, 1
  %last = add i32 %w, -1
  %r = call i32 @llvm.smin.i32(i32 %r2, i32 %last)
  %li = sext i32 %l to i64
  %ri = sext i32 %r to i64
  %la = getelementptr float, ptr %p, i64 %li
  %ra = getelementptr float, ptr %p, i64 %ri
  %u = load float, ptr %la
  %v = load float, ptr %ra
  %f = fadd float %u, %v
  %xi = sext i32 %x to i64
  %oa = getelementptr float, ptr %o, i64 %xi
  store float %f, ptr %oa
  ret void
}

; A border that goes round, and a difference that does not go below zero.
; CHECK-LABEL: define void @round.w8.rows_full(
; CHECK-DAG: icmp ne i32 %{{.*}}, 0
; CHECK-DAG: icmp uge i32 %{{.*}}, 3
; CHECK: br i1 %all, label %unclamped
; CHECK: unclamped:
; CHECK: sub nuw i32 %x, 3
; CHECK: ret void
define void @round(ptr noalias %p, ptr noalias %o, i32 %w) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = shl i32 %b, 7
  %x = add i32 %s, %t
  %first = icmp eq i32 %x, 0
  %last = add i32 %w, -1
  %before = add i32 %x, -1
  %l = select i1 %first, i32 %last, i32 %before
  %far = call i32 @llvm.usub.sat.i32(i32 %x, i32 3)
  %li = sext i32 %l to i64
  %fi = zext i32 %far to i64
  %la = getelementptr float, ptr %p, i64 %li
  %fa = getelementptr float, ptr %p, i64 %fi
  %u = load float, ptr %la
  %v = load float, ptr %fa
  %f = fadd float %u, %v
  %xi = sext i32 %x to i64
  %oa = getelementptr float, ptr %o, i64 %xi
  store float %f, ptr %oa
  ret void
}

; Remainders that go round, by a number and by a mask, and one that all lanes share.
; CHECK-LABEL: define void @torus.w8.rows_full(
; CHECK-DAG: icmp sge i32 %{{.*}}, %{{.*}}
; CHECK-DAG: icmp sgt i32 %{{.*}}, 0
; CHECK-DAG: icmp ult i32 %{{.*}}, 256
; CHECK: %all = call i1 @cucpu.all(
; CHECK: unclamped:
; CHECK-NOT: srem
; CHECK-NOT: and i32 %{{.*}}, 255
; CHECK: rows:
; CHECK: srem
; CHECK: srem
define void @torus(ptr noalias %p, ptr noalias %o, i32 %w, i32 %h, i32 %y) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = shl i32 %b, 7
  %x = add i32 %s, %t
  %l1 = add nsw i32 %x, -1
  %l2 = add nsw i32 %l1, %w
  %l = srem i32 %l2, %w
  %r1 = add nsw i32 %x, 1
  %r = and i32 %r1, 255
  %y1 = add nsw i32 %y, -1
  %y2 = add nsw i32 %y1, %h
  %yr = srem i32 %y2, %h
  %row = mul nsw i32 %yr, %w
  %li = add nsw i32 %row, %l
  %ri = add nsw i32 %row, %r
  %lx = sext i32 %li to i64
  %rx = sext i32 %ri to i64
  %la = getelementptr float, ptr %p, i64 %lx
  %ra = getelementptr float, ptr %p, i64 %rx
  %u = load float, ptr %la
  %v = load float, ptr %ra
  %f = fadd float %u, %v
  %xi = sext i32 %x to i64
  %oa = getelementptr float, ptr %o, i64 %xi
  store float %f, ptr %oa
  ret void
}

; Data, and rows that all lanes share.
; CHECK-LABEL: define void @others.w8.rows_full(
; CHECK-NOT: unclamped
; CHECK: ret void
define void @others(ptr noalias %p, ptr noalias %o, i32 %y) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %xi = zext i32 %x to i64
  %a = getelementptr i32, ptr %p, i64 %xi
  %v = load i32, ptr %a
  %c = call i32 @llvm.smax.i32(i32 %v, i32 0)
  %d = call i32 @llvm.smax.i32(i32 %y, i32 0)
  %ci = sext i32 %c to i64
  %di = sext i32 %d to i64
  %ca = getelementptr i32, ptr %p, i64 %ci
  %da = getelementptr i32, ptr %p, i64 %di
  %u = load i32, ptr %ca
  %w = load i32, ptr %da
  %sum = add i32 %u, %w
  %oa = getelementptr i32, ptr %o, i64 %xi
  store i32 %sum, ptr %oa
  ret void
}

; A barrier cannot be copied.
; CHECK-LABEL: define void @waits.w8.rows_full(
; CHECK-NOT: unclamped
; CHECK: ret void
define void @waits(ptr noalias %p, i32 %w) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %c = call i32 @llvm.smin.i32(i32 %x, i32 %w)
  %ci = sext i32 %c to i64
  %a = getelementptr i32, ptr %p, i64 %ci
  %v = load i32, ptr %a
  call void @cucpu.barrier(i32 0)
  %xi = zext i32 %x to i64
  %oa = getelementptr i32, ptr %p, i64 %xi
  store i32 %v, ptr %oa
  ret void
}

; In a loop the test is asked each time.
; CHECK-LABEL: define void @loop.w8.rows_full(
; CHECK: br label %body
; CHECK: %all = call i1 @cucpu.all(
; CHECK: br i1 %all, label %unclamped, label %rows
; CHECK: ret void
define void @loop(ptr noalias %p, ptr noalias %o, i32 %r, i32 %w) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %body
body:
  %d = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi float [ 0.0, %entry ], [ %plus, %body ]
  %x = add i32 %t, %d
  %c = call i32 @llvm.smin.i32(i32 %x, i32 %w)
  %ci = sext i32 %c to i64
  %a = getelementptr float, ptr %p, i64 %ci
  %v = load float, ptr %a
  %plus = fadd float %sum, %v
  %next = add nuw nsw i32 %d, 1
  %go = icmp slt i32 %next, %r
  br i1 %go, label %body, label %end
end:
  %xi = zext i32 %t to i64
  %oa = getelementptr float, ptr %o, i64 %xi
  store float %plus, ptr %oa
  ret void
}

; A bit of a comparison is a clamp, too: c + (x != last), which is c + 1 inside.
; CHECK-LABEL: define void @bits.w8.rows_full(
; CHECK: icmp ne i32
; CHECK: %all = call i1 @cucpu.all(
; CHECK: unclamped:
; CHECK-NOT: zext i1
; CHECK: rows:
; CHECK: zext i1 {{.*}} to i32, !cucpu.clamp
; WIDE-LABEL: define void @bits.w8.rows_full(
; WIDE: unclamped{{.*}}:
; WIDE-NOT: masked.gather
; WIDE: load <8 x float>
define void @bits(ptr noalias %in, ptr noalias %out, i32 %last) "cucpu.kernel" {
  %b = call i32 @cucpu.ctaid.x()
  %t = call i32 @cucpu.tid.x()
  %s = mul nsw i32 %b, 32
  %x = add nsw i32 %s, %t
  %inside = icmp ne i32 %x, %last
  %bit = zext i1 %inside to i32
  %e = add nsw i32 %x, %bit
  %i = sext i32 %e to i64
  %p = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %p
  %w = fadd float %v, 1.0
  %j = sext i32 %x to i64
  %q = getelementptr float, ptr %out, i64 %j
  store float %w, ptr %q
  ret void
}
