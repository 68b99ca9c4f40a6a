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
; Rounds over the same places until nothing is left to do; as two loops, and as the one that LLVM makes of them.
; CHECK: define {{.*}}@relaxes.w1{{.*}} #[[RELAXES:[0-9]+]]
define void @relaxes(ptr addrspace(1) %at, i32 %n) "cucpu.kernel" {
entry:
  br label %round
round:
  br label %each
each:
  %i = phi i32 [ 0, %round ], [ %j, %each ]
  %left = phi i1 [ false, %round ], [ %more, %each ]
  %p = getelementptr i32, ptr addrspace(1) %at, i32 %i
  %v = load volatile i32, ptr addrspace(1) %p
  %z = icmp eq i32 %v, 0
  %more = or i1 %left, %z
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %each, label %end
end:
  br i1 %more, label %round, label %done
done:
  ret void
}

; CHECK: define {{.*}}@merged.w1{{.*}} #[[MERGED:[0-9]+]]
define void @merged(ptr addrspace(1) %at, i32 %n) "cucpu.kernel" {
entry:
  br label %each
each:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %left = phi i1 [ false, %entry ], [ %carry, %latch ]
  %p = getelementptr i32, ptr addrspace(1) %at, i32 %i
  %v = load volatile i32, ptr addrspace(1) %p
  %z = icmp eq i32 %v, 0
  %more = or i1 %left, %z
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %latch, label %end
end:
  br i1 %more, label %latch, label %done
latch:
  %next = phi i32 [ %j, %each ], [ 0, %end ]
  %carry = phi i1 [ %more, %each ], [ false, %end ]
  br label %each
done:
  ret void
}

; Each round looks at another place.
; CHECK: define {{.*}}@walks.w1{{.*}} #[[WALKS:[0-9]+]]
define void @walks(ptr addrspace(1) %at, i32 %n) "cucpu.kernel" {
entry:
  br label %each
each:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr i32, ptr addrspace(1) %at, i32 %i
  %v = load volatile i32, ptr addrspace(1) %p
  %z = icmp eq i32 %v, 0
  br i1 %z, label %skip, label %latch
skip:
  %w = icmp slt i32 %i, %n
  br i1 %w, label %latch, label %done
latch:
  %by = phi i32 [ 1, %each ], [ 2, %skip ]
  %next = add i32 %i, %by
  br label %each
done:
  ret void
}
; CHECK-DAG: attributes #[[POLLS]] = {{.*}}"cucpu.flags"="128"
; CHECK-DAG: attributes #[[COUNTS]] = {{.*}}"cucpu.flags"="0"
; CHECK-DAG: attributes #[[RELAXES]] = {{.*}}"cucpu.flags"="128"
; CHECK-DAG: attributes #[[MERGED]] = {{.*}}"cucpu.flags"="128"
; CHECK-DAG: attributes #[[WALKS]] = {{.*}}"cucpu.flags"="0"
