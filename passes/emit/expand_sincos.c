/* expand_sincos.c: sin, cos or both as instructions, where fused multiply-add is one; scalar or vector alike.
**
** |x| = n pi/2 + r, |r| <= pi/4, with pi/2 as the sum of three numbers (Cody and Waite): the first product and
** difference are exact in a fused multiply-add, the second leaves one rounding. n comes out of the low bits of 1.5 *
** 2^23 (double: 2^52) + |x| 2/pi. Then sin r and cos r are polynomials (fit_sincos.py); bit 0 of n exchanges them, bit
** 1 and the sign of x give the signs. Working on |x| keeps the sign of zero. At most 2 ulp with float below
** SINCOS_LIMIT_F32 (nearly always 1); with double 1 ulp was the most that was found.
** What is not wanted of both is not used, and LLVM removes it: a sine has the same bits alone and beside the cosine. */
#include "passes/emit/expand_math.h"
#include "passes/emit/sincos_coefficients.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"

typedef struct Tables {
    const double *half_pi, *sine, *cosine;
    int terms, bits; /* of sine and cosine; of the type */
    double shifter, two_by_pi;
} Tables;

static const Tables f32 = {half_pi_f32, sine_f32, cosine_f32,   sizeof sine_f32 / sizeof *sine_f32,
                           32,          0x1.8p23, 0x1.45f306p-1},
                    f64 = {half_pi_f64, sine_f64, cosine_f64,          sizeof sine_f64 / sizeof *sine_f64,
                           64,          0x1.8p52, 0x1.45f306dc9c883p-1};

static LLVMValueRef polynomial(LLVMBuilderRef b, LLVMValueRef z, const double *c, int terms) {
    LLVMTypeRef t = LLVMTypeOf(z);
    LLVMValueRef p = math_float(t, c[0]);
    for (int i = 1; i < terms; i++) p = fma_of(b, p, z, math_float(t, c[i]));
    return p;
}

static LLVMValueRef bounded_by(LLVMBuilderRef b, LLVMValueRef x, LLVMRealPredicate beyond, double limit) {
    LLVMValueRef c = math_float(LLVMTypeOf(x), limit);
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, beyond, x, c, ""), c, x, ""); /* a NaN stays */
}

/* The value with its sign inverted where the highest bit of `signs` is set. */
static LLVMValueRef with_sign(LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef signs) {
    LLVMTypeRef t = LLVMTypeOf(signs);
    LLVMValueRef highest = math_int(t, LLVMGetIntTypeWidth(math_element(t)) == 64 ? INT64_MIN : 1ll << 31);
    LLVMValueRef bits = LLVMBuildXor(b, LLVMBuildBitCast(b, v, t, ""), LLVMBuildAnd(b, signs, highest, ""), "");
    return LLVMBuildBitCast(b, bits, LLVMTypeOf(v), "");
}

SinCos expand_sincos(LLVMBuilderRef b, LLVMValueRef x, bool bounded) {
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMContextRef c = LLVMGetTypeContext(t);
    bool is_double = LLVMGetTypeKind(math_element(t)) == LLVMDoubleTypeKind;
    const Tables *k = is_double ? &f64 : &f32;
    LLVMTypeRef i = math_with_lanes(LLVMIntTypeInContext(c, (unsigned)k->bits), lanes_of(t));
    LLVMValueRef a = math_intrinsic(b, "llvm.fabs", &t, 1, &x, 1), shifter = math_float(t, k->shifter);
    LLVMValueRef shifted = fma_of(b, a, math_float(t, k->two_by_pi), shifter);
    LLVMValueRef n = LLVMBuildFSub(b, shifted, shifter, ""), r = a;
    for (int p = 0; p < 3; p++) r = fma_of(b, n, math_float(t, -k->half_pi[p]), r);
    if (!bounded) r = bounded_by(b, bounded_by(b, r, LLVMRealOGT, 1), LLVMRealOLT, -1);
    LLVMValueRef z = LLVMBuildFMul(b, r, r, "");
    LLVMValueRef s = LLVMBuildFMul(b, polynomial(b, z, k->sine, k->terms), z, "");
    s = fma_of(b, s, r, r);
    LLVMValueRef q = fma_of(b, polynomial(b, z, k->cosine, k->terms), z, math_float(t, -0.5));
    q = fma_of(b, q, z, math_float(t, 1));
    LLVMValueRef quarter = LLVMBuildBitCast(b, shifted, i, ""), up = math_int(i, k->bits - 2);
    LLVMValueRef odd = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, quarter, math_int(i, 1), ""), math_int(i, 0), "");
    LLVMValueRef sign = LLVMBuildXor(b, LLVMBuildShl(b, quarter, up, ""), LLVMBuildBitCast(b, x, i, ""), "");
    LLVMValueRef next = LLVMBuildShl(b, LLVMBuildAdd(b, quarter, math_int(i, 1), ""), up, "");
    return (SinCos){with_sign(b, LLVMBuildSelect(b, odd, q, s, ""), sign),
                    with_sign(b, LLVMBuildSelect(b, odd, s, q, ""), next)};
}

/* ---- sin and cos of the same argument ---- */

static bool is_sincos_row(LLVMValueRef i, const char *name) {
    const MathRow *r = LLVMIsACallInst(i) ? math_row_of_call(i) : NULL;
    LLVMTypeKind k = LLVMGetTypeKind(math_element(LLVMTypeOf(i)));
    return r && r == math_row(name) && (k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind);
}

/* The other one of sin and cos, of the same argument, with the same flags, in the same block. */
static LLVMValueRef partner_of(LLVMValueRef call, bool is_sine) {
    LLVMValueRef x = LLVMGetOperand(call, 0);
    if (!LLVMIsAInstruction(x) && !LLVMIsAArgument(x)) return NULL;
    for_each_user(o, x) {
        if (o == call || LLVMGetInstructionParent(o) != LLVMGetInstructionParent(call)) continue;
        if (!is_sincos_row(o, is_sine ? "cos" : "sin")) continue;
        bool flags = LLVMCanValueUseFastMathFlags(o) && LLVMCanValueUseFastMathFlags(call);
        if (flags && LLVMGetFastMathFlags(o) == LLVMGetFastMathFlags(call)) return o;
    }
    return NULL;
}

static void replace_sincos(LLVMValueRef old, LLVMValueRef by) { replace_instruction(old, by); }

void pair_sincos(LLVMBuilderRef b, LLVMBasicBlockRef bb) {
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
        bool is_sine = is_sincos_row(i, "sin");
        LLVMValueRef other = is_sine || is_sincos_row(i, "cos") ? partner_of(i, is_sine) : NULL;
        if (!other) {
            next = LLVMGetNextInstruction(i);
            continue;
        }
        LLVMPositionBuilderBefore(b, i); /* a partner further up would have taken this one */
        LLVMValueRef x = LLVMGetOperand(i, 0);
        LLVMTypeRef t = LLVMTypeOf(x);
        LLVMValueRef both = math_intrinsic(b, "llvm.sincos", &t, 1, &x, 1);
        shim_copy_flags(both, i);
        LLVMValueRef sine = LLVMBuildExtractValue(b, both, 0, ""), cosine = LLVMBuildExtractValue(b, both, 1, "");
        replace_sincos(other, is_sine ? cosine : sine);
        next = LLVMGetNextInstruction(i);
        replace_sincos(i, is_sine ? sine : cosine);
    }
}
