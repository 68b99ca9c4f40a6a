/* predictive_commoning: an element that a thread loads for its successor is not loaded again by the next thread.
**
** in:  entries of width 1 after bound_from_guard: loops over threads in which no thread depends on another
**      (llvm.loop.parallel_accesses, mark_parallel) and that have inner loops, for instance over the rows of a sparse
**      matrix: for (i = start[row]; i < start[row + 1]; i++)
** out: the load at the index of thread t (start[row]) is a phi: before the loop it is loaded, then it is what thread t
**      - 1 has loaded one element after its own (start[row + 1])
** Requires both loads in the header, so that every thread runs them, the first one before any store of the thread.
** Between the two loads only thread t - 1 could have stored there, to an address that thread t reads: a race, as
** nothing in the loop orders threads: every access in it is marked as parallel, a single one that is not refuses the
** loop.
** Not done in innermost loops, which LLVM's vectorizer takes: two loads are better there than shuffles. */
#include "passes/ir/cfg.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/slice.h"
#include "passes/analysis/accesses.h"
#include "passes/analysis/affine.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/variant.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

typedef struct Commoning {
    Module *m;
    Arena *a;
    LLVMBuilderRef b;
    const Cfg *cfg;
    int loop;
    LLVMBasicBlockRef header, latch, before;
    LLVMValueRef x; /* phi(first, x + 1), nuw */
    unsigned entry; /* its operand from `before` */
} Commoning;

/* ---- the loop ---- */

static bool is_parallel(const Commoning *c) {
    LLVMContextRef ctx = c->m->ctx;
    LLVMValueRef md =
        LLVMGetMetadata(LLVMGetBasicBlockTerminator(c->latch), LLVMGetMDKindIDInContext(ctx, "llvm.loop", 9));
    if (!md) return false;
    LLVMValueRef parts[8];
    unsigned n = LLVMGetMDNodeNumOperands(md);
    if (n > 8) return false;
    LLVMGetMDNodeOperands(md, parts);
    for (unsigned i = 1; i < n; i++) {
        LLVMValueRef key[8];
        unsigned len;
        if (!parts[i] || !LLVMGetMDNodeNumOperands(parts[i]) || LLVMGetMDNodeNumOperands(parts[i]) > 8) continue;
        LLVMGetMDNodeOperands(parts[i], key);
        const char *s = key[0] ? LLVMGetMDString(key[0], &len) : NULL;
        if (s && len == 27 && !memcmp(s, "llvm.loop.parallel_accesses", len)) return true;
    }
    return false;
}

/* It accesses no memory, or only in a way that no other thread depends on. */
static bool is_parallel_access(const Commoning *c, LLVMValueRef i) {
    if (LLVMIsACallInst(i)) {
        LLVMValueRef f = LLVMGetCalledValue(i);
        unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
        LLVMAttributeRef a = LLVMIsAFunction(f)
                                 ? LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind)
                                 : NULL;
        return a && !LLVMGetEnumAttributeValue(a);
    }
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) return LLVMGetMetadata(i, access_group_kind(c->m)) != NULL;
    return !LLVMIsAAtomicRMWInst(i) && !LLVMIsAAtomicCmpXchgInst(i) && !LLVMIsAFenceInst(i) && !LLVMIsAInvokeInst(i);
}

/* The loop has an inner loop, and all its memory accesses are marked. */
static bool is_outer(const Commoning *c) {
    const Loop *loop = &c->cfg->l[c->loop];
    bool inner = false;
    for (int b = loop->first; b <= loop->last; b++) {
        inner |= c->cfg->b[b].loop != c->loop;
        for_each_in_block(i, c->cfg->b[b].bb)
            if (!is_parallel_access(c, i)) return false;
    }
    return inner;
}

static bool find_thread_counter(Commoning *c) {
    for_each_phi(p, c->header) {
        if (LLVMCountIncoming(p) != 2) return false;
        c->entry = LLVMGetIncomingBlock(p, 0) == c->latch;
        LLVMValueRef next = LLVMGetIncomingValue(p, !c->entry);
        if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd || !LLVMGetNUW(next)) continue;
        if (LLVMGetOperand(next, 0) != p || !is_constant(LLVMGetOperand(next, 1), 1)) continue;
        c->x = p;
        c->before = LLVMGetIncomingBlock(p, c->entry);
        return true;
    }
    return false;
}

/* ---- the loads ---- */

static bool is_part_of_subscript(const void *commoning, LLVMValueRef v) {
    const Commoning *c = commoning;
    return v == c->x || !cfg_in_loop(c->cfg, c->loop, v);
}

/* v increases by one from thread to thread, in all its bits: x does not wrap, as a row is below 2^31 threads. */
static bool is_thread_subscript(const Commoning *c, LLVMValueRef v) {
    AffineRules rules = {.flags = AFFINE_TRUST_FLAGS, .is_term = is_part_of_subscript, .context = c};
    Affine a;
    return affine_of(&rules, v, AFFINE_SAME, &a) && affine_take(&a, c->x) == 1;
}

