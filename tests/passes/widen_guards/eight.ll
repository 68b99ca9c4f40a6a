; Eight neighbouring elements of a thread, each behind a test of its own: groups of which all pass access them together.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,widen_guards --simd=16 --opt=3 --cpu=x86-64-v4 %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()

; CHECK-LABEL: define void @eight.w16.rows_full(
; CHECK: %all = call i1 @cucpu.all(
; CHECK: br i1 %all, label %inside
; Seventeen elements are too many for a structure.
; CHECK-LABEL: define void @seventeen.w16.rows_full(
; CHECK-NOT: cucpu.all
; CHECK: ret void
define void @eight(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = mul i32 %d, %b
  %i = add i32 %s, %t
  %w = sext i32 %i to i64
  %i8 = mul nsw i32 %i, 8
  %a = getelementptr [8 x float], ptr %p, i64 %w
  %c = icmp slt i32 %i8, %n
  br i1 %c, label %do, label %second
do:
  store float 0.0, ptr %a
  br label %second
second:
  %i1 = add nsw i32 %i8, 1
  %c1 = icmp slt i32 %i1, %n
  br i1 %c1, label %do1, label %end
do1:
  %a1 = getelementptr i8, ptr %a, i64 4
  store float 1.0, ptr %a1
  br label %end
end:
  ret void
}
define void @seventeen(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = mul i32 %d, %b
  %i = add i32 %s, %t
  %w = sext i32 %i to i64
  %i17 = mul nsw i32 %i, 17
  %a = getelementptr [17 x float], ptr %p, i64 %w
  %c = icmp slt i32 %i17, %n
  br i1 %c, label %do, label %second
do:
  store float 0.0, ptr %a
  br label %second
second:
  %i1 = add nsw i32 %i17, 1
  %c1 = icmp slt i32 %i1, %n
  br i1 %c1, label %do1, label %end
do1:
  %a1 = getelementptr i8, ptr %a, i64 4
  store float 1.0, ptr %a1
  br label %end
end:
  ret void
}
