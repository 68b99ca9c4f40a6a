/* expand_math.c: math functions as short instruction sequences, scalar or vector alike.
**
** All but exp and rsqrt are exact; all consist of operations that IEEE defines, none of which may be fused or
** reordered, so every width gives the same bits.  They use integer operations on the bit
** pattern where the C function does, and the exact ones round once at most: ldexp multiplies a
** normalised mantissa by two powers of two of which the first product cannot round.
** Nothing here branches: a lane may hold any bits, also poison. */
#include "passes/emit/expand_math.h"
#include "passes/ir/edit.h"
#include <math.h>

typedef struct Format {   /* of float or double */
    LLVMTypeRef fp, bits; /* maybe vectors */
    int mantissa, bias;   /* 23, 127 */
} Format;

static Format format_of(LLVMValueRef x) {
    Format f = {.fp = LLVMTypeOf(x)};
    LLVMContextRef c = LLVMGetTypeContext(f.fp);
    bool is_double = LLVMGetTypeKind(math_element(f.fp)) == LLVMDoubleTypeKind;
    f.bits = math_with_lanes(is_double ? LLVMInt64TypeInContext(c) : LLVMInt32TypeInContext(c), lanes_of(f.fp));
    f.mantissa = is_double ? 52 : 23;
    f.bias = is_double ? 1023 : 127;
    return f;
}

static LLVMValueRef fabs_of(LLVMBuilderRef b, LLVMValueRef x) {
    LLVMTypeRef t = LLVMTypeOf(x);
    return math_intrinsic(b, "llvm.fabs", &t, 1, &x, 1);
}

/* x = m * 2^e with 1 <= |m| < 2; `special`: zero, infinity or NaN, where m and e mean nothing. */
static LLVMValueRef split_float(LLVMBuilderRef b, const Format *f, LLVMValueRef x, LLVMValueRef *e,
                                LLVMValueRef *special) {
    int up = f->mantissa + 2;
    LLVMValueRef a = fabs_of(b, x);
    LLVMValueRef tiny = LLVMBuildFCmp(b, LLVMRealOLT, a, math_float(f->fp, ldexp(1, 1 - f->bias)), "");
    LLVMValueRef big = LLVMBuildFMul(b, x, math_float(f->fp, ldexp(1, up)), "");
    LLVMValueRef i = LLVMBuildBitCast(b, LLVMBuildSelect(b, tiny, big, x, ""), f->bits, "");
    LLVMValueRef field = LLVMBuildLShr(b, i, math_int(f->bits, f->mantissa), "");
    field = LLVMBuildAnd(b, field, math_int(f->bits, 2 * f->bias + 1), "");
    LLVMValueRef bias = LLVMBuildSelect(b, tiny, math_int(f->bits, f->bias + up), math_int(f->bits, f->bias), "");
    *e = LLVMBuildSub(b, field, bias, "");
    LLVMValueRef normal = LLVMBuildFCmp(b, LLVMRealOLT, a, math_float(f->fp, INFINITY), "");
    LLVMValueRef nonzero = LLVMBuildFCmp(b, LLVMRealONE, a, math_float(f->fp, 0), "");
    *special = LLVMBuildNot(b, LLVMBuildAnd(b, normal, nonzero, ""), "");
    long long exponent = (long long)(2 * f->bias + 1) << f->mantissa;
    i = LLVMBuildAnd(b, i, math_int(f->bits, ~exponent), "");
    i = LLVMBuildOr(b, i, math_int(f->bits, (long long)f->bias << f->mantissa), "");
    return LLVMBuildBitCast(b, i, f->fp, "");
}

/* Integer conversion between i32 and the width of the float's bits. */
static LLVMValueRef resize_int(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef to) {
    unsigned from = LLVMGetIntTypeWidth(math_element(LLVMTypeOf(v)));
    unsigned bits = LLVMGetIntTypeWidth(math_element(to));
    return from == bits ? v : from < bits ? LLVMBuildSExt(b, v, to, "") : LLVMBuildTrunc(b, v, to, "");
}

static LLVMValueRef power_of_two(LLVMBuilderRef b, const Format *f, LLVMValueRef e) {
    LLVMValueRef i = LLVMBuildAdd(b, e, math_int(f->bits, f->bias), "");
    return LLVMBuildBitCast(b, LLVMBuildShl(b, i, math_int(f->bits, f->mantissa), ""), f->fp, "");
}

static LLVMValueRef clamp_int(LLVMBuilderRef b, LLVMValueRef v, long long low, long long high) {
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMValueRef capped[2] = {v, math_int(t, high)};
    LLVMValueRef clamped[2] = {math_intrinsic(b, "llvm.smin", &t, 1, capped, 2), math_int(t, low)};
    return math_intrinsic(b, "llvm.smax", &t, 1, clamped, 2);
}

