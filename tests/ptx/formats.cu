// Conversions to and from small formats: half, bfloat16, fp8 and tf32 in all roundings, .satfinite, .relu; set of two halves.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t print > %t.ptx
// RUN: %cucpu --simd=1 %s %t.ptx -o %t.1 && %run %t.1 | FileCheck %s
// RUN: %cucpu --simd=8 %s %t.ptx -o %t.8 && %run %t.8 | FileCheck %s
// RUN: %cucpu --simd=32 %s %t.ptx -o %t.32 && %run %t.32 | FileCheck %s
// CHECK: instructions, 0 wrong
#include "Inputs/ops.h"

/* A format of e bits of exponent and m of mantissa: the value of each code, and the code of a value by search. */
struct Format {
    int e, m;
    bool endless; /* has infinities */
    u32 sign() const { return 1u << (e + m); }
    u32 last() const { return endless ? ((1u << e) - 1) << m : (1u << (e + m)) - 1; } /* the first code that is no number */
    long double value(u32 code) const {
        int bias = (1 << (e - 1)) - 1, x = code >> m & ((1 << e) - 1);
        long double f = code & ((1u << m) - 1);
        f = x ? ldexpl(f + (1 << m), x - bias - m) : ldexpl(f, 1 - bias - m);
        return code & sign() ? -f : f;
    }
    /* mode: n(earest even), a(way), z, m, p; big: the code of what is too large, in magnitude */
    u32 code(long double v, char mode, bool finite) const {
        if (v != v) return e + m == 15 || endless ? (e + m == 15 ? 0x7fff : 0x7f) : 0x7f;
        bool minus = signbit(v);
        long double a = fabsl(v);
        u32 low = 0, high = last();
        if (!std::isinf((double)a))
            while (low + 1 < high) (value((low + high) / 2) <= a ? low : high) = (low + high) / 2;
        else
            low = last() - 1;
        long double below = value(low), above = endless || low + 1 < last() ? ldexpl(1, 0) * value_of_next(low) : value_of_next(low);
        bool exact = below == a, up;
        if (mode == 'n') up = a - below > above - a || (a - below == above - a && (low & 1));
        else if (mode == 'a') up = a - below >= above - a;
        else if (mode == 'z') up = false;
        else up = (mode == 'm') == minus;
        u32 r = exact ? low : low + up;
        if (std::isinf((double)a)) r = last();
        if (r >= last()) r = finite ? last() - 1 : last();
        return r | (minus ? sign() : 0);
    }
    long double value_of_next(u32 low) const { /* as if the exponent went on */
        int bias = (1 << (e - 1)) - 1;
        return low + 1 < last() ? value(low + 1) : endless ? ldexpl(1, (1 << e) - 1 - bias) : value(low) + (value(low) - value(low - 1));
    }
};
static const Format half = {5, 10, true}, brain = {8, 7, true}, e4m3 = {4, 3, false}, e5m2 = {5, 2, true};
static float relu(float f) { return f <= 0 ? 0 : f; }
static u32 pair(u32 high, u32 low, int bits) { return high << bits | low; }
static u32 from8(const Format &f, u32 v) {
    u32 magnitude = v & 0x7f;
    bool nan = f.endless ? magnitude > f.last() : magnitude >= f.last();
    if (nan) return 0x7fff;
    if (magnitude >= f.last()) return (v & 0x80) << 8 | 0x7c00;
    return half.code(f.value(v & 0xff), 'n', false);
}
static u32 tf32(float f, char mode, bool finite) {
    u32 x;
    memcpy(&x, &f, 4);
    if (f != f) return 0x7fffffff;
    static const Format t = {8, 10, true};
    return t.code(f, mode, finite) << 13;
}
static long double H(u16 x) {
    if ((x & 0x7fff) > 0x7c00) return NAN;
    return (x & 0x7fff) == 0x7c00 ? (x & 0x8000 ? -INFINITY : INFINITY) : half.value(x);
}

