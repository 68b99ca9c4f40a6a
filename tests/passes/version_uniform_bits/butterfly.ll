; Bits of an index by a mask that only the launch knows: versions for masks that end in ones, and for those below W.
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_uniform_bits --simd=8 --opt=3 %s | FileCheck %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_uniform_bits,linearise,widen --simd=8 --opt=3 --cpu=x86-64-v3 %s | FileCheck --check-prefix=WIDE %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_uniform_bits --simd=8 --opt=3 --disable=version_uniform_bits %s | FileCheck --check-prefix=OFF %s
; RUN: %cucpu-opt --passes=normalise_cfg,make_variants,version_uniform_bits --simd=2 --opt=3 %s | FileCheck --check-prefix=OFF %s
; OFF-NOT: %first
declare i32 @cucpu.tid.x()
declare i32 @cucpu.ctaid.x()

; CHECK-LABEL: define void @butterfly.w8.rows_full(
; CHECK: %lane = and i32 %{{.*}}, 7
; CHECK: %first = freeze i32
; CHECK: icmp eq i32 %{{.*}}, 0
; CHECK: icmp eq i32 %{{.*}}, 7
; CHECK: br i1 %{{.*}}, label %consecutive, label %powers
; CHECK: powers:
; CHECK: icmp eq i32 %{{.*}}, 1
; CHECK: br i1 %{{.*}}, label %power, label %others
; CHECK: consecutive:
; CHECK-NOT: and i32
; CHECK: others:
; CHECK: icmp eq i32 %{{.*}}, 2
; CHECK: and i32 %index{{.*}}, 1, !cucpu.bits
; CHECK: and i32 %index{{.*}}, 3, !cucpu.bits
; CHECK: and i32 %x, %m, !cucpu.bits
; WIDE-LABEL: define void @butterfly.w8.rows_full(
; WIDE: consecutive:
; WIDE: load <8 x float>
; WIDE-NOT: masked.gather
; WIDE: masked.gather
define void @butterfly(ptr %v, i32 %stride) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %b = call i32 @cucpu.ctaid.x()
  %s = shl i32 %b, 7
  %x = add i32 %s, %t
  %m = add i32 %stride, -1
  %lo = and i32 %x, %m
  %hi = sub i32 %x, %lo
  %two = shl i32 %hi, 1
  %i = add i32 %two, %lo
  %w = zext i32 %i to i64
  %p = getelementptr float, ptr %v, i64 %w
  %a = load float, ptr %p
  %d = fadd float %a, 1.0
  store float %d, ptr %p
  ret void
}

; Only a branch depends on it, no access: there is one version.
; CHECK-LABEL: define void @predicate.w8.rows_full(
; CHECK-NOT: consecutive
define void @predicate(ptr %v, i32 %k) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %m = and i32 %t, %k
  %c = icmp eq i32 %m, 0
  %f = select i1 %c, float 1.0, float 2.0
  %w = zext i32 %t to i64
  %p = getelementptr float, ptr %v, i64 %w
  store float %f, ptr %p
  ret void
}

; The version in which a divisor would be 0 leaves that to the guard.
; CHECK-LABEL: define void @divided.w8.rows_full(
; CHECK: power:
; CHECK-NOT: urem i32 %{{.*}}, 0
; CHECK: attributes
define void @divided(ptr %v, i32 %s) "cucpu.kernel" {
  %t = call i32 @cucpu.tid.x()
  %d = add i32 %s, -1
  %r = urem i32 %t, %d
  %w = zext i32 %r to i64
  %p = getelementptr float, ptr %v, i64 %w
  %a = load float, ptr %p
  %i = zext i32 %t to i64
  %q = getelementptr float, ptr %v, i64 %i
  store float %a, ptr %q
  ret void
}
