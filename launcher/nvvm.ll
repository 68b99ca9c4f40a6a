; What NVVM IR calls and LLVM's code generator does not have: `cucpu nvvm` links what a program needs (launcher/nvvm.c).
; `cucpu.nvvm.X` takes the place of `llvm.nvvm.X`; functions of libdevice that are a few instructions of PTX keep
; their names.

define {i32, i1} @cucpu.nvvm.shfl.sync.i32(i32 %mask, i32 %mode, i32 %v, i32 %lane, i32 %c) alwaysinline {
  switch i32 %mode, label %idx [i32 1, label %up
                                i32 2, label %down
                                i32 3, label %bfly]
idx:
  %i = call {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32 %mask, i32 %v, i32 %lane, i32 %c)
  ret {i32, i1} %i
up:
  %u = call {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32 %mask, i32 %v, i32 %lane, i32 %c)
  ret {i32, i1} %u
down:
  %d = call {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32 %mask, i32 %v, i32 %lane, i32 %c)
  ret {i32, i1} %d
bfly:
  %b = call {i32, i1} @llvm.nvvm.shfl.sync.bfly.i32p(i32 %mask, i32 %v, i32 %lane, i32 %c)
  ret {i32, i1} %b
}

define {i32, i1} @cucpu.nvvm.vote.sync(i32 %mask, i32 %mode, i1 %p) alwaysinline {
  switch i32 %mode, label %all [i32 1, label %any
                                i32 2, label %uni
                                i32 3, label %ballot]
all:
  %a = call i1 @llvm.nvvm.vote.all.sync(i32 %mask, i1 %p)
  br label %bit
any:
  %y = call i1 @llvm.nvvm.vote.any.sync(i32 %mask, i1 %p)
  br label %bit
uni:
  %u = call i1 @llvm.nvvm.vote.uni.sync(i32 %mask, i1 %p)
  br label %bit
bit:
  %b = phi i1 [%a, %all], [%y, %any], [%u, %uni]
  %r = insertvalue {i32, i1} zeroinitializer, i1 %b, 1
  ret {i32, i1} %r
ballot:
  %w = call i32 @llvm.nvvm.vote.ballot.sync(i32 %mask, i1 %p)
  %m = insertvalue {i32, i1} zeroinitializer, i32 %w, 0
  ret {i32, i1} %m
}

define {i32, i1} @cucpu.nvvm.match.all.sync.i32(i32 %mask, i32 %v) alwaysinline {
  %r = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 %mask, i32 %v)
  ret {i32, i1} %r
}

define {i32, i1} @cucpu.nvvm.match.all.sync.i64(i32 %mask, i64 %v) alwaysinline {
  %r = call {i32, i1} @llvm.nvvm.match.all.sync.i64p(i32 %mask, i64 %v)
  ret {i32, i1} %r
}

define float @__nv_fast_sinf(float %x) alwaysinline {
  %r = call afn float @llvm.sin.f32(float %x)
  ret float %r
}

define float @__nv_fast_cosf(float %x) alwaysinline {
  %r = call afn float @llvm.cos.f32(float %x)
  ret float %r
}

define float @__nv_fast_tanf(float %x) alwaysinline {
  %s = call afn float @llvm.sin.f32(float %x)
  %c = call afn float @llvm.cos.f32(float %x)
  %r = fdiv afn float %s, %c
  ret float %r
}

define float @__nv_fast_fdividef(float %x, float %y) alwaysinline {
  %r = fdiv afn float %x, %y
  ret float %r
}

define float @__nv_fast_expf(float %x) alwaysinline {
  %e = fmul float %x, 0x3FF7154760000000 ; log2(e)
  %r = call afn float @llvm.exp2.f32(float %e)
  ret float %r
}

define float @__nv_fast_exp10f(float %x) alwaysinline {
  %e = fmul float %x, 0x400A934F00000000 ; log2(10)
  %r = call afn float @llvm.exp2.f32(float %e)
  ret float %r
}

define float @__nv_fast_log2f(float %x) alwaysinline {
  %r = call afn float @llvm.log2.f32(float %x)
  ret float %r
}

define float @__nv_fast_logf(float %x) alwaysinline {
  %l = call afn float @llvm.log2.f32(float %x)
  %r = fmul float %l, 0x3FE62E4300000000 ; log(2)
  ret float %r
}

define float @__nv_fast_log10f(float %x) alwaysinline {
  %l = call afn float @llvm.log2.f32(float %x)
  %r = fmul float %l, 0x3FD3441360000000 ; log10(2)
  ret float %r
}

