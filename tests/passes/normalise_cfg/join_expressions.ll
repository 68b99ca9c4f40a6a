; What value numbering computes on both sides of a divergent branch and merges by a phi is computed after the branch: an
; expression of several operations. Flags are those that both copies have.
; RUN: %cucpu-opt --passes=normalise_cfg --opt=3 %s | FileCheck %s
declare i32 @cucpu.tid.x()

; CHECK-LABEL: define void @rows(
; CHECK: phi double
; CHECK-NOT: phi i64
; CHECK: %[[M:.*]] = mul nsw i32 %r, %w
; CHECK: %[[A:.*]] = add nsw i32 %[[M]], %t
; CHECK: sext i32 %[[A]] to i64
; CHECK-NOT: phi i64
; CHECK: ret void
define void @rows(ptr %p, ptr %q, i32 %r, i32 %w) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %c = icmp sgt i32 %t, 0
  br i1 %c, label %left, label %next
left:
  %m = mul nsw i32 %r, %w
  %i = add nsw i32 %m, %t
  %j = sext i32 %i to i64
  %a = getelementptr double, ptr %p, i64 %j
  %b = getelementptr i8, ptr %a, i64 -8
  %v = load double, ptr %b
  br label %next
next:
  %s = phi double [ %v, %left ], [ 0.0, %entry ]
  %m2 = mul nsw i32 %r, %w
  %i2 = add nsw i32 %m2, %t
  %j2 = sext i32 %i2 to i64
  %a2 = getelementptr double, ptr %p, i64 %j2
  %v2 = load double, ptr %a2
  %sum = fadd double %s, %v2
  %o = getelementptr double, ptr %q, i64 %j2
  store double %sum, ptr %o
  ret void
}

; One copy has flags, the other has none; different expressions stay apart.
; CHECK-LABEL: define void @flags(
; CHECK: end:
; CHECK-NEXT: %z = phi i32
; CHECK-NOT: phi
; CHECK: mul i32 %x, %x
; CHECK: add i32 %{{.*}}, 1
define void @flags(ptr %p, i32 %x, i1 %c, ptr %q) "cucpu.kernel" {
entry:
  br i1 %c, label %a, label %b
a:
  %m = mul nsw i32 %x, %x
  %y = add nsw i32 %m, 1
  store volatile i32 %y, ptr %p
  %z1 = sub i32 %x, 5
  store volatile i32 %z1, ptr %q
  br label %end
b:
  %m2 = mul i32 %x, %x
  %y2 = add i32 %m2, 1
  store volatile i32 %y2, ptr %q
  %z2 = xor i32 %x, 5
  store volatile i32 %z2, ptr %q
  br label %end
end:
  %y3 = phi i32 [ %y, %a ], [ %y2, %b ]
  %z = phi i32 [ %z1, %a ], [ %z2, %b ]
  %w = xor i32 %y3, %z
  store volatile i32 %w, ptr %p
  ret void
}

; Where a branch has found y to be 0 value numbering leaves it out of a sum: after the branch the sum is computed whole.
; CHECK-LABEL: define void @zero(
; CHECK: end:
; CHECK-NEXT: %[[MZ:.*]] = mul i32 %r, %w
; CHECK-NEXT: %[[Z:.*]] = add i32 %[[MZ]], %y
; CHECK-NEXT: zext i32 %[[Z]] to i64
; CHECK: ret void
define void @zero(ptr %p, i32 %r, i32 %w) "cucpu.kernel" {
entry:
  %y = call i32 @cucpu.tid.x()
  %c = icmp eq i32 %y, 0
  br i1 %c, label %none, label %some
none:
  %m0 = mul i32 %r, %w
  br label %end
some:
  %m = mul i32 %r, %w
  %s = add i32 %m, %y
  %before = add i32 %s, -1
  store volatile i32 %before, ptr %p
  br label %end
end:
  %i = phi i32 [ %m0, %none ], [ %s, %some ]
  %j = zext i32 %i to i64
  %a = getelementptr i32, ptr %p, i64 %j
  store volatile i32 1, ptr %a
  ret void
}

; The branch tells of another value, or the sum is left out where it is not 0.
; CHECK-LABEL: define void @not_zero(
; CHECK: phi i32
; CHECK: phi i32
; CHECK: ret void
define void @not_zero(ptr %p, i32 %m, i32 %x) "cucpu.kernel" {
entry:
  %y = call i32 @cucpu.tid.x()
  %c = icmp eq i32 %x, 0
  br i1 %c, label %end, label %some
some:
  %s = add i32 %m, %y
  store volatile i32 %s, ptr %p
  br label %end
end:
  %i = phi i32 [ %m, %entry ], [ %s, %some ]
  store volatile i32 %i, ptr %p
  %d = icmp eq i32 %y, 0
  br i1 %d, label %more, label %last
more:
  %t = add i32 %x, %y
  store volatile i32 %t, ptr %p
  br label %last
last:
  %k = phi i32 [ %t, %more ], [ %m, %end ]
  store volatile i32 %k, ptr %p
  ret void
}
