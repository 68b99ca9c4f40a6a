; A block of one row whose id is divided, in a loop that loads more than it computes, is compiled as a block of several rows.
; RUN: %cucpu-opt --passes=make_variants --simd=8 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants --simd=8 --disable=reshape_block %s | FileCheck --check-prefix=OFF %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()

; CHECK-LABEL: define void @rows.w8.rows_full.64x1x1(
; CHECK-DAG: %[[Y:.*]] = call {{.*}}i32 @cucpu.tid.y()
; CHECK-DAG: %[[X:.*]] = call {{.*}}i32 @cucpu.tid.x()
; CHECK-NOT: and i32
; CHECK: mul {{.*}}i32 %[[Y]], 5
; CHECK: shl {{.*}}i32 %[[Y]], 4
; CHECK: store i32 64
; CHECK: attributes {{.*}}"cucpu.block"="16,4,1"{{.*}}"cucpu.launch"="64,1,1"
; OFF-NOT: cucpu.launch"=
define void @rows(ptr %a, ptr %b, i32 %n) "cucpu.kernel" "cucpu.launches"="64,1,1" {
entry:
  %t = call i32 @cucpu.tid.x()
  %row = lshr i32 %t, 4
  %column = and i32 %t, 15
  %size = call i32 @cucpu.ntid.x()
  %start = mul i32 %row, 5
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop.loop ]
  %sum = phi float [ 0.0, %entry ], [ %s, %loop.loop ]
  %i = add i32 %start, %k
  %p = getelementptr float, ptr %a, i32 %i
  %u = load float, ptr %p
  %j = add i32 %column, %k
  %q = getelementptr float, ptr %b, i32 %j
  %v = load float, ptr %q
  %s = fadd float %u, %v
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop.loop, label %out
loop.loop:
  br label %loop
out:
  %total = phi float [ %s, %loop ]
  %r = getelementptr float, ptr %a, i32 %t
  store float %total, ptr %r
  store i32 %size, ptr %b
  ret void
}
