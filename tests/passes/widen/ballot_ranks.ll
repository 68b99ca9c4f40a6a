; The lanes of a mask that precede each are ranks: what the active lanes store there is packed if the mask is theirs. A
; register at a time: halves of a warp.
; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=32 --cpu=x86-64-v4 %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.lane()
declare i32 @cucpu.ballot(i32, i1)
declare i32 @cucpu.activemask()
declare i32 @cucpu.shfl.idx(i32, i32, i32, i32)
declare i32 @llvm.ctpop.i32(i32)

; CHECK-LABEL: define void @ballot.w32.rows_full(
; CHECK: [[SERVED:%.*]] = icmp eq i32 %bits
; CHECK: [[FITS:%.*]] = icmp sle i32 {{%.*}}, 2147483615
; CHECK: and i1 [[SERVED]], [[FITS]]
; CHECK: row:
; CHECK: llvm.experimental.vector.compress.v16f32
; CHECK: llvm.masked.store.v16f32
; CHECK: llvm.experimental.vector.compress.v16f32
; CHECK: llvm.masked.store.v16f32
; CHECK: apart:
; CHECK: llvm.masked.scatter.v32f32
; CHECK: ret void
define void @ballot(i32 %base, ptr %in, ptr %a) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %q = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %q
  %c = fcmp ogt float %v, 1.0
  %m = call i32 @cucpu.ballot(i32 -1, i1 %c)
  br i1 %c, label %then, label %to.end
to.end:
  br label %end
then:
  %lane = and i32 %t, 31
  %bit = shl i32 1, %lane
  %below = add i32 %bit, -1
  %n = and i32 %m, %below
  %k = call i32 @llvm.ctpop.i32(i32 %n)
  %s = add i32 %base, %k
  %e = sext i32 %s to i64
  %p = getelementptr float, ptr %a, i64 %e
  store float %v, ptr %p
  br label %end
end:
  ret void
}

; The own lane, too: one more. Four registers of 8 elements.
; CHECK-LABEL: define void @active.w32.rows_full(
; CHECK: row:
; CHECK-COUNT-4: llvm.masked.store.v8f64
; CHECK: apart:
; CHECK: ret void
define void @active(ptr %in, ptr %a) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %q = getelementptr double, ptr %in, i64 %i
  %v = load double, ptr %q
  %c = fcmp ogt double %v, 1.0
  br i1 %c, label %then, label %to.end
to.end:
  br label %end
then:
  %m = call i32 @cucpu.activemask()
  %lane = call i32 @cucpu.lane()
  %w = zext i32 %lane to i64
  %up = shl i64 -2, %w
  %low = trunc i64 %up to i32
  %upto = xor i32 %low, -1
  %n = and i32 %m, %upto
  %k = call i32 @llvm.ctpop.i32(i32 %n)
  %e = sext i32 %k to i64
  %p = getelementptr double, ptr %a, i64 %e
  store double %v, ptr %p
  br label %end
end:
  ret void
}

; Not the lanes below, or twice the rank: a scatter.
; CHECK-LABEL: define void @others.w32.rows_full(
; CHECK-NOT: compress
; CHECK: scatter
; CHECK-NOT: compress
; CHECK: scatter
; CHECK: ret void
define void @others(ptr %in, ptr %a, ptr %b) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %q = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %q
  %c = fcmp ogt float %v, 1.0
  %m = call i32 @cucpu.ballot(i32 -1, i1 %c)
  br i1 %c, label %then, label %to.end
to.end:
  br label %end
then:
  %lane = call i32 @cucpu.lane()
  %bit = shl i32 1, %lane
  %n = and i32 %m, %bit
  %k = call i32 @llvm.ctpop.i32(i32 %n)
  %e = sext i32 %k to i64
  %p = getelementptr float, ptr %a, i64 %e
  store float %v, ptr %p
  %below = add i32 %bit, -1
  %n2 = and i32 %m, %below
  %k2 = call i32 @llvm.ctpop.i32(i32 %n2)
  %d2 = shl i32 %k2, 1
  %e2 = sext i32 %d2 to i64
  %p2 = getelementptr float, ptr %b, i64 %e2
  store float %v, ptr %p2
  br label %end
end:
  ret void
}

; One lane adds what all agree on: no ranks, no sum over lanes. All read its result: one element.
; CHECK-LABEL: define void @leader.w32.rows_full(
; CHECK-NOT: reduce.add
; CHECK-NOT: expandload
; CHECK: atomicrmw add ptr {{%.*}}, i32 %by monotonic
; CHECK-NOT: vpermi2var
; CHECK: extractelement <32 x i32> {{%.*}}, i32 7
; CHECK: ret void
define void @leader(ptr %n, i32 %by, ptr %a) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %lane = and i32 %t, 31
  %c = icmp eq i32 %lane, 7
  br i1 %c, label %then, label %to.end
to.end:
  br label %end
then:
  %old = atomicrmw add ptr %n, i32 %by monotonic
  br label %end
end:
  %r = phi i32 [ %old, %then ], [ 0, %to.end ]
  %s = call i32 @cucpu.shfl.idx(i32 -1, i32 %r, i32 7, i32 31)
  %w = add i32 %s, %t
  %e = zext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %e
  store i32 %w, ptr %p
  ret void
}
