; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=8 %s -o - | FileCheck --check-prefix=ON %s
; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=8 --disable=uniform_values %s -o - | FileCheck --check-prefix=OFF %s
; A uniform factor is a scalar, broadcast where a vector needs it.  --disable=uniform_values: it is loaded once
; all the same, but computed as a vector; what an address is made of stays scalar.
declare i32 @cucpu.tid.x()

; ON-LABEL: define {{.*}} @scale.w8.rows_full
; ON: fmul float
; OFF-LABEL: define {{.*}} @scale.w8.rows_full
; OFF: add i32 %m, 64
; OFF-NOT: fmul float
; OFF: fmul <8 x float>
define void @scale(ptr %p, ptr %f, i32 %n) #0 {
  %t = call i32 @cucpu.tid.x()
  %m = add i32 %n, 1
  %row = mul i32 %m, 64
  %i = add i32 %row, %t
  %q = getelementptr float, ptr %p, i32 %i
  %a = load float, ptr %f
  %b = fmul float %a, 3.0
  %x = load float, ptr %q
  %y = fadd float %x, %b
  store float %y, ptr %q
  ret void
}
attributes #0 = { "cucpu.kernel" }
