; Memory, exchanges between lanes, pure functions.
; RUN: %build/tests/analysis/print_shapes -w 32 -l full %s | FileCheck %s --check-prefixes=CHECK,WARP
; RUN: %build/tests/analysis/print_shapes -w 32 -l rows %s | FileCheck %s --check-prefixes=CHECK,ROWS
; RUN: %build/tests/analysis/print_shapes -w 1 -l general %s | FileCheck %s --check-prefix=ONE
@table = constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 16
@symbol = addrspace(4) global [4 x i32] zeroinitializer
@counter = global i32 0
@tile = internal addrspace(3) global [64 x float] undef
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()
declare i32 @cucpu.lane()
declare i1 @cucpu.active()
declare i1 @cucpu.any(i1)
declare i32 @cucpu.ballot(i32, i1)
declare i32 @cucpu.shfl.idx(i32, i32, i32, i32)
declare i32 @cucpu.shfl.down(i32, i32, i32, i32)
declare i1 @cucpu.barrier.or(i32, i1)
declare i32 @cucpu.match.any.i32(i32, i32)
declare float @llvm.sqrt.f32(float)
declare float @pure(float) memory(none)
declare float @impure(float)

; CHECK-LABEL: shapes of calls
; ONE-LABEL: shapes of calls
define void @calls(ptr %a, float %f, i32 %n, ptr byval([8 x i32]) %s) "cucpu.kernel" {
  %tx = call i32 @cucpu.tid.x()
  %bx = call i32 @cucpu.ctaid.x()
  %c = icmp slt i32 %tx, %n
  ; WARP: %active: uniform(grid)
  ; ROWS: %active: varying
  ; ONE: %active: uniform(group)
  %active = call i1 @cucpu.active()
  ; CHECK: %any: uniform(group)
  %any = call i1 @cucpu.any(i1 %c)
  ; WARP: %lane: affine x + group align 32
  ; ROWS: %lane: varying
  %lane = call i32 @cucpu.lane()
  ; WARP: %ballot: uniform(group)
  ; ROWS: %ballot: varying
  %ballot = call i32 @cucpu.ballot(i32 -1, i1 %c)
  ; WARP: %first: uniform(group)
  %first = call i32 @cucpu.shfl.idx(i32 -1, i32 %tx, i32 0, i32 31)
  ; WARP: %row: runs 0,0,0,0; 0,0,0,0;{{.*}} + group
  ; ROWS: %row: varying
  %quad = lshr i32 %lane, 2
  %row = call i32 @cucpu.shfl.idx(i32 -1, i32 %tx, i32 %quad, i32 31)
  ; CHECK: %half: varying
  %half = call i32 @cucpu.shfl.idx(i32 -1, i32 %tx, i32 0, i32 4127)
  ; CHECK: %down: varying
  %down = call i32 @cucpu.shfl.down(i32 -1, i32 %tx, i32 1, i32 31)
  ; CHECK: %match: varying
  %match = call i32 @cucpu.match.any.i32(i32 -1, i32 %n)
  ; CHECK: %all: uniform(block)
  %all = call i1 @cucpu.barrier.or(i32 0, i1 %c)
  ; CHECK: %root: uniform(grid)
  %root = call float @llvm.sqrt.f32(float %f)
  ; CHECK: %r1: uniform(grid)
  %r1 = call float @pure(float %f)
  ; CHECK: %r2: varying
  ; ONE: %r2: uniform(group)
  %r2 = call float @impure(float %f)
  ; CHECK: %old: varying
  %old = atomicrmw add ptr @counter, i32 1 monotonic
  ; CHECK: %plain: uniform(group)
  %plain = load i32, ptr %a
  ; CHECK: %volatile: uniform(group)
  %volatile = load volatile i32, ptr %a
  ; CHECK: %atomic: uniform(group)
  %atomic = load atomic i32, ptr %a monotonic, align 4
  ; CHECK: %invariant: uniform(grid)
  %invariant = load i32, ptr %a, !invariant.load !0
  %e = getelementptr [4 x i32], ptr @table, i32 0, i32 %bx
  ; CHECK: %entry: uniform(block)
  %entry = load i32, ptr %e
  ; CHECK: %constant: uniform(grid)
  %constant = load i32, ptr addrspacecast (ptr addrspace(4) @symbol to ptr)
  ; CHECK: %shared: uniform(group)
  %shared = load float, ptr addrspace(3) @tile
  ; CHECK: %field: uniform(grid)
  %field = load i32, ptr %s
  ; CHECK: %vector: varying
  %vector = insertelement <4 x float> poison, float %r2, i32 0
  ; CHECK: %splat: uniform(grid)
  %splat = insertelement <4 x float> poison, float %f, i32 0
  ret void
}

; Arguments of functions that are not kernels can be anything.
; CHECK-LABEL: shapes of device
define i32 @device(i32 %n) {
  ; CHECK: %n: varying
  ; CHECK: %m: varying
  %m = add i32 %n, 1
  ret i32 %m
}
!0 = !{}
