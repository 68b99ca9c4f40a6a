; What crosses a barrier goes to the cheapest place: nothing for ids and what is computed from them, a slot of the
; block for what all its threads share, a slot of the group for the rest.
; RUN: %cucpu-opt --passes=split_barriers --simd=1 --report=frames %s 2>&1 | FileCheck %s
; RUN: %cucpu-opt --passes=split_barriers --simd=1 --report=frames --disable=frame_classes %s 2>&1 | FileCheck --check-prefix=ALL %s
define void @k(ptr %p, i32 %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = add i32 %t, %n
  %q = getelementptr i32, ptr %p, i32 %i
  %v = load i32, ptr %q
  %b = call i32 @cucpu.ctaid.x()
  %u = udiv i32 %n, 3
  %w = mul i32 %u, %b
  %x = udiv i32 %w, 5
  call void @cucpu.barrier(i32 0)
  store i32 %x, ptr %q
  %s = getelementptr i32, ptr %q, i32 1
  store i32 %v, ptr %s
  ret void
}
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()
declare void @cucpu.barrier(i32)
; CHECK: frames: k: {{.*}}: 4.00 bytes per thread and 4 per block saved, {{.*}}; local arrays 0
; CHECK-LABEL: define void @k(
; CHECK: store i32 %x, ptr %[[N:.*]]
; CHECK: call void @cucpu.barrier
; CHECK-NEXT: call ptr @cucpu.
; CHECK: getelementptr i32, ptr %p
; CHECK: ret void
; CHECK: "cucpu.frame"="0,4"
; ALL: frames: k: {{.*}}: 16.00 bytes per thread and 0 per block saved
