; s[tid.x][tid.y + i] of a tile [16][17]: column by column, so that lanes of a row lie side by side.  The counter's range is known, the sum
; in 32 bits wraps nowhere.  Behind the loop an address goes through a phi of one value.
; RUN: %cucpu-opt --passes=transpose_shared --cpu=x86-64-v3 -Rcucpu %s 2>%t.remarks | FileCheck %s
; RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
; RUN: %cucpu-opt --passes=transpose_shared --cpu=x86-64-v3 --disable=transpose_shared %s | FileCheck --check-prefix=OFF %s
; REMARK: a tile of 16 rows of 17 elements in shared memory is kept transposed
; CHECK-LABEL: define void @tile(
; CHECK: [[X:%.*]] = call range(i32 0, 16) i32 @cucpu.tid.x()
; CHECK: loop:
; CHECK-DAG: mul nsw i64 {{%.*}}, 4
; CHECK-DAG: mul nsw i64 {{%.*}}, 64
; CHECK: store float %v, ptr
; CHECK: done:
; CHECK-NOT: getelementptr [17 x float]
; CHECK: load float
; OFF: getelementptr inbounds [17 x float]
target triple = "x86_64-unknown-linux-gnu"
define void @tile(ptr %in, ptr %out) #0 {
entry:
  %shared = call ptr @cucpu.shared()
  %x = call range(i32 0, 16) i32 @cucpu.tid.x()
  %y = call range(i32 0, 8) i32 @cucpu.tid.y()
  %x.wide = zext nneg i32 %x to i64
  %row = getelementptr inbounds [17 x float], ptr %shared, i64 %x.wide
  %from = getelementptr inbounds float, ptr %in, i64 %x.wide
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %column = add i32 %y, %i
  %column.wide = zext i32 %column to i64
  %v = load float, ptr %from
  %at = getelementptr inbounds float, ptr %row, i64 %column.wide
  store float %v, ptr %at
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, 8
  br i1 %more, label %latch, label %done
latch:
  br label %loop
done:
  %row.out = phi ptr [ %row, %loop ]
  call void @cucpu.barrier(i32 0)
  %y.wide = zext nneg i32 %y to i64
  %again = getelementptr inbounds float, ptr %row.out, i64 %y.wide
  %w = load float, ptr %again
  %to = getelementptr inbounds float, ptr %out, i64 %x.wide
  store float %w, ptr %to
  ret void
}
declare ptr @cucpu.shared()
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare void @cucpu.barrier(i32)
attributes #0 = { "cucpu.kernel" "cucpu.width"="8" "cucpu.layout"="0" "cucpu.block"="16,8,1" "cucpu.static_shared"="1088" "cucpu.arrays"="0,1088" }
