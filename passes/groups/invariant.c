/* invariant.c: see invariant.h. */
#include "passes/groups/invariant.h"
#include "passes/ir/slice.h"

enum { DEPTH = 16 };

/* In the header, where it always runs: memory that the kernel cannot write (mark_parallel). */
static bool is_invariant_load(const void *invariant, LLVMValueRef i) {
    const Invariant *p = invariant;
    LLVMBasicBlockRef header = p->cfg->b[p->cfg->l[p->loop].header].bb;
    return LLVMIsALoadInst(i) && LLVMGetInstructionParent(i) == header && !LLVMGetVolatile(i) &&
           LLVMGetMetadata(i, LLVMGetMDKindIDInContext(p->m->ctx, "invariant.load", 14));
}

static LLVMValueRef value_outside(const void *invariant, LLVMValueRef v) {
    const Invariant *p = invariant;
    return cfg_in_loop(p->cfg, p->loop, v) ? NULL : v;
}

/* Without effects, and never poison where its operands are not, as its flags are dropped. */
static Slice invariant_slice(const Invariant *p) {
    return (Slice){value_outside,
                   p,
                   OP_ADD | OP_MUL | OP_SHIFT | OP_BITWISE | OP_INT_CAST | OP_ICMP | OP_SELECT | OP_GEP,
                   is_invariant_load,
                   DEPTH,
                   SLICE_DROP_FLAGS,
                   false};
}

bool invariant_is(const Invariant *p, LLVMValueRef v) {
    Slice s = invariant_slice(p);
    return slice_can_clone(&s, v);
}

LLVMValueRef invariant_hoist(Invariant *p, LLVMValueRef v) {
    Slice s = invariant_slice(p);
    return slice_clone(&s, p->b, v, &p->hoisted);
}
