; A pointer that was loaded may point to a local array only if the address of one is kept somewhere.
; RUN: %cucpu-opt --passes=scalarise_single_lane --simd=16 --verify-each %s | FileCheck %s
declare i32 @cucpu.tid.x()

; CHECK-LABEL: define void @global(
; CHECK: call i1 @cucpu.any(i1 %first)
define void @global(ptr %table, ptr %out) "cucpu.kernel" {
entry:
  %x = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %x to i64
  %slot = getelementptr inbounds ptr, ptr %table, i64 %i
  %first = icmp eq i32 %x, 0
  br i1 %first, label %side, label %skip
skip:
  br label %join
side:
  %p = load ptr, ptr %slot, align 8
  %v = load i32, ptr %p, align 4
  store i32 %v, ptr %out, align 4
  br label %join
join:
  ret void
}

; The address of a local array has been stored: what is loaded may be that, which each lane has of its own.
; CHECK-LABEL: define void @escaped(
; CHECK-NOT: call i1 @cucpu.any
define void @escaped(ptr %table, ptr %out) "cucpu.kernel" {
entry:
  %own = alloca [4 x i32], align 4
  %x = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %x to i64
  %slot = getelementptr inbounds ptr, ptr %table, i64 %i
  store ptr %own, ptr %slot, align 8
  %first = icmp eq i32 %x, 0
  br i1 %first, label %side, label %skip
skip:
  br label %join
side:
  %p = load ptr, ptr %slot, align 8
  %v = load i32, ptr %p, align 4
  store i32 %v, ptr %out, align 4
  br label %join
join:
  ret void
}
