/* ptx.cu: PTX instructions that LLVM has no operation for.  Called by ptx-frontend; the text is the definition of the
** PTX ISA, section 9.7. */
#include "lib.h"

typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

/* ---- bit fields: position and length count modulo 256 ---- */

template <typename T> LOCAL T extract(T a, u32 pos, u32 len) {
    const u32 msb = sizeof(T) * 8 - 1;
    pos &= 255;
    len &= 255;
    bool is_signed = T(-1) < T(0);
    u32 top = pos + len - 1 < msb ? pos + len - 1 : msb;
    u64 v = is_signed ? u64(s64(a)) : u64(a);
    u64 sign = is_signed && len ? (v >> (top > 63 ? 63 : top)) & 1 : 0;
    u64 fill = 0 - sign;
    if (!is_signed && sizeof(T) == 4) v &= 0xffffffffu;
    u64 bits = pos > msb ? fill : (sizeof(T) == 4 ? u64(u32(v)) : v) >> pos;
    u64 mask = len > msb ? ~0ull : (1ull << len) - 1;
    if (is_signed && pos <= msb) { /* above the register's end the sign goes on */
        u64 have = msb + 1 - pos;
        u64 low = have > 63 ? ~0ull : (1ull << have) - 1;
        bits = (bits & low) | (fill & ~low);
    }
    return len ? T((bits & mask) | (fill & ~mask)) : T(0);
}
LIB u32 __cucpu_ptx_bfe_u32(u32 a, u32 pos, u32 len) { return extract<u32>(a, pos, len); }
LIB s32 __cucpu_ptx_bfe_s32(s32 a, u32 pos, u32 len) { return extract<s32>(a, pos, len); }
LIB u64 __cucpu_ptx_bfe_u64(u64 a, u32 pos, u32 len) { return extract<u64>(a, pos, len); }
LIB s64 __cucpu_ptx_bfe_s64(s64 a, u32 pos, u32 len) { return extract<s64>(a, pos, len); }

template <typename T> LOCAL T insert(T a, T b, u32 pos, u32 len) {
    const u32 n = sizeof(T) * 8;
    pos &= 255;
    len &= 255;
    T mask = len >= n ? T(~T(0)) : T((T(1) << (len & (n - 1))) - 1);
    T at = pos >= n ? T(0) : T(mask << (pos & (n - 1)));
    T v = pos >= n ? T(0) : T(a << (pos & (n - 1)));
    return (b & ~at) | (v & at);
}
LIB u32 __cucpu_ptx_bfi_b32(u32 a, u32 b, u32 pos, u32 len) { return insert<u32>(a, b, pos, len); }
LIB u64 __cucpu_ptx_bfi_b64(u64 a, u64 b, u32 pos, u32 len) { return insert<u64>(a, b, pos, len); }

/* the position of the highest bit that is not the sign; all ones if there is none */
LOCAL u32 find32(u32 v) { return v ? 31 - u32(__builtin_clz(v)) : 0xffffffffu; }
LOCAL u32 find64(u64 v) { return v ? 63 - u32(__builtin_clzll(v)) : 0xffffffffu; }
LOCAL u32 shift32(u32 p) { return p == 0xffffffffu ? p : 31 - p; }
LOCAL u32 shift64(u32 p) { return p == 0xffffffffu ? p : 63 - p; }
LIB u32 __cucpu_ptx_bfind_u32(u32 a) { return find32(a); }
LIB u32 __cucpu_ptx_bfind_s32(s32 a) { return find32(u32(a < 0 ? ~a : a)); }
LIB u32 __cucpu_ptx_bfind_u64(u64 a) { return find64(a); }
LIB u32 __cucpu_ptx_bfind_s64(s64 a) { return find64(u64(a < 0 ? ~a : a)); }
LIB u32 __cucpu_ptx_bfind_u32_shiftamt(u32 a) { return shift32(find32(a)); }
LIB u32 __cucpu_ptx_bfind_s32_shiftamt(s32 a) { return shift32(find32(u32(a < 0 ? ~a : a))); }
LIB u32 __cucpu_ptx_bfind_u64_shiftamt(u64 a) { return shift64(find64(a)); }
LIB u32 __cucpu_ptx_bfind_s64_shiftamt(s64 a) { return shift64(find64(u64(a < 0 ? ~a : a))); }

