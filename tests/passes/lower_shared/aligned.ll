; Dynamic arrays start at a multiple of the largest alignment that one of them has.
; RUN: %cucpu-opt --passes=lower_shared %s | FileCheck %s
@bar = internal addrspace(3) global i64 undef, align 8
@tiles = external addrspace(3) global [0 x i8], align 1024
define void @k(i64 %i) "cucpu.kernel" {
  store i64 1, ptr addrspace(3) @bar
  %a = getelementptr i8, ptr addrspace(3) @tiles, i64 %i
  store i8 2, ptr addrspace(3) %a
  ret void
}
define void @none() "cucpu.kernel" {
  store i64 1, ptr addrspace(3) @bar
  ret void
}
; CHECK: define void @k(i64 %i) #[[K:[0-9]+]]
; CHECK: %tiles = getelementptr inbounds i8, ptr %shared, i64 1024
; CHECK: define void @none() #[[N:[0-9]+]]
; CHECK-DAG: attributes #[[K]] = {{{.*}}"cucpu.static_shared"="1024"
; CHECK-DAG: attributes #[[N]] = {{{.*}}"cucpu.static_shared"="16"
