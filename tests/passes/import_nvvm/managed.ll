; The pointer of a managed variable that no code names stays through clean-ups, as do variables: the runtime sets it.
; RUN: %cucpu-opt --passes=import_nvvm %s | FileCheck %s
; RUN: %cucpu-opt --passes=import_nvvm,link_device_library,inline_device,normalise_cfg,kernel_table %s | FileCheck --check-prefix=ROW %s
target triple = "nvptx64-nvidia-cuda"
@m = addrspace(1) externally_initialized global [2 x i32] [i32 1, i32 2], align 4
@d = addrspace(1) externally_initialized global i8 7, align 1
@note = private unnamed_addr constant [14 x i8] c"cucpu_managed\00", section "llvm.metadata"
@file = private unnamed_addr constant [2 x i8] c"f\00", section "llvm.metadata"
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr addrspacecast (ptr addrspace(1) @m to ptr), ptr @note, ptr @file, i32 1, ptr null }], section "llvm.metadata"
define ptx_kernel void @k(ptr %p) {
  store i32 1, ptr %p
  ret void
}
; CHECK-DAG: @m.managed = internal global ptr null
; CHECK-DAG: @llvm.compiler.used = appending global [3 x ptr] [ptr {{.*}}@m{{.*}}, ptr {{.*}}@d{{.*}}, ptr @m.managed]
; CHECK-DAG: !cucpu.managed = !{![[N:[0-9]+]]}
; CHECK-DAG: ![[N]] = !{ptr @m.managed, ptr addrspace(1) @m}
; ROW: @cucpu.vartable = internal constant [2 x
; ROW-SAME: ptr @m.managed, ptr addrspacecast (ptr addrspace(1) @m to ptr), i64 8, i32 2, i32 0 }
; ROW-SAME: ptr addrspacecast (ptr addrspace(1) @d to ptr), ptr null, i64 1, i32 0, i32 0 }]
