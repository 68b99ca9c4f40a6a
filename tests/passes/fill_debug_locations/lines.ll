; The instruction before in the block, else the one after it, else the block that leads there, else the kernel; line 0 is no line.
; RUN: %cucpu-opt --passes=fill_debug_locations %s | FileCheck %s
; RUN: %cucpu-opt --passes=fill_debug_locations,fill_debug_locations %s | FileCheck %s
; RUN: %cucpu-opt --passes=fill_debug_locations --disable=fill_debug_locations %s | FileCheck --check-prefix=NONE %s
; RUN: %cucpu-opt --passes=fill_debug_locations --opt=0 %s | FileCheck --check-prefix=NONE %s
; NONE-LABEL: @f(
; NONE: %a = add i32 %x, 1{{$}}

; CHECK-LABEL: @f(
define i32 @f(i32 %x, i1 %c) !dbg !4 {
entry:
; CHECK: %a = add i32 %x, 1, !dbg [[TEN:![0-9]+]]
  %a = add i32 %x, 1
; CHECK: %b = add i32 %a, 2, !dbg [[TEN]]
  %b = add i32 %a, 2, !dbg !5
; CHECK: %d = add i32 %b, 3, !dbg [[TEN]]
  %d = add i32 %b, 3, !dbg !6
; CHECK: br i1 %c, label %loop, label %other, !dbg [[TEN]]
  br i1 %c, label %loop, label %other
loop:
; CHECK: %i = phi i32 {{.*}}, !dbg [[TWELVE:![0-9]+]]
  %i = phi i32 [ %d, %entry ], [ %n, %loop ]
; CHECK: %n = mul i32 %i, 3, !dbg [[TWELVE]]
  %n = mul i32 %i, 3
; CHECK: %t = icmp ult i32 %n, 100, !dbg [[TWELVE]]
  %t = icmp ult i32 %n, 100, !dbg !7
; CHECK: br i1 %t, {{.*}}, !dbg [[TWELVE]]
  br i1 %t, label %loop, label %out
other:
; CHECK: %o = mul i32 %d, 7, !dbg [[TEN]]
  %o = mul i32 %d, 7
  br label %out
out:
; CHECK: %r = phi
  %r = phi i32 [ %n, %loop ], [ %o, %other ]
  ret i32 %r
}

; CHECK-LABEL: @g(
define i32 @g(i32 %x) !dbg !8 {
; CHECK: %a = add i32 %x, 1, !dbg [[OWN:![0-9]+]]
  %a = add i32 %x, 1
  ret i32 %a
}

; CHECK-LABEL: @without(
; CHECK: ret i32 %x{{$}}
define i32 @without(i32 %x) {
  ret i32 %x
}
; CHECK-DAG: [[TEN]] = !DILocation(line: 10
; CHECK-DAG: [[TWELVE]] = !DILocation(line: 12
; CHECK-DAG: [[OWN]] = !DILocation(line: 20

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "f", file: !1, line: 9, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 10, scope: !4)
!6 = !DILocation(line: 0, scope: !4)
!7 = !DILocation(line: 12, scope: !4)
!8 = distinct !DISubprogram(name: "g", file: !1, line: 20, type: !3, unit: !0, spFlags: DISPFlagDefinition)
