; Gathers and scatters without instructions for them: scalar accesses at a scalar base, without branches where all
; lanes are on.
; RUN: %cucpu-opt --passes=lower_masked --cpu=x86-64-v3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=lower_masked --cpu=x86-64-v4 %s | FileCheck --check-prefix=SAME %s

; SAME-LABEL: @column
; SAME: llvm.masked.gather
; CHECK-LABEL: @column
; CHECK-NOT: llvm.masked.gather
; CHECK: getelementptr i8, ptr %p, i64 0
; CHECK-NEXT: load float, {{.*}} align 4
; CHECK: getelementptr i8, ptr %p, i64 132
; CHECK: getelementptr i8, ptr %p, i64 264
; CHECK: getelementptr i8, ptr %p, i64 396
; CHECK: insertelement <4 x float> {{.*}} i64 3
define <4 x float> @column(ptr %p) {
  %a = getelementptr i8, ptr %p, <4 x i64> <i64 0, i64 132, i64 264, i64 396>
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 %a, <4 x i1> splat (i1 true), <4 x float> poison)
  ret <4 x float> %v
}

; The index leaves its vector in front of the extension and of the sum with constants.
; CHECK-LABEL: @chosen
; CHECK: icmp eq i64 {{.*}}, 15
; CHECK: whole:
; CHECK-NEXT: extractelement <4 x i32> %i, i64 0
; CHECK-NEXT: sext i32 {{.*}} to i64
; CHECK-NEXT: add i64 {{.*}}, 1
; CHECK-NEXT: getelementptr i32, ptr %p
; CHECK: store float
; CHECK: store float
; CHECK: store float
; CHECK: store float
; Else lanes that are off have a place of their own.
; CHECK: apart:
; CHECK: [[OWN:%.*]] = shufflevector <4 x ptr> {{.*}} zeroinitializer
; CHECK: [[P:%.*]] = select <4 x i1> %on, <4 x ptr> %a, <4 x ptr> [[OWN]]
; CHECK: call void @llvm.masked.scatter{{.*}} align 4 [[P]], <4 x i1> splat (i1 true)), !noalias
define void @chosen(ptr %p, <4 x i32> %i, <4 x float> %v, <4 x i1> %on) {
  %wide = sext <4 x i32> %i to <4 x i64>
  %at = add <4 x i64> %wide, <i64 1, i64 2, i64 3, i64 4>
  %a = getelementptr i32, ptr %p, <4 x i64> %at
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %v, <4 x ptr> align 4 %a, <4 x i1> %on), !noalias !0
  ret void
}

; Of bytes and shorts CPUs have none.  Left alone: constant masks, more alignment than the place has, bits.
; CHECK-LABEL: @others
; SAME-LABEL: @others
define void @others(<4 x ptr> %p, <4 x i1> %m, <4 x i16> %v, <4 x i1> %bits, ptr %out) {
; SAME: select <4 x i1> %m, <4 x ptr> %p
; SAME: [[G:%.*]] = call <4 x i16> @llvm.masked.gather.v4i16.v4p0(<4 x ptr> align 2 {{.*}}, <4 x i1> splat (i1 true), <4 x i16> poison)
; SAME: select <4 x i1> %m, <4 x i16> [[G]], <4 x i16> %v
  %a = call <4 x i16> @llvm.masked.gather.v4i16.v4p0(<4 x ptr> align 2 %p, <4 x i1> %m, <4 x i16> %v)
  store <4 x i16> %a, ptr %out
; CHECK: masked.scatter.v4i16{{.*}} %p, <4 x i1> <i1 true, i1 false
  call void @llvm.masked.scatter.v4i16.v4p0(<4 x i16> %v, <4 x ptr> align 2 %p, <4 x i1> <i1 1, i1 0, i1 1, i1 1>)
; CHECK: masked.scatter.v4i16{{.*}} %p, <4 x i1> %m
  call void @llvm.masked.scatter.v4i16.v4p0(<4 x i16> %v, <4 x ptr> align 128 %p, <4 x i1> %m)
; CHECK: masked.scatter.v4i1.{{.*}} %p, <4 x i1> %m
  call void @llvm.masked.scatter.v4i1.v4p0(<4 x i1> %bits, <4 x ptr> align 1 %p, <4 x i1> %m)
  ret void
}
!0 = !{!1}
!1 = !{!"s", !2}
!2 = !{!"d"}

; A sum that may wrap in front of its extension: LLVM must not see an extended sum, which it takes for a place in memory behind
; that of the smaller sum.
; CHECK-LABEL: @wraps
; CHECK: extractelement <4 x i32> %i, i64 1
; CHECK-NEXT: [[X:%.*]] = sext i32 {{.*}} to i64
; CHECK-NEXT: [[Y:%.*]] = add i64 [[X]], 1
; CHECK-NEXT: [[OVER:%.*]] = icmp sge i64 [[Y]], 2147483648
; CHECK-NEXT: [[LOW:%.*]] = add i64 [[Y]], -4294967296
; CHECK-NEXT: select i1 [[OVER]], i64 [[LOW]], i64 [[Y]]
define <4 x float> @wraps(ptr %p, <4 x i32> %i) {
  %s = add <4 x i32> %i, <i32 0, i32 1, i32 2, i32 3>
  %x = sext <4 x i32> %s to <4 x i64>
  %a = getelementptr float, ptr %p, <4 x i64> %x
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 %a, <4 x i1> splat (i1 true), <4 x float> poison)
  ret <4 x float> %v
}