LIB u32 __cucpu_ptx_bmsk(u32 a, u32 b) {
    u32 low = a > 31 ? 0 : ~0u << a;
    u64 end = u64(a) + b;
    u32 high = end > 31 ? ~0u : (1u << end) - 1;
    return a > 31 ? 0 : low & high;
}
LIB u32 __cucpu_ptx_bmsk_wrap(u32 a, u32 b) { return __cucpu_ptx_bmsk(a & 31, b & 31); }
LIB u32 __cucpu_ptx_szext_u32(u32 a, u32 n) { return n > 31 ? a : a & ((1u << n) - 1); }
LIB s32 __cucpu_ptx_szext_s32(s32 a, u32 n) { return n > 31 ? a : n == 0 ? 0 : s32(u32(a) << (32 - n)) >> (32 - n); }
LIB u32 __cucpu_ptx_szext_u32_wrap(u32 a, u32 n) { return __cucpu_ptx_szext_u32(a, n & 31); }
LIB s32 __cucpu_ptx_szext_s32_wrap(s32 a, u32 n) { return __cucpu_ptx_szext_s32(a, n & 31); }

/* the offset-th set bit of mask from base on, upwards or downwards; 0: base itself if it is set */
LIB u32 __cucpu_ptx_fns(u32 mask, u32 base, s32 offset) {
    if (base > 31) return 0xffffffffu;
    if (offset == 0) return mask >> base & 1 ? base : 0xffffffffu;
    s32 step = offset > 0 ? 1 : -1, left = offset > 0 ? offset : -offset;
    for (s32 i = s32(base); i >= 0 && i < 32; i += step)
        if (mask >> i & 1 && --left == 0) return u32(i);
    return 0xffffffffu;
}

/* ---- bytes ---- */

LOCAL u32 pick(u64 both, u32 selector) {
    u32 byte = u32(both >> (8 * (selector & 7))) & 255;
    return selector & 8 ? (byte & 128 ? 255 : 0) : byte;
}
LIB u32 __cucpu_ptx_prmt(u32 a, u32 b, u32 c) {
    u64 both = u64(b) << 32 | a;
    return pick(both, c) | pick(both, c >> 4) << 8 | pick(both, c >> 8) << 16 | pick(both, c >> 12) << 24;
}
LIB u32 __cucpu_ptx_prmt_f4e(u32 a, u32 b, u32 c) { return u32((u64(b) << 32 | a) >> (8 * (c & 3))); }
LIB u32 __cucpu_ptx_prmt_b4e(u32 a, u32 b, u32 c) {
    c &= 3;
    return __cucpu_ptx_prmt(a, b, c | ((c - 1) & 7) << 4 | ((c - 2) & 7) << 8 | ((c - 3) & 7) << 12);
}
LIB u32 __cucpu_ptx_prmt_rc8(u32 a, u32, u32 c) { return (a >> (8 * (c & 3)) & 255) * 0x01010101u; }
LIB u32 __cucpu_ptx_prmt_rc16(u32 a, u32, u32 c) { return (a >> (16 * (c & 1)) & 65535) * 0x00010001u; }
LIB u32 __cucpu_ptx_prmt_ecl(u32 a, u32 b, u32 c) {
    static const u32 s[4] = {0x3210, 0x3211, 0x3222, 0x3333};
    c &= 3;
    return __cucpu_ptx_prmt(a, b, c == 0 ? s[0] : c == 1 ? s[1] : c == 2 ? s[2] : s[3]);
}
LIB u32 __cucpu_ptx_prmt_ecr(u32 a, u32 b, u32 c) {
    c &= 3;
    return __cucpu_ptx_prmt(a, b, c == 0 ? 0x0000u : c == 1 ? 0x1110u : c == 2 ? 0x2210u : 0x3210u);
}

