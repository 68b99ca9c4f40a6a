; Shared memory is the block's own: no bus lock in the function either, which cannot tell.
; RUN: %cucpu-opt --passes=normalise_cfg,outline_retries %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,outline_retries --disable=relax_atomics %s | FileCheck --check-prefix=OFF %s
; CHECK-LABEL: define internal void @adds.retry(
; CHECK-NOT: cmpxchg
; CHECK: load i32
; CHECK: store i32
; OFF: cmpxchg
declare ptr @cucpu.shared()
define void @adds(i32 %v) "cucpu.kernel" {
entry:
  %p = call ptr @cucpu.shared()
  %first = load i32, ptr %p
  br label %again
again:
  %assumed = phi i32 [ %first, %entry ], [ %old, %again ]
  %new = add i32 %assumed, %v
  %r = cmpxchg ptr %p, i32 %assumed, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %r, 0
  %done = icmp eq i32 %old, %assumed
  br i1 %done, label %out, label %again
out:
  ret void
}
