; Lanes that call one function of the warp with one mask from two places, one behind the other, meet there, too: this needs code of one lane.
; RUN: not %cucpu-opt --passes=linearise --simd=32 %s -o - 2>&1 | FileCheck %s
; CHECK: unsupported: lanes of a warp meet in calls of a warp-level function from several places
; Not so with other functions, other masks, where a barrier stands between, or where no lanes part:
; RUN: sed 's/i32 @cucpu.redux.add(i32 -1, i32 %w/i32 @cucpu.redux.xor(i32 -1, i32 %w/' %s | %cucpu-opt --passes=linearise --simd=32 - -o - | FileCheck %s --check-prefix=RIGHT
; RUN: sed 's/i32 -1, i32 %w/i32 7, i32 %w/' %s | %cucpu-opt --passes=linearise --simd=32 - -o - | FileCheck %s --check-prefix=RIGHT
; RUN: sed 's/;BARRIER//' %s | %cucpu-opt --passes=linearise --simd=32 - -o - | FileCheck %s --check-prefix=RIGHT
; RUN: sed 's/icmp ult i32 %i, 16/icmp ult i32 %n, 16/' %s | %cucpu-opt --passes=linearise --simd=32 - -o - | FileCheck %s --check-prefix=RIGHT
; nor with a mask of the lanes that have come to a place (-1 in the other place may be another mask of these lanes only):
; RUN: sed 's/i32 -1, i32 %v/i32 %m, i32 %v/' %s | %cucpu-opt --passes=linearise --simd=32 - -o - | FileCheck %s --check-prefix=RIGHT
; RUN: sed 's/i32 -1, i32 %v/i32 %voted, i32 %v/' %s | %cucpu-opt --passes=linearise --simd=32 - -o - | FileCheck %s --check-prefix=RIGHT
; Tiles of 8 lanes go one way each: their masks are not met by lanes of other tiles.  Tiles of 16 part.
; RUN: sed 's/i32 -1, i32 %/i32 %octet, i32 %/' %s | %cucpu-opt --passes=linearise --simd=32 - -o - | FileCheck %s --check-prefix=RIGHT
; RUN: sed 's/i32 -1, i32 %/i32 %octet, i32 %/; s/i32 %i, 24/i32 %i, 16/; s/ult i32 %i, 16/ult i32 %i, 8/' %s | not %cucpu-opt --passes=linearise --simd=32 - -o - 2>&1 | FileCheck %s
; RIGHT: call i32 @cucpu.redux.add
declare i32 @cucpu.tid.x()
declare i32 @cucpu.activemask()
declare i32 @cucpu.ballot(i32, i1)
declare void @cucpu.barrier(i32)
declare i32 @cucpu.redux.add(i32, i32)
declare i32 @cucpu.redux.xor(i32, i32)
define void @kernel(ptr %out, i32 %n, i32 %v, i32 %w) #0 {
entry:
  %i = call i32 @cucpu.tid.x()
  %first = and i32 %i, 24
  %octet = shl i32 255, %first
  %c = icmp ult i32 %i, 16
  %voted = call i32 @cucpu.ballot(i32 -1, i1 %c)
  br i1 %c, label %then, label %no
then:
  %m = call i32 @cucpu.activemask()
  %a = call i32 @cucpu.redux.add(i32 -1, i32 %v)
  br label %middle
no:
  br label %middle
middle:
  %x = phi i32 [ %a, %then ], [ 0, %no ]
;BARRIER  call void @cucpu.barrier(i32 0)
  %d = icmp uge i32 %i, 16
  br i1 %d, label %else, label %none
else:
  %b = call i32 @cucpu.redux.add(i32 -1, i32 %w)
  br label %end
none:
  br label %end
end:
  %y = phi i32 [ %b, %else ], [ %x, %none ]
  %p = getelementptr i32, ptr %out, i32 %i
  store i32 %y, ptr %p
  ret void
}
attributes #0 = { "cucpu.kernel" "cucpu.flags"="1" }
