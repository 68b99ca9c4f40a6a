// Every rounding with .ftz and .sat, halves with .ftz .sat .relu .NaN .xorsign, comparisons with .ftz; division by zero. The references
// are the host's own operations in each rounding mode.
// REQUIRES: run, cucpu
// RUN: %cucpu %s -o %t && %run %t | FileCheck %s
// RUN: %run %t print > %t.ptx && %cucpu --simd=1 %s %t.ptx -o %t.1 && %run %t.1 | FileCheck %s
// CHECK: instructions, 0 wrong
#include "Inputs/ops.h"
#include <cfenv>

template <typename T> __attribute__((noinline)) static T rounded(int mode, char op, T a, T b, T c = 0) {
    volatile T x = a, y = b, z = c, r = 0;
    fesetround(mode);
    switch (op) {
    case '+': r = x + y; break;
    case '-': r = x - y; break;
    case '*': r = x * y; break;
    case '/': r = x / y; break;
    case 'q': r = std::sqrt(x); break;
    default: r = std::fma(x, y, z);
    }
    fesetround(FE_TONEAREST);
    return r;
}
static float fz(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }
static float sat(float x) { return x > 0 ? fminf(x, 1) : 0; }

#define BINARY(name, op, r, mode)                                                                                          \
    ROW('f', name r ".f32 %f4, %f1, %f2;", B(rounded(mode, op, F(a), F(b))))                                               \
    ROW('f', name r ".ftz.f32 %f4, %f1, %f2;", B(fz(rounded(mode, op, fz(F(a)), fz(F(b))))))                               \
    ROW('d', name r ".f64 %fd4, %fd1, %fd2;", B(rounded(mode, op, D(a), D(b))))
#define SATURATED(name, op, r, mode)                                                                                       \
    ROW('f', name r ".sat.f32 %f4, %f1, %f2;", B(sat(rounded(mode, op, F(a), F(b)))))                                      \
    ROW('f', name r ".ftz.sat.f32 %f4, %f1, %f2;", B(sat(fz(rounded(mode, op, fz(F(a)), fz(F(b)))))))
#define FUSED(name, r, mode)                                                                                               \
    ROW('f', name r ".f32 %f4, %f1, %f2, %f3;", B(rounded(mode, 'm', F(a), F(b), F(c))))                                   \
    ROW('f', name r ".ftz.f32 %f4, %f1, %f2, %f3;", B(fz(rounded(mode, 'm', fz(F(a)), fz(F(b)), fz(F(c))))))               \
    ROW('f', name r ".sat.f32 %f4, %f1, %f2, %f3;", B(sat(rounded(mode, 'm', F(a), F(b), F(c)))))                          \
    ROW('d', name r ".f64 %fd4, %fd1, %fd2, %fd3;", B(rounded(mode, 'm', D(a), D(b), D(c))))
#define UNARY(r, mode)                                                                                                     \
    ROW('f', "rcp" r ".f32 %f4, %f1;", B(rounded(mode, '/', 1.0f, F(a))))                                                  \
    ROW('f', "rcp" r ".ftz.f32 %f4, %f1;", B(fz(rounded(mode, '/', 1.0f, fz(F(a))))))                                      \
    ROW('d', "rcp" r ".f64 %fd4, %fd1;", B(rounded(mode, '/', 1.0, D(a))))                                                 \
    ROW('f', "sqrt" r ".f32 %f4, %f1;", B(rounded(mode, 'q', F(a), 0.0f)))                                                 \
    ROW('f', "sqrt" r ".ftz.f32 %f4, %f1;", B(rounded(mode, 'q', fz(F(a)), 0.0f)))                                         \
    ROW('d', "sqrt" r ".f64 %fd4, %fd1;", B(rounded(mode, 'q', D(a), 0.0)))
#define ALL(r, mode)                                                                                                       \
    BINARY("add", '+', r, mode) BINARY("sub", '-', r, mode) BINARY("mul", '*', r, mode) BINARY("div", '/', r, mode)        \
    SATURATED("add", '+', r, mode) SATURATED("sub", '-', r, mode) SATURATED("mul", '*', r, mode)                           \
    FUSED("fma", r, mode) FUSED("mad", r, mode) UNARY(r, mode)

