; A store to the same place at the end of both sides is one store behind them: in the block behind, or in one of its own if
; other ways lead there.  Not if the places differ, if something reads memory behind it, if one of them is volatile, or if the
; branch is uniform.
; RUN: %cucpu-opt --passes=sink_common_stores --simd=8 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=sink_common_stores --simd=8 --disable=sink_common_stores %s -o - | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=sink_common_stores --simd=1 %s -o - | FileCheck %s --check-prefix=OFF
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()

; CHECK-LABEL: define void @two(
; CHECK: yes:
; CHECK-NOT: store
; CHECK: br label %out
; CHECK: no:
; CHECK-NOT: store
; CHECK: br label %out
; CHECK: out:
; CHECK-NEXT: [[V:%.*]] = phi float [ %a, %yes ], [ 2.000000e+00, %no ]
; CHECK-NEXT: [[P:%.*]] = getelementptr inbounds float, ptr %out.p, i32 %x
; CHECK-NEXT: store float [[V]], ptr [[P]], align 4
; CHECK-NEXT: ret void
; OFF-LABEL: define void @two(
; OFF: store float %a, ptr %p
; OFF: store float 2.000000e+00, ptr %q
define void @two(ptr %in, ptr %out.p) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %i = getelementptr inbounds float, ptr %in, i32 %x
  %a = load float, ptr %i
  %c = fcmp ogt float %a, 1.0
  br i1 %c, label %yes, label %no
yes:
  %p = getelementptr inbounds float, ptr %out.p, i32 %x
  store float %a, ptr %p, align 8
  br label %out
no:
  %q = getelementptr inbounds float, ptr %out.p, i32 %x
  store float 2.0, ptr %q, align 4
  br label %out
out:
  ret void
}

; CHECK-LABEL: define void @inside(
; CHECK: both:
; CHECK-NEXT: phi i32 [ 1, %yes ], [ 2, %no ]
; CHECK-NEXT: store i32
; CHECK-NEXT: br label %out
; CHECK: out:
; CHECK-NEXT: ret void
define void @inside(ptr %p, i32 %n, i1 %c) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %p, i32 %x
  %in = icmp slt i32 %x, %n
  br i1 %in, label %choose, label %skip
skip:
  br label %out
choose:
  %odd = trunc i32 %x to i1
  br i1 %odd, label %yes, label %no
yes:
  store i32 1, ptr %q
  br label %out
no:
  store i32 2, ptr %q
  br label %out
out:
  ret void
}

; CHECK-LABEL: define void @stays(
; CHECK: yes:
; CHECK-NEXT: store i32 1, ptr %q
; CHECK: no:
; CHECK-NEXT: store volatile i32 2, ptr %q
; CHECK: low:
; CHECK-NEXT: store i32 3, ptr %q
; CHECK-NEXT: load
; CHECK: high:
; CHECK-NEXT: store i32 4, ptr %q
; CHECK: same:
; CHECK-NEXT: store i32 5, ptr %q
; CHECK: other:
; CHECK-NEXT: store i32 6, ptr %q
; CHECK: left:
; CHECK-NEXT: store i32 7, ptr %q
; CHECK: right:
; CHECK-NEXT: store i32 8, ptr %p
define void @stays(ptr %p, i1 %uniform) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %q = getelementptr i32, ptr %p, i32 %x
  %odd = trunc i32 %x to i1
  br i1 %odd, label %yes, label %no
yes:
  store i32 1, ptr %q
  br label %second
no:
  store volatile i32 2, ptr %q
  br label %second
second:
  br i1 %odd, label %low, label %high
low:
  store i32 3, ptr %q
  %v = load i32, ptr %p
  br label %third
high:
  store i32 4, ptr %q
  br label %third
third:
  br i1 %uniform, label %same, label %other
same:
  store i32 5, ptr %q
  br label %fourth
other:
  store i32 6, ptr %q
  br label %fourth
fourth:
  br i1 %odd, label %left, label %right
left:
  store i32 7, ptr %q
  br label %out
right:
  store i32 8, ptr %p
  br label %out
out:
  ret void
}
