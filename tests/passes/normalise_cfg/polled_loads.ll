; RUN: %cucpu-opt --passes=normalise_cfg %s -o - | FileCheck %s
; A load with a cache operator is marked; where a loop polls by it, it is made in each round, elsewhere it is like any other.

; CHECK-LABEL: @polls
; CHECK: load volatile i32, ptr %flag
; CHECK: ret void
define void @polls(ptr %flag, ptr %out) #0 {
entry:
  br label %head
head:
  %v = load i32, ptr %flag, !nontemporal !0
  %go = icmp eq i32 %v, 0
  br i1 %go, label %head, label %done
done:
  store i32 %v, ptr %out
  ret void
}

; CHECK-LABEL: @sums
; CHECK-NOT: volatile
; CHECK-NOT: nontemporal
; CHECK: ret void
define void @sums(ptr %a, ptr %out, i32 %n) #0 {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %head ]
  %s = phi i32 [ 0, %entry ], [ %t, %head ]
  %p = getelementptr i32, ptr %a, i32 %i
  %v = load i32, ptr %p, !nontemporal !0
  %t = add i32 %s, %v
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %done
done:
  store i32 %t, ptr %out
  ret void
}
attributes #0 = { "cucpu.kernel" }
!0 = !{i32 1}
