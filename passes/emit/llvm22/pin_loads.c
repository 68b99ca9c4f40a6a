/* pin_loads: a conditional load stays before later writes.
**
**   if (c) { t = a[i]; a[i] = x; }   b[i] = t;
**
** in, out: linear code (width 1: normal form)
** Why: as vectors this is a masked load, a masked store, and a select by the same mask. LLVM 22's InstCombine combines
** the select and the load into one masked load at the position of the select: after the store, whose value it reads
** then. Plain clang does so too, after its loop vectorizer.
** How: a freeze between the load and its uses, which InstCombine does not look through and which is no instruction.
** Which: loads in blocks that not every thread or lane runs, if something is written between the load and the last
** position of a select of what is computed from it. A freeze has a cost: LLVM's vectorizers and widen_packed.c match
** less. */
#include "passes/analysis/accesses.h"
#include "passes/emit/llvm22/workarounds.h"
#include "passes/ir/edit.h"
#include "passes/passes.h"

enum { MANY = 64 };

typedef struct Pin {
    const Cfg *c;
    LLVMValueRef load;
    int block; /* of the load */
} Pin;

static bool writes_between(LLVMValueRef from, LLVMValueRef to) {
    for (; from && from != to; from = LLVMGetNextInstruction(from))
        if (stands_between(from, false)) return true;
    return false;
}

/* Something is written between the load and `user`. */
static bool is_written_before(const Pin *p, LLVMValueRef user) {
    int b = cfg_block_of(p->c, user);
    if (b < 0 || b < p->block) return true;
    if (b == p->block) return writes_between(LLVMGetNextInstruction(p->load), user);
    if (writes_between(LLVMGetNextInstruction(p->load), NULL) ||
        writes_between(LLVMGetFirstInstruction(p->c->b[b].bb), user))
        return true;
    for (int k = p->block + 1; k < b; k++)
        if (writes_between(LLVMGetFirstInstruction(p->c->b[k].bb), NULL)) return true;
    return false;
}

/* Widening turns it into a select: of values that merge, of operands of an atomic or a call in inactive lanes, of
** values kept in a window of shared memory. */
static bool is_selected(LLVMValueRef user) {
    if (LLVMIsAPHINode(user) || LLVMIsASelectInst(user) || LLVMIsAAtomicRMWInst(user) || LLVMIsAAtomicCmpXchgInst(user))
        return true;
    if (LLVMIsACallInst(user)) return !is_pure_intrinsic(user);
    if (!LLVMIsAStoreInst(user)) return false;
    LLVMValueRef p = LLVMGetOperand(user, 1);
    while (LLVMIsAGetElementPtrInst(p) || LLVMIsAAddrSpaceCastInst(p)) p = LLVMGetOperand(p, 0);
    return !LLVMIsAArgument(p) && !LLVMIsAAllocaInst(p);
}

static bool is_end(LLVMValueRef user) {
    return LLVMIsAPHINode(user) || LLVMIsALoadInst(user) || LLVMIsAStoreInst(user) || LLVMIsATerminatorInst(user) ||
           (LLVMIsACallInst(user) && !is_pure_intrinsic(user));
}

static bool is_among(const LLVMValueRef *values, int n, LLVMValueRef v) {
    for (int i = 0; i < n; i++)
        if (values[i] == v) return true;
    return false;
}

static bool may_sink(const Pin *p) {
    LLVMValueRef computed[MANY] = {p->load};
    for (int i = 0, n = 1; i < n; i++)
        for_each_user(user, computed[i]) {
            if (is_selected(user) && is_written_before(p, user)) return true;
            if (is_end(user) || is_among(computed, n, user)) continue;
            if (n == MANY) return true;
            computed[n++] = user;
        }
    return false;
}

/* Some lanes are inactive in the block; at width 1, where LLVM makes masks, it does not run in each iteration of the
** loop around it. */
static bool is_conditional(const Kernel *k, const Cfg *c, int b) {
    if (k->width > 1 && k->layout != LAYOUT_ROWS_FULL) return true; /* lanes beyond the end of a row */
    for_each_in_block(i, c->b[b].bb)
        if (name_of_call(i) == NAME_MASK) return true;
    if (k->width > 1) return false;
    int l = c->b[b].loop;
    if (l < 0) return !cfg_postdominates(c, b, 0);
    for (int e = 0; e < c->l[l].nlatches; e++)
        if (!cfg_dominates(c, b, c->l[l].latches[e])) return true;
    return false;
}

Nyi pin_loads(Kernel *k) {
    bool vectors = k->m->opt->opt_level > 0 || k->width > 1;
    if (!vectors || !workaround_is_on(WORKAROUND_pin_loads)) {
        keep_facts(k);
        return NYI_NONE;
    }
    const Cfg *c = kernel_cfg(k);
    Vec(LLVMValueRef) found = {0};
    for (int b = 0; b < c->n; b++) {
        if (!is_conditional(k, c, b)) continue;
        for_each_in_block(i, c->b[b].bb) {
            Pin p = {c, i, b};
            if (LLVMIsALoadInst(i) && is_plain_access(i) && may_sink(&p)) vec_push(k->arena, &found, i);
        }
    }
    LLVMBuilderRef b = LLVMCreateBuilderInContext(k->m->ctx);
    for (int i = 0; i < found.n; i++) {
        LLVMValueRef v = found.v[i];
        LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(v));
        LLVMValueRef pinned = LLVMBuildFreeze(b, v, "pinned");
        LLVMReplaceAllUsesWith(v, pinned);
        LLVMSetOperand(pinned, 0, v);
    }
    LLVMDisposeBuilder(b);
    if (found.n) drop_facts(k);
    else keep_facts(k);
    return NYI_NONE;
}