LLVMValueRef expand_ldexp(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef e) {
    Format f = format_of(x);
    LLVMValueRef own, special, m = split_float(b, &f, x, &own, &special);
    int range = f.bias + f.mantissa; /* results beyond 2 * range are 0 or infinite */
    LLVMValueRef sum = LLVMBuildAdd(b, resize_int(b, clamp_int(b, e, -4 * range, 4 * range), f.bits), own, "");
    sum = clamp_int(b, sum, -range - 4, f.bias + 1);
    LLVMValueRef half = LLVMBuildAShr(b, sum, math_int(f.bits, 1), "");
    LLVMValueRef r = LLVMBuildFMul(b, m, power_of_two(b, &f, half), "");
    r = LLVMBuildFMul(b, r, power_of_two(b, &f, LLVMBuildSub(b, sum, half, "")), "");
    LLVMValueRef quiet = LLVMBuildFAdd(b, x, x, ""); /* itself for zero and infinity */
    return LLVMBuildSelect(b, special, quiet, r, "");
}

LLVMValueRef expand_frexp(LLVMBuilderRef b, LLVMValueRef x, LLVMTypeRef pair) {
    Format f = format_of(x);
    LLVMValueRef e, special, m = split_float(b, &f, x, &e, &special);
    LLVMTypeRef int_type = LLVMStructGetTypeAtIndex(pair, 1);
    m = LLVMBuildFMul(b, m, math_float(f.fp, 0.5), "");
    m = LLVMBuildSelect(b, special, LLVMBuildFAdd(b, x, x, ""), m, "");
    e = LLVMBuildAdd(b, e, math_int(f.bits, 1), "");
    e = LLVMBuildSelect(b, special, math_int(f.bits, 0), e, "");
    LLVMValueRef r = LLVMBuildInsertValue(b, LLVMGetPoison(pair), m, 0, "");
    return LLVMBuildInsertValue(b, r, resize_int(b, e, int_type), 1, "");
}

/* The fraction of an infinity is zero; both parts have the sign of x. */
LLVMValueRef expand_modf(LLVMBuilderRef b, LLVMValueRef x, LLVMTypeRef pair) {
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef whole = math_intrinsic(b, "llvm.trunc", &t, 1, &x, 1);
    LLVMValueRef infinite = LLVMBuildFCmp(b, LLVMRealOEQ, fabs_of(b, x), math_float(t, INFINITY), "");
    LLVMValueRef rest = LLVMBuildFSub(b, x, whole, "");
    rest = LLVMBuildSelect(b, infinite, math_float(t, 0), rest, "");
    LLVMValueRef args[2] = {rest, x};
    rest = math_intrinsic(b, "llvm.copysign", &t, 1, args, 2);
    LLVMValueRef r = LLVMBuildInsertValue(b, LLVMGetPoison(pair), rest, 0, "");
    return LLVMBuildInsertValue(b, r, whole, 1, "");
}

/* fma of floats without the instruction: the product is exact in double, and the sum is rounded
** to odd, so that the last rounding, to float, is the only one that counts. */
LLVMValueRef expand_fma_f32(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z) {
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMContextRef c = LLVMGetTypeContext(t);
    LLVMTypeRef d = math_with_lanes(LLVMDoubleTypeInContext(c), lanes_of(t));
    LLVMTypeRef i64 = math_with_lanes(LLVMInt64TypeInContext(c), lanes_of(t));
    LLVMValueRef p = LLVMBuildFMul(b, LLVMBuildFPExt(b, x, d, ""), LLVMBuildFPExt(b, y, d, ""), "");
    LLVMValueRef q = LLVMBuildFPExt(b, z, d, "");
    LLVMValueRef s = LLVMBuildFAdd(b, p, q, ""), v = LLVMBuildFSub(b, s, p, "");
    LLVMValueRef e1 = LLVMBuildFSub(b, p, LLVMBuildFSub(b, s, v, ""), "");
    LLVMValueRef e = LLVMBuildFAdd(b, e1, LLVMBuildFSub(b, q, v, ""), "");
    LLVMValueRef i = LLVMBuildBitCast(b, s, i64, ""), zero = math_float(d, 0);
    /* ordered: infinities and NaN make a NaN error term and are kept */
    LLVMValueRef inexact = LLVMBuildFCmp(b, LLVMRealONE, e, zero, "");
    LLVMValueRef even = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, i, math_int(i64, 1), ""), math_int(i64, 0), "");
    LLVMValueRef grow =
        LLVMBuildXor(b, LLVMBuildFCmp(b, LLVMRealOGT, e, zero, ""), LLVMBuildFCmp(b, LLVMRealOLT, s, zero, ""), "");
    LLVMValueRef step = LLVMBuildSelect(b, grow, math_int(i64, 1), math_int(i64, -1), "");
    LLVMValueRef odd = LLVMBuildAdd(b, i, step, "");
    i = LLVMBuildSelect(b, LLVMBuildAnd(b, inexact, even, ""), odd, i, "");
    return LLVMBuildFPTrunc(b, LLVMBuildBitCast(b, i, d, ""), t, "");
}

