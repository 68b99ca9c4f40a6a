; A function that stays a call has the variable where every kernel has it, in the block that the worker runs; the kernel's own
; come after it.
; RUN: %cucpu-opt --passes=lower_shared %s | FileCheck %s
@s = internal addrspace(3) global [3 x i32] undef, align 4
@own = internal addrspace(3) global [4 x i32] undef, align 4
@dynamic = external addrspace(3) global [0 x i32]
; CHECK: define internal void @f()
; CHECK: [[SHARED:%.*]] = call ptr @cucpu_shared()
; CHECK: getelementptr inbounds i8, ptr [[SHARED]], i64 0
; CHECK: getelementptr inbounds i8, ptr [[SHARED]], i64 32
define internal void @f() {
  store i32 1, ptr addrspace(3) @s
  store i32 2, ptr addrspace(3) @dynamic
  ret void
}
; CHECK: define void @k()
; CHECK: [[OWN:%.*]] = call ptr @cucpu.shared()
; CHECK: getelementptr inbounds i8, ptr [[OWN]], i64 16
define void @k() "cucpu.kernel" {
  store i32 3, ptr addrspace(3) @own
  call void @f()
  ret void
}
; A smaller kernel's dynamic shared memory begins where the function looks for it.
; CHECK: define void @small() #[[SMALL:[0-9]+]]
; CHECK: attributes #[[SMALL]] = { {{.*}}"cucpu.static_shared"="32"
define void @small() "cucpu.kernel" {
  call void @f()
  ret void
}
