; The entry's copy has non-temporal stores where addresses are aligned, and ends with a fence; it is called for grids that
; store more than the launch has as the limit.
; RUN: %cucpu-opt --passes=stream_stores --cpu=x86-64-v4 %s | FileCheck %s
; CHECK-LABEL: define internal void @k.entry(ptr %launch, ptr %worker, i64 %first, i64 %end)
; CHECK: alloca [64 x i8]
; CHECK: %stream_bytes = load i32
; CHECK: icmp ult i32 %stream_bytes, 4
; CHECK: call void @k.entry.streamed(ptr %launch, ptr %worker, i64 %first, i64 %end)
; CHECK-NEXT: ret void
; CHECK-NOT: nontemporal
; CHECK-LABEL: define internal void @plain.entry(
; CHECK-NOT: call
; CHECK-LABEL: define internal void @k.entry.streamed(
; CHECK: and i64 %{{.*}}, 63
; CHECK: aligned:
; CHECK-NEXT: store <16 x float> %{{.*}}, ptr %{{.*}}, align 64, {{.*}}!nontemporal
; CHECK: store <16 x float> %{{.*}}, ptr %{{.*}}, align 4
; CHECK: store <2 x float> {{.*}}, align 4
; CHECK: call void @llvm.x86.sse.sfence()
; CHECK-NEXT: ret void
define internal void @k.entry(ptr %launch, ptr %worker, i64 %first, i64 %end) "cucpu.entry" "cucpu.width"="16" "cucpu.streamed"="4" {
  %x = load ptr, ptr %worker
  %buffer = alloca [64 x i8]
  %v = load <16 x float>, ptr %x
  store <16 x float> %v, ptr %x, align 4, !cucpu.stream !0
  store <2 x float> zeroinitializer, ptr %x, align 4, !cucpu.stream !0
  ret void
}
define internal void @plain.entry(ptr %launch, ptr %worker, i64 %first, i64 %end) "cucpu.entry" "cucpu.width"="16" {
  store <16 x float> zeroinitializer, ptr %worker, align 4
  ret void
}
!0 = !{}
