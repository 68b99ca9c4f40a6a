; Masks that go round a loop, or to another block, are words there; logic among them is that of words; who asks looks at their signs.
; RUN: %cucpu-opt --passes=widen_live_masks --cpu=x86-64-v3 %s -o %t.ll && FileCheck %s < %t.ll
; RUN: %cucpu-opt --passes=widen_live_masks --cpu=x86-64-v4 %s | FileCheck --check-prefix=SAME %s
; RUN: %cucpu-opt --passes=widen_live_masks --disable=widen_live_masks --cpu=x86-64-v3 %s | FileCheck --check-prefix=SAME %s
; RUN: llc -mcpu=x86-64-v3 %t.ll -o - | FileCheck --check-prefix=ASM %s
; SAME-NOT: words
target triple = "x86_64-pc-linux-gnu"

; CHECK-LABEL: @escape(
; CHECK: loop:
; CHECK: %[[LIVE:.*]] = phi <8 x i32> [ splat (i32 -1), %entry ], [ %[[STAY:.*]], %loop ]
; CHECK-NOT: phi <8 x i1>
; CHECK: %inside = fcmp olt <8 x float>
; CHECK-NEXT: %[[IN:.*]] = sext <8 x i1> %inside to <8 x i32>
; CHECK: %[[STAY]] = and <8 x i32> %[[LIVE]], %[[IN]]
; CHECK: icmp slt <8 x i32> %[[STAY]], zeroinitializer
; CHECK-NEXT: select <8 x i1>
; CHECK: icmp slt <8 x i32> %[[STAY]], zeroinitializer
; CHECK-NEXT: bitcast <8 x i1>
; ASM-LABEL: escape:
; ASM-NOT: {{vpack|vpmovzx|vpslld}}
; ASM: retq
define <8 x i32> @escape(<8 x float> %x) {
entry:
  br label %loop
loop:
  %live = phi <8 x i1> [ splat (i1 true), %entry ], [ %stay, %loop ]
  %v = phi <8 x float> [ %x, %entry ], [ %w, %loop ]
  %n = phi <8 x i32> [ zeroinitializer, %entry ], [ %m, %loop ]
  %w = fmul <8 x float> %v, %v
  %inside = fcmp olt <8 x float> %w, splat (float 4.0)
  %stay = select <8 x i1> %live, <8 x i1> %inside, <8 x i1> zeroinitializer
  %next = add <8 x i32> %n, splat (i32 1)
  %m = select <8 x i1> %stay, <8 x i32> %next, <8 x i32> %n
  %bits = bitcast <8 x i1> %stay to i8
  %none = icmp eq i8 %bits, 0
  br i1 %none, label %end, label %loop
end:
  ret <8 x i32> %m
}

; A comparison that is asked for in another block alone; its own block goes on using it.  Doubles: words of 64 bits.
; CHECK-LABEL: @elsewhere(
; CHECK: %c = fcmp
; CHECK-NEXT: %[[W:.*]] = sext <4 x i1> %c to <4 x i64>
; CHECK-NEXT: select <4 x i1> %c,
; CHECK: then:
; CHECK: %[[M:.*]] = icmp slt <4 x i64> %[[W]], zeroinitializer
; CHECK-NEXT: select <4 x i1> %[[M]],
define <4 x double> @elsewhere(<4 x double> %x, <4 x double> %y, i1 %b) {
  %c = fcmp olt <4 x double> %x, %y
  %least = select <4 x i1> %c, <4 x double> %x, <4 x double> %y
  br i1 %b, label %then, label %end
then:
  %most = select <4 x i1> %c, <4 x double> %y, <4 x double> %least
  ret <4 x double> %most
end:
  ret <4 x double> %least
}

; A uniform condition, constants, a select among masks, not.
; CHECK-LABEL: @logic(
; CHECK: phi <8 x i32>
; CHECK: %[[B:.*]] = sext i1 %b to i32
; CHECK: %[[BS:.*]] = shufflevector
; CHECK: and <8 x i32> %[[BS]],
; CHECK: xor <8 x i32> {{.*}}, splat (i32 -1)
; CHECK: %[[OTHER:.*]] = and <8 x i32>
; CHECK: or <8 x i32>
; CHECK: or <8 x i32> {{.*}}, <i32 -1, i32 0, i32 -1, i32 0, i32 -1, i32 0, i32 -1, i32 0>
; CHECK-NOT: phi <8 x i1>
define <8 x i32> @logic(<8 x i32> %x, <8 x i32> %y, i1 %b) {
entry:
  %c = icmp slt <8 x i32> %x, %y
  br label %loop
loop:
  %m = phi <8 x i1> [ %c, %entry ], [ %o, %loop ]
  %d = icmp eq <8 x i32> %x, %y
  %u = select i1 %b, <8 x i1> %d, <8 x i1> zeroinitializer
  %s = select <8 x i1> %m, <8 x i1> %u, <8 x i1> %d
  %o = or <8 x i1> %s, <i1 true, i1 false, i1 true, i1 false, i1 true, i1 false, i1 true, i1 false>
  %n = bitcast <8 x i1> %o to i8
  %e = icmp eq i8 %n, -1
  br i1 %e, label %end, label %loop
end:
  %r = select <8 x i1> %o, <8 x i32> %x, <8 x i32> %y
  ret <8 x i32> %r
}

; A bit that all lanes share, within a block: as words too.
; CHECK-LABEL: @shared_bit(
; CHECK: %[[ONE:.*]] = sext i1 %b to i32
; CHECK-NEXT: insertelement <8 x i32> poison, i32 %[[ONE]], i32 0
; CHECK: xor <8 x i32>
; CHECK: icmp slt <8 x i32>
; CHECK-NEXT: select <8 x i1>
; ASM-LABEL: shared_bit:
; ASM-NOT: {{vpbroadcastb|vpmovzx|vpslld}}
; ASM: retq
define <8 x i32> @shared_bit(<8 x i32> %x, <8 x i32> %y, i1 %b) {
  %c = icmp sgt <8 x i32> %x, %y
  %one = insertelement <8 x i1> poison, i1 %b, i64 0
  %all = shufflevector <8 x i1> %one, <8 x i1> poison, <8 x i32> zeroinitializer
  %up = xor <8 x i1> %c, %all
  %r = select <8 x i1> %up, <8 x i32> %x, <8 x i32> %y
  ret <8 x i32> %r
}

; Four lanes of 32 bits code generation keeps as such; a mask that is only asked for as a number stays.
; CHECK-LABEL: @stays(
; CHECK: phi <4 x i1>
; CHECK-NOT: words
; CHECK: ret
define i8 @stays(<4 x float> %x, <8 x i32> %y, i1 %b) {
entry:
  %k = icmp slt <8 x i32> %y, zeroinitializer
  br label %loop
loop:
  %m = phi <4 x i1> [ splat (i1 true), %entry ], [ %o, %loop ]
  %c = fcmp olt <4 x float> %x, zeroinitializer
  %o = and <4 x i1> %m, %c
  %bits = bitcast <4 x i1> %o to i4
  %e = icmp eq i4 %bits, 0
  br i1 %e, label %end, label %loop
end:
  %n = bitcast <8 x i1> %k to i8
  ret i8 %n
}