define float @__nv_fast_powf(float %x, float %y) alwaysinline {
  %l = call afn float @llvm.log2.f32(float %x)
  %e = fmul float %l, %y
  %r = call afn float @llvm.exp2.f32(float %e)
  ret float %r
}

; Functions of libdevice that are one instruction.
define double @__nv_sqrt(double %x) alwaysinline {
  %r = call double @llvm.sqrt.f64(double %x)
  ret double %r
}

define float @__nv_sqrtf(float %x) alwaysinline {
  %r = call float @llvm.sqrt.f32(float %x)
  ret float %r
}

define double @__nv_fabs(double %x) alwaysinline {
  %r = call double @llvm.fabs.f64(double %x)
  ret double %r
}

define float @__nv_fabsf(float %x) alwaysinline {
  %r = call float @llvm.fabs.f32(float %x)
  ret float %r
}

define double @__nv_floor(double %x) alwaysinline {
  %r = call double @llvm.floor.f64(double %x)
  ret double %r
}

define float @__nv_floorf(float %x) alwaysinline {
  %r = call float @llvm.floor.f32(float %x)
  ret float %r
}

define double @__nv_ceil(double %x) alwaysinline {
  %r = call double @llvm.ceil.f64(double %x)
  ret double %r
}

define float @__nv_ceilf(float %x) alwaysinline {
  %r = call float @llvm.ceil.f32(float %x)
  ret float %r
}

define double @__nv_trunc(double %x) alwaysinline {
  %r = call double @llvm.trunc.f64(double %x)
  ret double %r
}

define float @__nv_truncf(float %x) alwaysinline {
  %r = call float @llvm.trunc.f32(float %x)
  ret float %r
}

define double @__nv_rint(double %x) alwaysinline {
  %r = call double @llvm.rint.f64(double %x)
  ret double %r
}

define float @__nv_rintf(float %x) alwaysinline {
  %r = call float @llvm.rint.f32(float %x)
  ret float %r
}

define double @__nv_fmin(double %x, double %y) alwaysinline {
  %r = call double @llvm.minnum.f64(double %x, double %y)
  ret double %r
}

define float @__nv_fminf(float %x, float %y) alwaysinline {
  %r = call float @llvm.minnum.f32(float %x, float %y)
  ret float %r
}

define double @__nv_fmax(double %x, double %y) alwaysinline {
  %r = call double @llvm.maxnum.f64(double %x, double %y)
  ret double %r
}

define float @__nv_fmaxf(float %x, float %y) alwaysinline {
  %r = call float @llvm.maxnum.f32(float %x, float %y)
  ret float %r
}

define double @__nv_copysign(double %x, double %y) alwaysinline {
  %r = call double @llvm.copysign.f64(double %x, double %y)
  ret double %r
}

define float @__nv_copysignf(float %x, float %y) alwaysinline {
  %r = call float @llvm.copysign.f32(float %x, float %y)
  ret float %r
}

define double @__nv_fma(double %x, double %y, double %z) alwaysinline {
  %r = call double @llvm.fma.f64(double %x, double %y, double %z)
  ret double %r
}

define float @__nv_fmaf(float %x, float %y, float %z) alwaysinline {
  %r = call float @llvm.fma.f32(float %x, float %y, float %z)
  ret float %r
}

declare {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.bfly.i32p(i32, i32, i32, i32)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i1 @llvm.nvvm.vote.uni.sync(i32, i1)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32, i32)
declare {i32, i1} @llvm.nvvm.match.all.sync.i64p(i32, i64)
declare float @llvm.sin.f32(float)
declare float @llvm.cos.f32(float)
declare float @llvm.exp2.f32(float)
declare float @llvm.log2.f32(float)
declare double @llvm.sqrt.f64(double)
declare float @llvm.sqrt.f32(float)
declare double @llvm.fabs.f64(double)
declare float @llvm.fabs.f32(float)
declare double @llvm.floor.f64(double)
declare float @llvm.floor.f32(float)
declare double @llvm.ceil.f64(double)
declare float @llvm.ceil.f32(float)
declare double @llvm.trunc.f64(double)
declare float @llvm.trunc.f32(float)
declare double @llvm.rint.f64(double)
declare float @llvm.rint.f32(float)
declare double @llvm.minnum.f64(double, double)
declare float @llvm.minnum.f32(float, float)
declare double @llvm.maxnum.f64(double, double)
declare float @llvm.maxnum.f32(float, float)
declare double @llvm.copysign.f64(double, double)
declare float @llvm.copysign.f32(float, float)
declare double @llvm.fma.f64(double, double, double)
declare float @llvm.fma.f32(float, float, float)