/* The address is that of an element of an array, indexed by the thread. */
static bool is_own_element(const Commoning *c, LLVMValueRef p) {
    return LLVMIsAGetElementPtrInst(p) && LLVMGetNumOperands(p) == 2 &&
           !cfg_in_loop(c->cfg, c->loop, LLVMGetOperand(p, 0)) &&
           LLVMTypeOf(LLVMGetOperand(p, 1)) == LLVMInt64TypeInContext(c->m->ctx) &&
           is_thread_subscript(c, LLVMGetOperand(p, 1));
}

/* p is one element after `own`. */
static bool is_next_element(const Commoning *c, LLVMValueRef p, LLVMValueRef own) {
    if (!LLVMIsAGetElementPtrInst(p) || LLVMGetNumOperands(p) != 2 || LLVMGetOperand(p, 0) != own) return false;
    LLVMValueRef n = LLVMGetOperand(p, 1);
    return LLVMIsAConstantInt(n) &&
           LLVMConstIntGetZExtValue(n) * LLVMABISizeOfType(c->m->dl, LLVMGetGEPSourceElementType(p)) ==
               LLVMABISizeOfType(c->m->dl, LLVMGetGEPSourceElementType(own));
}

/* The load one element after that of `own`, in the header. */
static LLVMValueRef find_next(const Commoning *c, LLVMValueRef own) {
    LLVMValueRef p = LLVMGetOperand(own, 0);
    for_each_in_block(i, c->header)
        if ((LLVMIsALoadInst(i) && is_plain_access(i)) && LLVMTypeOf(i) == LLVMTypeOf(own) &&
            is_next_element(c, LLVMGetOperand(i, 0), p))
            return i;
    return NULL;
}

/* ---- the phi ---- */

/* v as the first thread has it. */
static LLVMValueRef value_of_first(const void *reuse, LLVMValueRef v) {
    const Commoning *c = reuse;
    if (v == c->x) return LLVMGetIncomingValue(c->x, c->entry);
    return cfg_in_loop(c->cfg, c->loop, v) ? NULL : v;
}

/* A separate block on the edge into the loop. */
static void split_entry(Commoning *c) {
    LLVMBasicBlockRef own = LLVMInsertBasicBlockInContext(c->m->ctx, c->header, "carry");
    LLVMValueRef t = LLVMGetBasicBlockTerminator(c->before);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(t); s++)
        if (LLVMGetSuccessor(t, s) == c->header) LLVMSetSuccessor(t, s, own);
    redirect_phis(c->header, c->before, own);
    LLVMPositionBuilderAtEnd(c->b, own);
    LLVMSetCurrentDebugLocation2(c->b, NULL);
    LLVMBuildBr(c->b, c->header);
    c->before = own;
}

static void carry_value(Commoning *c, LLVMValueRef own, LLVMValueRef next) {
    LLVMPositionBuilderBefore(c->b, LLVMGetBasicBlockTerminator(c->before));
    Slice s = {value_of_first, c, 0, NULL, 0, SLICE_KEEP_FLAGS, false};
    PtrMap clones = map_new(c->a);
    LLVMValueRef first = slice_clone(&s, c->b, own, &clones);
    LLVMPositionBuilderBefore(c->b, LLVMGetFirstInstruction(c->header));
    replace_instruction(own, build_phi2(c->b, first, c->before, next, c->latch, "carried"));
}

static bool common_loads(Commoning *c) {
    if (!find_thread_counter(c) || !is_parallel(c) || !is_outer(c)) return false;
    bool any = false;
    for (LLVMValueRef i = first_after_phis(c->header), after; i && !LLVMIsAStoreInst(i); i = after) {
        after = LLVMGetNextInstruction(i);
        LLVMValueRef next = (LLVMIsALoadInst(i) && is_plain_access(i)) && is_own_element(c, LLVMGetOperand(i, 0))
                                ? find_next(c, i)
                                : NULL;
        if (!next) continue;
        if (!any) split_entry(c);
        any = true;
        carry_value(c, i, next);
    }
    return any;
}

bool predictive_commoning(Module *m) {
    if (pass_disabled(m, "predictive_commoning")) return true;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_function(f, m->mod) {
        if (!is_scalar_entry(f)) continue;
        Arena a = {0};
        const Cfg *cfg = cfg_build(&a, f);
        for (int l = 0; l < cfg->nloops; l++) {
            if (cfg->l[l].nlatches != 1) continue;
            Commoning c = {.m = m, .a = &a, .b = b, .cfg = cfg, .loop = l};
            c.header = cfg->b[cfg->l[l].header].bb;
            c.latch = cfg->b[cfg->l[l].latches[0]].bb;
            if (common_loads(&c)) break; /* the CFG has changed; one loop over threads has parallel accesses */
        }
        arena_free(&a);
    }
    LLVMDisposeBuilder(b);
    return true;
}
