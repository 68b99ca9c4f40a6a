; All lanes of %body leave two loops together, by a uniform branch. In linear code that edge leads to the latch of the
; divergent loop, where no lane is active then: the mask of the latch is not that of %inner, from which it has its edge.
; RUN: %cucpu-opt --passes=linearise --simd=2 %s -o - | FileCheck %s
; CHECK: latch:
; CHECK: call void @cucpu.mask(i1 false)
define void @kernel() #0 {
entry:
  br label %outer
outer:
  %again = phi i1 [ true, %entry ], [ false, %end ]
  br i1 %again, label %start, label %out
start:
  %t = call i32 @cucpu.tid.x()
  %n = and i32 %t, 15
  %c = icmp eq i32 %n, 5
  br label %loop
loop:
  %not = xor i1 %c, true
  %any = call i1 @cucpu.any(i1 %not)
  br i1 %any, label %some, label %none
none:
  br label %early
some:
  br i1 %c, label %left, label %pre
left:
  br label %early
pre:
  br label %inner
inner:
  br i1 true, label %body, label %latch
body:
  br i1 true, label %done, label %next
next:
  br label %inner
latch:
  br label %loop
done:
  br label %end
early:
  br label %end
end:
  br label %outer
out:
  ret void
}
declare i32 @cucpu.tid.x()
declare i1 @cucpu.any(i1)
attributes #0 = { "cucpu.kernel" }
