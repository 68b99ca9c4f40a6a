; Calls of functions of the host end the kernel; what only their arguments needed goes; through its address it does the same.
; RUN: %cucpu-opt --passes=import_nvvm %s | FileCheck %s
target triple = "nvptx64-nvidia-cuda"
@cucpu.host.stderr = external addrspace(1) global ptr

; CHECK: @[[NAME:.*]] = {{.*}} c"fprintf\00"
; CHECK-NEXT: @[[FILE:.*]] = {{.*}} c"a.cu\00"
; CHECK-LABEL: @kernel
define ptx_kernel void @kernel(i1 %c, ptr %p) !dbg !4 {
entry:
  br i1 %c, label %call, label %end
; CHECK: call:
; CHECK-NEXT: call void @cucpu_host_call(ptr @[[NAME]], ptr @[[FILE]], i32 7)
; CHECK-NEXT: ret void
call:
  %stream = load ptr, ptr addrspacecast (ptr addrspace(1) @cucpu.host.stderr to ptr)
  %n = call i32 (ptr, ...) @fprintf(ptr %stream), !dbg !5
  %r = call i32 @cucpu.host._Z9host_onlyi(i32 %n), !dbg !5
  br label %end
; CHECK: end:
; CHECK-NEXT: store ptr @cucpu.host._Z9host_onlyi
end:
  %v = phi i32 [ 0, %entry ], [ %r, %call ]
  store ptr @cucpu.host._Z9host_onlyi, ptr %p
  ret void
}
; CHECK: define internal i32 @cucpu.host._Z9host_onlyi(i32{{.*}})
; CHECK-NEXT: host:
; CHECK-NEXT: call void @cucpu_host_call(ptr @{{.*}}, ptr @{{.*}}, i32 0)
declare i32 @cucpu.host._Z9host_onlyi(i32)
declare i32 @fprintf(ptr, ...) "dontcall-warn"="cucpu.host.fprintf"

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.cu", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "kernel", file: !1, line: 5, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 7, column: 3, scope: !4)
