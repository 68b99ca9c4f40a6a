// Floating point: rounding modes against the host's, flushing, saturation, minimum and maximum, comparisons, conversions.
// REQUIRES: run
// RUN: %cucpu -Xcompiler=-frounding-math %s -o %t && %run %t print > %t.ptx
// RUN: %cucpu -Xcompiler=-frounding-math --simd=1 %s %t.ptx -o %t.1 && %run %t.1 | FileCheck %s
// RUN: %also { %cucpu -Xcompiler=-frounding-math --simd=8 %s %t.ptx -o %t.8 && %run %t.8 | FileCheck %s; }
// RUN: %also { %cucpu -Xcompiler=-frounding-math --simd=16 %s %t.ptx -o %t.16 && %run %t.16 | FileCheck %s; }
// RUN: %cucpu -Xcompiler=-frounding-math --simd=32 %s %t.ptx -o %t.32 && %run %t.32 | FileCheck %s
// CHECK: instructions, 0 wrong
#include "Inputs/ops.h"
#include <cfenv>

template <typename T> static T in_mode(int mode, T (*f)(T, T, T), T a, T b, T c) {
    fesetround(mode);
    volatile T x = a, y = b, z = c;
    volatile T r = f(x, y, z);
    fesetround(FE_TONEAREST);
    return r;
}
template <typename T> static T add(T a, T b, T) { volatile T r = a + b; return r; }
template <typename T> static T sub(T a, T b, T) { volatile T r = a - b; return r; }
template <typename T> static T mul(T a, T b, T) { volatile T r = a * b; return r; }
template <typename T> static T quotient(T a, T b, T) { volatile T r = a / b; return r; }
static float fused(float a, float b, float c) { return fmaf(a, b, c); }
static double fused(double a, double b, double c) { return fma(a, b, c); }
static float root(float a, float, float) { return sqrtf(a); }
#define FM(mode, f) B(in_mode<float>(FE_##mode, f, F(a), F(b), F(c)))
#define DM(mode, f) B(in_mode<double>(FE_##mode, f, D(a), D(b), D(c)))

