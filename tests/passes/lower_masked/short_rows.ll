; Loads and stores of less than 16 bytes become those of 16 with AVX-512; LLVM cannot tell which lanes are added.
; RUN: %cucpu-opt --passes=lower_masked --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=lower_masked --cpu=x86-64-v3 %s | FileCheck --check-prefix=OTHER %s
; OTHER-NOT: cucpu.lanes
; CHECK: @cucpu.lanes.8.16 = internal constant i16 255
; CHECK-LABEL: @bytes
; CHECK: %[[V:.*]] = load volatile i16, ptr @cucpu.lanes.8.16
; CHECK: call <16 x i8> @llvm.masked.load.v16i8.p0(ptr align 1 %p, <16 x i1>
; CHECK: call void @llvm.masked.store.v16i8.p0(<16 x i8> {{.*}}, ptr align 1 %q, <16 x i1>
define void @bytes(ptr %p, ptr %q, <8 x i1> %m) {
  %v = call <8 x i8> @llvm.masked.load.v8i8.p0(ptr align 1 %p, <8 x i1> %m, <8 x i8> zeroinitializer)
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %v, ptr align 1 %q, <8 x i1> %m)
  ret void
}
; CHECK-LABEL: @whole
; CHECK: llvm.masked.store.v4f32
; CHECK-LABEL: @constant
; CHECK: llvm.masked.store.v8i8
define void @whole(ptr %p, <4 x float> %v, <4 x i1> %m) {
  call void @llvm.masked.store.v4f32.p0(<4 x float> %v, ptr align 4 %p, <4 x i1> %m)
  ret void
}
define void @constant(ptr %p, <8 x i8> %v) {
  call void @llvm.masked.store.v8i8.p0(<8 x i8> %v, ptr align 1 %p, <8 x i1> <i1 1, i1 0, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1>)
  ret void
}
declare <8 x i8> @llvm.masked.load.v8i8.p0(ptr, <8 x i1>, <8 x i8>)
declare void @llvm.masked.store.v8i8.p0(<8 x i8>, ptr, <8 x i1>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)
