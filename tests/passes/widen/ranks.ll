; One atomic for all lanes; what they store at the places that it gave them lies in a row.
; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=16 --cpu=x86-64-v4 %s | FileCheck %s
; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=16 --cpu=x86-64-v3 %s | FileCheck --check-prefix=AVX2 %s
; RUN: %cucpu-opt --passes=make_variants,linearise,widen --simd=16 --cpu=x86-64-v2 %s | FileCheck --check-prefix=SSE %s
declare i32 @cucpu.tid.x()

; All lanes: 16 are added, the lanes follow.
; CHECK-LABEL: define void @all.w16.rows_full(
; CHECK: [[OLD:%.*]] = atomicrmw add ptr %n, i32 {{%.*}} seq_cst
; CHECK: icmp sle i32 {{%.*}}, 2147483631
; CHECK: row:
; CHECK: store <16 x i32>
; CHECK: apart:
; CHECK: llvm.masked.scatter
; CHECK: ret void
define void @all(ptr %n, ptr %a) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %k = atomicrmw add ptr %n, i32 1 seq_cst
  %e = sext i32 %k to i64
  %p = getelementptr i32, ptr %a, i64 %e
  store i32 %t, ptr %p
  ret void
}

; Some lanes: packed, with AVX2 by a table, two registers of 8. An index of 64 bits cannot wrap.
; CHECK-LABEL: define void @some.w16.rows_full(
; CHECK: llvm.masked.expandload.v16i32
; CHECK-COUNT-1: atomicrmw
; CHECK-NOT: atomicrmw
; CHECK: llvm.experimental.vector.compress.v16f32
; CHECK: llvm.masked.store.v16f32
; CHECK-NOT: scatter
; CHECK: ret void
; AVX2-LABEL: define void @some.w16.rows_full(
; AVX2-COUNT-1: atomicrmw
; AVX2-NOT: atomicrmw
; AVX2-NOT: scatter
; AVX2: load <8 x i8>
; AVX2: llvm.x86.avx2.permd
; AVX2: llvm.masked.store.v8f32
; AVX2: llvm.x86.avx2.permd
; AVX2: llvm.masked.store.v8f32
; AVX2-NOT: scatter
; AVX2: ret void
; SSE-LABEL: define void @some.w16.rows_full(
; SSE-COUNT-1: atomicrmw
; SSE-NOT: atomicrmw
; SSE: scatter
; SSE: ret void
define void @some(ptr %n, ptr %in, ptr %a) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %q = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %q
  %c = fcmp ogt float %v, 1.0
  br i1 %c, label %then, label %to.end
to.end:
  br label %end
then:
  %k = atomicrmw add ptr %n, i64 1 seq_cst
  %p = getelementptr float, ptr %a, i64 %k
  store float %v, ptr %p
  br label %end
end:
  ret void
}

; Fewer lanes store than have places, or places two apart: a scatter. Exchanges are not combined.
; CHECK-LABEL: define void @others.w16.rows_full(
; CHECK-NOT: compress
; CHECK: scatter
; CHECK: scatter
; CHECK: ret void
define void @others(ptr %n, ptr %m, ptr %in, ptr %a) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %q = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %q
  %k = atomicrmw add ptr %n, i64 1 seq_cst
  %k2 = atomicrmw add ptr %m, i64 2 seq_cst
  %p2 = getelementptr float, ptr %a, i64 %k2
  store float %v, ptr %p2
  %c = fcmp ogt float %v, 1.0
  br i1 %c, label %then, label %to.end
to.end:
  br label %end
then:
  %p = getelementptr float, ptr %a, i64 %k
  store float %v, ptr %p
  br label %end
end:
  ret void
}
; CHECK-LABEL: define void @exchange.w16.rows_full(
; CHECK: {{lanes[0-9]*:}}
; CHECK: atomicrmw xchg
; CHECK: ret void
define void @exchange(ptr %n, ptr %a) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %k = atomicrmw xchg ptr %n, i32 %t seq_cst
  %e = sext i32 %k to i64
  %p = getelementptr i32, ptr %a, i64 %e
  store i32 %t, ptr %p
  ret void
}
