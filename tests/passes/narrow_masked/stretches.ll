; Constant masks with their lanes in one stretch: exactly these lanes are loaded or stored, with the facts of the
; masked access.  Others stay.
; RUN: %cucpu-opt --passes=narrow_masked --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=narrow_masked --disable=narrow_masked --cpu=x86-64-v4 %s | FileCheck --check-prefix=OFF %s
define void @k(ptr %p, ptr %q, <8 x i1> %unknown) {
; CHECK: [[A:%.*]] = load <4 x float>, ptr %p, align 4, !alias.scope
; CHECK: [[B:%.*]] = shufflevector <4 x float> [[A]], <4 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 poison, i32 poison, i32 poison, i32 poison>
  %a = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %p, <8 x i1> <i1 1, i1 1, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>, <8 x float> poison), !alias.scope !0
; CHECK: [[P:%.*]] = getelementptr float, ptr %q, i64 2
; CHECK: load <6 x float>, ptr [[P]], align 8
; CHECK: shufflevector <6 x float> {{.*}} <i32 poison, i32 poison, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5>
; CHECK: select <8 x i1> {{.*}}, <8 x float> zeroinitializer
  %b = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 32 %q, <8 x i1> <i1 0, i1 0, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1>, <8 x float> zeroinitializer)
  %sum = fadd <8 x float> %a, %b
; CHECK: getelementptr float, ptr %p, i64 3
; CHECK: extractelement <8 x float> %sum, i32 3
; CHECK: store float
  call void @llvm.masked.store.v8f32.p0(<8 x float> %sum, ptr align 4 %p, <8 x i1> <i1 0, i1 0, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0>)
; CHECK: store <8 x float> %sum, ptr %q, align 32
  call void @llvm.masked.store.v8f32.p0(<8 x float> %sum, ptr align 32 %q, <8 x i1> splat (i1 true))
; CHECK-NEXT: masked.store{{.*}} <i1 true, i1 false
  call void @llvm.masked.store.v8f32.p0(<8 x float> %sum, ptr align 4 %q, <8 x i1> <i1 1, i1 0, i1 1, i1 1, i1 0, i1 0, i1 0, i1 0>)
; CHECK-NEXT: masked.store{{.*}} %unknown
  call void @llvm.masked.store.v8f32.p0(<8 x float> %sum, ptr align 4 %q, <8 x i1> zeroinitializer)
  call void @llvm.masked.store.v8f32.p0(<8 x float> %sum, ptr align 4 %q, <8 x i1> %unknown)
  ret void
}
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, <8 x i1>)
!0 = !{!1}
!1 = !{!"s", !2}
!2 = !{!"d"}
; OFF-COUNT-5: call void @llvm.masked.store
