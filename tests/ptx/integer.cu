// Integer arithmetic, bits, shifts, carries, comparisons: all bits, at all widths.
// REQUIRES: run
// RUN: %cucpu %s -o %t && %run %t print > %t.ptx
// RUN: %cucpu --simd=1 %s %t.ptx -o %t.1 && %run %t.1 | FileCheck %s
// RUN: %also { %cucpu --simd=8 %s %t.ptx -o %t.8 && %run %t.8 | FileCheck %s; }
// RUN: %also { %cucpu --simd=16 %s %t.ptx -o %t.16 && %run %t.16 | FileCheck %s; }
// RUN: %cucpu --simd=32 %s %t.ptx -o %t.32 && %run %t.32 | FileCheck %s
// CHECK: instructions, 0 wrong
#define OPS_FUNCTIONS \
    ".func (.reg .b32 r) sum(.reg .v2 .b32 a)\n" /* a declaration without a semicolon */ \
    ".func (.reg .v2 .b32 r, .hidden .reg .b64 s) turn(.reg .v2 .b32 a) { mov.b32 r.x, a.y; mov.b32 r.y, a.x; mov.b64 s, a; ret; }\n" \
    ".func (.reg .b32 r) sum(.reg .v2 .b32 a) { add.u32 r, a.x, a.y; ret; }\n"
#include "Inputs/ops.h"

static s32 sat(s64 x) { return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (s32)x; }
static u64 high_u(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
static s64 high_s(s64 a, s64 b) { return (s64)((__int128)a * b >> 64); }
static u32 clz32(u32 x) { return x ? __builtin_clz(x) : 32; }
static u32 clz64(u64 x) { return x ? __builtin_clzll(x) : 64; }
static u32 brev(u32 x) { u32 r = 0; for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i); return r; }
static u64 brev64(u64 x) { return (u64)brev((u32)x) << 32 | brev((u32)(x >> 32)); }
static u32 find(u32 x) { return x ? 31 - __builtin_clz(x) : ~0u; }
static u32 find64(u64 x) { return x ? 63 - __builtin_clzll(x) : ~0u; }
/* the ISA's own definition, bit by bit */
static u64 bfe(u64 a, u32 pos, u32 len, int msb, bool is_signed) {
    pos &= 255, len &= 255;
    u64 sbit = !is_signed || !len ? 0 : a >> (pos + len - 1 < (u32)msb ? pos + len - 1 : msb) & 1, d = 0;
    for (int i = 0; i <= msb; i++) d |= (i < (int)len && pos + i <= (u32)msb ? a >> (pos + i) & 1 : sbit) << i;
    return d;
}
static u64 bfi(u64 a, u64 b, u32 pos, u32 len, int msb) {
    pos &= 255, len &= 255;
    u64 f = b;
    for (u32 i = 0; i < len && pos + i <= (u32)msb; i++) f = (f & ~(1ull << (pos + i))) | (a >> i & 1) << (pos + i);
    return f;
}
static u32 prmt(u32 a, u32 b, u32 c) {
    u64 v = (u64)b << 32 | a;
    u32 d = 0;
    for (int i = 0; i < 4; i++) {
        u32 s = c >> (4 * i) & 15, x = v >> (8 * (s & 7)) & 255;
        d |= (s & 8 ? (x & 128 ? 255 : 0) : x) << (8 * i);
    }
    return d;
}
static u32 low24(u32 a, u32 b) { return (a & 0xffffff) * (u64)(b & 0xffffff); }
static s64 s24(u32 a) { return (s32)(a << 8) >> 8; }
static u32 dp4(u32 a, u32 b, u32 c) { for (int i = 0; i < 4; i++) c += (s32)(s8)(a >> 8 * i) * (s32)(u8)(b >> 8 * i); return c; }
static u32 dp2(u32 a, u32 b, u32 c) { for (int i = 0; i < 2; i++) c += (s32)(s16)(a >> 16 * i) * (s32)(s8)(b >> (8 * i + 16)); return c; }

