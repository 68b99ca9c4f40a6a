; Integers and addresses as a constant and terms with factors; when an extension of a sum is taken apart (affine.h).
; RUN: %cucpu-opt --passes='print<affine>' %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i32 @cucpu.tid.x() readnone
declare i32 @cucpu.ctaid.x() readnone
declare i32 @cucpu.ntid.x() readnone

define void @kernel(ptr %a, i32 %n, i32 %m, i64 %w, i8 %c) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()

; In the type of a sum no flag is needed: the form holds modulo 2^32.
; CHECK: %sum = 1 * %n + 1 * tid.x + 7
  %s1 = add i32 %n, %t
  %sum = add i32 %s1, 7
; CHECK: %difference = 3 * %n + -3 * tid.x + 0
  %d1 = sub i32 %n, %t
  %difference = mul i32 %d1, 3
; CHECK: %twice = 2 * %n + 0
  %twice = add i32 %n, %n
; CHECK: %shifted = 16 * ctaid.x + 1 * tid.x + 0
  %start = shl i32 %b, 4
  %shifted = or disjoint i32 %start, %t
; An or with common bits is no sum, a product of two values has no form here.
; CHECK: %bits = 1 * %bits + 0
  %bits = or i32 %n, %t
; CHECK: %product = 1 * %product + 0
  %product = mul i32 %n, %m

; A narrow sum under an extension: only without wrapping, of the same signedness, at each operation.
; CHECK: %signed = 1 * sext %n + 1 * sext %m + -5
  %k1 = add nsw i32 %n, %m
  %k2 = add nsw i32 %k1, -5
  %signed = sext i32 %k2 to i64
; CHECK: %unsigned = 1 * zext %n + 1 * zext %m + 0
  %k3 = add nuw i32 %n, %m
  %unsigned = zext i32 %k3 to i64
; CHECK: %wraps = 1 * sext %k4 + 0
  %k4 = add i32 %n, %m
  %wraps = sext i32 %k4 to i64
; CHECK: %other_sense = 1 * zext %k1 + 0
  %other_sense = zext i32 %k1 to i64
; CHECK: %inner_wraps = 1 * sext %k4 + 1 * sext %n + 0
  %k5 = add nsw i32 %k4, %n
  %inner_wraps = sext i32 %k5 to i64
; CHECK: %or_extended = 16 * sext ctaid.x + 1 * sext tid.x + 0
  %b16 = shl nsw i32 %b, 4
  %k6 = or disjoint i32 %b16, %t
  %or_extended = sext i32 %k6 to i64
; A constant of an unsigned sum is not negative.
; CHECK: %large = no form
  %k7 = add nuw i32 %n, -5
  %large = zext i32 %k7 to i64

; By ranges: %u + 3 cannot wrap.
; CHECK: %ranged = 1 * sext %u + 3
  %u = and i32 %n, 1023
  %k8 = add i32 %u, 3
  %ranged = sext i32 %k8 to i64
; zext of what is not negative is a signed extension.
; CHECK: %same = 1 * sext %u2 + 0
  %u2 = and i32 %n, 255
  %same = zext i32 %u2 to i64

; Two extensions: of the inner one, where the two are the same.
; CHECK: %both_signed = 1 * sext %c + 0
  %c1 = sext i8 %c to i32
  %both_signed = sext i32 %c1 to i64
; CHECK: %zero_inside = 1 * zext %c + 0
  %c2 = zext i8 %c to i32
  %zero_inside = sext i32 %c2 to i64
; CHECK: %sign_inside = 1 * zext %c1 + 0
  %sign_inside = zext i32 %c1 to i64

; A truncated or frozen sum is a term.
; CHECK: %cut = 1 * %cut + 0
  %w1 = add i64 %w, 4
  %cut = trunc i64 %w1 to i32
; CHECK: %frozen = 1 * %frozen + 0
  %frozen = freeze i32 %sum

; Addresses, in bytes.
; CHECK: %p = 1 * %a + 4 * sext %n + 4 * sext %m + -20
  %p = getelementptr float, ptr %a, i64 %signed
; CHECK: %q2 = 1 * %a + 4 * sext %n + 4 * sext %m + 8 * sext tid.x + -12
  %q = getelementptr { float, float }, ptr %p, i32 %t, i32 1
  %q2 = getelementptr i8, ptr %q, i64 4
  store float 0.0, ptr %q2
  ret void
}
