; Masked stores that AVX2 has and most processors with it take long for: plain if all lanes are on, none if none is, else by the mask,
; register by register.  Lanes that are one stretch are moved to its start and stored in two halves of the next smaller power of two, that
; overlap.  A mask that was a number is asked as such.  Cores that are quick have them as they are.  A store of a blend is not made a masked one.
; RUN: %cucpu-opt --passes=lower_masked --cpu=x86-64-v3 %s -o %t.ll && FileCheck %s < %t.ll
; RUN: %cucpu-opt --passes=lower_masked --cpu=znver3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=lower_masked --cpu=haswell %s | FileCheck --check-prefix=SAME %s
; RUN: %cucpu-opt --passes=lower_masked --cpu=x86-64-v4 %s | FileCheck --check-prefix=SAME %s
; RUN: llc -mcpu=x86-64-v3 %t.ll -o - | FileCheck --check-prefix=ASM %s
target triple = "x86_64-pc-linux-gnu"

; SAME-LABEL: @one(
; SAME-NEXT: call void @llvm.masked.store
; SAME-NEXT: ret
; CHECK-LABEL: @one(
; CHECK: icmp eq i64 {{.*}}, 255
; CHECK: store <8 x i32> %v, ptr %p, align 4
; CHECK: icmp eq i64 {{.*}}, 0
; CHECK: br i1
; CHECK: %[[FIRST:.*]] = call i64 @llvm.cttz.i64(
; CHECK: icmp eq i64 {{.*}}, 0
; CHECK: call i64 @llvm.ctpop.i64(
; CHECK: icmp uge i64 {{.*}}, 4
; CHECK: call void @llvm.masked.store.v8i32.p0(<8 x i32> %v, ptr align 4 %p, <8 x i1> %on)
; CHECK: call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> %v,
; CHECK: store <4 x i32>
; CHECK: call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> %v,
; CHECK: store <4 x i32>
; CHECK: icmp uge i64 {{.*}}, 2
; CHECK: store i64
; CHECK: store i64
; CHECK: store i32
define void @one(<8 x i32> %v, ptr %p, <8 x i1> %on) {
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %v, ptr align 4 %p, <8 x i1> %on)
  ret void
}

; CHECK-LABEL: @two(
; CHECK: icmp eq i64 {{.*}}, 65535
; CHECK: store <16 x float> %v, ptr %p, align 64
; CHECK: icmp eq i64 {{.*}}, 0
; CHECK: shufflevector <16 x i1> %on, {{.*}} <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
; CHECK: icmp eq i64 {{.*}}, 255
; CHECK: call void @llvm.masked.store.v8f32
; CHECK: shufflevector <16 x i1> %on, {{.*}} <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
; CHECK: getelementptr float, ptr %p, i64 8
; CHECK: store <8 x float> {{.*}}, align 4
; CHECK: call void @llvm.masked.store.v8f32
; CHECK-NOT: call void @llvm.masked.store.v16f32
; CHECK: ret void
define void @two(<16 x float> %v, ptr %p, <16 x i1> %on) {
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v, ptr align 64 %p, <16 x i1> %on)
  ret void
}

; CHECK-LABEL: @blend(
; CHECK: store volatile <8 x i32>
; SAME-LABEL: @blend(
; SAME: store <8 x i32>
; ASM-LABEL: blend:
; ASM-NOT: maskmov
; ASM: vblendv
; ASM: retq
define void @blend(<8 x i32> %v, ptr %p, <8 x i32> %k) {
  %on = icmp slt <8 x i32> %k, zeroinitializer
  %old = load <8 x i32>, ptr %p
  %new = select <8 x i1> %on, <8 x i32> %v, <8 x i32> %old
  store <8 x i32> %new, ptr %p
  ret void
}

; Memory of the block: the row is stored whole, and nothing of it if no lane is on; a long one behind a branch.
; CHECK-LABEL: @own(
; CHECK: [[NONE:%.*]] = icmp eq i64 {{.*}}, 0
; CHECK: [[P:%.*]] = select i1 [[NONE]], ptr %own, ptr %p
; CHECK: [[OLD:%.*]] = load <8 x i32>, ptr [[P]], align 4
; CHECK: [[NEW:%.*]] = select <8 x i1> %on, <8 x i32> %v, <8 x i32> [[OLD]]
; CHECK: store volatile <8 x i32> [[NEW]], ptr [[P]], align 4
; CHECK: br i1
; CHECK: load <32 x i32>, ptr %q
; CHECK: store volatile <32 x i32> {{.*}}, ptr %q
; CHECK-NOT: llvm.masked.store
; CHECK: ret void
; SAME-LABEL: @own(
; SAME-COUNT-2: call void @llvm.masked.store
; ASM-LABEL: own:
; ASM-NOT: maskmov
; ASM: retq
define void @own(<8 x i32> %v, ptr %p, <8 x i1> %on, <32 x i32> %w, ptr %q, <32 x i1> %some) {
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %v, ptr align 4 %p, <8 x i1> %on), !cucpu.blendable !0
  call void @llvm.masked.store.v32i32.p0(<32 x i32> %w, ptr align 4 %q, <32 x i1> %some), !cucpu.blendable !0
  ret void
}
!0 = !{}

; CHECK-LABEL: @number(
; CHECK: [[BITS:%.*]] = zext i8 %n to i64
; CHECK: icmp eq i64 [[BITS]], 255
; CHECK: icmp eq i64 [[BITS]], 0
; CHECK: call i64 @llvm.cttz.i64(i64 [[BITS]]
define void @number(<8 x i32> %v, ptr %p, i8 %n) {
  %on = bitcast i8 %n to <8 x i1>
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %v, ptr align 4 %p, <8 x i1> %on)
  ret void
}

; What is asked about a mask that a loop does not change is computed in front of it.
; CHECK-LABEL: @marches(
; CHECK: entry:
; CHECK: %on = icmp
; CHECK: bitcast <8 x i1> %on to i8
; CHECK: call i64 @llvm.cttz.i64(
; CHECK: call i64 @llvm.ctpop.i64(
; CHECK: loop:
; CHECK-NOT: cttz
; CHECK: call <8 x i32> @llvm.x86.avx2.permd
; CHECK-NOT: cttz
; CHECK: ret void
define void @marches(<8 x i32> %v, ptr %p, <8 x i32> %k, i32 %n) {
entry:
  %on = icmp slt <8 x i32> %k, zeroinitializer
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %q = getelementptr i32, ptr %p, i32 %i
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %v, ptr align 4 %q, <8 x i1> %on)
  %j = add i32 %i, 8
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}

; What is asked about a mask that does not change in a loop stands behind it, though the load that stood there is gone by then.
; CHECK-LABEL: @behind_mask
; CHECK: %on = icmp
; CHECK: call i64 @llvm.cttz.i64
; CHECK: load volatile <8 x i16>, ptr %p
; CHECK: loop:
; CHECK-NOT: @llvm.cttz
; CHECK: store <8 x i32>
define void @behind_mask(ptr %p, ptr %q, <8 x i32> %l) {
entry:
  br label %pre
pre:
  %on = icmp slt <8 x i32> %l, splat (i32 7)
  %v = call <8 x i16> @llvm.masked.load.v8i16.p0(ptr align 2 %p, <8 x i1> %on, <8 x i16> zeroinitializer)
  %w = zext <8 x i16> %v to <8 x i32>
  br label %loop
loop:
  %i = phi i64 [ 0, %pre ], [ %j, %loop ]
  %a = getelementptr i32, ptr %q, i64 %i
  call void @llvm.masked.store.v8i32.p0(<8 x i32> %w, ptr align 4 %a, <8 x i1> %on)
  %j = add i64 %i, 64
  %more = icmp ult i64 %j, 640
  br i1 %more, label %loop, label %out
out:
  ret void
}
