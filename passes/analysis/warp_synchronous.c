/* warp_synchronous: see warp_synchronous.h. */
#include "passes/analysis/warp_synchronous.h"
#include "passes/ir/value.h"

/* The address of a volatile load or store; else NULL. */
static LLVMValueRef volatile_address(LLVMValueRef i) {
    bool load = LLVMIsALoadInst(i) != NULL;
    if ((!load && !LLVMIsAStoreInst(i)) || !LLVMGetVolatile(i)) return NULL;
    return LLVMGetOperand(i, load ? 0 : 1);
}

/* The base of the address computation; varies: an index on the way is not constant. */
static LLVMValueRef array_root(LLVMValueRef p, bool *varies) {
    *varies = false;
    for (; LLVMIsAGetElementPtrInst(p) || LLVMIsAAddrSpaceCastInst(p) || LLVMIsABitCastInst(p);
         p = LLVMGetOperand(p, 0))
        for (int k = 1; LLVMIsAGetElementPtrInst(p) && k < LLVMGetNumOperands(p); k++)
            *varies |= !LLVMIsAConstantInt(LLVMGetOperand(p, (unsigned)k));
    return p;
}

/* Its block stores to one element and loads another one of this array. */
static bool exchanges_elements(LLVMBasicBlockRef b, LLVMValueRef array) {
    LLVMValueRef stored = NULL;
    bool varies, loads_other = false;
    for (int pass = 0; pass < 2; pass++)
        for_each_in_block(i, b) {
            LLVMValueRef p = volatile_address(i);
            if (!p || array_root(p, &varies) != array || !varies) continue;
            if (LLVMIsAStoreInst(i)) stored = p;
            else if (stored && p != stored) loads_other = true;
        }
    return loads_other;
}

bool is_warp_synchronous(const MemorySpaces *memory, LLVMValueRef i, bool polls) {
    LLVMValueRef p = volatile_address(i);
    if (!p) return false;
    unsigned spaces = spaces_of(memory, p);
    if (spaces == SPACE_SHARED) return true;
    bool varies;
    return !polls && spaces & (SPACE_GLOBAL | SPACE_SHARED) &&
           exchanges_elements(LLVMGetInstructionParent(i), array_root(p, &varies));
}
