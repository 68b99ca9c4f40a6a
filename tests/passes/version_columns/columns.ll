; Kernels that may be launched with blocks of one column get a version in which y is x.
; RUN: %cucpu-opt --passes=version_columns %s | FileCheck --implicit-check-not=.column %s
; RUN: %cucpu-opt --passes=version_columns,version_columns %s | FileCheck --implicit-check-not=.column %s
; RUN: %cucpu-opt --passes=version_columns --disable=version_columns %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: .column
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.tid.z()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ntid.y()
declare i32 @cucpu.ctaid.x()
declare void @cucpu.barrier(i32)
declare i32 @llvm.umin.i32(i32, i32)

define void @column(ptr %p, i32 %n) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %z = call i32 @cucpu.tid.z()
  %nx = call i32 @cucpu.ntid.x()
  %ny = call i32 @cucpu.ntid.y()
  %b = call i32 @cucpu.ctaid.x()
  %row = mul i32 %y, %nx
  %t = add i32 %row, %x
  %start = mul i32 %b, %ny
  %i = add i32 %start, %y
  %least = call i32 @llvm.umin.i32(i32 %i, i32 %n)
  %q = getelementptr i32, ptr %p, i32 %least
  call void @cucpu.barrier(i32 0)
  store i32 %t, ptr %q
  %r = getelementptr i32, ptr %q, i32 %z
  store i32 %nx, ptr %r
  ret void
}

; An index along x: blocks have several columns.
define void @plane(ptr %p) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %nx = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %start = mul i32 %nx, %b
  %above = add i32 %start, %y
  %i = add i32 %x, %above
  %j = mul i32 %i, %y
  %q = getelementptr i32, ptr %p, i32 %j
  store i32 %x, ptr %q
  ret void
}

define void @wide_plane(ptr %p) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %b = call i32 @cucpu.ctaid.x()
  %start = shl i32 %b, 4
  %start64 = zext i32 %start to i64
  %x64 = zext i32 %x to i64
  %i = add i64 %start64, %x64
  %q = getelementptr i32, ptr %p, i64 %i
  store i32 %y, ptr %q
  ret void
}

; A lane of its own along x.
define void @lanes(ptr %p) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %q = getelementptr i32, ptr %p, i32 %x
  store i32 %y, ptr %q
  ret void
}

define void @row(ptr %p) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  store i32 %x, ptr %p
  ret void
}

define void @required(ptr %p) "cucpu.kernel" "cucpu.reqntid"="1,64,1" {
  %y = call i32 @cucpu.tid.y()
  store i32 %y, ptr %p
  ret void
}

define void @clusters(ptr %p) "cucpu.kernel" "cucpu.cluster"="2,1,1" {
  %y = call i32 @cucpu.tid.y()
  store i32 %y, ptr %p
  ret void
}

define i32 @reads_ids() {
  %y = call i32 @cucpu.tid.y()
  ret i32 %y
}

define void @calls(ptr %p) "cucpu.kernel" {
  %y = call i32 @cucpu.tid.y()
  %v = call i32 @reads_ids()
  store i32 %v, ptr %p
  ret void
}

define void @calls_pointer(ptr %p, ptr %f) "cucpu.kernel" {
  %y = call i32 @cucpu.tid.y()
  %v = call i32 %f()
  store i32 %v, ptr %p
  ret void
}

; CHECK-LABEL: define void @column.column(
; CHECK-SAME: #[[COLUMN:[0-9]+]]
; CHECK-DAG: %[[Y:.*]] = call i32 @cucpu.tid.x()
; CHECK-DAG: %[[NY:.*]] = call i32 @cucpu.ntid.x()
; CHECK: %row = mul i32 %[[Y]], 1
; CHECK: %t = add i32 %row, 0
; CHECK: %start = mul i32 %b, %[[NY]]
; CHECK: %i = add i32 %start, %[[Y]]
; CHECK: getelementptr i32, ptr %q, i32 0
; CHECK: store i32 1,
; CHECK-NOT: call i32 @cucpu.{{n?}}tid.{{[yz]}}
; CHECK: attributes #[[COLUMN]] = {{.*}}"cucpu.column"="column"
