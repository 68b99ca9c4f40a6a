; Numbers have their values stored where they change, by the line that changes them; arrays and __shared__ variables their
; address, once. Where threads meet others and where they end is stored, too.
; RUN: %cucpu-opt --opt=0 --passes=record_variables %s | FileCheck %s
; RUN: %cucpu-opt --opt=3 --passes=record_variables %s | FileCheck %s
; RUN: %cucpu-opt --opt=0 --disable=record_variables --passes=record_variables %s | FileCheck --check-prefix=NONE %s
; RUN: sed 's/FullDebug/LineTablesOnly/' %s | %cucpu-opt --opt=0 --passes=record_variables - | FileCheck --check-prefix=NONE %s
; NONE-NOT: cucpu.debug.record
; NONE: @tile = internal addrspace(3) global [4 x i32] undef, !dbg
@tile = internal addrspace(3) global [4 x i32] undef, !dbg !20

; CHECK: @tile = internal addrspace(3) global [4 x i32] undef{{$}}
; CHECK-LABEL: define void @k
; CHECK: %record = call ptr @cucpu.debug.record(i32 128)
; CHECK: [[TID:%.*]] = call i32 @cucpu.tid.x()
; CHECK: store volatile i32 [[TID]], ptr
; CHECK: getelementptr inbounds i8, ptr %record, i64 72
; CHECK-NEXT: store volatile ptr %local,
; CHECK: #dbg_declare(ptr %record, [[V:![0-9]+]], !DIExpression(DW_OP_plus_uconst, 64),
; CHECK-NEXT: #dbg_declare(ptr %record, {{.*}}, !DIExpression(DW_OP_plus_uconst, 72, DW_OP_deref),
; CHECK-NEXT: #dbg_declare(ptr %record, {{.*}}, !DIExpression(DW_OP_plus_uconst, 80),
; CHECK-NEXT: #dbg_declare(ptr %record, [[TILE:![0-9]+]], !DIExpression(DW_OP_plus_uconst, {{[0-9]+}}, DW_OP_deref),
; CHECK: store i32 %n, ptr %v, align 4, !dbg [[LINE3:![0-9]+]]
; CHECK-NEXT: [[AT:%.*]] = getelementptr inbounds i8, ptr %record, i64 64, !dbg [[LINE3]]
; CHECK-NEXT: store volatile i32 %n, ptr [[AT]], align 1, !dbg [[LINE3]]
; CHECK: store volatile i32 4,
; CHECK-NEXT: call void @cucpu.barrier
; CHECK: getelementptr inbounds i8, ptr %record, i64 80
; CHECK-NEXT: store volatile i8 {{.*}}, ptr {{.*}}, align 1, !dbg [[LINE5:![0-9]+]]
; CHECK: store volatile i32 -1,
; CHECK-NEXT: ret void
; CHECK-DAG: [[V]] = !DILocalVariable(name: "v"
; CHECK-DAG: [[TILE]] = !DILocalVariable(name: "tile"
; CHECK-DAG: [[LINE3]] = !DILocation(line: 3,
; CHECK-DAG: [[LINE5]] = !DILocation(line: 5,
define void @k(i32 %n) "cucpu.kernel" !dbg !4 {
  %v = alloca i32, align 4
  %local = alloca [8 x i32], align 4
    #dbg_declare(ptr %v, !8, !DIExpression(), !11)
    #dbg_declare(ptr %local, !9, !DIExpression(), !11)
  store i32 %n, ptr %v, align 4, !dbg !11
  call void @cucpu.barrier(i32 0), !dbg !12
  %c = icmp sgt i32 %n, 0, !dbg !13
    #dbg_value(i1 %c, !10, !DIExpression(), !13)
  %p = getelementptr [8 x i32], ptr %local, i64 0, i32 %n, !dbg !13
  store i32 %n, ptr %p, align 4, !dbg !13
  store i32 %n, ptr addrspace(3) @tile, align 4, !dbg !13
  ret void, !dbg !13
}
declare void @cucpu.barrier(i32)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug, globals: !22)
!1 = !DIFile(filename: "k.cu", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DILocalVariable(name: "v", scope: !4, file: !1, line: 2, type: !7)
!9 = !DILocalVariable(name: "local", scope: !4, file: !1, line: 2, type: !7)
!10 = !DILocalVariable(name: "c", scope: !4, file: !1, line: 2, type: !14)
!11 = !DILocation(line: 3, scope: !4)
!12 = !DILocation(line: 4, scope: !4)
!13 = !DILocation(line: 5, scope: !4)
!14 = !DIBasicType(name: "bool", size: 8, encoding: DW_ATE_boolean)
!20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression())
!21 = distinct !DIGlobalVariable(name: "tile", scope: !4, file: !1, line: 2, type: !7, isLocal: true, isDefinition: true)
!22 = !{!20}
