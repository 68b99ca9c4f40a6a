; Sums of floats in shared memory come out alike in code of one lane and of several where no thread comes to two of them on one address
; between two barriers: then both codes may run, by time.
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 %s | FileCheck --check-prefix=ONE %s
; CHECK-DAG: "cucpu.base"="once" {{.*}}"cucpu.scalar"
; CHECK-DAG: "cucpu.base"="behind_barriers" {{.*}}"cucpu.scalar"
; CHECK-DAG: "cucpu.base"="in_steps" {{.*}}"cucpu.scalar"
; CHECK-DAG: "cucpu.base"="apart" {{.*}}"cucpu.scalar"
; Else blockDim decides which runs (8192), where idle lanes may make groups slower than estimates allow without times.
; RUN: %cucpu-opt --passes=make_variants --cpu=x86-64-v4 %s | FileCheck --check-prefix=UNTRIED %s
; ONE-NOT: "cucpu.base"="{{sides|steps_without|called|named}}"{{.*}}"cucpu.scalar"
; UNTRIED-DAG: "cucpu.base"="overlap" "cucpu.flags"="8192" {{.*}}"cucpu.width"="16"
; UNTRIED-DAG: "cucpu.base"="overlap" {{.*}}"cucpu.scalar"
; UNTRIED-DAG: "cucpu.base"="loop" "cucpu.flags"="8192"
declare i32 @cucpu.tid.x()
declare ptr @cucpu.shared()
declare void @cucpu.barrier(i32)
declare void @cucpu.barrier.count(i32, i32)
define void @once(ptr %in) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %in, i32 %t
  %v = load float, ptr %p
  %s = call ptr @cucpu.shared()
  %old = atomicrmw fadd ptr %s, float %v monotonic
  ret void
}
define void @behind_barriers(ptr %in, i1 %twice) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %in, i32 %t
  %v = load float, ptr %p
  %s = call ptr @cucpu.shared()
  %a = atomicrmw fadd ptr %s, float %v monotonic
  call void @cucpu.barrier(i32 0)
  br i1 %twice, label %more, label %entry.end
entry.end:
  br label %end
more:
  %b = atomicrmw fadd ptr %s, float %v monotonic
  br label %end
end:
  ret void
}
define void @in_steps(ptr %in, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %in, i32 %t
  %v = load float, ptr %p
  %s = call ptr @cucpu.shared()
  br label %step
step:
  %i = phi i32 [ 0, %entry ], [ %i1, %step.step ]
  %a = atomicrmw fadd ptr %s, float %v monotonic
  call void @cucpu.barrier(i32 0)
  %i1 = add i32 %i, 1
  %c = icmp slt i32 %i1, %n
  br i1 %c, label %step.step, label %end
step.step:
  br label %step
end:
  ret void
}
define void @apart(ptr %in) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %in, i32 %t
  %v = load float, ptr %p
  %s = call ptr @cucpu.shared()
  %s4 = getelementptr i8, ptr %s, i64 4
  %a = atomicrmw fadd ptr %s, float %v monotonic
  %b = atomicrmw fadd ptr %s4, float %v monotonic
  ret void
}
define void @overlap(ptr %in) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %in, i32 %t
  %v = load float, ptr %p
  %d = fpext float %v to double
  %s = call ptr @cucpu.shared()
  %s4 = getelementptr i8, ptr %s, i64 4
  %a = atomicrmw fadd ptr %s, double %d monotonic
  %b = atomicrmw fadd ptr %s4, float %v monotonic
  ret void
}
define void @sides(ptr %in) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %in, i32 %t
  %v = load float, ptr %p
  %s = call ptr @cucpu.shared()
  %c = fcmp ogt float %v, 0.0
  br i1 %c, label %one, label %other
one:
  %a = atomicrmw fadd ptr %s, float %v monotonic
  br label %end
other:
  %b = atomicrmw fadd ptr %s, float 1.0 monotonic
  br label %end
end:
  ret void
}
define void @loop(ptr %in, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %s = call ptr @cucpu.shared()
  br label %step
step:
  %i = phi i32 [ %t, %entry ], [ %i1, %step.step ]
  %p = getelementptr float, ptr %in, i32 %i
  %v = load float, ptr %p
  %a = atomicrmw fadd ptr %s, float %v monotonic
  %i1 = add i32 %i, 64
  %c = icmp slt i32 %i1, %n
  br i1 %c, label %step.step, label %end
step.step:
  br label %step
end:
  ret void
}
; Some passes without a barrier.
define void @steps_without(ptr %in, i32 %n) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %s = call ptr @cucpu.shared()
  br label %step
step:
  %i = phi i32 [ 0, %entry ], [ %i1, %next.step ]
  %p = getelementptr float, ptr %in, i32 %t
  %v = load float, ptr %p
  %a = atomicrmw fadd ptr %s, float %v monotonic
  %odd = and i32 %i, 1
  %wait = icmp eq i32 %odd, 0
  br i1 %wait, label %meet, label %step.next
step.next:
  br label %next
meet:
  call void @cucpu.barrier(i32 0)
  br label %next
next:
  %i1 = add i32 %i, 1
  %c = icmp slt i32 %i1, %n
  br i1 %c, label %next.step, label %end
next.step:
  br label %step
end:
  ret void
}
define void @add(ptr %s, float %v) noinline {
  %a = atomicrmw fadd ptr addrspace(3) null, float %v monotonic
  ret void
}
define void @called(ptr %in) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %in, i32 %t
  %v = load float, ptr %p
  %s = call ptr @cucpu.shared()
  call void @add(ptr %s, float %v)
  ret void
}
; Warps come to such a barrier when they like.
define void @named(ptr %in) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %p = getelementptr float, ptr %in, i32 %t
  %v = load float, ptr %p
  %s = call ptr @cucpu.shared()
  call void @cucpu.barrier.count(i32 1, i32 64)
  %a = atomicrmw fadd ptr %s, float %v monotonic
  ret void
}
