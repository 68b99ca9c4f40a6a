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
  br i1 %c, label %again.again, label %done
again.again:
  br label %again
done:
  ret void
}

; Once for all threads, whatever it reads.
; CHECK: define {{.*}}@counts.w1{{.*}} #[[COUNTS:[0-9]+]]
define void @counts(i32 %n) "cucpu.kernel" {
entry:
  br label %again
again:
  %i = phi i32 [ 0, %entry ], [ %j, %again.again ]
  %v = load volatile i32, ptr addrspace(1) @turn
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %again.again, label %done
again.again:
  br label %again
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
  %i = phi i32 [ 0, %round ], [ %j, %each.each ]
  %left = phi i1 [ false, %round ], [ %more, %each.each ]
  %p = getelementptr i32, ptr addrspace(1) %at, i32 %i
  %v = load volatile i32, ptr addrspace(1) %p
  %z = icmp eq i32 %v, 0
  %more = or i1 %left, %z
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %each.each, label %end
each.each:
  br label %each
end:
  %todo = phi i1 [ %more, %each ]
  br i1 %todo, label %end.round, label %done
end.round:
  br label %round
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
  br i1 %c, label %each.latch, label %end
each.latch:
  br label %latch
end:
  br i1 %more, label %end.latch, label %done
end.latch:
  br label %latch
latch:
  %next = phi i32 [ %j, %each.latch ], [ 0, %end.latch ]
  %carry = phi i1 [ %more, %each.latch ], [ false, %end.latch ]
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
  br i1 %z, label %skip, label %each.latch
each.latch:
  br label %latch
skip:
  %w = icmp slt i32 %i, %n
  br i1 %w, label %skip.latch, label %done
skip.latch:
  br label %latch
latch:
  %by = phi i32 [ 1, %each.latch ], [ 2, %skip.latch ]
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
