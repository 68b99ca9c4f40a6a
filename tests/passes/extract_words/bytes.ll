; RUN: %cucpu-opt --passes=extract_words %s | FileCheck %s
; RUN: %cucpu-opt --passes=extract_words,extract_words %s | FileCheck %s
; RUN: %cucpu-opt --passes=extract_words --disable=extract_words %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: bitcast

; Three lanes of the first word leave, one of the second.
; CHECK-LABEL: define void @some(
; CHECK: %words = bitcast <16 x i8> %v to <2 x i64>
; CHECK-NEXT: %word = extractelement <2 x i64> %words, i64 0
; CHECK-NOT: extractelement <2 x i64>
; CHECK: %[[A:.*]] = and i64 %word, 255
; CHECK: store i64 %[[A]], ptr %p
; CHECK: %[[S:.*]] = lshr i64 %word, 24
; CHECK: %[[B:.*]] = and i64 %[[S]], 255
; CHECK: trunc i64 %[[B]] to i32
; CHECK: %[[T:.*]] = lshr i64 %word, 56
; CHECK: store i64 %[[T]], ptr %p
; CHECK: extractelement <16 x i8> %v, i64 9
define void @some(ptr %p) {
  %v = load <16 x i8>, ptr %p
  %e0 = extractelement <16 x i8> %v, i64 0
  %a = zext i8 %e0 to i64
  store i64 %a, ptr %p
  %e3 = extractelement <16 x i8> %v, i64 3
  %b = zext i8 %e3 to i32
  store i32 %b, ptr %p
  %e7 = extractelement <16 x i8> %v, i64 7
  %c = zext i8 %e7 to i64
  store i64 %c, ptr %p
  %e9 = extractelement <16 x i8> %v, i64 9
  %d = zext i8 %e9 to i64
  store i64 %d, ptr %p
  ret void
}

; Words of a phi; 16 bits.  A lane that is used as it is stays.
; CHECK-LABEL: define void @phi(
; CHECK: %v = phi
; CHECK-NEXT: [[V:%.*]] = freeze <4 x i16> %v
; CHECK-NEXT: bitcast <4 x i16> [[V]] to <1 x i64>
; CHECK: extractelement <4 x i16> %v, i64 1
; CHECK: lshr i64 %word, 48
define void @phi(ptr %p, <4 x i16> %x, <4 x i16> %y, i1 %c) {
entry:
  br i1 %c, label %then, label %join
then:
  br label %join
join:
  %v = phi <4 x i16> [ %x, %entry ], [ %y, %then ]
  %e0 = extractelement <4 x i16> %v, i64 0
  %a = zext i16 %e0 to i64
  store i64 %a, ptr %p
  %e1 = extractelement <4 x i16> %v, i64 1
  store i16 %e1, ptr %p
  %e2 = extractelement <4 x i16> %v, i64 2
  %b = zext i16 %e2 to i64
  store i64 %b, ptr %p
  %e3 = extractelement <4 x i16> %v, i64 3
  %d = zext i16 %e3 to i64
  store i64 %d, ptr %p
  ret void
}

; Not words: seven bytes; a lane that is not known.
; CHECK-LABEL: define void @odd(
; CHECK-NOT: bitcast
define void @odd(ptr %p, <7 x i8> %x, <8 x i8> %y, i64 %k) {
  %e = extractelement <7 x i8> %x, i64 0
  %a = zext i8 %e to i64
  store i64 %a, ptr %p
  %f = extractelement <8 x i8> %y, i64 %k
  %b = zext i8 %f to i64
  store i64 %b, ptr %p
  ret void
}

; Indices of four bytes, with and without a sign; nobody knows their bits.
; CHECK-LABEL: define void @indices(
; CHECK: [[F:%.*]] = freeze <4 x i32>
; CHECK: bitcast <4 x i32> [[F]] to <2 x i64>
; CHECK: [[W:%.*]] = call i64 asm "", "=r,0"(i64 {{%.*}})
; CHECK: and i64 [[W]], 4294967295
; CHECK: [[H:%.*]] = ashr i64 [[W]], 32
; CHECK: ret void
define void @indices(<4 x i32> %a, ptr %p) {
  %v = and <4 x i32> %a, <i32 28, i32 28, i32 28, i32 28>
  %e0 = extractelement <4 x i32> %v, i64 0
  %a0 = zext i32 %e0 to i64
  %p0 = getelementptr i32, ptr %p, i64 %a0
  store i32 1, ptr %p0
  %e1 = extractelement <4 x i32> %v, i64 1
  %a1 = sext i32 %e1 to i64
  %p1 = getelementptr i32, ptr %p, i64 %a1
  store i32 2, ptr %p1
  ret void
}
