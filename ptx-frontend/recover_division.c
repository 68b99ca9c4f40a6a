/* recover_division.c: quotients and remainders by constants that were written as products become divisions again.
**
**   h = the upper half of x * m
**   unsigned   x * m >> s;  h >> k;  (((x - h) >> 1) + h) >> k
**   signed     t = h, h + x or h - x;  (t >> k) + (t >>> last);  by 2^k  (x + (x >> last >>> last + 1 - k)) >> k
**   remainder  x - q * d
**
** Each is floor(x * m' / 2^s), plus one where that is negative.  With d = floor(2^s / m') + 1, e = m' * d - 2^s makes
** the sum too large by x * e / (d * 2^s), which changes nothing while x * e < 2^s: this is checked for the largest x.
** (For x < 0 the product is below the quotient, rounded down it is one less; |x| * e <= 2^s is enough.)  Analyses know
** of divisions what they cannot derive from products: which lanes have one quotient, how large it is. */
#include "passes/ir/shim.h"
#include "ptx-frontend/lower.h"

typedef unsigned __int128 Wide;

enum { MAX_SHIFT = 126, MAX_STEPS = 100 };

/* x * m / 2^shift; m has a sign of its own. */
typedef struct Scaled {
    LLVMValueRef x;
    unsigned bits, shift;
    Wide m;
    bool minus, is_signed;
} Scaled;

static unsigned bits_of(LLVMValueRef v) {
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(LLVMTypeOf(v)) : 0;
}

static bool is_op(LLVMValueRef v, LLVMOpcode op) {
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op && bits_of(v);
}

/* v = op x, c */
static bool is_by(LLVMValueRef v, LLVMOpcode op, LLVMValueRef *x, uint64_t *c) {
    if (!is_op(v, op) || !LLVMIsAConstantInt(LLVMGetOperand(v, 1))) return false;
    *x = LLVMGetOperand(v, 0);
    *c = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1));
    return true;
}

/* No more than this is x without a sign; sums may be long. */
static Wide most(LLVMValueRef x, int *steps) {
    unsigned bits = bits_of(x);
    if (LLVMIsAConstantInt(x) && bits <= 64) return LLVMConstIntGetZExtValue(x);
    if (LLVMIsAZExtInst(x) && --*steps > 0) return most(LLVMGetOperand(x, 0), steps);
    if (is_op(x, LLVMAdd) && bits <= 64 && --*steps > 0) {
        Wide sum = most(LLVMGetOperand(x, 0), steps) + most(LLVMGetOperand(x, 1), steps);
        if (sum >> bits == 0) return sum;
    }
    return ((Wide)1 << shim_active_bits(x)) - 1;
}

static unsigned active_bits(LLVMValueRef x) {
    int steps = MAX_STEPS;
    unsigned n = 0;
    for (Wide m = most(x, &steps); m; m >>= 1) n++;
    return n;
}

static bool is_negative(LLVMValueRef x) { return active_bits(x) >= bits_of(x); } /* perhaps */

/* v = ext x * m, of twice as many bits as x. */
static bool full_product(LLVMValueRef v, Scaled *s) {
    if (!is_op(v, LLVMMul)) return false;
    LLVMValueRef by = LLVMGetOperand(v, 1), x = LLVMGetOperand(v, 0);
    if (LLVMIsAConstantInt(x)) x = by, by = LLVMGetOperand(v, 0);
    if (!LLVMIsAConstantInt(by) || (!LLVMIsAZExtInst(x) && !LLVMIsASExtInst(x))) return false;
    *s = (Scaled){.x = LLVMGetOperand(x, 0), .is_signed = LLVMIsASExtInst(x) != NULL};
    s->bits = bits_of(s->x);
    if (bits_of(v) != 2 * s->bits || s->bits > 64) return false;
    int64_t m = LLVMConstIntGetSExtValue(by);
    if (LLVMConstInt(LLVMTypeOf(by), (uint64_t)m, s->is_signed) != by) return false; /* more than 64 bits */
    s->minus = s->is_signed && m < 0;
    s->m = s->minus ? (uint64_t)0 - (uint64_t)m : (uint64_t)m;
    if (s->is_signed && !s->minus && !is_negative(s->x)) s->is_signed = false;
    return s->m >> (s->is_signed ? s->bits - 1 : s->bits) == 0;
}

