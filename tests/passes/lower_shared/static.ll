; Static arrays get offsets in the block's arena; alignment is kept; what a kernel does not use it does not pay for.
; RUN: %cucpu-opt --passes=lower_shared %s | FileCheck %s
@bytes = internal addrspace(3) global [5 x i8] undef, align 1
@reals = internal addrspace(3) global [4 x double] undef, align 8
@other = internal addrspace(3) global [1000 x i32] undef, align 4
; CHECK-NOT: @reals =
; CHECK: define void @k(i64 %i) #[[K:[0-9]+]]
; CHECK: %shared = call ptr @cucpu.shared()
; CHECK: getelementptr inbounds i8, ptr %shared, i64 16
define void @k(i64 %i) "cucpu.kernel" {
  %p = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @bytes to ptr), i64 %i
  store i8 1, ptr %p
  %q = getelementptr double, ptr addrspace(3) @reals, i64 %i
  store double 1.0, ptr addrspace(3) %q
  ret void
}
; The size that a kernel asks for is its own.
; CHECK: define i32 @asks()
; CHECK: ret i32 4000
define i32 @asks() "cucpu.kernel" {
  store i32 1, ptr addrspace(3) @other
  %n = call i32 @cucpu.staticsize()
  ret i32 %n
}
declare i32 @cucpu.staticsize()
define void @none() "cucpu.kernel" {
  ret void
}
; CHECK: define void @none() #[[N:[0-9]+]]
; CHECK-NEXT: ret void
; CHECK: attributes #[[K]] = {{{.*}}"cucpu.static_shared"="48"
; CHECK: attributes #[[N]] = {{{.*}}"cucpu.static_shared"="0"
