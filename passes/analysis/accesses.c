/* accesses.c: see accesses.h. */
#include "passes/analysis/accesses.h"
#include "passes/ir/edit.h"
#include "passes/ir/math.h"
#include "passes/ir/names.h"

LLVMValueRef accessed_at(LLVMValueRef i) { return LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0); }
LLVMTypeRef accessed_type(LLVMValueRef i) { return LLVMTypeOf(LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : i); }

LLVMValueRef access_base(LLVMTargetDataRef dl, LLVMValueRef p, int64_t *bytes) {
    *bytes = 0;
    while (LLVMIsAGetElementPtrInst(p) && LLVMGetNumOperands(p) == 2 && LLVMIsAConstantInt(LLVMGetOperand(p, 1))) {
        *bytes += LLVMConstIntGetSExtValue(LLVMGetOperand(p, 1)) *
                  (int64_t)LLVMABISizeOfType(dl, LLVMGetGEPSourceElementType(p));
        p = LLVMGetOperand(p, 0);
    }
    return p;
}

bool same_address(LLVMValueRef a, LLVMValueRef b) {
    if (a == b) return true;
    if (!LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) || LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b))
        return false;
    bool gep = LLVMIsAGetElementPtrInst(a) != NULL,
         cast = LLVMIsAZExtInst(a) || LLVMIsASExtInst(a) || LLVMIsAAddrSpaceCastInst(a);
    bool id = name_of_call(a) >= NAME_TID_X && name_of_call(a) <= NAME_GLOBAL_X;
    if ((!gep && !cast && !id) || LLVMTypeOf(a) != LLVMTypeOf(b) || LLVMGetNumOperands(a) != LLVMGetNumOperands(b))
        return false;
    if (gep && LLVMGetGEPSourceElementType(a) != LLVMGetGEPSourceElementType(b)) return false;
    for (int k = 0; k < LLVMGetNumOperands(a); k++)
        if (!same_address(LLVMGetOperand(a, (unsigned)k), LLVMGetOperand(b, (unsigned)k))) return false;
    return true;
}

bool is_plain_access(LLVMValueRef i) {
    return (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && !LLVMGetVolatile(i) &&
           LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
}

bool stands_between(LLVMValueRef i, bool stores) {
    if (LLVMIsALoadInst(i)) return stores || !is_plain_access(i);
    if (LLVMIsACallInst(i))
        return !is_pure_intrinsic(i) && !(name_of_call(i) >= NAME_TID_X && name_of_call(i) <= NAME_GLOBAL_X);
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    return LLVMIsAStoreInst(i) || op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg || op == LLVMFence || op == LLVMVAArg;
}

bool may_synchronise(LLVMValueRef i) {
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) return !is_plain_access(i);
    if (LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i) || LLVMIsAInvokeInst(i) || LLVMIsAAllocaInst(i)) return true;
    if (!LLVMIsACallInst(i) || is_pure_intrinsic(i) || math_is_vectorizable(i)) return false;
    Name n = name_of_call(i);
    return n < NAME_TID_X || n > NAME_NCTAID_Z;
}
