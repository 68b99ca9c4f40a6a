; RUN: %cucpu-opt --passes=branch_on_selects --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=branch_on_selects --simd=8 --disable=branch_on_selects %s -o - | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=branch_on_selects --simd=1 %s -o - | FileCheck %s --check-prefix=OFF
; OFF-NOT: br i1
declare i32 @cucpu.tid.x()
declare float @sinf(float) memory(none)

; The call is made only where the uniform part of the condition allows its result to be chosen.
; CHECK-LABEL: define {{.*}} @speculated(
; CHECK:      br i1 %u, label %[[YES:.*]], label %[[NO:.*]]
; CHECK: [[YES]]:
; CHECK:      [[X:%.*]] = call float @sinf(float %v)
; CHECK-NEXT: [[S:%.*]] = select i1 %c, float [[X]], float %v
; CHECK: [[NO]]:
; CHECK-NEXT: br label
; CHECK:      phi float [ [[S]], %[[YES]] ], [ %v, %[[NO]] ]
define void @speculated(ptr %p, i1 %u) #0 {
  %t = call i32 @cucpu.tid.x()
  %a = getelementptr inbounds float, ptr %p, i32 %t
  %v = load float, ptr %a
  %c = fcmp olt float %v, 0.5
  %x = call float @sinf(float %v)
  %j = and i1 %c, %u
  %r = select i1 %j, float %x, float %v
  store float %r, ptr %a
  ret void
}

; A value with another use, a cheap one, and one chosen by a varying condition stay.
; CHECK-LABEL: define {{.*}} @kept(
; CHECK-NOT:  br i1
; CHECK:      ret void
define void @kept(ptr %p, i1 %u) #0 {
  %t = call i32 @cucpu.tid.x()
  %a = getelementptr inbounds float, ptr %p, i32 %t
  %v = load float, ptr %a
  %c = fcmp olt float %v, 0.5
  %x = call float @sinf(float %v)
  %r = select i1 %u, float %x, float %v
  %y = fadd float %x, %r
  %z = fadd float %v, 3.0
  %q = select i1 %u, float %z, float %y
  store float %x, ptr %p
  %s = call float @sinf(float %q)
  %w = select i1 %c, float %s, float %q
  store float %w, ptr %a
  ret void
}

; Accesses of rows or of columns: each as it is best. What lies between them is cloned, too.
; CHECK-LABEL: define {{.*}} @strides(
; CHECK:      br i1 %u, label %[[YES:.*]], label %[[NO:.*]]
; CHECK: [[YES]]:
; CHECK:      [[A:%.*]] = getelementptr inbounds float, ptr %p, i32 %t
; CHECK:      load float, ptr [[A]]
; CHECK:      store float
; CHECK: [[NO]]:
; CHECK:      [[B:%.*]] = getelementptr inbounds float, ptr %p, i32 %row
; CHECK:      load float, ptr [[B]]
; CHECK:      store float
; CHECK:      phi float
; CHECK-NOT:  load
; CHECK:      store float
define void @strides(ptr %p, ptr %q, i1 %u, i32 %w) #0 {
  %t = call i32 @cucpu.tid.x()
  %row = mul nsw i32 %t, %w
  %i = select i1 %u, i32 %t, i32 %row
  %a = getelementptr inbounds float, ptr %p, i32 %i
  %v = load float, ptr %a
  %x = fadd float %v, 1.0
  %b = getelementptr inbounds float, ptr %q, i32 %i
  store float %x, ptr %b
  %c = getelementptr inbounds float, ptr %q, i32 %t
  store float %x, ptr %c
  ret void
}

; The same stride: their select has it, too.
; CHECK-LABEL: define {{.*}} @alike(
; CHECK-NOT:  br i1
; CHECK:      ret void
define void @alike(ptr %p, ptr %q, i1 %u, i32 %w) #0 {
  %t = call i32 @cucpu.tid.x()
  %j = add nsw i32 %t, %w
  %i = select i1 %u, i32 %t, i32 %j
  %a = getelementptr inbounds float, ptr %p, i32 %i
  store float 1.0, ptr %a
  ret void
}
attributes #0 = { "cucpu.kernel" }
