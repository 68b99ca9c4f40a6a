; A mask in memory, or made of a number, is compared with the bits of its lanes, but with AVX-512, which has registers for masks.
; RUN: %cucpu-opt --passes=spread_masks --cpu=x86-64-v3 %s -o %t.ll && FileCheck %s < %t.ll
; RUN: %cucpu-opt --passes=spread_masks --cpu=x86-64-v4 %s | FileCheck --check-prefix=SAME %s
; RUN: llc -mcpu=x86-64-v3 %t.ll -o - | FileCheck --check-prefix=ASM %s
; SAME-NOT: %spread
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @loaded(
; CHECK: [[N:%.*]] = load i8, ptr %m, align 1
; CHECK: [[Z:%.*]] = zext i8 [[N]] to i32
; CHECK: and <8 x i32> {{.*}}, <i32 1, i32 2, i32 4, i32 8, i32 16, i32 32, i32 64, i32 128>
; CHECK: %spread = icmp eq <8 x i32>
; CHECK: select <8 x i1> %spread,
; ASM-LABEL: loaded:
; ASM-NOT: {{vpinsr|shr}}
; ASM: vpcmpeqd
; ASM: retq
define <8 x float> @loaded(ptr %m, <8 x float> %x, <8 x float> %y) {
  %c = load <8 x i1>, ptr %m
  %s = select <8 x i1> %c, <8 x float> %x, <8 x float> %y
  ret <8 x float> %s
}

; As words of the size of what it masks, also behind logic.
; CHECK-LABEL: @number(
; CHECK: zext i4 %n to i64
; CHECK: icmp eq <4 x i64>
define <4 x double> @number(i4 %n, <4 x double> %x, <4 x double> %y) {
  %c = bitcast i4 %n to <4 x i1>
  %d = fcmp olt <4 x double> %x, %y
  %e = and <4 x i1> %c, %d
  %s = select <4 x i1> %e, <4 x double> %x, <4 x double> %y
  ret <4 x double> %s
}

; A number for all who ask; a volatile one; two lanes.
; CHECK-LABEL: @stay(
; CHECK-NOT: spread
; CHECK: ret
define i8 @stay(ptr %m, ptr %q, i2 %two, <2 x double> %x) {
  %c = load <8 x i1>, ptr %m
  %n = bitcast <8 x i1> %c to i8
  %v = load volatile <8 x i1>, ptr %m
  %z = sext <8 x i1> %v to <8 x i32>
  store <8 x i32> %z, ptr %q
  %t = bitcast i2 %two to <2 x i1>
  %s = select <2 x i1> %t, <2 x double> %x, <2 x double> zeroinitializer
  store <2 x double> %s, ptr %q
  ret i8 %n
}
