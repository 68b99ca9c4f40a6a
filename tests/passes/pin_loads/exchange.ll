; What is loaded under a condition, with a write behind it, is frozen: LLVM would load it behind the write.
; RUN: %cucpu-opt --assume-llvm=22 --passes=normalise_cfg,make_variants,linearise,pin_loads --simd=8 --opt=3 %s | FileCheck %s
; RUN: %cucpu-opt --assume-llvm=22 --passes=normalise_cfg,make_variants,linearise,pin_loads --simd=1 --opt=3 %s | FileCheck --check-prefix=ONE %s
declare i32 @cucpu.tid.x()

; CHECK-LABEL: define void @exchange.w8.rows_full(
; CHECK: [[V:%.*]] = load i32, ptr %p
; CHECK: freeze i32 [[V]]
; CHECK: store
; CHECK: ret void
; ONE-LABEL: define void @exchange.w1.rows_full(
; ONE: [[V:%.*]] = load i32, ptr %p
; ONE: freeze i32 [[V]]
define void @exchange(ptr %a, ptr %b, ptr %c) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %i
  %q = getelementptr i32, ptr %b, i64 %i
  %r = getelementptr i32, ptr %c, i64 %i
  %x = load i32, ptr %r
  %is = icmp eq i32 %x, 0
  br i1 %is, label %end, label %then
then:
  %v = load i32, ptr %p
  store i32 %t, ptr %p
  br label %end
end:
  %s = phi i32 [ 7, %entry ], [ %v, %then ]
  store i32 %s, ptr %q
  ret void
}

; Nothing is written before it is used; lanes behind the end of a row have a mask everywhere.
; CHECK-LABEL: define void @plain.w8.rows_full(
; CHECK-NOT: freeze
; CHECK: ret void
; CHECK-LABEL: define void @plain.w8.rows(
; CHECK: %pinned = freeze
; CHECK: ret void
define void @plain(ptr %a, ptr %b, ptr %n) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %i
  %v = load i32, ptr %p
  store i32 0, ptr %p
  %old = atomicrmw add ptr %n, i32 %v monotonic
  ret void
}

; However long what is computed from it: a chain of ten that ends in the store, and one that meets another value behind a store.
; CHECK-LABEL: define void @chain.w8.rows_full(
; CHECK-NOT: freeze
; CHECK: ret void
; CHECK-LABEL: define void @chain_meets.w8.rows_full(
; CHECK: [[V:%.*]] = load i32, ptr %p
; CHECK: freeze i32 [[V]]
; CHECK: ret void
; ONE-LABEL: define void @chain.w1.rows_full(
; ONE-NOT: freeze
; ONE: ret void
; ONE-LABEL: define void @chain_meets.w1.rows_full(
; ONE: freeze
; ONE: ret void
define void @chain(ptr %a, ptr %b, ptr %c) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %i
  %q = getelementptr i32, ptr %b, i64 %i
  %r = getelementptr i32, ptr %c, i64 %i
  %x = load i32, ptr %r
  %is = icmp eq i32 %x, 0
  br i1 %is, label %end, label %then
then:
  %v = load i32, ptr %p
  %v1 = mul i32 %v, %v
  %v2 = add i32 %v1, %t
  %v3 = mul i32 %v2, %v1
  %v4 = add i32 %v3, %v2
  %v5 = mul i32 %v4, %v3
  %v6 = add i32 %v5, %v4
  %v7 = mul i32 %v6, %v5
  %v8 = add i32 %v7, %v6
  %v9 = mul i32 %v8, %v7
  %v10 = add i32 %v9, %v8
  store i32 %v10, ptr %q
  br label %end
end:
  ret void
}

define void @chain_meets(ptr %a, ptr %b, ptr %c) "cucpu.kernel" {
entry:
  %t = call i32 @cucpu.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %a, i64 %i
  %q = getelementptr i32, ptr %b, i64 %i
  %r = getelementptr i32, ptr %c, i64 %i
  %x = load i32, ptr %r
  %is = icmp eq i32 %x, 0
  br i1 %is, label %end, label %then
then:
  %v = load i32, ptr %p
  %v1 = mul i32 %v, %v
  %v2 = add i32 %v1, %t
  %v3 = mul i32 %v2, %v1
  %v4 = add i32 %v3, %v2
  %v5 = mul i32 %v4, %v3
  %v6 = add i32 %v5, %v4
  %v7 = mul i32 %v6, %v5
  %v8 = add i32 %v7, %v6
  %v9 = mul i32 %v8, %v7
  store i32 %t, ptr %p
  br label %end
end:
  %s = phi i32 [ 7, %entry ], [ %v9, %then ]
  store i32 %s, ptr %q
  ret void
}