/* Saturating conversion; NaN gives 0. The plain conversion of an out-of-range lane is poison, so it is frozen before it
** is discarded. */
LLVMValueRef expand_to_int(LLVMBuilderRef b, LLVMValueRef x, LLVMTypeRef to, bool is_signed) {
    LLVMTypeRef t = LLVMTypeOf(x);
    int bits = (int)LLVMGetIntTypeWidth(math_element(to));
    LLVMValueRef top = math_float(t, ldexp(1, is_signed ? bits - 1 : bits));
    LLVMValueRef bottom = math_float(t, is_signed ? -ldexp(1, bits - 1) : 0);
    long long maximum = is_signed ? (long long)(~0ull >> (65 - bits)) : -1;
    long long minimum = is_signed ? -maximum - 1 : 0;
    LLVMValueRef r = is_signed ? LLVMBuildFPToSI(b, x, to, "") : LLVMBuildFPToUI(b, x, to, "");
    r = LLVMBuildFreeze(b, r, "");
    LLVMValueRef above = LLVMBuildFCmp(b, LLVMRealOGE, x, top, "");
    r = LLVMBuildSelect(b, above, math_int(to, maximum), r, "");
    LLVMRealPredicate low = is_signed ? LLVMRealOLT : LLVMRealULT; /* NaN counts as below 0 */
    r = LLVMBuildSelect(b, LLVMBuildFCmp(b, low, x, bottom, ""), math_int(to, minimum), r, "");
    if (!is_signed) return r;
    LLVMValueRef nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
    return LLVMBuildSelect(b, nan, math_int(to, 0), r, "");
}

LLVMValueRef fma_of(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z) {
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef args[3] = {x, y, z};
    return math_intrinsic(b, "llvm.fma", &t, 1, args, 3);
}

static LLVMValueRef limited(LLVMBuilderRef b, LLVMValueRef x, LLVMRealPredicate beyond, double limit) {
    LLVMValueRef c = math_float(LLVMTypeOf(x), limit);
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, beyond, x, c, ""), c, x, ""); /* a NaN is kept */
}

/* e^x of floats, where fma is an instruction: x = n ln 2 + r, |r| <= ln 2 / 2, and e^r = 1 + r +
** r^2 q(r) with q interpolated at Chebyshev nodes (relative error 2^-26.5).  Inline, because a call
** costs the caller all its vector registers.  At most 1 ulp from the rounded result.
** 1.5 * 2^23 + y has the integer next to y in its low bits, without a conversion that NaN could
** upset; two powers of two make a subnormal result with one rounding. */
LLVMValueRef expand_exp_f32(LLVMBuilderRef b, LLVMValueRef x, bool has_scalef) {
    Format f = format_of(x);
    static const double q[] = {0x1.6d11fep-10, 0x1.120c62p-7, 0x1.555518p-5, 0x1.5554dcp-3, 0.5};
    LLVMValueRef magic = math_float(f.fp, 0x1.8p23);
    x = limited(b, limited(b, x, LLVMRealOGT, 89), LLVMRealOLT, -105);
    LLVMValueRef shifted = fma_of(b, x, math_float(f.fp, 0x1.715476p0), magic);
    LLVMValueRef n = LLVMBuildFSub(b, shifted, magic, "");
    LLVMValueRef r = fma_of(b, n, math_float(f.fp, -0x1.62e43p-1), x);
    r = fma_of(b, n, math_float(f.fp, 0x1.05c61p-29), r);
    LLVMValueRef p = math_float(f.fp, q[0]);
    for (int i = 1; i < 5; i++) p = fma_of(b, p, r, math_float(f.fp, q[i]));
    p = fma_of(b, LLVMBuildFMul(b, r, r, ""), p, r);
    p = LLVMBuildFAdd(b, p, math_float(f.fp, 1), "");
    LLVMValueRef e = LLVMBuildBitCast(b, shifted, f.bits, "");
    e = LLVMBuildSub(b, e, math_int(f.bits, 0x4b400000), "");
    if (has_scalef) {
        LLVMTypeRef over[2] = {f.fp, f.bits};
        LLVMValueRef args[2] = {p, e};
        return math_intrinsic(b, "llvm.ldexp", over, 2, args, 2);
    }
    LLVMValueRef half = LLVMBuildAShr(b, e, math_int(f.bits, 1), "");
    p = LLVMBuildFMul(b, p, power_of_two(b, &f, half), "");
    return LLVMBuildFMul(b, p, power_of_two(b, &f, LLVMBuildSub(b, e, half, "")), "");
}

