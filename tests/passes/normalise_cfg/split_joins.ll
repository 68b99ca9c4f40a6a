; Edges that bring one value to a join, all from under one branch, meet before: the lanes that part at that branch do not
; make the value vary.
; RUN: %cucpu-opt --passes=normalise_cfg --opt=3 %s | FileCheck %s
; RUN: %cucpu-opt --passes='normalise_cfg,make_variants,print<shapes>' --opt=3 --simd=8 %s -o /dev/null 2>&1 | FileCheck --check-prefix=SHAPES %s
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)

; CHECK-LABEL: define void @fetch(
; CHECK: %x = phi i32 [ 0, {{.*}} ], [ %y, %{{.*join}} ]
; CHECK: store i32
; SHAPES: shapes of fetch{{.*}}width 8, general
; SHAPES: %x: uniform
define void @fetch(ptr %p, ptr %q, i32 %n, i32 %m) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %outer, label %join
outer:
  %y = load i32, ptr %q
  %d = icmp slt i32 %t, %m
  br i1 %d, label %inner, label %join
inner:
  %a = getelementptr i32, ptr %q, i32 %t
  store i32 5, ptr %a
  br label %join
join:
  %x = phi i32 [ 0, %entry ], [ %y, %outer ], [ %y, %inner ]
  call void @cucpu.barrier(i32 0)
  %b = getelementptr i32, ptr %p, i32 %t
  store i32 %x, ptr %b
  ret void
}

; The inner branch chooses among two values: nothing can be said of either.
; CHECK-LABEL: define void @chosen(
; CHECK: phi i32 [ 0, {{.*}} ], [ 0, {{.*}} ], [ %y, {{.*}} ]
define void @chosen(ptr %p, ptr %q, i32 %n, i32 %m) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %c = icmp sgt i32 %n, 0
  br i1 %c, label %outer, label %join
outer:
  %y = load i32, ptr %q
  store i32 7, ptr %q
  %d = icmp slt i32 %t, %m
  br i1 %d, label %inner, label %join
inner:
  %a = getelementptr i32, ptr %q, i32 %t
  store i32 5, ptr %a
  br label %join
join:
  %x = phi i32 [ 0, %entry ], [ 0, %outer ], [ %y, %inner ]
  %b = getelementptr i32, ptr %p, i32 %t
  store i32 %x, ptr %b
  ret void
}
