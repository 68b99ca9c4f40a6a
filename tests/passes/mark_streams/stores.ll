; Stores of consecutive elements to a parameter that is only written are marked; not what is read, too, nor what a loop
; stores, nor in a kernel with a fence.
; RUN: %cucpu-opt --passes=make_variants,mark_streams --simd=8 --cpu=x86-64-v3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants,mark_streams --simd=8 --cpu=x86-64-v3 --disable=stream_stores %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=make_variants,mark_streams,linearise,widen --simd=8 --cpu=x86-64-v3 %s | FileCheck --check-prefix=WIDE %s
; OFF-NOT: cucpu.stream

; CHECK-LABEL: define void @copy.w8.rows_full(
; CHECK: store float %{{.*}}, ptr %q{{.*}} !cucpu.stream
; WIDE-LABEL: define void @copy.w8.rows_full(
; WIDE: store <8 x float> %{{.*}}, ptr %{{.*}} !cucpu.stream
define void @copy(ptr %a, ptr %b) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = sext i32 %t to i64
  %p = getelementptr float, ptr %a, i64 %e
  %q = getelementptr float, ptr %b, i64 %e
  %v = load float, ptr %p
  store float %v, ptr %q
  ret void
}

; CHECK-LABEL: define void @update.w8.rows_full(
; CHECK-NOT: !cucpu.stream
; CHECK: ret void
define void @update(ptr %a, ptr %b) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = sext i32 %t to i64
  %q = getelementptr float, ptr %b, i64 %e
  %v = load float, ptr %q
  store float %v, ptr %q
  ret void
}

; CHECK-LABEL: define void @fenced.w8.rows_full(
; CHECK-NOT: !cucpu.stream
; CHECK: ret void
define void @fenced(ptr %a, ptr %b) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %e = sext i32 %t to i64
  %q = getelementptr float, ptr %b, i64 %e
  store float 1.0, ptr %q
  fence seq_cst
  ret void
}

; CHECK-LABEL: define void @loop.w8.rows_full(
; CHECK-NOT: !cucpu.stream
; CHECK: ret void
define void @loop(ptr %a, ptr %b, i32 %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %latch ]
  %i = add i32 %t, %k
  %e = sext i32 %i to i64
  %q = getelementptr float, ptr %b, i64 %e
  store float 1.0, ptr %q
  %next = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %latch, label %end
latch:
  br label %loop
end:
  ret void
}
declare i32 @cucpu.tid.x()
; CHECK: "cucpu.streamed"="4"
