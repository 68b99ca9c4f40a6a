; The cost model's estimates, a kernel for each of their parts: from LLVM's tables of the CPU, so other figures for another CPU.
; RUN: %cucpu-opt --passes='print<cost>' --simd=16 --cpu=znver4 %s | FileCheck %s
; RUN: %cucpu-opt --passes='print<cost>' --simd=32 --cpu=znver4 %s | FileCheck --check-prefix=TWO %s
; RUN: %cucpu-opt --passes='print<cost>' --simd=16 --cpu=skylake-avx512 %s | FileCheck --check-prefix=INTEL %s
; RUN: %cucpu-opt --passes='print<cost>' --simd=8 --cpu=x86-64-v3 %s | FileCheck --check-prefix=AVX2 %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants --simd=16 --cpu=znver4 %s -o - | FileCheck --check-prefix=ALONE %s
; RUN: %cucpu-opt --passes='print<cost>' --simd=8 --cpu=x86-64-v2 %s | FileCheck --check-prefix=SSE %s
declare i32 @cucpu.tid.x()

; CHECK: cost of chain, 16 lanes, 1 vector per 32-bit value:
; CHECK-NEXT: time 4.07 cycles per thread
; CHECK-NEXT: throughput 1.06, gathers 0.00, masks 0.00
; CHECK-NEXT: latency 3.00, chain 4.0, path 8.0
; CHECK-NEXT: registers 1
; CHECK-NEXT: accesses: 0 uniform, 2 contiguous, 0 strided, 0 gather
; CHECK-NEXT: memory 0.25, 0.24 lines, 8 bytes per thread
; TWO: cost of chain, 32 lanes, 2 vectors per 32-bit value:
; TWO-NEXT: time 2.09 cycles per thread
; TWO: latency 1.00, chain 4.0
; TWO-NEXT: registers 2
; INTEL: cost of chain
; INTEL: chain 4.0
; Each product waits for the one before: 4 cycles; two registers of lanes wait together.
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

; CHECK: cost of gather
; CHECK: throughput 1.31
; CHECK: accesses: 1 uniform, 1 contiguous, 1 strided, 1 gather
; CHECK-NEXT: memory 2.38, 1.36 lines, 76 bytes per thread
; TWO: cost of gather
; TWO: memory 2.38, 1.28 lines
; INTEL: cost of gather
; INTEL: throughput 0.83
; AVX2: cost of gather
; AVX2: throughput 1.22
; Sixteen lanes anywhere in memory: a line for each. Where the processor's model has an access for each lane of a gather
; the time is that of the instruction, else what TargetTransformInfo says.
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

; CHECK: cost of masks
; CHECK-NEXT: time 0.76
; CHECK: masks 0.00
; TWO: cost of masks
; TWO: masks 0.75
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

; CHECK: cost of divide
; CHECK-NEXT: time 1.25
; INTEL: cost of divide
; INTEL-NEXT: time 2.00
; SSE: cost of divide
; SSE-NEXT: time 11.00
; Division is not pipelined.
define void @divide(ptr %a) #0 {
  %x = call i32 @cucpu.tid.x()
  %p = getelementptr double, ptr %a, i32 %x
  %v = load double, ptr %p
  %w = fdiv double 1.0, %v
  store double %w, ptr %p
  ret void
}

; CHECK: cost of divide_index
; CHECK-NEXT: time 6.83
; CHECK: cost of divide_data
; CHECK-NEXT: time 42.06
; Groups divide once where consecutive numbers are divided by what all share.
define void @divide_index(ptr %a, i32 %d) #0 {
  %x = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %a, i32 %x
  %y = udiv i32 %x, %d
  %z = urem i32 %x, %d
  %w = udiv i32 %z, %d
  %s = add i32 %y, %w
  store i32 %s, ptr %p
  ret void
}
define void @divide_data(ptr %a, i32 %d) #0 {
  %x = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %a, i32 %x
  %v = load i32, ptr %p
  %y = udiv i32 %v, %d
  %z = urem i32 %v, %d
  %w = udiv i32 %z, %d
  %s = add i32 %y, %w
  store i32 %s, ptr %p
  ret void
}
attributes #0 = { "cucpu.kernel" }

; A thread alone has no shapes.
; ALONE: define void @shift.w16.rows_full(
define void @shift(ptr %a) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %a, i32 %x
  %v = load i32, ptr %p
  %s = shl i32 1, %v
  store i32 %s, ptr %p
  ret void
}
