; Warp-level functions.  Floats travel as i32; the forms without a mask get all lanes.
; RUN: %cucpu-opt --passes=import_nvvm %s | FileCheck %s
define ptx_kernel void @k(ptr %p, i32 %v, float %f, i1 %c, i32 %lane, i64 %w) {
  %a = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 15, i32 %v, i32 %lane, i32 31)
  %b = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 15, i32 %a, i32 1, i32 0)
  %d = call i32 @llvm.nvvm.shfl.down.i32(i32 %b, i32 1, i32 31)
  %g = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %f, i32 16, i32 31)
  %h = call i32 @llvm.nvvm.vote.ballot.sync(i32 7, i1 %c)
  %i = call i1 @llvm.nvvm.vote.any.sync(i32 7, i1 %c)
  %j = call i1 @llvm.nvvm.vote.all.sync(i32 7, i1 %c)
  %k1 = call i32 @llvm.nvvm.activemask()
  %l = call i32 @llvm.nvvm.match.any.sync.i32(i32 7, i32 %v)
  %m = call { i32, i1 } @llvm.nvvm.match.all.sync.i64p(i32 7, i64 %w)
  %n = extractvalue { i32, i1 } %m, 1
  %o = call i32 @llvm.nvvm.redux.sync.umax(i32 %v, i32 7)
  store volatile i32 %d, ptr %p
  store volatile float %g, ptr %p
  store volatile i32 %h, ptr %p
  store volatile i1 %i, ptr %p
  store volatile i1 %j, ptr %p
  store volatile i32 %k1, ptr %p
  store volatile i32 %l, ptr %p
  store volatile i1 %n, ptr %p
  store volatile i32 %o, ptr %p
  ret void
}
; CHECK-LABEL: define void @k(
; CHECK: %[[A:.*]] = call i32 @cucpu.shfl.idx(i32 15, i32 %v, i32 %lane, i32 31)
; CHECK: %[[B:.*]] = call i32 @cucpu.shfl.up(i32 15, i32 %[[A]], i32 1, i32 0)
; CHECK: call i32 @cucpu.shfl.down(i32 -1, i32 %[[B]], i32 1, i32 31)
; CHECK: %[[F:.*]] = bitcast float %f to i32
; CHECK: %[[G:.*]] = call i32 @cucpu.shfl.bfly(i32 -1, i32 %[[F]], i32 16, i32 31)
; CHECK: bitcast i32 %[[G]] to float
; CHECK: call i32 @cucpu.ballot(i32 7, i1 %c)
; CHECK: call i1 @cucpu.vote.any(i32 7, i1 %c)
; CHECK: call i1 @cucpu.vote.all(i32 7, i1 %c)
; CHECK: call i32 @cucpu.activemask()
; CHECK: call i32 @cucpu.match.any.i32(i32 7, i32 %v)
; CHECK: %[[M:.*]] = call i32 @cucpu.match.all.i64(i32 7, i64 %w)
; CHECK: icmp ne i32 %[[M]], 0
; CHECK: call i32 @cucpu.redux.umax(i32 7, i32 %v)
