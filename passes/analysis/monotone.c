/* monotone.c: see monotone.h. By structure only: tid.x, plus what is invariant in the row, times positive constants,
** extended, or as vector of lanes; sums and products need their no-wrap flag. `tid.x == 0` counts as well. */
#include "passes/analysis/monotone.h"
#include "passes/ir/edit.h"
#include "passes/ir/names.h"

/* splat(first lane) + <0, 1, 2, ...>: the lanes of a group of a row. */
static bool is_lane_sum(LLVMValueRef v) {
    return LLVMIsAShuffleVectorInst(LLVMGetOperand(v, 0)) && LLVMIsAConstantDataVector(LLVMGetOperand(v, 1));
}

static bool grows(LLVMValueRef v, bool is_signed, RowFixed fixed) {
    if (name_of_call(v) == NAME_TID_X) return true;
    if (!LLVMIsAInstruction(v)) return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    switch (op) {
    case LLVMSExt:
    case LLVMZExt: return (op == LLVMSExt) == is_signed && grows(LLVMGetOperand(v, 0), is_signed, fixed);
    case LLVMInsertElement: return grows(LLVMGetOperand(v, 1), is_signed, fixed);
    case LLVMShuffleVector:
        return LLVMIsAInsertElementInst(LLVMGetOperand(v, 0)) && grows(LLVMGetOperand(v, 0), is_signed, fixed);
    case LLVMAdd:
    case LLVMMul:
    case LLVMShl: break;
    default: return false;
    }
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    if (op == LLVMAdd && is_lane_sum(v)) {
        LLVMValueRef first = LLVMGetOperand(LLVMGetOperand(a, 0), 1);
        return LLVMIsAInsertElementInst(LLVMGetOperand(a, 0)) && name_of_call(first) == NAME_TID_X;
    }
    if (is_signed ? !LLVMGetNSW(v) : !LLVMGetNUW(v)) return false;
    if (op == LLVMAdd)
        return (grows(a, is_signed, fixed) && fixed.is_fixed(fixed.context, b)) ||
               (grows(b, is_signed, fixed) && fixed.is_fixed(fixed.context, a));
    return LLVMIsAConstantInt(b) && LLVMConstIntGetSExtValue(b) > 0 && grows(a, is_signed, fixed);
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