template <typename A, typename B> LOCAL u32 dot4(u32 a, u32 b, u32 c) {
    for (int i = 0; i < 4; i++) c += u32(s32(A(a >> (8 * i))) * s32(B(b >> (8 * i))));
    return c;
}
template <typename A, typename B, typename Byte> LOCAL u32 dot2(u32 a, u32 b, u32 c) {
    for (int i = 0; i < 2; i++) c += u32(s32(A(a >> (16 * i))) * s32(Byte(b >> (8 * i))));
    return c;
}
typedef int8_t s8;
typedef uint8_t u8;
#define DOT(at, bt, a8, b8, a16)                                                                                       \
    LIB u32 __cucpu_ptx_dp4a_##at##_##bt(u32 a, u32 b, u32 c) { return dot4<a8, b8>(a, b, c); }                        \
    LIB u32 __cucpu_ptx_dp2a_##at##_##bt(u32 a, u32 b, u32 c) { return dot2<a16, b8, b8>(a, b, c); }                   \
    LIB u32 __cucpu_ptx_dp2a_hi_##at##_##bt(u32 a, u32 b, u32 c) { return dot2<a16, b8, b8>(a, b >> 16, c); }
DOT(u32, u32, u8, u8, uint16_t)
DOT(u32, s32, u8, s8, uint16_t)
DOT(s32, u32, s8, u8, int16_t)
DOT(s32, s32, s8, s8, int16_t)

/* ---- shuffles: whether the source lane is in range; b, c as in the instruction ---- */

LOCAL u32 last_lane(u32 lane, u32 c) { return (lane & (c >> 8 & 31)) | (c & 31 & ~(c >> 8 & 31)); }
LIB u32 __cucpu_ptx_shfl_up(u32 lane, u32 b, u32 c) { return s32(lane) - s32(b & 31) >= s32(last_lane(lane, c)); }
LIB u32 __cucpu_ptx_shfl_down(u32 lane, u32 b, u32 c) { return lane + (b & 31) <= last_lane(lane, c); }
LIB u32 __cucpu_ptx_shfl_bfly(u32 lane, u32 b, u32 c) { return (lane ^ (b & 31)) <= last_lane(lane, c); }
LIB u32 __cucpu_ptx_shfl_idx(u32 lane, u32 b, u32 c) {
    u32 segment = c >> 8 & 31;
    return ((lane & segment) | (b & 31 & ~segment)) <= last_lane(lane, c);
}

/* ---- half and bfloat16, as their bits ---- */

/* The neighbour of f, rounded from d + rest, whose last bit is one, unless f is exact: what is rounded again from it comes out as if
** rounded once. */
LOCAL float odd_float(double d, double rest = 0) {
    float f = float(d);
    double off = d - double(f) + rest;
    u32 i = __builtin_bit_cast(u32, f);
    if (off < 0 || off > 0) i = (off < 0) == (d < 0) ? i | 1 : (i - 1) | 1;
    return __builtin_bit_cast(float, i);
}
/* What a + b = s has lost. */
template <typename T> LOCAL T lost(T a, T b, T s) {
    T t = s - a;
    return (a - (s - t)) + (b - t);
}
LOCAL uint16_t half_bits(float f) {
    return __builtin_bit_cast(uint16_t, _Float16(f != f ? __builtin_bit_cast(float, 0x7fffffff) : f));
}
LOCAL float half_value(uint16_t h) { return float(__builtin_bit_cast(_Float16, h)); }
LIB uint16_t __cucpu_ptx_f64_f16(double d) { return half_bits(odd_float(d)); }
LIB uint16_t __cucpu_ptx_fma_f16(uint16_t a, uint16_t b, uint16_t c) {
    float p = half_value(a) * half_value(b), s = p + half_value(c), off = lost(p, half_value(c), s);
    u32 i = __builtin_bit_cast(u32, s);
    if (off < 0 || off > 0) i = (off < 0) == (s < 0) ? i | 1 : (i - 1) | 1;
    return half_bits(__builtin_bit_cast(float, i));
}

