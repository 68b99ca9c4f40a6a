; cucpu.exit ends the thread where it stands; there is still one return.
; RUN: %cucpu-opt --passes=normalise_cfg %s | FileCheck %s
define void @k(ptr %p, i1 %c) "cucpu.kernel" {
entry:
  br i1 %c, label %leave, label %go
leave:
  call void @cucpu.exit()
  store volatile i32 1, ptr %p
  br label %go
go:
  store volatile i32 2, ptr %p
  ret void
}
declare void @cucpu.exit()
; CHECK-LABEL: define void @k(
; CHECK-NOT: @cucpu.exit
; CHECK-NOT: store volatile i32 1
; CHECK: ret void
; CHECK-NOT: ret void
; CHECK: store volatile i32 2
; CHECK-NOT: ret void
; CHECK: }
; CHECK-NOT: declare void @cucpu.exit
