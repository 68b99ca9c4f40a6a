; Kernels that look at their place in the grid alone: the loop over threads runs through neighbouring blocks.
; RUN: %cucpu-opt --passes=coalesce_blocks %s | FileCheck %s
; RUN: %cucpu-opt --passes=coalesce_blocks,coalesce_blocks %s | FileCheck %s
; RUN: %cucpu-opt --passes=coalesce_blocks --disable=coalesce_blocks %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=coalesce_blocks,make_variants,linearise,widen,split_barriers,loop_groups --simd=1 %s | FileCheck --check-prefix=LOOP %s
; RUN: %cucpu-opt --passes=coalesce_blocks,make_variants,linearise,widen,split_barriers,loop_groups --simd=4 %s | FileCheck --check-prefix=ROWS %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.tid.y()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()
declare ptr @cucpu.shared()
declare void @cucpu.barrier(i32)

; OFF-NOT: @cucpu.global.x
; OFF-NOT: "cucpu.joined"

; CHECK-LABEL: define void @size(
; CHECK-NOT: @cucpu.ctaid.x
; CHECK: %d = call i32 @cucpu.ntid.x()
; CHECK-NEXT: %[[I:.*]] = call i32 @cucpu.global.x(i32 %d)
; CHECK-NEXT: sext i32 %[[I]] to i64
; LOOP-LABEL: define internal void @size.w1.rows_full.entry
; LOOP: %[[X:.*]] = sub i32 %nctaid, %ctaid.x.0
; LOOP: %[[LEFT:.*]] = sub i64 %end, %block
; LOOP: %[[N:.*]] = call i64 @llvm.umin.i64(i64 %[[LEFT]], i64
; LOOP: %cache = call i64 @cucpu_private_cache()
; LOOP: udiv i32 16384, %{{.*}}
; LOOP: %tile = select i1
; LOOP: select i1 %{{.*}}, i32 1048576, i32 %tile
; LOOP: %[[M:.*]] = call i64 @llvm.umin.i64(i64 %[[N]], i64 %max_blocks)
; LOOP: %row = mul nuw i32 %{{.*}}, %ntid
; LOOP: %global = add i32
; LOOP: icmp ult i32 %{{.*}}, %row
; LOOP: add nuw i64 %block{{.*}}, %[[M]]
; Lanes exist up to the end of the row of all blocks.
; ROWS-LABEL: define internal void @size.w4.rows.entry
; ROWS: %row = mul nuw i32 %{{.*}}, %ntid
; ROWS: sub i32 %row, %
define void @size(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %d, %b
  %i = add i32 %t, %base
  %j = sext i32 %i to i64
  %a = getelementptr i32, ptr %p, i64 %j
  store i32 %d, ptr %a
  ret void
}

; A constant stride joins blocks of that size only.
; CHECK-LABEL: define void @constant(
; CHECK: call i32 @cucpu.global.x(i32 128)
; LOOP-LABEL: define internal void @constant.w1.rows_full.entry
; LOOP: icmp eq i32 128, %ntid
; LOOP-NEXT: select i1 %{{.*}}, i32 %{{.*}}, i32 1
define void @constant(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %y = call i32 @cucpu.tid.y()
  %b = call i32 @cucpu.ctaid.x()
  %base = shl i32 %b, 7
  %i = add i32 %base, %t
  %a = getelementptr i32, ptr %p, i32 %i
  store i32 %y, ptr %a
  ret void
}

; CHECK-LABEL: define void @thread(
; CHECK: call i32 @cucpu.tid.x()
; CHECK-NOT: @cucpu.global.x
define void @thread(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %d, %b
  %i = add i32 %t, %base
  %a = getelementptr i32, ptr %p, i32 %i
  store i32 %t, ptr %a
  ret void
}

; CHECK-LABEL: define void @block(
; CHECK-NOT: @cucpu.global.x
define void @block(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %d, %b
  %i = add i32 %t, %base
  %a = getelementptr i32, ptr %p, i32 %i
  store i32 %base, ptr %a
  ret void
}

; CHECK-LABEL: define void @strides(
; CHECK-NOT: @cucpu.global.x
define void @strides(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %d, %b
  %i = add i32 %t, %base
  %other = shl i32 %b, 5
  %k = add i32 %t, %other
  %a = getelementptr i32, ptr %p, i32 %i
  store i32 %k, ptr %a
  ret void
}

; CHECK-LABEL: define void @together(
; CHECK-NOT: @cucpu.global.x
define void @together(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %d, %b
  %i = add i32 %t, %base
  %a = getelementptr i32, ptr %p, i32 %i
  store i32 1, ptr %a
  call void @cucpu.barrier(i32 0)
  ret void
}

; CHECK-LABEL: define void @shared(
; CHECK-NOT: @cucpu.global.x
define void @shared(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %d, %b
  %i = add i32 %t, %base
  %a = getelementptr i32, ptr %p, i32 %i
  %s = call ptr @cucpu.shared()
  %v = load i32, ptr %s
  store i32 %v, ptr %a
  ret void
; CHECK: }
}

; Each row of a block would run through all of them before the next one starts: with a loop in the thread only as many as fill a group.
; CHECK-LABEL: define void @walk(
; CHECK: @cucpu.global.x
; LOOP-LABEL: define internal void @walk.w1.rows_full.entry
; LOOP-NOT: udiv i32 16384
; LOOP: %tile = udiv i32 %{{.*}}, %ntid
; LOOP: select i1 %{{.*}}, i32 1048576, i32 %tile
define void @walk(ptr %p, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %d, %b
  %i = add i32 %t, %base
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop.loop ]
  %at = add i32 %k, %i
  %a = getelementptr i32, ptr %p, i32 %at
  store i32 %k, ptr %a
  %next = add i32 %k, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %loop.loop, label %out
loop.loop:
  br label %loop
out:
  ret void
}

; A sum of 64 bits. At width 1 a row may be longer than 2^32: it is computed in 64 bits there.
; CHECK-LABEL: define void @wide(
; CHECK: %[[W:.*]] = call i32 @cucpu.global.x(i32 %{{.*}})
; CHECK-NEXT: zext i32 %[[W]] to i64, !cucpu.wide_id
; LOOP-LABEL: define internal void @wide.w1.rows_full.entry
; LOOP: %start = mul nuw i64
; LOOP: %global{{.*}} = add nuw i64 %start
define void @wide(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %tw = zext i32 %t to i64
  %bw = zext i32 %b to i64
  %dw = zext i32 %d to i64
  %base = mul nuw i64 %bw, %dw
  %i = add i64 %base, %tw
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 %d, ptr %a
  ret void
}

; Rows of so long a stride may be longer than 2^31 at other widths.
; CHECK-LABEL: define void @far(
; CHECK-NOT: call i32 @cucpu.global.x
define void @far(ptr %p) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %tw = zext i32 %t to i64
  %bw = zext i32 %b to i64
  %base = mul nuw i64 %bw, 4096
  %i = add i64 %base, %tw
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 1, ptr %a
  ret void
}
