; LLVM joins two computations of i + 1 behind a branch; behind it the sum is computed once more, for all threads the same.
; RUN: %cucpu-opt --passes=normalise_cfg --opt=3 %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare void @use(i32)

; CHECK-LABEL: define void @counter(
; CHECK: [[I:%.*]] = phi i32 [ 0, %entry ], [ [[NEXT:%.*]], %{{.*}} ]
; CHECK-NOT: phi i32 [ %
; CHECK: [[NEXT]] = add i32 [[I]], 1
; CHECK: icmp ult i32 [[NEXT]], %n
define void @counter(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %end ]
  %c = icmp ult i32 %t, %i
  br i1 %c, label %side, label %end
side:
  %j = add i32 %i, 1
  %q = getelementptr i32, ptr %p, i32 %j
  store i32 %j, ptr %q
  br label %end
end:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
