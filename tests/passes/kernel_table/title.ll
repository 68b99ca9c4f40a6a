; Names for messages: as the source has them, without the suffix that clang gives static kernels of -rdc; none where they are the same.
; RUN: %cucpu-opt --passes=kernel_table %s | FileCheck %s
define void @_ZN1n1kIiEEvPT_(ptr %p) "cucpu.kernel" {
  ret void
}
define void @_ZL1sPf__intern__0123456789abcdef(ptr %p) "cucpu.kernel" {
  ret void
}
define void @plain(ptr %p) "cucpu.kernel" {
  ret void
}
; CHECK: @cucpu.text{{.*}} = internal constant [16 x i8] c"_ZN1n1kIiEEvPT_\00"
; CHECK: @[[A:cucpu.text[.0-9]*]] = internal constant [21 x i8] c"void n::k<int>(int*)\00"
; CHECK: @[[B:cucpu.text[.0-9]*]] = internal constant [10 x i8] c"s(float*)\00"
; CHECK: @cucpu.kernels = internal constant [3 x {{.*}} i32 0, ptr null, ptr @[[A]], i32 0, i32 0 }, {{.*}} i32 0, ptr null, ptr @[[B]], i32 0, i32 0 }, {{.*}} i32 0, ptr null, ptr null, i32 0, i32 0 }]
