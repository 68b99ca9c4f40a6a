/* unrotate_loops: prepares kernels for distribute_iterations and interchange_grid_stride, which match loops of the
** source. Loops that are tested before and at their end get the test back at the top, ids are computed at the start,
** and jumps by a number of where they go to (which clang stores where a scope ends) go there.
**
**   if (a < n) {                                for (i = a; i < n; i = next) body
**       do { body; i = next } while (i < n);
**   }
**
** PTX by nvcc has what LLVM's loop-rotate makes of the loop on the right; some programs are written so.
**
** in:  loop-simplify, LCSSA; fires on loops that are left only at their end, where the test before them is the one at
**      the end with the initial values, and nothing between that test and the loop is unsafe to speculate
** out: the loop on the right. normalise_cfg rotates it again, like every other loop. */
#include "passes/passes.h"
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/ir/edit_cfg.h"
#include <llvm-c/DebugInfo.h>

typedef struct Unrotate {
    Module *m;
    LLVMBuilderRef b;
    const Cfg *c;
    LLVMBasicBlockRef guard, before, header, latch, exit, after,
        top; /* guard -> before -> header ... latch -> exit -> after; guard -> after */
    LLVMIntPredicate goes_on;
    /* `counter goes_on limit`: a phi of the header, and a value that is invariant in the loop */
    LLVMValueRef counter, limit;
} Unrotate;

/* ---- the shape of the loop ---- */

/* The block ends in a branch on a comparison: the predicate for which it goes to `to`, and its other successor. */
static LLVMValueRef compares(LLVMBasicBlockRef block, LLVMBasicBlockRef to, LLVMIntPredicate *p,
                             LLVMBasicBlockRef *other) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(block), c;
    if (!LLVMIsABranchInst(t) || !LLVMIsConditional(t) || !LLVMIsAICmpInst(c = LLVMGetCondition(t))) return NULL;
    bool first = LLVMGetSuccessor(t, 0) == to;
    if (LLVMGetSuccessor(t, 0) == LLVMGetSuccessor(t, 1) || (!first && LLVMGetSuccessor(t, 1) != to)) return NULL;
    *other = LLVMGetSuccessor(t, first);
    *p = first ? LLVMGetICmpPredicate(c) : inverse_predicate(LLVMGetICmpPredicate(c));
    return c;
}

static bool find_rotated_blocks(Unrotate *u, int loop) {
    const Cfg *c = u->c;
    const Loop *l = &c->l[loop];
    const Block *h = &c->b[l->header];
    if (l->nlatches != 1 || h->npred != 2) return false;
    int before = h->pred[h->pred[0] == l->latches[0]];
    u->header = h->bb;
    u->latch = c->b[l->latches[0]].bb;
    u->before = c->b[before].bb;
    if (single_successor(u->before) != u->header || c->b[before].npred != 1) return false;
    u->guard = c->b[c->b[before].pred[0]].bb;
    for (int b = l->first; b <= l->last; b++)
        for (int k = 0; k < c->b[b].nsucc; k++)
            if (b != l->latches[0] && !cfg_loop_contains(c, loop, c->b[b].succ[k])) return false;
    return true;
}

/* Of the test at the end: the phi whose next value it tests. */
static bool find_tested_counter(Unrotate *u, LLVMValueRef c, int loop) {
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef next = LLVMGetOperand(c, k), n = LLVMGetOperand(c, !k);
        if (cfg_in_loop(u->c, loop, n)) continue;
        for_each_phi(p, u->header) {
            if (value_from(p, u->latch) != next) continue;
            u->counter = p;
            u->limit = n;
            if (k) u->goes_on = swapped_predicate(u->goes_on);
            return true;
        }
    }
    return false;
}

static bool same_test(const Unrotate *u, LLVMValueRef c, LLVMIntPredicate p) {
    LLVMValueRef start = value_from(u->counter, u->before), a = LLVMGetOperand(c, 0), b = LLVMGetOperand(c, 1);
    return (a == start && b == u->limit && p == u->goes_on) ||
           (b == start && a == u->limit && swapped_predicate(p) == u->goes_on);
}

