; A pointer to a function that is a constant once the caller is inlined: a direct call, inlined too, so that its barrier is the kernel's.
; RUN: %cucpu-opt --passes=inline_device %s -o - | FileCheck %s
declare void @cucpu.barrier(i32) #1

define internal void @meet(ptr %out) {
  call void @cucpu.barrier(i32 0)
  store i32 1, ptr %out
  ret void
}

define internal void @apply(ptr %f, ptr %out) {
  %v = alloca ptr
  store ptr %f, ptr %v
  %g = load ptr, ptr %v
  call void %g(ptr %out)
  ret void
}

; CHECK-LABEL: define void @kernel
; CHECK-NOT: call void %
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK-NEXT: store i32 1, ptr %out
; CHECK: ret void
; CHECK-NOT: define internal
define void @kernel(ptr %out) #0 {
  call void @apply(ptr @meet, ptr %out)
  ret void
}
attributes #0 = { "cucpu.kernel" }
attributes #1 = { convergent }
