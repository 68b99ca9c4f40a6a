/* single_lane.c: see single_lane.h. */
#include "passes/analysis/single_lane.h"
#include "passes/ir/value.h"

enum { DEPTH = 8, MAX_STRIDE = 256, MIN_BITS = 16 /* so that the lanes of a group do not wrap */ };

static bool differs_in_lanes(const Shapes *s, LLVMValueRef v) {
    int64_t stride;
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || int_bits(v) < MIN_BITS) return false;
    return shapes_lane_stride(s, v, &stride) && stride && stride > -MAX_STRIDE && stride < MAX_STRIDE;
}

/* v, or a part of it where it is a union, is 0 and differs in every lane. */
static bool find_zero(const Shapes *s, LLVMValueRef c, LLVMValueRef *v, int depth) {
    *v = c;
    if (differs_in_lanes(s, c)) return true;
    if (!LLVMIsAInstruction(c) || LLVMGetInstructionOpcode(c) != LLVMOr || depth > DEPTH) return false;
    return find_zero(s, LLVMGetOperand(c, 0), v, depth + 1) || find_zero(s, LLVMGetOperand(c, 1), v, depth + 1);
}

static bool find_equality(const Shapes *s, LLVMValueRef c, LLVMValueRef *v, LLVMValueRef *u, int depth) {
    if (LLVMIsAICmpInst(c) && LLVMGetICmpPredicate(c) == LLVMIntEQ)
        for (unsigned i = 0; i < 2; i++) {
            *v = LLVMGetOperand(c, i);
            *u = LLVMGetOperand(c, 1 - i);
            if (differs_in_lanes(s, *v) && shapes_is_uniform(s, *u)) return true;
            if (is_constant(*u, 0) && find_zero(s, *v, v, 0)) return true;
        }
    if (!LLVMIsAInstruction(c) || depth > DEPTH) return false;
    bool both = LLVMGetInstructionOpcode(c) == LLVMAnd;
    both |= LLVMIsASelectInst(c) && LLVMIsAConstantInt(LLVMGetOperand(c, 2)) && LLVMIsNull(LLVMGetOperand(c, 2));
    return both && (find_equality(s, LLVMGetOperand(c, 0), v, u, depth + 1) ||
                    find_equality(s, LLVMGetOperand(c, 1), v, u, depth + 1));
}

bool single_lane(const Shapes *s, LLVMValueRef condition, LLVMValueRef *v, LLVMValueRef *u) {
    return find_equality(s, condition, v, u, 0);
}
