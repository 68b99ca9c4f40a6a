; A loop that tries a compare-and-swap until it succeeds becomes a function; what waits for others stays a loop.
; RUN: %cucpu-opt --passes=normalise_cfg,outline_cas_loops %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,outline_cas_loops --disable=outline_cas_loops %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: .retry

; CHECK-LABEL: define void @adds(
; CHECK-NOT: cmpxchg
; CHECK-NOT: load
; CHECK: call void @adds.retry(i32 poison,
; CHECK-NOT: cmpxchg
; CHECK: ret void
define void @adds(ptr %p, i32 %v, ptr %out) "cucpu.kernel" {
entry:
  %first = load i32, ptr %p
  br label %again
again:
  %assumed = phi i32 [ %first, %entry ], [ %old, %again ]
  %new = add i32 %assumed, %v
  %r = cmpxchg ptr %p, i32 %assumed, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %r, 0
  %done = icmp eq i32 %old, %assumed
  br i1 %done, label %out.bb, label %again
out.bb:
  store i32 %old, ptr %out
  ret void
}

; A lock: some other thread gives it back.
; CHECK-LABEL: define void @locks(
; CHECK: cmpxchg
; CHECK: ret void
define void @locks(ptr %p, ptr %out) "cucpu.kernel" {
entry:
  br label %again
again:
  %r = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
  %got = extractvalue { i32, i1 } %r, 1
  br i1 %got, label %out.bb, label %again
out.bb:
  store i32 1, ptr %out
  store atomic i32 0, ptr %p release, align 4
  ret void
}

; It waits until a bit is off.
; CHECK-LABEL: define void @sets_bit(
; CHECK: cmpxchg
; CHECK: ret void
define void @sets_bit(ptr %p, ptr %out) "cucpu.kernel" {
entry:
  br label %look
look:
  %v = load volatile i32, ptr %p
  %bit = and i32 %v, 1
  %taken = icmp ne i32 %bit, 0
  br i1 %taken, label %look, label %try
try:
  %new = or i32 %v, 1
  %r = cmpxchg ptr %p, i32 %v, i32 %new monotonic monotonic
  %got = extractvalue { i32, i1 } %r, 1
  br i1 %got, label %out.bb, label %look
out.bb:
  store i32 1, ptr %out
  ret void
}

; Another effect.
; CHECK-LABEL: define void @counts(
; CHECK: cmpxchg
; CHECK: ret void
define void @counts(ptr %p, i32 %v, ptr %rounds) "cucpu.kernel" {
entry:
  %first = load i32, ptr %p
  br label %again
again:
  %assumed = phi i32 [ %first, %entry ], [ %old, %again ]
  %n = phi i32 [ 0, %entry ], [ %n1, %again ]
  %n1 = add i32 %n, 1
  store i32 %n1, ptr %rounds
  %new = add i32 %assumed, %v
  %r = cmpxchg ptr %p, i32 %assumed, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %r, 0
  %done = icmp eq i32 %old, %assumed
  br i1 %done, label %out.bb, label %again
out.bb:
  ret void
}
; The old value may be loaded again in each round.
; CHECK-LABEL: define void @reloads(
; CHECK: call void @reloads.retry(
define void @reloads(ptr %p, i32 %v) "cucpu.kernel" {
entry:
  br label %again
again:
  %assumed = load i32, ptr %p
  %new = add i32 %assumed, %v
  %r = cmpxchg ptr %p, i32 %assumed, i32 %new monotonic monotonic
  %got = extractvalue { i32, i1 } %r, 1
  br i1 %got, label %out.bb, label %again
out.bb:
  ret void
}
; What is stored behind the first load may lie at its place.
; CHECK-LABEL: define void @stores(
; CHECK: [[FIRST:%.*]] = load i32, ptr %p
; CHECK: call void @stores.retry(i32 [[FIRST]],
define void @stores(ptr %p, i32 %v, ptr %q) "cucpu.kernel" {
entry:
  %first = load i32, ptr %p
  store i32 1, ptr %q
  br label %again
again:
  %assumed = phi i32 [ %first, %entry ], [ %old, %again ]
  %new = xor i32 %assumed, %v
  %r = cmpxchg ptr %p, i32 %assumed, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %r, 0
  %done = icmp eq i32 %old, %assumed
  br i1 %done, label %out.bb, label %again
out.bb:
  ret void
}
; The function is no kernel.
; CHECK: define internal void @adds.retry({{.*}}) #[[A:[0-9]+]]
; CHECK: load i32
; CHECK: cmpxchg
; CHECK-NOT: attributes #[[A]] = {{.*}}cucpu.
; CHECK: attributes #[[A]] = { alwaysinline
