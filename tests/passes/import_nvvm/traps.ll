; Faults and printf go to the runtime.  Code behind a trap ends in `ret`: other lanes live on.
; RUN: %cucpu-opt --passes=import_nvvm %s | FileCheck %s
@text = private constant [4 x i8] c"%d\0A\00"
define ptx_kernel void @k(ptr %p, i1 %c) {
  br i1 %c, label %bad, label %good
bad:
  call void @llvm.trap()
  unreachable
good:
  %r = call i32 @vprintf(ptr @text, ptr %p)
  call void @__assertfail(ptr @text, ptr @text, i32 7, ptr @text, i64 1)
  unreachable
}
declare i32 @vprintf(ptr, ptr)
declare void @__assertfail(ptr, ptr, i32, ptr, i64)
; CHECK-LABEL: define void @k(
; CHECK: bad:
; CHECK-NEXT: call void @cucpu_trap()
; CHECK-NEXT: ret void
; CHECK: good:
; CHECK-NEXT: call i32 @cucpu_vprintf(ptr @text, ptr %p)
; CHECK: %[[B:.*]] = call i32 @cucpu.ctaid.x()
; CHECK: %[[T:.*]] = call i32 @cucpu.tid.x()
; CHECK: call void @cucpu.assert(ptr @text, ptr @text, i32 7, ptr @text, i32 %[[B]], {{.*}}i32 %[[T]],
; CHECK-NEXT: ret void
; CHECK-NOT: unreachable
