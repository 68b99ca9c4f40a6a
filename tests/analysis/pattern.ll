; Lanes that differ by constants without being affine: butterflies, tiles, and what a factor that nobody knows leaves.
; RUN: %build/tests/analysis/print_shapes -w 8 -l full %s | FileCheck %s --check-prefix=ROWS
; RUN: %build/tests/analysis/print_shapes -w 8 -l general -b 4,4,1 %s | FileCheck %s --check-prefix=TILE
; RUN: %build/tests/analysis/print_shapes -w 8 -l general -b 2,2,4 %s | FileCheck %s --check-prefix=SMALL
; RUN: %build/tests/analysis/print_shapes -w 8 -l general -b 4,0,1 %s | FileCheck %s --check-prefix=PART
; RUN: %build/tests/analysis/print_shapes -w 8 -l general -b 3,8,1 %s | FileCheck %s --check-prefix=NONE
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.tid.z()

; ROWS-LABEL: shapes of butterfly
define void @butterfly(ptr %a, i32 %u, i1 %c) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  ; ROWS: %partner: pattern 0,1,2,3,-4,-3,-2,-1 + group = 4 mod 2^3
  %partner = xor i32 %t, 4
  ; ROWS: %low: pattern 0,1,2,3,0,1,2,3 + group = 0 mod 2^30
  %low = and i32 %t, 3
  %twice = shl i32 %t, 1
  ; ROWS: %place: pattern 0,1,2,3,8,9,10,11 + group = 0 mod 2^4
  %place = sub i32 %twice, %low
  ; ROWS: %wide: pattern 0,1,2,3,8,9,10,11
  %wide = zext i32 %place to i64
  ; ROWS: %p: pattern 0,4,8,12,32,36,40,44
  %p = getelementptr float, ptr %a, i64 %wide
  ; ROWS: %turned: pattern 0,1,2,3,4,5,6,-1 + group = 1 mod 2^30
  %next = add i32 %t, 1
  %turned = and i32 %next, 7
  ; ROWS: %both: affine x
  %high = and i32 %t, 4
  %both = or i32 %high, %low
  ; ROWS: %chosen: runs 0,1,2,3; 0,1,2,3
  %chosen = select i1 %c, i32 %low, i32 %place
  ; ROWS: %scaled: runs 0,0; 0,0; 0,0; 0,0
  %half = lshr i32 %t, 1
  %scaled = mul i32 %half, %u
  ; ROWS: %lost: varying
  %lost = mul i32 %low, %u
  ret void
}

; TILE-LABEL: shapes of tile
; SMALL-LABEL: shapes of tile
; PART-LABEL: shapes of tile
; NONE-LABEL: shapes of tile
define void @tile(ptr %a, i32 %pitch) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %z = call i32 @cucpu.tid.z()
  ; TILE: %row4: affine 4*y
  %row4 = mul i32 %y, 4
  ; the linear id: affine in the lane, which a mask shows
  %linear = add i32 %row4, %x
  ; TILE: %same: uniform(group)
  ; SMALL: %same: uniform(group)
  ; PART: %same: uniform(group)
  ; NONE: %same: varying
  %same = and i32 %linear, -8
  ; TILE: %one: pattern 0,0,0,0,1,1,1,1
  ; SMALL: %one: pattern 0,0,1,1,0,0,1,1
  ; PART: %one: pattern 0,0,0,0,1,1,1,1
  %one = and i32 %y, 1
  ; TILE: %start: affine U*y (grid)
  %start = mul nsw i32 %y, %pitch
  %e = add nsw i32 %start, %x
  ; TILE: %wide: runs 0,1,2,3; 0,1,2,3
  ; SMALL: %wide: runs 0,1; 0,1; 0,1; 0,1
  ; PART: %wide: runs 0,1,2,3; 0,1,2,3
  ; NONE: %wide: varying
  %wide = sext i32 %e to i64
  ; TILE: %p: runs 0,4,8,12; 0,4,8,12
  %p = getelementptr float, ptr %a, i64 %wide
  ret void
}
