; A vector function that is not in the table is an error with its name, not an undefined symbol.
; RUN: not %cucpu-opt --passes=lower_math %s 2>&1 | FileCheck %s
; CHECK: error: no vector form of the math function cucpu.math.nosuchf.v8

define <8 x float> @f(<8 x float> %x) {
  %a = call <8 x float> @cucpu.math.nosuchf.v8(<8 x float> %x)
  ret <8 x float> %a
}
declare <8 x float> @cucpu.math.nosuchf.v8(<8 x float>)
