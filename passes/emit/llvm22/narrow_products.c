/* narrow_products: products wider than 32 bits of 16-bit integers are computed in 32 bits, where they fit.
**
**   mul <8 x i64> x, y       sext (mul nsw <8 x i32> (trunc x), (trunc y))
**                            if the upper 49 bits of x, and of y, are equal
**   mul <8 x i128> x, y      zext (mul <8 x i64> (trunc x), (trunc y))
**                            first, if only the lower 64 bits are used: code generation finds that too
**
** requires: optimise, which makes vectors of scalars and widens products again
** preserves: values; vectors only: scalars have no such instructions
** refuses: nothing
** Not for speed, though it is faster: LLVM 22 makes 16-bit multiplications of such a product that is shifted, and loses
** the sign (lshr by 16: the upper bits are 0; trunc to i16 of a shift by 17 or more: a logical shift of the upper word;
** llvm-project 218844 is the second). */
#include "passes/emit/llvm22/workarounds.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

static unsigned bits_of(LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetIntTypeWidth(element_type(t));
}

static unsigned less(unsigned a, unsigned b) { return a < b ? a : b; }

/* Upper bits that are equal. Operation by operation, as LLVM's analysis of IR does not look through a splat in the
** middle of an expression; that of the code generator, which it has to keep up with, does. */
static unsigned sign_bits(LLVMValueRef v, int depth) {
    unsigned known = shim_sign_bits(v), bits = bits_of(v), a, b;
    if (!LLVMIsAInstruction(v) || depth > 6) return known;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op != LLVMMul && op != LLVMSExt && op != LLVMTrunc && op != LLVMAdd && op != LLVMSub && op != LLVMSelect &&
        op != LLVMFreeze)
        return known;
    LLVMValueRef x = LLVMGetOperand(v, op == LLVMSelect ? 1 : 0),
                 y = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, op == LLVMSelect ? 2 : 1) : x;
    a = sign_bits(x, depth + 1);
    b = y == x ? a : sign_bits(y, depth + 1);
    unsigned found = less(a, b);
    if (op == LLVMMul) found = 2 * bits - a - b + 2 > bits ? 1 : a + b - bits - 1;
    if (op == LLVMSExt) found = a + bits - bits_of(x);
    if (op == LLVMTrunc) found = a > bits_of(x) - bits ? a - (bits_of(x) - bits) : 1;
    if (op == LLVMAdd || op == LLVMSub) found = found > 1 ? found - 1 : 1;
    return found > known ? found : known;
}

/* The maximum over all lanes; 64: not known. */
static unsigned constant_shift(LLVMValueRef by) {
    unsigned maximum = 0;
    for (unsigned k = 0; LLVMIsConstant(by) && k < lanes_of(LLVMTypeOf(by)); k++) {
        LLVMValueRef c = LLVMGetAggregateElement(by, k);
        if (!c || !LLVMIsAConstantInt(c) || LLVMConstIntGetZExtValue(c) > 63) return 64;
        if (LLVMConstIntGetZExtValue(c) > maximum) maximum = (unsigned)LLVMConstIntGetZExtValue(c);
    }
    return LLVMIsConstant(by) ? maximum : 64;
}

/* Only the lower 64 bits, whole or shifted by constants, are used. */
static bool uses_lower_half(LLVMValueRef v, unsigned shift) {
    for_each_user(i, v) {
        if (LLVMIsATruncInst(i) && shift + bits_of(i) <= 64) continue;
        bool shifts = !shift && opcode(i) == LLVMLShr && LLVMGetOperand(i, 0) == v;
        if (!shifts || !uses_lower_half(i, constant_shift(LLVMGetOperand(i, 1)))) return false;
    }
    return true;
}

static bool is_low_product(LLVMValueRef i) {
    LLVMTypeRef t = LLVMTypeOf(i);
    return LLVMGetInstructionOpcode(i) == LLVMMul && LLVMGetTypeKind(t) == LLVMVectorTypeKind && bits_of(i) > 64 &&
           uses_lower_half(i, 0);
}

static bool is_wide_product(LLVMValueRef i) {
    LLVMTypeRef t = LLVMTypeOf(i);
    if (LLVMGetInstructionOpcode(i) != LLVMMul || LLVMGetTypeKind(t) != LLVMVectorTypeKind) return false;
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(t)), signs = bits - 16 + 1;
    return bits > 32 && sign_bits(LLVMGetOperand(i, 0), 0) >= signs && sign_bits(LLVMGetOperand(i, 1), 0) >= signs;
}

static LLVMValueRef low_part(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef part) {
    bool extended = LLVMIsASExtInst(v) || LLVMIsAZExtInst(v);
    LLVMValueRef from = extended ? LLVMGetOperand(v, 0) : v;
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(part));
    if (bits_of(from) == bits) return from;
    return bits_of(from) > bits ? LLVMBuildTrunc(b, from, part, "")
                                : LLVMBuildCast(b, LLVMGetInstructionOpcode(v), from, part, "");
}

static void narrow_to(LLVMBuilderRef b, LLVMValueRef i, unsigned bits) {
    LLVMTypeRef t = LLVMTypeOf(i),
                part = LLVMVectorType(LLVMIntTypeInContext(LLVMGetTypeContext(t), bits), lanes_of(t));
    set_insert_point(b, i);
    LLVMValueRef product =
        LLVMBuildMul(b, low_part(b, LLVMGetOperand(i, 0), part), low_part(b, LLVMGetOperand(i, 1), part), "product");
    if (bits == 32) LLVMSetNSW(product, 1);
    replace_instruction(i, bits == 32 ? LLVMBuildSExt(b, product, t, "") : LLVMBuildZExt(b, product, t, ""));
}

static void narrow(LLVMBuilderRef b, LLVMValueRef i) { narrow_to(b, i, 32); }
static void narrow_low(LLVMBuilderRef b, LLVMValueRef i) { narrow_to(b, i, 64); }

bool narrow_products(Module *m) {
    if (!workaround_is_on(WORKAROUND_narrow_products)) return true;
    change_instructions(m->mod, is_low_product, narrow_low);
    change_instructions(m->mod, is_wide_product, narrow);
    return true;
}