static bool may_be_idle(LLVMValueRef i) {
    if (LLVMIsATerminatorInst(i) || LLVMIsAPHINode(i)) return true;
    if (LLVMIsACallInst(i)) {
        Name n = name_of_call(i);
        return is_pure_intrinsic(i) || (n >= NAME_TID_X && n <= NAME_NCTAID_Z);
    }
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    return LLVMIsABinaryOperator(i) ? op != LLVMUDiv && op != LLVMSDiv && op != LLVMURem && op != LLVMSRem
                                    : LLVMIsACastInst(i) || LLVMIsAGetElementPtrInst(i) || LLVMIsAICmpInst(i) ||
                                          LLVMIsAFCmpInst(i) || LLVMIsASelectInst(i);
}

/* The exit holds only phis for those of `after`. */
static bool is_plain_exit(const Unrotate *u) {
    if (single_successor(u->exit) != u->after) return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(u->exit); !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i)) {
        if (!LLVMIsAPHINode(i) || LLVMCountIncoming(i) != 1) return false;
        for_each_user(user, i)
            if (!LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) != u->after) return false;
    }
    return true;
}

static bool find_rotated(Unrotate *u, int loop) {
    LLVMIntPredicate enters;
    LLVMBasicBlockRef beside;
    if (!find_rotated_blocks(u, loop)) return false;
    LLVMValueRef end = compares(u->latch, u->header, &u->goes_on, &u->exit),
                 front = compares(u->guard, u->before, &enters, &beside);
    u->after = beside;
    if (!end || !front || !is_plain_exit(u) || !find_tested_counter(u, end, loop) || !same_test(u, front, enters))
        return false;
    for_each_in_block(i, u->before)
        if (!may_be_idle(i)) return false;
    return true;
}

/* ---- the new loop ---- */

/* At the top: `first` before the first iteration, `next` after each. */
static LLVMValueRef chosen(Unrotate *u, LLVMValueRef first, LLVMValueRef next) {
    if (first == next) return first;
    for_each_phi(p, u->top)
        if (value_from(p, u->before) == first && value_from(p, u->latch) == next) return p;
    LLVMValueRef from[2] = {first, next}, at = LLVMGetFirstInstruction(u->top);
    LLVMBasicBlockRef preds[2] = {u->before, u->latch};
    if (at) LLVMPositionBuilderBefore(u->b, at);
    else LLVMPositionBuilderAtEnd(u->b, u->top);
    LLVMValueRef p = LLVMBuildPhi(u->b, LLVMTypeOf(first), "");
    LLVMAddIncoming(p, from, preds, 2);
    return p;
}

static void move_phis(Unrotate *u) {
    for (LLVMValueRef p = LLVMGetFirstInstruction(u->header), next; LLVMIsAPHINode(p); p = next) {
        next = LLVMGetNextInstruction(p);
        LLVMInstructionRemoveFromParent(p);
        LLVMPositionBuilderAtEnd(u->b, u->top);
        LLVMInsertIntoBuilder(u->b, p);
    }
}

/* Values after the loop are those at the top. */
static void leave_at_top(Unrotate *u) {
    for_each_phi(q, u->after) {
        LLVMValueRef w = value_from(q, u->exit);
        if (LLVMIsAPHINode(w) && LLVMGetInstructionParent(w) == u->exit) w = LLVMGetIncomingValue(w, 0);
        LLVMValueRef v = chosen(u, value_from(q, u->guard), w);
        LLVMPositionBuilderBefore(u->b, LLVMGetFirstInstruction(u->exit));
        LLVMValueRef e = LLVMBuildPhi(u->b, LLVMTypeOf(v), "");
        LLVMAddIncoming(e, &v, &u->top, 1);
        for (unsigned k = 0; k < LLVMCountIncoming(q); k++)
            if (LLVMGetIncomingBlock(q, k) == u->exit) LLVMSetOperand(q, k, e);
        shim_remove_phi_incoming(q, u->guard);
    }
    for (LLVMValueRef e = LLVMGetFirstInstruction(u->exit), next; LLVMIsAPHINode(e); e = next) {
        next = LLVMGetNextInstruction(e);
        if (LLVMGetIncomingBlock(e, 0) == u->latch) LLVMInstructionEraseFromParent(e);
    }
}

