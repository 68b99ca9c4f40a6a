; The wrapper of a call that stays is inlined into code of one lane, though code of several calls it as well: with --simd=1 it has one caller.
; RUN: %cucpu-opt --passes=optimise %s | FileCheck %s
; RUN: %cucpu-opt --passes=optimise --opt=0 %s | FileCheck --check-prefix=CALL %s

; CHECK-LABEL: define void @one(
; CHECK-NOT: @cucpu_with_ids
; CHECK: call ptr @cucpu_thread()
; CHECK-LABEL: define void @eight(
; CHECK: call {{.*}}@cucpu_with_ids
; CHECK: call {{.*}}@cucpu_with_ids
; CALL-LABEL: define void @one(
; CALL: call {{.*}}@cucpu_with_ids
declare ptr @cucpu_thread()

define internal void @cucpu_with_ids(i32 %id) {
  %t0 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t0
  %t1 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t1
  %t2 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t2
  %t3 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t3
  %t4 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t4
  %t5 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t5
  %t6 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t6
  %t7 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t7
  %t8 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t8
  %t9 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t9
  %t10 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t10
  %t11 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t11
  %t12 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t12
  %t13 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t13
  %t14 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t14
  %t15 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t15
  %t16 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t16
  %t17 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t17
  %t18 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t18
  %t19 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t19
  %t20 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t20
  %t21 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t21
  %t22 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t22
  %t23 = call ptr @cucpu_thread()
  store volatile i32 %id, ptr %t23
  ret void
}

define void @one(i32 %x) #0 {
  call void @cucpu_with_ids(i32 %x)
  ret void
}

define void @eight(i32 %x) #1 {
  call void @cucpu_with_ids(i32 %x)
  %y = add i32 %x, 1
  call void @cucpu_with_ids(i32 %y)
  ret void
}

attributes #0 = { "cucpu.entry" "cucpu.width"="1" }
attributes #1 = { "cucpu.entry" "cucpu.width"="8" }
