; RUN: %cucpu-opt --passes=version_all_active --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=version_all_active --simd=8 --disable=version_all_active %s -o - | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=version_all_active --simd=1 %s -o - | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=version_all_active,duplicate_exit_tails,guard_coherent,linearise,widen --simd=8 %s -o - | FileCheck %s --check-prefix=WIDE
; The code behind a range test gets a copy for groups that pass it whole; a test of data, a small side, a test that
; one lane at most passes, a side with a barrier and a test within the block get none.
; OFF-NOT: call i1 @cucpu.all
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()
declare void @cucpu.barrier(i32)

; CHECK-LABEL: define {{.*}} @range
; CHECK: %all = call i1 @cucpu.all(i1 %c)
; CHECK-NEXT: br i1 %all, label %full, label %masked
; CHECK: masked:
; CHECK-NEXT: br i1 %c
; CHECK: full:
; CHECK: store float
; CHECK: store float
; CHECK: phi float [ %y, %then ], [ 0.000000e+00, %skip ], [ %y{{[0-9]+}}, %full ]
; The two ends decide, with no vector; the copy has no mask.
; WIDE-LABEL: define {{.*}} @range
; WIDE: [[LAST:%[0-9]+]] = add i32 %t, 7
; WIDE-NEXT: [[ALL:%[0-9]+]] = icmp slt i32 [[LAST]], %n
; WIDE-NEXT: br i1 [[ALL]], label %full
; WIDE: full:
; WIDE-NEXT: = load <8 x float>
; WIDE: store <8 x float>
; WIDE: br label %out
; WIDE: call <8 x float> @llvm.masked.load
define void @range(ptr %p, ptr %q, i32 %n) #0 {
entry:
  %x0 = call i32 @cucpu.tid.x()
  %d0 = call i32 @cucpu.ntid.x()
  %b0 = call i32 @cucpu.ctaid.x()
  %m0 = mul i32 %b0, %d0
  %t = add i32 %m0, %x0
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %b = getelementptr inbounds float, ptr %q, i64 %i
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %skip
skip:
  br label %out
then:
  %x = load float, ptr %a
  %y = load float, ptr %b
  store float %x, ptr %b
  br label %out
out:
  %r = phi float [ %y, %then ], [ 0.0, %skip ]
  store float %r, ptr %a
  ret void
}

; A lane may wrap: then the ends alone say nothing.
; CHECK-LABEL: define {{.*}} @wraps
; CHECK: cucpu.all
; WIDE-LABEL: define {{.*}} @wraps
; WIDE: [[END:%[0-9]+]] = add i32 %u, 7
; WIDE: [[BELOW:%[0-9]+]] = icmp ult i32 [[END]], %n
; WIDE: [[ORDER:%[0-9]+]] = icmp ule i32 %u, [[END]]
; WIDE: and i1 [[ORDER]], [[BELOW]]
define void @wraps(ptr %p, ptr %q, i32 %n, i32 %base) #0 {
entry:
  %x0 = call i32 @cucpu.tid.x()
  %d0 = call i32 @cucpu.ntid.x()
  %b0 = call i32 @cucpu.ctaid.x()
  %m0 = mul i32 %b0, %d0
  %t = add i32 %m0, %x0
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %b = getelementptr inbounds float, ptr %q, i64 %i
  %u = add i32 %t, %base
  %c = icmp ult i32 %u, %n
  br i1 %c, label %then, label %out.edge
out.edge:
  br label %out
then:
  %x = load float, ptr %a
  %y = load float, ptr %b
  %s = fadd float %x, %y
  store float %s, ptr %a
  br label %out
out:
  ret void
}

; CHECK-LABEL: define {{.*}} @not_copied
; CHECK-NOT: cucpu.all
; CHECK: ret void
define void @not_copied(ptr %p, i32 %n) #0 {
entry:
  %b0 = call i32 @cucpu.ctaid.x()
  %d0 = call i32 @cucpu.ntid.x()
  %m0 = mul i32 %b0, %d0
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  %v = load i32, ptr %a
  %data = icmp slt i32 %v, %n
  br i1 %data, label %b1, label %e1
