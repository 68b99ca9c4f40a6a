; A sum by shuffles of which lane 0 is wanted: each step is made with the lanes that the next one takes, down to 128 bits.
; RUN: %cucpu-opt --passes=narrow_demanded_lanes --verify-each --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=narrow_demanded_lanes,narrow_demanded_lanes --verify-each --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=narrow_demanded_lanes --disable=narrow_demanded_lanes %s | FileCheck --check-prefix=OFF %s
; OFF-LABEL: define void @sum.entry(
; OFF: fadd contract <16 x float> %v, %a
; OFF: fadd contract <16 x float> %w, %b
define void @sum.entry(ptr %in, ptr %out) #0 {
entry:
  %v = load <16 x float>, ptr %in
  %a = shufflevector <16 x float> %v, <16 x float> poison, <16 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %w = fadd contract <16 x float> %v, %a
  %i = bitcast <16 x float> %w to <16 x i32>
  %s = shufflevector <16 x i32> %i, <16 x i32> poison, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 12, i32 13, i32 14, i32 15>
  %b = bitcast <16 x i32> %s to <16 x float>
  %x = fadd contract <16 x float> %w, %b
  %c = shufflevector <16 x float> %x, <16 x float> poison, <16 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 15>
  %y = call <16 x float> @llvm.maxnum.v16f32(<16 x float> %x, <16 x float> %c)
  %first = extractelement <16 x float> %y, i32 0
  store float %first, ptr %out
  ret void
}
; CHECK-LABEL: define void @sum.entry(
; CHECK: [[A:%.*]] = shufflevector <16 x float> %v, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 poison, i32 poison, i32 12, i32 13, i32 poison, i32 poison>
; CHECK: [[W:%.*]] = fadd contract <8 x float> {{%.*}}, [[A]]
; CHECK: [[I:%.*]] = bitcast <8 x float> [[W]] to <8 x i32>
; CHECK: [[S:%.*]] = shufflevector <8 x i32> [[I]], <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 poison, i32 poison>
; CHECK: [[B:%.*]] = bitcast <4 x i32> [[S]] to <4 x float>
; CHECK: fadd contract <4 x float> {{%.*}}, [[B]]
; CHECK: shufflevector <4 x float> {{%.*}}, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>
; CHECK: call <4 x float> @llvm.maxnum.v4f32(
; CHECK-NOT: x float> @llvm.maxnum.v16
; CHECK: ret void
; A constant condition takes its upper lanes from elsewhere; a loop carries lanes that nobody asks for.
define void @chosen.entry(ptr %in, ptr %out, i1 %more) #0 {
entry:
  %v = load <16 x float>, ptr %in
  br label %loop
loop:
  %k = phi <16 x float> [ %v, %entry ], [ %t, %loop ]
  %u = fmul <16 x float> %k, splat (float 3.0)
  %t = select <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> %u, <16 x float> %v
  br i1 %more, label %loop, label %done
done:
  store <16 x float> %t, ptr %out
  ret void
}
; CHECK-LABEL: define void @chosen.entry(
; CHECK: fmul <4 x float>
; CHECK: select <16 x i1>
; CHECK: store <16 x float>
; All lanes are wanted by a store, by a division that might trap, by a shuffle back and forth.
define void @all.entry(ptr %in, ptr %out) #0 {
entry:
  %v = load <8 x i32>, ptr %in
  %w = add <8 x i32> %v, splat (i32 1)
  %x = mul <8 x i32> %v, splat (i32 3)
  %d = udiv <8 x i32> %w, %x
  %first = extractelement <8 x i32> %d, i32 0
  store i32 %first, ptr %out
  %y = xor <8 x i32> %v, splat (i32 5)
  %r = shufflevector <8 x i32> %y, <8 x i32> poison, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 0, i32 1, i32 2, i32 3>
  %z = sub <8 x i32> %y, %r
  %last = extractelement <8 x i32> %z, i32 7
  %q = getelementptr i8, ptr %out, i64 4
  store i32 %last, ptr %q
  ret void
}
; CHECK-LABEL: define void @all.entry(
; CHECK: add <8 x i32>
; CHECK: mul <8 x i32>
; CHECK: udiv <8 x i32>
; CHECK: xor <8 x i32>
; CHECK: sub <8 x i32>
; Lanes from a poison operand, which has one lane left, are poison.
define void @poisoned.entry(ptr %in, ptr %out) #0 {
entry:
  %v = load <16 x i32>, ptr %in
  %w = add <16 x i32> %v, splat (i32 1)
  %r = shufflevector <16 x i32> %w, <16 x i32> poison, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 27, i32 27, i32 27, i32 27, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %s = xor <16 x i32> %r, splat (i32 5)
  %first = extractelement <16 x i32> %s, i32 0
  store i32 %first, ptr %out
  %fifth = extractelement <16 x i32> %s, i32 4
  %q = getelementptr i8, ptr %out, i64 4
  store i32 %fifth, ptr %q
  ret void
}
; CHECK-LABEL: define void @poisoned.entry(
; CHECK: shufflevector <8 x i32> {{.*}}, <8 x i32> {{.*}}i32 4{{.*}}
declare <16 x float> @llvm.maxnum.v16f32(<16 x float>, <16 x float>)
attributes #0 = { "cucpu.entry" "cucpu.width"="16" }
