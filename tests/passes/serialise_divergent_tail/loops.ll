; RUN: %cucpu-opt --passes=serialise_divergent_tail --simd=16 --cpu=znver4 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=serialise_divergent_tail --simd=16 --cpu=znver4 --disable=serialise_divergent_tail %s -o - | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=serialise_divergent_tail --simd=1 --cpu=znver4 %s -o - | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=serialise_divergent_tail,guard_coherent,linearise,widen --simd=16 --cpu=znver4 %s -o - | FileCheck %s --check-prefix=WIDE
; A loop of gathers that lanes leave one by one is finished lane after lane by scalar code.
; OFF-NOT: call i32 @cucpu.count
declare i32 @cucpu.tid.x()

; A row of each lane: a quarter of the lanes at most; the copy computes with what the first of them has.
; CHECK-LABEL: define {{.*}} @row
; CHECK: [[FEW:[a-z0-9.]+]]: {{.*}} preds = %loop
; CHECK: %any = call i1 @cucpu.any(i1 true)
; CHECK-NEXT: br i1 %any,
; CHECK: %one = call i1 @cucpu.front(i1 true)
; CHECK-NEXT: br i1 %one,
; CHECK: first:
; CHECK-DAG: call i32 @cucpu.first.i32(i1 true, i32 {{.*}})
; CHECK-DAG: call i32 @cucpu.first.i32(i1 true, i32 %end)
; CHECK: alone:
; CHECK: load i32
; CHECK: load float
; CHECK-NOT: call
; CHECK: loop:
; CHECK-NEXT: %i = phi
; CHECK-NEXT: %s = phi
; CHECK-NEXT: [[ACTIVE:%active[0-9]*]] = call i32 @cucpu.count(i1 true)
; CHECK-NEXT: [[TEST:%few[0-9]*]] = icmp ule i32 [[ACTIVE]], 4
; CHECK-NEXT: br i1 [[TEST]], label %[[FEW]], label %several

; The test is one of the mask; all of the copy is scalar.
; WIDE-LABEL: define {{.*}} @row
; WIDE: call i16 @llvm.cttz.i16
; WIDE: alone:
; WIDE-NOT: gather
; WIDE: = load i32,
; WIDE-NOT: gather
; WIDE: = load float,
; WIDE-NOT: <16 x float>
; WIDE: br i1
; WIDE: call i16 @llvm.ctpop.i16
define void @row(ptr noalias %start, ptr noalias %col, ptr noalias %x, ptr noalias %y) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %at = getelementptr i32, ptr %start, i32 %t
  %begin = load i32, ptr %at
  %at1 = getelementptr i8, ptr %at, i64 4
  %end = load i32, ptr %at1
  br label %loop
loop:
  %i = phi i32 [ %begin, %entry ], [ %i1, %latch ]
  %s = phi float [ 0.0, %entry ], [ %s1, %latch ]
  %pc = getelementptr i32, ptr %col, i32 %i
  %c = load i32, ptr %pc
  %px = getelementptr float, ptr %x, i32 %c
  %v = load float, ptr %px
  %s1 = fadd float %s, %v
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %end
  br i1 %more, label %latch, label %out
latch:
  br label %loop
out:
  %r = phi float [ %s1, %loop ]
  %py = getelementptr float, ptr %y, i32 %t
  store float %r, ptr %py
  ret void
}

; Lists are followed at once, as long as there are two: their loads overlap.  Two exits: which one a lane has taken is a number.
; CHECK-LABEL: define {{.*}} @list
; CHECK: %exit = phi i32
; CHECK: br i1 %one, label %[[DONE:[a-z0-9.]+]], label %
; CHECK: [[DONE]]:
; CHECK: icmp eq i32 {{.*}}, 0
; CHECK: @cucpu.count(i1 true)
; CHECK-NEXT: icmp ule i32 %{{.*}}, 1
define void @list(ptr noalias %next, ptr noalias %y) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %p = phi i32 [ %t, %entry ], [ %q, %latch ]
  %n = phi i32 [ 0, %entry ], [ %n1, %latch ]
  %a = getelementptr i32, ptr %next, i32 %p
  %q = load i32, ptr %a
  %n1 = add i32 %n, 1
  %found = icmp eq i32 %q, 12345
  br i1 %found, label %hit, label %on
on:
  %more = icmp sge i32 %q, 0
  br i1 %more, label %latch, label %miss
latch:
  br label %loop
hit:
  %rh = phi i32 [ %n1, %loop ]
  br label %end
miss:
  %rm = phi i32 [ %n1, %on ]
  %neg = sub i32 0, %rm
  br label %end
end:
  %r = phi i32 [ %rh, %hit ], [ %neg, %miss ]
  %py = getelementptr i32, ptr %y, i32 %t
  store i32 %r, ptr %py
  ret void
}

; Arithmetic alone costs a group about what it costs a thread; what others may wait for stays in its order.
; CHECK-LABEL: define {{.*}} @sums
; CHECK-NOT: cucpu.count
; CHECK-LABEL: define {{.*}} @speaks
; CHECK-NOT: call i32 @cucpu.count
; CHECK: ret void
define void @sums(ptr noalias %y) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i1, %latch ]
  %s = phi i32 [ 0, %entry ], [ %s1, %latch ]
  %s1 = add i32 %s, %i
  %i1 = sub i32 %i, 1
  %more = icmp sgt i32 %i1, 0
  br i1 %more, label %latch, label %out
latch:
  br label %loop
out:
  %r = phi i32 [ %s1, %loop ]
  %py = getelementptr i32, ptr %y, i32 %t
  store i32 %r, ptr %py
  ret void
}
define void @speaks(ptr noalias %next, ptr noalias %y) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %p = phi i32 [ %t, %entry ], [ %q, %latch ]
  %a = getelementptr i32, ptr %next, i32 %p
  %q = load i32, ptr %a
  store volatile i32 %q, ptr %y
  %own = add i32 %q, %t
  %more = icmp sge i32 %own, 0
  br i1 %more, label %latch, label %out
latch:
  br label %loop
out:
  ret void
}
attributes #0 = { "cucpu.kernel" }
