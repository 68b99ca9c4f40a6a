; A loop with more vectors than registers forms broadcasts of integers, of parameters and of computed floats itself; a
; float, whose scalar would take a vector register as well, is stored in a slot of its size before.
; RUN: %cucpu-opt --passes=sink_affine --cpu=x86-64-v3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=sink_affine,sink_affine --cpu=x86-64-v3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=sink_affine --cpu=x86-64-v4 %s | FileCheck --check-prefix=FEW %s
; RUN: %cucpu-opt --passes=sink_affine --cpu=x86-64-v3 --disable=sink_affine %s | FileCheck --check-prefix=FEW %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define internal void @many(
; CHECK: entry:
; CHECK: %[[SLOT:.*]] = alloca float
; CHECK-NEXT: store float %f, ptr %[[SLOT]]
; CHECK-NOT: insertelement
; CHECK: loop:
; CHECK: %[[N:.*]] = shufflevector <8 x i32>
; CHECK: %[[B:.*]] = shufflevector <8 x i32>
; CHECK: %[[LANES:.*]] = add <8 x i32> %[[B]], <i32 0, i32 1,
; CHECK: icmp slt <8 x i32> %[[LANES]], %[[N]]
; CHECK: %[[P:.*]] = load float, ptr %args, align 4, !invariant.load
; CHECK: %[[PI:.*]] = insertelement <8 x float> poison, float %[[P]]
; CHECK: %[[PS:.*]] = shufflevector <8 x float> %[[PI]]
; CHECK: fmul <8 x float> %x, %[[PS]]
; CHECK: %[[F:.*]] = load float, ptr %[[SLOT]]
; CHECK: %[[FI:.*]] = insertelement <8 x float> poison, float %[[F]]
; CHECK: %[[FS:.*]] = shufflevector <8 x float> %[[FI]]
; CHECK: fadd <8 x float> %{{.*}}, %[[FS]]
; FEW-LABEL: define internal void @many(
; FEW: loop:
; FEW-NOT: shufflevector
; FEW: ret void
define internal void @many(ptr %in, ptr %out, ptr %args, i32 %n, i32 %base, float %f) "cucpu.entry" "cucpu.width"="8" {
entry:
  %p = load float, ptr %args, align 4, !invariant.load !0
  %p.i = insertelement <8 x float> poison, float %p, i64 0
  %p.s = shufflevector <8 x float> %p.i, <8 x float> poison, <8 x i32> zeroinitializer
  %n.i = insertelement <8 x i32> poison, i32 %n, i64 0
  %n.s = shufflevector <8 x i32> %n.i, <8 x i32> poison, <8 x i32> zeroinitializer
  %b.i = insertelement <8 x i32> poison, i32 %base, i64 0
  %b.s = shufflevector <8 x i32> %b.i, <8 x i32> poison, <8 x i32> zeroinitializer
  %f.i = insertelement <8 x float> poison, float %f, i64 0
  %f.s = shufflevector <8 x float> %f.i, <8 x float> poison, <8 x i32> zeroinitializer
  %lanes = add <8 x i32> %b.s, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a0 = phi <8 x float> [ zeroinitializer, %entry ], [ %s0, %loop ]
  %a1 = phi <8 x float> [ zeroinitializer, %entry ], [ %s1, %loop ]
  %a2 = phi <8 x float> [ zeroinitializer, %entry ], [ %s2, %loop ]
  %a3 = phi <8 x float> [ zeroinitializer, %entry ], [ %s3, %loop ]
  %a4 = phi <8 x float> [ zeroinitializer, %entry ], [ %s4, %loop ]
  %a5 = phi <8 x float> [ zeroinitializer, %entry ], [ %s5, %loop ]
  %a6 = phi <8 x float> [ zeroinitializer, %entry ], [ %s6, %loop ]
  %a7 = phi <8 x float> [ zeroinitializer, %entry ], [ %s7, %loop ]
  %a8 = phi <8 x float> [ zeroinitializer, %entry ], [ %s8, %loop ]
  %a9 = phi <8 x float> [ zeroinitializer, %entry ], [ %s9, %loop ]
  %a10 = phi <8 x float> [ zeroinitializer, %entry ], [ %s10, %loop ]
  %a11 = phi <8 x float> [ zeroinitializer, %entry ], [ %s11, %loop ]
  %a12 = phi <8 x float> [ zeroinitializer, %entry ], [ %s12, %loop ]
  %a13 = phi <8 x float> [ zeroinitializer, %entry ], [ %s13, %loop ]
  %at = getelementptr <8 x float>, ptr %in, i32 %i
  %x = load <8 x float>, ptr %at, align 4
  %small = icmp slt <8 x i32> %lanes, %n.s
  %y = fmul <8 x float> %x, %p.s
  %z = fadd <8 x float> %y, %f.s
  %w = select <8 x i1> %small, <8 x float> %z, <8 x float> %x
  %s0 = fadd <8 x float> %a0, %w
  %s1 = fadd <8 x float> %a1, %w
  %s2 = fadd <8 x float> %a2, %w
  %s3 = fadd <8 x float> %a3, %w
  %s4 = fadd <8 x float> %a4, %w
  %s5 = fadd <8 x float> %a5, %w
  %s6 = fadd <8 x float> %a6, %w
  %s7 = fadd <8 x float> %a7, %w
  %s8 = fadd <8 x float> %a8, %w
  %s9 = fadd <8 x float> %a9, %w
  %s10 = fadd <8 x float> %a10, %w
  %s11 = fadd <8 x float> %a11, %w
  %s12 = fadd <8 x float> %a12, %w
  %s13 = fadd <8 x float> %a13, %w
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %q0 = getelementptr <8 x float>, ptr %out, i32 0
  store <8 x float> %s0, ptr %q0, align 4
  %q1 = getelementptr <8 x float>, ptr %out, i32 1
  store <8 x float> %s1, ptr %q1, align 4
  %q2 = getelementptr <8 x float>, ptr %out, i32 2
  store <8 x float> %s2, ptr %q2, align 4
  %q3 = getelementptr <8 x float>, ptr %out, i32 3
  store <8 x float> %s3, ptr %q3, align 4
  %q4 = getelementptr <8 x float>, ptr %out, i32 4
  store <8 x float> %s4, ptr %q4, align 4
  %q5 = getelementptr <8 x float>, ptr %out, i32 5
  store <8 x float> %s5, ptr %q5, align 4
  %q6 = getelementptr <8 x float>, ptr %out, i32 6
  store <8 x float> %s6, ptr %q6, align 4
  %q7 = getelementptr <8 x float>, ptr %out, i32 7
  store <8 x float> %s7, ptr %q7, align 4
  %q8 = getelementptr <8 x float>, ptr %out, i32 8
  store <8 x float> %s8, ptr %q8, align 4
  %q9 = getelementptr <8 x float>, ptr %out, i32 9
  store <8 x float> %s9, ptr %q9, align 4
  %q10 = getelementptr <8 x float>, ptr %out, i32 10
  store <8 x float> %s10, ptr %q10, align 4
  %q11 = getelementptr <8 x float>, ptr %out, i32 11
  store <8 x float> %s11, ptr %q11, align 4
  %q12 = getelementptr <8 x float>, ptr %out, i32 12
  store <8 x float> %s12, ptr %q12, align 4
  %q13 = getelementptr <8 x float>, ptr %out, i32 13
  store <8 x float> %s13, ptr %q13, align 4
  ret void
}

; Registers enough: nothing moves.
; CHECK-LABEL: define internal void @few(
; CHECK: loop:
; CHECK-NOT: shufflevector
; CHECK: ret void
define internal void @few(ptr %in, ptr %out, ptr %args, i32 %n, i32 %base, float %f) "cucpu.entry" "cucpu.width"="8" {
entry:
  %p = load float, ptr %args, align 4, !invariant.load !0
  %p.i = insertelement <8 x float> poison, float %p, i64 0
  %p.s = shufflevector <8 x float> %p.i, <8 x float> poison, <8 x i32> zeroinitializer
  %n.i = insertelement <8 x i32> poison, i32 %n, i64 0
  %n.s = shufflevector <8 x i32> %n.i, <8 x i32> poison, <8 x i32> zeroinitializer
  %b.i = insertelement <8 x i32> poison, i32 %base, i64 0
  %b.s = shufflevector <8 x i32> %b.i, <8 x i32> poison, <8 x i32> zeroinitializer
  %f.i = insertelement <8 x float> poison, float %f, i64 0
  %f.s = shufflevector <8 x float> %f.i, <8 x float> poison, <8 x i32> zeroinitializer
  %lanes = add <8 x i32> %b.s, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a0 = phi <8 x float> [ zeroinitializer, %entry ], [ %s0, %loop ]
  %a1 = phi <8 x float> [ zeroinitializer, %entry ], [ %s1, %loop ]
  %a2 = phi <8 x float> [ zeroinitializer, %entry ], [ %s2, %loop ]
  %a3 = phi <8 x float> [ zeroinitializer, %entry ], [ %s3, %loop ]
  %at = getelementptr <8 x float>, ptr %in, i32 %i
  %x = load <8 x float>, ptr %at, align 4
  %small = icmp slt <8 x i32> %lanes, %n.s
  %y = fmul <8 x float> %x, %p.s
  %z = fadd <8 x float> %y, %f.s
  %w = select <8 x i1> %small, <8 x float> %z, <8 x float> %x
  %s0 = fadd <8 x float> %a0, %w
  %s1 = fadd <8 x float> %a1, %w
  %s2 = fadd <8 x float> %a2, %w
  %s3 = fadd <8 x float> %a3, %w
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  %q0 = getelementptr <8 x float>, ptr %out, i32 0
  store <8 x float> %s0, ptr %q0, align 4
  %q1 = getelementptr <8 x float>, ptr %out, i32 1
  store <8 x float> %s1, ptr %q1, align 4
  %q2 = getelementptr <8 x float>, ptr %out, i32 2
  store <8 x float> %s2, ptr %q2, align 4
  %q3 = getelementptr <8 x float>, ptr %out, i32 3
  store <8 x float> %s3, ptr %q3, align 4
  ret void
}

!0 = !{}
