; Range tests one behind the other become one, which version_all_active can ask for a group as a whole.  Not where the second one
; may trap.  A thread of width 1 goes on as it was written.
; RUN: %cucpu-opt --passes=make_variants --simd=8 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants --simd=1 %s | FileCheck --check-prefix=ONE %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()

; CHECK-LABEL: define void @inside.w8.rows_full(
; CHECK: br i1
; CHECK-NOT: br i1
; CHECK: ret void
; ONE-LABEL: define void @inside.w1.rows_full(
; ONE: br i1
; ONE: br i1
define void @inside(ptr %a, i32 %n, i32 %m) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %low = icmp slt i32 %x, 1
  br i1 %low, label %to.out, label %right
to.out:
  br label %out
right:
  %last = add nsw i32 %n, -1
  %high = icmp sge i32 %x, %last
  br i1 %high, label %right.out, label %below
right.out:
  br label %out
below:
  %row = add nsw i32 %m, -1
  %under = icmp sge i32 %y, %row
  br i1 %under, label %below.out, label %body
below.out:
  br label %out
body:
  %p = getelementptr i32, ptr %a, i32 %x
  store i32 1, ptr %p
  br label %out
out:
  ret void
}

; CHECK-LABEL: define void @divides.w8.rows_full(
; CHECK: br i1
; CHECK: udiv
; CHECK: br i1
; CHECK: ret void
define void @divides(ptr %a, i32 %n) "cucpu.kernel" {
  %x = call i32 @cucpu.tid.x()
  %zero = icmp eq i32 %x, 0
  br i1 %zero, label %to.out, label %more
to.out:
  br label %out
more:
  %q = udiv i32 %n, %x
  %small = icmp ult i32 %q, 3
  br i1 %small, label %more.out, label %body
more.out:
  br label %out
body:
  %p = getelementptr i32, ptr %a, i32 %x
  store i32 1, ptr %p
  br label %out
out:
  ret void
}
