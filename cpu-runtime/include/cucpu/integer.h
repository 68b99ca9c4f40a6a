/* integer.h: integer intrinsics, bit casts, min and max. */
#ifndef CUCPU_INTEGER_H
#define CUCPU_INTEGER_H
#include "defs.h"

extern "C" {
__device__ unsigned cucpu_fshl(unsigned hi, unsigned lo, unsigned n_) CUCPU_INTRINSIC("llvm.fshl.i32");
__device__ unsigned cucpu_fshr(unsigned hi, unsigned lo, unsigned n_) CUCPU_INTRINSIC("llvm.fshr.i32");
}
CUCPU_D int __mul24(int a_, int b_) { return (int)((unsigned)(a_ << 8 >> 8) * (unsigned)(b_ << 8 >> 8)); }
CUCPU_D unsigned __umul24(unsigned a_, unsigned b_) { return (a_ & 0xffffff) * (b_ & 0xffffff); }
CUCPU_D int mul24(int a_, int b_) { return __mul24(a_, b_); }
CUCPU_D unsigned umul24(unsigned a_, unsigned b_) { return __umul24(a_, b_); }
CUCPU_D int __mulhi(int a_, int b_) { return (int)((long long)a_ * b_ >> 32); }
CUCPU_D unsigned __umulhi(unsigned a_, unsigned b_) {
    return (unsigned)((unsigned long long)a_ * b_ >> 32);
}
CUCPU_D int mulhi(int a_, int b_) { return __mulhi(a_, b_); }
CUCPU_D unsigned mulhi(unsigned a_, unsigned b_) { return __umulhi(a_, b_); }
CUCPU_D unsigned umulhi(unsigned a_, unsigned b_) { return __umulhi(a_, b_); }
CUCPU_D long long __mul64hi(long long a_, long long b_) { return (long long)((__int128)a_ * b_ >> 64); }
CUCPU_D unsigned long long __umul64hi(unsigned long long a_, unsigned long long b_) {
    return (unsigned long long)((unsigned __int128)a_ * b_ >> 64);
}
CUCPU_D long long mul64hi(long long a_, long long b_) { return __mul64hi(a_, b_); }
CUCPU_D unsigned long long umul64hi(unsigned long long a_, unsigned long long b_) {
    return __umul64hi(a_, b_);
}
CUCPU_D unsigned __brev(unsigned v_) { return __builtin_bitreverse32(v_); }
CUCPU_D unsigned long long __brevll(unsigned long long v_) { return __builtin_bitreverse64(v_); }
CUCPU_HD unsigned short __nv_bswap16(unsigned short v_) { return __builtin_bswap16(v_); }
CUCPU_HD unsigned __nv_bswap32(unsigned v_) { return __builtin_bswap32(v_); }
CUCPU_HD unsigned long long __nv_bswap64(unsigned long long v_) { return __builtin_bswap64(v_); }
CUCPU_D int __clz(int v_) { return __builtin_clzg((unsigned)v_, 32); }
CUCPU_D int __clzll(long long v_) { return __builtin_clzg((unsigned long long)v_, 64); }
CUCPU_D int __ffs(int v_) { return __builtin_ctzg((unsigned)v_, -1) + 1; }
CUCPU_D int __ffsll(long long v_) { return __builtin_ctzg((unsigned long long)v_, -1) + 1; }
CUCPU_D int __popc(unsigned v_) { return __builtin_popcount(v_); }
CUCPU_D int __popcll(unsigned long long v_) { return __builtin_popcountll(v_); }
CUCPU_D int clz(int v_) { return __clz(v_); }
CUCPU_D int clzll(long long v_) { return __clzll(v_); }
CUCPU_D int popc(unsigned v_) { return __popc(v_); }
CUCPU_D int popcll(unsigned long long v_) { return __popcll(v_); }
CUCPU_D unsigned brev(unsigned v_) { return __brev(v_); }
CUCPU_D unsigned long long brevll(unsigned long long v_) { return __brevll(v_); }
/* Position of the n-th set bit counted from base, upwards or (n < 0) downwards; ~0 if none. */
CUCPU_D unsigned __fns(unsigned mask, unsigned base, int n_) {
    if (n_ == 0) return base < 32 && (mask >> base & 1) ? base : ~0u;
    int step = n_ > 0 ? 1 : -1, left = n_ > 0 ? n_ : -n_;
    for (int i_ = (int)(base & 31); i_ >= 0 && i_ < 32; i_ += step)
        if ((mask >> i_ & 1) && --left == 0) return (unsigned)i_;
    return ~0u;
}
CUCPU_D unsigned __byte_perm(unsigned x, unsigned y, unsigned s_) {
    unsigned long long v_ = (unsigned long long)y << 32 | x;
    unsigned r_ = 0;
#pragma unroll
    for (int i_ = 0; i_ < 4; i_++) {
        unsigned b_ = (unsigned)(v_ >> ((s_ >> 4 * i_ & 7) * 8)) & 0xff;
        r_ |= b_ << 8 * i_;
    }
    return r_;
}
CUCPU_D unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n_) { return cucpu_fshl(hi, lo, n_); }
CUCPU_D unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n_) { return cucpu_fshr(hi, lo, n_); }
CUCPU_D unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n_) {
    return n_ >= 32 ? lo : cucpu_fshl(hi, lo, n_);
}
CUCPU_D unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n_) {
    return n_ >= 32 ? hi : cucpu_fshr(hi, lo, n_);
}
CUCPU_D unsigned __sad(int a_, int b_, unsigned c_) {
    return (a_ > b_ ? (unsigned)a_ - (unsigned)b_ : (unsigned)b_ - (unsigned)a_) + c_;
}
CUCPU_D unsigned __usad(unsigned a_, unsigned b_, unsigned c_) { return (a_ > b_ ? a_ - b_ : b_ - a_) + c_; }
CUCPU_D int __hadd(int a_, int b_) { return (int)(((long long)a_ + b_) >> 1); }
CUCPU_D int __rhadd(int a_, int b_) { return (int)(((long long)a_ + b_ + 1) >> 1); }
CUCPU_D unsigned __uhadd(unsigned a_, unsigned b_) { return (unsigned)(((unsigned long long)a_ + b_) >> 1); }
CUCPU_D unsigned __urhadd(unsigned a_, unsigned b_) { return (unsigned)(((unsigned long long)a_ + b_ + 1) >> 1); }

