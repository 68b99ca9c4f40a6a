; The index of a thread in a block of several rows becomes that of one row.
; RUN: %cucpu-opt --passes=flatten_blocks %s | FileCheck %s
; RUN: %cucpu-opt --passes=flatten_blocks,flatten_blocks %s | FileCheck %s
; RUN: %cucpu-opt --passes=flatten_blocks --disable=flatten_blocks %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: cucpu.flat
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.tid.z()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ntid.y()
declare i32 @cucpu.ctaid.x()

; CHECK-LABEL: define void @plane(
; CHECK-SAME: #[[FLAT:[0-9]+]]
; CHECK: %[[START:.*]] = mul i32 %b, %{{.*}}
; CHECK: %i = add i32 %[[START]], %
; CHECK: %three = mul i32 %i, 3
; CHECK-NOT: @cucpu.tid.y
; CHECK: ret void
define void @plane(ptr %p) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %nx = call i32 @cucpu.ntid.x()
  %ny = call i32 @cucpu.ntid.y()
  %b = call i32 @cucpu.ctaid.x()
  %row = mul i32 %y, %nx
  %t = add i32 %row, %x
  %n = mul i32 %nx, %ny
  %start = mul i32 %b, %n
  %i = add i32 %start, %t
  %three = mul i32 %i, 3
  %q = getelementptr i32, ptr %p, i32 %three
  store i32 %t, ptr %q
  ret void
}

; Sums and products in another order, in 64 bits.
; CHECK-LABEL: define void @wide(
; CHECK-SAME: #[[FLAT]]
; CHECK-NOT: @cucpu.tid.y
; CHECK: ret void
define void @wide(ptr %p) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %nx = call i32 @cucpu.ntid.x()
  %ny = call i32 @cucpu.ntid.y()
  %b = call i32 @cucpu.ctaid.x()
  %wx = zext i32 %x to i64
  %wy = zext i32 %y to i64
  %wnx = zext i32 %nx to i64
  %wny = zext i32 %ny to i64
  %wb = zext i32 %b to i64
  %rows = mul i64 %wb, %wny
  %at = add i64 %rows, %wy
  %start = mul i64 %at, %wnx
  %i = add i64 %wx, %start
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 0, ptr %q
  ret void
}

; CHECK-LABEL: define void @solid(
; CHECK-SAME: #[[SOLID:[0-9]+]]
; CHECK-NOT: @cucpu.tid.z
; CHECK: ret void
define void @solid(ptr %p) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %z = call i32 @cucpu.tid.z()
  %nx = call i32 @cucpu.ntid.x()
  %ny = call i32 @cucpu.ntid.y()
  %plane = mul i32 %z, %ny
  %row = add i32 %plane, %y
  %start = mul i32 %row, %nx
  %t = add i32 %start, %x
  %q = getelementptr i32, ptr %p, i32 %t
  store i32 0, ptr %q
  ret void
}

; A part of the index, the size of a row, or an id alone is used; a call may read ids.
; CHECK-LABEL: define void @row_used(
; CHECK-NOT: #[[FLAT]]
; CHECK: @cucpu.tid.y
define void @row_used(ptr %p) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %nx = call i32 @cucpu.ntid.x()
  %row = mul i32 %y, %nx
  %t = add i32 %row, %x
  %q = getelementptr i32, ptr %p, i32 %t
  store i32 %row, ptr %q
  ret void
}
; CHECK-LABEL: define void @size_used(
; CHECK: @cucpu.tid.y
define void @size_used(ptr %p) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %nx = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %row = mul i32 %y, %nx
  %t = add i32 %row, %x
  %start = mul i32 %b, %nx
  %i = add i32 %start, %t
  %q = getelementptr i32, ptr %p, i32 %i
  store i32 0, ptr %q
  ret void
}
; CHECK-LABEL: define void @id_used(
; CHECK: @cucpu.tid.y
define void @id_used(ptr %p) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %nx = call i32 @cucpu.ntid.x()
  %row = mul i32 %y, %nx
  %t = add i32 %row, %x
  %q = getelementptr i32, ptr %p, i32 %t
  store i32 %x, ptr %q
  ret void
}
; CHECK-LABEL: define void @other_stride(
; CHECK: @cucpu.tid.y
define void @other_stride(ptr %p) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %row = mul i32 %y, 32
  %t = add i32 %row, %x
  %q = getelementptr i32, ptr %p, i32 %t
  store i32 0, ptr %q
  ret void
}
; CHECK-LABEL: define void @calls(
; CHECK: @cucpu.tid.y
declare void @unknown()
define void @calls(ptr %p) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %nx = call i32 @cucpu.ntid.x()
  %row = mul i32 %y, %nx
  %t = add i32 %row, %x
  %q = getelementptr i32, ptr %p, i32 %t
  store i32 0, ptr %q
  call void @unknown()
  ret void
}
; CHECK: attributes #[[FLAT]] = {{.*}}"cucpu.flat"="2"
; CHECK: attributes #[[SOLID]] = {{.*}}"cucpu.flat"="3"
