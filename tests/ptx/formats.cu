// Conversions to and from small formats: half, bfloat16, fp8, fp6, fp4, scales and tf32 in all roundings, .satfinite, .relu; set of two halves.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t print > %t.ptx
// RUN: %cucpu --simd=1 %s %t.ptx -o %t.1 && %run %t.1 | FileCheck %s
// RUN: %also { %cucpu --simd=8 %s %t.ptx -o %t.8 && %run %t.8 | FileCheck %s; }
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

/* fp6 and fp4: finite, all codes are numbers */
static u32 tiny(int e, int m, float f) {
    u32 top = (1u << (e + m)) - 1, best = 0;
    Format t = {e, m, false};
    if (f != f) return top;
    if (fabsf(f) >= t.value(top)) return top | (signbit(f) ? top + 1 : 0);
    for (u32 k = 1; k <= top; k++) {
        long double far = fabsl(t.value(best) - fabsl((long double)f)), near = fabsl(t.value(k) - fabsl((long double)f));
        if (near < far || (near == far && !(k & 1))) best = k;
    }
    return best | (signbit(f) ? top + 1 : 0);
}
static u32 from_tiny(int e, int m, u32 v) {
    Format t = {e, m, false};
    return half.code(t.value(v & ((2u << (e + m)) - 1)), 'n', false);
}
static u32 scale(float f, char mode, bool finite) {
    if (f != f) return 0xff;
    for (int k = 0; k < 255; k++)
        if (mode == 'p' ? ldexpl(1, k - 127) >= fabsl((long double)f) : ldexpl(1, k - 126) > fabsl((long double)f)) return k;
    return finite ? 0xfe : 0xff;
}
static float BF(u64 x) { return F(x << 16); }
static u32 from_scale(u32 v) { return v == 0xff ? 0x7fff : brain.code(ldexpl(1, (int)v - 127), 'n', false); }
static float flush(float f) { return fabsf(f) < 0x1p-126f ? copysignf(0, f) : f; }
static float saturate(float f) { return f > 0 ? f < 1 ? f : 1 : 0; }
static float larger(float a, float b) { return a != a ? b : b != b ? a : a > b ? a : b; }
/* Of the pair that the text leaves in %rd4: both halves, x, y, z being those of the operands. */
#define PAIR(text, value)                                                                                                        \
    ROW('f', text " mov.b64 {%f4, _}, %rd4;", ([](float x, float y, float z) { return (void)z, B(value); }(F(a), F(b), F(c))))   \
    ROW('f', text " mov.b64 {_, %f4}, %rd4;", ([](float x, float y, float z) { return (void)z, B(value); }(F(a >> 32), F(b >> 32), F(c >> 32))))

static const Op ops[] = {
    ROW('h', "cvt.rn.satfinite.e2m3x2.f32 %rs4, %f1, %f2;", pair(tiny(2, 3, F(a)), tiny(2, 3, F(b)), 8))
    ROW('h', "cvt.rn.satfinite.relu.e2m3x2.f32 %rs4, %f1, %f2;", pair(tiny(2, 3, relu(F(a))), tiny(2, 3, relu(F(b))), 8))
    ROW('h', "cvt.rn.satfinite.e3m2x2.f32 %rs4, %f1, %f2;", pair(tiny(3, 2, F(a)), tiny(3, 2, F(b)), 8))
    ROW('h', ".reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, %f1, %f2; cvt.u16.u8 %rs4, t;", pair(tiny(2, 1, F(a)), tiny(2, 1, F(b)), 4))
    ROW('r', "cvt.rn.f16x2.e2m3x2 %r4, %rs1;", pair(from_tiny(2, 3, a >> 8), from_tiny(2, 3, a), 16))
    ROW('r', "cvt.rn.f16x2.e3m2x2 %r4, %rs1;", pair(from_tiny(3, 2, a >> 8), from_tiny(3, 2, a), 16))
    ROW('r', ".reg .b8 t, u; mov.b16 {t, u}, %rs1; cvt.rn.f16x2.e2m1x2 %r4, t;", pair(from_tiny(2, 1, a >> 4), from_tiny(2, 1, a), 16))
    ROW('h', "cvt.rz.ue8m0x2.f32 %rs4, %f1, %f2;", pair(scale(F(a), 'z', false), scale(F(b), 'z', false), 8))
    ROW('h', "cvt.rp.satfinite.ue8m0x2.f32 %rs4, %f1, %f2;", pair(scale(F(a), 'p', true), scale(F(b), 'p', true), 8))
    ROW('h', "cvt.rp.ue8m0x2.bf16x2 %rs4, %r1;", pair(scale(BF(a >> 16), 'p', false), scale(BF(a), 'p', false), 8))
    ROW('r', "cvt.rn.bf16x2.ue8m0x2 %r4, %rs1;", pair(from_scale(a >> 8 & 0xff), from_scale(a & 0xff), 16))
    ROW('r', "cvt.pack.sat.u4.s32.b32 %r4, %r1, %r2, %r3;", (u32)c << 8 | pair((s32)a < 0 ? 0 : (s32)a > 15 ? 15 : (u32)a, (s32)b < 0 ? 0 : (s32)b > 15 ? 15 : (u32)b, 4))
    ROW('r', "cvt.pack.sat.s2.s32.b32 %r4, %r1, %r2, %r3;", (u32)c << 4 | pair(((s32)a < -2 ? -2 : (s32)a > 1 ? 1 : (s32)a) & 3, ((s32)b < -2 ? -2 : (s32)b > 1 ? 1 : (s32)b) & 3, 2))
    PAIR("add.rn.f32x2 %rd4, %rd1, %rd2;", x + y)
    PAIR("sub.ftz.f32x2 %rd4, %rd1, %rd2;", flush(flush(x) - flush(y)))
    PAIR("mul.f32x2 %rd4, %rd1, %rd2;", x * y)
    PAIR("fma.rn.f32x2 %rd4, %rd1, %rd2, %rd3;", fmaf(x, y, z))
    ROW('f', "add.f32.f16 %f4, %rs1, %f2;", B((float)H(a) + F(b)))
    ROW('f', "sub.rn.f32.bf16 %f4, %rs1, %f2;", B(BF(a) - F(b)))
    ROW('f', "fma.rn.f32.f16 %f4, %rs1, %rs2, %f3;", B(fmaf((float)H(a), (float)H(b), F(c))))
    ROW('f', "fma.rn.sat.f32.bf16 %f4, %rs1, %rs2, %f3;", B(saturate(fmaf(BF(a), BF(b), F(c)))))
    ROW('f', "max.abs.f32 %f4, %f1, %f2, %f3;", B(larger(larger(fabsf(F(a)), fabsf(F(b))), fabsf(F(c)))))

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
