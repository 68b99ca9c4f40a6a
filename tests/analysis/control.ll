; Control divergence: sync joins, temporal joins, activity; and the same one level up, for the block.
; RUN: %build/tests/analysis/print_shapes -w 8 -l full %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.ctaid.x()

; CHECK-LABEL: shapes of diamonds
define void @diamonds(i32 %n, i32 %m) "cucpu.kernel" {
entry:
  %tx = call i32 @cucpu.tid.x()
  %ty = call i32 @cucpu.tid.y()
  %bx = call i32 @cucpu.ctaid.x()
  %c = icmp slt i32 %tx, %n
; CHECK: entry: branch divergent
  br i1 %c, label %a, label %b
; CHECK: a: block divergent branch grid
a:
  %u = icmp slt i32 %n, 5
  br i1 %u, label %a1, label %a2
; CHECK: a1: block divergent
a1:
  br label %a3
a2:
  br label %a3
; CHECK: a3: block divergent
; CHECK-NEXT: %chosen: uniform(grid)
a3:
  %chosen = phi i32 [ 1, %a1 ], [ %m, %a2 ]
  br label %j
b:
  br label %j
; CHECK: j: branch group
; CHECK-NEXT: %apart: varying
; CHECK-NEXT: %same: uniform(grid)
; CHECK-NEXT: %lanes: affine x
j:
  %apart = phi i32 [ %chosen, %a3 ], [ %n, %b ]
  %same = phi i32 [ %m, %a3 ], [ %m, %b ]
  %lanes = phi i32 [ %tx, %a3 ], [ %tx, %b ]
  %g = icmp slt i32 %ty, %n
  br i1 %g, label %d, label %e
; CHECK: d: block group
d:
  br label %k
e:
  br label %k
; CHECK: k: branch block
; CHECK-NEXT: %pergroup: uniform(group)
k:
  %pergroup = phi i32 [ %m, %d ], [ %n, %e ]
  %h = icmp slt i32 %bx, %n
  br i1 %h, label %f, label %l
f:
  br label %l
; CHECK: l:{{$}}
; CHECK-NEXT: %perblock: uniform(block)
; CHECK-NEXT: %two: uniform(block)
; CHECK-NEXT: %steep: affine U*x (block)
l:
  %perblock = phi i32 [ %m, %k ], [ %n, %f ]
  %two = phi i32 [ 1, %k ], [ 2, %f ]
  %steep = mul i32 %tx, %two
  ret void
}

; CHECK-LABEL: shapes of counts
define void @counts(i32 %n) "cucpu.kernel" {
entry:
  %tx = call i32 @cucpu.tid.x()
  br label %loop
; CHECK: loop: block divergent branch divergent loop divergent
; CHECK-NEXT: %i: uniform(grid)
; CHECK-NEXT: %j: affine x + grid
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %j = phi i32 [ %tx, %entry ], [ %j1, %loop ]
  %i1 = add nuw nsw i32 %i, 1
  %j1 = add nsw i32 %j, 32
  %more = icmp slt i32 %j1, %n
  br i1 %more, label %loop, label %done
; CHECK: done:{{$}}
; CHECK-NEXT: %count: varying
done:
  %count = phi i32 [ %i, %loop ]
  br label %loop2
; CHECK: loop2: branch grid loop grid
; CHECK-NEXT: %k: uniform(grid)
loop2:
  %k = phi i32 [ 0, %done ], [ %k1, %loop2 ]
  %k1 = add nuw nsw i32 %k, 1
  %more2 = icmp slt i32 %k1, %n
  br i1 %more2, label %loop2, label %end
; CHECK: %last: uniform(grid)
end:
  %last = phi i32 [ %k, %loop2 ]
  ret void
}

; A lane that breaks out of the inner loop of two.
; CHECK-LABEL: shapes of nested
define void @nested(i32 %n) "cucpu.kernel" {
entry:
  %tx = call i32 @cucpu.tid.x()
  br label %outer
; CHECK: outer: block divergent branch grid loop divergent
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  %o = icmp slt i32 %i, %n
  br i1 %o, label %pre, label %full
pre:
  br label %inner
; CHECK: inner: block divergent branch divergent loop divergent
inner:
  %j = phi i32 [ 0, %pre ], [ %j1, %latch ]
  %c = icmp eq i32 %j, %tx
  br i1 %c, label %break, label %latch
latch:
  %j1 = add i32 %j, 1
  %d = icmp slt i32 %j1, %n
  br i1 %d, label %inner, label %next
; CHECK: next: block divergent
; CHECK-NEXT: %left: uniform(grid)
next:
  %left = phi i32 [ %j, %latch ]
  %i1 = add i32 %i, 1
  br label %outer
; CHECK: %where: varying
break:
  %where = phi i32 [ %i, %inner ]
  br label %end
; CHECK: %never: uniform(grid)
full:
  %never = phi i32 [ %i, %outer ]
  br label %end
; CHECK: end:{{$}}
; CHECK-NEXT: %result: varying
end:
  %result = phi i32 [ %where, %break ], [ %never, %full ]
  ret void
}

; blockDim.x is the same value wherever it is read.
; CHECK-LABEL: shapes of read_twice
define void @read_twice(i32 %n) "cucpu.kernel" {
entry:
  %tx = call i32 @cucpu.tid.x()
  %c = icmp slt i32 %tx, %n
  br i1 %c, label %loop, label %other
loop:
  %i = phi i32 [ %tx, %entry ], [ %i1, %loop ]
  %nx = call i32 @cucpu.ntid.x()
  %i1 = add i32 %i, %nx
  %d = icmp slt i32 %i1, %n
  br i1 %d, label %loop, label %left
; CHECK: %out: uniform(grid)
left:
  %out = phi i32 [ %nx, %loop ]
  br label %join
other:
  %nx2 = call i32 @cucpu.ntid.x()
  br label %join
; CHECK: %both: uniform(grid)
; CHECK: %half: uniform(grid)
join:
  %both = phi i32 [ %out, %left ], [ %nx2, %other ]
  %half = lshr i32 %both, 1
  ret void
}
declare i32 @cucpu.ntid.x()