static void branch(Unrotate *u, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    LLVMValueRef old = LLVMGetBasicBlockTerminator(from);
    unsigned kind = LLVMGetMDKindIDInContext(u->m->ctx, "llvm.loop", 9);
    set_insert_point(u->b, old);
    LLVMValueRef br = LLVMBuildBr(u->b, to), loop = LLVMGetMetadata(old, kind);
    if (loop) LLVMSetMetadata(br, kind, loop);
    LLVMInstructionEraseFromParent(old);
}

static void unrotate(Unrotate *u) {
    u->top = LLVMInsertBasicBlockInContext(u->m->ctx, u->header, "top");
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(u->latch));
    move_phis(u);
    leave_at_top(u);
    branch(u, u->before, u->top);
    branch(u, u->latch, u->top);
    branch(u, u->guard, u->before);
    LLVMPositionBuilderAtEnd(u->b, u->top);
    LLVMSetCurrentDebugLocation2(u->b, location);
    LLVMBuildCondBr(u->b, LLVMBuildICmp(u->b, u->goes_on, u->counter, u->limit, ""), u->header, u->exit);
}

static bool unrotate_one(Module *m, LLVMBuilderRef b, LLVMValueRef fn) {
    Arena a = {0};
    const Cfg *c = cfg_build(&a, fn);
    bool done = false;
    for (int l = 0; l < c->nloops && c->reducible && !done; l++) {
        Unrotate u = {.m = m, .b = b, .c = c};
        if (!find_rotated(&u, l)) continue;
        unrotate(&u);
        done = true;
    }
    arena_free(&a);
    return done;
}

static void unrotate_all(Module *m, LLVMValueRef fn) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    bool any = false;
    while (unrotate_one(m, b, fn)) any = true;
    LLVMDisposeBuilder(b);
    if (any) run_llvm_passes_on(m, fn, "simplifycfg,loop-simplify,lcssa");
}

/* ---- the preparation as a whole ---- */

/* clang leaves the scope of a variable with a number of where it goes to, which is compared there: the comparison
** becomes the phi, and simplifycfg threads the jumps. Where several paths leave they stay one edge. */
static bool fold_exit_codes(LLVMValueRef fn) {
    bool any = false;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(fn)));
    for_each_instruction(i, fn) {
        LLVMValueRef p = LLVMIsAICmpInst(i) ? LLVMGetOperand(i, 0) : NULL;
        if (!p || !LLVMIsAPHINode(p) || !LLVMIsAConstantInt(LLVMGetOperand(i, 1)) ||
            LLVMGetInstructionParent(p) != LLVMGetInstructionParent(i))
            continue;
        unsigned n = LLVMCountIncoming(p), constant = 0;
        for (unsigned k = 0; k < n; k++) constant += LLVMIsAConstantInt(LLVMGetIncomingValue(p, k)) != NULL;
        if (n != 2 || constant < n) continue;
        LLVMPositionBuilderBefore(b, p);
        LLVMValueRef to = LLVMBuildPhi(b, LLVMTypeOf(i), "goes");
        for (unsigned k = 0; k < n; k++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(p, k);
            LLVMValueRef v =
                LLVMBuildICmp(b, LLVMGetICmpPredicate(i), LLVMGetIncomingValue(p, k), LLVMGetOperand(i, 1), "");
            LLVMAddIncoming(to, &v, &from, 1);
        }
        LLVMReplaceAllUsesWith(i, to);
        any = true;
    }
    LLVMDisposeBuilder(b);
    return any;
}

/* Ids are invariant in loops. */
static void hoist_ids(LLVMValueRef fn) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(fn)));
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);
    for (LLVMBasicBlockRef bb = LLVMGetNextBasicBlock(entry); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            Name n = name_of_call(i);
            if (n < NAME_TID_X || n > NAME_NCTAID_Z) continue;
            LLVMInstructionRemoveFromParent(i);
            set_insert_point(b, LLVMGetBasicBlockTerminator(entry));
            LLVMInsertIntoBuilder(b, i);
        }
    LLVMDisposeBuilder(b);
}

void expose_source_loops(Module *m, LLVMValueRef fn) {
    run_llvm_passes_on(m, fn, "sroa,early-cse<memssa>,simplifycfg");
    run_llvm_passes_on(m, fn, fold_exit_codes(fn) ? "dce,simplifycfg,loop-simplify,lcssa" : "loop-simplify,lcssa");
    unrotate_all(m, fn);
    hoist_ids(fn);
}
