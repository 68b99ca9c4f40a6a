; RUN: %cucpu-opt --cpu=x86-64-v4 --passes=order_signed_zeros %s | FileCheck %s
; RUN: %cucpu-opt --cpu=x86-64-v4 --passes=order_signed_zeros,order_signed_zeros %s | FileCheck %s
; RUN: %cucpu-opt --cpu=x86-64-v3 --passes=order_signed_zeros %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --cpu=x86-64-v4 --passes=order_signed_zeros --disable=order_signed_zeros %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: mask.range

; What arithmetic has computed is no signalling NaN; what is loaded may be one.
define <16 x float> @group(ptr %p, <16 x float> %y) {
; CHECK-LABEL: @group
; CHECK: [[X:%.*]] = call <16 x float> @llvm.canonicalize.v16f32(<16 x float> %x)
; CHECK: [[R:%.*]] = call <16 x float> @llvm.x86.avx512.mask.range.ps.512(<16 x float> [[X]], <16 x float> %s, i32 5, <16 x float> poison, i16 -1, i32 4)
; CHECK-NEXT: ret <16 x float> [[R]]
  %x = load <16 x float>, ptr %p
  %s = fadd <16 x float> %x, %y
  %r = call <16 x float> @llvm.maxnum.v16f32(<16 x float> %x, <16 x float> %s)
  ret <16 x float> %r
}

define <16 x double> @wide(<16 x double> %x) {
; CHECK-LABEL: @wide
; CHECK-COUNT-2: call <8 x double> @llvm.x86.avx512.mask.range.pd.512({{.*}}, i32 4, <8 x double> poison, i8 -1, i32 4)
; CHECK-NOT: minnum
  %a = fmul <16 x double> %x, %x
  %b = fadd <16 x double> %x, %x
  %r = call <16 x double> @llvm.minnum.v16f64(<16 x double> %a, <16 x double> %b)
  ret <16 x double> %r
}

; The back end crashes on llvm.canonicalize of two floats.
define <2 x float> @narrow(<2 x float> %x, <2 x float> %y) {
; CHECK-LABEL: @narrow
; CHECK-COUNT-2: call <4 x float> @llvm.canonicalize.v4f32(
; CHECK: call <4 x float> @llvm.x86.avx512.mask.range.ps.128(
  %r = call <2 x float> @llvm.maximumnum.v2f32(<2 x float> %x, <2 x float> %y)
  ret <2 x float> %r
}

define float @scalar(float %x) {
; CHECK-LABEL: @scalar
; CHECK: call <4 x float> @llvm.x86.avx512.mask.range.ps.128(
; CHECK: extractelement
  %a = fmul float %x, %x
  %b = fadd float %x, %x
  %r = call float @llvm.minnum.f32(float %a, float %b)
  ret float %r
}

; The largest so far is what arithmetic or this very call has given.
define float @loop(ptr %p, i32 %n) {
; CHECK-LABEL: @loop
; CHECK-COUNT-1: call <4 x float> @llvm.canonicalize.v4f32(
; CHECK-NOT: canonicalize
; CHECK: ret
entry:
  br label %more
more:
  %i = phi i32 [ 0, %entry ], [ %j, %more ]
  %m = phi float [ 1.0, %entry ], [ %r, %more ]
  %q = getelementptr float, ptr %p, i32 %i
  %x = load float, ptr %q
  %r = call float @llvm.maxnum.f32(float %m, float %x)
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %more, label %done
done:
  ret float %r
}

; A constant decides, but for the zero that loses.
define <8 x float> @constants(<8 x float> %x) {
; CHECK-LABEL: @constants
; CHECK: call <8 x float> @llvm.maxnum.v8f32(<8 x float> %x, <8 x float> zeroinitializer)
; CHECK-NEXT: call <8 x float> @llvm.minnum.v8f32({{.*}}, <8 x float> splat (float 1.0
; CHECK: call <8 x float> @llvm.x86.avx512.mask.range.ps.256(
  %a = call <8 x float> @llvm.maxnum.v8f32(<8 x float> %x, <8 x float> zeroinitializer)
  %b = call <8 x float> @llvm.minnum.v8f32(<8 x float> %a, <8 x float> splat (float 1.0))
  %r = call <8 x float> @llvm.minnum.v8f32(<8 x float> %b, <8 x float> zeroinitializer)
  ret <8 x float> %r
}