/* ---- dot products of packed bytes and halves ---- */
CUCPU_D int cucpu_s8(unsigned v_, int i_) { return (signed char)(v_ >> 8 * i_); }
CUCPU_D unsigned cucpu_u8(unsigned v_, int i_) { return (unsigned char)(v_ >> 8 * i_); }
CUCPU_D int __dp4a(int a_, int b_, int c_) {
#pragma unroll
    for (int i_ = 0; i_ < 4; i_++) c_ = (int)((unsigned)c_ + (unsigned)(cucpu_s8((unsigned)a_, i_) * cucpu_s8((unsigned)b_, i_)));
    return c_;
}
CUCPU_D unsigned __dp4a(unsigned a_, unsigned b_, unsigned c_) {
#pragma unroll
    for (int i_ = 0; i_ < 4; i_++) c_ += cucpu_u8(a_, i_) * cucpu_u8(b_, i_);
    return c_;
}
CUCPU_D int __dp4a(char4 a_, char4 b_, int c_) { return c_ + a_.x * b_.x + a_.y * b_.y + a_.z * b_.z + a_.w * b_.w; }
CUCPU_D unsigned __dp4a(uchar4 a_, uchar4 b_, unsigned c_) {
    return c_ + a_.x * b_.x + a_.y * b_.y + a_.z * b_.z + a_.w * b_.w;
}
CUCPU_D int cucpu_dp2a(int a_, int b_, int c_, int byte) {
    return (int)((unsigned)c_ + (unsigned)((short)a_ * cucpu_s8((unsigned)b_, byte)) +
                 (unsigned)((a_ >> 16) * cucpu_s8((unsigned)b_, byte + 1)));
}
CUCPU_D unsigned cucpu_udp2a(unsigned a_, unsigned b_, unsigned c_, int byte) {
    return c_ + (a_ & 0xffff) * cucpu_u8(b_, byte) + (a_ >> 16) * cucpu_u8(b_, byte + 1);
}
CUCPU_D int __dp2a_lo(int a_, int b_, int c_) { return cucpu_dp2a(a_, b_, c_, 0); }
CUCPU_D int __dp2a_hi(int a_, int b_, int c_) { return cucpu_dp2a(a_, b_, c_, 2); }
CUCPU_D unsigned __dp2a_lo(unsigned a_, unsigned b_, unsigned c_) { return cucpu_udp2a(a_, b_, c_, 0); }
CUCPU_D unsigned __dp2a_hi(unsigned a_, unsigned b_, unsigned c_) { return cucpu_udp2a(a_, b_, c_, 2); }
CUCPU_D int __dp2a_lo(short2 a_, char4 b_, int c_) { return c_ + a_.x * b_.x + a_.y * b_.y; }
CUCPU_D int __dp2a_hi(short2 a_, char4 b_, int c_) { return c_ + a_.x * b_.z + a_.y * b_.w; }
CUCPU_D unsigned __dp2a_lo(ushort2 a_, uchar4 b_, unsigned c_) { return c_ + (unsigned)a_.x * b_.x + (unsigned)a_.y * b_.y; }
CUCPU_D unsigned __dp2a_hi(ushort2 a_, uchar4 b_, unsigned c_) { return c_ + (unsigned)a_.x * b_.z + (unsigned)a_.y * b_.w; }

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
    CUCPU_HD constexpr R min(A a_, B b_) { return (R)a_ < (R)b_ ? (R)a_ : (R)b_; }                 \
    CUCPU_HD constexpr R max(A a_, B b_) { return (R)a_ > (R)b_ ? (R)a_ : (R)b_; }
