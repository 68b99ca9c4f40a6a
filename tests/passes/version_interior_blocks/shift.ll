; RUN: %cucpu-opt --passes=version_interior_blocks --simd=8 %s -o - | FileCheck %s
; A bound that is shifted by a parameter is not computed in front of the test that keeps the parameter below 32: it would be poison.
; CHECK-NOT: inner:
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()
declare void @cucpu.barrier(i32)

; CHECK-LABEL: define {{.*}} @shifted
; CHECK: icmp slt i32 %s, 32
; CHECK: %end = shl i32 1, %s
define void @shifted(ptr %out, i32 %s) #0 {
entry:
  %x = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %m = mul i32 %b, 64
  %i = add i32 %m, %x
  %few = icmp slt i32 %s, 32
  br i1 %few, label %then, label %skip
skip:
  br label %join
then:
  %end = shl i32 1, %s
  %below = icmp slt i32 %i, %end
  %v = zext i1 %below to i32
  br label %join
join:
  %w = phi i32 [ %v, %then ], [ 7, %skip ]
  call void @cucpu.barrier(i32 0)
  %k = zext nneg i32 %i to i64
  %q = getelementptr i32, ptr %out, i64 %k
  store i32 %w, ptr %q
  ret void
}
attributes #0 = { "cucpu.kernel" "cucpu.width"="8" "cucpu.block"="64,1,1" }
