; Volatile shared memory: lanes run in step, so a thread stops in front of every access.  So in global memory where a block stores to one
; element of an array and loads another; not where it only changes one, nor in a kernel that waits for others.
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
; CHECK-LABEL: define {{.*}} @exchange.w1.rows_full
; CHECK: call i32 @cucpu.meet(i32 1073741844, i32 0,
; CHECK-NEXT: load volatile i32, ptr %p
; CHECK: call i32 @cucpu.meet(i32 1073741844, i32 0,
; CHECK-NEXT: load volatile i32, ptr %q
; CHECK: call i32 @cucpu.meet(i32 1073741844, i32 0,
; CHECK-NEXT: store volatile
; CHECK-NOT: cucpu.meet
; CHECK: load volatile i32, ptr %h
define void @exchange(ptr %g, ptr %h) #0 {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %g, i32 %t
  %q = getelementptr i8, ptr %p, i64 64
  %v = load volatile i32, ptr %p
  %u = load volatile i32, ptr %q
  %w = add i32 %v, %u
  store volatile i32 %w, ptr %p
  %x = load volatile i32, ptr %h
  ret void
}

; CHECK-LABEL: define {{.*}} @own.w1.rows_full
; CHECK-NOT: cucpu.meet
; CHECK: ret void
define void @own(ptr %g) #0 {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %g, i32 %t
  %v = load volatile i32, ptr %p
  %w = add i32 %v, 1
  store volatile i32 %w, ptr %p
  ret void
}

; CHECK-LABEL: define {{.*}} @waits.w1.rows_full
; CHECK-NOT: cucpu.meet
; CHECK: ret void
define void @waits(ptr %g, ptr %flag) #0 {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %g, i32 %t
  %q = getelementptr i8, ptr %p, i64 64
  br label %again

again:
  %f = load volatile i32, ptr %flag
  %z = icmp eq i32 %f, 0
  br i1 %z, label %again.again, label %then
again.again:
  br label %again

then:
  %u = load volatile i32, ptr %q
  store volatile i32 %u, ptr %p
  ret void
}
attributes #0 = { "cucpu.kernel" }
