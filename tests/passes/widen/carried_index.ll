; A signed index that a loop carries: its extension is affine over the active lanes only.  What is added to it without wrapping is
; added behind one extension, for all accesses of a block, from the first lane that is on.
; RUN: %cucpu-opt --passes=normalise_cfg,linearise,widen --simd=8 %s -o - | FileCheck %s
declare i32 @cucpu.tid.x()

; CHECK-LABEL: define {{.*}} @neighbours
; CHECK-DAG: %[[N:.*]] = sext i32 %n to i64
; CHECK-DAG: %[[P:.*]] = sext i32 %plane to i64
; CHECK: {{^loop}}
; CHECK: call i8 @llvm.cttz.i8
; CHECK: %[[AT:.*]] = sub i64 %{{.*}}, %{{.*}}
; CHECK-NOT: = sext i32
; CHECK-DAG: sub i64 %[[AT]], %[[N]]
; CHECK-DAG: add i64 %[[AT]], %[[P]]
; CHECK: call void @llvm.masked.store.v8f32
; CHECK: ret void
define void @neighbours(ptr %in, ptr %out, i32 %n, i32 %plane, i32 %steps) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %first = add nsw i32 %t, %plane
  %inside = icmp slt i32 %t, %n
  br i1 %inside, label %loop, label %end

loop:
  %at = phi i32 [ %first, %entry ], [ %next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %i = sext i32 %at to i64
  %p = getelementptr inbounds float, ptr %in, i64 %i
  %v = load float, ptr %p
  %behind = sub nsw i32 %at, %n
  %j = sext i32 %behind to i64
  %q = getelementptr inbounds float, ptr %in, i64 %j
  %w = load float, ptr %q
  %next = add nsw i32 %at, %plane
  %m = sext i32 %next to i64
  %r = getelementptr inbounds float, ptr %in, i64 %m
  %x = load float, ptr %r
  %s = fadd float %v, %w
  %u = fadd float %s, %x
  %o = getelementptr inbounds float, ptr %out, i64 %i
  store float %u, ptr %o
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k1, %steps
  br i1 %more, label %loop, label %end

end:
  ret void
}

; The sum may wrap: it is extended as it is.
; CHECK-LABEL: define {{.*}} @wraps
; CHECK: {{^loop}}
; CHECK: sub i32 %{{.*}}, %n
; CHECK: ret void
define void @wraps(ptr %in, ptr %out, i32 %n, i32 %plane, i32 %steps) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %inside = icmp slt i32 %t, %n
  br i1 %inside, label %loop, label %end

loop:
  %at = phi i32 [ %t, %entry ], [ %next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %i = sext i32 %at to i64
  %behind = sub i32 %at, %n
  %j = sext i32 %behind to i64
  %q = getelementptr inbounds float, ptr %in, i64 %j
  %w = load float, ptr %q
  %o = getelementptr inbounds float, ptr %out, i64 %i
  store float %w, ptr %o
  %next = add nsw i32 %at, %plane
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k1, %steps
  br i1 %more, label %loop, label %end

end:
  ret void
}

; Two such places in one sum.
; CHECK-LABEL: define {{.*}} @both
; CHECK: {{^loop}}
; CHECK: %[[A:.*]] = sub i64
; CHECK: %[[B:.*]] = sub i64
; CHECK: add i64 %[[A]], %[[B]]
; CHECK: ret void
define void @both(ptr %in, ptr %out, i32 %n, i32 %plane, i32 %steps) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %first = add nsw i32 %t, %plane
  %inside = icmp slt i32 %t, %n
  br i1 %inside, label %loop, label %end

loop:
  %a = phi i32 [ %first, %entry ], [ %a1, %loop ]
  %b = phi i32 [ %first, %entry ], [ %b1, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %sum = add nsw i32 %a, %b
  %i = sext i32 %sum to i64
  %p = getelementptr inbounds float, ptr %in, i64 %i
  %v = load float, ptr %p
  %c = sub nsw i32 %a, %n
  %j = sext i32 %c to i64
  %q = getelementptr inbounds float, ptr %in, i64 %j
  %w = load float, ptr %q
  %d = sub nsw i32 %b, %n
  %l = sext i32 %d to i64
  %r = getelementptr inbounds float, ptr %in, i64 %l
  %x = load float, ptr %r
  %e = sub nsw i32 %sum, %n
  %m = sext i32 %e to i64
  %s = fadd float %v, %w
  %u = fadd float %s, %x
  %o = getelementptr inbounds float, ptr %out, i64 %m
  store float %u, ptr %o
  %a1 = add nsw i32 %a, %plane
  %b1 = add nsw i32 %b, %n
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k1, %steps
  br i1 %more, label %loop, label %end

end:
  ret void
}

; What a loop inside extends is not for those behind it: lanes leave it one by one.
; CHECK-LABEL: define {{.*}} @inside
; CHECK: {{^inner}}
; CHECK: %[[AT:.*]] = sub i64
; CHECK: {{^behind}}
; CHECK: call i8 @llvm.cttz.i8
; CHECK: %[[AGAIN:.*]] = sub i64
; CHECK: add i64 %[[AGAIN]],
; CHECK: ret void
define void @inside(ptr %in, ptr %out, ptr %steps, i32 %n, i32 %plane, i32 %rows) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %first = add nsw i32 %t, %plane
  %q = getelementptr inbounds i32, ptr %steps, i32 %t
  %step = load i32, ptr %q
  %inside = icmp slt i32 %t, %n
  br i1 %inside, label %loop, label %end

loop:
  %at = phi i32 [ %first, %entry ], [ %next, %behind ]
  %k = phi i32 [ 0, %entry ], [ %k1, %behind ]
  br label %inner

inner:
  %j = phi i32 [ 0, %loop ], [ %j1, %inner ]
  %c = sub nsw i32 %at, %n
  %i = sext i32 %c to i64
  %p = getelementptr inbounds float, ptr %in, i64 %i
  store float 1.0, ptr %p
  %j1 = add nuw nsw i32 %j, 1
  %again = icmp slt i32 %j1, %step
  br i1 %again, label %inner, label %behind

behind:
  %d = add nsw i32 %at, %n
  %m = sext i32 %d to i64
  %o = getelementptr inbounds float, ptr %out, i64 %m
  store float 2.0, ptr %o
  %next = add nsw i32 %at, %plane
  %k1 = add nuw nsw i32 %k, 1
  %more = icmp slt i32 %k1, %rows
  br i1 %more, label %loop, label %end

end:
  ret void
}

attributes #0 = { "cucpu.kernel" }