static const Op ops[] = {
    ROW('r', "add.u32 %r4, %r1, %r2;", (u32)a + (u32)b)
    ROW('l', "add.s64 %rd4, %rd1, %rd2;", a + b)
    ROW('h', "sub.s16 %rs4, %rs1, %rs2;", a - b)
    ROW('r', "add.sat.s32 %r4, %r1, %r2;", sat((s64)(s32)a + (s32)b))
    ROW('r', "sub.s32.sat %r4, %r1, %r2;", sat((s64)(s32)a - (s32)b))
    ROW('r', "add.u16x2 %r4, %r1, %r2;", (u16)(a + b) | (u32)(u16)((a >> 16) + (b >> 16)) << 16)
    ROW('r', "mul.lo.s32 %r4, %r1, %r2;", (u32)a * (u32)b)
    ROW('r', "mul.hi.u32 %r4, %r1, %r2;", (u64)(u32)a * (u32)b >> 32)
    ROW('r', "mul.hi.s32 %r4, %r1, %r2;", (s64)(s32)a * (s32)b >> 32)
    ROW('h', "mul.hi.s16 %rs4, %rs1, %rs2;", (s32)(s16)a * (s16)b >> 16)
    ROW('l', "mul.hi.u64 %rd4, %rd1, %rd2;", high_u(a, b))
    ROW('l', "mul.hi.s64 %rd4, %rd1, %rd2;", high_s(a, b))
    ROW('l', "mul.wide.s32 %rd4, %r1, %r2;", (s64)(s32)a * (s32)b)
    ROW('l', "mul.wide.u32 %rd4, %r1, %r2;", (u64)(u32)a * (u32)b)
    ROW('r', "mul.wide.s16 %r4, %rs1, %rs2;", (s32)(s16)a * (s16)b)
    ROW('r', "mad.lo.s32 %r4, %r1, %r2, %r3;", (u32)a * (u32)b + (u32)c)
    ROW('r', "mad.hi.s32 %r4, %r1, %r2, %r3;", (u32)((s64)(s32)a * (s32)b >> 32) + (u32)c)
    ROW('r', "mad.hi.sat.s32 %r4, %r1, %r2, %r3;", sat((s64)(s32)((s64)(s32)a * (s32)b >> 32) + (s32)c))
    ROW('l', "mad.wide.u32 %rd4, %r1, %r2, %rd3;", (u64)(u32)a * (u32)b + c)
    ROW('r', "mul24.lo.u32 %r4, %r1, %r2;", low24(a, b))
    ROW('r', "mul24.hi.u32 %r4, %r1, %r2;", (u64)(a & 0xffffff) * (b & 0xffffff) >> 16)
    ROW('r', "mul24.lo.s32 %r4, %r1, %r2;", s24(a) * s24(b))
    ROW('r', "mad24.hi.s32 %r4, %r1, %r2, %r3;", (s24(a) * s24(b) >> 16) + c)
    ROW('r', "sad.u32 %r4, %r1, %r2, %r3;", ((u32)a < (u32)b ? (u32)b - (u32)a : (u32)a - (u32)b) + (u32)c)
    ROW('r', "sad.s32 %r4, %r1, %r2, %r3;", (u32)((s32)a < (s32)b ? (u32)b - (u32)a : (u32)a - (u32)b) + (u32)c)
    ROW('r', "or.b32 %r5, %r2, 1; div.u32 %r4, %r1, %r5;", (u32)a / ((u32)b | 1))
    ROW('r', "and.b32 %r5, %r2, 255; add.u32 %r5, %r5, 1; div.s32 %r4, %r1, %r5;", (s32)a / (s32)((b & 255) + 1))
    ROW('r', "or.b32 %r5, %r2, 1; rem.u32 %r4, %r1, %r5;", (u32)a % ((u32)b | 1))
    ROW('l', "or.b64 %rd5, %rd2, 1; rem.u64 %rd4, %rd1, %rd5;", a % (b | 1))
    ROW('r', "div.u32 %r5, %r1, %r2; div.s32 %r5, %r1, %r2; div.u32 %r5, %r1, 0; mov.u32 %r4, 5;", 5)
    ROW('r', "abs.s32 %r4, %r1;", (s32)a < 0 ? 0 - (u32)a : (u32)a)
    ROW('l', "neg.s64 %rd4, %rd1;", 0 - a)
    ROW('r', "min.s32 %r4, %r1, %r2;", (s32)a < (s32)b ? a : b)
    ROW('r', "max.u32 %r4, %r1, %r2;", (u32)a > (u32)b ? a : b)
    ROW('r', "max.s32.relu %r4, %r1, %r2;", (s32)a > (s32)b ? ((s32)a > 0 ? a : 0) : (s32)b > 0 ? b : 0)
    ROW('r', "popc.b32 %r4, %r1;", __builtin_popcount(a))
    ROW('r', "popc.b64 %r4, %rd1;", __builtin_popcountll(a))
    ROW('r', "clz.b32 %r4, %r1;", clz32(a))
    ROW('r', "clz.b64 %r4, %rd1;", clz64(a))
    ROW('r', "brev.b32 %r4, %r1;", brev(a))
    ROW('l', "brev.b64 %rd4, %rd1;", brev64(a))
    ROW('r', "bfind.u32 %r4, %r1;", find(a))
    ROW('r', "bfind.s32 %r4, %r1;", find((s32)a < 0 ? ~(u32)a : (u32)a))
    ROW('r', "bfind.u64 %r4, %rd1;", find64(a))
    ROW('r', "bfind.s64 %r4, %rd1;", find64((s64)a < 0 ? ~a : a))
    ROW('r', "bfind.shiftamt.u32 %r4, %r1;", find(a) == ~0u ? ~0u : 31 - find(a))
    ROW('r', "bfe.u32 %r4, %r1, %r2, %r3;", bfe((u32)a, b, c, 31, false))
    ROW('r', "bfe.s32 %r4, %r1, %r2, %r3;", bfe((u32)a, b, c, 31, true))
    ROW('l', "bfe.u64 %rd4, %rd1, %r2, %r3;", bfe(a, b, c, 63, false))
    ROW('l', "bfe.s64 %rd4, %rd1, %r2, %r3;", bfe(a, b, c, 63, true))
    ROW('r', "bfi.b32 %r4, %r1, %r2, %r3, 5;", bfi((u32)a, (u32)b, c, 5, 31))
    ROW('r', "bfi.b32 %r4, %r1, 0, 3, %r3;", bfi((u32)a, 0, 3, c, 31))
    ROW('l', "bfi.b64 %rd4, %rd1, %rd2, %r3, 40;", bfi(a, b, c, 40, 63))
    ROW('r', "bmsk.clamp.b32 %r4, %r1, %r2;", [](u32 p, u32 n) { u32 d = 0; for (u64 i = p; i < (u64)p + n && i < 32; i++) d |= 1u << i; return d; }(a, b))
    ROW('r', "szext.clamp.s32 %r4, %r1, %r2;", (u32)b > 31 ? (u32)a : (u32)b == 0 ? 0 : (u32)((s32)((u32)a << (32 - (u32)b)) >> (32 - (u32)b)))
    ROW('r', "and.b32 %r4, %r1, %r2;", a & b)
    ROW('h', "or.b16 %rs4, %rs1, %rs2;", a | b)
    ROW('l', "xor.b64 %rd4, %rd1, %rd2;", a ^ b)
    ROW('r', "not.b32 %r4, %r1;", ~a)
    ROW('r', "cnot.b32 %r4, %r1;", (u32)a == 0)
    ROW('p', "xor.pred %p4, %p1, %p2;", (a ^ b) & 1)
    ROW('p', "not.pred %p4, %p1;", ~a & 1)
    ROW('r', "lop3.b32 %r4, %r1, %r2, %r3, 0xe8;", (a & b) | (a & c) | (b & c))
    ROW('r', "lop3.b32 %r4, %r1, %r2, %r3, 0x96;", a ^ b ^ c)
    ROW('r', "lop3.b32 %r4, %r1, %r2, %r3, 0x35;", (~a & ~c) | (a & ~b))
    ROW('r', "shl.b32 %r4, %r1, %r2;", (u32)b > 31 ? 0 : (u32)a << (b & 31))
    ROW('r', "shl.b32 %r4, %r1, 40;", 0)
    ROW('r', "shr.u32 %r4, %r1, %r2;", (u32)b > 31 ? 0 : (u32)a >> (b & 31))
    ROW('r', "shr.s32 %r4, %r1, %r2;", (s32)a >> ((u32)b > 31 ? 31 : b))
    ROW('l', "shl.b64 %rd4, %rd1, %r2;", (u32)b > 63 ? 0 : a << (b & 63))
    ROW('l', "shr.s64 %rd4, %rd1, %r2;", (s64)a >> ((u32)b > 63 ? 63 : b))
    ROW('h', "shl.b16 %rs4, %rs1, %r2;", (u32)b > 15 ? 0 : a << (b & 15))
    ROW('h', "shr.s16 %rs4, %rs1, %r2;", (s16)a >> ((u32)b > 15 ? 15 : b))
    ROW('r', "shf.l.wrap.b32 %r4, %r1, %r2, %r3;", (((u64)(u32)b << 32 | (u32)a) << (c & 31)) >> 32)
    ROW('r', "shf.r.wrap.b32 %r4, %r1, %r2, %r3;", ((u64)(u32)b << 32 | (u32)a) >> (c & 31))
    ROW('r', "shf.l.clamp.b32 %r4, %r1, %r2, %r3;", (u32)c > 31 ? a : (((u64)(u32)b << 32 | (u32)a) << (c & 31)) >> 32)
    ROW('r', "shf.r.clamp.b32 %r4, %r1, %r2, %r3;", (u32)c > 31 ? b : ((u64)(u32)b << 32 | (u32)a) >> (c & 31))
    ROW('r', "prmt.b32 %r4, %r1, %r2, %r3;", prmt(a, b, c))
    ROW('r', "prmt.b32 %r4, %r1, %r2, 0x7531;", prmt(a, b, 0x7531))
    ROW('r', "prmt.b32.f4e %r4, %r1, %r2, %r3;", ((u64)(u32)b << 32 | (u32)a) >> (8 * (c & 3)))
    ROW('r', "prmt.b32.rc8 %r4, %r1, %r2, %r3;", ((u32)a >> (8 * (c & 3)) & 255) * 0x01010101u)
    ROW('r', "dp4a.s32.u32 %r4, %r1, %r2, %r3;", dp4(a, b, c))
    ROW('r', "dp2a.hi.s32.s32 %r4, %r1, %r2, %r3;", dp2(a, b, c))
    ROW('l', "add.cc.u32 %r4, %r1, %r2; addc.u32 %r5, %r3, 0; mov.b64 %rd4, {%r4, %r5};",
        (u64)(u32)((u32)a + (u32)b) | ((u64)(u32)c + (((u64)(u32)a + (u32)b) >> 32)) << 32)
    ROW('l', "sub.cc.u64 %rd5, %rd1, %rd2; subc.u64 %rd4, %rd3, 0;", c - (a < b))
    // vector registers: their bits as one number, in both directions, and as arguments and results
    ROW('l', ".reg .v2 .b32 v; mov.b64 v, %rd1; mov.b64 {%r5, %r6}, %rd2; mov.b32 v.x, %r5; mov.b64 %rd4, v;", (u32)b | (a >> 32 << 32))
    ROW('r', ".reg .v2 .b16 v; mov.b32 v, %r1; cvt.u32.u16 %r5, v.y; mov.b16 v.y, v.x; mov.b32 %r6, v; xor.b32 %r4, %r5, %r6;", ((u32)a >> 16) ^ ((u16)a * 0x10001u))
    ROW('l', ".reg .v4 .b16 v; mov.b64 v, %rd1; mov.b16 v.w, v.x; mov.b64 %rd4, v;", (a & 0xffffffffffff) | a << 48)
    ROW('r', ".reg .v2 .b32 v; mov.b64 v, %rd1; call (%r4), sum, (v);", (u32)a + (u32)(a >> 32))
    ROW('l', ".reg .v2 .b32 v; .reg .b64 w; mov.b64 v, %rd1; call (v, w), turn, (v); mov.b64 %rd5, v; sub.u64 %rd4, %rd5, w;", (a >> 32 | a << 32) - a)
    // special registers that say little on a CPU
    ROW('l', ".reg .b32 s<3>; .reg .b64 w; mov.u32 s0, %pm0; mov.u64 w, %pm7_64; mov.b32 s1, %envreg0; mov.b32 s2, %envreg31; or.b32 s0, s0, s1; or.b32 s0, s0, s2; cvt.u64.u32 %rd5, s0; or.b64 %rd4, %rd5, w;", 0)
    ROW('r', ".shared .b8 m[100]; .reg .b32 s<3>; .reg .pred e; mov.u32 s0, %total_smem_size; mov.u32 s1, %aggr_smem_size; mov.u32 s2, %dynamic_smem_size; sub.u32 s2, s0, s2;"
        "st.shared.b8 [m], %rs1; setp.ge.u32 e, s2, 100; setp.eq.and.u32 e, s0, s1, e; selp.u32 %r4, 1, 0, e;", 1)
    ROW('r', ".reg .b32 s<5>; .reg .pred e; mov.u32 s0, %reserved_smem_offset_begin; mov.u32 s1, %reserved_smem_offset_end; mov.u32 s2, %reserved_smem_offset_cap;"
        "mov.u32 s3, %reserved_smem_offset_0; setp.lt.u32 e, s0, s1; setp.le.and.u32 e, s1, s2, e; setp.ge.and.u32 e, s3, s0, e; selp.u32 %r4, 1, 0, e;", 1)
    // the flag behind a subtraction: clear after a borrow, so that what adds it adds one where there was none
    ROW('r', "sub.cc.u32 %r5, %r1, %r2; addc.u32 %r4, %r3, 0;", (u32)c + ((u32)a >= (u32)b))
    ROW('r', "add.cc.u32 %r5, %r1, %r2; subc.u32 %r4, %r3, 0;", (u32)c - !((u64)(u32)a + (u32)b >> 32))
    ROW('l', "sub.cc.u64 %rd5, %rd1, %rd2; madc.lo.u64 %rd4, %rd3, 3, 0;", 3 * c + (a >= b))
    ROW('r', "sub.cc.s32 %r5, %r1, %r2; subc.cc.s32 %r5, %r2, %r3; addc.u32 %r4, 0, 0;", (u32)b >= (u64)(u32)c + ((u32)a < (u32)b))
    ROW('r', "mad.lo.cc.u32 %r5, %r1, %r2, %r3; subc.cc.u32 %r5, 0, 0; addc.u32 %r4, 0, 0;", (u64)((u32)a * (u32)b) + (u32)c >> 32)
    ROW('r', "add.cc.u32 %r5, %r1, %r2; setp.lt.u32 %p5, %r2, 16; @%p5 sub.cc.u32 %r5, %r1, %r2; addc.u32 %r4, 0, 0;",
        (u32)b < 16 ? (u32)a >= (u32)b : (u64)(u32)a + (u32)b >> 32)
    ROW('r', "sub.cc.u32 %r5, %r1, %r2; setp.lt.u32 %p5, %r2, 16; @%p5 bra $C; add.u32 %r5, %r5, 1; $C: subc.u32 %r4, %r3, 0;",
        (u32)c - ((u32)a < (u32)b))
    ROW('r', "mad.lo.cc.u32 %r5, %r1, %r2, %r3; madc.hi.u32 %r4, %r1, %r2, 0;", ((u64)(u32)a * (u32)b + (u32)c) >> 32)
    ROW('p', "setp.lt.s32 %p4, %r1, %r2;", (s32)a < (s32)b)
    ROW('p', "setp.hi.u32 %p4, %r1, %r2;", (u32)a > (u32)b)
    ROW('p', "setp.lo.u32 %p4, %r1, %r2;", (u32)a < (u32)b)
    ROW('p', "setp.eq.and.u32 %p4, %r1, %r2, %p3;", (u32)a == (u32)b && (c & 1))
    ROW('p', "setp.ne.xor.b64 %p4, %rd1, %rd2, !%p3;", (a != b) ^ !(c & 1))
    ROW('p', "setp.le.or.s64 %p5|%p4, %rd1, %rd2, %p3;", !((s64)a <= (s64)b) || (c & 1))
    ROW('r', "set.ge.u32.s32 %r4, %r1, %r2;", (s32)a >= (s32)b ? ~0u : 0)
    ROW('r', "selp.b32 %r4, %r1, %r2, %p3;", c & 1 ? a : b)
    ROW('r', "slct.b32.s32 %r4, %r1, %r2, %r3;", (s32)c >= 0 ? a : b)
    ROW('r', "mov.u32 %r4, 7; @%p1 mov.u32 %r4, %r2; @ ! %p1 add .u32 %r4, %r4, 1;", a & 1 ? b : 8)
    ROW('l', "mov.b64 {_, %r5}, %rd1; mov.b64 %rd4, {%r5, %r2};", a >> 32 | b << 32)
    ROW('h', "mov.b32 {%rs4, %rs5}, %r1; xor.b16 %rs4, %rs4, %rs5;", a ^ a >> 16)
    ROW('r', "cvt.s32.s8 %r4, %r1;", (s32)(s8)a)
    ROW('r', "cvt.u32.u16 %r4, %rs1;", (u16)a)
    ROW('l', "cvt.s64.s32 %rd4, %r1;", (s64)(s32)a)
    ROW('r', "cvt.sat.u8.s32 %r4, %r1;", (s32)a < 0 ? 0 : (s32)a > 255 ? 255 : a)
    ROW('r', "cvt.sat.s16.u32 %r4, %r1;", (u32)a > 32767 ? 32767 : a)
    ROW('r', "cvt.sat.s32.s64 %r4, %rd1;", sat((s64)a))
    ROW('r', "cvt.pack.sat.u8.s32.b32 %r4, %r1, %r2, %r3;",
        (u32)c << 16 | ((s32)a < 0 ? 0 : (s32)a > 255 ? 255 : (u32)a) << 8 | ((s32)b < 0 ? 0 : (s32)b > 255 ? 255 : (u32)b))
    ROW('r', "{ .reg .u32 add, ld; mov.u32 add, 42U; sub.u32 ld, add, 017; add.u32 %r4, ld, (1<<4)|3; }", 42 - 15 + 19)
    ROW('r', "mov.u32 %r4, WARP_SZ-1; add.u32 %r4, %r4, 3>2?7:9; add.u32 %r4, %r4, 0b101;", 31 + 7 + 5)
    ROW('r', "setp.ge.u32 %p5, %r1, 10; mov.u32 %r4, 0; $L: @%p5 bra $E; add.u32 %r4, %r4, %r1; { $L: add.u32 %r4, %r4, 1; } $E:",
        (u32)a >= 10 ? 0 : (u32)a + 1)
    ROW('r', "ts: .branchtargets A, B2, C; and.b32 %r5, %r1, 1; brx.idx %r5, ts; A: mov.u32 %r4, 10; bra Z; B2: mov.u32 %r4, 20; bra Z; C: mov.u32 %r4, 30; Z:",
        a & 1 ? 20 : 10)
};

int main(int argc, char **argv) { return run_ops(ops, sizeof ops / sizeof *ops, argc, argv); }
