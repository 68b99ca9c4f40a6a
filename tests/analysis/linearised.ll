; The second run, behind linearise: branches are uniform, joins are selects, masks are values.
; RUN: %build/tests/analysis/print_shapes -w 8 -l full %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare void @cucpu.mask(i1)
declare i1 @cucpu.any(i1)

; CHECK-LABEL: shapes of linearised
define void @linearised(ptr %a, i32 %n) "cucpu.kernel" {
entry:
  %tx = call i32 @cucpu.tid.x()
  %c = icmp slt i32 %tx, %n
  br label %loop
; CHECK: loop: block divergent branch group loop group
loop:
; CHECK-NEXT: %live: varying
  %live = phi i1 [ %c, %entry ], [ %stay, %loop ]
; the counter stays a scalar, what lanes take out of the loop does not
; CHECK-NEXT: %i: uniform(grid)
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
; CHECK-NEXT: %out: varying
  %out = phi i32 [ poison, %entry ], [ %out1, %loop ]
  call void @cucpu.mask(i1 %live)
; CHECK: %index: affine x + grid
  %index = add i32 %tx, %i
  %i1 = add i32 %i, 1
  %out1 = select i1 %live, i32 %i, i32 %out
  %d = icmp slt i32 %index, 7
  %stay = select i1 %live, i1 %d, i1 false
; CHECK: %more: uniform(group)
  %more = call i1 @cucpu.any(i1 %stay)
  br i1 %more, label %loop, label %done
; CHECK: done:{{$}}
done:
  %trips = phi i32 [ %i1, %loop ]
  %result = phi i32 [ %out1, %loop ]
; CHECK: %same: affine x
  %same = select i1 %c, i32 %tx, i32 poison
; CHECK: %mixed: varying
  %mixed = select i1 %c, i32 1, i32 2
  ret void
}
