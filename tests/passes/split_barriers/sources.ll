; A vector that is made of scalars is not saved: they are, and it is made again after the barrier. A broadcast has one
; such source; an affine value of unknown base and stride two, which are saved before they are extended.
; RUN: %cucpu-opt --passes=make_variants,linearise,widen,split_barriers --simd=16 --report=frames %s 2>&1 >%t.ll | FileCheck %s
; RUN: FileCheck --check-prefix=IR %s < %t.ll
; CHECK: frames: broadcast.w16.rows_full: {{.*}}: 0.25 bytes per thread and 0 per block saved
; CHECK: frames: affine.w16.rows_full: {{.*}}: 0.50 bytes per thread and 0 per block saved
; CHECK: frames: vector.w16.rows_full: {{.*}}: 4.00 bytes per thread and 0 per block saved
; IR-LABEL: define {{.*}} @broadcast.w16.rows_full
; IR: [[U:%.*]] = load i32, ptr %q
; IR: store i32 [[U]], ptr %slot
; IR: call void @cucpu.barrier
; IR: [[KEPT:%.*]] = load i32, ptr
; IR: insertelement <16 x i32> poison, i32 [[KEPT]], i64 0
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)

define void @broadcast(ptr %out, ptr %q) #0 {
  %t = call i32 @cucpu.tid.x()
  %u = load i32, ptr %q
  call void @cucpu.barrier(i32 0)
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %u, ptr %p
  ret void
}

define void @affine(ptr %out, ptr %q) #0 {
  %t = call i32 @cucpu.tid.x()
  %stride = load i32, ptr %q
  %next = getelementptr i32, ptr %q, i32 1
  %base = load i32, ptr %next
  %a = mul nsw i32 %t, %stride
  %b = add nsw i32 %a, %base
  %i = sext i32 %b to i64
  call void @cucpu.barrier(i32 0)
  %p = getelementptr i32, ptr %out, i64 %i
  store i32 1, ptr %p
  ret void
}

define void @vector(ptr %out, ptr %q) #0 {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %out, i32 %t
  %v = load i32, ptr %p
  call void @cucpu.barrier(i32 0)
  store i32 %v, ptr %q
  store i32 %v, ptr %p
  ret void
}
attributes #0 = { "cucpu.kernel" }
