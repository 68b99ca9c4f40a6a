; All conditions but %some are uniform.  The loop %inner need not have a lane, since the loop before it has an exit elsewhere, so
; it is treated as one that lanes leave one by one: both its exits, %again and %tail, run.  Then the exit of %outer in %tail comes
; behind %outer.latch, where lanes of %again wait, and %outer must count its lanes too; no block may be lost.
; RUN: %cucpu-opt --passes=linearise --simd=8 %s -o - | FileCheck %s
declare i32 @cucpu.tid.x()
declare i1 @cucpu.any(i1)

; CHECK-LABEL: @kernel
; CHECK: inner.latch:
; CHECK:      call i1 @cucpu.any
; CHECK-NEXT: br i1 %{{.*}}, label %inner, label %again
; CHECK: again:
; CHECK:      br label %tail
; CHECK: tail:
; CHECK:      br i1 %{{.*}}, label %[[EDGE:edge.*]], label %tail.more
; CHECK: [[EDGE]]:
; CHECK:      br label %outer.latch
; CHECK: outer.latch:
; CHECK:      [[ANY:%.*]] = call i1 @cucpu.any
; CHECK-NEXT: br i1 [[ANY]], label %outer, label %done.tail
; CHECK: done.tail:
; CHECK:      store i32 2
define void @kernel(ptr %p, i1 %a, i1 %b, i1 %c, i1 %d) #0 {
entry:
  %i = call i32 @cucpu.tid.x()
  %s = icmp sgt i32 %i, 3
  %any = call i1 @cucpu.any(i1 %s)
  br i1 %any, label %guard, label %skip
skip:
  br label %join
guard:
  br i1 %s, label %some, label %none
none:
  br label %join
join:
  br label %end
some:
  br label %outer
outer:
  br label %first
first:
  br i1 %a, label %first.next, label %done.first
first.next:
  br i1 %b, label %first.latch, label %between
first.latch:
  br label %first
between:
  br label %inner
inner:
  br i1 %c, label %inner.next, label %tail
inner.next:
  br i1 %d, label %again, label %inner.latch
inner.latch:
  br label %inner
again:
  br label %outer.latch
tail:
  br i1 %b, label %done.tail, label %tail.more
tail.more:
  br label %outer.latch
outer.latch:
  br label %outer
done.first:
  store i32 1, ptr %p
  br label %done
done.tail:
  store i32 2, ptr %p
  br label %done
done:
  br label %end
end:
  ret void
}
attributes #0 = { "cucpu.kernel" }
