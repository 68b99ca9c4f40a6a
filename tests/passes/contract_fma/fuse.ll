; Products all of whose uses are sums are fused with them; nothing is left for code generation to fuse.
; RUN: %cucpu-opt --passes=contract_fma %s | FileCheck %s
; RUN: %cucpu-opt --passes=contract_fma,contract_fma %s | FileCheck %s
; RUN: %cucpu-opt --passes=contract_fma --disable=contract_fma %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: fmuladd
; OFF: fmul contract float
; CHECK-NOT: {{f(add|sub|mul)}} contract

; CHECK-LABEL: define float @add(
; CHECK: %[[R:.*]] = call float @llvm.fmuladd.f32(float %a, float %b, float %c)
; CHECK-NEXT: ret float %[[R]]
define float @add(float %a, float %b, float %c) {
  %m = fmul contract float %a, %b
  %r = fadd contract float %c, %m
  ret float %r
}

; CHECK-LABEL: define <4 x double> @minus(
; CHECK: %[[N:.*]] = fneg <4 x double> %c
; CHECK: %[[R:.*]] = call <4 x double> @llvm.fmuladd.v4f64(<4 x double> %a, <4 x double> %b, <4 x double> %[[N]])
define <4 x double> @minus(<4 x double> %a, <4 x double> %b, <4 x double> %c) {
  %m = fmul contract <4 x double> %a, %b
  %r = fsub contract <4 x double> %m, %c
  ret <4 x double> %r
}

; CHECK-LABEL: define float @from(
; CHECK: %[[N:.*]] = fneg float %a
; CHECK: call float @llvm.fmuladd.f32(float %[[N]], float %b, float %c)
define float @from(float %a, float %b, float %c) {
  %m = fmul contract float %a, %b
  %r = fsub contract float %c, %m
  ret float %r
}

; Two sums and two products, in another block as well: one product is computed, the other one fused twice.
; CHECK-LABEL: define float @squares(
; CHECK-NOT: fmul float %x, %x
; CHECK: %[[Y:.*]] = fmul float %y, %y
; CHECK: call float @llvm.fmuladd.f32(float %x, float %x, float %[[Y]])
; CHECK: more:
; CHECK: %[[N:.*]] = fneg float %[[Y]]
; CHECK: call float @llvm.fmuladd.f32(float %x, float %x, float %[[N]])
define float @squares(float %x, float %y, ptr %p) {
  %a = fmul contract float %x, %x
  %b = fmul contract float %y, %y
  %s = fadd contract float %a, %b
  %c = fcmp olt float %s, 4.0
  br i1 %c, label %more, label %out
more:
  %d = fsub contract float %a, %b
  store float %d, ptr %p
  br label %out
out:
  ret float %s
}

; A negated product is fused like the product.
; CHECK-LABEL: define float @negated(
; CHECK: %[[N:.*]] = fneg float %a
; CHECK: call float @llvm.fmuladd.f32(float %[[N]], float %b, float %c)
; CHECK: call float @llvm.fmuladd.f32(float %a, float %b, float %c)
; CHECK-NOT: fmul float
define float @negated(float %a, float %b, float %c) {
  %m = fmul contract float %a, %b
  %n = fneg float %m
  %r = fadd contract float %n, %c
  %s = fsub contract float %c, %n
  %t = fdiv float %r, %s
  ret float %t
}

; The negated product is needed.
; CHECK-LABEL: define float @negation_needed(
; CHECK-NOT: fmuladd
; CHECK: ret
define float @negation_needed(float %a, float %b, float %c) {
  %m = fmul contract float %a, %b
  %n = fneg float %m
  %r = fadd contract float %n, %c
  %t = fdiv float %r, %n
  ret float %t
}

; Left alone: the product is needed, one of the two may not be contracted, sums may be reassociated.
; CHECK-LABEL: define float @needed(
; CHECK-NOT: fmuladd
; CHECK: define
define float @needed(float %a, float %b, ptr %p) {
  %m = fmul contract float %a, %b
  store float %m, ptr %p
  %r = fadd contract float %m, 1.0
  ret float %r
}
define float @strict(float %a, float %b, float %c) {
  %m = fmul float %a, %b
  %r = fadd contract float %m, %c
  %n = fmul contract float %r, %b
  %s = fadd float %n, %c
  ret float %s
}
define float @fast(float %a, float %b, float %c) {
  %m = fmul reassoc float %a, %b
  %r = fadd reassoc float %m, %c
  ret float %r
}
