; Shared memory is the block's own: no bus lock in the function either, which cannot tell.
; RUN: %cucpu-opt --passes=normalise_cfg,outline_cas_loops %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,outline_cas_loops --disable=relax_atomics %s | FileCheck --check-prefix=OFF %s
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
; Code of one lane beside that of several has the loop itself, as at --simd=1.
; RUN: %cucpu-opt --passes=normalise_cfg,outline_cas_loops,make_variants --cpu=x86-64-v4 %s | FileCheck --check-prefix=ALONE %s
; RUN: %cucpu-opt --passes=normalise_cfg,outline_cas_loops,make_variants --cpu=x86-64-v4 --simd=8 %s | FileCheck --check-prefix=LANES %s
; ALONE-LABEL: define {{.*}}@adds.w1.rows_full(
; ALONE-NOT: call {{.*}}retry
; ALONE: phi i32
; ALONE: ret void
; LANES-LABEL: define {{.*}}@adds.w8.rows_full(
; LANES: call {{.*}}retry