LOCAL float bf_value(uint16_t h) { return __builtin_bit_cast(float, u32(h) << 16); }
LOCAL uint16_t bf_bits(float f) {
    u32 i = __builtin_bit_cast(u32, f);
    return f != f ? 0x7fff : uint16_t((i + 0x7fff + (i >> 16 & 1)) >> 16);
}
LIB uint16_t __cucpu_ptx_f32_bf16(float f) { return bf_bits(f); }
LIB uint16_t __cucpu_ptx_f32_bf16_rz(float f) { return f != f ? 0x7fff : uint16_t(__builtin_bit_cast(u32, f) >> 16); }
LIB uint16_t __cucpu_ptx_f64_bf16(double d) { return bf_bits(odd_float(d)); }
LIB uint16_t __cucpu_ptx_fma_bf16(uint16_t a, uint16_t b, uint16_t c) {
    double p = double(bf_value(a)) * bf_value(b), s = p + bf_value(c);
    return bf_bits(odd_float(s, lost(p, double(bf_value(c)), s)));
}
LIB float __cucpu_ptx_bf16_f32(uint16_t a) { return bf_value(a); }

/* float to half towards zero, down, up */
LOCAL uint16_t half_step(float f, int mode) {
    uint16_t h = half_bits(f);
    float back = half_value(h);
    bool above = back > f, below = back < f;
    if (f != f) return 0x7fff;
    if (back == f) return h;
    bool toward_zero = mode == 0 && __builtin_fabsf(back) > __builtin_fabsf(f);
    bool down = mode == 1 && above, up = mode == 2 && below;
    if (toward_zero) return uint16_t(h - 1);
    if (down) return h == 0 ? 0x8001 : h & 0x8000 ? uint16_t(h + 1) : uint16_t(h - 1);
    if (up) return h == 0x8000 ? 0x0001 : h & 0x8000 ? uint16_t(h - 1) : uint16_t(h + 1);
    return h;
}
LIB uint16_t __cucpu_ptx_f32_f16_rz(float f) { return half_step(f, 0); }
LIB uint16_t __cucpu_ptx_f32_f16_rm(float f) { return half_step(f, 1); }
LIB uint16_t __cucpu_ptx_f32_f16_rp(float f) { return half_step(f, 2); }

/* rcp.approx.ftz.f64: the upper word of the reciprocal, the lower one is zero; denormals are zeros */
LIB double __cucpu_ptx_rcp_f64(double a) {
    double x = __builtin_fabs(a) < 0x1p-1022 ? __builtin_copysign(0.0, a) : a;
    double r = 1.0 / x;
    r = __builtin_fabs(r) < 0x1p-1022 ? __builtin_copysign(0.0, r) : r;
    return r != r ? r : __builtin_bit_cast(double, BITS(r) & ~0xffffffffll);
}
LIB double __cucpu_ptx_rsqrt_f64(double a) {
    double x = __builtin_fabs(a) < 0x1p-1022 ? __builtin_copysign(0.0, a) : a;
    double r = x == 0 ? __builtin_copysign(__builtin_inf(), x) : 1.0 / __builtin_sqrt(x);
    return r != r ? r : __builtin_bit_cast(double, BITS(r) & ~0xffffffffll);
}

/* ---- ex2.approx: within 2 ulp, in line: a call would spill the vectors of its neighbours ----
** 2^x = 2^n * 2^f with f in [-1/2, 1/2], n in the low bits of t; 2^f is 1 where f is 0. */

