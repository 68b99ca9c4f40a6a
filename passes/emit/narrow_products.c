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

static unsigned bits_of(LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetIntTypeWidth(LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t);
}

static unsigned less(unsigned a, unsigned b) { return a < b ? a : b; }

/* Upper bits that are equal.  Operation by operation, as LLVM's analysis of IR does not look through a splat in the middle of an
** expression; that of the code generator, which it has to keep up with, does. */
static unsigned sign_bits(LLVMValueRef v, int depth) {
    unsigned known = shim_sign_bits(v), bits = bits_of(v), a, b;
    if (!LLVMIsAInstruction(v) || depth > 6) return known;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op != LLVMMul && op != LLVMSExt && op != LLVMTrunc && op != LLVMAdd && op != LLVMSub && op != LLVMSelect && op != LLVMFreeze) return known;
    LLVMValueRef x = LLVMGetOperand(v, op == LLVMSelect ? 1 : 0), y = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, op == LLVMSelect ? 2 : 1) : x;
    a = sign_bits(x, depth + 1);
    b = y == x ? a : sign_bits(y, depth + 1);
    unsigned found = less(a, b);
    if (op == LLVMMul) found = 2 * bits - a - b + 2 > bits ? 1 : a + b - bits - 1;
    if (op == LLVMSExt) found = a + bits - bits_of(x);
    if (op == LLVMTrunc) found = a > bits_of(x) - bits ? a - (bits_of(x) - bits) : 1;
    if (op == LLVMAdd || op == LLVMSub) found = found > 1 ? found - 1 : 1;
    return found > known ? found : known;
}

static bool is_wide_product(LLVMValueRef i) {
    LLVMTypeRef t = LLVMTypeOf(i);
    if (LLVMGetInstructionOpcode(i) != LLVMMul || LLVMGetTypeKind(t) != LLVMVectorTypeKind) return false;
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(t)), signs = bits - 16 + 1;
    return bits > 32 && sign_bits(LLVMGetOperand(i, 0), 0) >= signs && sign_bits(LLVMGetOperand(i, 1), 0) >= signs;
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
