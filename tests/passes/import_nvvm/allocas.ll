; alloca() of a size that is not known, or outside of the first block, is memory of the device library, given back at each return.
; RUN: %cucpu-opt --passes=import_nvvm %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"

; CHECK-LABEL: define internal i32 @f(
; CHECK-NEXT: %allocas = alloca ptr
; CHECK-NEXT: store ptr null, ptr %allocas
; CHECK-NEXT: %steady = alloca [4 x i32]
; CHECK: [[N:%.*]] = zext i32 %n to i64
; CHECK: [[BYTES:%.*]] = mul i64 [[N]], 4
; CHECK: call ptr @__cucpu_alloca(ptr %allocas, i64 [[BYTES]], i64 16)
; CHECK: loop:
; CHECK: call ptr @__cucpu_alloca(ptr %allocas, i64 24, i64 32)
; CHECK: call void @__cucpu_free_allocas(ptr %allocas)
; CHECK-NEXT: ret
; CHECK: call void @__cucpu_free_allocas(ptr %allocas)
; CHECK-NEXT: ret
define i32 @f(i32 %n, ptr %q) {
  %steady = alloca [4 x i32]
  %mine = alloca i32, i32 %n, align 4
  store i32 %n, ptr %mine
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %each = alloca i8, i64 24, align 32
  store ptr %each, ptr %q
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %out
out:
  %c = icmp eq i32 %n, 7
  br i1 %c, label %a, label %b
a:
  ret i32 1
b:
  %v = load i32, ptr %mine
  ret i32 %v
}

; CHECK-LABEL: define internal void @none(
; CHECK-NOT: __cucpu
; CHECK: ret void
define void @none(ptr %q) {
  %steady = alloca i32
  store ptr %steady, ptr %q
  ret void
}
