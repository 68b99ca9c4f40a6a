; RUN: %cucpu-opt --passes=version_all_active --simd=8 %s -o - | FileCheck %s
; All versions of a kernel share one budget: the copy counts, and where too little of it is left there is none.
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()

; CHECK-LABEL: define {{.*}} @some_left
; CHECK-SAME: #[[COPIED:[0-9]+]]
; CHECK: call i1 @cucpu.all
define void @some_left(ptr %p, ptr %q, i32 %n) #0 {
entry:
  %x0 = call i32 @cucpu.tid.x()
  %b0 = call i32 @cucpu.ctaid.x()
  %m0 = mul i32 %b0, 128
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
  %z = fadd float %x, %y
  store float %z, ptr %b
  br label %out
out:
  ret void
}

; CHECK-LABEL: define {{.*}} @none_left
; CHECK-NOT: call i1 @cucpu.all
; CHECK: attributes #[[COPIED]] = {{.*}}"cucpu.growth"="1500"
define void @none_left(ptr %p, ptr %q, i32 %n) #1 {
entry:
  %x0 = call i32 @cucpu.tid.x()
  %b0 = call i32 @cucpu.ctaid.x()
  %m0 = mul i32 %b0, 128
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
  %z = fadd float %x, %y
  store float %z, ptr %b
  br label %out
out:
  ret void
}

attributes #0 = { "cucpu.kernel" "cucpu.width"="8" "cucpu.layout"="rows_full" "cucpu.growth"="1495" }
attributes #1 = { "cucpu.kernel" "cucpu.width"="8" "cucpu.layout"="rows_full" "cucpu.growth"="1496" }
