; RUN: %cucpu-opt --passes=linearise,widen --simd=8 %s -o - | FileCheck %s
; Memory access follows the shape of the address.
declare i32 @cucpu.tid.x()

; CHECK-LABEL: define {{.*}} @contiguous
; CHECK: = load <8 x float>, ptr
; CHECK: store <8 x float>
define void @contiguous(ptr %p, ptr %q) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %a = getelementptr inbounds float, ptr %p, i64 %i
  %v = load float, ptr %a
  %b = getelementptr inbounds float, ptr %q, i64 %i
  store float %v, ptr %b
  ret void
}

; One scalar load; the last lane's value stays.
; CHECK-LABEL: define {{.*}} @uniform
; CHECK: load float, ptr %p
; CHECK: extractelement <8 x i32> {{.*}}, i32 7
; CHECK: store i32
define void @uniform(ptr %p, ptr %q) #0 {
  %t = call i32 @cucpu.tid.x()
  %v = load float, ptr %p
  %n = fptosi float %v to i32
  %s = mul i32 %n, %t
  store i32 %s, ptr %q
  ret void
}

; CHECK-LABEL: define {{.*}} @gather
; CHECK: llvm.masked.gather.v8f32
define void @gather(ptr %p, ptr %q, ptr %index) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %x = getelementptr inbounds i32, ptr %index, i64 %i
  %j = load i32, ptr %x
  %jj = sext i32 %j to i64
  %a = getelementptr inbounds float, ptr %p, i64 %jj
  %v = load float, ptr %a
  %b = getelementptr inbounds float, ptr %q, i64 %i
  store float %v, ptr %b
  ret void
}

; Two loads and a shuffle; nothing is read beyond the last lane's element.
; CHECK-LABEL: define {{.*}} @strided
; CHECK-NOT: gather
; CHECK-COUNT-2: load <8 x float>
; CHECK: shufflevector
define void @strided(ptr %p, ptr %q) #0 {
  %t = call i32 @cucpu.tid.x()
  %i = zext nneg i32 %t to i64
  %d = shl nuw nsw i64 %i, 1
  %a = getelementptr inbounds float, ptr %p, i64 %d
  %v = load float, ptr %a
  %b = getelementptr inbounds float, ptr %q, i64 %i
  store float %v, ptr %b
  ret void
}

; A local array with a uniform index lies lane by lane: one vector store.
; CHECK-LABEL: define {{.*}} @local
; CHECK: alloca [256 x i8]
; CHECK: store <8 x i32>
; CHECK-NOT: scatter
define void @local(ptr %q, i32 %k) #0 {
  %l = alloca [8 x i32]
  %t = call i32 @cucpu.tid.x()
  %kk = zext i32 %k to i64
  %e = getelementptr inbounds [8 x i32], ptr %l, i64 0, i64 %kk
  store i32 %t, ptr %e
  %v = load i32, ptr %e
  %i = zext nneg i32 %t to i64
  %b = getelementptr inbounds i32, ptr %q, i64 %i
  store i32 %v, ptr %b
  ret void
}
attributes #0 = { "cucpu.kernel" }
