; All dynamic arrays start behind the static ones.
; RUN: %cucpu-opt --passes=lower_shared %s | FileCheck %s
@s = internal addrspace(3) global [3 x i32] undef, align 4
@dyn_a = external addrspace(3) global [0 x i32], align 4
@dyn_b = external addrspace(3) global [0 x double], align 8
define void @k(i64 %i) "cucpu.kernel" {
  store i32 1, ptr addrspace(3) @s
  %a = getelementptr i32, ptr addrspace(3) @dyn_a, i64 %i
  store i32 2, ptr addrspace(3) %a
  %b = getelementptr double, ptr addrspace(3) @dyn_b, i64 %i
  store double 3.0, ptr addrspace(3) %b
  ret void
}
; CHECK: define void @k(i64 %i) #[[K:[0-9]+]]
; CHECK-DAG: %dyn_a = getelementptr inbounds i8, ptr %shared, i64 16
; CHECK-DAG: %dyn_b = getelementptr inbounds i8, ptr %shared, i64 16
; CHECK: attributes #[[K]] = {{{.*}}"cucpu.static_shared"="16"
