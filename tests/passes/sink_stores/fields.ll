; Fields that are loaded and stored in turns: the stores are done behind the loads.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,sink_stores --simd=8 --opt=3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,sink_stores --simd=8 --opt=3 --disable=sink_stores %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,sink_stores --simd=1 --opt=3 %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: apart

; Two arrays: a comparison of their bases, and both orders.  They meet if the first is 1 to 7 bytes ahead.
; CHECK-LABEL: define void @two.w8.rows_full(
; CHECK: [[D:%.*]] = sub i64
; CHECK: [[E:%.*]] = sub i64 [[D]], 1
; CHECK: icmp uge i64 [[E]], 7
; CHECK: br i1 %apart
; CHECK: load
; CHECK: load
; CHECK: load
; CHECK: load
; CHECK: store
; CHECK: store
; CHECK: br label %stored
; CHECK: in.order:
; CHECK: load
; CHECK: load
; CHECK: store
; CHECK: load
; CHECK: load
; CHECK: store
; CHECK: stored:
; CHECK: [[PHI:%.*]] = phi float
; CHECK: store float [[PHI]], ptr %out
; CHECK: ret void
define void @two(ptr %p, ptr %q, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { float, float }, ptr %p, i64 %i
  %a1 = getelementptr i8, ptr %a, i64 4
  %b = getelementptr { float, float }, ptr %q, i64 %i
  %b1 = getelementptr i8, ptr %b, i64 4
  %x = load float, ptr %a
  %u = load float, ptr %b
  %r = fadd float %x, %u
  store float %r, ptr %a
  %y = load float, ptr %a1
  %v = load float, ptr %b1
  %s = fadd float %y, %v
  store float %s, ptr %a1
  fence seq_cst
  store float %s, ptr %out
  ret void
}

; __restrict__, and one array by itself: no question.
; CHECK-LABEL: define void @restricted.w8.rows_full(
; CHECK-NOT: br i1
; CHECK: load
; CHECK: load
; CHECK-NOT: store
; CHECK: load
; CHECK: load
; CHECK-NOT: load
; CHECK-COUNT-2: store
; CHECK: ret void
define void @restricted(ptr noalias %p, ptr noalias %q) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { float, float }, ptr %p, i64 %i
  %a1 = getelementptr i8, ptr %a, i64 4
  %b = getelementptr { float, float }, ptr %q, i64 %i
  %b1 = getelementptr i8, ptr %b, i64 4
  %x = load float, ptr %a
  %u = load float, ptr %b
  %r = fadd float %x, %u
  store float %r, ptr %a
  %y = load float, ptr %a1
  %v = load float, ptr %b1
  %s = fadd float %y, %v
  store float %s, ptr %a1
  ret void
}

; A load of what was stored, one at an address that nobody knows, a barrier: nothing passes them.
; CHECK-LABEL: define void @stays.w8.rows_full(
; CHECK-NOT: apart
; CHECK: store i32 1
; CHECK: load i32
; CHECK: store i32 2
; CHECK: load i32
; CHECK: store i32 3
; CHECK: call void @cucpu.barrier
; CHECK: load i32
; CHECK: store i32 4
; CHECK: ret void
define void @stays(ptr %p, ptr %list) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr { i32, i32 }, ptr %p, i64 %i
  %a1 = getelementptr i8, ptr %a, i64 4
  store i32 1, ptr %a
  %x = load i32, ptr %a
  store i32 2, ptr %a1
  %e = sext i32 %x to i64
  %l = getelementptr i32, ptr %list, i64 %e
  %y = load i32, ptr %l
  store i32 3, ptr %a
  call void @cucpu.barrier()
  %z = load i32, ptr %a1
  store i32 4, ptr %a1
  %s = add i32 %y, %z
  store i32 %s, ptr %list
  ret void
}
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier()
