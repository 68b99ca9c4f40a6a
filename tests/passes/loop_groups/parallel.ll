; The innermost group loop is parallel in the accesses that mark_parallel has marked.  An atomic that
; became a plain access (relax_atomics) is not among them, and keeps LLVM from taking the loop for parallel.
; RUN: %cucpu-opt --passes=make_variants,mark_parallel,relax_atomics,split_barriers,loop_groups --simd=1 %s | FileCheck %s
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)
declare ptr @cucpu.shared()
; CHECK-LABEL: define internal void @k.w1.rows_full.entry
; CHECK: store float %v, ptr {{.*}}, !llvm.access.group [[G:![0-9]+]]
; CHECK: br i1 {{.*}} !llvm.loop [[L1:![0-9]+]]
; CHECK: %old = load i32, ptr %{{[a-z0-9]+}}, align 4, !alias.scope !{{[0-9]+}}, !noalias !{{[0-9]+$}}
; CHECK: store i32 {{.*}}, align 4, !alias.scope !{{[0-9]+}}, !noalias !{{[0-9]+}}, !cucpu.undivided !{{[0-9]+$}}
; CHECK: br i1 %{{.*}}, label %x{{[0-9]+}}, label %row.end{{[0-9]+$}}
; CHECK: ret void
; CHECK-DAG: [[G]] = distinct !{}
; CHECK-DAG: [[L1]] = distinct !{[[L1]], [[P:![0-9]+]]}
; CHECK-DAG: [[P]] = !{!"llvm.loop.parallel_accesses", [[G]]}
define void @k(ptr %p, float %v) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr float, ptr %p, i64 %i
  store float %v, ptr %a
  call void @cucpu.barrier(i32 0)
  %s = call ptr @cucpu.shared()
  %o = atomicrmw add ptr %s, i32 1 monotonic
  ret void
}
