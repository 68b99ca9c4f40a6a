/* range_guards: see range_guards.h. */
#include "passes/analysis/range_guards.h"
#include "passes/ir/edit.h"

enum { DEPTH = 2 * MAX_ELEMENTS }; /* the tests of all elements of a thread may be joined to one */

/* v is computed from the index of the block. */
static bool is_index_in_grid(LLVMValueRef v, int depth) {
    if (!LLVMIsAInstruction(v) || depth > 8) return false;
    Name n = name_of_call(v);
    if ((n >= NAME_CTAID_X && n <= NAME_CTAID_Z) || n == NAME_GLOBAL_X) return true;
    if (LLVMIsALoadInst(v) || (LLVMIsACallInst(v) && !is_pure_intrinsic(v))) return false;
    bool phi = LLVMIsAPHINode(v) != NULL;
    for (unsigned i = 0, e = phi ? LLVMCountIncoming(v) : (unsigned)LLVMGetNumOperands(v); i < e; i++)
        if (is_index_in_grid(phi ? LLVMGetIncomingValue(v, i) : LLVMGetOperand(v, i), depth + 1)) return true;
    return false;
}

static bool test(const Shapes *s, LLVMValueRef v, bool want, int depth) {
    if (shapes_is_uniform(s, v)) return true;
    if (!LLVMIsAInstruction(v) || depth > DEPTH) return false;
    LLVMValueRef o[3] = {0};
    for (int i = 0; i < LLVMGetNumOperands(v) && i < 3; i++) o[i] = LLVMGetOperand(v, (unsigned)i);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMICmp:
        if (LLVMGetICmpPredicate(v) == (want ? LLVMIntEQ : LLVMIntNE)) return false; /* true in one lane at most */
        return shapes_is_affine(s, o[0]) && shapes_is_affine(s, o[1]) &&
               (is_index_in_grid(o[0], 0) || is_index_in_grid(o[1], 0));
    case LLVMXor: return is_constant(o[1], 1) && test(s, o[0], !want, depth + 1);
    case LLVMAnd:
    case LLVMOr:
        if ((LLVMGetInstructionOpcode(v) == LLVMAnd) != want) return false;
        return test(s, o[0], want, depth + 1) && test(s, o[1], want, depth + 1);
    case LLVMSelect: /* a && b, a || b */
        if (want ? !LLVMIsNull(o[2]) : !is_constant(o[1], 1)) return false;
        return test(s, o[0], want, depth + 1) && test(s, o[want ? 1 : 2], want, depth + 1);
    default: return false;
    }
}

bool is_range_test(const Shapes *s, LLVMValueRef v, bool want) { return test(s, v, want, 0); }

bool is_upper_end(LLVMValueRef bound, int64_t highest, int64_t span) {
    enum { FAR = 2 }; /* beside the first: neighbours are tested at smaller distances */
    if (!LLVMIsAConstantInt(bound) || int_bits(bound) > 64) return !LLVMIsAConstantInt(bound);
    int64_t c = LLVMConstIntGetSExtValue(bound);
    return c > highest && (uint64_t)c - (uint64_t)highest > FAR * (uint64_t)span;
}

bool is_near_access(const Kernel *k, const Shapes *s, LLVMValueRef i) {
    bool store = LLVMIsAStoreInst(i) != NULL;
    int64_t stride;
    if (!store && !LLVMIsALoadInst(i)) return false;
    int64_t size = (int64_t)LLVMStoreSizeOfType(k->m->dl, LLVMTypeOf(store ? LLVMGetOperand(i, 0) : i));
    return shapes_lane_stride(s, LLVMGetOperand(i, store ? 1 : 0), &stride) && stride > size &&
           stride <= MAX_ELEMENTS * size;
}

int masked_cost(const Kernel *k, const Shapes *s, LLVMValueRef i) {
    int64_t stride;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
    case LLVMStore: {
        LLVMValueRef p = LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0);
        if (shapes_is_uniform(s, p) || !shapes_lane_stride(s, p, &stride)) return 1;
        LLVMTypeRef t = LLVMIsAStoreInst(i) ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
        int64_t size = (int64_t)LLVMStoreSizeOfType(k->m->dl, t);
        if (stride == -size) return 4; /* the mask would be reversed too */
        return LLVMIsALoadInst(i) && stride > size && stride <= MAX_ELEMENTS * size ? 8 : 1;
    }
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return 8;
    case LLVMCall: return LLVMIsAMemCpyInst(i) ? 8 : 0; /* lane by lane, or a mask for each part of a structure */
    default: return 0;
    }
}

bool is_masked_original(const Cfg *c, int b) {
    for (; b > 0; b = c->b[b].idom) {
        const Block *up = &c->b[c->b[b].idom];
        if (up->nsucc == 2 && up->succ[1] == b &&
            name_of_call(LLVMGetCondition(LLVMGetBasicBlockTerminator(up->bb))) == NAME_ALL)
            return true;
    }
    return false;
}