e1:
  br label %c1
b1:
  %v1 = load i32, ptr %a
  %w1 = add i32 %v1, 1
  store i32 %w1, ptr %a
  store i32 %v1, ptr %a
  br label %c1
c1:
  %g = add i32 %m0, %t
  %grid = icmp slt i32 %g, %n
  br i1 %grid, label %b2, label %e2
e2:
  br label %c2
b2:
  store i32 2, ptr %a
  br label %c2
c2:
  %one = icmp eq i32 %g, 0
  br i1 %one, label %b3, label %e3
e3:
  br label %c3
b3:
  %v3 = load i32, ptr %p
  %w3 = add i32 %v3, 1
  store i32 %w3, ptr %a
  store i32 %v3, ptr %p
  br label %c3
c3:
  br i1 %grid, label %b4, label %e4
e4:
  br label %c4
b4:
  %v4 = load i32, ptr %a
  store i32 5, ptr %a
  call void @cucpu.barrier(i32 0)
  store i32 %v4, ptr %a
  br label %c4
c4:
  %few = icmp slt i32 %t, %n
  br i1 %few, label %b5, label %e5
e5:
  br label %c5
b5:
  %v5 = load i32, ptr %a
  %w5 = load i32, ptr %p
  %s5 = add i32 %v5, %w5
  store i32 %s5, ptr %a
  br label %c5
c5:
  ret void
}

; What leaves the loop is run by linearise behind the loop: no copy of that side.
; CHECK-LABEL: define {{.*}} @leaves_loop
; CHECK-NOT: cucpu.all
; CHECK: ret void
define void @leaves_loop(ptr %p, i32 %n) #0 {
entry:
  %x0 = call i32 @cucpu.tid.x()
  %d0 = call i32 @cucpu.ntid.x()
  %b0 = call i32 @cucpu.ctaid.x()
  %m0 = mul i32 %b0, %d0
  %t = add i32 %m0, %x0
  br label %head
head:
  %k = phi i32 [ 0, %entry ], [ %next, %latch ]
  %next = add i32 %k, 1
  %at = add nuw nsw i32 %t, %k
  %c = icmp slt i32 %at, %n
  br i1 %c, label %latch, label %found
latch:
  br label %head
found:
  %last = phi i32 [ %at, %head ]
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  %v = load i32, ptr %a
  %w = add i32 %v, %last
  store i32 %w, ptr %a
  store i32 %v, ptr %a
  ret void
}

; A range test within the copy gets a copy too, the one in the masked original does not.
; CHECK-LABEL: define {{.*}} @nested
; CHECK: %all = call i1 @cucpu.all(i1 %c)
; CHECK-NEXT: br i1 %all, label %full, label %masked
; CHECK: full:
; CHECK: [[ALL:%all[0-9]+]] = call i1 @cucpu.all(
; CHECK-NEXT: br i1 [[ALL]], label %full
; CHECK-NOT: call i1 @cucpu.all(
define void @nested(ptr %p, ptr %q, i32 %n) #0 {
entry:
  %x0 = call i32 @cucpu.tid.x()
  %d0 = call i32 @cucpu.ntid.x()
  %b0 = call i32 @cucpu.ctaid.x()
  %m0 = mul i32 %b0, %d0
  %t = add i32 %m0, %x0
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %b = getelementptr inbounds float, ptr %q, i64 %i
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %skip
skip:
  br label %out
then:
  %x = load float, ptr %a
  store float %x, ptr %b
  %c2 = icmp sgt i32 %t, 0
  br i1 %c2, label %inner, label %border
border:
  br label %meet
inner:
  %pl = getelementptr i8, ptr %a, i64 -4
  %y = load float, ptr %pl
  %pr = getelementptr i8, ptr %a, i64 4
  store float %y, ptr %pr
  br label %meet
meet:
  br label %out
out:
  ret void
}
attributes #0 = { "cucpu.kernel" }
