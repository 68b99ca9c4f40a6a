; Loads of a word of threadIdx and its like are reads of ids; what wants more of them gets a copy of the function's own, and the
; variables are gone.
; RUN: %cucpu-opt --passes=import_nvvm %s | FileCheck %s
; RUN: %cucpu-opt --passes=import_nvvm,import_nvvm %s | FileCheck %s
; RUN: sed 's/^;START //' %s > %t.ll && not %cucpu-opt --passes=import_nvvm %t.ll 2>&1 | FileCheck --check-prefix=START %s
; START: error: the address of 'threadIdx' cannot initialise a variable
;START @place = addrspace(1) global ptr addrspace(1) @cucpu.threadIdx
%uint3 = type { i32, i32, i32 }
@cucpu.threadIdx = external addrspace(1) constant %uint3
@cucpu.gridDim = external addrspace(1) constant %uint3
@cucpu.blockIdx = external addrspace(1) constant %uint3
; CHECK-NOT: @cucpu.threadIdx =
; CHECK-NOT: @cucpu.gridDim =

; CHECK-LABEL: define void @words(
; CHECK-NOT: alloca
; CHECK: %[[X:.*]] = call noundef i32 @cucpu.tid.x()
; CHECK: store volatile i32 %[[X]]
; CHECK: call noundef i32 @cucpu.tid.z()
; CHECK: call noundef i32 @cucpu.nctaid.y()
; CHECK: call noundef i32 @cucpu.ctaid.y()
define ptx_kernel void @words(ptr %p) {
  %x = load i32, ptr addrspacecast (ptr addrspace(1) @cucpu.threadIdx to ptr)
  store volatile i32 %x, ptr %p
  %z = load i32, ptr getelementptr inbounds (%uint3, ptr addrspacecast (ptr addrspace(1) @cucpu.threadIdx to ptr), i32 0, i32 2)
  store volatile i32 %z, ptr %p
  %y = load i32, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @cucpu.gridDim to ptr), i64 4)
  store volatile i32 %y, ptr %p
  %b = load i32, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @cucpu.blockIdx, i64 4)
  store volatile i32 %b, ptr %p
  ret void
}

; One copy for two uses; a word behind an index that is not known.
; CHECK-LABEL: define void @copies(
; CHECK: %[[COPY:.*]] = alloca [3 x i32]
; CHECK-NOT: alloca
; CHECK: store i32 %{{.*}}, ptr
; CHECK: call void @llvm.memcpy{{.*}}(ptr %p, ptr
define ptx_kernel void @copies(ptr %p, i32 %k) {
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr addrspacecast (ptr addrspace(1) @cucpu.threadIdx to ptr), i64 12, i1 false)
  %at = getelementptr i32, ptr addrspacecast (ptr addrspace(1) @cucpu.threadIdx to ptr), i32 %k
  %v = load i32, ptr %at
  store i32 %v, ptr %p
  ret void
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
