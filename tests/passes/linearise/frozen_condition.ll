; Two ways out of a divergent loop, of which lanes never take one.  The block behind it runs all the same, and the value on
; which it branches is poison.
; RUN: %cucpu-opt --passes=make_variants,linearise --simd=8 %s | FileCheck %s
; CHECK-LABEL: define void @exits.w8.rows_full(
; CHECK: behind:
; CHECK: [[ANY:%.*]] = freeze i1 poison
; CHECK: br i1 [[ANY]], label %yes, label
; CHECK: ret void
define void @exits(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %back ]
  %c = icmp ugt i32 %t, 5000
  br i1 %c, label %behind, label %more
more:
  %next = add i32 %k, 1
  %d = icmp ugt i32 %next, %t
  br i1 %d, label %other, label %back
back:
  br label %loop
behind:
  br i1 poison, label %yes, label %no
yes:
  store i32 1, ptr %p
  br label %done
no:
  br label %done
other:
  br label %done
done:
  ret void
}

; No lane is off here.
; CHECK-LABEL: define void @uniform.w8.rows_full(
; CHECK-NOT: freeze
; CHECK: ret void
define void @uniform(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %x = and i32 %n, 1
  %odd = icmp eq i32 %x, 0
  br i1 %odd, label %yes, label %no
yes:
  store i32 1, ptr %p
  br label %done
no:
  br label %done
done:
  ret void
}
declare i32 @cucpu.tid.x()

; A uniform value, loaded where perhaps no lane is on: it comes from scratch memory then.
; CHECK-LABEL: define void @loaded.w8.rows_full(
; CHECK: [[X:%.*]] = load i32, ptr %p
; CHECK: [[C:%.*]] = icmp eq i32 [[X]], 0
; CHECK: [[F:%.*]] = freeze i1 [[C]]
; CHECK: br i1 [[F]]
; CHECK: ret void
define void @loaded(ptr %p, ptr %q) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %c = icmp eq i32 %t, 13
  br i1 %c, label %then, label %entry.end
entry.end:
  br label %end
then:
  %x = load i32, ptr %p
  %z = icmp eq i32 %x, 0
  br i1 %z, label %more, label %then.end
then.end:
  br label %end
more:
  %i = zext i32 %t to i64
  %r = getelementptr i32, ptr %q, i64 %i
  store i32 1, ptr %r
  br label %end
end:
  ret void
}
