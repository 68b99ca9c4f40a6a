/* monotone.c: see monotone.h. Values that grow along a row are affine in tid.x with a positive factor, and do not wrap
** as integers (affine.h): beside tid.x they have terms that are invariant in the row. `tid.x == 0` counts as well. */
#include "passes/analysis/monotone.h"
#include "passes/analysis/affine.h"
#include "passes/ir/names.h"

/* splat(tid.x) + <0, 1, 2, ...>: the lanes of a group of a row. */
static bool is_lane_sum(LLVMValueRef v) {
    LLVMValueRef first = opcode(v) == LLVMAdd ? splat_value(LLVMGetOperand(v, 0)) : NULL;
    return first && LLVMIsAConstantDataVector(LLVMGetOperand(v, 1)) && name_of_call(first) == NAME_TID_X;
}

static bool is_row_thread(LLVMValueRef v) { return name_of_call(v) == NAME_TID_X || is_lane_sum(v); }

static bool is_part_of_row(const void *fixed, LLVMValueRef v) {
    const RowFixed *f = fixed;
    return is_row_thread(v) || f->is_fixed(f->context, v);
}

static bool grows(LLVMValueRef v, bool is_signed, RowFixed fixed) {
    AffineRules parts = {.flags = AFFINE_TRUST_FLAGS, .is_term = is_part_of_row, .context = &fixed};
    Affine a;
    int64_t threads = 0;
    if (!affine_of(&parts, v, is_signed ? AFFINE_SIGNED : AFFINE_UNSIGNED, &a)) return false;
    for (int k = 0; k < a.n; k++)
        if (is_row_thread(a.term[k].v)) threads += a.term[k].factor;
    return threads > 0;
}

int monotone_compare(LLVMValueRef compare, RowFixed fixed) {
    if (!LLVMIsAICmpInst(compare)) return 0;
    LLVMIntPredicate p = LLVMGetICmpPredicate(compare);
    bool is_signed = p >= LLVMIntSGT, below = p == LLVMIntSLT || p == LLVMIntSLE || p == LLVMIntULT || p == LLVMIntULE;
    LLVMValueRef a = LLVMGetOperand(compare, 0), b = LLVMGetOperand(compare, 1);
    if (p == LLVMIntEQ || p == LLVMIntNE) { /* with 0: the same as <= 0 or > 0 */
        if (!LLVMIsNull(b) || !grows(a, false, fixed)) return 0;
        return p == LLVMIntEQ ? -1 : 1;
    }
    if (grows(a, is_signed, fixed) && fixed.is_fixed(fixed.context, b)) return below ? -1 : 1;
    if (grows(b, is_signed, fixed) && fixed.is_fixed(fixed.context, a)) return below ? 1 : -1;
    return 0;
}
