; Extension and ordered comparison are affine only where no lane wraps, lane 0 included.
; RUN: %build/tests/analysis/print_shapes -w 8 -l full %s | FileCheck %s
; RUN: %build/tests/analysis/print_shapes -w 8 -l full -b 16,1,1 %s | FileCheck %s --check-prefix=SMALL
declare i32 @cucpu.tid.x()

; CHECK-LABEL: shapes of extend
; SMALL-LABEL: shapes of extend
define void @extend(i32 %s, i32 %n, i8 %b) "cucpu.kernel" {
  %tx = call i32 @cucpu.tid.x()
  %minus = sub nsw i32 %tx, %s
  ; CHECK: %back: affine x + grid
  %back = sext i32 %minus to i64
  ; the code generator computes this by sext: lane 0 may be negative
  ; CHECK: %back.nneg: affine x + grid
  %back.nneg = zext nneg i32 %minus to i64
  ; CHECK: %back.zext: varying
  %back.zext = zext i32 %minus to i64
  %unsigned = sub nuw i32 %tx, %s
  ; CHECK: %u: varying
  %u = zext i32 %unsigned to i64
  %plain = add i32 %tx, %n
  ; CHECK: %p: varying
  %p = sext i32 %plain to i64
  ; CHECK: %less: varying
  %up = add i32 %plain, 4
  %less = icmp slt i32 %plain, %up
  %nsw = add nsw i32 %tx, %n
  %upnsw = add nsw i32 %nsw, 4
  ; CHECK: %lessnsw: uniform(grid)
  %lessnsw = icmp slt i32 %nsw, %upnsw
  ; CHECK: %equal: uniform(grid)
  %equal = icmp eq i32 %plain, %up
  %small = trunc i32 %tx to i8
  ; eight lanes that start at a multiple of 8 do not wrap
  ; CHECK: %t: affine x + group align 8
  ; SMALL: %t: affine x{{$}}
  %t = sext i8 %small to i32
  ret void
}

; All values fit into 8 bits, the coefficient does not.
; SMALL-LABEL: shapes of coefficient
; TWO: shapes of coefficient
; RUN: %build/tests/analysis/print_shapes -w 2 -l full -b 2,1,1 %s | FileCheck %s --check-prefix=TWO
define void @coefficient() "cucpu.kernel" {
  %tx = call i32 @cucpu.tid.x()
  %t = trunc i32 %tx to i8
  %h = mul i8 %t, 100
  ; TWO: %low: affine 100*x + -100
  %low = add i8 %h, -100
  ; TWO: %sum: affine -56*x + -100
  %sum = add i8 %h, %low
  ; TWO: %wide: varying
  %wide = sext i8 %sum to i32
  %half = add i8 %h, -50
  ; TWO: %twice: affine -56*x + -100
  %twice = mul i8 %half, 2
  ; TWO: %tw: varying
  %tw = sext i8 %twice to i32
  %w = sext i8 %h to i16
  ; TWO: %h2: affine 200*x
  %h2 = mul i16 %w, 2
  %h3 = add i16 %h2, -100
  ; TWO: %n: affine -56*x + -100
  %n = trunc i16 %h3 to i8
  ; TWO: %nw: varying
  %nw = sext i8 %n to i32
  ret void
}
