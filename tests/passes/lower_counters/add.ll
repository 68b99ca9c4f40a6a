; RUN: %cucpu-opt --passes=lower_counters %s | FileCheck %s
; Calls become additions to counters that each function fetches once, with an alias scope of their own; only places that
; are still counted are in the table, and have counters.
%Counted = type { ptr, ptr, ptr, i32, i32, i32, i32, i32, i32 }
@cucpu.counted = internal constant %Counted zeroinitializer
@cucpu.counted.1 = internal constant %Counted zeroinitializer
@cucpu.counted.2 = internal constant %Counted zeroinitializer
declare void @cucpu_count(ptr, i32, i64)
; CHECK: @cucpu.counted.all = internal constant [2 x ptr]
; CHECK: @cucpu.profile = internal global { ptr, i32, i32 } { ptr @cucpu.counted.all, i32 2, i32 0 }

; CHECK-LABEL: define void @entry(
; CHECK: %counters = call ptr @cucpu_profile_counters(ptr @cucpu.profile)
; CHECK: store i32 1, ptr %p, align 4, !noalias ![[LIST:[0-9]+]]
; CHECK: %[[A:.*]] = getelementptr i64, ptr %counters, i64
; CHECK: %[[OLD:.*]] = load i64, ptr %[[A]], align 8, !alias.scope ![[LIST]]
; CHECK: %[[NEW:.*]] = add i64 %[[OLD]], %n
; CHECK: store i64 %[[NEW]], ptr %[[A]], align 8, !alias.scope ![[LIST]]
; CHECK-NOT: cucpu_profile_counters
; CHECK-NOT: cucpu_count(
define void @entry(ptr %p, i64 %n) {
  store i32 1, ptr %p
  call void @cucpu_count(ptr @cucpu.counted, i32 1, i64 %n)
  call void @cucpu_count(ptr @cucpu.counted.2, i32 0, i64 1)
  ret void
}
; CHECK-LABEL: define void @other(
; CHECK: call ptr @cucpu_profile_counters
define void @other() {
  call void @cucpu_count(ptr @cucpu.counted, i32 0, i64 1)
  ret void
}
