; RUN: %cucpu-opt --passes=linearise,widen --simd=32 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=linearise,widen --simd=16 %s -o - | FileCheck %s --check-prefix=HALF
; What is computed from the lane and constants alone is a constant where a group is a warp, with half a
; warp it is not.  A row of four lanes is a vector, of which there may be eight; a row of two is not.
declare i32 @cucpu.lane()

; CHECK-LABEL: define {{.*}} @rows
; CHECK: store <32 x i32> <i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1, i32 2,
; HALF-LABEL: define {{.*}} @rows
; HALF: %[[ROW:.*]] = add <16 x i32> %{{.*}}, <i32 0, i32 0, i32 0, i32 0, i32 1,
; HALF: store <16 x i32> %[[ROW]]
define void @rows(ptr %p) #0 {
  %l = call i32 @cucpu.lane()
  %i = zext nneg i32 %l to i64
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  %row = lshr i32 %l, 2
  store i32 %row, ptr %a
  ret void
}

; CHECK-LABEL: define {{.*}} @four
; CHECK-COUNT-8: load <4 x i16>
; CHECK-NOT: gather
; CHECK: store <32 x i16>
; HALF-LABEL: define {{.*}} @four
; HALF-COUNT-4: load <4 x i16>
define void @four(ptr %p, ptr %q, i64 %ld) #0 {
  %l = call i32 @cucpu.lane()
  %i = zext nneg i32 %l to i64
  %row = lshr i64 %i, 2
  %column = and i64 %i, 3
  %start = mul i64 %row, %ld
  %at = add i64 %start, %column
  %a = getelementptr inbounds i16, ptr %p, i64 %at
  %v = load i16, ptr %a
  %b = getelementptr inbounds i16, ptr %q, i64 %i
  store i16 %v, ptr %b
  ret void
}

; CHECK-LABEL: define {{.*}} @two
; CHECK-NOT: load <2 x i16>
; CHECK: llvm.masked.gather.v32i16
define void @two(ptr %p, ptr %q, i64 %ld) #0 {
  %l = call i32 @cucpu.lane()
  %i = zext nneg i32 %l to i64
  %row = lshr i64 %i, 1
  %column = and i64 %i, 1
  %start = mul i64 %row, %ld
  %at = add i64 %start, %column
  %a = getelementptr inbounds i16, ptr %p, i64 %at
  %v = load i16, ptr %a
  %b = getelementptr inbounds i16, ptr %q, i64 %i
  store i16 %v, ptr %b
  ret void
}
attributes #0 = { "cucpu.kernel" }
