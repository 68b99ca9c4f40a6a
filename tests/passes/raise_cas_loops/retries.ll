; A loop that applies one operation by compare-and-swap becomes that atomic operation.
; RUN: %cucpu-opt --passes=normalise_cfg,raise_cas_loops %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,raise_cas_loops --disable=raise_cas_loops %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: atomicrmw

; CHECK-LABEL: define void @adds(
; CHECK-NOT: load
; CHECK: [[OLD:%[0-9a-z]+]] = atomicrmw add ptr %p, i32 %v monotonic, align 4
; CHECK-NOT: cmpxchg
; CHECK: store i32 {{.*}}, ptr %out
; CHECK: ret void
define void @adds(ptr %p, i32 %v, ptr %out) "cucpu.kernel" {
entry:
  %first = load i32, ptr %p
  br label %again
again:
  %assumed = phi i32 [ %first, %entry ], [ %old, %again ]
  %new = add i32 %v, %assumed
  %r = cmpxchg ptr %p, i32 %assumed, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %r, 0
  %done = icmp eq i32 %old, %assumed
  br i1 %done, label %out.bb, label %again
out.bb:
  store i32 %old, ptr %out
  ret void
}

; CHECK-LABEL: define void @doubles(
; CHECK: atomicrmw fsub ptr %p, double %v syncscope("agent") acquire, align 8
; CHECK-NOT: cmpxchg
; CHECK: ret void
define void @doubles(ptr %p, double %v) "cucpu.kernel" {
entry:
  br label %again
again:
  %assumed = phi i64 [ 0, %entry ], [ %old, %again ]
  %d = bitcast i64 %assumed to double
  %e = fsub double %d, %v
  %new = bitcast double %e to i64
  %r = cmpxchg ptr %p, i64 %assumed, i64 %new syncscope("agent") acquire acquire
  %old = extractvalue { i64, i1 } %r, 0
  %got = extractvalue { i64, i1 } %r, 1
  br i1 %got, label %out.bb, label %again
out.bb:
  ret void
}

; CHECK-LABEL: define void @least(
; CHECK: atomicrmw umin ptr %p, i32 %v monotonic
; CHECK: ret void
define void @least(ptr %p, i32 %v) "cucpu.kernel" {
entry:
  br label %again
again:
  %assumed = phi i32 [ 0, %entry ], [ %old, %again ]
  %new = call i32 @llvm.umin.i32(i32 %assumed, i32 %v)
  %r = cmpxchg ptr %p, i32 %assumed, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %r, 0
  %again.c = icmp ne i32 %assumed, %old
  br i1 %again.c, label %again, label %out.bb
out.bb:
  ret void
}

; v - assumed is no subtraction from memory; an operation of assumed twice has no second operand.
; CHECK-LABEL: define void @from(
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @from(ptr %p, i32 %v) "cucpu.kernel" {
entry:
  br label %again
again:
  %assumed = phi i32 [ 0, %entry ], [ %old, %again ]
  %new = sub i32 %v, %assumed
  %r = cmpxchg ptr %p, i32 %assumed, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %r, 0
  %done = icmp eq i32 %old, %assumed
  br i1 %done, label %out.bb, label %again
out.bb:
  ret void
}
; CHECK-LABEL: define void @twice(
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @twice(ptr %p) "cucpu.kernel" {
entry:
  br label %again
again:
  %assumed = phi i32 [ 0, %entry ], [ %old, %again ]
  %new = add i32 %assumed, %assumed
  %r = cmpxchg ptr %p, i32 %assumed, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %r, 0
  %done = icmp eq i32 %old, %assumed
  br i1 %done, label %out.bb, label %again
out.bb:
  ret void
}

; The new value is asked for; the loop ends when the swap fails; each round stores elsewhere as well.
; CHECK-LABEL: define void @asked(
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @asked(ptr %p, i32 %v, ptr %out) "cucpu.kernel" {
entry:
  br label %again
again:
  %assumed = phi i32 [ 0, %entry ], [ %old, %again ]
  %new = add i32 %assumed, %v
  %r = cmpxchg ptr %p, i32 %assumed, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %r, 0
  %done = icmp eq i32 %old, %assumed
  br i1 %done, label %out.bb, label %again
out.bb:
  store i32 %new, ptr %out
  ret void
}
; CHECK-LABEL: define void @fails(
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @fails(ptr %p, i32 %v) "cucpu.kernel" {
entry:
  br label %again
again:
  %assumed = phi i32 [ 0, %entry ], [ %old, %again ]
  %new = add i32 %assumed, %v
  %r = cmpxchg ptr %p, i32 %assumed, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %r, 0
  %done = icmp ne i32 %old, %assumed
  br i1 %done, label %out.bb, label %again
out.bb:
  ret void
}
; CHECK-LABEL: define void @counts(
; CHECK-NOT: atomicrmw
; CHECK: ret void
define void @counts(ptr %p, i32 %v, ptr %out) "cucpu.kernel" {
entry:
  br label %again
again:
  %assumed = phi i32 [ 0, %entry ], [ %old, %again ]
  store i32 %assumed, ptr %out
  %new = add i32 %assumed, %v
  %r = cmpxchg ptr %p, i32 %assumed, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %r, 0
  %done = icmp eq i32 %old, %assumed
  br i1 %done, label %out.bb, label %again
out.bb:
  ret void
}
declare i32 @llvm.umin.i32(i32, i32)
