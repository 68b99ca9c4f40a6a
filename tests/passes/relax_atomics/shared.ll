; RUN: %cucpu-opt --passes=make_variants,relax_atomics --simd=1 %s -o - | FileCheck %s
; Shared memory belongs to one worker: no lock.  Global memory keeps its atomic.
declare ptr @cucpu.shared()

; CHECK-LABEL: define {{.*}} @kernel.w1.rows_full
; CHECK: %old = load i32, ptr %s
; CHECK: add i32 %old, 5
; CHECK: store i32
; CHECK: atomicrmw add ptr %p, i32 7
define void @kernel(ptr %p) #0 {
  %s = call ptr @cucpu.shared()
  %a = atomicrmw add ptr %s, i32 5 monotonic
  %b = atomicrmw add ptr %p, i32 7 monotonic
  store i32 %a, ptr %p
  ret void
}
attributes #0 = { "cucpu.kernel" }
