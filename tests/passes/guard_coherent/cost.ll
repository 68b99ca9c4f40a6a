; RUN: %cucpu-opt --passes=guard_coherent --simd=8 --cpu=x86-64-v3 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=guard_coherent --simd=8 --cpu=x86-64-v3 --disable=guard_coherent %s -o - | FileCheck %s --check-prefix=OFF
; Few lanes agree more often than those that fill a register.
; RUN: sed '/^; CHECK/d' %s | %cucpu-opt --passes=guard_coherent --simd=8 --cpu=x86-64-v4 - -o - | FileCheck %s --check-prefix=FEW
; RUN: sed '/^; CHECK/d' %s | %cucpu-opt --passes=guard_coherent --simd=16 --cpu=x86-64-v4 - -o - | FileCheck %s --check-prefix=ALL
; A test of data guards a side of many cycles, not a few instructions; a test of a place guards those too.
; OFF-NOT: call i1 @cucpu.any
declare i32 @cucpu.tid.x()
declare float @sinf(float) memory(none)

; CHECK-LABEL: define {{.*}} @cheap_data
; CHECK-NOT: call i1 @cucpu.any
; CHECK: ret void
define void @cheap_data(ptr %p) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %a
  %c = fcmp olt float %v, 0.5
  br i1 %c, label %then, label %else
then:
  %x = fdiv float 1.0, %v
  %y = fadd float %x, %v
  %z = fdiv float %y, %v
  br label %out
else:
  br label %out
out:
  %r = phi float [ %z, %then ], [ 1.0, %else ]
  store float %r, ptr %a
  ret void
}

; CHECK-LABEL: define {{.*}} @dear_data
; CHECK: %any = call i1 @cucpu.any(i1 %c)
; CHECK: ret void
define void @dear_data(ptr %p) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %a
  %c = fcmp olt float %v, 0.5
  br i1 %c, label %then, label %else
then:
  %x = call float @sinf(float %v)
  %y = call float @sinf(float %x)
  %z = call float @sinf(float %y)
  br label %out
else:
  br label %out
out:
  %r = phi float [ %z, %then ], [ 1.0, %else ]
  store float %r, ptr %a
  ret void
}

; FEW-LABEL: define {{.*}} @two_sines
; FEW: %any = call i1 @cucpu.any(i1 %c)
; FEW: ret void
; ALL-LABEL: define {{.*}} @two_sines
; ALL-NOT: call i1 @cucpu.any
; ALL: ret void
define void @two_sines(ptr %p) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %a
  %c = fcmp olt float %v, 0.5
  br i1 %c, label %then, label %else
then:
  %x = call float @sinf(float %v)
  %y = call float @sinf(float %x)
  br label %out
else:
  br label %out
out:
  %r = phi float [ %y, %then ], [ 1.0, %else ]
  store float %r, ptr %a
  ret void
}

; CHECK-LABEL: define {{.*}} @place
; CHECK: %any = call i1 @cucpu.any(i1 %c)
; CHECK: ret void
define void @place(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %a
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %else
then:
  %x = fdiv float 1.0, %v
  %y = fadd float %x, %v
  %z = fdiv float %y, %v
  br label %out
else:
  br label %out
out:
  %r = phi float [ %z, %then ], [ 1.0, %else ]
  store float %r, ptr %a
  ret void
}

; However cheap, an access of global memory: lanes that are off may be far behind its array.
; CHECK-LABEL: define {{.*}} @fill(
; CHECK: %any = call i1 @cucpu.any(i1 %c)
; CHECK: ret void
define void @fill(ptr %p, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %f = getelementptr inbounds float, ptr %p, i64 %i
  store float 0.0, ptr %f
  br label %out
out:
  ret void
}

; CHECK-LABEL: define {{.*}} @aside(
; CHECK: %any = call i1 @cucpu.any(i1 %c)
; CHECK-NOT: call i1 @cucpu.any
; CHECK: ret void
define void @aside(ptr %p, ptr %few, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %a
  %x = fdiv float 1.0, %v
  store float %x, ptr %a
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %f = getelementptr inbounds float, ptr %few, i64 %i
  store float 0.0, ptr %f
  br label %out
out:
  ret void
}

; Shared memory is there.
; CHECK-LABEL: define {{.*}} @shared(
; CHECK-NOT: call i1 @cucpu.any
; CHECK: ret void
define void @shared(ptr %p, i32 %n) #0 {
entry:
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %a
  %x = fdiv float 1.0, %v
  store float %x, ptr %a
  %c = icmp slt i32 %t, %n
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %f = getelementptr inbounds float, ptr %s, i64 %i
  store float 0.0, ptr %f
  br label %out
out:
  ret void
}
declare ptr @cucpu.shared()
attributes #0 = { "cucpu.kernel" }
