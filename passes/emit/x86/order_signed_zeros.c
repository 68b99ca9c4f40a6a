/* order_signed_zeros: the smaller of -0 and +0 is -0, the larger one +0, as on a GPU, where the target has an
** instruction for it.
**
**   llvm.maxnum(x, y)       llvm.x86.avx512.mask.range(x, y, 5)
**
** in, out: optimised code: until then LLVM recognises llvm.minnum and llvm.maxnum, and vectorises their loops
** VRANGE of AVX-512 is what a GPU's instruction is, except that a signalling NaN gives a NaN; operands that may be one
** are made quiet by a product with 1 that LLVM must not fold away. Arithmetic produces none. MAX, a comparison and a
** blend, what the back end has for llvm.maxnum, return one of two zeros depending on their order.
** Not taken: constants, for which MAX alone is right where the constant is no zero, or the zero that wins; other
** targets, where distinguishing the zeros doubles the time of a kernel of maxima. */
#include "passes/ir/math.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>
#include <math.h>
#include <string.h>

enum { DEPTH = 6, MAX_LANES = 64 }; /* phis and selects in a chain that are looked through */

static bool is_quiet_opcode(LLVMOpcode op) {
    return op == LLVMFAdd || op == LLVMFSub || op == LLVMFMul || op == LLVMFDiv || op == LLVMFPExt ||
           op == LLVMFPTrunc || op == LLVMSIToFP || op == LLVMUIToFP;
}

static bool is_quiet_call(LLVMValueRef v) {
    static const char *const names[] = {
        "llvm.fma.",    "llvm.fmuladd.",    "llvm.sqrt.",       "llvm.minnum.",
        "llvm.maxnum.", "llvm.minimumnum.", "llvm.maximumnum.", "llvm.x86.avx512.mask.range."};
    LLVMValueRef f = LLVMGetCalledValue(v);
    const char *name = LLVMIsAFunction(f) ? value_name(f) : "";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(name, names[i], strlen(names[i]))) return true;
    return false;
}

/* Never a signalling NaN, if `self` is none. */
static bool is_quiet(LLVMValueRef v, LLVMValueRef self, int depth) {
    if (v == self || LLVMIsConstant(v)) return true;
    if (!LLVMIsAInstruction(v) || depth == 0) return false;
    if (is_quiet_opcode(LLVMGetInstructionOpcode(v)) || (LLVMIsACallInst(v) && is_quiet_call(v))) return true;
    if (LLVMIsASelectInst(v))
        return is_quiet(LLVMGetOperand(v, 1), self, depth - 1) && is_quiet(LLVMGetOperand(v, 2), self, depth - 1);
    if (LLVMIsAShuffleVectorInst(v))
        return is_quiet(LLVMGetOperand(v, 0), self, depth - 1) && is_quiet(LLVMGetOperand(v, 1), self, depth - 1);
    if (LLVMIsAExtractElementInst(v)) return is_quiet(LLVMGetOperand(v, 0), self, depth - 1);
    if (!LLVMIsAPHINode(v)) return false;
    for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
        if (!is_quiet(LLVMGetIncomingValue(v, i), self, depth - 1)) return false;
    return true;
}

typedef struct Order {
    Module *m;
    LLVMBuilderRef b;
    LLVMValueRef operand[2];
    bool is_max, quiet[2];
} Order;

/* The n lanes of an operand from `from` on fill a register. */
static LLVMValueRef part_of(Order *o, int k, unsigned from, unsigned n) {
    LLVMValueRef v =
        lanes_of(LLVMTypeOf(o->operand[k])) == n ? o->operand[k] : build_lanes(o->b, o->operand[k], from, n);
    LLVMTypeRef t = LLVMTypeOf(v);
    return o->quiet[k] ? v : math_intrinsic(o->b, "llvm.canonicalize", &t, 1, &v, 1);
}

static LLVMValueRef range(Order *o, unsigned from, unsigned n) {
    enum { LARGER = 1, SIGN_OF_RESULT = 1 << 2, CURRENT_DIRECTION = 4 }; /* Intel SDM, VRANGEPS */
    static const char *const names[2][3] = {
        {"llvm.x86.avx512.mask.range.ps.128", "llvm.x86.avx512.mask.range.ps.256", "llvm.x86.avx512.mask.range.ps.512"},
        {"llvm.x86.avx512.mask.range.pd.128", "llvm.x86.avx512.mask.range.pd.256",
         "llvm.x86.avx512.mask.range.pd.512"}};
    LLVMValueRef x = part_of(o, 0, from, n), y = part_of(o, 1, from, n);
    LLVMTypeRef t = LLVMTypeOf(x), i32 = LLVMInt32TypeInContext(o->m->ctx),
                mask = LLVMIntTypeInContext(o->m->ctx, n < 8 ? 8 : n);
    bool is_double = LLVMGetTypeKind(math_element(t)) == LLVMDoubleTypeKind;
    unsigned bits = n * (is_double ? 64 : 32);
    LLVMValueRef args[6] = {x,
                            y,
                            LLVMConstInt(i32, SIGN_OF_RESULT | (o->is_max ? LARGER : 0), 0),
                            LLVMGetPoison(t),
                            LLVMConstAllOnes(mask),
                            LLVMConstInt(i32, CURRENT_DIRECTION, 0)};
    return math_intrinsic(o->b, names[is_double][bits / 256], NULL, 0, args, bits == 512 ? 6 : 5);
}

