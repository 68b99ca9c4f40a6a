; What comes before BARRIER_OF_BLOCKS (17) knows the index in the grid alone: blocks run it as one row, the rest one by
; one. Ids that are used after the barrier are computed there once more.
; RUN: %cucpu-opt --passes=coalesce_blocks %s | FileCheck %s
; RUN: %cucpu-opt --passes=coalesce_blocks --disable=coalesce_blocks %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: barrier(i32 17)
; OFF-NOT: joined
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()
declare ptr @cucpu.shared()
declare void @cucpu.barrier(i32)

; CHECK-LABEL: define void @sum(
; CHECK-SAME: #[[PREFIX:[0-9]+]]
; CHECK: %global = call i32 @cucpu.global.x(
; CHECK-NOT: cucpu.tid.x
; CHECK-NOT: cucpu.shared
; CHECK: call void @cucpu.barrier(i32 17)
; CHECK: call ptr @cucpu.shared()
; CHECK: %[[T:.*]] = call i32 @cucpu.tid.x()
; CHECK: zext i32 %[[T]] to i64
define void @sum(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %s = call ptr @cucpu.shared()
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %start = mul i32 %d, %b
  %i = add i32 %start, %t
  %w = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %w
  %v = load float, ptr %a
  br label %after
after:
  call void @cucpu.barrier(i32 17)
  %tw = zext i32 %t to i64
  %to = getelementptr float, ptr %s, i64 %tw
  store float %v, ptr %to
  call void @cucpu.barrier(i32 0)
  %first = load float, ptr %s
  %bw = zext i32 %b to i64
  %out = getelementptr float, ptr %p, i64 %bw
  store float %first, ptr %out
  ret void
}

; All of it knows the index alone: the mark is needless, but for what follows it the same.
; CHECK-LABEL: define void @all(
; CHECK-SAME: #[[ALL:[0-9]+]]
; CHECK-NOT: barrier(i32 17)
; CHECK: ret void
define void @all(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %start = mul i32 %d, %b
  %i = add i32 %start, %t
  %w = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %w
  call void @cucpu.barrier(i32 17)
  store float 1.0, ptr %a
  ret void
}

; The index in the block is used before it; a thread returns before it; a loop comes back: no mark is left.
; CHECK-LABEL: define void @none(
; CHECK-SAME: #[[NONE:[0-9]+]]
; CHECK-NOT: barrier(i32 17)
; CHECK: ret void
define void @none(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %w = zext i32 %t to i64
  %a = getelementptr float, ptr %p, i64 %w
  %v = load float, ptr %a
  call void @cucpu.barrier(i32 17)
  store float %v, ptr %p
  ret void
}

; CHECK-LABEL: define void @returns(
; CHECK-SAME: #[[NONE]]
; CHECK-NOT: barrier(i32 17)
define void @returns(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %start = mul i32 %d, %b
  %i = add i32 %start, %t
  %c = icmp eq i32 %n, 0
  br i1 %c, label %around, label %go
around:
  br label %end
go:
  call void @cucpu.barrier(i32 17)
  store i32 %t, ptr %p
  br label %end
end:
  ret void
}

; CHECK-LABEL: define void @again(
; CHECK-SAME: #[[NONE]]
; CHECK-NOT: barrier(i32 17)
; CHECK: attributes #[[PREFIX]] = {{.*}}"cucpu.joined_prefix"
; CHECK: attributes #[[ALL]] = {{.*}}"cucpu.joined"
; CHECK: attributes #[[NONE]] = { "cucpu.kernel" }
define void @again(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %d = call i32 @cucpu.ntid.x()
  %b = call i32 @cucpu.ctaid.x()
  %start = mul i32 %d, %b
  %i = add i32 %start, %t
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %back ]
  call void @cucpu.barrier(i32 17)
  store i32 %t, ptr %p
  %k1 = add i32 %k, 1
  %c = icmp ult i32 %k1, %n
  br i1 %c, label %back, label %end
back:
  br label %loop
end:
  ret void
}
