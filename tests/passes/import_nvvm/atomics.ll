; Atomics are LLVM instructions already and stay as they are.
; RUN: %cucpu-opt --passes=import_nvvm %s | FileCheck %s
define ptx_kernel void @k(ptr %p, i32 %v) {
  %a = atomicrmw add ptr %p, i32 %v seq_cst
  %b = cmpxchg ptr %p, i32 %a, i32 %v seq_cst seq_cst
  ret void
}
; CHECK-LABEL: define void @k(
; CHECK: atomicrmw add ptr %p, i32 %v seq_cst
; CHECK: cmpxchg ptr %p, i32 %a, i32 %v seq_cst seq_cst
