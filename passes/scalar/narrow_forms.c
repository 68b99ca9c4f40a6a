/* narrow_forms: differences and sums of bytes or shorts that need one more bit, but whose result does not (part of
** narrow_values).
**
**   |a - b|              max(a, b) - min(a, b)     as llvm.abs, or as a > b ? a - b : b - a (__usad)
**   min(a + b, 255)      llvm.uadd.sat             a, b: unsigned bytes, or shorts and 65535
**   max(a - b, 0)        llvm.usub.sat
**
** in:  int (i32, i64) of operands that are extended, or constants that fit; the inner sum or difference has no other
**      use
** out: the form of the operands' size, extended. Signed saturation LLVM finds itself. */
#include "passes/analysis/int_ranges.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>

typedef struct Operands {
    LLVMValueRef a, b; /* of `bits` bits */
    unsigned bits;
    bool is_signed;
} Operands;

static bool is_narrow_extension(LLVMValueRef v) {
    IntOp op = int_op(v);
    if ((op != INT_ZEXT && op != INT_SEXT) || !is_scalar_int(LLVMGetOperand(v, 0))) return false;
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0)));
    return bits == 8 || bits == 16;
}

/* A constant, like an extended value. */
static LLVMValueRef fitting(LLVMValueRef v, const Operands *o) {
    int64_t n = LLVMConstIntGetSExtValue(v), maximum = (INT64_C(1) << (o->is_signed ? o->bits - 1 : o->bits)) - 1,
            minimum = o->is_signed ? -maximum - 1 : 0;
    return n >= minimum && n <= maximum ? LLVMConstInt(LLVMTypeOf(o->a ? o->a : o->b), (uint64_t)n, 0) : NULL;
}

/* Both extended from the same size in the same way, or one of them and a constant. */
static bool narrow_operands(LLVMValueRef x, LLVMValueRef y, Operands *o) {
    bool ex = is_narrow_extension(x), ey = is_narrow_extension(y);
    if (!ex && !ey) return false;
    LLVMValueRef e = ex ? x : y;
    *o = (Operands){.a = ex ? LLVMGetOperand(x, 0) : NULL,
                    .b = ey ? LLVMGetOperand(y, 0) : NULL,
                    .is_signed = int_op(e) == INT_SEXT};
    o->bits = LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(e, 0)));
    if (ex && ey) return LLVMTypeOf(o->a) == LLVMTypeOf(o->b) && int_op(x) == int_op(y);
    if (!LLVMIsAConstantInt(ex ? y : x)) return false;
    LLVMValueRef c = fitting(ex ? y : x, o);
    if (ex) o->b = c;
    else o->a = c;
    return c != NULL;
}

static bool has_one_use(LLVMValueRef v) { return LLVMGetFirstUse(v) && !LLVMGetNextUse(LLVMGetFirstUse(v)); }

/* ---- forms ---- */

/* The difference of signed integers is unsigned. */
static LLVMValueRef build_distance(LLVMBuilderRef b, const Operands *o) {
    LLVMValueRef maximum = build_intrinsic2(b, o->is_signed ? "llvm.smax" : "llvm.umax", o->a, o->b);
    LLVMValueRef minimum = build_intrinsic2(b, o->is_signed ? "llvm.smin" : "llvm.umin", o->a, o->b);
    return LLVMBuildSub(b, maximum, minimum, "");
}

/* x - y where v tests whether that is positive, for integers of the operands' signedness. */
static bool tests_order(LLVMValueRef c, LLVMValueRef x, LLVMValueRef y, const Operands *o) {
    if (int_op(c) != INT_ICMP) return false;
    LLVMValueRef p = LLVMGetOperand(c, 0), q = LLVMGetOperand(c, 1);
    LLVMIntPredicate order = LLVMGetICmpPredicate(c);
    bool wide = (p == x && q == y) || (p == y && q == x), narrow = (p == o->a && q == o->b) || (p == o->b && q == o->a);
    if (!wide && !narrow) return false;
    bool less = order == LLVMIntULT || order == LLVMIntULE || order == LLVMIntSLT || order == LLVMIntSLE;
    bool is_signed = order >= LLVMIntSGT;
    if (order < LLVMIntUGT || (narrow ? is_signed != o->is_signed : !is_signed && o->is_signed)) return false;
    return less == (p == (wide ? y : o->b));
}

static LLVMValueRef distance_by_select(LLVMBuilderRef b, LLVMValueRef i) {
    LLVMValueRef d = LLVMGetOperand(i, 1), e = LLVMGetOperand(i, 2);
    Operands o;
    if (int_op(d) != INT_SUB || int_op(e) != INT_SUB) return NULL;
    LLVMValueRef x = LLVMGetOperand(d, 0), y = LLVMGetOperand(d, 1);
    if (x == y || LLVMGetOperand(e, 0) != y || LLVMGetOperand(e, 1) != x || !narrow_operands(x, y, &o)) return NULL;
    return tests_order(LLVMGetOperand(i, 0), x, y, &o) ? build_distance(b, &o) : NULL;
}

static LLVMValueRef distance_by_abs(LLVMBuilderRef b, LLVMValueRef i) {
    LLVMValueRef d = LLVMGetOperand(i, 0);
    Operands o;
    if (int_op(d) != INT_SUB || !has_one_use(d) || !narrow_operands(LLVMGetOperand(d, 0), LLVMGetOperand(d, 1), &o))
        return NULL;
    return build_distance(b, &o);
}

/* min(a + b, 2^bits - 1), max(a - b, 0) */
static LLVMValueRef saturated(LLVMBuilderRef b, LLVMValueRef i, IntOp inner, const char *name) {
    LLVMValueRef d = LLVMGetOperand(i, 0), limit = LLVMGetOperand(i, 1);
    Operands o;
    if (int_op(d) != inner || !has_one_use(d) || !LLVMIsAConstantInt(limit)) return NULL;
    if (!narrow_operands(LLVMGetOperand(d, 0), LLVMGetOperand(d, 1), &o) || o.is_signed) return NULL;
    if (LLVMConstIntGetZExtValue(limit) != (inner == INT_ADD ? (UINT64_C(1) << o.bits) - 1 : 0)) return NULL;
    return build_intrinsic2(b, name, o.a, o.b);
}

static LLVMValueRef narrow_form(LLVMBuilderRef b, LLVMValueRef i) {
    switch (int_op(i)) {
    case INT_ABS: return distance_by_abs(b, i);
    case INT_SELECT: return distance_by_select(b, i);
    case INT_SMIN:
    case INT_UMIN: return saturated(b, i, INT_ADD, "llvm.uadd.sat");
    case INT_SMAX: return saturated(b, i, INT_SUB, "llvm.usub.sat");
    default: return NULL;
    }
}

bool narrow_forms(Module *m, LLVMValueRef fn) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    bool any = false;
    for_each_instruction(i, fn) {
        if (!is_scalar_int(i) || int_bits(i) < 32) continue;
        set_insert_point(b, i);
        LLVMValueRef v = narrow_form(b, i);
        if (!v) continue;
        LLVMReplaceAllUsesWith(i, LLVMBuildZExt(b, v, LLVMTypeOf(i), ""));
        any = true;
    }
    LLVMDisposeBuilder(b);
    return any;
}
