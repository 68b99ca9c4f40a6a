; RUN: %cucpu-opt --passes=linearise,widen --simd=32 %s -o - | FileCheck %s
; RUN: not %cucpu-opt --passes=linearise,widen --simd=1 %s -o - 2>&1 | FileCheck %s --check-prefix=ONE
; In a group that is a warp a shuffle is a permutation and a vote a mask.
declare i32 @cucpu.tid.x()
declare i32 @cucpu.shfl.bfly(i32, i32, i32, i32)
declare i32 @cucpu.ballot(i32, i1)

; ONE: unsupported: warp-level functions need a group that is one whole warp
; CHECK-LABEL: define {{.*}} @kernel
; CHECK: shufflevector <32 x i32> {{.*}}, <32 x i32> poison, <32 x i32> <i32 1, i32 0, i32 3, i32 2,
; CHECK: bitcast <32 x i1> {{.*}} to i32
; CHECK-NOT: call {{.*}}cucpu.shfl
define void @kernel(ptr %p) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  %v = load i32, ptr %a
  %s = call i32 @cucpu.shfl.bfly(i32 -1, i32 %v, i32 1, i32 31)
  %c = icmp sgt i32 %v, %s
  %b = call i32 @cucpu.ballot(i32 -1, i1 %c)
  %r = add i32 %s, %b
  store i32 %r, ptr %a
  ret void
}
attributes #0 = { "cucpu.kernel" }
