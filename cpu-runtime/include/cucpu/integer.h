/* integer.h: integer intrinsics, bit casts, min and max. */
#ifndef CUCPU_INTEGER_H
#define CUCPU_INTEGER_H
#include "defs.h"

extern "C" {
__device__ unsigned cucpu_fshl(unsigned hi, unsigned lo, unsigned n) CUCPU_INTRINSIC("llvm.fshl.i32");
__device__ unsigned cucpu_fshr(unsigned hi, unsigned lo, unsigned n) CUCPU_INTRINSIC("llvm.fshr.i32");
}
CUCPU_D int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
CUCPU_D unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
CUCPU_D int mul24(int a, int b) { return __mul24(a, b); }
CUCPU_D unsigned umul24(unsigned a, unsigned b) { return __umul24(a, b); }
CUCPU_D int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
CUCPU_D unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}
CUCPU_D int mulhi(int a, int b) { return __mulhi(a, b); }
CUCPU_D unsigned mulhi(unsigned a, unsigned b) { return __umulhi(a, b); }
CUCPU_D unsigned umulhi(unsigned a, unsigned b) { return __umulhi(a, b); }
CUCPU_D long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
CUCPU_D unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
CUCPU_D long long mul64hi(long long a, long long b) { return __mul64hi(a, b); }
CUCPU_D unsigned long long umul64hi(unsigned long long a, unsigned long long b) {
    return __umul64hi(a, b);
}
CUCPU_D unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
CUCPU_D unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
CUCPU_D int __clz(int v) { return __builtin_clzg((unsigned)v, 32); }
CUCPU_D int __clzll(long long v) { return __builtin_clzg((unsigned long long)v, 64); }
CUCPU_D int __ffs(int v) { return __builtin_ctzg((unsigned)v, -1) + 1; }
CUCPU_D int __ffsll(long long v) { return __builtin_ctzg((unsigned long long)v, -1) + 1; }
CUCPU_D int __popc(unsigned v) { return __builtin_popcount(v); }
CUCPU_D int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
CUCPU_D int clz(int v) { return __clz(v); }
CUCPU_D int clzll(long long v) { return __clzll(v); }
CUCPU_D int popc(unsigned v) { return __popc(v); }
CUCPU_D int popcll(unsigned long long v) { return __popcll(v); }
CUCPU_D unsigned brev(unsigned v) { return __brev(v); }
CUCPU_D unsigned long long brevll(unsigned long long v) { return __brevll(v); }
/* Position of the n-th set bit counted from base, upwards or (n < 0) downwards; ~0 if none. */
CUCPU_D unsigned __fns(unsigned mask, unsigned base, int n) {
    if (n == 0) return base < 32 && (mask >> base & 1) ? base : ~0u;
    int step = n > 0 ? 1 : -1, left = n > 0 ? n : -n;
    for (int i = (int)(base & 31); i >= 0 && i < 32; i += step)
        if ((mask >> i & 1) && --left == 0) return (unsigned)i;
    return ~0u;
}
CUCPU_D unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
    unsigned long long v = (unsigned long long)y << 32 | x;
    unsigned r = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        unsigned b = (unsigned)(v >> ((s >> 4 * i & 7) * 8)) & 0xff;
        if (s >> 4 * i & 8) b = b & 0x80 ? 0xff : 0; /* replicate the sign */
        r |= b << 8 * i;
    }
    return r;
}
CUCPU_D unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { return cucpu_fshl(hi, lo, n); }
CUCPU_D unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { return cucpu_fshr(hi, lo, n); }
CUCPU_D unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
    return n >= 32 ? lo : cucpu_fshl(hi, lo, n);
}
CUCPU_D unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
    return n >= 32 ? hi : cucpu_fshr(hi, lo, n);
}
CUCPU_D unsigned __sad(int a, int b, unsigned c) {
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}
CUCPU_D unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
CUCPU_D int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
CUCPU_D int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
CUCPU_D unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
CUCPU_D unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }

