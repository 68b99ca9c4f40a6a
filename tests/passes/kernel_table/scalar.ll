; Code of one lane stands beside the variants, with its estimate.
; RUN: %cucpu-opt --passes=kernel_table %s | FileCheck %s
define void @k(ptr %p) "cucpu.kernel" "cucpu.flags"="256" {
  ret void
}
define internal void @one(ptr %launch, ptr %worker, i64 %first, i64 %end) "cucpu.entry" "cucpu.base"="k" "cucpu.width"="1" "cucpu.layout"="0" "cucpu.scalar"="130" {
  ret void
}
define internal void @many(ptr %launch, ptr %worker, i64 %first, i64 %end) "cucpu.entry" "cucpu.base"="k" "cucpu.width"="16" "cucpu.layout"="2" "cucpu.frame"="128,64" {
  ret void
}
define internal void @along_y(ptr %launch, ptr %worker, i64 %first, i64 %end) "cucpu.entry" "cucpu.base"="k" "cucpu.width"="16" "cucpu.layout"="0" "cucpu.along"="1" "cucpu.along_time"="40" {
  ret void
}
; CHECK-DAG: @cucpu.variants = internal constant [2 x {{.*}}] [{{.*}} { ptr @along_y, i32 16, i32 0, [3 x i32] zeroinitializer, i32 0, i32 0, i32 0, i32 1, i32 40, i32 0, i32 0 }, {{.*}} { ptr @many, i32 16, i32 2, [3 x i32] zeroinitializer, i32 128, i32 64, i32 0, i32 0, i32 0, i32 0, i32 0 }]
; CHECK-DAG: @cucpu.scalar = internal constant {{.*}} { ptr @one, i32 1, i32 0, [3 x i32] zeroinitializer, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0 }
; CHECK-DAG: @cucpu.kernels = internal constant {{.*}} i32 1, i32 2, {{.*}} i32 256, i32 0, ptr null, i64 0, ptr @cucpu.scalar, i32 130, i32 0, [3 x i32] zeroinitializer, i32 0, ptr null, i32 0, i32 0, i32 0, i32 0, ptr null, ptr null, i32 0, i32 0 }
