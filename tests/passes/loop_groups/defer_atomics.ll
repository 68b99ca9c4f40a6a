; Atomics on one address are combined over the groups of a block, where nothing that a thread does after its own one may
; access the memory, and no thread waits.
; RUN: %cucpu-opt --passes=loop_groups --simd=4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=loop_groups --simd=4 --disable=defer_atomics %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=loop_groups --simd=4 --opt=0 %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: deferred
declare i32 @cucpu.tid.x()
declare void @cucpu.barrier(i32)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, <4 x i1>, <4 x i32>)
declare void @unknown()

; The sum of a vector is one after the loop; nothing is done where it is 0.
; CHECK-LABEL: define {{.*}}@sum.entry(
; CHECK: phi <4 x i32> [ zeroinitializer,
; CHECK: add <4 x i32> %deferred{{.*}}, %v
; CHECK-NOT: atomicrmw
; CHECK: [[ALL:%.*]] = call i32 @llvm.vector.reduce.add.v4i32(
; CHECK: icmp ne i32 [[ALL]], 0
; CHECK: deferred.some:
; CHECK: atomicrmw add ptr {{%.*}}, i32 [[ALL]] monotonic, align 4
; CHECK: ret void
define void @sum(ptr %in, ptr %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %in, i32 %t
  %v = load <4 x i32>, ptr %p, align 4
  %s = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)
  %old = atomicrmw add ptr %n, i32 %s monotonic, align 4
  ret void
}

; Scratch memory where no lane is active; a minimum, and an element at a constant.
; CHECK-LABEL: define {{.*}}@least.entry(
; CHECK: phi i64 [ -1,
; CHECK: [[V:%.*]] = select i1 {{%.*}}, i64 %v, i64 -1
; CHECK: icmp ult i64 {{%.*}}, [[V]]
; CHECK: getelementptr i64, ptr {{%.*}}, i32 3
; CHECK: icmp ne i64 {{%.*}}, -1
; CHECK: deferred.some:
; CHECK: atomicrmw umin ptr {{%.*}}, i64 {{%.*}} monotonic
; CHECK: ret void
define void @least(ptr %in, ptr %n, i64 %limit) "cucpu.kernel" {
  %spare = alloca i64
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i64, ptr %in, i32 %t
  %v = load i64, ptr %p, align 8
  %any = icmp ult i64 %v, %limit
  %q = getelementptr i64, ptr %n, i32 3
  %to = select i1 %any, ptr %q, ptr %spare
  %old = atomicrmw umin ptr %to, i64 %v monotonic, align 8
  ret void
}

; Before a barrier, and after it: two sums.
; CHECK-LABEL: define {{.*}}@barrier.entry(
; CHECK: deferred.some:
; CHECK: atomicrmw add
; CHECK: load i32, ptr
; CHECK: deferred.some{{.+}}:
; CHECK: atomicrmw add
; CHECK: ret void
define void @barrier(ptr %n, ptr %out) "cucpu.kernel" {
  %old = atomicrmw add ptr %n, i32 4 monotonic, align 4
  br label %meet
meet:
  call void @cucpu.barrier(i32 0)
  %t = call i32 @cucpu.tid.x()
  %v = load i32, ptr %n, align 4
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %v, ptr %p
  %old2 = atomicrmw add ptr %n, i32 1 monotonic, align 4
  ret void
}

; Parameters that are apart: what follows does not matter, in a loop either.
; CHECK-LABEL: define {{.*}}@apart.entry(
; CHECK: deferred.some:
; CHECK: ret void
define void @apart(ptr noalias %n, ptr %in, i32 %steps) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %in, i32 %k
  %v = load i32, ptr %p
  %old = atomicrmw add ptr %n, i32 %v monotonic, align 4
  %next = add i32 %k, 1
  %more = icmp slt i32 %next, %steps
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A load that follows may be of it; masked, too; another operation on what may be the same address.
; CHECK-LABEL: define {{.*}}@follows.entry(
; CHECK-NOT: deferred
; CHECK-LABEL: define {{.*}}@masked.entry(
; CHECK-NOT: deferred
; CHECK-LABEL: define {{.*}}@operations.entry(
; CHECK: atomicrmw add
; CHECK-NOT: atomicrmw
; CHECK: deferred.some:
; CHECK: atomicrmw umax
define void @follows(ptr %n, ptr %in, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %old = atomicrmw add ptr %n, i32 4 monotonic, align 4
  %v = load i32, ptr %in, align 4
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %v, ptr %p
  ret void
}
define void @masked(ptr %n, ptr noalias %out, ptr %in, <4 x i1> %m) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %old = atomicrmw add ptr %n, i32 4 monotonic, align 4
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %in, <4 x i1> %m, <4 x i32> zeroinitializer)
  %p = getelementptr i32, ptr %out, i32 %t
  store <4 x i32> %v, ptr %p
  ret void
}
define void @operations(ptr %n, ptr %m) "cucpu.kernel" {
  %old = atomicrmw add ptr %n, i32 4 monotonic, align 4
  %old2 = atomicrmw umax ptr %m, i32 9 monotonic, align 4
  ret void
}

; Elements at other constants, of which one is stored to; a longer one would overlap.
; CHECK-LABEL: define {{.*}}@elements.entry(
; CHECK-DAG: phi i32 [ 0, %block ]
; CHECK-DAG: phi i32 [ -2147483648, %block ]
; CHECK: deferred.some:
; CHECK: atomicrmw add
; CHECK: deferred.some{{.+}}:
; CHECK: atomicrmw max
; CHECK-LABEL: define {{.*}}@overlap.entry(
; CHECK-NOT: deferred
define void @elements(ptr %n) "cucpu.kernel" {
  %old = atomicrmw add ptr %n, i32 4 monotonic, align 4
  %p = getelementptr i8, ptr %n, i32 4
  %old2 = atomicrmw max ptr %p, i32 9 monotonic, align 4
  %q = getelementptr i8, ptr %n, i32 8
  store i32 1, ptr %q
  ret void
}
define void @overlap(ptr %n) "cucpu.kernel" {
  %p = getelementptr i8, ptr %n, i32 4
  %old = atomicrmw add ptr %p, i32 4 monotonic, align 4
  store i64 1, ptr %n
  ret void
}

; A result that is used, an order, an address of each group; volatile accesses, fences, unknown calls, tickets in loops.
; CHECK-LABEL: define {{.*}}@used.entry(
; CHECK-NOT: deferred
define void @used(ptr %n, ptr %out) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %old = atomicrmw add ptr %n, i32 4 monotonic, align 4
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %old, ptr %p
  ret void
}
define void @ordered(ptr %n) "cucpu.kernel" {
  %old = atomicrmw add ptr %n, i32 4 seq_cst, align 4
  ret void
}
define void @address(ptr %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr i32, ptr %n, i32 %t
  %old = atomicrmw add ptr %p, i32 4 monotonic, align 4
  ret void
}
define void @volatile(ptr %n, ptr %in) "cucpu.kernel" {
  %v = load volatile i32, ptr %in
  %old = atomicrmw add ptr %n, i32 %v monotonic, align 4
  ret void
}
define void @fence(ptr %n) "cucpu.kernel" {
  fence seq_cst
  %old = atomicrmw add ptr %n, i32 4 monotonic, align 4
  ret void
}
define void @call(ptr %n) "cucpu.kernel" {
  call void @unknown()
  %old = atomicrmw add ptr %n, i32 4 monotonic, align 4
  ret void
}
define void @ticket(ptr noalias %n, ptr noalias %m) "cucpu.kernel" {
entry:
  br label %loop
loop:
  %v = atomicrmw add ptr %m, i32 0 monotonic, align 4
  %more = icmp slt i32 %v, 9
  br i1 %more, label %loop, label %end
end:
  %old = atomicrmw add ptr %n, i32 4 monotonic, align 4
  ret void
}
