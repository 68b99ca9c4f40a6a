; Nothing moves where a column may be outside of its row (columns of 18 in rows of 17), where a place depends on a number that anybody may
; choose, where an address is passed on, where an access has another size, where the tile is mostly taken by rows, or where an array is not known.
; RUN: %cucpu-opt --passes=transpose_shared --cpu=x86-64-v3 -Rcucpu %s 2>%t.remarks | FileCheck %s
; RUN: not grep transposed %t.remarks
; One that does, so that this is no accident of what is written here:
; RUN: sed 's/i32 0, 18/i32 0, 17/' %s > %t.ll && %cucpu-opt --passes=transpose_shared --cpu=x86-64-v3 -Rcucpu %t.ll 2>&1 | FileCheck --check-prefix=FITS %s
; FITS: transposed
; CHECK-COUNT-6: getelementptr inbounds [17 x float]
target triple = "x86_64-unknown-linux-gnu"
define void @outside(ptr %in, ptr %out, i64 %n) #0 {
entry:
  %shared = call ptr @cucpu.shared()
  %x = call range(i32 0, 16) i32 @cucpu.tid.x()
  %y = call range(i32 0, 18) i32 @cucpu.tid.y()
  %x.wide = zext nneg i32 %x to i64
  %y.wide = zext nneg i32 %y to i64
  %from = getelementptr inbounds float, ptr %in, i64 %x.wide
  %v = load float, ptr %from
  %row = getelementptr inbounds [17 x float], ptr %shared, i64 %x.wide
  %at = getelementptr inbounds float, ptr %row, i64 %y.wide
  store float %v, ptr %at
  ret void
}
define void @any_place(ptr %in, ptr %out, i64 %n) #0 {
entry:
  %shared = call ptr @cucpu.shared()
  %x = call range(i32 0, 16) i32 @cucpu.tid.x()
  %y = call range(i32 0, 17) i32 @cucpu.tid.y()
  %x.wide = zext nneg i32 %x to i64
  %y.wide = zext nneg i32 %y to i64
  %from = getelementptr inbounds float, ptr %in, i64 %x.wide
  %v = load float, ptr %from
  %row = getelementptr inbounds [17 x float], ptr %shared, i64 %x.wide
  %at = getelementptr inbounds float, ptr %row, i64 %y.wide
  store float %v, ptr %at
  %p = getelementptr inbounds float, ptr %row, i64 %n
  %w = load float, ptr %p
  store float %w, ptr %out
  ret void
}
define void @passed_on(ptr %in, ptr %out, i64 %n) #0 {
entry:
  %shared = call ptr @cucpu.shared()
  %x = call range(i32 0, 16) i32 @cucpu.tid.x()
  %y = call range(i32 0, 17) i32 @cucpu.tid.y()
  %x.wide = zext nneg i32 %x to i64
  %y.wide = zext nneg i32 %y to i64
  %from = getelementptr inbounds float, ptr %in, i64 %x.wide
  %v = load float, ptr %from
  %row = getelementptr inbounds [17 x float], ptr %shared, i64 %x.wide
  %at = getelementptr inbounds float, ptr %row, i64 %y.wide
  store float %v, ptr %at
  %p = call i64 @other(ptr %at)
  ret void
}
define void @other_size(ptr %in, ptr %out, i64 %n) #0 {
entry:
  %shared = call ptr @cucpu.shared()
  %x = call range(i32 0, 16) i32 @cucpu.tid.x()
  %y = call range(i32 0, 17) i32 @cucpu.tid.y()
  %x.wide = zext nneg i32 %x to i64
  %y.wide = zext nneg i32 %y to i64
  %from = getelementptr inbounds float, ptr %in, i64 %x.wide
  %v = load float, ptr %from
  %row = getelementptr inbounds [17 x float], ptr %shared, i64 %x.wide
  %at = getelementptr inbounds float, ptr %row, i64 %y.wide
  store float %v, ptr %at
  %w = load double, ptr %shared
  store double %w, ptr %out
  ret void
}
define void @by_rows(ptr %in, ptr %out, i64 %n) #0 {
entry:
  %shared = call ptr @cucpu.shared()
  %x = call range(i32 0, 16) i32 @cucpu.tid.x()
  %y = call range(i32 0, 17) i32 @cucpu.tid.y()
  %x.wide = zext nneg i32 %x to i64
  %y.wide = zext nneg i32 %y to i64
  %from = getelementptr inbounds float, ptr %in, i64 %x.wide
  %v = load float, ptr %from
  %row = getelementptr inbounds [17 x float], ptr %shared, i64 %x.wide
  %at = getelementptr inbounds float, ptr %row, i64 %y.wide
  store float %v, ptr %at
  %p = getelementptr inbounds float, ptr %shared, i64 %x.wide
  %q = getelementptr inbounds i8, ptr %p, i64 68
  %r = getelementptr inbounds i8, ptr %p, i64 136
  %w = load float, ptr %p
  store float %w, ptr %q
  store float %w, ptr %r
  %to = getelementptr inbounds float, ptr %out, i64 %x.wide
  store float %w, ptr %to
  ret void
}
define void @no_array(ptr %in, ptr %out, i64 %n) #1 {
entry:
  %shared = call ptr @cucpu.shared()
  %x = call range(i32 0, 16) i32 @cucpu.tid.x()
  %y = call range(i32 0, 17) i32 @cucpu.tid.y()
  %x.wide = zext nneg i32 %x to i64
  %y.wide = zext nneg i32 %y to i64
  %from = getelementptr inbounds float, ptr %in, i64 %x.wide
  %v = load float, ptr %from
  %row = getelementptr inbounds [17 x float], ptr %shared, i64 %x.wide
  %at = getelementptr inbounds float, ptr %row, i64 %y.wide
  store float %v, ptr %at
  ret void
}
declare ptr @cucpu.shared()
declare i64 @other(ptr)
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
attributes #0 = { "cucpu.kernel" "cucpu.width"="8" "cucpu.layout"="0" "cucpu.block"="16,17,1" "cucpu.static_shared"="1088" "cucpu.arrays"="0,1088" }
attributes #1 = { "cucpu.kernel" "cucpu.width"="8" "cucpu.layout"="0" "cucpu.block"="16,17,1" "cucpu.static_shared"="1088" }
