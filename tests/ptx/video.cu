// Video instructions: parts of words, saturation, secondary operations, merging, lanes and their selectors.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t print > %t.ptx
// RUN: %cucpu --simd=1 %s %t.ptx -o %t.1 && %run %t.1 | FileCheck %s
// RUN: %also { %cucpu --simd=8 %s %t.ptx -o %t.8 && %run %t.8 | FileCheck %s; }
// RUN: %cucpu --simd=32 %s %t.ptx -o %t.32 && %run %t.32 | FileCheck %s
// CHECK: instructions, 0 wrong
#include "Inputs/ops.h"
#include <algorithm>

typedef __int128 wide;
static wide S(u64 x) { return (s32)x; }
static wide U(u64 x) { return (u32)x; }
static wide part(u64 x, int at, int bits, bool is_signed) {
    u32 v = (u32)x >> at & (bits == 32 ? ~0u : (1u << bits) - 1);
    return is_signed && v >> (bits - 1) ? (wide)v - ((wide)1 << bits) : (wide)v;
}
static wide clamp(wide v, int bits, bool is_signed) {
    wide low = is_signed ? -((wide)1 << (bits - 1)) : 0, high = ((wide)1 << (is_signed ? bits - 1 : bits)) - 1;
    return v < low ? low : v > high ? high : v;
}
static u32 merge(wide v, u64 c, int at, int bits) {
    u32 mask = ((1u << bits) - 1) << at;
    return ((u32)v << at & mask) | ((u32)c & ~mask);
}
static wide apart(wide a, wide b) { return a > b ? a - b : b - a; }
static wide mean(wide a, wide b) { return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1; }

/* Lanes of n: lane i of a and b by selectors as written in the instruction, the first digit for the last lane. */
template <typename F> static u32 lanes(u64 a, u64 b, u64 c, int n, const char *pick_a, const char *pick_b, u32 mask, bool sa, bool sb, bool add, F f) {
    int bits = 32 / n;
    u64 both = (u64)(u32)b << 32 | (u32)a;
    u32 d = add ? (u32)c : 0, ones = bits == 8 ? 255 : 65535;
    for (int i = 0; i < n; i++) {
        int x = pick_a[n - 1 - i] - '0', y = pick_b[n - 1 - i] - '0';
        wide t = f(part(both >> (x * bits), 0, bits, sa), part(both >> (y * bits), 0, bits, sb));
        if (add) d += mask >> i & 1 ? (u32)t : 0;
        else d |= ((mask >> i & 1 ? (u32)t : (u32)c >> (i * bits)) & ones) << (i * bits);
    }
    return d;
}
#define SUM [](wide x, wide y) { return x + y; }
#define DIFFERENCE [](wide x, wide y) { return x - y; }