/* `part`, lanes from `from` on, after the lanes of `all`. */
static LLVMValueRef append(Order *o, LLVMValueRef all, LLVMValueRef part, unsigned from, unsigned n) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(o->m->ctx);
    LLVMValueRef mask[MAX_LANES], wide = build_lanes(o->b, part, 0, n);
    for (unsigned i = 0; i < n; i++) mask[i] = LLVMConstInt(i32, i >= from ? n + i - from : i, 0);
    return LLVMBuildShuffleVector(o->b, all, wide, LLVMConstVector(mask, n), "");
}

static LLVMValueRef ordered(Order *o) {
    LLVMTypeRef t = LLVMTypeOf(o->operand[0]);
    unsigned n = lanes_of(t), size = LLVMGetTypeKind(math_element(t)) == LLVMDoubleTypeKind ? 64 : 32,
             part = 128 / size;
    while (part < n && part < o->m->vector_bits / size) part *= 2;
    LLVMValueRef r = range(o, 0, part);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return LLVMBuildExtractElement(o->b, r, LLVMConstNull(LLVMInt32TypeInContext(o->m->ctx)), "");
    if (part > n) return build_lanes(o->b, r, 0, n);
    if (part == n) return r;
    LLVMValueRef all = build_lanes(o->b, r, 0, n);
    for (unsigned from = part; from < n; from += part) all = append(o, all, range(o, from, part), from, n);
    return all;
}

static bool decides_one(LLVMValueRef c, bool is_max) {
    LLVMBool loses;
    double v = LLVMIsAConstantFP(c) ? LLVMConstRealGetDouble(c, &loses) : NAN;
    return v == v && (v != 0 || !signbit(v) == is_max);
}

/* MAX is right for this constant and anything else. The back end loses track of the constant where it pads vectors to a
** register. */
static bool decides(LLVMValueRef v, bool is_max) {
    if (!LLVMIsConstant(v) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
        return LLVMIsConstant(v) && decides_one(v, is_max);
    if (lanes_of(LLVMTypeOf(v)) < 4) return false;
    for (unsigned i = 0; i < lanes_of(LLVMTypeOf(v)); i++) {
        LLVMValueRef one = LLVMGetAggregateElement(v, i);
        if (!one || !decides_one(one, is_max)) return false;
    }
    return true;
}

static void order(Order *o, LLVMValueRef call) {
    const MathRow *r = LLVMIsAFunction(LLVMGetCalledValue(call)) ? math_row_of_call(call) : NULL;
    if (!r || (r->id != MATH_ID_minnum && r->id != MATH_ID_maxnum && r->id != MATH_ID_minimumnum &&
               r->id != MATH_ID_maximumnum))
        return;
    LLVMTypeKind k = LLVMGetTypeKind(math_element(LLVMTypeOf(call)));
    o->is_max = r->id == MATH_ID_maxnum || r->id == MATH_ID_maximumnum;
    if ((k != LLVMFloatTypeKind && k != LLVMDoubleTypeKind) || lanes_of(LLVMTypeOf(call)) > MAX_LANES) return;
    for (unsigned i = 0; i < 2; i++) {
        o->operand[i] = LLVMGetOperand(call, i);
        o->quiet[i] = is_quiet(o->operand[i], call, DEPTH);
        if (decides(o->operand[i], o->is_max)) return;
    }
    set_insert_point(o->b, call);
    replace_instruction(call, ordered(o));
}

bool order_signed_zeros(Module *m) {
    if (pass_disabled(m, "order_signed_zeros") || !shim_has_features(m->tm, "+avx512f,+avx512vl,+avx512dq"))
        return true;
    Order o = {.m = m, .b = LLVMCreateBuilderInContext(m->ctx)};
    for_each_function(f, m->mod)
        for_each_block(bb, f)
            for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                if (LLVMIsACallInst(i)) order(&o, i);
            }
    LLVMDisposeBuilder(o.b);
    return true;
}
