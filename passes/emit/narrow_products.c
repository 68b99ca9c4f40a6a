/* narrow_products: products in more than 32 bits of numbers of 16 bits are computed in 32 bits, where they fit.
**
**   mul <8 x i64> x, y       sext (mul nsw <8 x i32> (trunc x), (trunc y))      if the upper 49 bits of x, and of y, are equal
**
** requires: optimise, which makes vectors of scalars and widens products again
** preserves: values; takes vectors only: scalars have no such instructions
** refuses: nothing
** Not for speed, though it is faster: LLVM 22 makes 16-bit multiplications of what is taken from such a product by a shift, and loses
** the sign (lshr by 16: the upper bits are 0; trunc to i16 of a shift by 17 or more: a logical shift of the upper word;
** llvm-project 218844 is the second). */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

static bool is_wide_product(LLVMValueRef i) {
    LLVMTypeRef t = LLVMTypeOf(i);
    if (LLVMGetInstructionOpcode(i) != LLVMMul || LLVMGetTypeKind(t) != LLVMVectorTypeKind) return false;
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(t)), signs = bits - 16 + 1;
    return bits > 32 && shim_sign_bits(LLVMGetOperand(i, 0)) >= signs && shim_sign_bits(LLVMGetOperand(i, 1)) >= signs;
}

static void narrow(LLVMBuilderRef b, LLVMValueRef i) {
    LLVMTypeRef t = LLVMTypeOf(i), half = LLVMVectorType(LLVMInt32TypeInContext(LLVMGetTypeContext(t)), lanes_of(t));
    LLVMPositionBuilderBefore(b, i);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(i));
    LLVMValueRef x = LLVMBuildTrunc(b, LLVMGetOperand(i, 0), half, ""), y = LLVMBuildTrunc(b, LLVMGetOperand(i, 1), half, "");
    LLVMReplaceAllUsesWith(i, LLVMBuildSExt(b, LLVMBuildNSWMul(b, x, y, "product"), t, ""));
    LLVMInstructionEraseFromParent(i);
}

bool narrow_products(Module *m) {
    change_instructions(m->mod, is_wide_product, narrow);
    return true;
}