static float flush(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }
static float sat(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
template <typename T> static bool lower(T x, T y) { return x < y || (x == y && std::signbit(x)); }
template <typename T> static T least(T x, T y) { return x != x ? y : y != y ? x : lower(x, y) ? x : y; }
template <typename T> static T most(T x, T y) { return x != x ? y : y != y ? x : lower(x, y) ? y : x; }
static s64 to_int(double x, double lo, double hi, s64 low, s64 high, s64 nan) { return x != x ? nan : x <= lo ? low : x >= hi ? high : (s64)x; }
static u64 to_u64(double x) { return x != x ? 1ull << 63 : x <= 0 ? 0 : x >= 0x1p64 ? ~0ull : (u64)x; }
static s32 s32_of(double x) { return (s32)to_int(x, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX, 0); }
static s64 s64_of(double x) { return to_int(x, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX, INT64_MIN); }
static u16 H(float x) { _Float16 h = (_Float16)x; u16 b; memcpy(&b, &h, 2); return b; }
static float from_half(u64 x) { u16 b = (u16)x; _Float16 h; memcpy(&h, &b, 2); return h; }
static u32 half_add(u64 a, u64 b) { return H(from_half(a) + from_half(b)); }
static float from_bf(u64 x) { return F((u64)(u16)x << 16); }
static u16 to_bf(float f) { u32 i = (u32)B(f); return f != f ? 0x7fff : (u16)((i + 0x7fff + (i >> 16 & 1)) >> 16); }
static bool nan16(u64 a) { return (a & 0x7c00) == 0x7c00 && (a & 0x3ff); }
static u64 no_nan(u64 a) { return nan16(a) ? 0x3c00 : (u16)a; }

static const Op ops[] = {
    ROW('f', "add.f32 %f4, %f1, %f2;", B(F(a) + F(b)))
    ROW('f', "sub.rn.f32 %f4, %f1, %f2;", B(F(a) - F(b)))
    ROW('f', "mul.f32 %f5, %f1, %f2; add.f32 %f4, %f5, %f3;", FM(TONEAREST, mul<float>) * 0 + B(add<float>(mul<float>(F(a), F(b), 0), F(c), 0)))
    ROW('f', "fma.rn.f32 %f4, %f1, %f2, %f3;", B(fmaf(F(a), F(b), F(c))))
    ROW('d', "fma.rn.f64 %fd4, %fd1, %fd2, %fd3;", B(fma(D(a), D(b), D(c))))
    ROW('f', "add.rz.f32 %f4, %f1, %f2;", FM(TOWARDZERO, add<float>))
    ROW('f', "add.f32.rm %f4, %f1, %f2;", FM(DOWNWARD, add<float>))
    ROW('f', "sub.rp.f32 %f4, %f1, %f2;", FM(UPWARD, sub<float>))
    ROW('f', "mul.rz.f32 %f4, %f1, %f2;", FM(TOWARDZERO, mul<float>))
    ROW('f', "mul.rp.f32 %f4, %f1, %f2;", FM(UPWARD, mul<float>))
    ROW('f', "div.rm.f32 %f4, %f1, %f2;", FM(DOWNWARD, quotient<float>))
    ROW('f', "fma.rm.f32 %f4, %f1, %f2, %f3;", FM(DOWNWARD, fused))
    ROW('f', "fma.rp.f32 %f4, %f1, %f2, %f3;", FM(UPWARD, fused))
    ROW('f', "fma.rz.f32 %f4, %f1, %f2, %f3;", FM(TOWARDZERO, fused))
    ROW('f', "sqrt.rp.f32 %f4, %f1;", FM(UPWARD, root))
    ROW('d', "add.rm.f64 %fd4, %fd1, %fd2;", DM(DOWNWARD, add<double>))
    ROW('d', "mul.rz.f64 %fd4, %fd1, %fd2;", DM(TOWARDZERO, mul<double>))
    ROW('d', "div.rn.f64 %fd4, %fd1, %fd2;", B(D(a) / D(b)))
    ROW('f', "add.ftz.f32 %f4, %f1, %f2;", B(flush(flush(F(a)) + flush(F(b)))))
    ROW('f', "mul.ftz.f32 %f4, %f1, %f2;", B(flush(flush(F(a)) * flush(F(b)))))
    ROW('f', "abs.ftz.f32 %f4, %f1;", B(flush(fabsf(F(a)))))
    ROW('p', "setp.gt.ftz.f32 %p4, %f1, %f2;", flush(F(a)) > flush(F(b)))
    ROW('f', "add.sat.f32 %f4, %f1, %f2;", B(sat(F(a) + F(b))))
    ROW('f', "fma.rn.sat.f32 %f4, %f1, %f2, %f3;", B(sat(fmaf(F(a), F(b), F(c)))))
    ROW('f', "cvt.sat.f32.f32 %f4, %f1;", B(sat(F(a))))
    ROW('f', "min.f32 %f4, %f1, %f2;", B(least(F(a), F(b))))
    ROW('f', "max.f32 %f4, %f1, %f2;", B(most(F(a), F(b))))
    ROW('d', "max.f64 %fd4, %fd1, %fd2;", B(most(D(a), D(b))))
    ROW('f', "min.NaN.f32 %f4, %f1, %f2;", B(F(a) != F(a) || F(b) != F(b) ? NAN : least(F(a), F(b))))
    ROW('f', "neg.f32 %f4, %f1;", B(-F(a)))
    ROW('f', "copysign.f32 %f4, %f1, %f2;", B(copysignf(F(b), F(a))))
    ROW('f', "rcp.rn.f32 %f4, %f1;", B(1 / F(a)))
    ROW('f', "sqrt.rn.f32 %f4, %f1;", B(sqrtf(F(a))))
    ROW('d', "sqrt.rn.f64 %fd4, %fd1;", B(sqrt(D(a))))
    ROW('p', "testp.finite.f32 %p4, %f1;", std::isfinite(F(a)))
    ROW('p', "testp.notanumber.f64 %p4, %fd1;", D(a) != D(a))
    ROW('p', "testp.subnormal.f32 %p4, %f1;", F(a) != 0 && fabsf(F(a)) < 0x1p-126f)
    ROW('p', "testp.normal.f32 %p4, %f1;", F(a) == 0 || std::isnormal(F(a)))
    ROW('p', "setp.lt.f32 %p4, %f1, %f2;", F(a) < F(b))
    ROW('p', "setp.ne.f32 %p4, %f1, %f2;", F(a) < F(b) || F(a) > F(b))
    ROW('p', "setp.neu.f32 %p4, %f1, %f2;", F(a) != F(b))
    ROW('p', "setp.geu.f64 %p4, %fd1, %fd2;", !(D(a) < D(b)))
    ROW('p', "setp.num.f32 %p4, %f1, %f2;", F(a) == F(a) && F(b) == F(b))
    ROW('p', "setp.nan.or.f32 %p4, %f1, %f2, %p3;", F(a) != F(a) || F(b) != F(b) || (c & 1))
    ROW('p', "setp.eq.and.f32 %p5|%p4, %f1, %f2, %p3;", !(F(a) == F(b)) && (c & 1))
    ROW('f', "set.lt.f32.f32 %f4, %f1, %f2;", B(F(a) < F(b) ? 1.0f : 0.0f))
    ROW('r', "set.gtu.u32.f32 %r4, %f1, %f2;", !(F(a) <= F(b)) ? ~0u : 0)
    ROW('f', "slct.f32.f32 %f4, %f1, %f2, %f3;", B(F(c) >= 0 ? F(a) : F(b)))
    ROW('f', "selp.f32 %f4, %f1, %f2, %p3;", c & 1 ? a : b)
    ROW('r', "cvt.rzi.s32.f32 %r4, %f1;", s32_of(F(a)))
    ROW('r', "cvt.rni.s32.f32 %r4, %f1;", s32_of(nearbyintf(F(a))))
    ROW('r', "cvt.rmi.u32.f32 %r4, %f1;", to_int(floorf(F(a)), 0, 0x1p32, 0, UINT32_MAX, 0))
    ROW('r', "cvt.rpi.s32.f64 %r4, %fd1;", D(a) != D(a) ? INT32_MIN : s32_of(ceil(D(a))))
    ROW('l', "cvt.rzi.s64.f32 %rd4, %f1;", s64_of(F(a)))
    ROW('l', "cvt.rzi.u64.f64 %rd4, %fd1;", to_u64(D(a)))
    ROW('r', "cvt.rzi.u8.f32 %r4, %f1;", to_int(F(a), 0, 255, 0, 255, 0))
    ROW('r', "cvt.rzi.s16.f32 %r4, %f1;", (s32)to_int(F(a), -32768, 32767, -32768, 32767, 0))
    ROW('f', "cvt.rni.f32.f32 %f4, %f1;", B(nearbyintf(F(a))))
    ROW('f', "cvt.rmi.f32.f32 %f4, %f1;", B(floorf(F(a))))
    ROW('d', "cvt.rzi.f64.f64 %fd4, %fd1;", B(trunc(D(a))))
    ROW('f', "cvt.rn.f32.s32 %f4, %r1;", B((float)(s32)a))
    ROW('f', "cvt.rz.f32.u32 %f4, %r1;", [](u32 x) { fesetround(FE_TOWARDZERO); volatile u32 y = x; volatile float f = (float)y; fesetround(FE_TONEAREST); return B((float)f); }(a))
    ROW('d', "cvt.rn.f64.u64 %fd4, %rd1;", B((double)a))
    ROW('f', "cvt.rn.f32.f64 %f4, %fd1;", B((float)D(a)))
    ROW('f', "cvt.f32.rp.f64 %f4, %fd1;", [](double x) { fesetround(FE_UPWARD); volatile double y = x; volatile float f = (float)y; fesetround(FE_TONEAREST); return B((float)f); }(D(a)))
    ROW('d', "cvt.f64.f32 %fd4, %f1;", B((double)F(a)))
    ROW('h', "mov.b32 %f5, %r1; min.f32 %f5, %f5, 0f47000000; cvt.rn.f16.f32 %rs4, %f5;", H(least(F(a), 32768.0f)))
    ROW('f', "and.b16 %rs5, %rs1, 0x7bff; cvt.f32.f16 %f4, %rs5;", B(from_half(a & 0x7bff)))
    ROW('h', "and.b16 %rs5, %rs1, 0xbbff; and.b16 %rs6, %rs2, 0xbbff; add.f16 %rs4, %rs5, %rs6;", half_add(a & 0xbbff, b & 0xbbff))
    ROW('h', "and.b16 %rs5, %rs1, 0xbbff; and.b16 %rs6, %rs2, 0xbbff; and.b16 %rs7, %rs3, 0x83ff; fma.rn.f16 %rs4, %rs5, %rs6, %rs7;",
        H((float)((double)from_half(a & 0xbbff) * from_half(b & 0xbbff) + from_half(c & 0x83ff))) * 0 +
            [](double x) { _Float16 h = (_Float16)x; u16 r; memcpy(&r, &h, 2); return r; }((double)from_half(a & 0xbbff) * from_half(b & 0xbbff) + from_half(c & 0x83ff)))
    ROW('r', "and.b32 %r5, %r1, 0xbbffbbff; and.b32 %r6, %r2, 0xbbffbbff; add.rn.f16x2 %r4, %r5, %r6;",
        half_add(a & 0xbbff, b & 0xbbff) | half_add(a >> 16 & 0xbbff, b >> 16 & 0xbbff) << 16)
    ROW('h', "and.b16 %rs5, %rs1, 0xbfff; and.b16 %rs6, %rs2, 0xbfff; mul.bf16 %rs4, %rs5, %rs6;", to_bf(from_bf(a & 0xbfff) * from_bf(b & 0xbfff)))
    ROW('h', "mov.b32 %f5, %r1; max.f32 %f5, %f5, 0fC0000000; cvt.rn.bf16.f32 %rs4, %f5;", to_bf(most(F(a), -2.0f)))
    ROW('r', "max.f32 %f5, %f1, 0f00000000; max.f32 %f6, %f2, 0f00000000; min.f32 %f5, %f5, 0f44000000; min.f32 %f6, %f6, 0f44000000; cvt.rn.f16x2.f32 %r4, %f5, %f6;",
        (u32)H(least(most(F(a), 0.0f), 512.0f)) << 16 | H(least(most(F(b), 0.0f), 512.0f)))
    ROW('d', "{ .reg .b32 x, y; mov.b64 {x, y}, %fd1; mov.b64 %fd4, {x, y}; }", a)
    ROW('f', "mov.f32 %f4, 1.5; add.f32 %f4, %f4, 0f3F800000;", B(2.5f))
};

int main(int argc, char **argv) { return run_ops(ops, sizeof ops / sizeof *ops, argc, argv); }
