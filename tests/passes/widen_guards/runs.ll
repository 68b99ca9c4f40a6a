; RUN: %cucpu-opt --passes=widen_guards --simd=8 --cpu=x86-64-v3 %s -o - | FileCheck %s
; RUN: %cucpu-opt --passes=widen_guards --simd=8 --cpu=x86-64-v3 --disable=widen_guards %s -o - | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=widen_guards --simd=1 --cpu=x86-64-v3 %s -o - | FileCheck %s --check-prefix=OFF
; RUN: %cucpu-opt --passes=widen_guards --simd=16 --cpu=x86-64-v4 %s -o - | FileCheck %s --check-prefix=MASKS
; RUN: %cucpu-opt --passes=widen_guards,version_all_active,linearise,widen --simd=8 --cpu=x86-64-v3 %s -o - | FileCheck %s --check-prefix=WIDE
; Range tests one behind the other get one copy without them; a test of data, a barrier or a loop between them ends the run.
; OFF-NOT: call i1 @cucpu.all
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ntid.x()
declare i32 @cucpu.ctaid.x()
declare void @cucpu.barrier(i32)

; Neighbours of a cell: the second test is computed in front of the first one, the copy is one block, and what either
; computes meets behind it.
; CHECK-LABEL: define {{.*}} @neighbours
; CHECK: [[LAST:%[a-z0-9]+]] = add nsw i32 %n, -1
; CHECK: [[RIGHT:%[a-z0-9]+]] = icmp slt i32 %t, [[LAST]]
; CHECK: [[BOTH:%[a-z0-9]+]] = and i1 %left, [[RIGHT]]
; CHECK: %all = call i1 @cucpu.all(i1 [[BOTH]])
; CHECK-NEXT: br i1 %all, label %[[IN:[a-z0-9.]+]], label %[[BORDER:[a-z0-9.]+]]
; CHECK: [[IN]]:
; CHECK-NOT: br i1
; CHECK: load float
; CHECK-NOT: br i1
; CHECK: load float
; CHECK: br label %[[END:[a-z0-9.]+]]
; CHECK: [[BORDER]]:
; CHECK: br i1 %left
; CHECK: [[END]]:
; CHECK: phi float {{.*}}%[[IN]]
; CHECK: store float
; With masks for free (AVX-512) the tests would cost more than they save.
; MASKS-LABEL: define {{.*}} @neighbours
; MASKS-NOT: call i1 @cucpu.all
; MASKS-LABEL: define {{.*}} @elements
; MASKS: cucpu.all
; WIDE-LABEL: define {{.*}} @neighbours
; WIDE: icmp sgt i32 %t, 0
; WIDE: br i1 {{.*}}, label %inside
; WIDE: inside{{.*}}:
; WIDE: load <8 x float>
; WIDE: load <8 x float>
define void @neighbours(ptr %p, ptr %q, i32 %n) #0 {
entry:
  %x0 = call i32 @cucpu.tid.x()
  %d0 = call i32 @cucpu.ntid.x()
  %b0 = call i32 @cucpu.ctaid.x()
  %m0 = mul i32 %b0, %d0
  %t = add i32 %m0, %x0
  %i = sext i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %left = icmp sgt i32 %t, 0
  br i1 %left, label %l, label %nl
nl:
  br label %middle
l:
  %pl = getelementptr i8, ptr %a, i64 -4
  %vl = load float, ptr %pl
  br label %middle
middle:
  %s0 = phi float [ 1.0, %nl ], [ %vl, %l ]
  %last = add nsw i32 %n, -1
  %right = icmp slt i32 %t, %last
  br i1 %right, label %r, label %nr
nr:
  br label %end
r:
  %pr = getelementptr i8, ptr %a, i64 4
  %vr = load float, ptr %pr
  br label %end
end:
  %s1 = phi float [ 0.0, %nr ], [ %vr, %r ]
  %s = fadd float %s0, %s1
  %b = getelementptr inbounds float, ptr %q, i64 %i
  store float %s, ptr %b
  ret void
}

; The elements of a thread: stores are worth it with any masks.
; CHECK-LABEL: define {{.*}} @elements
; CHECK: %all = call i1 @cucpu.all
; CHECK: inside{{.*}}:
; CHECK: store i8
; CHECK-NOT: br i1
; CHECK: store i8
; CHECK: br label
define void @elements(ptr %q, i32 %n) #0 {
entry:
  %x0 = call i32 @cucpu.tid.x()
  %d0 = call i32 @cucpu.ntid.x()
  %b0 = call i32 @cucpu.ctaid.x()
  %m0 = mul i32 %b0, %d0
  %t = add nsw i32 %m0, %x0
  %t0 = shl nsw i32 %t, 1
  %i = sext i32 %t0 to i64
  %a = getelementptr inbounds i8, ptr %q, i64 %i
  %c0 = icmp slt i32 %t0, %n
  br i1 %c0, label %first, label %n0
n0:
  br label %middle
first:
  store i8 1, ptr %a
  br label %middle
middle:
  %t1 = or disjoint i32 %t0, 1
  %c1 = icmp slt i32 %t1, %n
  br i1 %c1, label %second, label %n1
n1:
  br label %end
second:
  %b = getelementptr inbounds i8, ptr %a, i64 1
  store i8 2, ptr %b
  br label %end
end:
  ret void
}

; The second test is of data that the first side loads; or a barrier lies between the tests.
; CHECK-LABEL: define {{.*}} @data
; CHECK-NOT: call i1 @cucpu.all
; CHECK-LABEL: define {{.*}} @synchronised
; CHECK-NOT: call i1 @cucpu.all
define void @data(ptr %p, ptr %q, i32 %n) #0 {
entry:
  %x0 = call i32 @cucpu.tid.x()
  %d0 = call i32 @cucpu.ntid.x()
  %b0 = call i32 @cucpu.ctaid.x()
  %m0 = mul i32 %b0, %d0
  %t = add i32 %m0, %x0
  %i = sext i32 %t to i64
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  %b = getelementptr inbounds i32, ptr %q, i64 %i
  %c0 = icmp slt i32 %t, %n
  br i1 %c0, label %l, label %nl
nl:
  br label %middle
l:
  %v = load i32, ptr %a
  br label %middle
middle:
  %s = phi i32 [ 1, %nl ], [ %v, %l ]
  %c1 = icmp slt i32 %s, %n
  br i1 %c1, label %r, label %nr
nr:
  br label %end
r:
  store i32 %s, ptr %b
  br label %end
end:
  ret void
}

define void @synchronised(ptr %p, ptr %q, i32 %n) #0 {
entry:
  %x0 = call i32 @cucpu.tid.x()
  %d0 = call i32 @cucpu.ntid.x()
  %b0 = call i32 @cucpu.ctaid.x()
  %m0 = mul i32 %b0, %d0
  %t = add i32 %m0, %x0
  %i = sext i32 %t to i64
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  %b = getelementptr inbounds i32, ptr %q, i64 %i
  %c0 = icmp slt i32 %t, %n
  br i1 %c0, label %l, label %nl
nl:
  br label %middle
l:
  store i32 1, ptr %a
  br label %middle
middle:
  call void @cucpu.barrier(i32 0)
  %last = add nsw i32 %n, -1
  %c1 = icmp slt i32 %t, %last
  br i1 %c1, label %r, label %nr
nr:
  br label %end
r:
  store i32 2, ptr %b
  br label %end
end:
  ret void
}

attributes #0 = { "cucpu.kernel" }
