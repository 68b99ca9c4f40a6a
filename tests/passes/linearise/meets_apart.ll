; Both sides of a divergent branch call functions of the warp with one mask: they meet, which code that runs
; one side after the other cannot do.  With masks of their own, or one behind the other, they can.
; RUN: not %cucpu-opt --passes=linearise --simd=32 %s -o - 2>&1 | FileCheck %s
; RUN: sed 's/i32 -1, i1 %q/i32 5, i1 %q/' %s | %cucpu-opt --passes=linearise --simd=32 - -o - | FileCheck %s --check-prefix=RIGHT
; RUN: sed 's/icmp eq i32 %i, 3/icmp eq i32 %n, 3/' %s | %cucpu-opt --passes=linearise --simd=32 - -o - | FileCheck %s --check-prefix=RIGHT
; CHECK: unsupported: lanes of a warp meet in calls of a warp-level function from several places
; RIGHT: call i32 @cucpu.ballot
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ballot(i32, i1)
define void @kernel(ptr %out, i32 %n, i1 %p, i1 %q) #0 {
entry:
  %i = call i32 @cucpu.tid.x()
  %c = icmp eq i32 %i, 3
  br i1 %c, label %then, label %else
then:
  %a = call i32 @cucpu.ballot(i32 -1, i1 %p)
  br label %end
else:
  %b = call i32 @cucpu.ballot(i32 -1, i1 %q)
  br label %end
end:
  %r = phi i32 [ %a, %then ], [ %b, %else ]
  store i32 %r, ptr %out
  ret void
}
attributes #0 = { "cucpu.kernel" }
