; A group that polls lets the others of its block run: also where the loop is left by a vote, and where a
; flag that is set inside ends it.  A loop with a barrier in every round does so anyway, but not other blocks.
; RUN: %cucpu-opt --passes=make_variants,linearise --simd=1 %s -o - | FileCheck %s
; RUN: sed '/^define.*@flagged/,$d' %s > %t.ll && echo 'attributes #0 = { "cucpu.kernel" }' >> %t.ll
; RUN: %cucpu-opt --passes=make_variants,linearise --warp-size=8 %t.ll -o - | FileCheck --check-prefix=WIDE %s
declare i1 @cucpu.vote.any(i32, i1)
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)

; WIDE-LABEL: define {{.*}} @voted.w8.rows_full
; WIDE: call i1 @cucpu.vote.any
; WIDE: call void @cucpu.barrier.count(i32 2147483647, i32 1)
; WIDE-NEXT: br label %head
; CHECK-LABEL: define {{.*}} @voted.w1
; CHECK: call i1 @cucpu.vote.any
; CHECK: call void @cucpu.barrier.count(i32 2147483647, i32 1)
; CHECK-NEXT: br label %head
define void @voted(ptr %flags) #0 {
entry:
  br label %head
head:
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %flags, i32 %t
  %f = load volatile i32, ptr %p
  %z = icmp eq i32 %f, 0
  %any = call i1 @cucpu.vote.any(i32 -1, i1 %z)
  br i1 %any, label %latch, label %out
latch:
  br label %head
out:
  ret void
}

; The pointer is read again in each round: a structure that the kernel takes, behind a fence.
; WIDE-LABEL: define {{.*}} @through.w8.rows_full
; WIDE: call void @cucpu.barrier.count(i32 2147483647, i32 1)
; CHECK-LABEL: define {{.*}} @through.w1
; CHECK: call void @cucpu.barrier.count(i32 2147483647, i32 1)
; CHECK-NEXT: br label %head
define void @through(ptr byval({ ptr, i32 }) align 8 %state) #0 {
entry:
  br label %head
head:
  fence syncscope("singlethread") seq_cst
  %flags = load ptr, ptr %state
  %p = getelementptr i8, ptr %flags, i64 256
  %f = load volatile i32, ptr %p
  %z = icmp eq i32 %f, 0
  %any = call i1 @cucpu.vote.any(i32 -1, i1 %z)
  br i1 %any, label %latch, label %out
latch:
  br label %head
out:
  ret void
}

; CHECK-LABEL: define {{.*}} @flagged.w
; CHECK: call void @cucpu.barrier.count(i32 2147483647, i32 1)
define void @flagged(ptr %flag, ptr %out) #0 {
entry:
  br label %head
head:
  %done = phi i1 [ false, %entry ], [ %now, %latch ]
  br i1 %done, label %end, label %body
body:
  %f = load volatile i32, ptr %flag
  %z = icmp eq i32 %f, 0
  br i1 %z, label %wait, label %ready
wait:
  br label %latch
ready:
  store i32 1, ptr %out
  br label %latch
latch:
  %now = phi i1 [ false, %wait ], [ true, %ready ]
  br label %head
end:
  ret void
}

; CHECK-LABEL: define {{.*}} @rounds.w
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: call void @cucpu.barrier.count(
; CHECK: ret void
define void @rounds(ptr %flag) #0 {
entry:
  br label %head
head:
  call void @cucpu.barrier(i32 0)
  %f = load volatile i32, ptr %flag
  %z = icmp eq i32 %f, 0
  br i1 %z, label %latch, label %out
latch:
  br label %head
out:
  ret void
}

; CHECK-LABEL: define {{.*}} @rounds_of_block.w
; CHECK-NOT: barrier.count
; CHECK: ret void
define void @rounds_of_block() #0 {
entry:
  %flag = call ptr @cucpu.shared()
  br label %head
head:
  call void @cucpu.barrier(i32 0)
  %f = load volatile i32, ptr %flag
  %z = icmp eq i32 %f, 0
  br i1 %z, label %latch, label %out
latch:
  br label %head
out:
  ret void
}
declare ptr @cucpu.shared()
attributes #0 = { "cucpu.kernel" }
