; Fields of structures passed by value become parameters; those of a structure that is written, at an index that is not
; constant, beyond the structure, volatile, or vectors, do not.
; RUN: %cucpu-opt --passes=split_parameters %s | FileCheck %s
; RUN: %cucpu-opt --passes=split_parameters --disable=split_parameters %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=split_parameters --opt=0 %s | FileCheck --check-prefix=OFF %s
; OFF-LABEL: @fields(
; OFF: load i32, ptr %n
%grid = type { ptr, i32, i8, double }
declare i32 @cucpu.tid.x()

; CHECK-LABEL: define void @written(ptr byval(%grid) %g)
define void @written(ptr byval(%grid) %g) "cucpu.kernel" {
  %n = getelementptr inbounds i8, ptr %g, i64 8
  %v = load i32, ptr %n
  %w = add i32 %v, 1
  store i32 %w, ptr %n
  ret void
}

; A function that is no kernel keeps its parameters.
; CHECK-LABEL: define i32 @function(ptr byval(%grid) %g)
define i32 @function(ptr byval(%grid) %g) {
  %n = getelementptr inbounds i8, ptr %g, i64 8
  %v = load i32, ptr %n
  ret i32 %v
}

; CHECK-LABEL: define void @fields(ptr byval(%grid) align 8 %g, i64 %k, ptr "cucpu.field"="0,0" %field0, i32 "cucpu.field"="0,8" %field8)
; CHECK-NOT: load
; CHECK: %i = phi i32 [ 0, %entry ], [ %next, %loop ]
; CHECK: store i32 %i, ptr %field0
; CHECK: icmp slt i32 %next, %field8
define void @fields(ptr byval(%grid) align 8 %g, i64 %k) "cucpu.kernel" {
entry:
  %n = getelementptr inbounds i8, ptr %g, i64 8
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = load ptr, ptr %g
  store i32 %i, ptr %p
  %next = add i32 %i, 1
  %end = load i32, ptr %n
  %more = icmp slt i32 %next, %end
  br i1 %more, label %loop, label %out
out:
  ret void
}

; CHECK-LABEL: define void @others(ptr byval([4 x i32]) %a, ptr %out, i32 "cucpu.field"="0,4" %field4)
; CHECK: load i32, ptr %variable
; CHECK: load i32, ptr %beyond
; CHECK: load volatile i32, ptr %a
; CHECK: load <2 x i32>, ptr %a
; CHECK: store i32 %field4
define void @others(ptr byval([4 x i32]) %a, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %variable = getelementptr i32, ptr %a, i32 %t
  %v = load i32, ptr %variable
  store i32 %v, ptr %out
  %beyond = getelementptr i8, ptr %a, i64 14
  %w = load i32, ptr %beyond
  store i32 %w, ptr %out
  %x = load volatile i32, ptr %a
  store i32 %x, ptr %out
  %y = load <2 x i32>, ptr %a
  store <2 x i32> %y, ptr %out
  %one = getelementptr i32, ptr %a, i64 1
  %z = load i32, ptr %one
  store i32 %z, ptr %out
  ret void
}
