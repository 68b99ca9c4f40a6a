/* invariant.c: see invariant.h. */
#include "passes/groups/invariant.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"

enum { DEPTH = 16, MAX_OPERANDS = 4 };

bool invariant_in_loop(const Invariant *p, LLVMValueRef v) {
    return LLVMIsAInstruction(v) && cfg_loop_contains(p->cfg, p->loop, cfg_number(p->cfg, LLVMGetInstructionParent(v)));
}

/* Without effects, and not poison if its operands are not, once its flags are dropped. */
static bool is_simple(LLVMValueRef i) {
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMICmp:
    case LLVMSelect:
    case LLVMGetElementPtr: return LLVMGetNumOperands(i) <= MAX_OPERANDS;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: return LLVMIsAConstantInt(LLVMGetOperand(i, 1));
    default: return false;
    }
}

/* In the header, where it always runs: memory that the kernel cannot write (mark_parallel). */
static bool is_invariant_load(const Invariant *p, LLVMValueRef i) {
    LLVMBasicBlockRef header = p->cfg->b[p->cfg->l[p->loop].header].bb;
    return LLVMIsALoadInst(i) && LLVMGetInstructionParent(i) == header && !LLVMGetVolatile(i) &&
           LLVMGetMetadata(i, LLVMGetMDKindIDInContext(p->m->ctx, "invariant.load", 14));
}

static bool is_fixed(const Invariant *p, LLVMValueRef v, int depth) {
    if (!invariant_in_loop(p, v)) return true;
    if (depth > DEPTH || !(is_simple(v) || is_invariant_load(p, v))) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_fixed(p, LLVMGetOperand(v, (unsigned)k), depth + 1)) return false;
    return true;
}

bool invariant_is(const Invariant *p, LLVMValueRef v) { return is_fixed(p, v, 0); }

LLVMValueRef invariant_hoist(Invariant *p, LLVMValueRef v) {
    if (!invariant_in_loop(p, v)) return v;
    LLVMValueRef c = map_ptr(&p->hoisted, v), ops[MAX_OPERANDS];
    if (c) return c;
    int n = LLVMGetNumOperands(v);
    for (int k = 0; k < n; k++) ops[k] = invariant_hoist(p, LLVMGetOperand(v, (unsigned)k));
    c = clone_at(p->b, v);
    shim_drop_flags(c);
    for (int k = 0; k < n; k++) LLVMSetOperand(c, (unsigned)k, ops[k]);
    map_put(&p->hoisted, v, (uintptr_t)c);
    return c;
}
