; A lane that polls keeps its group from going on.  That is allowed where the others wait for it anyway, or have nothing left to
; write: then it waits for other groups or blocks.
; RUN: %cucpu-opt --passes=linearise --simd=8 %s -o - | FileCheck %s
; RUN: sed 's/;LATE//' %s | not %cucpu-opt --passes=linearise --simd=8 -o - 2>&1 | FileCheck --check-prefix=WAITS %s
; RUN: sed 's/;ALL//' %s | not %cucpu-opt --passes=linearise --simd=8 -o - 2>&1 | FileCheck --check-prefix=WAITS %s
; RUN: sed 's/;NEXT//' %s | not %cucpu-opt --passes=linearise --simd=8 -o - 2>&1 | FileCheck --check-prefix=WAITS %s
; RUN: sed 's/;ROWS//; /t ;PLAIN$/d' %s | not %cucpu-opt --passes=linearise --simd=8 -o - 2>&1 | FileCheck --check-prefix=WAITS %s
; RUN: sed 's/;ANY//; /t ;OWN$/d' %s | not %cucpu-opt --passes=linearise --simd=8 -o - 2>&1 | FileCheck --check-prefix=WAITS %s
; RUN: sed 's/;OTHER//' %s | not %cucpu-opt --passes=linearise --simd=8 -o - 2>&1 | FileCheck --check-prefix=WAITS %s
; RUN: sed 's/;TYPES//' %s | not %cucpu-opt --passes=linearise --simd=8 -o - 2>&1 | FileCheck --check-prefix=WAITS %s
; RUN: sed 's/;ARRIVES//; /;WARPS$/d' %s | not %cucpu-opt --passes=linearise --simd=8 -o - 2>&1 | FileCheck --check-prefix=WAITS %s
; RUN: sed 's/;YIELDS//; /;WARPS$/d' %s | not %cucpu-opt --passes=linearise --simd=8 -o - 2>&1 | FileCheck --check-prefix=WAITS %s
; WAITS: unsupported: a lane waits for another lane of its own group
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)
declare void @cucpu.barrier.count(i32, i32)
declare i1 @cucpu.barrier.or(i32, i1)

; One lane polls, takes a lock and gives it back; the others are at the barrier.
; CHECK-LABEL: define void @one(
; CHECK: cmpxchg
; CHECK: call void @cucpu.barrier.count(i32 2147483647, i32 1)
; CHECK: call void @cucpu.barrier(i32 0)
define void @one(ptr %lock, ptr %p) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  store i32 1, ptr %at
  %lone = icmp eq i32 %t, 0
  br i1 %lone, label %pre, label %skip
skip:
  br label %join
pre:
  br label %head
head:
  %x = cmpxchg ptr %lock, i32 0, i32 1 monotonic monotonic
  %ok = extractvalue { i32, i1 } %x, 1
  br i1 %ok, label %out, label %latch
latch:
  br label %head
out:
  store atomic i32 0, ptr %lock release, align 4
  br label %join
join:
  ;LATE store volatile i32 2, ptr %at
  call void @cucpu.barrier(i32 0)
  store i32 3, ptr %at
  ret void
}

; All lanes may poll, and write only behind the barrier.
; CHECK-LABEL: define void @all(
; CHECK: load volatile
; CHECK: call void @cucpu.barrier.count(i32 2147483647, i32 1)
define void @all(ptr %flag, ptr %p) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %v = load i32, ptr %at
  br label %head
head:
  %now = load volatile i32, ptr %flag
  %ok = icmp sge i32 %now, %v
  br i1 %ok, label %out, label %latch
latch:
  br label %head
out:
  ;ALL store i32 4, ptr %flag
  call void @cucpu.barrier(i32 0)
  store i32 3, ptr %at
  ret void
}

; A barrier of some warps, at which the others wait for the polling lane, too; neither bar.arrive nor yielding is one.
; CHECK-LABEL: define void @warps(
; CHECK: load volatile
; CHECK: call void @cucpu.barrier.count(i32 2147483647, i32 1)
; CHECK: call void @cucpu.barrier.count(i32 1, i32 64)
define void @warps(ptr %flag, ptr %p) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %lone = icmp eq i32 %t, 0
  br i1 %lone, label %pre, label %skip
skip:
  br label %join
pre:
  br label %head
head:
  %now = load volatile i32, ptr %flag
  %ok = icmp sge i32 %now, 7
  br i1 %ok, label %out, label %latch
latch:
  br label %head
out:
  br label %join
join:
  call void @cucpu.barrier.count(i32 1, i32 64) ;WARPS
  ;ARRIVES call void @cucpu.barrier.count(i32 1, i32 2147483712)
  ;YIELDS call void @cucpu.barrier.count(i32 2147483647, i32 1)
  store volatile i32 3, ptr %flag
  ret void
}

