; Tests inside each other whose other sides are one block become a sequence of tests.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,unnest_guards --simd=16 --opt=3 --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,unnest_guards --simd=16 --opt=3 --cpu=x86-64-v4 --disable=unnest_guards %s | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,unnest_guards,unnest_guards,widen_guards --simd=16 --opt=3 --cpu=x86-64-v4 %s | FileCheck %s --check-prefix=WIDENED
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()

; The second test is computed with the first one. A value of the first arm that is used later passes the second test;
; what was different at the end depends on the test that failed.
; CHECK-LABEL: define void @nested.w16.rows_full(
; CHECK: %c = icmp slt i32 %f, %n
; CHECK: %[[C1:.*]] = icmp slt i32 %{{.*}}, %n
; CHECK: %[[BOTH:.*]] = select i1 %c, i1 %[[C1]], i1 false
; CHECK: br i1 %c, label %do, label %[[OUT:.*]]
; CHECK: [[OUT]]:
; CHECK-NEXT: br label %next
; CHECK: do:
; CHECK: br label %next
; CHECK: next:
; CHECK-DAG: %[[X:.*]] = phi float [ %x, %do ], [ poison, %[[OUT]] ]
; CHECK-DAG: %[[R:.*]] = phi i32 [ 1, %do ], [ 0, %[[OUT]] ]
; CHECK: br i1 %[[BOTH]], label %do1, label %[[OUT1:.*]]
; CHECK: do1:
; CHECK: store float %[[X]]
; CHECK: phi i32 {{.*}}[ %[[R]], %[[OUT1]] ]
; OFF-LABEL: define void @nested.w16.rows_full(
; OFF: do:
; OFF: br i1 %{{.*}}, label %do1
; OFF-NOT: next:
; OFF-LABEL: define void @far
; WIDENED-LABEL: define void @nested.w16.rows_full(
; WIDENED: call i1 @cucpu.all(
; WIDENED: ret void
define void @nested(ptr %p, ptr %q, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = mul i32 %d, %b
  %i = add i32 %s, %t
  %f = shl nsw i32 %i, 1
  %w = sext i32 %i to i64
  %a = getelementptr [2 x float], ptr %p, i64 %w
  %c = icmp slt i32 %f, %n
  br i1 %c, label %do, label %end
do:
  %x = load float, ptr %a
  store float 0.0, ptr %a
  %f1 = add nsw i32 %f, 1
  %c1 = icmp slt i32 %f1, %n
  br i1 %c1, label %do1, label %end
do1:
  %a1 = getelementptr i8, ptr %a, i64 4
  store float %x, ptr %a1
  br label %end
end:
  %r = phi i32 [ 0, %entry ], [ 1, %do ], [ 2, %do1 ]
  %at = getelementptr i32, ptr %q, i64 %w
  store i32 %r, ptr %at
  ret void
}

; Elements that no vector holds: the second test saves the accesses behind it.
; CHECK-LABEL: define void @far.w16.rows_full(
; CHECK-NOT: next:
; CHECK-LABEL: define void @data.w16.rows_full(
; CHECK-NOT: next:
; CHECK-LABEL: define void @other.w16.rows_full(
; CHECK-NOT: next:
define void @far(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = mul i32 %d, %b
  %i = add i32 %s, %t
  %f = shl nsw i32 %i, 6
  %w = sext i32 %i to i64
  %a = getelementptr [64 x float], ptr %p, i64 %w
  %c = icmp slt i32 %f, %n
  br i1 %c, label %do, label %end
do:
  store float 0.0, ptr %a
  %f1 = add nsw i32 %f, 1
  %c1 = icmp slt i32 %f1, %n
  br i1 %c1, label %do1, label %end
do1:
  %a1 = getelementptr i8, ptr %a, i64 4
  store float 1.0, ptr %a1
  br label %end
end:
  ret void
}

; The second test depends on what the first arm has loaded.
define void @data(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = mul i32 %d, %b
  %i = add i32 %s, %t
  %f = shl nsw i32 %i, 1
  %w = sext i32 %i to i64
  %a = getelementptr [2 x i32], ptr %p, i64 %w
  %c = icmp slt i32 %f, %n
  br i1 %c, label %do, label %end
do:
  %x = load i32, ptr %a
  store i32 0, ptr %a
  %f1 = add nsw i32 %f, %x
  %c1 = icmp slt i32 %f1, %n
  br i1 %c1, label %do1, label %end
do1:
  %a1 = getelementptr i8, ptr %a, i64 4
  store i32 1, ptr %a1
  br label %end
end:
  ret void
}

; Lanes outside the first test have something to do.
define void @other(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = mul i32 %d, %b
  %i = add i32 %s, %t
  %f = shl nsw i32 %i, 1
  %w = sext i32 %i to i64
  %a = getelementptr [2 x i32], ptr %p, i64 %w
  %c = icmp slt i32 %f, %n
  br i1 %c, label %do, label %else
do:
  store i32 0, ptr %a
  %f1 = add nsw i32 %f, 1
  %c1 = icmp slt i32 %f1, %n
  br i1 %c1, label %do1, label %end
do1:
  %a1 = getelementptr i8, ptr %a, i64 4
  store i32 1, ptr %a1
  br label %end
else:
  store i32 7, ptr %a
  br label %end
end:
  ret void
}

; A test around tests becomes part of each; values that differ at the end are chosen by it.
; CHECK-LABEL: define void @around.w16.rows_full(
; CHECK: %[[A:.*]] = xor i1 %c.not, true
; CHECK-NOT: br i1 %c.not
; CHECK: %[[A0:.*]] = select i1 %[[A]], i1 {{.*}}, i1 false
; CHECK: br i1 %[[A0]], label %do
; CHECK: %[[A1:.*]] = select i1 %[[A]], i1 {{.*}}, i1 false
; CHECK: br i1 %[[A1]], label %do1
; CHECK: select i1 %[[A]], i32 1, i32 0
; CHECK: ret void
define void @around(ptr %p, ptr %q, i32 %n, i32 %m) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = mul i32 %d, %b
  %i = add i32 %s, %t
  %f = shl nsw i32 %i, 1
  %w = sext i32 %i to i64
  %a = getelementptr [2 x float], ptr %p, i64 %w
  %c = icmp sge i32 %f, %m
  br i1 %c, label %in, label %end
in:
  %c0 = icmp slt i32 %f, %n
  br i1 %c0, label %do, label %second
do:
  store float 0.0, ptr %a
  br label %second
second:
  %f1 = add nsw i32 %f, 1
  %c1 = icmp slt i32 %f1, %n
  br i1 %c1, label %do1, label %last
do1:
  %a1 = getelementptr i8, ptr %a, i64 4
  store float 1.0, ptr %a1
  br label %last
last:
  br label %end
end:
  %r = phi i32 [ 0, %entry ], [ 1, %last ]
  %at = getelementptr i32, ptr %q, i64 %w
  store i32 %r, ptr %at
  ret void
}