#define CUCPU_MINMAX_ALL_(S, U)                                                                    \
    CUCPU_MINMAX_(S, S, S) CUCPU_MINMAX_(U, U, U) CUCPU_MINMAX_(U, S, U) CUCPU_MINMAX_(U, U, S)
CUCPU_MINMAX_ALL_(int, unsigned int)
CUCPU_MINMAX_ALL_(long, unsigned long)
CUCPU_MINMAX_ALL_(long long, unsigned long long)
#undef CUCPU_MINMAX_ALL_
#undef CUCPU_MINMAX_
CUCPU_HD float min(float a_, float b_) { return __builtin_fminf(a_, b_); }
CUCPU_HD float max(float a_, float b_) { return __builtin_fmaxf(a_, b_); }
CUCPU_HD double min(double a_, double b_) { return __builtin_fmin(a_, b_); }
CUCPU_HD double max(double a_, double b_) { return __builtin_fmax(a_, b_); }
CUCPU_HD double min(float a_, double b_) { return __builtin_fmin(a_, b_); }
CUCPU_HD double min(double a_, float b_) { return __builtin_fmin(a_, b_); }
CUCPU_HD double max(float a_, double b_) { return __builtin_fmax(a_, b_); }
CUCPU_HD double max(double a_, float b_) { return __builtin_fmax(a_, b_); }
CUCPU_HD unsigned umin(unsigned a_, unsigned b_) { return a_ < b_ ? a_ : b_; }
CUCPU_HD unsigned umax(unsigned a_, unsigned b_) { return a_ > b_ ? a_ : b_; }
CUCPU_HD long long llmin(long long a_, long long b_) { return a_ < b_ ? a_ : b_; }
CUCPU_HD long long llmax(long long a_, long long b_) { return a_ > b_ ? a_ : b_; }
CUCPU_HD unsigned long long ullmin(unsigned long long a_, unsigned long long b_) { return a_ < b_ ? a_ : b_; }
CUCPU_HD unsigned long long ullmax(unsigned long long a_, unsigned long long b_) { return a_ > b_ ? a_ : b_; }
#endif