; Each lane asks for a word of its own, in rows of eight, and then writes one.  Another memory, whose rows may be the same, is written as well.
; CHECK-LABEL: define void @own(
; CHECK: load volatile
; CHECK: call void @cucpu.barrier.count(i32 2147483647, i32 1)
define void @own(ptr %words, ptr %p, i32 %row) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %below = sub i32 %row, 1
  %first = shl i32 %below, 3
  %i = add i32 %first, %t
  %at = getelementptr i32, ptr %words, i32 %i
  %second = shl i32 %row, 3
  ;ROWS %shifted = add i32 %second, 1
  ;ROWS %j = add i32 %shifted, %t
  %j = add i32 %second, %t ;PLAIN
  %to = getelementptr i32, ptr %words, i32 %j
  %q = getelementptr i32, ptr %p, i32 %t ;OWN
  ;ANY %q = getelementptr i32, ptr %p, i32 %row
  br label %head
head:
  %now = load volatile i32, ptr %at
  %ok = icmp ne i32 %now, 0
  br i1 %ok, label %out, label %latch
latch:
  br label %head
out:
  %found = phi i32 [ %now, %head ]
  store volatile i32 %found, ptr %to
  ;OTHER store volatile i32 %t, ptr %q
  store i32 %t, ptr %q
  ret void
}

; Memory of another type than the words that are polled.
; CHECK-LABEL: define void @types(
; CHECK: load volatile
define void @types(ptr %words) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %to = getelementptr float, ptr %words, i32 %t
  br label %head
head:
  %now = load volatile i32, ptr %words, !tbaa !0
  %ok = icmp sgt i32 %now, %t
  br i1 %ok, label %out, label %latch
latch:
  br label %head
out:
  ;TYPES store i32 1, ptr %to, !tbaa !0
  store volatile float 1.0, ptr %to, !tbaa !3
  ret void
}

; All lanes leave together: none is behind the loop.
; CHECK-LABEL: define void @together(
; CHECK: load volatile
define void @together(ptr %flag, ptr %count) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %odd = trunc i32 %t to i1
  br i1 %odd, label %then, label %skip
skip:
  br label %join
then:
  store volatile i32 1, ptr %count
  br label %join
join:
  br label %head
head:
  %now = load volatile i32, ptr %flag
  %ok = icmp ne i32 %now, 0
  br i1 %ok, label %out, label %latch
latch:
  br label %head
out:
  %old = atomicrmw add ptr %count, i32 1 monotonic
  ret void
}

; What stands in front of the poll is done by all lanes by then, also behind another loop.
; CHECK-LABEL: define void @front(
; CHECK: load volatile
define void @front(ptr %flag, ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %in = icmp slt i32 %t, %n
  br i1 %in, label %start, label %none
none:
  br label %end
start:
  br label %loop
loop:
  %i = phi i32 [ 0, %start ], [ %next, %again ]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %again, label %behind
again:
  br label %loop
behind:
  store volatile i32 %t, ptr %p
  %lone = icmp eq i32 %t, 0
  br i1 %lone, label %pre, label %skip
skip:
  br label %join
pre:
  br label %head
head:
  %now = load volatile i32, ptr %flag
  %ok = icmp sgt i32 %now, %n
  br i1 %ok, label %out, label %latch
latch:
  br label %head
out:
  br label %join
join:
  br label %end
end:
  ret void
}

; Every round has another lone lane: with a write in each, the one of the next round could be waited for.
; CHECK-LABEL: define void @rounds(
; CHECK: load volatile
define void @rounds(ptr %flag, ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %lone = icmp eq i32 %t, %i
  br i1 %lone, label %pre, label %skip
skip:
  br label %join
pre:
  br label %head
head:
  %now = load volatile i32, ptr %flag
  %ok = icmp sgt i32 %now, %i
  br i1 %ok, label %out, label %latch
latch:
  br label %head
out:
  ;NEXT store volatile i32 %i, ptr %p
  br label %join
join:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %again, label %end
again:
  br label %loop
end:
  ret void
}

; One lane reads a flag before the loop and in it; all have met again where the loop begins and where it is not needed.
; CHECK-LABEL: define void @met(
; CHECK: load volatile
; CHECK: call i1 @cucpu.barrier.or
; CHECK: load volatile
define void @met(ptr %flag, ptr %p, i32 %parts) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %at = getelementptr i32, ptr %p, i32 %t
  %first = icmp eq i32 %t, 0
  br i1 %first, label %fetch, label %skip
skip:
  br label %fetched
fetch:
  %early = load volatile i32, ptr %flag
  br label %fetched
fetched:
  %state = phi i32 [ 0, %skip ], [ %early, %fetch ]
  %many = icmp sgt i32 %parts, 1
  br i1 %many, label %pre, label %one
one:
  br label %write
pre:
  br label %head
head:
  %now = phi i32 [ %state, %pre ], [ %next, %latch ]
  %stale = icmp slt i32 %now, 0
  %again = call i1 @cucpu.barrier.or(i32 0, i1 %stale)
  br i1 %again, label %body, label %out
body:
  br i1 %first, label %poll, label %idle
idle:
  br label %latch
poll:
  %late = load volatile i32, ptr %flag
  br label %latch
latch:
  %next = phi i32 [ 0, %idle ], [ %late, %poll ]
  br label %head
out:
  br label %write
write:
  store volatile i32 1, ptr %at
  ret void
}
attributes #0 = { "cucpu.kernel" }
!0 = !{!1, !1, i64 0}
!1 = !{!"int", !2, i64 0}
!2 = !{!"omnipotent char", !5, i64 0}
!3 = !{!4, !4, i64 0}
!4 = !{!"float", !2, i64 0}
!5 = !{!"Simple C++ TBAA"}
