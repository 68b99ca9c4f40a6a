; What is not in import.def is refused by its name and source line, as unsupported (status 2).
; RUN: not %cucpu-opt --passes=import_nvvm %s 2>&1 | FileCheck %s
; CHECK-DAG: dir/k.cu:11:3: error: unsupported: this device intrinsic is not implemented ('llvm.nvvm.fence.proxy.alias')
; CHECK-DAG: dir/k.cu:11:3: error: unsupported: this device intrinsic is not implemented ('isspacep.const')
; CHECK-DAG: dir/k.cu:12:5: error: unsupported: texture and surface hardware instructions are not implemented ('llvm.nvvm.suld.1d.i32.trap')
; CHECK-DAG: dir/k.cu:13:7: error: unsupported: this inline PTX is not implemented ('frob.u32 $0;'): unknown instruction 'frob'
define ptx_kernel void @k(ptr %p, i64 %s) !dbg !3 {
  call void @llvm.nvvm.fence.proxy.alias(), !dbg !7
  %l = call i1 @llvm.nvvm.isspacep.const(ptr %p), !dbg !7
  %a = call i32 @llvm.nvvm.suld.1d.i32.trap(i64 %s, i32 0), !dbg !5
  %b = call i32 asm sideeffect "frob.u32 $0;", "=r"(), !dbg !6
  ret void
}
declare void @llvm.nvvm.fence.proxy.alias()
declare i1 @llvm.nvvm.isspacep.const(ptr)
declare i32 @llvm.nvvm.suld.1d.i32.trap(i64, i32)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "dir/k.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DISubprogram(name: "k", file: !1, line: 10, unit: !0, type: !4, spFlags: DISPFlagDefinition)
!4 = !DISubroutineType(types: !{})
!5 = !DILocation(line: 12, column: 5, scope: !3)
!6 = !DILocation(line: 13, column: 7, scope: !3)
!7 = !DILocation(line: 11, column: 3, scope: !3)
