; RUN: %cucpu-opt --passes=peel_full_iterations --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=peel_full_iterations --simd=8 --disable=peel_full_iterations %s -o - | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=peel_full_iterations --simd=1 %s -o - | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=peel_full_iterations,guard_coherent,linearise,widen --simd=8 --cpu=x86-64-v3 %s -o - | FileCheck %s --check-prefix=WIDE
; The rounds of a row that whole groups run get a copy without masks; loops that only gather, that lanes leave by what they loaded,
; or in the middle, that all lanes leave together, and loops with barriers get none.
; OFF-NOT: call i1 @cucpu.all
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare void @cucpu.barrier(i32)

; CHECK-LABEL: define {{.*}} @row
; CHECK: %all = call i1 @cucpu.all(i1 true)
; CHECK-NEXT: br i1 %all, label %whole, label %parts
; CHECK: peeled:
; CHECK-NEXT: phi i32 [ %t, %whole ], [ %[[NEXT:[^ ]+]], %peeled{{.*}} ]
; CHECK: %[[NEXT]] = add i32
; CHECK-NEXT: %[[STAY:[^ ]+]] = icmp slt i32 %[[NEXT]], %e
; CHECK-NEXT: %[[ALL:[^ ]+]] = call i1 @cucpu.all(i1 %[[STAY]])
; CHECK-NEXT: br i1 %[[ALL]], label %peeled{{.*}}, label %last
; CHECK: last:
; CHECK: %any = call i1 @cucpu.any(i1 %[[STAY]]{{.*}})
; CHECK-NEXT: br i1 %any, label %rest
; CHECK: rest:
; CHECK: br i1 %[[STAY]]
; The original goes on with what the next round of the copy would have had.
; CHECK: phi i32 [ %[[NEXT]]{{.*}}, %rest{{.*}} ], [ %t, %parts ]
; CHECK: br i1 %more, label %back
; CHECK: br label %loop, !llvm.loop
; CHECK: phi i32 [ %s.n6.lcssa, %rest{{.*}} ], [ %s.n6.lcssa, %last{{.*}} ], [ %s.n{{.*}} ]
; Two scalar comparisons, no mask.
; WIDE-LABEL: define {{.*}} @row
; WIDE: peeled:
; WIDE-NOT: masked
; WIDE: load <8 x i32>
; WIDE-NOT: masked
; WIDE: [[LAST:%[0-9]+]] = add i32 %i.n7, 7
; WIDE-NEXT: [[ON:%[0-9]+]] = icmp slt i32 [[LAST]], %e
; WIDE-NEXT: br i1 [[ON]], label %peeled{{.*}}, label %last
; WIDE: masked.load
define void @row(ptr %p, ptr %q, i32 %e) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %n = call i32 @cucpu.ntid.x()
  %c = icmp slt i32 %t, %e
  br i1 %c, label %head, label %skip
skip:
  br label %out
head:
  br label %loop
loop:
  %i = phi i32 [ %t, %head ], [ %i.n, %back ]
  %s = phi i32 [ 0, %head ], [ %s.n, %back ]
  %w = sext i32 %i to i64
  %a = getelementptr inbounds i32, ptr %p, i64 %w
  %v = load i32, ptr %a
  %s.n = add i32 %s, %v
  %i.n = add i32 %i, %n
  %more = icmp slt i32 %i.n, %e
  br i1 %more, label %back, label %done
back:
  br label %loop
done:
  %r = phi i32 [ %s.n, %loop ]
  br label %out
out:
  %out.r = phi i32 [ %r, %done ], [ 0, %skip ]
  %o = sext i32 %t to i64
  %b = getelementptr inbounds i32, ptr %q, i64 %o
  store i32 %out.r, ptr %b
  ret void
}

; CHECK-LABEL: define {{.*}} @gathers
; CHECK-NOT: cucpu.all
; CHECK: ret void
define void @gathers(ptr %p, ptr %q, i32 %e) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %o = sext i32 %t to i64
  %b = getelementptr inbounds i32, ptr %q, i64 %o
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i.n, %back ]
  %j = phi i32 [ %t, %entry ], [ %v, %back ]
  %w = sext i32 %j to i64
  %a = getelementptr inbounds i32, ptr %p, i64 %w
  %v = load i32, ptr %a
  %i.n = add i32 %i, 32
  %more = icmp slt i32 %i.n, %e
  br i1 %more, label %back, label %done
back:
  br label %loop
done:
  %r = phi i32 [ %v, %loop ]
  store i32 %r, ptr %b
  ret void
}

; CHECK-LABEL: define {{.*}} @by_data
; CHECK-NOT: cucpu.all
; CHECK: ret void
define void @by_data(ptr %p, i32 %e) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i.n, %back ]
  %w = sext i32 %i to i64
  %a = getelementptr inbounds i32, ptr %p, i64 %w
  %v = load i32, ptr %a
  %i.n = add i32 %i, 32
  %more = icmp slt i32 %v, %e
  br i1 %more, label %back, label %done
back:
  br label %loop
done:
  ret void
}

; CHECK-LABEL: define {{.*}} @in_the_middle
; CHECK-NOT: cucpu.all
; CHECK: ret void
define void @in_the_middle(ptr %p, i32 %e) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i.n, %back ]
  %w = sext i32 %i to i64
  %a = getelementptr inbounds i32, ptr %p, i64 %w
  %v = load i32, ptr %a
  %more = icmp slt i32 %i, %e
  br i1 %more, label %back, label %done
back:
  %i.n = add i32 %i, 32
  store i32 %i.n, ptr %a
  br label %loop
done:
  ret void
}

; CHECK-LABEL: define {{.*}} @together
; CHECK-NOT: cucpu.all
; CHECK: ret void
define void @together(ptr %p, i32 %e) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k.n, %back ]
  %i = add i32 %k, %t
  %w = sext i32 %i to i64
  %a = getelementptr inbounds i32, ptr %p, i64 %w
  %v = load i32, ptr %a
  %k.n = add i32 %k, 32
  %more = icmp slt i32 %k.n, %e
  br i1 %more, label %back, label %done
back:
  br label %loop
done:
  ret void
}

; CHECK-LABEL: define {{.*}} @meets
; CHECK-NOT: cucpu.all
; CHECK: ret void
define void @meets(ptr %p, i32 %e) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %i = phi i32 [ %t, %entry ], [ %i.n, %back ]
  %w = sext i32 %i to i64
  %a = getelementptr inbounds i32, ptr %p, i64 %w
  %v = load i32, ptr %a
  call void @cucpu.barrier(i32 0)
  %i.n = add i32 %i, 32
  %more = icmp slt i32 %i.n, %e
  br i1 %more, label %back, label %done
back:
  br label %loop
done:
  ret void
}

attributes #0 = { "cucpu.kernel" }