/* v: the upper half of such a product. */
static bool upper_half(LLVMValueRef v, Scaled *s) {
    LLVMValueRef product;
    uint64_t shift;
    if (!is_op(v, LLVMTrunc)) return false;
    LLVMValueRef w = LLVMGetOperand(v, 0);
    if (!is_by(w, LLVMLShr, &product, &shift) && !is_by(w, LLVMAShr, &product, &shift)) return false;
    s->shift = (unsigned)shift;
    if (!full_product(product, s) || shift != s->bits || bits_of(v) != s->bits) return false;
    s->shift = s->bits;
    return true;
}

/* ---- what they divide by ---- */

/* 0: it is no quotient. */
static uint64_t divisor(const Scaled *s) {
    if (s->shift > MAX_SHIFT || s->m < 2 || !(s->m & (s->m - 1))) return 0;
    unsigned n = s->is_signed ? s->bits - 1 : active_bits(s->x);
    Wide whole = (Wide)1 << s->shift, d = whole / s->m + 1, e = s->m * d - whole;
    if (n > s->shift || d < 2 || d >> (s->is_signed ? s->bits - 1 : s->bits)) return 0;
    Wide most = (Wide)1 << (s->shift - n);
    return e < most || (e == most && !s->minus) ? (uint64_t)d : 0;
}

static LLVMValueRef divide(LLVMBuilderRef b, LLVMValueRef at, const Scaled *s, uint64_t d) {
    LLVMValueRef by = LLVMConstInt(LLVMTypeOf(s->x), s->minus ? (uint64_t)0 - d : d, 0);
    LLVMPositionBuilderBefore(b, at);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(at));
    return s->is_signed ? LLVMBuildSDiv(b, s->x, by, "") : LLVMBuildUDiv(b, s->x, by, "");
}

/* ---- the forms ---- */

/* x * m >> s, of twice the bits: what takes the lower half of it takes the quotient. */
static void replace_wide(LLVMBuilderRef b, LLVMValueRef i) {
    Scaled s;
    LLVMValueRef product;
    uint64_t shift;
    if (!is_by(i, LLVMLShr, &product, &shift) || !full_product(product, &s) || s.is_signed || shift < s.bits) return;
    s.shift = (unsigned)shift;
    uint64_t d = divisor(&s);
    if (!d) return;
    LLVMValueRef q = divide(b, i, &s, d);
    for (LLVMUseRef u = LLVMGetFirstUse(i), next; u; u = next) {
        LLVMValueRef user = LLVMGetUser(u);
        next = LLVMGetNextUse(u);
        if (is_op(user, LLVMTrunc) && bits_of(user) == s.bits) LLVMReplaceAllUsesWith(user, q);
    }
    LLVMReplaceAllUsesWith(i, LLVMBuildZExt(b, q, LLVMTypeOf(i), ""));
}

/* h >> k, (((x - h) >> 1) + h) >> k */
static bool match_unsigned(LLVMValueRef i, Scaled *s) {
    LLVMValueRef sum, half, difference;
    uint64_t k, one;
    if (!is_by(i, LLVMLShr, &sum, &k)) return false;
    if (upper_half(sum, s) && !s->is_signed) {
        s->shift += (unsigned)k;
        return true;
    }
    if (!is_op(sum, LLVMAdd)) return false;
    for (unsigned o = 0; o < 2; o++)
        if (is_by(half = LLVMGetOperand(sum, o), LLVMLShr, &difference, &one) && one == 1 &&
            is_op(difference, LLVMSub)) {
            LLVMValueRef h = LLVMGetOperand(sum, 1 - o);
            if (LLVMGetOperand(difference, 1) != h || !upper_half(h, s) || s->is_signed ||
                LLVMGetOperand(difference, 0) != s->x)
                continue;
            s->m += (Wide)1 << s->bits;
            s->shift += (unsigned)k + 1;
            return true;
        }
    return false;
}

/* h, h + x, h - x */
static bool match_top(LLVMValueRef t, Scaled *s) {
    if (upper_half(t, s)) return true;
    bool minus = is_op(t, LLVMSub);
    if (!minus && !is_op(t, LLVMAdd)) return false;
    for (unsigned o = 0; o < (minus ? 1u : 2u); o++) {
        if (!upper_half(LLVMGetOperand(t, o), s) || LLVMGetOperand(t, 1 - o) != s->x || !s->is_signed ||
            s->minus == minus)
            continue;
        s->m = ((Wide)1 << s->bits) - s->m; /* m < 0: m + 2^bits; m > 0: m - 2^bits */
        s->minus = minus;
        return true;
    }
    return false;
}

