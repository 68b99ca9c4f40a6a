; RUN: %cucpu-opt --passes=meld_branches --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=meld_branches --simd=8 --disable=meld_branches %s -o - | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=meld_branches --simd=1 %s -o - | FileCheck %s --check-prefix=OFF
; Both sides of a divergent branch divide: one division of what the side of the lane wants.  Nested sides too.
declare i32 @cucpu.tid.x()
declare float @llvm.sqrt.f32(float)

; OFF-LABEL: define {{.*}} @divide
; OFF: then:
; OFF: fdiv
; OFF: fdiv
; CHECK-LABEL: define {{.*}} @divide
; CHECK: [[C:%.*]] = fcmp olt float %v, 5.000000e-01
; CHECK-NEXT: [[S:%.*]] = fadd float %v, 1.000000e+00
; CHECK-NEXT: [[N:%.*]] = select i1 [[C]], float [[S]], float 2.000000e+00
; CHECK-NEXT: [[D:%.*]] = select i1 [[C]], float %v, float %w
; CHECK-NEXT: [[Q:%.*]] = fdiv float [[N]], [[D]]
; CHECK-NEXT: br i1 [[C]]
; CHECK-NOT: fdiv
; CHECK: ret void
define void @divide(ptr %p) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %a
  %w = fmul float %v, 3.0
  %c = fcmp olt float %v, 0.5
  br i1 %c, label %then, label %else
then:
  %s = fadd float %v, 1.0
  %x = fdiv float %s, %v
  br label %out
else:
  %d = fcmp olt float %v, 0.75
  br i1 %d, label %inner, label %else.out
else.out:
  br label %out
inner:
  %y = fdiv nnan float 2.0, %w
  br label %out
out:
  %r = phi float [ %x, %then ], [ 1.0, %else.out ], [ %y, %inner ]
  store float %r, ptr %a
  ret void
}

; Not: a branch that is uniform, operands from memory, an operation within a uniform choice, of another kind.
; CHECK-LABEL: define {{.*}} @apart
; CHECK-COUNT-6: fdiv
; CHECK: call float @llvm.sqrt.f32
; CHECK: ret void
define void @apart(ptr %p, i1 %u) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %a
  br i1 %u, label %t1, label %e1
t1:
  %x1 = fdiv float 1.0, %v
  br label %j1
e1:
  %y1 = fdiv float 2.0, %v
  br label %j1
j1:
  %r1 = phi float [ %x1, %t1 ], [ %y1, %e1 ]
  %c = fcmp olt float %r1, 0.5
  br i1 %c, label %t2, label %e2
t2:
  %l = load float, ptr %a
  %x2 = fdiv float 1.0, %l
  br label %j2
e2:
  %y2 = fdiv float 2.0, %v
  br label %j2
j2:
  %r2 = phi float [ %x2, %t2 ], [ %y2, %e2 ]
  %c3 = fcmp olt float %r2, 0.5
  br i1 %c3, label %t3, label %e3
t3:
  %x3 = fdiv float %r2, %v
  br label %j3
e3:
  br i1 %u, label %f3, label %g3
g3:
  br label %j3
f3:
  %y3 = fdiv float %r1, %v
  br label %j3
j3:
  %r3 = phi float [ %x3, %t3 ], [ 1.0, %g3 ], [ %y3, %f3 ]
  %c4 = fcmp olt float %r3, 0.5
  br i1 %c4, label %t4, label %e4
t4:
  %x4 = fadd float %r3, %v
  br label %j4
e4:
  %y4 = call float @llvm.sqrt.f32(float %r3)
  br label %j4
j4:
  %r4 = phi float [ %x4, %t4 ], [ %y4, %e4 ]
  store float %r4, ptr %a
  ret void
}
attributes #0 = { "cucpu.kernel" }