/* The CPU's estimate, relative error 2^-14, of 4, 8 or 16 lanes. */
static LLVMValueRef rsqrt_estimate(LLVMBuilderRef b, LLVMValueRef x) {
    unsigned n = lanes_of(LLVMTypeOf(x));
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(x));
    const char *name = n == 16  ? "llvm.x86.avx512.rsqrt14.ps.512"
                       : n == 8 ? "llvm.x86.avx512.rsqrt14.ps.256"
                                : "llvm.x86.avx512.rsqrt14.ps.128";
    LLVMTypeRef mask = n == 16 ? LLVMInt16TypeInContext(c) : LLVMInt8TypeInContext(c);
    LLVMValueRef args[3] = {x, math_float(LLVMTypeOf(x), 0), LLVMConstAllOnes(mask)};
    return math_intrinsic(b, name, NULL, 0, args, 3);
}

/* y where it is 0 or infinite, as it is exact there, else r. One instruction; a comparison of r and a blend are two. */
static LLVMValueRef unless_exact(LLVMBuilderRef b, LLVMValueRef r, LLVMValueRef y) {
    enum {
        ZERO = 1 << 4 * 2,
        NEGATIVE_INFINITY = 1 << 4 * 4,
        POSITIVE_INFINITY = 1 << 4 * 5,
        CURRENT_DIRECTION = 4
    }; /* Intel SDM, VFIXUPIMMPS: 1 = take y */
    unsigned n = lanes_of(LLVMTypeOf(r));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(r)));
    const char *name = n == 16  ? "llvm.x86.avx512.mask.fixupimm.ps.512"
                       : n == 8 ? "llvm.x86.avx512.mask.fixupimm.ps.256"
                                : "llvm.x86.avx512.mask.fixupimm.ps.128";
    LLVMTypeRef mask =
        n == 16 ? LLVMInt16TypeInContext(LLVMGetTypeContext(i32)) : LLVMInt8TypeInContext(LLVMGetTypeContext(i32));
    LLVMValueRef table = math_int(LLVMVectorType(i32, n), ZERO | NEGATIVE_INFINITY | POSITIVE_INFINITY);
    LLVMValueRef args[6] = {
        r, y, table, LLVMConstNull(i32), LLVMConstAllOnes(mask), LLVMConstInt(i32, CURRENT_DIRECTION, 0)};
    return math_intrinsic(b, name, NULL, 0, args, n == 16 ? 6 : 5);
}

static LLVMValueRef rsqrt_part(LLVMBuilderRef b, LLVMValueRef x) {
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef y = rsqrt_estimate(b, x), minus = LLVMBuildFNeg(b, LLVMBuildFMul(b, x, y, ""), "");
    LLVMValueRef e = fma_of(b, minus, y, math_float(t, 1)); /* 1 - x y^2 */
    return unless_exact(b, fma_of(b, LLVMBuildFMul(b, y, math_float(t, 0.5), ""), e, y), y);
}

/* 1 / sqrt(x) of floats, at most 2 ulp: an estimate and a Newton step where the CPU has one that is good
** enough for it (a square root and a division cost ten times as much), equal bits at all widths. */
LLVMValueRef expand_rsqrt_f32(LLVMBuilderRef b, LLVMValueRef x, bool has_estimate) {
    LLVMTypeRef t = LLVMTypeOf(x);
    unsigned n = lanes_of(t);
    if (!has_estimate) {
        LLVMValueRef root = math_intrinsic(b, "llvm.sqrt", &t, 1, &x, 1);
        return LLVMBuildFDiv(b, math_float(t, 1), root, "");
    }
    if (n == 1)
        return LLVMBuildExtractElement(b, rsqrt_part(b, build_lanes(b, x, 0, 4)),
                                       LLVMConstNull(LLVMInt32TypeInContext(LLVMGetTypeContext(t))), "");
    if (n <= 4) return build_lanes(b, rsqrt_part(b, build_lanes(b, x, 0, 4)), 0, n);
    if (n <= 16) return rsqrt_part(b, x);
    LLVMValueRef low = expand_rsqrt_f32(b, build_lanes(b, x, 0, n / 2), true),
                 high = expand_rsqrt_f32(b, build_lanes(b, x, n / 2, n / 2), true);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(t));
    LLVMValueRef index[64];
    for (unsigned i = 0; i < n; i++) index[i] = LLVMConstInt(i32, i, 0);
    return LLVMBuildShuffleVector(b, low, high, LLVMConstVector(index, n), "");
}
