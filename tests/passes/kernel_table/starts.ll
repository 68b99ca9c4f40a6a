; Start values for cudaDeviceReset: of variables that the host can write or a kernel writes, not of tables that are only read.
; RUN: %cucpu-opt --passes=kernel_table %s | FileCheck %s
@named = internal global [2 x i32] [i32 1, i32 2]
@zeros = internal global [8 x i8] zeroinitializer
@written = internal global i32 7
@passed = internal global i32 8
@only_read = internal global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@table = internal constant i32 9
define i32 @f(i64 %i) {
  store i32 1, ptr @written
  call void @g(ptr @passed)
  %p = getelementptr i32, ptr @only_read, i64 %i
  %a = load i32, ptr %p
  %b = load i32, ptr getelementptr (i8, ptr @only_read, i64 4)
  %c = load i32, ptr @table
  %d = add i32 %a, %b
  %e = add i32 %c, %d
  ret i32 %e
}
declare void @g(ptr)
!cucpu.vars = !{!0, !1}
!0 = !{ptr @named, i32 0}
!1 = !{ptr @zeros, i32 0}
; CHECK-DAG: @[[A:cucpu.start[.0-9]*]] = internal constant [2 x i32] [i32 1, i32 2]
; CHECK-DAG: @[[B:cucpu.start[.0-9]*]] = internal constant i32 7
; CHECK-DAG: @[[C:cucpu.start[.0-9]*]] = internal constant i32 8
; CHECK: @cucpu.starts = internal constant [4 x { ptr, ptr, i64 }] [{ ptr, ptr, i64 } { ptr @named, ptr @[[A]], i64 8 }, { ptr, ptr, i64 } { ptr @zeros, ptr null, i64 8 }, { ptr, ptr, i64 } { ptr @written, ptr @[[B]], i64 4 }, { ptr, ptr, i64 } { ptr @passed, ptr @[[C]], i64 4 }]
; CHECK: @cucpu.module = {{.*}} ptr @cucpu.starts, i32 4, i32 0, i64 {{[0-9]+}}, ptr null, ptr null }
