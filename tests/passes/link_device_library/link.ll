; Only what the kernels ask for is linked, and imported like their own code.
; RUN: echo 'target triple="nvptx64-nvidia-cuda" define i32 @__nv_thing() { %%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x() ret i32 %%t } define i32 @unused() { ret i32 1 }' | llvm-as -o %t.bc
; RUN: %cucpu-opt --passes=link_device_library,inline_device --device-library=%t.bc %s | FileCheck %s
; Without a library, what it would define is missing:
; RUN: not %cucpu-opt --passes=link_device_library %s 2>&1 | FileCheck --check-prefix=NONE %s
; RUN: not %cucpu-opt --passes=link_device_library --device-library=%t.none %s 2>&1 | FileCheck --check-prefix=MISSING %s
define void @k(ptr %p) "cucpu.kernel" {
  %v = call i32 @__nv_thing()
  store i32 %v, ptr %p
  ret void
}
declare i32 @__nv_thing()
; CHECK-LABEL: define void @k(
; CHECK: call i32 @cucpu.tid.x()
; CHECK-NOT: @unused
; NONE: error: undefined device function '__nv_thing'
; MISSING: error: cannot read the device library '{{.*}}.none'
