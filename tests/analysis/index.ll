; The usual index computations: what stays affine, with which scope and alignment, in every layout.
; RUN: %build/tests/analysis/print_shapes -w 8 -l full %s | FileCheck %s --check-prefixes=CHECK,FULL
; RUN: %build/tests/analysis/print_shapes -w 8 -l rows %s | FileCheck %s --check-prefixes=CHECK,ROWS
; RUN: %build/tests/analysis/print_shapes -w 8 -l general %s | FileCheck %s --check-prefix=GENERAL
; RUN: %build/tests/analysis/print_shapes -w 8 -l general -b 256,1,1 %s | FileCheck %s --check-prefix=LINE
; RUN: %build/tests/analysis/print_shapes -w 1 %s | FileCheck %s --check-prefix=ONE
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.tid.linear()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ntid.y()
declare i32 @cucpu.ctaid.x()
declare i32 @cucpu.ctaid.y()

; CHECK-LABEL: shapes of index
; GENERAL-LABEL: shapes of index
; LINE-LABEL: shapes of index
; ONE-LABEL: shapes of index
define void @index(ptr %a, i32 %n) "cucpu.kernel" {
entry:
  ; CHECK: %tx: affine x{{$}}
  ; GENERAL: %tx: affine x{{$}}
  ; ONE: %tx: uniform(group) x
  %tx = call i32 @cucpu.tid.x()
  ; CHECK: %ty: uniform(group) y
  %ty = call i32 @cucpu.tid.y()
  ; FULL: %nx: uniform(grid) align 8
  ; ROWS: %nx: uniform(grid){{$}}
  ; LINE: %nx: constant 256
  %nx = call i32 @cucpu.ntid.x()
  %ny = call i32 @cucpu.ntid.y()
  %bx = call i32 @cucpu.ctaid.x()
  %by = call i32 @cucpu.ctaid.y()
  %first = mul i32 %bx, %nx
  ; FULL: %i: affine x + block align 8
  ; ROWS: %i: affine x + block{{$}}
  ; LINE: %i: affine x + block align 256
  %i = add i32 %first, %tx
  ; CHECK: %i64: affine x + block
  %i64 = sext i32 %i to i64
  ; CHECK: %p: affine 4*x + block
  ; ONE: %p: uniform(group){{$}}
  %p = getelementptr inbounds float, ptr %a, i64 %i64
  %top = mul i32 %by, %ny
  %row = add i32 %top, %ty
  %start = mul nsw i32 %row, %n
  ; CHECK: %e: affine x + U*y + block
  %e = add nsw i32 %start, %i
  ; CHECK: %e64: affine x + group
  %e64 = sext i32 %e to i64
  ; without nsw nobody knows whether the sum wraps between two lanes, unless the row is aligned
  %w = add i32 %start, %i
  ; CHECK: %w64: varying
  %w64 = sext i32 %w to i64
  ; CHECK: %column: affine U*x (grid)
  %column = mul i32 %tx, %n
  ; CHECK: %back: affine -1*x + grid
  %back = sub i32 %n, %tx
  ; FULL: %linear: affine x + U(8)*y + U(8)*z
  ; ROWS: %linear: affine x + U*y + U*z
  ; GENERAL: %linear: affine l{{$}}
  ; LINE: %linear: affine x{{$}}
  %linear = call i32 @cucpu.tid.linear()
  ret void
}

; CHECK-LABEL: shapes of bits
define void @bits(ptr %a, i32 %n) "cucpu.kernel" {
  %tx = call i32 @cucpu.tid.x()
  ; CHECK: %warp: uniform(group)
  %warp = lshr i32 %tx, 5
  ; CHECK: %lane: affine x + group align 8
  %lane = and i32 %tx, 31
  ; CHECK: %start: uniform(group) align 32
  %start = and i32 %tx, -32
  ; CHECK: %odd: pattern 0,1,0,1,0,1,0,1 + group
  %odd = and i32 %tx, 1
  ; CHECK: %half: pattern 0,0,1,1,2,2,3,3 + group
  %half = lshr i32 %tx, 1
  ; CHECK: %two: affine 2*x{{$}}
  %two = shl i32 %tx, 1
  ; CHECK: %next: affine 2*x + 1
  %next = or disjoint i32 %two, 1
  ; CHECK: %third: uniform(group)
  %third = udiv i32 %tx, 24
  ; CHECK: %rest: affine x + group
  %rest = urem i32 %tx, 24
  ; CHECK: %not: affine -1*x + -1
  %not = xor i32 %tx, -1
  ; CHECK: %in: uniform(group)
  %in = icmp ult i32 %tx, 32
  ; CHECK: %out: varying
  %out = icmp ult i32 %tx, 33
  ; CHECK: %above: uniform(group)
  %above = icmp ugt i32 %tx, 31
  ; CHECK: %bound: varying
  %bound = icmp slt i32 %tx, %n
  ret void
}
