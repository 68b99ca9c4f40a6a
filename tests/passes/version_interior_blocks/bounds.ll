; RUN: %cucpu-opt --passes=version_interior_blocks --simd=8 %s -o - | FileCheck %s
; Bounds that a block selects are constants in its inside: `first = start < 0 ? -start : 0`, `last = start + 31 < n ? 31 : n - 1 - start`,
; and so is -min(start, 0); max(start, 0) is start.
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()
declare void @cucpu.barrier(i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)

; CHECK-LABEL: define {{.*}} @selected
; CHECK: br i1 {{.*}}, label %inner, label %border
; CHECK: inner:
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK-NOT: select
; CHECK-NOT: smin.i32(i32 [[START:%.*]], i32 0)
; CHECK: smax.i32(i32 %{{.*}}, i32 0)
; CHECK: smin.i32(i32 %{{.*}}, i32 31)
; CHECK: call void @cucpu.barrier(i32 0)
; CHECK: border:
; CHECK: select
define void @selected(ptr %out, i32 %n) #0 {
entry:
  %x = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %m = mul i32 %b, 30
  %start = add i32 %m, -1
  %before = icmp slt i32 %start, 0
  %minus = sub i32 0, %start
  %first = select i1 %before, i32 %minus, i32 0
  %end = add i32 %start, 31
  %in = icmp slt i32 %end, %n
  %rest = sub i32 %n, %start
  %most = add i32 %rest, -1
  %last = select i1 %in, i32 31, i32 %most
  %least = call i32 @llvm.smin.i32(i32 %start, i32 0)
  %base = call i32 @llvm.smax.i32(i32 %start, i32 0)
  %left = add i32 %x, -1
  %right = add i32 %x, 1
  %l = call i32 @llvm.smax.i32(i32 %left, i32 %first)
  %r = call i32 @llvm.smin.i32(i32 %right, i32 %last)
  %s0 = add i32 %l, %r
  %s1 = add i32 %s0, %least
  %s2 = add i32 %s1, %base
  call void @cucpu.barrier(i32 0)
  %k = zext i32 %x to i64
  %q = getelementptr i32, ptr %out, i64 %k
  store i32 %s2, ptr %q
  ret void
}
attributes #0 = { "cucpu.kernel" "cucpu.width"="8" "cucpu.block"="32,1,1" }
