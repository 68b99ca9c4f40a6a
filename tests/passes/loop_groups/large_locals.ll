; Local arrays that no stack has room for are in the frame, behind what is fixed there; small ones stay, and so does a large one alone.
; RUN: sed 's/COUNT/131072/' %s | %cucpu-opt --passes=widen,split_barriers,loop_groups --simd=8 - | FileCheck %s
; RUN: sed 's/COUNT/1024/' %s | %cucpu-opt --passes=widen,split_barriers,loop_groups --simd=8 - | FileCheck %s --check-prefix=STACK
; CHECK-LABEL: define internal void @kernel.entry(
; CHECK-NOT: alloca [4194304 x i8]
; CHECK: alloca [256 x i8]
; CHECK: %local{{.*}} = getelementptr inbounds i8, ptr %frame{{.*}}, i64 128
; CHECK-NOT: alloca [4194304 x i8]
; CHECK: "cucpu.frame"="4194432,0"
; STACK: alloca [32768 x i8]
; STACK: "cucpu.frame"="0,0"
declare i32 @cucpu.tid.x()
define void @kernel(ptr %p, i64 %n) "cucpu.kernel" "cucpu.width"="8" {
  %a = alloca [COUNT x i32]
  %b = alloca [8 x i32]
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %x = getelementptr i32, ptr %a, i64 %i
  store i32 %t, ptr %x
  %w = getelementptr i32, ptr %b, i64 %n
  store i32 %t, ptr %w
  %y = getelementptr i32, ptr %a, i64 %n
  %v = load i32, ptr %y
  %u = load i32, ptr %b
  %s = add i32 %v, %u
  %z = getelementptr i32, ptr %p, i64 %i
  store i32 %s, ptr %z
  ret void
}
