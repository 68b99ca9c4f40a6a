; RUN: %cucpu-opt --passes=version_interior_blocks --simd=8 %s -o - | FileCheck %s
; On which side of a constant interior blocks are: below it, unless the first blocks come near it. A sum of 32 bits that
; is compared in 64 must not wrap in 32.
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()
declare void @cucpu.barrier(i32)

; CHECK-LABEL: define {{.*}} @upper
; CHECK: or disjoint i32 %{{.*}}, 31
; CHECK: icmp {{.*}} 65536
; CHECK: inner:
; CHECK-NOT: icmp
; CHECK: store i32 1,
; CHECK: border:
define void @upper(ptr %out) #0 {
entry:
  %x = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %m = shl i32 %b, 5
  %i = or disjoint i32 %m, %x
  %c = icmp slt i32 %i, 65536
  %v = zext i1 %c to i32
  call void @cucpu.barrier(i32 0)
  %k = zext i32 %x to i64
  %q = getelementptr i32, ptr %out, i64 %k
  store i32 %v, ptr %q
  ret void
}

; CHECK-LABEL: define {{.*}} @lower
; CHECK: inner:
; CHECK-NOT: icmp
; CHECK: store i32 0,
; CHECK: border:
define void @lower(ptr %out) #0 {
entry:
  %x = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %m = shl i32 %b, 5
  %i = or disjoint i32 %m, %x
  %c = icmp slt i32 %i, 40
  %v = zext i1 %c to i32
  call void @cucpu.barrier(i32 0)
  %k = zext i32 %x to i64
  %q = getelementptr i32, ptr %out, i64 %k
  store i32 %v, ptr %q
  ret void
}

; CHECK-LABEL: define {{.*}} @extended
; CHECK: icmp slt i32 %{{.*}}, 2147483617
; CHECK: icmp slt i128
; CHECK: inner:
; CHECK-NOT: icmp
; CHECK: store i32 1,
; CHECK: border:
define void @extended(ptr %out, i64 %n) #0 {
entry:
  %x = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %m = mul i32 %b, 33
  %i = add i32 %m, %x
  %w = sext i32 %i to i64
  %c = icmp sgt i64 %n, %w
  %v = zext i1 %c to i32
  call void @cucpu.barrier(i32 0)
  %k = zext i32 %x to i64
  %q = getelementptr i32, ptr %out, i64 %k
  store i32 %v, ptr %q
  ret void
}
attributes #0 = { "cucpu.kernel" "cucpu.width"="8" "cucpu.block"="32,1,1" }
