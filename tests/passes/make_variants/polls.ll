; A loop that may wait for another block is flagged (128): the runtime starts such blocks in order.
; RUN: %cucpu-opt --passes=make_variants --simd=1 %s | FileCheck %s
@turn = addrspace(1) global i32 0

; CHECK: define {{.*}}@polls.w1{{.*}} #[[POLLS:[0-9]+]]
define void @polls() "cucpu.kernel" {
entry:
  br label %again
again:
  %v = load volatile i32, ptr addrspace(1) @turn
  %c = icmp eq i32 %v, 0
  br i1 %c, label %again, label %done
done:
  ret void
}

; Once for all threads, whatever it reads.
; CHECK: define {{.*}}@counts.w1{{.*}} #[[COUNTS:[0-9]+]]
define void @counts(i32 %n) "cucpu.kernel" {
entry:
  br label %again
again:
  %i = phi i32 [ 0, %entry ], [ %j, %again ]
  %v = load volatile i32, ptr addrspace(1) @turn
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %again, label %done
done:
  ret void
}
; CHECK-DAG: attributes #[[POLLS]] = {{.*}}"cucpu.flags"="128"
; CHECK-DAG: attributes #[[COUNTS]] = {{.*}}"cucpu.flags"="0"
