; Where the other lanes do something else first, as LLVM leaves `if (x == 0) ...; if (x == 15) ...`, all lanes go on behind
; the scalar side: the one to the join, the others to the second side, which becomes scalar in turn.
; RUN: %cucpu-opt --passes=scalarise_single_lane --simd=16 --verify-each %s | FileCheck %s
define void @both(ptr %in, ptr %out) "cucpu.kernel" {
entry:
  %x = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %x to i64
  %p = getelementptr inbounds i32, ptr %in, i64 %i
  %q = getelementptr inbounds i32, ptr %out, i64 %i
  %first = icmp eq i32 %x, 0
  br i1 %first, label %low, label %next
low:
  %a = load i32, ptr %p, align 4
  br label %join
next:
  %last = icmp eq i32 %x, 15
  br i1 %last, label %high, label %beside
high:
  %p2 = getelementptr i8, ptr %p, i64 4
  %b = load i32, ptr %p2, align 4
  br label %join
beside:
  br label %join
join:
  %r = phi i32 [ %a, %low ], [ %b, %high ], [ 7, %beside ]
  store i32 %r, ptr %q, align 4
  ret void
}
; CHECK-LABEL: define void @both(
; CHECK: %any = call i1 @cucpu.any(i1 %first)
; CHECK: br i1 %any, label %low, label %[[EDGE:.*]]
; CHECK: rest:
; CHECK: [[A:%.*]] = phi i32 [ poison, %[[EDGE]] ], [ %a, %low ]
; CHECK: br i1 %first, label %done, label %next
; CHECK: low:
; CHECK: [[I:%.*]] = zext nneg i32 0 to i64
; CHECK: [[P:%.*]] = getelementptr inbounds i32, ptr %in, i64 [[I]]
; CHECK: %a = load i32, ptr [[P]]
; CHECK: br label %rest
; CHECK: next:
; CHECK: call i1 @cucpu.any(i1 %last)
; CHECK: high:
; CHECK: [[B:%.*]] = select i1 %last, i32 %b, i32 7
; CHECK: %r = phi i32 [ 7, %beside ], [ [[B]], %high ], [ [[A]], %done ]
; The one lane leaves the loop, which the others may stay in: not taken.
define void @next(ptr %in, ptr %out, i32 %n) "cucpu.kernel" {
entry:
  %x = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %x to i64
  %p = getelementptr inbounds i32, ptr %in, i64 %i
  %q = getelementptr inbounds i32, ptr %out, i64 %i
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %latch ]
  %first = icmp eq i32 %x, %k
  br i1 %first, label %side, label %others
side:
  %v = load i32, ptr %p, align 4
  store i32 %v, ptr %q, align 4
  br label %end
others:
  %w = load i32, ptr %q, align 4
  %c = icmp eq i32 %w, 3
  br i1 %c, label %found, label %latch
latch:
  %k1 = add i32 %k, 1
  br label %loop
found:
  br label %end
end:
  ret void
}
; CHECK-LABEL: define void @next(
; CHECK: br i1 %first, label %side, label %others
declare i32 @cucpu.tid.x()