static const Op ops[] = {
    ROW('r', "vadd.u32.u32.u32 %r4, %r1, %r2, %r3;", (u32)a + (u32)b) // merged into the whole word
    ROW('r', "vadd.u32.u32.u32 %r4, %r1, %r2;", a + b)
    ROW('r', "vadd.s32.s32.s32.sat %r4, %r1, %r2;", clamp(S(a) + S(b), 32, true))
    ROW('r', "vadd.u32.s32.u32.sat %r4, %r1.b1, %r2.h1;", clamp(part(a, 8, 8, true) + part(b, 16, 16, false), 32, false))
    ROW('r', "vadd.s32.u32.s32.sat %r4.b2, %r1.h0, %r2, %r3;", merge(clamp(part(a, 0, 16, false) + S(b), 8, true), c, 16, 8))
    ROW('r', "vsub.u32.u32.u32.sat.add %r4, %r1, %r2, %r3;", (u32)clamp(U(a) - U(b), 32, false) + (u32)c)
    ROW('r', "vsub.s32.u32.s32 %r4.h1, %r1.b3, %r2.b0, %r3;", merge(part(a, 24, 8, false) - part(b, 0, 8, true), c, 16, 16))
    ROW('r', "vabsdiff.u32.s32.s32 %r4, %r1, %r2;", apart(S(a), S(b)))
    ROW('r', "vabsdiff.s32.u32.u32.sat.min %r4, %r1, %r2, %r3;", std::min((s32)clamp(apart(U(a), U(b)), 32, true), (s32)c))
    ROW('r', "vmin.s32.s32.u32 %r4, %r1, %r2;", std::min(S(a), U(b)))
    ROW('r', "vmax.u32.u32.s32.sat.max %r4, %r1.h1, %r2.b2, %r3;", std::max((u32)clamp(std::max(part(a, 16, 16, false), part(b, 16, 8, true)), 32, false), (u32)c))
    ROW('r', "vset.s32.u32.lt %r4, %r1, %r2;", S(a) < U(b))
    ROW('r', "vset.u32.u32.ge.add %r4, %r1.b0, %r2.b1, %r3;", (part(a, 0, 8, false) >= part(b, 8, 8, false)) + (u32)c)
    ROW('r', "vset.s32.s32.eq %r4.b3, %r1, %r2, %r3;", merge(S(a) == S(b), c, 24, 8))
    ROW('r', "vshl.u32.u32.u32.clamp %r4, %r1, %r2;", (u32)b > 31 ? 0 : (u32)a << (b & 31))
    ROW('r', "vshl.u32.u32.u32.wrap.sat %r4, %r1, %r2;", clamp(U(a) << (b & 31), 32, false))
    ROW('r', "vshl.s32.s32.u32.sat.clamp %r4, %r1.h0, %r2;", clamp(part(a, 0, 16, true) << std::min<u32>(b, 32), 32, true))
    ROW('r', "vshr.s32.s32.u32.wrap.add %r4, %r1, %r2, %r3;", (u32)(S(a) >> (b & 31)) + (u32)c)
    ROW('r', "vshr.u32.u32.u32.clamp %r4, %r1, %r2.b0;", U(a) >> std::min<u32>(b & 255, 32))
    ROW('r', "vmad.s32.s32.s32 %r4, %r1, %r2, %r3;", S(a) * S(b) + S(c))
    ROW('r', "vmad.u32.u32.u32.sat %r4, %r1, %r2, %r3;", clamp(U(a) * U(b) + U(c), 32, false))
    ROW('r', "vmad.s32.s32.u32.sat.shr7 %r4, -%r1.h1, %r2.b1, %r3;", clamp((S(c) - part(a, 16, 16, true) * part(b, 8, 8, false)) >> 7, 32, true))
    ROW('r', "vmad.u32.u32.u32.shr15 %r4, %r1.h0, %r2.h1, -%r3;", (part(a, 0, 16, false) * part(b, 16, 16, false) - S(c)) >> 15)
    ROW('r', "vmad.s32.s32.s32.po.sat %r4, %r1, %r2, %r3;", clamp(S(a) * S(b) + S(c) + 1, 32, true))
    ROW('r', "vadd2.s32.s32.s32.sat %r4, %r1, %r2, %r3;", lanes(a, b, c, 2, "10", "32", 3, true, true, false, [](wide x, wide y) { return clamp(x + y, 16, true); }))
    ROW('r', "vsub2.u32.u32.s32 %r4.h1, %r1.h02, %r2.h31, %r3;", lanes(a, b, c, 2, "02", "31", 2, false, true, false, DIFFERENCE))
    ROW('r', "vavrg2.s32.s32.s32 %r4, %r1, %r2, %r3;", lanes(a, b, c, 2, "10", "32", 3, true, true, false, mean))
    ROW('r', "vabsdiff2.u32.u32.u32.add %r4, %r1, %r2, %r3;", lanes(a, b, c, 2, "10", "32", 3, false, false, true, apart))
    ROW('r', "vset2.s32.s32.gt %r4, %r1, %r2, %r3;", lanes(a, b, c, 2, "10", "32", 3, true, true, false, [](wide x, wide y) { return (wide)(x > y); }))
    ROW('r', "vadd4.u32.u32.u32.add %r4, %r1, %r2, %r3;", lanes(a, b, c, 4, "3210", "7654", 15, false, false, true, SUM))
    ROW('r', "vsub4.s32.s32.s32.sat %r4.b310, %r1.b7210, %r2.b0123, %r3;", lanes(a, b, c, 4, "7210", "0123", 11, true, true, false, [](wide x, wide y) { return clamp(x - y, 8, true); }))
    ROW('r', "vavrg4.u32.u32.u32 %r4, %r1, %r2, %r3;", lanes(a, b, c, 4, "3210", "7654", 15, false, false, false, mean))
    ROW('r', "vabsdiff4.u32.u32.u32.add %r4, %r1, %r2, %r3;", lanes(a, b, c, 4, "3210", "7654", 15, false, false, true, apart))
    ROW('r', "vabsdiff4.s32.s32.u32.sat %r4, %r1, %r2, %r3;", lanes(a, b, c, 4, "3210", "7654", 15, true, false, false, [](wide x, wide y) { return clamp(apart(x, y), 8, true); }))
    ROW('r', "vmin4.s32.s32.s32 %r4.b20, %r1, %r2, %r3;", lanes(a, b, c, 4, "3210", "7654", 5, true, true, false, [](wide x, wide y) { return x < y ? x : y; }))
    ROW('r', "vmax4.u32.u32.u32.add %r4, %r1, %r2, %r3;", lanes(a, b, c, 4, "3210", "7654", 15, false, false, true, [](wide x, wide y) { return x > y ? x : y; }))
    ROW('r', "vset4.u32.u32.le.add %r4, %r1, %r2, %r3;", lanes(a, b, c, 4, "3210", "7654", 15, false, false, true, [](wide x, wide y) { return (wide)(x <= y); }))
};

int main(int argc, char **argv) { return run_ops(ops, sizeof ops / sizeof *ops, argc, argv); }
