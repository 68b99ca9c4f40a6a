; RUN: %cucpu-opt --passes=duplicate_exit_tails --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=duplicate_exit_tails,linearise --simd=8 %s -o - | FileCheck %s --check-prefix=LINEAR
; RUN: not %cucpu-opt --passes=linearise --simd=8 %s -o - 2>&1 | FileCheck %s --check-prefix=REFUSED
; One block does what several exits do: lanes that go round the barrier have a copy of it, and linear code has that in front.
; REFUSED: some threads bypass a barrier that others reach
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)

; CHECK-LABEL: @kernel
; CHECK: rest:
; CHECK: br label %[[COPY:exit[0-9]*]]
; CHECK: [[COPY]]:
; CHECK: store i32
; CHECK: end:
; CHECK: store i32
; LINEAR-LABEL: @kernel
; LINEAR: store i32
; LINEAR: call void @cucpu.barrier
; LINEAR: store i32
define void @kernel(ptr %out, ptr %in) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %odd = trunc i32 %t to i1
  br i1 %odd, label %first, label %rest
first:
  br label %end
rest:
  call void @cucpu.barrier(i32 0)
  store i32 %t, ptr %in
  br label %end
end:
  %v = phi i32 [ 1, %first ], [ %t, %rest ]
  %w = load i32, ptr %in
  %x = add i32 %v, %w
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %x, ptr %p
  ret void
}

; All lanes take one side: nothing is copied.
; CHECK-LABEL: @together
; CHECK-COUNT-1: load i32
; CHECK-NOT: load i32
; CHECK: ret void
define void @together(ptr %out, ptr %in, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %odd = trunc i32 %n to i1
  br i1 %odd, label %first, label %rest
first:
  br label %end
rest:
  call void @cucpu.barrier(i32 0)
  br label %end
end:
  %w = load i32, ptr %in
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %w, ptr %p
  ret void
}
attributes #0 = { "cucpu.kernel" }