enum { EX2_BITS = 0x4b400000 }; /* 1.5 * 2^23 */
LOCAL float ex2_split(float x, s32 &n) {
#pragma clang fp contract(fast)
    float t = x + 0x1.8p23f, f = x - (t - 0x1.8p23f), p = 0x1.44138ap-13f;
    n = __builtin_bit_cast(s32, t) - EX2_BITS;
    p = p * f + 0x1.5f089p-10f;
    p = p * f + 0x1.3b2a54p-7f;
    p = p * f + 0x1.c6af6cp-5f;
    p = p * f + 0x1.ebfbep-3f;
    p = p * f + 0x1.62e43p-1f;
    return p * f + 1;
}
LOCAL float power_of_two(s32 n) { return __builtin_bit_cast(float, u32(n + 127) << 23); }
LIB float __cucpu_ptx_ex2(float x) {
    s32 n;
    float c = x < -151 ? -151 : x > 128 ? 128 : x, p = ex2_split(c, n);
    float r = p * power_of_two(n >> 1) * power_of_two(n - (n >> 1));
    return x != x ? x : r;
}
LIB float __cucpu_ptx_ex2_ftz(float x) {
    s32 n;
    float c = x < -126 ? -126 : x > 128 ? 128 : x, p = ex2_split(c, n);
    float r = __builtin_bit_cast(float, __builtin_bit_cast(u32, p) + (u32(n) << 23));
    return x != x ? x : x < -126 ? 0 : r;
}

/* ---- small formats: a double rounded once to E bits of exponent and M of mantissa ---- */

enum { NEAREST, TO_ZERO, DOWN, UP };

/* The magnitude without sign, rounded towards zero as if the exponent went on: more than the largest finite number is left to the
** caller.  rest: what is cut off, in units of the last bit. */
template <int E, int M> LOCAL u32 cut(double d, double &rest) {
    const int least = 2 - (1 << (E - 1));
    u64 i = u64(BITS(d)) & 0x7fffffffffffffffull;
    int ex = int(i >> 52) - 1023;
    ex = ex < least ? least : ex > 200 ? 200 : ex;
    double n = __builtin_bit_cast(double, i) * __builtin_bit_cast(double, u64(M - ex + 1023) << 52);
    double whole = __builtin_trunc(n > 0x1p30 ? 0x1p30 : n);
    rest = n - whole;
    return (u32(ex - least) << M) + u32(whole);
}
template <int E, int M> LOCAL u32 shrink(double d, int mode) {
    double rest;
    u32 k = cut<E, M>(d, rest);
    bool negative = BITS(d) < 0, half_up = rest > 0.5 || (rest == 0.5 && (k & 1));
    bool up = mode == NEAREST ? half_up : mode == TO_ZERO ? false : rest > 0 && negative == (mode == DOWN);
    return k + up;
}
/* .rs: up where the random bits and as many of those that are cut off have a sum with a carry */
template <int E, int M> LOCAL u32 shrink(double d, u32 random, int bits) {
    double rest;
    u32 k = cut<E, M>(d, rest);
    return k + ((u32(rest * double(1 << bits)) + random) >> bits);
}
template <int E, int M> LOCAL uint16_t shrink_ieee(double d, int mode) {
    const u32 infinity = ((1u << E) - 1) << M;
    bool negative = BITS(d) < 0, endless = __builtin_fabs(d) == __builtin_inf();
    u32 v = endless ? infinity : shrink<E, M>(d, mode);
    bool stays = mode == TO_ZERO || (mode == DOWN && !negative) || (mode == UP && negative);
    if (v >= infinity) v = stays && !endless ? infinity - 1 : infinity;
    return d != d ? 0x7fff : uint16_t(v | (negative ? 0x8000 : 0));
}
#define SHRINK(name, E, M)                                                                                             \
    LIB uint16_t __cucpu_ptx_f64_##name##_rn(double d) { return shrink_ieee<E, M>(d, NEAREST); }                       \
    LIB uint16_t __cucpu_ptx_f64_##name##_rz(double d) { return shrink_ieee<E, M>(d, TO_ZERO); }                       \
    LIB uint16_t __cucpu_ptx_f64_##name##_rm(double d) { return shrink_ieee<E, M>(d, DOWN); }                          \
    LIB uint16_t __cucpu_ptx_f64_##name##_rp(double d) { return shrink_ieee<E, M>(d, UP); }
