/* widen: placeholder until the vector form lands: width 1 needs nothing but the refusal of what
** only whole warps can do. */
#include "passes/passes.h"
Nyi widen(Kernel *k) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(k->fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (name_is_warp_op(name_of_call(i))) return NYI_WARP_WIDTH;
    return k->width == 1 ? NYI_NONE : NYI_INSTRUCTION;
}
Nyi linearise(Kernel *k) { return k->width == 1 ? NYI_NONE : NYI_INSTRUCTION; }
