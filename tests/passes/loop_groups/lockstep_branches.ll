; Branches in lockstep: rows that are jammed take a branch by their column (`@column`) alike.  By their row (`@row`) they are
; asked first, before anything is written: if they do not agree, or are fewer than eight, they go one by one.  What was loaded
; (`@data`) does not decide for several: somebody may write between two loads.
; RUN: %cucpu-opt --passes=loop_groups --cpu=x86-64-v4 --simd=16 %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()

; CHECK-LABEL: define {{.*}} @column.entry
; CHECK: %jammed = and i32 %ntid{{[0-9]*}}, -8
; CHECK-COUNT-9: fmul contract
; CHECK-NOT: fmul contract
; CHECK-LABEL: define {{.*}} @row.entry
; CHECK: %limit = add nuw i32 %{{.*}}, 8
; CHECK: %exist = icmp ule i32 %limit, %ntid
; CHECK: br i1 %exist, label %{{.*}}, label %apart
; CHECK: br i1 %{{.*}}, label %alike, label %apart
; CHECK: alike:
; CHECK-NEXT: br i1 %in, label %{{.*}}, label %next
; CHECK-COUNT-9: fmul contract
; CHECK-NOT: fmul contract
; CHECK-LABEL: define {{.*}} @data.entry
; CHECK-NOT: {{%jammed|together:}}
define void @column(ptr noalias %a, ptr noalias %b, ptr noalias %c, i32 %n) "cucpu.kernel" "cucpu.width"="16" "cucpu.layout"="0" {
entry:
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %flag = load i32, ptr %c
  %in = icmp slt i32 %x, %n
  br i1 %in, label %before, label %outside
outside:
  br label %done
before:
  %row = mul nsw i32 %y, 64
  br label %head
head:
  %i = phi i32 [ 0, %before ], [ %j, %head ]
  %sum = phi <16 x float> [ zeroinitializer, %before ], [ %next, %head ]
  %ai = add nsw i32 %row, %i
  %ax = sext i32 %ai to i64
  %ap = getelementptr float, ptr %a, i64 %ax
  %av = load float, ptr %ap
  %s = insertelement <16 x float> poison, float %av, i64 0
  %as = shufflevector <16 x float> %s, <16 x float> poison, <16 x i32> zeroinitializer
  %bi = mul nsw i32 %i, 64
  %bj = add nsw i32 %bi, %x
  %bx = sext i32 %bj to i64
  %bp = getelementptr float, ptr %b, i64 %bx
  %bv = load <16 x float>, ptr %bp, align 4
  %m = fmul contract <16 x float> %as, %bv
  %next = fadd contract <16 x float> %sum, %m
  %j = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %head, label %out
out:
  %ci = add nsw i32 %row, %x
  %cx = sext i32 %ci to i64
  %cp = getelementptr float, ptr %c, i64 %cx
  store <16 x float> %next, ptr %cp, align 4
  br label %done
done:
  ret void
}
define void @row(ptr noalias %a, ptr noalias %b, ptr noalias %c, i32 %n) "cucpu.kernel" "cucpu.width"="16" "cucpu.layout"="0" {
entry:
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %flag = load i32, ptr %c
  %in = icmp slt i32 %y, %n
  br i1 %in, label %before, label %outside
outside:
  br label %done
before:
  %row = mul nsw i32 %y, 64
  br label %head
head:
  %i = phi i32 [ 0, %before ], [ %j, %head ]
  %sum = phi <16 x float> [ zeroinitializer, %before ], [ %next, %head ]
  %ai = add nsw i32 %row, %i
  %ax = sext i32 %ai to i64
  %ap = getelementptr float, ptr %a, i64 %ax
  %av = load float, ptr %ap
  %s = insertelement <16 x float> poison, float %av, i64 0
  %as = shufflevector <16 x float> %s, <16 x float> poison, <16 x i32> zeroinitializer
  %bi = mul nsw i32 %i, 64
  %bj = add nsw i32 %bi, %x
  %bx = sext i32 %bj to i64
  %bp = getelementptr float, ptr %b, i64 %bx
  %bv = load <16 x float>, ptr %bp, align 4
  %m = fmul contract <16 x float> %as, %bv
  %next = fadd contract <16 x float> %sum, %m
  %j = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %head, label %out
out:
  %ci = add nsw i32 %row, %x
  %cx = sext i32 %ci to i64
  %cp = getelementptr float, ptr %c, i64 %cx
  store <16 x float> %next, ptr %cp, align 4
  br label %done
done:
  ret void
}
define void @data(ptr noalias %a, ptr noalias %b, ptr noalias %c, i32 %n) "cucpu.kernel" "cucpu.width"="16" "cucpu.layout"="0" {
entry:
  %x = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %flag = load i32, ptr %c
  %in = icmp slt i32 %flag, %n
  br i1 %in, label %before, label %outside
outside:
  br label %done
before:
  %row = mul nsw i32 %y, 64
  br label %head
head:
  %i = phi i32 [ 0, %before ], [ %j, %head ]
  %sum = phi <16 x float> [ zeroinitializer, %before ], [ %next, %head ]
  %ai = add nsw i32 %row, %i
  %ax = sext i32 %ai to i64
  %ap = getelementptr float, ptr %a, i64 %ax
  %av = load float, ptr %ap
  %s = insertelement <16 x float> poison, float %av, i64 0
  %as = shufflevector <16 x float> %s, <16 x float> poison, <16 x i32> zeroinitializer
  %bi = mul nsw i32 %i, 64
  %bj = add nsw i32 %bi, %x
  %bx = sext i32 %bj to i64
  %bp = getelementptr float, ptr %b, i64 %bx
  %bv = load <16 x float>, ptr %bp, align 4
  %m = fmul contract <16 x float> %as, %bv
  %next = fadd contract <16 x float> %sum, %m
  %j = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %head, label %out
out:
  %ci = add nsw i32 %row, %x
  %cx = sext i32 %ci to i64
  %cp = getelementptr float, ptr %c, i64 %cx
  store <16 x float> %next, ptr %cp, align 4
  br label %done
done:
  ret void
}
