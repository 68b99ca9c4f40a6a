; An unsigned index of 32 bits, one higher in each lane, that may wrap: one comparison of lane 0's says whether the lanes
; lie in a row.  The addresses of all lanes are computed only where they do not.
; RUN: %cucpu-opt --passes=linearise,widen --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=linearise,widen --simd=8 --disable=row_test %s -o - | FileCheck --check-prefix=OFF %s
declare i32 @cucpu.tid.x()

; CHECK-LABEL: define {{.*}} @unsigned_index
; CHECK: %[[I:.*]] = freeze i32
; CHECK: icmp ule i32 %[[I]], -8
; CHECK: {{^row[0-9]*}}:
; CHECK-NEXT: load <8 x float>, ptr
; CHECK: {{^apart[0-9]*}}:
; CHECK: zext <8 x i32>
; CHECK: call <8 x float> @llvm.masked.gather
; OFF-LABEL: define {{.*}} @unsigned_index
; OFF-NOT: icmp ule
; OFF: call <8 x float> @llvm.masked.gather
define void @unsigned_index(ptr %p, ptr %q, i32 %n) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = add i32 %t, %n
  %x = zext i32 %i to i64
  %a = getelementptr inbounds float, ptr %p, i64 %x
  %v = load float, ptr %a
  %j = zext nneg i32 %t to i64
  %b = getelementptr inbounds float, ptr %q, i64 %j
  store float %v, ptr %b
  ret void
}

; CHECK-LABEL: define {{.*}} @added_to
; CHECK: icmp ule i32 %{{.*}}, -8
; CHECK: store <8 x float>
; CHECK: call void @llvm.masked.scatter
define void @added_to(ptr %p, i32 %n, i64 %more) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = add i32 %t, %n
  %x = zext i32 %i to i64
  %y = add i64 %x, %more
  %a = getelementptr inbounds float, ptr %p, i64 %y
  store float 1.0, ptr %a
  ret void
}

; Two higher in each lane: no row.
; CHECK-LABEL: define {{.*}} @two_apart
; CHECK-NOT: icmp ule i32 %{{[0-9]+}}, -8
; CHECK: ret void
define void @two_apart(ptr %p, i32 %n) #0 {
  %t = call i32 @cucpu.tid.x()
  %m = mul i32 %t, 2
  %i = add i32 %m, %n
  %x = zext i32 %i to i64
  %a = getelementptr inbounds float, ptr %p, i64 %x
  store float 1.0, ptr %a
  ret void
}
; Rows of four: two runs of lanes, whose indices are all asked.
; CHECK-LABEL: define {{.*}} @tile
; CHECK: icmp ule <8 x i32> %{{.*}}, splat (i32 -4)
; CHECK: load <4 x float>
; CHECK: load <4 x float>
; CHECK: call <8 x float> @llvm.masked.gather
; CHECK: store <4 x float>
; CHECK: store <4 x float>
; CHECK: call void @llvm.masked.scatter
define void @tile(ptr %p, ptr %q, i32 %pitch) #0 {
  %t = call i32 @cucpu.tid.x()
  %r = lshr i32 %t, 2
  %c = and i32 %t, 3
  %m = mul i32 %r, %pitch
  %i = add i32 %m, %c
  %x = zext i32 %i to i64
  %a = getelementptr inbounds float, ptr %p, i64 %x
  %v = load float, ptr %a
  %b = getelementptr inbounds float, ptr %q, i64 %x
  store float %v, ptr %b
  ret void
}
attributes #0 = { "cucpu.kernel" }