/* ---- dot products of packed bytes and halves ---- */
CUCPU_D int cucpu_s8(unsigned v, int i) { return (signed char)(v >> 8 * i); }
CUCPU_D unsigned cucpu_u8(unsigned v, int i) { return (unsigned char)(v >> 8 * i); }
CUCPU_D int __dp4a(int a, int b, int c) {
#pragma unroll
    for (int i = 0; i < 4; i++) c = (int)((unsigned)c + (unsigned)(cucpu_s8((unsigned)a, i) * cucpu_s8((unsigned)b, i)));
    return c;
}
CUCPU_D unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
#pragma unroll
    for (int i = 0; i < 4; i++) c += cucpu_u8(a, i) * cucpu_u8(b, i);
    return c;
}
CUCPU_D int __dp4a(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
CUCPU_D unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
    return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
CUCPU_D int cucpu_dp2a(int a, int b, int c, int byte) {
    return (int)((unsigned)c + (unsigned)((short)a * cucpu_s8((unsigned)b, byte)) +
                 (unsigned)((a >> 16) * cucpu_s8((unsigned)b, byte + 1)));
}
CUCPU_D unsigned cucpu_udp2a(unsigned a, unsigned b, unsigned c, int byte) {
    return c + (a & 0xffff) * cucpu_u8(b, byte) + (a >> 16) * cucpu_u8(b, byte + 1);
}
CUCPU_D int __dp2a_lo(int a, int b, int c) { return cucpu_dp2a(a, b, c, 0); }
CUCPU_D int __dp2a_hi(int a, int b, int c) { return cucpu_dp2a(a, b, c, 2); }
CUCPU_D unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) { return cucpu_udp2a(a, b, c, 0); }
CUCPU_D unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return cucpu_udp2a(a, b, c, 2); }
CUCPU_D int __dp2a_lo(short2 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y; }
CUCPU_D int __dp2a_hi(short2 a, char4 b, int c) { return c + a.x * b.z + a.y * b.w; }
CUCPU_D unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) { return c + (unsigned)a.x * b.x + (unsigned)a.y * b.y; }
CUCPU_D unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) { return c + (unsigned)a.x * b.z + (unsigned)a.y * b.w; }

/* ---- bit casts ---- */
CUCPU_D int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
CUCPU_D unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
CUCPU_D float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
CUCPU_D float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
CUCPU_D long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
CUCPU_D double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
CUCPU_D int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
CUCPU_D int __double2loint(double x) { return (int)__double_as_longlong(x); }
CUCPU_D double __hiloint2double(int hi, int lo) {
    return __longlong_as_double((long long)((unsigned long long)(unsigned)hi << 32 | (unsigned)lo));
}
CUCPU_D int float_as_int(float x) { return __float_as_int(x); }
CUCPU_D float int_as_float(int x) { return __int_as_float(x); }
CUCPU_D unsigned float_as_uint(float x) { return __float_as_uint(x); }
CUCPU_D float uint_as_float(unsigned x) { return __uint_as_float(x); }
CUCPU_D int double2hiint(double x) { return __double2hiint(x); }
CUCPU_D int double2loint(double x) { return __double2loint(x); }
CUCPU_D double hiloint2double(int hi, int lo) { return __hiloint2double(hi, lo); }

/* ---- min, max: the overloads of CUDA's math_functions; mixed signs compare unsigned ---- */
#define CUCPU_MINMAX_(R, A, B)                                                                     \
    CUCPU_HD constexpr R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                       \
    CUCPU_HD constexpr R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define CUCPU_MINMAX_ALL_(S, U)                                                                    \
    CUCPU_MINMAX_(S, S, S) CUCPU_MINMAX_(U, U, U) CUCPU_MINMAX_(U, S, U) CUCPU_MINMAX_(U, U, S)
CUCPU_MINMAX_ALL_(int, unsigned int)
CUCPU_MINMAX_ALL_(long, unsigned long)
CUCPU_MINMAX_ALL_(long long, unsigned long long)
#undef CUCPU_MINMAX_ALL_
#undef CUCPU_MINMAX_
CUCPU_HD float min(float a, float b) { return __builtin_fminf(a, b); }
CUCPU_HD float max(float a, float b) { return __builtin_fmaxf(a, b); }
CUCPU_HD double min(double a, double b) { return __builtin_fmin(a, b); }
CUCPU_HD double max(double a, double b) { return __builtin_fmax(a, b); }
CUCPU_HD double min(float a, double b) { return __builtin_fmin(a, b); }
CUCPU_HD double min(double a, float b) { return __builtin_fmin(a, b); }
CUCPU_HD double max(float a, double b) { return __builtin_fmax(a, b); }
CUCPU_HD double max(double a, float b) { return __builtin_fmax(a, b); }
CUCPU_HD unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
CUCPU_HD unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
CUCPU_HD long long llmin(long long a, long long b) { return a < b ? a : b; }
CUCPU_HD long long llmax(long long a, long long b) { return a > b ? a : b; }
CUCPU_HD unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
CUCPU_HD unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
#endif
