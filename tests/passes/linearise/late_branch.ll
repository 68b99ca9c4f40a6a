; What leaves the inner loop by a uniform branch is blended, as lanes have left both loops before: the blend varies, and
; with it the branch of %again, which takes the value of the first active lane.
; RUN: %cucpu-opt --passes=linearise --simd=16 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=linearise,widen --simd=16 %s -o - | FileCheck --check-prefix=WIDE %s
; CHECK: again:
; CHECK:   call void @cucpu.mask(i1 [[MASK:%.*]])
; CHECK:   %d = icmp sgt i32
; CHECK:   [[FIRST:%.*]] = call i32 @cucpu.first.i32(i1 [[MASK]], i32
; CHECK:   [[BIT:%.*]] = trunc i32 [[FIRST]] to i1
; CHECK:   [[FROZEN:%.*]] = freeze i1 [[BIT]]
; CHECK:   br i1 [[FROZEN]], label %stay, label %edge
; WIDE: again:
; WIDE:   call i16 @llvm.cttz.i16
; WIDE:   br i1 {{%.*}}, label %stay, label %edge
define void @kernel(ptr %p) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %outer
outer:
  %n = phi i32 [ 0, %entry ], [ %m.left, %left ]
  br label %inner
inner:
  %m = phi i32 [ 1, %outer ], [ 0, %next ]
  %w = zext i32 %t to i64
  %a = getelementptr float, ptr %p, i64 %w
  %x = load float, ptr %a
  %c = fcmp une float 0.0, %x
  br i1 %c, label %again, label %inner.out
inner.out:
  br label %out
again:
  %d = icmp sgt i32 %n, 0
  br i1 %d, label %stay, label %again.out
again.out:
  br label %out
stay:
  br i1 false, label %left, label %next
next:
  br label %inner
left:
  %m.left = phi i32 [ %m, %stay ]
  br label %outer
out:
  ret void
}
declare i32 @cucpu.tid.x()
attributes #0 = { "cucpu.kernel" "cucpu.layout"="1" }