/* ---- halves: a NaN is 0x7fff here ---- */

static u64 raw(_Float16 h) { u16 x; memcpy(&x, &h, 2); return x; }
static u64 bits(_Float16 h) { return h != h ? 0x7fff : raw(h); }
static _Float16 half(u64 x) { u16 y = (u16)x; _Float16 h; memcpy(&h, &y, 2); return h; }
static _Float16 tiny(_Float16 h) { return (bits(h) & 0x7c00) == 0 ? half(bits(h) & 0x8000) : h; }
static _Float16 part(_Float16 h) { return h > (_Float16)0 ? h < (_Float16)1 ? h : (_Float16)1 : (_Float16)0; }
static _Float16 positive(_Float16 h) { return h != h || h > (_Float16)0 ? h : (_Float16)0; }
static u64 low(_Float16 x, _Float16 y, bool nan, bool sign) {
    u64 a = bits(x), b = bits(y), s = (raw(x) ^ raw(y)) & 0x8000;
    if (x != x || y != y) {
        if (nan || (x != x && y != y)) return 0x7fff;
        a = b = x != x ? b : a;
    }
    if (sign) a &= 0x7fff, b &= 0x7fff;
    bool first = half(a) < half(b) || (half(a) == half(b) && (a & 0x8000));
    u64 r = first ? a : b;
    return sign ? (r & 0x7fff) | s : r;
}
#define OOB(x, y, r) ((u16)(x) == 0xffff || (u16)(y) == 0xffff ? 0 : (r))
/* %rs4 with its NaN as 0x7fff */
#define HALF(text, e) ROW('h', text " setp.nan.f16 %p5, %rs4, %rs4; selp.b16 %rs4, 0x7fff, %rs4, %p5;", e)
#define HALVES(name, op)                                                                                                   \
    HALF(name ".f16 %rs4, %rs1, %rs2;", bits(half(a) op half(b)))                                                          \
    HALF(name ".ftz.f16 %rs4, %rs1, %rs2;", bits(tiny(tiny(half(a)) op tiny(half(b)))))                                    \
    HALF(name ".sat.f16 %rs4, %rs1, %rs2;", bits(part(half(a) op half(b))))                                                \
    HALF(name ".ftz.sat.f16 %rs4, %rs1, %rs2;", bits(part(tiny(tiny(half(a)) op tiny(half(b))))))                          \
    HALF(name ".rn.ftz.f16x2 %r4, %r1, %r2; mov.b32 {%rs3, %rs4}, %r4;",                                                   \
         bits(tiny(tiny(half(a >> 16)) op tiny(half(b >> 16)))))

