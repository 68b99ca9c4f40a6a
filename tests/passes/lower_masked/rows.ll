; Masked accesses that the target lacks: whole loads within a page, stores by stretches.  Those that it has stay.
; RUN: %cucpu-opt --passes=lower_masked --cpu=x86-64-v3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=lower_masked --cpu=x86-64-v4 %s | FileCheck --check-prefix=SAME %s
; RUN: %cucpu-opt --passes=lower_masked --disable=lower_masked --cpu=x86-64-v3 %s | FileCheck --check-prefix=SAME %s

; SAME-LABEL: @rows
; SAME-NEXT: call <16 x i8> @llvm.masked.load
; SAME-NEXT: call void @llvm.masked.store
; SAME-NEXT: ret
; CHECK-LABEL: @rows
; Some lane is on; p is not among the last 15 bytes of a page, or the vector is read up to 15 bytes lower or higher and moved back.
; CHECK: [[SOME:%.*]] = icmp ne i64 {{.*}}, 0
; CHECK: br i1 [[SOME]], label %whole, label %apart
; CHECK: whole:
; CHECK: [[PLACE:%.*]] = and i64 {{.*}}, 4095
; CHECK: [[WITHIN:%.*]] = icmp ule i64 [[PLACE]], 4080
; CHECK: br i1 [[WITHIN]], label %within, label %beside
; CHECK: within:
; CHECK: load volatile <16 x i8>, ptr %p, align 1
; CHECK: beside:
; CHECK: [[PAGE:%.*]] = sub i64 4096, [[PLACE]]
; CHECK: [[LOW:%.*]] = icmp ult i64 {{.*}}, [[PAGE]]
; CHECK: [[HIGH:%.*]] = icmp ugt i64 {{.*}}, [[PAGE]]
; CHECK: [[DOWN:%.*]] = sub i64 [[PAGE]], 16
; CHECK: [[BACK:%.*]] = select i1 [[HIGH]], i64 0, i64 [[DOWN]]
; CHECK: [[BY:%.*]] = select i1 [[LOW]], i64 [[BACK]], i64 [[PAGE]]
; CHECK: getelementptr i8, ptr %p, i64 [[BY]]
; CHECK: load volatile <16 x i8>, ptr {{.*}}, align 1
; CHECK: store <16 x i8> {{.*}}, align 1
; CHECK: load <16 x i8>, ptr {{.*}}, align 16
; CHECK-NOT: @llvm.masked.load
; CHECK: joined:
; CHECK: phi <16 x i8>
; All lanes; none; one stretch of 8, 4, 2 or 1 at its start and its end; any others.
; CHECK: icmp eq i64 {{.*}}, 65535
; CHECK: store <16 x i8> {{.*}}, ptr %q, align 1
; CHECK: [[OFF:%.*]] = icmp eq i64 {{.*}}, 0
; CHECK: br i1 [[OFF]], label %{{whole.*}}, label %{{apart.*}}
; CHECK: icmp uge i64 [[COUNT:%.*]], 8
; CHECK: call void @llvm.masked.store
; CHECK: [[EIGHT:%.*]] = load i64, ptr
; CHECK: store i64 [[EIGHT]], ptr {{.*}}, align 1
; CHECK: load i64
; CHECK: store i64
; CHECK: icmp uge i64 [[COUNT]], 4
; CHECK: store i32
; CHECK: store i32
; CHECK: icmp uge i64 [[COUNT]], 2
; CHECK: store i16
; CHECK: store i16
; CHECK: store i8
define void @rows(ptr %p, ptr %q, <16 x i1> %on) {
  %v = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr align 1 %p, <16 x i1> %on, <16 x i8> poison)
  call void @llvm.masked.store.v16i8.p0(<16 x i8> %v, ptr align 1 %q, <16 x i1> %on)
  ret void
}

; A vector that is aligned lies in one page.
; CHECK-LABEL: @aligned
; CHECK-NOT: 4095
; CHECK: load volatile <16 x i8>, ptr %p, align 16
; CHECK: select <16 x i1> %on, <16 x i8> {{.*}}, <16 x i8> zeroinitializer
define <16 x i8> @aligned(ptr %p, <16 x i1> %on) {
  %v = call <16 x i8> @llvm.masked.load.v16i8.p0(ptr align 16 %p, <16 x i1> %on, <16 x i8> zeroinitializer)
  ret <16 x i8> %v
}

; AVX2 has masks for four bytes.
; CHECK-LABEL: @native
; CHECK-NEXT: call <8 x float> @llvm.masked.load
; CHECK-NEXT: ret
define <8 x float> @native(ptr %p, <8 x i1> %on) {
  %v = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %p, <8 x i1> %on, <8 x float> poison)
  ret <8 x float> %v
}
