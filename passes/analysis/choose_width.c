/* choose_width: the number of lanes of a kernel, from the user or by cost.
**
** Warp-level kernels take whole warps.  Others take as many lanes as fill one vector register with
** the type that dominates the kernel's arithmetic: 32-bit values unless most of it is 64-bit. */
#include "passes/passes.h"

static bool is_wide_element(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    return k == LLVMDoubleTypeKind || (k == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 64);
}

/* Arithmetic that would run in vector registers; address computations do not count. */
static bool is_lane_work(LLVMValueRef i) {
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFAdd: case LLVMFSub: case LLVMFMul: case LLVMFDiv: case LLVMFNeg: case LLVMFCmp:
    case LLVMAnd: case LLVMOr: case LLVMXor: case LLVMLShr: case LLVMLoad:
        return true;
    case LLVMCall: return name_of_call(i) == NAME_NONE;
    default: return false;
    }
}

int choose_width(Module *m, LLVMValueRef fn) {
    if (m->opt->simd) return m->opt->simd;
    int narrow = 0, wide = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!is_lane_work(i)) continue;
            if (is_wide_element(LLVMTypeOf(i))) wide++;
            else narrow++;
        }
    return (int)m->vector_bits / (wide > narrow ? 64 : 32);
}