/* (t >> k) + (t >>> last) */
static bool match_signed(LLVMValueRef i, Scaled *s) {
    if (!is_op(i, LLVMAdd)) return false;
    for (unsigned o = 0; o < 2; o++) {
        LLVMValueRef sign = LLVMGetOperand(i, o), shifted = LLVMGetOperand(i, 1 - o), t, same;
        uint64_t last, k = 0;
        if (!is_by(sign, LLVMLShr, &t, &last) || last != bits_of(t) - 1) continue;
        bool arithmetic = is_by(shifted, LLVMAShr, &same, &k),
             logical = !arithmetic && is_by(shifted, LLVMLShr, &same, &k);
        if (!arithmetic && !logical) same = shifted, k = 0;
        if (same != t || !match_top(t, s) || (logical && s->is_signed)) continue;
        if (!s->is_signed && is_negative(s->x)) continue;
        s->shift += (unsigned)k;
        return true;
    }
    return false;
}

/* x + (x >> last >>> last + 1 - k) */
static LLVMValueRef rounds_to_zero(LLVMValueRef v, uint64_t k) {
    LLVMValueRef sign, x;
    uint64_t rest, last;
    for (unsigned o = 0; is_op(v, LLVMAdd) && o < 2; o++)
        if (is_by(LLVMGetOperand(v, o), LLVMLShr, &sign, &rest) && is_by(sign, LLVMAShr, &x, &last) &&
            x == LLVMGetOperand(v, 1 - o) && last == bits_of(v) - 1 && rest + k == bits_of(v))
            return x;
    return NULL;
}

/* Shifted right by k, a quotient; with the last k bits cleared, 2^k times that. */
static void replace_power(LLVMBuilderRef b, LLVMValueRef i) {
    LLVMValueRef sum, x;
    uint64_t k;
    bool shift = is_by(i, LLVMAShr, &sum, &k);
    if (!shift) {
        if (!is_by(i, LLVMAnd, &sum, &k) || bits_of(i) > 64) return;
        uint64_t power = (uint64_t)0 - (uint64_t)LLVMConstIntGetSExtValue(LLVMGetOperand(i, 1));
        if (!power || power & (power - 1)) return;
        k = (uint64_t)__builtin_ctzll(power);
    }
    if (!k || k + 1 >= bits_of(i) || !(x = rounds_to_zero(sum, k))) return;
    Scaled s = {.x = x, .bits = bits_of(x), .is_signed = true};
    LLVMValueRef q = divide(b, i, &s, (uint64_t)1 << k);
    if (!shift) q = LLVMBuildMul(b, q, LLVMConstInt(LLVMTypeOf(x), (uint64_t)1 << k, 0), "");
    LLVMReplaceAllUsesWith(i, q);
}

static void replace_narrow(LLVMBuilderRef b, LLVMValueRef i) {
    Scaled s;
    uint64_t d = match_unsigned(i, &s) || match_signed(i, &s) ? divisor(&s) : 0;
    if (d) LLVMReplaceAllUsesWith(i, divide(b, i, &s, d));
}

/* x - (x / d) * d */
static void replace_remainder(LLVMBuilderRef b, LLVMValueRef i) {
    LLVMValueRef q;
    uint64_t d;
    if (!is_op(i, LLVMSub) || !is_by(LLVMGetOperand(i, 1), LLVMMul, &q, &d)) return;
    LLVMValueRef x = LLVMGetOperand(i, 0);
    bool is_signed = is_op(q, LLVMSDiv);
    if ((!is_signed && !is_op(q, LLVMUDiv)) || LLVMGetOperand(q, 0) != x || !LLVMIsAConstantInt(LLVMGetOperand(q, 1)) ||
        !d || LLVMConstIntGetZExtValue(LLVMGetOperand(q, 1)) != d)
        return;
    LLVMPositionBuilderBefore(b, i);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(i));
    LLVMValueRef by = LLVMGetOperand(q, 1);
    LLVMReplaceAllUsesWith(i, is_signed ? LLVMBuildSRem(b, x, by, "") : LLVMBuildURem(b, x, by, ""));
}

void recover_divisions(LLVMModuleRef m, LLVMValueRef fn) {
    static void (*const forms[])(LLVMBuilderRef, LLVMValueRef) = {replace_narrow, replace_power, replace_wide,
                                                                  replace_remainder};
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) forms[f](b, i);
    LLVMDisposeBuilder(b);
}
