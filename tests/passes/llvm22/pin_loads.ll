; InstCombine makes one load of a masked load and the select of its result, after the store between them.
; RUN: opt -passes=instcombine -S %s | FileCheck %s
; CHECK: store
; CHECK: call <4 x i32> @llvm.masked.load
define <4 x i32> @swap(ptr %p, <4 x i32> %new, <4 x i1> %m, <4 x i32> %rest) {
  %old = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %p, <4 x i1> %m, <4 x i32> zeroinitializer)
  store <4 x i32> %new, ptr %p, align 4
  %r = select <4 x i1> %m, <4 x i32> %old, <4 x i32> %rest
  ret <4 x i32> %r
}