SHRINK(f16, 5, 10)
SHRINK(bf16, 8, 7)

template <int E, int M> LOCAL u32 shrink_ieee(float f, u32 random, int bits) {
    const u32 infinity = ((1u << E) - 1) << M, sign = BITS(f) < 0 ? 0x8000 : 0;
    u32 v = __builtin_fabsf(f) == __builtin_inff() ? infinity : shrink<E, M>(f, random, bits);
    return f != f ? 0x7fff : sign | (v > infinity ? infinity : v);
}
LIB u32 __cucpu_ptx_f32_f16_rs(float f, u32 random) { return shrink_ieee<5, 10>(f, random, 13); }
LIB u32 __cucpu_ptx_f32_bf16_rs(float f, u32 random) { return shrink_ieee<8, 7>(f, random, 16); }

/* An integer as a double that rounds further as the integer would: what does not fit is one sticky bit. */
LOCAL double sticky(u64 v) { return v >> 53 ? double((v & ~0xfffull) | (v & 0xfff ? 0x800 : 0)) : double(v); }
LIB double __cucpu_ptx_u64_f64_sticky(u64 v) { return sticky(v); }
LIB double __cucpu_ptx_s64_f64_sticky(s64 v) { return v < 0 ? -sticky(0 - u64(v)) : sticky(u64(v)); }

/* .satfinite: the largest finite number instead of infinity; NaN becomes the canonical one */
LIB uint16_t __cucpu_ptx_finite_f16(uint16_t h) { return (h & 0x7fff) == 0x7c00 ? h - 1 : (h & 0x7fff) > 0x7c00 ? 0x7fff : h; }
LIB uint16_t __cucpu_ptx_finite_bf16(uint16_t h) { return (h & 0x7fff) == 0x7f80 ? h - 1 : (h & 0x7fff) > 0x7f80 ? 0x7fff : h; }

/* fp8, always .satfinite: e4m3 has no infinity, and a NaN in all ones */
LIB u32 __cucpu_ptx_f32_e4m3(float f) {
    u32 sign = BITS(f) < 0 ? 0x80 : 0, v = __builtin_fabsf(f) > 448 ? 0x7e : shrink<4, 3>(f, NEAREST);
    return f != f ? 0x7f : sign | (v > 0x7e ? 0x7e : v);
}
LIB u32 __cucpu_ptx_f32_e5m2(float f) {
    u32 sign = BITS(f) < 0 ? 0x80 : 0, v = __builtin_fabsf(f) > 57344 ? 0x7b : shrink<5, 2>(f, NEAREST);
    return f != f ? 0x7f : sign | (v > 0x7b ? 0x7b : v);
}
LIB u32 __cucpu_ptx_f32_e4m3_rs(float f, u32 random) {
    u32 sign = BITS(f) < 0 ? 0x80 : 0, v = __builtin_fabsf(f) > 448 ? 0x7e : shrink<4, 3>(f, random, 16);
    return f != f ? 0x7f : sign | (v > 0x7e ? 0x7e : v);
}
LIB u32 __cucpu_ptx_f32_e5m2_rs(float f, u32 random) {
    u32 sign = BITS(f) < 0 ? 0x80 : 0, v = __builtin_fabsf(f) > 57344 ? 0x7b : shrink<5, 2>(f, random, 16);
    return f != f ? 0x7f : sign | (v > 0x7b ? 0x7b : v);
}
LIB uint16_t __cucpu_ptx_e4m3_f16(u32 v) {
    u32 sign = (v & 0x80) << 8, e = v >> 3 & 15, m = v & 7;
    float small = float(m) * 0x1p-9f;
    u32 h = e ? (e + 8) << 10 | m << 7 : half_bits(small);
    return (v & 0x7f) == 0x7f ? 0x7fff : uint16_t(sign | h);
}
LIB uint16_t __cucpu_ptx_e5m2_f16(u32 v) { return (v & 0x7f) > 0x7c ? 0x7fff : uint16_t(v << 8); }

