; Stores to one address in each iteration of a loop become one store after it: of parameters that are noalias, or that a
; launch tests to point to allocations of their own.
; RUN: %cucpu-opt --passes=promote_accumulators %s | FileCheck %s
; RUN: %cucpu-opt --passes=promote_accumulators,make_variants --simd=8 --cpu=x86-64-v3 %s | FileCheck --check-prefix=MADE %s
; RUN: %cucpu-opt --passes=promote_accumulators --disable=promote_accumulators %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: overlapping

; MADE-DAG: define void @tested.overlapping.w8.rows_full(
; MADE-DAG: define void @tested.overlapping.w1.rows_full(
; MADE-DAG: define void @tested.w8.general(
; MADE-NOT: define void @tested.overlapping(
; MADE-NOT: promised.overlapping

; CHECK-LABEL: define void @tested(ptr %a, ptr noalias %y, i32 %n)
; CHECK: loop:
; CHECK-NOT: store
; CHECK: br i1 %more
; CHECK: store float
; CHECK: ret void
define void @tested(ptr %a, ptr %y, i32 %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = sext i32 %t to i64
  %to = getelementptr float, ptr %y, i64 %e
  store float 0.0, ptr %to
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %latch ]
  %sum = phi float [ 0.0, %0 ], [ %s, %latch ]
  %i = sext i32 %k to i64
  %p = getelementptr float, ptr %a, i64 %i
  %v = load float, ptr %p
  %s = fadd float %sum, %v
  store float %s, ptr %to
  %next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %latch, label %end
latch:
  br label %loop
end:
  ret void
}

; CHECK-LABEL: define void @promised(
; CHECK-NOT: cucpu.apart
; CHECK: loop:
; CHECK-NOT: store
; CHECK: br i1 %more
define void @promised(ptr %a, ptr noalias %y, i32 %n) "cucpu.kernel" {
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %latch ]
  %sum = phi float [ 0.0, %0 ], [ %s, %latch ]
  %i = sext i32 %k to i64
  %p = getelementptr float, ptr %a, i64 %i
  %v = load float, ptr %p
  %s = fadd float %sum, %v
  store float %s, ptr %y
  %next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %latch, label %end
latch:
  br label %loop
end:
  ret void
}

; Nothing is known of addresses that are loaded; atomics of another parameter are no obstacle; a barrier is.
; CHECK-LABEL: define void @pointers(ptr %rows, ptr %y, i32 %n)
; CHECK: store float
; CHECK: br i1 %more
define void @pointers(ptr %rows, ptr %y, i32 %n) "cucpu.kernel" {
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %latch ]
  %sum = phi float [ 0.0, %0 ], [ %s, %latch ]
  %p = load ptr, ptr %rows
  %v = load float, ptr %p
  %s = fadd float %sum, %v
  store float %s, ptr %y
  %next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %latch, label %end
latch:
  br label %loop
end:
  ret void
}

; CHECK-LABEL: define void @counts(ptr %a, ptr noalias %y, i32 %n)
; CHECK: loop:
; CHECK-NOT: store
; CHECK: br i1 %more
define void @counts(ptr %a, ptr %y, i32 %n) "cucpu.kernel" {
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %latch ]
  %sum = phi i32 [ 0, %0 ], [ %s, %latch ]
  %v = atomicrmw add ptr %a, i32 1 monotonic
  %s = add i32 %sum, %v
  store i32 %s, ptr %y
  %next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %latch, label %end
latch:
  br label %loop
end:
  ret void
}

; CHECK-LABEL: define void @waits(ptr %a, ptr %y, i32 %n)
; CHECK: store float
; CHECK: call void @cucpu.barrier
define void @waits(ptr %a, ptr %y, i32 %n) "cucpu.kernel" {
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %latch ]
  %sum = phi float [ 0.0, %0 ], [ %s, %latch ]
  %i = sext i32 %k to i64
  %p = getelementptr float, ptr %a, i64 %i
  %v = load float, ptr %p
  %s = fadd float %sum, %v
  store float %s, ptr %y
  call void @cucpu.barrier(i32 0)
  %next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %latch, label %end
latch:
  br label %loop
end:
  ret void
}

declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)
; CHECK: attributes {{.*}}"cucpu.apart"="2,3,0"
