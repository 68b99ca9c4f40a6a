/* edit_cfg.c: see edit_cfg.h. */
#include "passes/ir/edit_cfg.h"
#include "passes/ir/shim.h"
#include "passes/ir/value.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

void erase_after(LLVMValueRef inst) {
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(inst);
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(t); s++)
        for_each_phi(p, LLVMGetSuccessor(t, s)) shim_remove_phi_incoming(p, bb);
    for (LLVMValueRef i; (i = LLVMGetLastInstruction(bb)) != inst;) erase_instruction(i);
}

LLVMBasicBlockRef insert_block(LLVMBasicBlockRef before, const char *name) {
    return LLVMInsertBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(before))), before, name);
}

LLVMBasicBlockRef single_successor(LLVMBasicBlockRef bb) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
    return LLVMGetNumSuccessors(t) == 1 ? LLVMGetSuccessor(t, 0) : NULL;
}

void redirect_phis(LLVMBasicBlockRef bb, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    for_each_phi(p, bb)
        for (unsigned k = 0; k < LLVMCountIncoming(p); k++)
            if (LLVMGetIncomingBlock(p, k) == from) shim_set_phi_block(p, k, to);
}

LLVMValueRef replace_by_branch(LLVMBuilderRef b, LLVMValueRef t, LLVMValueRef condition, LLVMBasicBlockRef yes,
                               LLVMBasicBlockRef no) {
    LLVMPositionBuilderBefore(b, t);
    LLVMValueRef branch = LLVMBuildCondBr(b, condition, yes, no);
    LLVMInstructionEraseFromParent(t);
    return branch;
}

LLVMValueRef build_phi2(LLVMBuilderRef b, LLVMValueRef v, LLVMBasicBlockRef from, LLVMValueRef w,
                        LLVMBasicBlockRef other, const char *name) {
    LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(v), name), values[2] = {v, w};
    LLVMBasicBlockRef blocks[2] = {from, other};
    LLVMAddIncoming(phi, values, blocks, 2);
    return phi;
}

bool is_empty_block(LLVMBasicBlockRef bb) {
    LLVMValueRef first = LLVMGetFirstInstruction(bb);
    return LLVMIsABranchInst(first) && !LLVMIsConditional(first);
}

void forbid_unrolling(LLVMValueRef branch, const char *property) {
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(branch));
    const char *names[2] = {"llvm.loop.unroll.disable", property};
    LLVMMetadataRef self = LLVMTemporaryMDNode(c, NULL, 0), parts[3] = {self};
    unsigned n = property ? 2 : 1;
    for (unsigned k = 0; k < n; k++) {
        LLVMMetadataRef name = LLVMMDStringInContext2(c, names[k], strlen(names[k]));
        parts[k + 1] = LLVMMDNodeInContext2(c, &name, 1);
    }
    LLVMMetadataRef loop = LLVMMDNodeInContext2(c, parts, n + 1);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(c, "llvm.loop", 9), LLVMMetadataAsValue(c, loop));
}