static const Op ops[] = {
    ALL(".rn", FE_TONEAREST) ALL(".rz", FE_TOWARDZERO) ALL(".rm", FE_DOWNWARD) ALL(".rp", FE_UPWARD)
    HALVES("add", +) HALVES("sub", -) HALVES("mul", *)
    HALF("min.f16 %rs4, %rs1, %rs2;", low(half(a), half(b), false, false))
    HALF("min.NaN.f16 %rs4, %rs1, %rs2;", low(half(a), half(b), true, false))
    HALF("min.ftz.f16 %rs4, %rs1, %rs2;", low(tiny(half(a)), tiny(half(b)), false, false))
    HALF("min.xorsign.abs.f16 %rs4, %rs1, %rs2;", low(half(a), half(b), false, true))
    HALF("fma.rn.ftz.f16 %rs4, %rs1, %rs2, 0x8000;", bits(tiny(tiny(half(a)) * tiny(half(b)) + half(0x8000))))
    HALF("fma.rn.relu.f16 %rs4, %rs1, %rs2, 0x8000;", bits(positive(half(a) * half(b))))
    HALF("fma.rn.oob.f16 %rs4, %rs1, %rs2, 0x8000;", OOB(a, b, bits(half(a) * half(b))))
    HALF("mov.b16 %rs5, 0xffff; fma.rn.oob.f16 %rs4, %rs5, %rs2, %rs1;", 0)
    HALF("fma.rn.oob.relu.f16 %rs4, %rs1, %rs2, 0x8000;", OOB(a, b, bits(positive(half(a) * half(b)))))
    HALF("mov.b32 %r5, 0xffff3c00; fma.rn.oob.f16x2 %r4, %r5, %r1, %r5; mov.b32 {%rs3, %rs4}, %r4;", 0)
    HALF("mov.b32 %r5, 0x3c00ffff; mov.b32 %r3, 0x80008000; fma.rn.oob.f16x2 %r4, %r5, %r1, %r3; mov.b32 {%rs3, %rs4}, %r4;",
         OOB(a >> 16, 0, bits(half(a >> 16))))
    ROW('h', "mov.b16 %rs5, 0xffff; fma.rn.oob.bf16 %rs4, %rs1, %rs2, %rs5;", 0)
    HALF("abs.ftz.f16 %rs4, %rs1;", bits(half(bits(tiny(half(a))) & 0x7fff)))
    HALF("neg.ftz.f16 %rs4, %rs1;", bits(-tiny(half(a))))
    ROW('h', "abs.bf16 %rs4, %rs1;", a & 0x7fff)
    ROW('r', "neg.bf16x2 %r4, %r1;", (u32)a ^ 0x80008000)
    ROW('p', "setp.lt.ftz.f16 %p4, %rs1, %rs2;", tiny(half(a)) < tiny(half(b)))
    ROW('p', "setp.lt.f16 %p4, %rs1, %rs2;", half(a) < half(b))
    ROW('r', "set.eq.ftz.u32.f16 %r4, %rs1, %rs2;", tiny(half(a)) == tiny(half(b)) ? ~0u : 0)
    ROW('r', "slct.b32.f32 %r4, %r1, %r2, %f3;", F(c) >= 0 ? a : b)
    ROW('r', "slct.ftz.b32.f32 %r4, %r1, %r2, %f3;", fz(F(c)) >= 0 ? a : b)
    ROW('r', "mov.u32 %r5, 0x80000001; mov.b32 %f5, %r5; slct.ftz.b32.f32 %r4, %r1, %r2, %f5;", a)
    ROW('p', "abs.f64 %fd5, %fd1; rsqrt.approx.f64 %fd4, %fd5; mul.f64 %fd4, %fd4, %fd4; rcp.rn.f64 %fd5, %fd5;"
        "div.rn.f64 %fd4, %fd4, %fd5; sub.f64 %fd4, %fd4, 1.0; abs.f64 %fd4, %fd4; setp.leu.f64 %p4, %fd4, 1e-6;", 1)
    ROW('p', "mov.f64 %fd5, 0d0000000000000001; rsqrt.approx.f64 %fd4, %fd5; setp.lt.f64 %p4, %fd4, 1e200;", 1)
    ROW('r', "div.u32 %r4, %r1, %r2;", (u32)b ? (u32)a / (u32)b : ~0u)
    ROW('r', "rem.u32 %r4, %r1, %r2;", (u32)b ? (u32)a % (u32)b : (u32)a)
    ROW('r', "div.s32 %r4, %r1, %r2;", !(u32)b ? ~0u : (u32)((s64)(s32)a / (s32)b))
    ROW('r', "rem.s32 %r4, %r1, %r2;", !(u32)b ? (u32)a : (u32)((s64)(s32)a % (s32)b))
    ROW('l', "div.u64 %rd4, %rd1, %rd2;", b ? a / b : ~0ull)
    ROW('l', "rem.s64 %rd4, %rd1, %rd2;", !b ? a : b == ~0ull ? 0 : (u64)((s64)a % (s64)b))
    ROW('h', "div.s16 %rs4, %rs1, %rs2;", !(u16)b ? ~0u : (u32)((s16)a / (s16)b))
    ROW('h', "rem.u16 %rs4, %rs1, %rs2;", !(u16)b ? a : (u16)a % (u16)b)
};

int main(int argc, char **argv) { return run_ops(ops, (int)(sizeof ops / sizeof *ops), argc, argv); }
