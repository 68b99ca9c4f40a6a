/* counters: see counters.h.
**
** All addresses of the kernel must come from parameters, variables, shared or local memory: one that was loaded, or
** converted from an integer, may alias the counters without being known. */
#include "passes/analysis/counters.h"
#include "passes/ir/edit.h"

enum { MAX_PARAMS = 32, DEPTH = 16 };

/* ---- the rest of the kernel ---- */

static bool is_known_base(LLVMValueRef p, int depth) {
    if (depth > DEPTH) return false;
    if (LLVMIsAArgument(p) || LLVMIsAAllocaInst(p) || LLVMIsAGlobalVariable(p) || LLVMIsAUndefValue(p)) return true;
    if (LLVMIsAConstantExpr(p))
        return LLVMGetConstOpcode(p) != LLVMIntToPtr && is_known_base(LLVMGetOperand(p, 0), depth + 1);
    if (name_of_call(p) == NAME_SHARED) return true;
    if (LLVMIsAGetElementPtrInst(p) || LLVMIsAAddrSpaceCastInst(p) || LLVMIsABitCastInst(p))
        return is_known_base(LLVMGetOperand(p, 0), depth + 1);
    if (LLVMIsASelectInst(p))
        return is_known_base(LLVMGetOperand(p, 1), depth + 1) && is_known_base(LLVMGetOperand(p, 2), depth + 1);
    bool known = LLVMIsAPHINode(p) != NULL;
    for (unsigned k = 0; known && k < LLVMCountIncoming(p); k++)
        known = LLVMGetIncomingValue(p, k) == p || is_known_base(LLVMGetIncomingValue(p, k), depth + 4);
    return known;
}

/* A call that accesses no memory, or a barrier of the block. */
static bool is_harmless(LLVMValueRef call) {
    Name n = name_of_call(call);
    if (n != NAME_NONE) return n == NAME_BARRIER || (n >= NAME_TID_X && n <= NAME_DYN_SIZE && n != NAME_CLUSTER_BASE);
    return is_pure_intrinsic(call) || is_lifetime(call);
}

static bool is_ordered(LLVMValueRef i) { return LLVMGetOrdering(i) > LLVMAtomicOrderingMonotonic; }

static bool allows_counters(LLVMValueRef i) {
    if (LLVMIsAFenceInst(i)) return false;
    if (LLVMIsALoadInst(i)) return !LLVMGetVolatile(i) && !is_ordered(i) && is_known_base(LLVMGetOperand(i, 0), 0);
    if (LLVMIsAStoreInst(i)) return !LLVMGetVolatile(i) && !is_ordered(i) && is_known_base(LLVMGetOperand(i, 1), 0);
    if (LLVMIsAAtomicRMWInst(i)) return !LLVMGetVolatile(i) && !is_ordered(i) && is_known_base(LLVMGetOperand(i, 0), 0);
    if (LLVMIsAAtomicCmpXchgInst(i)) return false;
    return !LLVMIsACallInst(i) || is_harmless(i);
}

/* ---- a parameter ---- */

static bool is_counting_atomic(LLVMValueRef i, LLVMValueRef p) {
    if (!LLVMIsAAtomicRMWInst(i) || LLVMGetOperand(i, 0) != p || LLVMGetOperand(i, 1) == p || LLVMGetFirstUse(i))
        return false;
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(i);
    LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(i, 1));
    if ((op != LLVMAtomicRMWBinOpAdd && op != LLVMAtomicRMWBinOpSub) || LLVMGetTypeKind(t) != LLVMIntegerTypeKind)
        return false;
    return LLVMGetIntTypeWidth(t) == 32 || LLVMGetIntTypeWidth(t) == 64;
}

static bool is_step(LLVMValueRef i) {
    return LLVMIsAGetElementPtrInst(i) || LLVMIsAAddrSpaceCastInst(i) ||
           (LLVMIsAPHINode(i) && LLVMCountIncoming(i) == 1);
}

/* Adds the atomics at p; *bits: of their elements, 0 = none yet. */
static bool follow_pointer(Arena *a, Counters *c, LLVMValueRef p, unsigned *bits) {
    for_each_user(i, p) {
        if (!LLVMIsAInstruction(i)) return false;
        if (is_step(i)) {
            if (LLVMGetOperand(i, 0) != p || !follow_pointer(a, c, i, bits)) return false;
            continue;
        }
        if (!is_counting_atomic(i, p)) return false;
        unsigned n = LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(i, 1)));
        if (*bits && *bits != n) return false;
        *bits = n;
        vec_push(a, &c->atomics, i);
    }
    return true;
}

static bool is_pointer_param(LLVMValueRef kernel, unsigned k) {
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    return LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(kernel, k))) == LLVMPointerTypeKind &&
           !LLVMGetEnumAttributeAtIndex(kernel, k + 1, byval);
}

Counters counters_of(Arena *a, LLVMValueRef kernel) {
    Counters c = {0};
    unsigned n = launch_parameters(kernel);
    for (unsigned k = 0; k < n && k < MAX_PARAMS; k++) {
        unsigned bits = 0;
        int before = c.atomics.n;
        if (!is_pointer_param(kernel, k) || !follow_pointer(a, &c, LLVMGetParam(kernel, k), &bits) || !bits) {
            c.atomics.n = before;
            continue;
        }
        c.params |= 1u << k;
        if (bits == 64) c.wide |= 1u << k;
    }
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b && c.params; b = LLVMGetNextBasicBlock(b))
        for_each_in_block(i, b)
            if (!allows_counters(i)) return (Counters){0};
    return c;
}
