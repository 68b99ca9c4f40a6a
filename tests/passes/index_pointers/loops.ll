; Pointers that walk through arrays become indices, in the loops that such a pointer ends.
; RUN: %cucpu-opt --passes=index_pointers %s | FileCheck %s
; RUN: %cucpu-opt --passes=index_pointers --disable=index_pointers %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: %index = phi
declare i32 @cucpu.tid.x()

; Two arrays, one index.
; CHECK-LABEL: define void @two(
; CHECK: head:
; CHECK-NEXT: %index = phi i64 [ %t, %entry ], [ %[[NEXT:.*]], %body ]
; CHECK-NEXT: %[[ON:.*]] = icmp slt i64 %index, %n
; CHECK-NEXT: br i1 %[[ON]], label %body, label %done
; CHECK: %[[P:.*]] = getelementptr inbounds float, ptr %x, i64 %index
; CHECK: load float, ptr %[[P]]
; CHECK: %[[Q:.*]] = getelementptr inbounds float, ptr %y, i64 %index
; CHECK: store float %{{.*}}, ptr %[[Q]]
; CHECK: %[[NEXT]] = add nsw i64 %index, %step
define void @two(ptr %x, ptr %y, i64 %n, i64 %step) "cucpu.kernel" {
entry:
  %id = call i32 @cucpu.tid.x()
  %t = zext i32 %id to i64
  %p0 = getelementptr inbounds float, ptr %x, i64 %t
  %q0 = getelementptr inbounds float, ptr %y, i64 %t
  %end = getelementptr inbounds float, ptr %x, i64 %n
  br label %head
head:
  %p = phi ptr [ %p0, %entry ], [ %p1, %body ]
  %q = phi ptr [ %q0, %entry ], [ %q1, %body ]
  %c = icmp ult ptr %p, %end
  br i1 %c, label %body, label %done
body:
  %v = load float, ptr %p
  store float %v, ptr %q
  %p1 = getelementptr inbounds float, ptr %p, i64 %step
  %q1 = getelementptr inbounds float, ptr %q, i64 %step
  br label %head
done:
  ret void
}

; A bound of which nothing is known: its distance, rounded up.
; CHECK-LABEL: define void @bound(
; CHECK: %distance = sub i64
; CHECK: %[[UP:.*]] = add i64 %distance, 3
; CHECK: %bound = ashr i64 %[[UP]], 2
; CHECK: icmp sge i64 %index, %bound
define void @bound(ptr %x, ptr %end, i64 %step) "cucpu.kernel" {
entry:
  %id = call i32 @cucpu.tid.x()
  %t = zext i32 %id to i64
  %p0 = getelementptr inbounds float, ptr %x, i64 %t
  br label %head
head:
  %p = phi ptr [ %p0, %entry ], [ %p1, %body ]
  %c = icmp ule ptr %end, %p
  br i1 %c, label %done, label %body
body:
  store float 1.0, ptr %p
  %p1 = getelementptr inbounds float, ptr %p, i64 %step
  br label %head
done:
  ret void
}

; The last element counts: rounded down.
; CHECK-LABEL: define void @last(
; CHECK: %distance = sub i64
; CHECK-NEXT: %bound = ashr i64 %distance, 3
; CHECK: icmp sle i64 %index, %bound
define void @last(ptr %x, ptr %end, i64 %step) "cucpu.kernel" {
entry:
  %id = call i32 @cucpu.tid.x()
  %t = zext i32 %id to i64
  %p0 = getelementptr inbounds double, ptr %x, i64 %t
  br label %head
head:
  %p = phi ptr [ %p0, %entry ], [ %p1, %body ]
  %c = icmp ule ptr %p, %end
  br i1 %c, label %body, label %done
body:
  store double 1.0, ptr %p
  %p1 = getelementptr inbounds double, ptr %p, i64 %step
  br label %head
done:
  ret void
}

; Sums that may wrap, a bound that may be between elements of 12 bytes, a start that all threads share, a step of
; another size: unchanged.
; CHECK-LABEL: define void @left(
; CHECK-NOT: %index = phi
define void @left(ptr %x, ptr %end, i64 %step) "cucpu.kernel" {
entry:
  %id = call i32 @cucpu.tid.x()
  %t = zext i32 %id to i64
  %p0 = getelementptr float, ptr %x, i64 %t
  br label %head
head:
  %p = phi ptr [ %p0, %entry ], [ %p1, %body ]
  %c = icmp ult ptr %p, %end
  br i1 %c, label %body, label %second
body:
  store float 1.0, ptr %p
  %p1 = getelementptr inbounds float, ptr %p, i64 %step
  br label %head
second:
  %s0 = getelementptr inbounds [3 x float], ptr %x, i64 %t
  br label %head2
head2:
  %s = phi ptr [ %s0, %second ], [ %s1, %body2 ]
  %c2 = icmp ult ptr %s, %end
  br i1 %c2, label %body2, label %third
body2:
  store float 1.0, ptr %s
  %s1 = getelementptr inbounds [3 x float], ptr %s, i64 %step
  br label %head2
third:
  br label %head3
head3:
  %u = phi ptr [ %x, %third ], [ %u1, %body3 ]
  %c3 = icmp ult ptr %u, %end
  br i1 %c3, label %body3, label %fourth
body3:
  store float 1.0, ptr %u
  %u1 = getelementptr inbounds float, ptr %u, i64 %step
  br label %head3
fourth:
  %w0 = getelementptr inbounds float, ptr %x, i64 %t
  br label %head4
head4:
  %w = phi ptr [ %w0, %fourth ], [ %w1, %body4 ]
  %c4 = icmp ult ptr %w, %end
  br i1 %c4, label %body4, label %done
body4:
  store float 1.0, ptr %w
  %w1 = getelementptr inbounds i8, ptr %w, i64 %step
  br label %head4
done:
  ret void
}