/* fp6 and fp4 are finite: what is too large, and NaN, is the largest number */
template <int E, int M> LOCAL u32 finite(float f, u32 v) {
    const u32 top = (1u << (E + M)) - 1;
    u32 sign = BITS(f) < 0 ? top + 1 : 0;
    return f != f ? top : sign | (v > top ? top : v);
}
template <int E, int M> LOCAL uint16_t finite_half(u32 v) {
    const u32 bias = (1u << (E - 1)) - 1;
    u32 sign = (v >> (E + M) & 1) << 15, e = v >> M & ((1u << E) - 1), m = v & ((1u << M) - 1);
    float small = float(m) / float(1u << (bias + M - 1));
    return uint16_t(sign | (e ? (e + 15 - bias) << 10 | m << (10 - M) : half_bits(small)));
}
#define FINITE(name, E, M, random_bits)                                                                                \
    LIB u32 __cucpu_ptx_f32_##name(float f) { return finite<E, M>(f, shrink<E, M>(f, NEAREST)); }                      \
    LIB u32 __cucpu_ptx_f32_##name##_rs(float f, u32 random) { return finite<E, M>(f, shrink<E, M>(f, random, random_bits)); } \
    LIB uint16_t __cucpu_ptx_##name##_f16(u32 v) { return finite_half<E, M>(v); }
FINITE(e2m3, 2, 3, 16)
FINITE(e3m2, 3, 2, 16)
FINITE(e2m1, 2, 1, 8)

/* ue8m0: the power of two at or below (above) a number's absolute value, from 2^-127 on; 0xff: NaN, and more than 2^127 */
LOCAL u32 scale(float f, bool up, bool saturates) {
    u32 a = u32(BITS(f)) & 0x7fffffff, code = a >> 23;
    u32 rest = code ? a & 0x7fffff : a > 0x400000; /* 2^-127 is a denormal */
    if (up && rest) code++;
    if (a > 0x7f800000) return 0xff;
    return code > 254 ? (saturates ? 254 : 255) : code;
}
LIB u32 __cucpu_ptx_f32_ue8m_rz(float f) { return scale(f, false, false); }
LIB u32 __cucpu_ptx_f32_ue8m_rp(float f) { return scale(f, true, false); }
LIB u32 __cucpu_ptx_f32_ue8m_rz_sat(float f) { return scale(f, false, true); }
LIB u32 __cucpu_ptx_f32_ue8m_rp_sat(float f) { return scale(f, true, true); }
LIB uint16_t __cucpu_ptx_ue8m_bf16(u32 v) { return uint16_t(v == 0xff ? 0x7fff : v ? v << 7 : 0x40); }

/* tf32: 10 bits of mantissa in the upper 19 bits of a float */
LOCAL u32 tf32(float f, u32 add) {
    u32 i = __builtin_bit_cast(u32, f);
    if (f != f) return 0x7fffffff;
    return __builtin_fabsf(f) == __builtin_inff() ? i : (i + add) & ~0x1fffu;
}
LIB u32 __cucpu_ptx_f32_tf32_rna(float f) { return tf32(f, 0x1000); }
LIB u32 __cucpu_ptx_f32_tf32_rz(float f) { return tf32(f, 0); }
LIB u32 __cucpu_ptx_f32_tf32_rn(float f) { return tf32(f, 0xfff + (__builtin_bit_cast(u32, f) >> 13 & 1)); }
LIB u32 __cucpu_ptx_finite_tf32(u32 v) { return (v & 0x7fffffff) == 0x7f800000 ? (v & 0x80000000) | 0x7f7fe000 : v; }
