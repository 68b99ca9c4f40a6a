; Comparisons of one value, one behind the other, in a side whose runs of range tests were copied: cleaning up behind them must not
; leave a switch (found by cucpu-fuzz: linearise knows branches only).
; RUN: %cucpu-opt --passes=widen_guards,version_all_active --simd=8 --cpu=x86-64-v3 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=widen_guards,version_all_active,linearise,widen --simd=8 --cpu=x86-64-v3 %s -o - | FileCheck %s --check-prefix=WIDE
; WIDE: masked.gather
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()

; CHECK-LABEL: define {{.*}} @kernel
; CHECK-NOT: switch
; CHECK: cucpu.all
; CHECK: cucpu.all
; CHECK-NOT: switch
define void @kernel(ptr %p, ptr %q, ptr %table, i32 %n) #0 {
entry:
  %x0 = call i32 @cucpu.tid.x()
  %d0 = call i32 @cucpu.ntid.x()
  %b0 = call i32 @cucpu.ctaid.x()
  %m0 = mul i32 %b0, %d0
  %t = add i32 %m0, %x0
  %i = sext i32 %t to i64
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  %b = getelementptr inbounds i32, ptr %q, i64 %i
  %c = icmp slt i32 %t, %n
  br i1 %c, label %body, label %none
none:
  br label %out
body:
  %left = icmp sgt i32 %t, 0
  br i1 %left, label %l, label %nl
nl:
  br label %middle
l:
  %pl = getelementptr i8, ptr %a, i64 -4
  %v = load i32, ptr %pl
  br label %middle
middle:
  %s = phi i32 [ 7, %nl ], [ %v, %l ]
  %last = add nsw i32 %n, -1
  %right = icmp slt i32 %t, %last
  br i1 %right, label %r, label %nr
nr:
  br label %end
r:
  %pr = getelementptr i8, ptr %a, i64 4
  %w = load i32, ptr %pr
  %is0 = icmp eq i32 %w, 0
  br i1 %is0, label %r.end, label %more
r.end:
  br label %end
more:
  %is1 = icmp eq i32 %w, -1
  br i1 %is1, label %more.end, label %other
more.end:
  br label %end
other:
  %j = zext i32 %w to i64
  %g = getelementptr i32, ptr %table, i64 %j
  %u = load i32, ptr %g
  br label %end
end:
  %z = phi i32 [ 0, %nr ], [ 1, %r.end ], [ 2, %more.end ], [ %u, %other ]
  %sum = add i32 %s, %z
  store i32 %sum, ptr %b
  br label %out
out:
  ret void
}
attributes #0 = { "cucpu.kernel" }
