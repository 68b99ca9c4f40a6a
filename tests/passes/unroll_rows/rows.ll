; Four passes of a loop in which each lane goes through a row of its own read four neighbours.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,unroll_rows --simd=8 --opt=3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,unroll_rows --simd=8 --opt=3 --disable=unroll_rows %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,unroll_rows --simd=1 --opt=3 %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: i64 12
; As many as a register holds, where there are as many lanes; what is left by fours, then one by one.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,unroll_rows --simd=16 --cpu=x86-64-v4 --opt=3 %s | FileCheck --check-prefix=LINE %s
; LINE-LABEL: define void @sums.w16.rows_full(
; LINE: getelementptr i8, {{.*}}, i64 60
; LINE: add {{.*}}, 16
; LINE: add {{.*}}, 4
; LINE: getelementptr i8, {{.*}}, i64 12
; LINE-NOT: i64 16
; LINE: epil
; LINE: ret void

; CHECK-LABEL: define void @sums.w8.rows_full(
; CHECK: [[P:%[0-9a-z]+]] = getelementptr {{.*}}float, ptr %a
; CHECK: load float, ptr [[P]]
; CHECK: getelementptr i8, ptr [[P]], i64 4
; CHECK: fadd float
; CHECK: getelementptr i8, ptr [[P]], i64 8
; CHECK: fadd float
; CHECK: getelementptr i8, ptr [[P]], i64 12
; CHECK: fadd float
; CHECK: add nuw nsw i32 {{%[a-z0-9]+}}, 4
; CHECK: epil
; CHECK: ret void
define void @sums(ptr %a, ptr %out, i32 %k) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %row = mul nsw i32 %t, %k
  %some = icmp sgt i32 %k, 0
  br i1 %some, label %loop, label %done
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %i = add nsw i32 %row, %j
  %e = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %e
  %v = load float, ptr %p
  %sum = fadd float %s, %v
  %next = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %next, %k
  br i1 %more, label %loop, label %done
done:
  %r = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %o = sext i32 %t to i64
  %q = getelementptr float, ptr %out, i64 %o
  store float %r, ptr %q
  ret void
}

; Columns; rows whose ends differ; elements of a byte.
; CHECK-LABEL: define void @columns.w8.rows_full(
; CHECK-NOT: epil
; CHECK-LABEL: define void @columns.w8.rows(
define void @columns(ptr %a, ptr %out, i32 %k) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %c = mul nsw i32 %j, %k
  %i = add nsw i32 %c, %t
  %e = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %e
  %v = load float, ptr %p
  %sum = fadd float %s, %v
  %next = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %next, %k
  br i1 %more, label %loop, label %done
done:
  store float %sum, ptr %out
  ret void
}
; CHECK-LABEL: define void @ends.w8.rows_full(
; CHECK-NOT: epil
; CHECK-LABEL: define void @ends.w8.rows(
define void @ends(ptr %a, ptr %out, i32 %k) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %row = mul nsw i32 %t, %k
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %sum, %loop ]
  %i = add nsw i32 %row, %j
  %e = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %e
  %v = load float, ptr %p
  %sum = fadd float %s, %v
  %next = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %next, %t
  br i1 %more, label %loop, label %done
done:
  store float %sum, ptr %out
  ret void
}
; CHECK-LABEL: define void @bytes.w8.rows_full(
; CHECK-NOT: epil
; CHECK-LABEL: define void @bytes.w8.rows(
define void @bytes(ptr %a, ptr %out, i32 %k) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %row = mul nsw i32 %t, %k
  br label %loop
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi i8 [ 0, %entry ], [ %sum, %loop ]
  %i = add nsw i32 %row, %j
  %e = sext i32 %i to i64
  %p = getelementptr inbounds i8, ptr %a, i64 %e
  %v = load i8, ptr %p
  %sum = add i8 %s, %v
  %next = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %next, %k
  br i1 %more, label %loop, label %done
done:
  store i8 %sum, ptr %out
  ret void
}
declare i32 @cucpu.tid.x()

; Where a row begins may be a long computation; it is the same in each pass.
; CHECK-LABEL: define void @far.w8.rows_full(
; CHECK: epil
define void @far(ptr %a, i32 %k, i32 %n1, i32 %n2, i32 %n3, i32 %n4) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %some = icmp sgt i32 %k, 0
  br i1 %some, label %loop, label %done
loop:
  %j = phi i32 [ 0, %entry ], [ %next, %loop ]
  %r1 = mul nsw i32 %t, %n1
  %r2 = add nsw i32 %r1, %n2
  %r3 = mul nsw i32 %r2, %n3
  %r4 = add nsw i32 %r3, %n4
  %r5 = mul nsw i32 %r4, %n1
  %r6 = add nsw i32 %r5, %n2
  %r7 = mul nsw i32 %r6, %n3
  %row = mul nsw i32 %r7, %k
  %i = add nsw i32 %row, %j
  %e = sext i32 %i to i64
  %p = getelementptr inbounds float, ptr %a, i64 %e
  %v = load float, ptr %p
  %w = fmul float %v, 3.0
  store float %w, ptr %p
  %next = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %next, %k
  br i1 %more, label %loop, label %done
done:
  ret void
}
