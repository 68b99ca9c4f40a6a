; A warp of 64 lanes has no 32-bit masks; functions whose result is no mask are possible.
; RUN: not %cucpu-opt --passes=make_variants,split_warps --simd=1 --warp-size=64 %s -o - 2>&1 | FileCheck %s
; RUN: not %cucpu-opt --passes=make_variants,widen --warp-size=64 %s -o - 2>&1 | FileCheck %s
; RUN: sed s/ballot/shfl.none/ %s | not %cucpu-opt --passes=make_variants,widen --simd=1 - -o - 2>&1 | FileCheck --check-prefix=LEFT %s
; CHECK: unsupported: a mask of 32 bits cannot hold the lanes of a warp of 64
; LEFT: unsupported: warp-level functions need a group that is one whole warp
declare i32 @cucpu.ballot(i32, i1)
declare void @cucpu.syncwarp(i32)
define void @kernel(ptr %out, i1 %p) #0 {
  call void @cucpu.syncwarp(i32 -1)
  %b = call i32 @cucpu.ballot(i32 -1, i1 %p)
  store i32 %b, ptr %out
  ret void
}
attributes #0 = { "cucpu.kernel" }
