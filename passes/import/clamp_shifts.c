/* clamp_shifts: shifts by the width of the type or more get the value that a GPU computes.
**
** in:  shl, lshr, ashr as the front end writes them: poison for large amounts.
** out: 0, or the sign for ashr, whatever the target's shift instruction does (scalar x86 masks the
**      amount, vector x86 does not: programs that pack bits saw it).
** Runs before any clean-up, which may use the poison.  Known small amounts cost nothing: LLVM folds
** the comparison; vector shifts of AVX2 and AVX-512 take the select in.
** Not done: shifts of vectors of the source (CUDA C++ has none). */
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

static bool is_shift(LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    return op == LLVMShl || op == LLVMLShr || op == LLVMAShr;
}

static bool is_small(LLVMValueRef amount, unsigned bits) {
    return LLVMIsAConstantInt(amount) && LLVMGetIntTypeWidth(LLVMTypeOf(amount)) <= 64 &&
           LLVMConstIntGetZExtValue(amount) < bits;
}

/* The second run of import_nvvm, after the device library, finds its own selects. */
static bool chooses_by(LLVMValueRef v, LLVMValueRef amount) {
    if (!LLVMIsASelectInst(v)) return false;
    LLVMValueRef c = LLVMGetOperand(v, 0);
    return LLVMIsAICmpInst(c) && LLVMGetOperand(c, 0) == amount && LLVMGetICmpPredicate(c) == LLVMIntULT;
}

static bool is_clamped(LLVMValueRef shift) {
    LLVMValueRef amount = LLVMGetOperand(shift, 1);
    LLVMUseRef use = LLVMGetFirstUse(shift);
    if (LLVMGetInstructionOpcode(shift) != LLVMAShr)
        return use && !LLVMGetNextUse(use) && chooses_by(LLVMGetUser(use), amount);
    return LLVMIsASelectInst(amount) && chooses_by(amount, LLVMGetOperand(amount, 1));
}

static void clamp_shift(LLVMBuilderRef b, LLVMValueRef i) {
    LLVMValueRef amount = LLVMGetOperand(i, 1);
    LLVMTypeRef t = LLVMTypeOf(amount);
    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind) return;
    unsigned bits = LLVMGetIntTypeWidth(t);
    if (is_small(amount, bits) || is_clamped(i)) return;
    LLVMPositionBuilderBefore(b, i);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(i));
    LLVMValueRef small = LLVMBuildICmp(b, LLVMIntULT, amount, LLVMConstInt(t, bits, 0), "");
    if (LLVMGetInstructionOpcode(i) == LLVMAShr) {
        LLVMSetOperand(i, 1, LLVMBuildSelect(b, small, amount, LLVMConstInt(t, bits - 1, 0), ""));
        return;
    }
    LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(i));
    if (LLVMIsAConstant(small)) { /* a constant amount, and too large */
        LLVMReplaceAllUsesWith(i, LLVMConstInt(t, 0, 0));
        return;
    }
    LLVMValueRef s = LLVMBuildSelect(b, small, LLVMGetPoison(t), LLVMConstInt(t, 0, 0), "");
    LLVMReplaceAllUsesWith(i, s);
    LLVMSetOperand(s, 1, i);
}

void clamp_shifts(Module *m, LLVMValueRef fn) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (is_shift(i)) clamp_shift(b, i);
        }
    LLVMDisposeBuilder(b);
}