static const Op ops[] = {
    ROW('h', "cvt.rn.f16.f64 %rs4, %fd1;", half.code(D(a), 'n', false))
    ROW('h', "cvt.rz.f16.f64 %rs4, %fd1;", half.code(D(a), 'z', D(a) - D(a) == 0))
    ROW('h', "cvt.rm.f16.f64 %rs4, %fd1;", half.code(D(a), 'm', D(a) > 0 && D(a) - D(a) == 0))
    ROW('h', "cvt.rp.f16.f64 %rs4, %fd1;", half.code(D(a), 'p', D(a) < 0 && D(a) - D(a) == 0))
    ROW('h', "cvt.rn.bf16.f64 %rs4, %fd1;", brain.code(D(a), 'n', false))
    ROW('h', "cvt.rz.f16.f32 %rs4, %f1;", half.code(F(a), 'z', F(a) - F(a) == 0))
    ROW('h', "cvt.rm.f16.f32 %rs4, %f1;", half.code(F(a), 'm', F(a) > 0 && F(a) - F(a) == 0))
    ROW('h', "cvt.rp.f16.f32 %rs4, %f1;", half.code(F(a), 'p', F(a) < 0 && F(a) - F(a) == 0))
    ROW('h', "cvt.rn.bf16.f32 %rs4, %f1;", brain.code(F(a), 'n', false))
    ROW('h', "cvt.rz.bf16.f32 %rs4, %f1;", brain.code(F(a), 'z', F(a) - F(a) == 0))
    ROW('h', "cvt.rn.satfinite.bf16.f32 %rs4, %f1;", brain.code(F(a), 'n', true))
    ROW('h', "cvt.rn.relu.f16.f32 %rs4, %f1;", half.code(relu(F(a)), 'n', false))
    ROW('r', "cvt.rn.satfinite.relu.f16x2.f32 %r4, %f1, %f2;", pair(half.code(relu(F(a)), 'n', true), half.code(relu(F(b)), 'n', true), 16))
    ROW('h', "cvt.rn.f16.u64 %rs4, %rd1;", half.code((long double)a, 'n', false))
    ROW('h', "cvt.rn.f16.s64 %rs4, %rd1;", half.code((long double)(s64)a, 'n', false))
    ROW('h', "cvt.rz.f16.s32 %rs4, %r1;", half.code((s32)a, 'z', true))
    ROW('h', "cvt.rp.f16.u32 %rs4, %r1;", half.code((u32)a, 'p', false))
    ROW('h', "cvt.rn.bf16.u64 %rs4, %rd1;", brain.code((long double)a, 'n', false))
    ROW('h', "cvt.rm.bf16.s64 %rs4, %rd1;", brain.code((long double)(s64)a, 'm', (s64)a > 0))
    ROW('h', "cvt.rn.satfinite.e4m3x2.f32 %rs4, %f1, %f2;", pair(e4m3.code(F(a), 'n', true), e4m3.code(F(b), 'n', true), 8))
    ROW('h', "cvt.rn.satfinite.relu.e4m3x2.f32 %rs4, %f1, %f2;", pair(e4m3.code(relu(F(a)), 'n', true), e4m3.code(relu(F(b)), 'n', true), 8))
    ROW('h', "cvt.rn.satfinite.e5m2x2.f32 %rs4, %f1, %f2;", pair(e5m2.code(F(a), 'n', true), e5m2.code(F(b), 'n', true), 8))
    ROW('h', "cvt.rn.satfinite.e5m2x2.f16x2 %rs4, %r1;", pair(e5m2.code(H(a >> 16), 'n', true), e5m2.code(H(a), 'n', true), 8))
    ROW('h', "cvt.rn.satfinite.e4m3x2.f16x2 %rs4, %r1;", pair(e4m3.code(H(a >> 16), 'n', true), e4m3.code(H(a), 'n', true), 8))
    ROW('r', "cvt.rn.f16x2.e4m3x2 %r4, %rs1;", pair(from8(e4m3, a >> 8 & 0xff), from8(e4m3, a & 0xff), 16))
    ROW('r', "cvt.rn.f16x2.e5m2x2 %r4, %rs1;", pair(from8(e5m2, a >> 8 & 0xff), from8(e5m2, a & 0xff), 16))
    ROW('r', "cvt.rna.tf32.f32 %r4, %f1;", tf32(F(a), 'a', false))
    ROW('r', "cvt.rn.tf32.f32 %r4, %f1;", tf32(F(a), 'n', false))
    ROW('r', "cvt.rz.tf32.f32 %r4, %f1;", tf32(F(a), 'z', F(a) - F(a) == 0))
    ROW('r', "cvt.rna.satfinite.tf32.f32 %r4, %f1;", tf32(F(a), 'a', true))
    ROW('r', "set.lt.f16x2.f16x2 %r4, %r1, %r2;", (H(a) < H(b) ? 0x3c00 : 0) | (H(a >> 16) < H(b >> 16) ? 0x3c000000 : 0))
    ROW('r', "set.geu.u32.f16x2 %r4, %r1, %r2;", (!(H(a) < H(b)) ? 0xffff : 0) | (!(H(a >> 16) < H(b >> 16)) ? 0xffff0000u : 0))
    ROW('r', "mov.u32 %r4, %clock_hi; mov.u32 %r5, %globaltimer_hi; setp.eq.u32 %p4, %r5, 0; selp.u32 %r4, 1, 0, %p4;", 0)
};

int main(int argc, char **argv) { return run_ops(ops, sizeof ops / sizeof *ops, argc, argv); }
