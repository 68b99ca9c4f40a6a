/* duplicate_exit_tails: an exit block that lanes reach around a barrier and after it is duplicated for each path.
**
**   if (a) goto X; ... barrier; ... X: *p = phi ...; ret
**       becomes   if (a) { *p = ...; ret } ... barrier; ... *p = ...; ret
**
** LLVM merges the common code of several exits. linearise would run it after the barrier for all, too late for the
** lanes that bypass it (analysis/late_exits), and has to refuse. The copy for such lanes has one predecessor, and comes
** before the barrier.
** Copied: small ends of kernels, without barriers and other convergent operations, outside of loops. At width 1 there
** is nothing to do: each thread takes its own path. */
#include "passes/analysis/cost.h"
#include "passes/analysis/late_exits.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/clone_blocks.h"
#include "passes/analysis/range_guards.h"
#include "passes/ir/slice.h"

enum { MAX_ITERATIONS = 8 };

/* What `first` dominates may be duplicated for all edges to it but one. */
static bool find_tail(const Cfg *c, int first, bool *has) {
    int size = 0;
    if (c->b[first].loop >= 0) return false;
    for (int b = first; b < c->n; b++) {
        has[b] = b == first || (c->b[b].idom >= first && has[c->b[b].idom]);
        if (!has[b]) continue;
        for_each_in_block(i, c->b[b].bb)
            if (!may_duplicate(i) || ++size * (c->b[first].npred - 1) > GROWTH_EXIT_TAILS) return false;
    }
    return c->b[first].npred > 1;
}

/* The block has one predecessor, or no longer that one. */
static void keep_incoming(LLVMBasicBlockRef bb, LLVMBasicBlockRef from, bool keep) {
    for (LLVMValueRef next, p = LLVMGetFirstInstruction(bb); p && LLVMIsAPHINode(p); p = next) {
        next = LLVMGetNextInstruction(p);
        for (unsigned i = LLVMCountIncoming(p); i--;) {
            LLVMBasicBlockRef in = LLVMGetIncomingBlock(p, i);
            if ((in == from) != keep) shim_remove_phi_incoming(p, in);
        }
    }
}

static void lead_to(LLVMBasicBlockRef from, LLVMBasicBlockRef old, LLVMBasicBlockRef copy) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(from);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(t); k++)
        if (LLVMGetSuccessor(t, k) == old) LLVMSetSuccessor(t, k, copy);
}

static void copy_end(Kernel *k, const Cfg *c, int first, const bool *has) {
    LLVMBasicBlockRef bb = c->b[first].bb;
    for (int p = 1; p < c->b[first].npred; p++) {
        PtrMap map = map_new(k->arena);
        LLVMBasicBlockRef from = c->b[c->b[first].pred[p]].bb,
                          copy = clone_blocks(k->arena, c, has, first, "exit", &map)[first];
        lead_to(from, bb, copy);
        keep_incoming(copy, from, true);
        keep_incoming(bb, from, false);
    }
}

Nyi duplicate_exit_tails(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || pass_disabled(k->m, "duplicate_exit_tails")) return NYI_NONE;
    for (int n = 0; n < MAX_ITERATIONS; n++) {
        const Cfg *c = kernel_cfg(k);
        if (!c->reducible || !cfg_has_cut(c, -1)) return NYI_NONE;
        int first = find_late_exit(k->arena, c, kernel_shapes(k));
        bool *has = arena_array(k->arena, bool, c->n);
        if (first < 0 || !find_tail(c, first, has)) return NYI_NONE;
        copy_end(k, c, first, has);
        run_llvm_passes_on(k->m, k->fn, "mergereturn,loop-simplify,invalidate<all>,break-crit-edges,lcssa");
        drop_facts(k);
    }
    return NYI_NONE;
}
