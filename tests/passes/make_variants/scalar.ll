; Code of one lane beside variants of several, where times will tell which is faster; not where results would show which ran.
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 --disable=trial %s | FileCheck --check-prefix=NONE %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 --simd=8 %s | FileCheck --check-prefix=NONE %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 --shuffle %s | FileCheck --check-prefix=NONE %s
; NONE-NOT: cucpu.scalar
; CHECK-DAG: define {{.*}}@gather.w1.rows_full({{.*}}) #[[gather:[0-9]+]]
; CHECK-DAG: define {{.*}}@gather.w16.rows_full(
; The code of one lane is for the block of the launch where that is required.
; CHECK-DAG: define {{.*}}@required.w1.rows_full.48x1x1(
; CHECK-DAG: define {{.*}}@required.w16.rows_full.48x1x1(
; CHECK-DAG: define {{.*}}@counts.w1.rows_full(
; CHECK-DAG: define {{.*}}@waits.w16.rows_full(
; CHECK-DAG: define {{.*}}@rounds.w16.rows_full(
; CHECK-DAG: attributes #[[gather]] = {{.*}} "cucpu.scalar"="{{[0-9]+}}"
; CHECK-DAG: define {{.*}}@least.w1.rows_full(
; CHECK-DAG: define {{.*}}@recursive.w1.rows_full(
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 %s | FileCheck --check-prefix=ONE %s
; ONE-NOT: "cucpu.base"="{{of_block|in_block|from_anywhere|prints}}"{{.*}}"cucpu.scalar"
; Sums of floats in global memory: both codes, and the flag that only several workers choose by time (512; 256: one lane first).
; SUMS-DAG: "cucpu.base"="sums" "cucpu.flags"="768"
; SUMS-DAG: "cucpu.base"="retries" "cucpu.flags"="768"
; SUMS-DAG: "cucpu.base"="again" "cucpu.flags"="768"
; SUMS-DAG: "cucpu.base"="waits" "cucpu.flags"="772"
; SUMS-DAG: "cucpu.base"="rounds" "cucpu.flags"="512"
; SUMS-DAG: "cucpu.base"="calls" "cucpu.flags"="768"
; SUMS-DAG: "cucpu.base"="from_memory" "cucpu.flags"="768"
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 %s | FileCheck --check-prefix=SUMS %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 %s | FileCheck --check-prefix=ANY %s
; The choice must be the same each time there: by estimate.  Without barriers groups must be clearly faster, and for blocks of
; any shape as well.
; ANY-NOT: @{{(of_block|prints)}}.w16.
; ANY-NOT: @in_block.w16.general
; ANY-DAG: define {{.*}}@of_block.w1.rows_full(
; ANY-DAG: define {{.*}}@in_block.w1.rows_full(
; ANY-DAG: define {{.*}}@recursive.w16.general(
; ANY-DAG: define {{.*}}@total.w16.general(
; Kernels with functions of the warp: where whole warps are not estimated to take a third of the time; not if they ask who is active.
; CHECK-DAG: define {{.*}}@votes.w1.rows_full(
; CHECK-DAG: define {{.*}}@votes.w32.rows_full(
; CHECK-DAG: define {{.*}}@shuffles.w32.rows_full(
; CHECK-DAG: define {{.*}}@asks.w32.rows_full(
; CHECK-DAG: define {{.*}}@steps.w32.rows_full(
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 %s | FileCheck --check-prefix=WARP %s
; WARP-NOT: @{{shuffles|asks|steps}}.w1.
declare i32 @cucpu.tid.x()
declare i32 @cucpu_vprintf(ptr, ptr)

define void @gather(ptr %in, ptr %place, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %at = load i32, ptr %p
  %q = getelementptr float, ptr %in, i32 %at
  %v = load float, ptr %q
  %o = getelementptr float, ptr %out, i32 %t
  store float %v, ptr %o
  ret void
}
define void @counts(ptr %place, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %at = load i32, ptr %p
  %o = getelementptr i32, ptr %out, i32 %at
  %old = atomicrmw add ptr %o, i32 1 monotonic
  ret void
}
define void @sums(ptr %place, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %at = load i32, ptr %p
  %o = getelementptr float, ptr %out, i32 %at
  %old = atomicrmw fadd ptr %o, float 1.0 monotonic
  ret void
}
declare void @cucpu.barrier(i32)
define void @waits(ptr %place, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %place, i32 %t
  %v = load float, ptr %p
  %a = fmul float %v, %v
  call void @cucpu.barrier(i32 0)
  %b = fmul float %a, %v
  %c = fmul float %b, %a
  %q = getelementptr float, ptr %out, i32 %t
  %old = atomicrmw fadd ptr %q, float %c monotonic
  ret void
}
; Enough to be done for groups beside the sum: roots.
declare float @llvm.sqrt.f32(float)
define void @rounds(ptr %place, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %place, i32 %t
  %v = load float, ptr %p
  %a = call float @llvm.sqrt.f32(float %v)
  %b = call float @llvm.sqrt.f32(float %a)
  %c = call float @llvm.sqrt.f32(float %b)
  %d = call float @llvm.sqrt.f32(float %c)
  %e = call float @llvm.sqrt.f32(float %d)
  %q = getelementptr float, ptr %out, i32 %t
  %old = atomicrmw fadd ptr %q, float %e monotonic
  ret void
}
; Sums in shared memory, two by each thread (one: order.ll): each block comes out alike every time, whichever worker runs it.
declare ptr @cucpu.shared()
define void @of_block(ptr %place) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %at = load i32, ptr %p
  %s = call ptr @cucpu.shared()
  %o = getelementptr float, ptr %s, i32 %at
  %old = atomicrmw fadd ptr %o, float 1.0 monotonic
  %new = atomicrmw fadd ptr %o, float 2.0 monotonic
  ret void
}
define void @in_block(ptr %place) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %place, i32 %t
  %v = load float, ptr %p
  %a = call float @llvm.sqrt.f32(float %v)
  %b = call float @llvm.sqrt.f32(float %a)
  %c = call float @llvm.sqrt.f32(float %b)
  %d = call float @llvm.sqrt.f32(float %c)
  %e = call float @llvm.sqrt.f32(float %d)
  %s = call ptr @cucpu.shared()
  %q = getelementptr float, ptr %s, i32 %t
  %old = atomicrmw fadd ptr %q, float %e monotonic
  %new = atomicrmw fadd ptr %q, float %d monotonic
  ret void
}
; An address from memory: that of shared memory only where the kernel has some.
define void @from_memory(ptr %places) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr ptr, ptr %places, i32 %t
  %q = load ptr, ptr %p
  %old = atomicrmw fadd ptr %q, float 1.0 monotonic
  ret void
}
define void @from_anywhere(ptr %places) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr ptr, ptr %places, i32 %t
  %q = load ptr, ptr %p
  %old = atomicrmw fadd ptr %q, float 1.0 monotonic
  %s = call ptr @cucpu.shared()
  store ptr %s, ptr %p
  ret void
}
; One address for all: the lanes' values are added first, and the memory is changed once.
define void @total(ptr %place, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %place, i32 %t
  %v = load float, ptr %p
  %old = atomicrmw fadd ptr %out, float %v monotonic
  ret void
}
define void @retries(ptr %place, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %old = load i32, ptr %p
  %f = bitcast i32 %old to float
  %g = fmul float %f, 3.0
  %new = bitcast float %g to i32
  %r = cmpxchg ptr %p, i32 %old, i32 %new monotonic monotonic
  ret void
}
; What was found is multiplied in the outer loop, the inner one tries it at three places.
define void @again(ptr %place, ptr %out, float %x) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %at = load i32, ptr %p
  %q = getelementptr i32, ptr %out, i32 %at
  %first = load i32, ptr %q
  br label %outer
outer:
  %old = phi i32 [ %first, %entry ], [ %found, %next.outer ]
  %o = bitcast i32 %old to float
  %g = fmul float %o, %x
  %new = bitcast float %g to i32
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %k1, %inner.inner ]
  %qk = getelementptr i32, ptr %q, i32 %k
  %r = cmpxchg ptr %qk, i32 %old, i32 %new monotonic monotonic
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, 3
  br i1 %more, label %inner.inner, label %next
inner.inner:
  br label %inner
next:
  %found.in = phi { i32, i1 } [ %r, %inner ]
  %found = extractvalue { i32, i1 } %found.in, 0
  %done = extractvalue { i32, i1 } %found.in, 1
  br i1 %done, label %end, label %next.outer
next.outer:
  br label %outer
end:
  ret void
}
define void @prints(ptr %place) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %r = call i32 @cucpu_vprintf(ptr %p, ptr %p)
  ret void
}
; The new value is made of a product, but not of one of what is found.
define void @least(ptr %place, ptr %out, float %x) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %at = load i32, ptr %p
  %q = getelementptr i32, ptr %out, i32 %at
  %f = sitofp i32 %t to float
  %g = fmul float %f, %x
  %first = load i32, ptr %q
  br label %retry
retry:
  %old = phi i32 [ %first, %entry ], [ %found, %retry.retry ]
  %o = bitcast i32 %old to float
  %less = fcmp olt float %g, %o
  %m = select i1 %less, float %g, float %o
  %new = bitcast float %m to i32
  %r = cmpxchg ptr %q, i32 %old, i32 %new monotonic monotonic
  %found = extractvalue { i32, i1 } %r, 0
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %end, label %retry.retry
retry.retry:
  br label %retry
end:
  ret void
}
; A function that calls itself, and one that pointers may point to: @calls may add floats by it.
define void @recursive(ptr %place, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %at = load i32, ptr %p
  %v = call i32 @depth(i32 %at)
  %q = getelementptr i32, ptr %out, i32 %t
  store i32 %v, ptr %q
  ret void
}
define internal i32 @depth(i32 %n) noinline {
entry:
  %end = icmp slt i32 %n, 2
  br i1 %end, label %done, label %more
more:
  %h = lshr i32 %n, 1
  %d = call i32 @depth(i32 %h)
  %r = add i32 %d, 1
  ret i32 %r
done:
  ret i32 0
}
@table = global ptr @adds
define internal void @adds(ptr %p) {
  %old = atomicrmw fadd ptr %p, float 1.0 monotonic
  ret void
}
define void @calls(ptr %place, ptr %f) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  call void %f(ptr %p)
  ret void
}
define void @required(ptr %in, ptr %place, ptr %out) "cucpu.kernel" "cucpu.reqntid"="48,1,1" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %at = load i32, ptr %p
  %q = getelementptr float, ptr %in, i32 %at
  %v = load float, ptr %q
  %o = getelementptr float, ptr %out, i32 %t
  store float %v, ptr %o
  ret void
}
declare i1 @cucpu.vote.any(i32, i1)
declare i32 @cucpu.activemask()
declare i32 @cucpu.shfl.bfly(i32, i32, i32, i32)
define void @votes(ptr %place, ptr %out) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %n = phi i32 [ %t, %entry ], [ %at, %loop.loop ]
  %p = getelementptr i32, ptr %place, i32 %n
  %at = load i32, ptr %p
  %q = getelementptr i32, ptr %out, i32 %at
  store i32 %n, ptr %q
  %more = icmp sgt i32 %at, 9
  br i1 %more, label %loop.loop, label %end
loop.loop:
  br label %loop
end:
  %last = phi i1 [ %more, %loop ]
  %any = call i1 @cucpu.vote.any(i32 -1, i1 %last)
  ret void
}
define void @asks(ptr %place, ptr %out) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %n = phi i32 [ %t, %entry ], [ %at, %loop.loop ]
  %p = getelementptr i32, ptr %place, i32 %n
  %at = load i32, ptr %p
  %q = getelementptr i32, ptr %out, i32 %at
  store i32 %n, ptr %q
  %more = icmp sgt i32 %at, 9
  br i1 %more, label %loop.loop, label %end
loop.loop:
  br label %loop
end:
  %m = call i32 @cucpu.activemask()
  ret void
}
define void @steps(ptr %place, ptr %out) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %n = phi i32 [ %t, %entry ], [ %at, %loop.loop ]
  %p = getelementptr i32, ptr %place, i32 %n
  %at = load volatile i32, ptr %p
  %q = getelementptr i32, ptr %out, i32 %at
  store i32 %n, ptr %q
  %more = icmp sgt i32 %at, 9
  br i1 %more, label %loop.loop, label %end
loop.loop:
  br label %loop
end:
  %last = phi i1 [ %more, %loop ]
  %any = call i1 @cucpu.vote.any(i32 -1, i1 %last)
  ret void
}
define void @shuffles(ptr %place, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %place, i32 %t
  %v = load i32, ptr %p
  %w = call i32 @cucpu.shfl.bfly(i32 -1, i32 %v, i32 1, i32 31)
  store i32 %w, ptr %p
  ret void
}
