; RUN: %cucpu-opt --passes=guard_coherent --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=guard_coherent --simd=1 %s -o - | FileCheck %s --check-prefix=ONE
; A loop on a side of a divergent branch is skipped when no lane goes there; one with a barrier only if the other side is nothing.
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)

; CHECK-LABEL: define {{.*}} @loop
; CHECK: %any = call i1 @cucpu.any(i1 %c)
; CHECK: br i1 %any
; ONE-LABEL: define {{.*}} @loop
; ONE-NOT: cucpu.any
define void @loop(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %pre, label %skip
skip:
  br label %out
pre:
  br label %head
head:
  %i = phi i32 [ 0, %pre ], [ %next, %latch ]
  %next = add i32 %i, 1
  store volatile i32 %i, ptr %p
  %more = icmp slt i32 %next, %n
  br i1 %more, label %latch, label %done
latch:
  br label %head
done:
  br label %out
out:
  ret void
}

; CHECK-LABEL: define {{.*}} @barrier
; CHECK-NOT: call {{.*}}cucpu.any
; CHECK: ret void
define void @barrier(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %skip
skip:
  br label %out
then:
  call void @cucpu.barrier(i32 0)
  br label %out
out:
  ret void
}
; Some threads return in front of a loop with a barrier: groups of none but these do not begin it.
; CHECK-LABEL: define {{.*}} @past
; CHECK: %any = call i1 @cucpu.any(i1 %c)
; CHECK: br i1 %any
define void @past(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %pre, label %skip
skip:
  br label %out
pre:
  br label %head
head:
  %i = phi i32 [ 0, %pre ], [ %next, %latch ]
  %next = add i32 %i, 1
  call void @cucpu.barrier(i32 0)
  %more = icmp slt i32 %next, %n
  br i1 %more, label %latch, label %done
latch:
  br label %head
done:
  store i32 %n, ptr %p
  br label %out
out:
  ret void
}

; They store first, which must not wait for the barrier.
; CHECK-LABEL: define {{.*}} @beside
; CHECK-NOT: call {{.*}}cucpu.any
; CHECK: ret void
define void @beside(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %c = icmp slt i32 %t, %n
  br i1 %c, label %pre, label %skip
skip:
  store i32 1, ptr %p
  br label %out
pre:
  br label %head
head:
  %i = phi i32 [ 0, %pre ], [ %next, %latch ]
  %next = add i32 %i, 1
  call void @cucpu.barrier(i32 0)
  %more = icmp slt i32 %next, %n
  br i1 %more, label %latch, label %done
latch:
  br label %head
done:
  store i32 %n, ptr %p
  br label %out
out:
  ret void
}
attributes #0 = { "cucpu.kernel" }
