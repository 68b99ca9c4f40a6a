; What stays in memory: an index that is not known, an address that is passed on or stored, pieces that overlap in
; part, volatile accesses, and entries for any blockDim.
; RUN: %cucpu-opt --passes=promote_shared --cpu=x86-64-v3 %s | FileCheck %s
; CHECK-LABEL: define void @any.entry(
; CHECK: store <4 x i32> %v, ptr %shared
; CHECK-LABEL: define void @unknown.entry(
; CHECK: store <4 x i32> %v, ptr %shared
; CHECK-LABEL: define void @passed.entry(
; CHECK: store <4 x i32> %v, ptr %shared
; CHECK-LABEL: define void @kept.entry(
; CHECK: store <4 x i32> %v, ptr %shared
; CHECK-LABEL: define void @overlap.entry(
; CHECK: store <4 x i32> %v, ptr %shared
; CHECK-LABEL: define void @volatile.entry(
; CHECK: store volatile <4 x i32> %v, ptr %shared
define void @any.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %out, <4 x i32> %v) #1 {
  %shared = load ptr, ptr %worker
  %number = getelementptr i8, ptr %worker, i64 16
  store i64 %first, ptr %number
  store <4 x i32> %v, ptr %shared
  %r = load <4 x i32>, ptr %shared
  store <4 x i32> %r, ptr %out
  ret void
}
define void @unknown.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %out, <4 x i32> %v, i64 %i) #0 {
  %shared = load ptr, ptr %worker
  %number = getelementptr i8, ptr %worker, i64 16
  store i64 %first, ptr %number
  store <4 x i32> %v, ptr %shared
  %p = getelementptr i32, ptr %shared, i64 %i
  %r = load <4 x i32>, ptr %p
  store <4 x i32> %r, ptr %out
  ret void
}
define void @passed.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %out, <4 x i32> %v) #0 {
  %shared = load ptr, ptr %worker
  %number = getelementptr i8, ptr %worker, i64 16
  store i64 %first, ptr %number
  store <4 x i32> %v, ptr %shared
  call void @look(ptr %shared)
  %r = load <4 x i32>, ptr %shared
  store <4 x i32> %r, ptr %out
  ret void
}
define void @kept.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %out, <4 x i32> %v) #0 {
  %shared = load ptr, ptr %worker
  %number = getelementptr i8, ptr %worker, i64 16
  store i64 %first, ptr %number
  store <4 x i32> %v, ptr %shared
  store ptr %shared, ptr %out
  %r = load <4 x i32>, ptr %shared
  store <4 x i32> %r, ptr %out
  ret void
}
define void @overlap.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %out, <4 x i32> %v) #0 {
  %shared = load ptr, ptr %worker
  %number = getelementptr i8, ptr %worker, i64 16
  store i64 %first, ptr %number
  store <4 x i32> %v, ptr %shared
  %p = getelementptr i8, ptr %shared, i64 2
  %r = load <4 x i32>, ptr %p
  store <4 x i32> %r, ptr %out
  ret void
}
define void @volatile.entry(ptr %launch, ptr %worker, i64 %first, i64 %end, ptr %out, <4 x i32> %v) #0 {
  %shared = load ptr, ptr %worker
  %number = getelementptr i8, ptr %worker, i64 16
  store i64 %first, ptr %number
  store volatile <4 x i32> %v, ptr %shared
  %r = load <4 x i32>, ptr %shared
  store <4 x i32> %r, ptr %out
  ret void
}
declare void @look(ptr)
attributes #0 = { "cucpu.entry" "cucpu.width"="4" "cucpu.layout"="0" "cucpu.block"="8,1,1" "cucpu.static_shared"="32" }
attributes #1 = { "cucpu.entry" "cucpu.width"="4" "cucpu.layout"="0" "cucpu.static_shared"="32" }
