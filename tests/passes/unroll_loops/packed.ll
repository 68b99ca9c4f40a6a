; A local array stored as words and loaded as halves by the counter: the loop goes, the array becomes values.  Not where all accesses have
; one size, which lanes can interleave.
; RUN: %cucpu-opt --passes=unroll_loops %s | FileCheck %s

; CHECK-LABEL: define void @packed(
; CHECK-NOT: alloca
; CHECK-NOT: phi
; CHECK: lshr i64 %w, 48
; CHECK: ret void
define void @packed(ptr %p, i64 %w) "cucpu.kernel" {
entry:
  %a = alloca [4 x i16]
  store i64 %w, ptr %a
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %back ]
  %i = zext i32 %k to i64
  %e = getelementptr [4 x i16], ptr %a, i64 0, i64 %i
  %v = load i16, ptr %e
  %at = getelementptr i16, ptr %p, i64 %i
  store i16 %v, ptr %at
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, 4
  br i1 %more, label %back, label %out
back:
  br label %loop
out:
  ret void
}

; CHECK-LABEL: define void @halves(
; CHECK: alloca
; CHECK: phi
define void @halves(ptr %p, i16 %w, i64 %n) "cucpu.kernel" {
entry:
  %a = alloca [4 x i16]
  %s = getelementptr [4 x i16], ptr %a, i64 0, i64 %n
  store i16 %w, ptr %s
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %back ]
  %i = zext i32 %k to i64
  %e = getelementptr [4 x i16], ptr %a, i64 0, i64 %i
  %v = load i16, ptr %e
  %at = getelementptr i16, ptr %p, i64 %i
  store i16 %v, ptr %at
  %next = add nuw nsw i32 %k, 1
  %more = icmp ult i32 %next, 4
  br i1 %more, label %back, label %out
back:
  br label %loop
out:
  ret void
}
