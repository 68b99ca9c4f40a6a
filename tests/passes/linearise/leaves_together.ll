; Lanes leave %inner together by the test of its header, to %outer.latch.  When all of them have left both loops before, in %next (all
; by %stop or one by one), %inner.latch leads to %outer.latch, too: no lane wants it then, whatever the mask of %inner was.
; RUN: %cucpu-opt --passes=linearise --simd=8 %s -o - | FileCheck %s
declare i32 @cucpu.tid.x()

; CHECK-LABEL: @kernel
; CHECK: inner:
; CHECK:      br i1 %left, label %next, label %[[EDGE:edge.*]]
; CHECK: inner.latch:
; CHECK:      br i1 %any{{.*}}, label %inner, label %outer.latch
; CHECK: [[EDGE]]:
; CHECK-NEXT: br label %outer.latch
; CHECK: outer.latch:
; CHECK:      [[LEFT:%.*]] = phi i1 [ false, %inner.latch ], [ %{{.*}}, %[[EDGE]] ]
; CHECK-NEXT: call void @cucpu.mask(i1 [[LEFT]])
; CHECK:      call i1 @cucpu.any(i1 [[LEFT]])
define void @kernel(ptr %p, i32 %n, i1 %stop) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %outer.latch ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %enter, label %out
enter:
  br label %inner
inner:
  %j = phi i32 [ 0, %enter ], [ %j.next, %inner.latch ]
  %left = icmp slt i32 %j, 4
  br i1 %left, label %next, label %outer.latch
next:
  br i1 %stop, label %out.stop, label %test
test:
  %mine = icmp eq i32 %j, %t
  br i1 %mine, label %out.mine, label %inner.latch
inner.latch:
  %j.next = add i32 %j, 1
  br label %inner
outer.latch:
  %i.next = add i32 %i, 1
  br label %outer
out.stop:
  %i.stop = phi i32 [ %i, %next ]
  br label %join
out.mine:
  %i.mine = phi i32 [ %i, %test ]
  br label %join
join:
  %i.left = phi i32 [ %i.stop, %out.stop ], [ %i.mine, %out.mine ]
  br label %end
out:
  %i.out = phi i32 [ %i, %outer ]
  br label %end
end:
  %v = phi i32 [ %i.left, %join ], [ %i.out, %out ]
  %x = sext i32 %t to i64
  %q = getelementptr i32, ptr %p, i64 %x
  store i32 %v, ptr %q
  ret void
}
attributes #0 = { "cucpu.kernel" }
