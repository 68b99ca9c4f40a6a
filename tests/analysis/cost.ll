; The cost model's estimates, a kernel for each of their parts: from LLVM's tables of the CPU, so other figures for another CPU.
; RUN: %cucpu-opt --passes='print<cost>' --simd=16 --cpu=znver4 %s | FileCheck %s
; RUN: %cucpu-opt --passes='print<cost>' --simd=32 --cpu=znver4 %s | FileCheck --check-prefix=TWO %s
; RUN: %cucpu-opt --passes='print<cost>' --simd=16 --cpu=skylake-avx512 %s | FileCheck --check-prefix=INTEL %s
; RUN: %cucpu-opt --passes='print<cost>' --simd=8 --cpu=x86-64-v2 %s | FileCheck --check-prefix=SSE %s
declare i32 @cucpu.tid.x()

; Each product waits for the one before: 3 cycles on Zen 4, 4 on Skylake; two registers of lanes wait together.
define void @chain(ptr %a, i32 %n) #0 {
entry:
  %x = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %a, i32 %x
  %v = load float, ptr %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %back ]
  %s = phi float [ %v, %entry ], [ %s1, %back ]
  %s1 = fmul float %s, 0.5
  %i1 = add i32 %i, 1
  %c = icmp ult i32 %i1, %n
  br i1 %c, label %back, label %out
back:
  br label %loop
out:
  store float %s1, ptr %p
  ret void
}

; Sixteen lanes anywhere in memory: a line for each.
define void @gather(ptr %a, ptr %b) #0 {
  %x = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %a, i32 %x
  %j = load i32, ptr %p
  %q = getelementptr i32, ptr %b, i32 %j
  %v = load i32, ptr %q
  %u = load i32, ptr %b
  %w = add i32 %u, %v
  %k = shl i32 %x, 1
  %r = getelementptr i32, ptr %a, i32 %k
  store i32 %w, ptr %r
  ret void
}

; Lanes leave one by one: with two vectors the mask is joined and split.
define void @masks(ptr %a) #0 {
entry:
  %x = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %a, i32 %x
  %n = load i32, ptr %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %back ]
  %i1 = add i32 %i, 1
  %c = icmp ult i32 %i1, %n
  br i1 %c, label %back, label %out
back:
  br label %loop
out:
  store i32 %i1, ptr %p
  ret void
}

; Division is not pipelined.
define void @divide(ptr %a) #0 {
  %x = call i32 @cucpu.tid.x()
  %p = getelementptr double, ptr %a, i32 %x
  %v = load double, ptr %p
  %w = fdiv double 1.0, %v
  store double %w, ptr %p
  ret void
}
attributes #0 = { "cucpu.kernel" }
