; The module table: name, parameters, variants, bounds; the per-thread kernel is gone, the constructor registers.
; RUN: %cucpu-opt --passes=make_variants,split_barriers,loop_groups,kernel_table --simd=1 --cpu=x86-64-v3 %s | FileCheck %s --check-prefixes=CHECK,V3
; RUN: %cucpu-opt --passes=make_variants,split_barriers,loop_groups,kernel_table --simd=1 --cpu=x86-64 %s | FileCheck %s --check-prefixes=CHECK,V1
define void @k(ptr %p, i8 %c, double %d) "cucpu.kernel" "cucpu.maxntid"="64,2" "cucpu.static_shared"="48" {
  call void @cucpu.barrier(i32 0)
  ret void
}
declare void @cucpu.barrier(i32)
; CHECK-DAG: @cucpu.text{{.*}} = internal constant [2 x i8] c"k\00"
; CHECK-DAG: @cucpu.params = internal constant [3 x { i32, i32 }] [{ i32, i32 } { i32 8, i32 8 }, { i32, i32 } { i32 1, i32 1 }, { i32, i32 } { i32 8, i32 8 }]
; CHECK-DAG: @cucpu.variants = internal constant {{.*}} { ptr @k.w1.rows_full.entry, i32 1, i32 0, [3 x i32] zeroinitializer, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0 }
; CHECK-DAG: @cucpu.kernels = internal constant {{.*}} { ptr @cucpu.text{{.*}}, ptr @cucpu.params, ptr @cucpu.variants, i32 3, i32 1, i32 48, i32 0, i32 128, [3 x i32] zeroinitializer, i32 50333700, i32 0, ptr null, i64 0, ptr null, i32 0, i32 0, [3 x i32] zeroinitializer, i32 0, ptr null, i32 0, i32 0, i32 0, i32 0, ptr null, ptr null, i32 0, i32 0 }
; V3-DAG: @cucpu.module = internal constant {{.*}} { i32 16, i32 32, i64 0, ptr @cucpu.text{{.*}}, ptr @cucpu.kernels, ptr null, i32 1, i32 0, ptr null, i32 0, i32 0, i64 1284605, ptr null, ptr null }
; V1-DAG: @cucpu.module = internal constant {{.*}} { i32 16, i32 32, i64 0, ptr @cucpu.text{{.*}}, ptr @cucpu.kernels, ptr null, i32 1, i32 0, ptr null, i32 0, i32 0, i64 8, ptr null, ptr null }
; CHECK-DAG: @llvm.global_ctors = appending global {{.*}} ptr @cucpu.module.ctor
; CHECK-NOT: define void @k(
; CHECK: define internal void @cucpu.module.ctor()
; CHECK-NEXT: call void @cucpu_register_module(ptr @cucpu.module)
