; Of an entry whose shared memory can't be promoted as a whole the side for blocks inside the grid is, where version_interior_blocks has made one.
; RUN: %cucpu-opt --passes=promote_shared --cpu=x86-64-v3 %s | FileCheck %s
; CHECK-LABEL: define void @chosen.entry(
; CHECK: inner:
; CHECK: store <4 x i32> {{.*}}, ptr %shared
; CHECK-LABEL: define void @copied.entry(
; CHECK: inner:
; CHECK-NOT: ptr %shared
; CHECK: border:
; CHECK: load <4 x i32>, ptr %there
define void @chosen.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %in, ptr %out, i64 %n, i1 %inside) #0 {
entry:
  %shared = load ptr, ptr %worker
  %number = getelementptr i8, ptr %worker, i64 16
  store i64 %first, ptr %number
  br i1 %inside, label %inner, label %border
inner:
  %v = load <4 x i32>, ptr %in
  store <4 x i32> %v, ptr %shared
  %w = load <4 x i32>, ptr %out
  %s1 = getelementptr i32, ptr %shared, i64 4
  store <4 x i32> %w, ptr %s1
  %s2 = getelementptr i32, ptr %shared, i64 2
  %r = load <4 x i32>, ptr %s2
  store <4 x i32> %r, ptr %out
  ret void
border:
  %b = load <4 x i32>, ptr %out
  store <4 x i32> %b, ptr %shared
  %there = getelementptr i32, ptr %shared, i64 %n
  %x = load <4 x i32>, ptr %there
  store <4 x i32> %x, ptr %in
  ret void
}
define void @copied.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %in, ptr %out, i64 %n, i1 %inside) #1 {
entry:
  %shared = load ptr, ptr %worker
  %number = getelementptr i8, ptr %worker, i64 16
  store i64 %first, ptr %number
  br i1 %inside, label %inner, label %border
inner:
  %v = load <4 x i32>, ptr %in
  store <4 x i32> %v, ptr %shared
  %w = load <4 x i32>, ptr %out
  %s1 = getelementptr i32, ptr %shared, i64 4
  store <4 x i32> %w, ptr %s1
  %s2 = getelementptr i32, ptr %shared, i64 2
  %r = load <4 x i32>, ptr %s2
  store <4 x i32> %r, ptr %out
  ret void
border:
  %b = load <4 x i32>, ptr %out
  store <4 x i32> %b, ptr %shared
  %there = getelementptr i32, ptr %shared, i64 %n
  %x = load <4 x i32>, ptr %there
  store <4 x i32> %x, ptr %in
  ret void
}
attributes #0 = { "cucpu.entry" "cucpu.width"="4" "cucpu.layout"="0" "cucpu.block"="8,1,1" "cucpu.static_shared"="32" }
attributes #1 = { "cucpu.entry" "cucpu.width"="4" "cucpu.layout"="0" "cucpu.block"="8,1,1" "cucpu.static_shared"="32" "cucpu.interior" }
