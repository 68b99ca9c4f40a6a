/* divisions: see divisions.h. */
#include "passes/ir/divisions.h"
#include "passes/ir/value.h"
#include <stdbool.h>
#include <string.h>

static LLVMValueRef thawed(LLVMValueRef v) {
    while (LLVMIsAFreezeInst(v)) v = LLVMGetOperand(v, 0);
    return v;
}

/* v is d, or what d was extended from: `minus` if v = -1 implies d = -1. */
static bool is_divisor(LLVMValueRef v, LLVMValueRef d, bool minus) {
    if (divisor_of(v) == d) return true;
    if (!LLVMIsASExtInst(d) && (minus || !LLVMIsAZExtInst(d))) return false;
    return divisor_of(v) == divisor_of(LLVMGetOperand(d, 0));
}

/* Holds only where the divisor d is 0 or -1. */
static bool is_special(LLVMValueRef c, LLVMValueRef d) {
    if (opcode(c) == LLVMAnd) return is_special(LLVMGetOperand(c, 0), d) || is_special(LLVMGetOperand(c, 1), d);
    if (opcode(c) == LLVMOr) return is_special(LLVMGetOperand(c, 0), d) && is_special(LLVMGetOperand(c, 1), d);
    if (!LLVMIsAICmpInst(c) || LLVMGetICmpPredicate(c) != LLVMIntEQ || !LLVMIsAConstantInt(LLVMGetOperand(c, 1)))
        return false;
    int64_t n = LLVMConstIntGetSExtValue(LLVMGetOperand(c, 1));
    return (n == 0 || n == -1) && is_divisor(LLVMGetOperand(c, 0), d, n == -1);
}

LLVMValueRef divisor_of(LLVMValueRef v) {
    static const char max[] = "llvm.umax.";
    for (;;) {
        v = thawed(v);
        LLVMValueRef f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL, d;
        if (f && LLVMIsAFunction(f) && !strncmp(value_name(f), max, sizeof max - 1) &&
            is_constant(LLVMGetOperand(v, 1), 1)) {
            v = LLVMGetOperand(v, 0);
            continue;
        }
        if (!LLVMIsASelectInst(v) || !is_constant(LLVMGetOperand(v, 1), 1)) return v;
        d = divisor_of(LLVMGetOperand(v, 2));
        return is_special(LLVMGetOperand(v, 0), d) ? d : v;
    }
}

LLVMValueRef dividend_of(LLVMValueRef i) { return thawed(LLVMGetOperand(i, 0)); }
