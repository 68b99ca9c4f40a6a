; Lanes that are not in the branch go round the loop, and come to the function of the warp in a later iteration than the others, who wait there.
; With a mask of those that are in the branch nobody is waited for, and behind a barrier in the loop nobody is left behind.
; RUN: not %cucpu-opt --passes=linearise --simd=32 %s -o - 2>&1 | FileCheck %s
; CHECK: unsupported: lanes of a warp meet in calls of a warp-level function from several places
; RUN: sed 's/i32 -1, i32 %v/i32 %voted, i32 %v/' %s | %cucpu-opt --passes=linearise --simd=32 - -o - | FileCheck %s --check-prefix=RIGHT
; RUN: sed 's/;BARRIER//' %s | %cucpu-opt --passes=linearise --simd=32 - -o - | FileCheck %s --check-prefix=RIGHT
; RUN: sed 's/icmp eq i32 %i, %k/icmp eq i32 %n, %k/' %s | %cucpu-opt --passes=linearise --simd=32 - -o - | FileCheck %s --check-prefix=RIGHT
; RIGHT: call i32 @cucpu.redux.add
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ballot(i32, i1)
declare void @cucpu.barrier(i32)
declare i32 @cucpu.redux.add(i32, i32)
define void @kernel(ptr %out, i32 %n, i32 %v) #0 {
entry:
  %i = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %out, i32 %i
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %more = icmp slt i32 %k, %n
  br i1 %more, label %body, label %end
body:
  %c = icmp eq i32 %i, %k
  %voted = call i32 @cucpu.ballot(i32 -1, i1 %c)
  br i1 %c, label %then, label %else
then:
  %a = call i32 @cucpu.redux.add(i32 -1, i32 %v)
  store i32 %a, ptr %p
  br label %latch
else:
  br label %latch
latch:
;BARRIER  call void @cucpu.barrier(i32 0)
  %next = add i32 %k, 1
  br label %loop
end:
  ret void
}
attributes #0 = { "cucpu.kernel" "cucpu.flags"="1" }
