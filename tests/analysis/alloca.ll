; Which local objects the lanes of a group can share.
; RUN: %build/tests/analysis/print_shapes -w 8 -l full %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare void @somewhere(ptr)

; A traversal stack under a guard: all lanes inside push and pop alike.
; CHECK-LABEL: shapes of guarded
define void @guarded(i32 %n) "cucpu.kernel" {
entry:
; CHECK: %stack: uniform(group) (one object)
  %stack = alloca [8 x i32]
  %tx = call i32 @cucpu.tid.x()
  %c = icmp slt i32 %tx, %n
  br i1 %c, label %in, label %out
in:
  store i32 %n, ptr %stack
  br label %loop
loop:
  %i = phi i32 [ 0, %in ], [ %i1, %loop ]
  %p = getelementptr i32, ptr %stack, i32 %i
; CHECK: %v: uniform(group)
  %v = load i32, ptr %p
  %i1 = add i32 %i, 1
  %q = getelementptr i32, ptr %stack, i32 %i1
  store i32 %v, ptr %q
  %d = icmp slt i32 %i1, %n
  br i1 %d, label %loop, label %exit
exit:
  br label %out
out:
  ret void
}

; The arms run one after the other: the first would overwrite what the second reads.
; CHECK-LABEL: shapes of arms
define void @arms(i32 %n) "cucpu.kernel" {
entry:
; CHECK: %a: varying (per lane)
  %a = alloca i32
  store i32 0, ptr %a
  %tx = call i32 @cucpu.tid.x()
  %c = icmp slt i32 %tx, %n
  br i1 %c, label %yes, label %no
yes:
  store i32 1, ptr %a
  br label %out
no:
; CHECK: %v: varying
  %v = load i32, ptr %a
  br label %out
out:
  ret void
}

; Lanes that left the loop early find in the next outer iteration what the others wrote.
; CHECK-LABEL: shapes of leaves
define void @leaves(i32 %n) "cucpu.kernel" {
entry:
; CHECK: %a: varying (per lane)
  %a = alloca i32
  %tx = call i32 @cucpu.tid.x()
  br label %outer
outer:
  %k = phi i32 [ 0, %entry ], [ %k1, %next ]
  br label %head
head:
  %i = phi i32 [ 0, %outer ], [ %i1, %body ]
  %c = icmp slt i32 %i, %tx
  br i1 %c, label %body, label %next
body:
  %v = load i32, ptr %a
  store i32 %i, ptr %a
  %i1 = add i32 %i, 1
  br label %head
next:
  %k1 = add i32 %k, 1
  %d = icmp slt i32 %k1, %n
  br i1 %d, label %outer, label %end
end:
  ret void
}

; CHECK-LABEL: shapes of others
define void @others(ptr %out, i32 %n) "cucpu.kernel" {
; CHECK: %data: varying (per lane)
  %data = alloca i32
; CHECK: %where: varying (per lane)
  %where = alloca [8 x i32]
; CHECK: %known: uniform(group) (one object)
  %known = alloca [8 x i32]
; CHECK: %leaked: varying (per lane)
  %leaked = alloca i32
; CHECK: %marked: uniform(group) (one object)
  %marked = alloca i32, !cucpu.uniform !0
  %tx = call i32 @cucpu.tid.x()
  store i32 %tx, ptr %data
  store i32 %tx, ptr %marked
  %p = getelementptr i32, ptr %where, i32 %tx
  store i32 %n, ptr %p
  store i32 %n, ptr %known
  %q = getelementptr i32, ptr %known, i32 %tx
; CHECK: %v: varying
  %v = load i32, ptr %q
; CHECK: %u: uniform(group)
  %u = load i32, ptr %known
  call void @somewhere(ptr %leaked)
  ret void
}
!0 = !{}
