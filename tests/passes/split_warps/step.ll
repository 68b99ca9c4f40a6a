; Volatile shared memory: lanes run in step, so a thread stops in front of every access.
; RUN: %cucpu-opt --passes=make_variants,split_warps --simd=1 %s -o - | FileCheck %s
declare ptr @cucpu.shared()
declare i32 @cucpu.tid.x()

; CHECK-LABEL: define {{.*}} @kernel.w1.rows_full
; CHECK: call i32 @cucpu.meet(i32 1073741844, i32 0,
; CHECK-NEXT: load volatile i32, ptr %p
; CHECK: call i32 @cucpu.meet(i32 1073741844, i32 0,
; CHECK-NEXT: store volatile
; CHECK-NOT: cucpu.meet
; CHECK: load volatile i32, ptr %g
define void @kernel(ptr %g) #0 {
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %s, i32 %t
  %v = load volatile i32, ptr %p
  %w = add i32 %v, 1
  store volatile i32 %w, ptr %p
  %x = load volatile i32, ptr %g
  ret void
}
attributes #0 = { "cucpu.kernel" }
