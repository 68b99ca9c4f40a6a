; A loop with one vector too many: the broadcast of a parameter, which an instruction reads from memory, goes into the
; loop; the affine vector, which takes two instructions to form, stays in its register.  With two more it goes as well.
; RUN: %cucpu-opt --passes=sink_affine --cpu=x86-64-v3 %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define internal void @one(
; CHECK: entry:
; CHECK: add <8 x i32> %{{.*}}, <i32 0, i32 1,
; CHECK: loop:
; CHECK-NOT: add <8 x i32>
; CHECK: load float, ptr %args, align 4, !invariant.load
; CHECK-NOT: add <8 x i32>
; CHECK: ret void
; CHECK-LABEL: define internal void @more(
; CHECK: entry:
; CHECK-NOT: add <8 x i32>
; CHECK: loop:
; CHECK-DAG: add <8 x i32> %{{.*}}, <i32 0, i32 1,
; CHECK-DAG: load float, ptr %args, align 4, !invariant.load
; CHECK: ret void
define internal void @one(ptr %in, ptr %out, ptr %args, i32 %n, i32 %base) "cucpu.entry" "cucpu.width"="8" {
entry:
  %p = load float, ptr %args, align 4, !invariant.load !0
  %p.i = insertelement <8 x float> poison, float %p, i64 0
  %p.s = shufflevector <8 x float> %p.i, <8 x float> poison, <8 x i32> zeroinitializer
  %b.i = insertelement <8 x i32> poison, i32 %base, i64 0
  %b.s = shufflevector <8 x i32> %b.i, <8 x i32> poison, <8 x i32> zeroinitializer
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
  %at = getelementptr <8 x float>, ptr %in, i32 %i
  %x = load <8 x float>, ptr %at, align 4
  %m = fmul <8 x float> %x, %p.s
  %l = sitofp <8 x i32> %lanes to <8 x float>
  %y = fadd <8 x float> %m, %l
  %s0 = fadd <8 x float> %a0, %y
  %s1 = fadd <8 x float> %a1, %y
  %s2 = fadd <8 x float> %a2, %y
  %s3 = fadd <8 x float> %a3, %y
  %s4 = fadd <8 x float> %a4, %y
  %s5 = fadd <8 x float> %a5, %y
  %s6 = fadd <8 x float> %a6, %y
  %s7 = fadd <8 x float> %a7, %y
  %s8 = fadd <8 x float> %a8, %y
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %loop, label %done
done:
  %o0 = getelementptr <8 x float>, ptr %out, i32 0
  store <8 x float> %s0, ptr %o0, align 4
  %o1 = getelementptr <8 x float>, ptr %out, i32 1
  store <8 x float> %s1, ptr %o1, align 4
  %o2 = getelementptr <8 x float>, ptr %out, i32 2
  store <8 x float> %s2, ptr %o2, align 4
  %o3 = getelementptr <8 x float>, ptr %out, i32 3
  store <8 x float> %s3, ptr %o3, align 4
  %o4 = getelementptr <8 x float>, ptr %out, i32 4
  store <8 x float> %s4, ptr %o4, align 4
  %o5 = getelementptr <8 x float>, ptr %out, i32 5
  store <8 x float> %s5, ptr %o5, align 4
  %o6 = getelementptr <8 x float>, ptr %out, i32 6
  store <8 x float> %s6, ptr %o6, align 4
  %o7 = getelementptr <8 x float>, ptr %out, i32 7
  store <8 x float> %s7, ptr %o7, align 4
  %o8 = getelementptr <8 x float>, ptr %out, i32 8
  store <8 x float> %s8, ptr %o8, align 4
  ret void
}
define internal void @more(ptr %in, ptr %out, ptr %args, i32 %n, i32 %base) "cucpu.entry" "cucpu.width"="8" {
entry:
  %p = load float, ptr %args, align 4, !invariant.load !0
  %p.i = insertelement <8 x float> poison, float %p, i64 0
  %p.s = shufflevector <8 x float> %p.i, <8 x float> poison, <8 x i32> zeroinitializer
  %b.i = insertelement <8 x i32> poison, i32 %base, i64 0
  %b.s = shufflevector <8 x i32> %b.i, <8 x i32> poison, <8 x i32> zeroinitializer
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
  %at = getelementptr <8 x float>, ptr %in, i32 %i
  %x = load <8 x float>, ptr %at, align 4
  %m = fmul <8 x float> %x, %p.s
  %l = sitofp <8 x i32> %lanes to <8 x float>
  %y = fadd <8 x float> %m, %l
  %s0 = fadd <8 x float> %a0, %y
  %s1 = fadd <8 x float> %a1, %y
  %s2 = fadd <8 x float> %a2, %y
  %s3 = fadd <8 x float> %a3, %y
  %s4 = fadd <8 x float> %a4, %y
  %s5 = fadd <8 x float> %a5, %y
  %s6 = fadd <8 x float> %a6, %y
  %s7 = fadd <8 x float> %a7, %y
  %s8 = fadd <8 x float> %a8, %y
  %s9 = fadd <8 x float> %a9, %y
  %s10 = fadd <8 x float> %a10, %y
  %s11 = fadd <8 x float> %a11, %y
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, %n
  br i1 %c, label %loop, label %done
done:
  %o0 = getelementptr <8 x float>, ptr %out, i32 0
  store <8 x float> %s0, ptr %o0, align 4
  %o1 = getelementptr <8 x float>, ptr %out, i32 1
  store <8 x float> %s1, ptr %o1, align 4
  %o2 = getelementptr <8 x float>, ptr %out, i32 2
  store <8 x float> %s2, ptr %o2, align 4
  %o3 = getelementptr <8 x float>, ptr %out, i32 3
  store <8 x float> %s3, ptr %o3, align 4
  %o4 = getelementptr <8 x float>, ptr %out, i32 4
  store <8 x float> %s4, ptr %o4, align 4
  %o5 = getelementptr <8 x float>, ptr %out, i32 5
  store <8 x float> %s5, ptr %o5, align 4
  %o6 = getelementptr <8 x float>, ptr %out, i32 6
  store <8 x float> %s6, ptr %o6, align 4
  %o7 = getelementptr <8 x float>, ptr %out, i32 7
  store <8 x float> %s7, ptr %o7, align 4
  %o8 = getelementptr <8 x float>, ptr %out, i32 8
  store <8 x float> %s8, ptr %o8, align 4
  %o9 = getelementptr <8 x float>, ptr %out, i32 9
  store <8 x float> %s9, ptr %o9, align 4
  %o10 = getelementptr <8 x float>, ptr %out, i32 10
  store <8 x float> %s10, ptr %o10, align 4
  %o11 = getelementptr <8 x float>, ptr %out, i32 11
  store <8 x float> %s11, ptr %o11, align 4
  ret void
}
!0 = !{}
