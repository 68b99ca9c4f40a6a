; Groups of a block that add to one place have a loop of their own too, in which LLVM keeps the sum in a register; the loop
; over the bits of a mask stays in the other one.  Rows that only move memory stay as they are: a block has few groups.
; RUN: %cucpu-opt --passes=make_variants,version_all_active,linearise,widen,mark_parallel,relax_atomics,split_barriers,loop_groups,split_iteration_space --simd=4 %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()
declare ptr @cucpu.shared()
declare void @cucpu.barrier(i32)

; CHECK-LABEL: define internal void @sum.w4.rows_full.entry
; CHECK: part:
; CHECK: whole.enter:
; CHECK-NOT: llvm.masked
; CHECK: load <4 x float>
; CHECK-COUNT-4: store float %{{[0-9]+}}, ptr %shared
; CHECK-NOT: llvm.masked
; CHECK: icmp ult i32 %{{[0-9]+}}, %high
define void @sum(ptr %p, i32 %n) #0 {
entry:
  %s = call ptr @cucpu.shared()
  store float 0.0, ptr %s
  call void @cucpu.barrier(i32 0)
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %b, %d
  %i = add i32 %base, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %j = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %j
  %v = load float, ptr %a
  %a2 = getelementptr i8, ptr %a, i64 4
  %w = load float, ptr %a2
  %x = fadd float %v, %w
  %old = atomicrmw fadd ptr %s, float %x monotonic
  br label %out
out:
  ret void
}

; CHECK-LABEL: define internal void @move.w4.rows_full.entry
; CHECK-NOT: whole.enter:
define void @move(ptr %p, ptr %q, i32 %n) #0 {
entry:
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %d = call i32 @cucpu.ntid.x()
  %base = mul i32 %b, %d
  %i = add i32 %base, %t
  %c = icmp slt i32 %i, %n
  br i1 %c, label %then, label %entry.out
entry.out:
  br label %out
then:
  %j = sext i32 %i to i64
  %a = getelementptr float, ptr %p, i64 %j
  %v = load float, ptr %a
  %e = getelementptr float, ptr %q, i64 %j
  store float %v, ptr %e
  br label %out
out:
  ret void
}
attributes #0 = { "cucpu.kernel" }
