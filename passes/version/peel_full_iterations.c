/* peel_full_iterations: the iterations of a divergent loop that all lanes of a group run are peeled into a copy without
** masks.
**
**   P: br H                          becomes    P: br all(true), P1, P2     P1: br H'    P2: br H
**   H: phis, body; br c, L, E                   H': phis', body'; br all(c'), L', M      L': br H'
**   L: br H                                     M: br any(c'), M1, E        M1: br c', H, E
**                                               H, L: unchanged, and from M1 with the values that the next iteration of
**                                               the copy would have had
**
** A row that a group goes through (`for (i = a + threadIdx.x; i < b; i += blockDim.x)`) is full in all iterations but
** the last one: under a mask that changes in each of them its loads and stores are masked all the same. Where they
** stream from beyond the second-level cache that costs two to three times as much, and elsewhere the cost of a mask.
** Which loops: left by one exit, at the end of an iteration, by a comparison between affine and uniform values, so that
** all() is two scalar comparisons (widen_masks.c); with contiguous accesses, or others that lose much with a mask, in
** each iteration; which are not too large.
** requires: normal form; after version_all_active. Not taken: barriers and other convergent operations; the masked
**           originals of version_all_active.
** The remainder is a few iterations at most: it is marked (LOOP_RARE), for serialise_divergent_tail. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/clone_blocks.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/range_guards.h"
#include "passes/ir/slice.h"
#include "passes/ir/edit_cfg.h"
#include "passes/version/version_region.h"
#include <llvm-c/DebugInfo.h>

enum { NEAR = 8 };

typedef struct Peeling {
    Kernel *k;
    Arena *a;
    const Cfg *c;
    const Shapes *s;
    LLVMBuilderRef b;
} Peeling;

/* The exit of a loop: block `from` continues it by its successor `continues`. */
typedef struct End {
    int from;
    unsigned continues;
} End;

/* ---- candidates ---- */

static bool only_jumps(const Cfg *c, int b) {
    return c->b[b].nsucc == 1 && LLVMIsABranchInst(LLVMGetFirstInstruction(c->b[b].bb));
}

/* The only exit of the loop is at the end of an iteration. */
static bool find_single_exit(const Cfg *c, int loop, End *end) {
    const Loop *l = &c->l[loop];
    int exits = 0;
    for (int b = l->first; b <= l->last; b++)
        for (int e = 0; e < c->b[b].nsucc; e++)
            if (!cfg_loop_contains(c, loop, c->b[b].succ[e])) {
                *end = (End){b, 1 - (unsigned)e};
                exits++;
            }
    if (exits != 1 || l->nlatches != 1 || c->b[end->from].nsucc != 2) return false;
    int to = c->b[end->from].succ[end->continues];
    return to == l->header || (to == l->latches[0] && only_jumps(c, to) && c->b[to].npred == 1);
}

/* The lanes that continue are consecutive: the comparison of a row, affine, with a bound, uniform. near: the lanes
** leave shortly one after the other, as they are not far apart, and the bound is invariant. */
static bool ends_by_row(const Peeling *x, int loop, const End *end, bool *near) {
    LLVMValueRef t = LLVMGetCondition(LLVMGetBasicBlockTerminator(x->c->b[end->from].bb));
    if (!LLVMIsAICmpInst(t) || LLVMGetICmpPredicate(t) == (end->continues ? LLVMIntNE : LLVMIntEQ)) return false;
    int64_t stride;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef row = LLVMGetOperand(t, k), bound = LLVMGetOperand(t, 1 - k);
        if (shapes_is_uniform(x->s, row) || !shapes_lane_stride(x->s, row, &stride) || !shapes_is_uniform(x->s, bound))
            continue;
        bool moves = cfg_in_loop(x->c, loop, bound);
        *near = !moves && stride >= -NEAR && stride <= NEAR;
        return true;
    }
    return false;
}

/* Accesses that lose enough with a mask for a copy to be profitable: gathers do not. */
static bool loses_by_mask(const Peeling *x, LLVMValueRef i) {
    int64_t stride;
    int cost = masked_cost(x->k, x->s, i);
    if (cost != 1) return cost > 1;
    LLVMValueRef p = LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0);
    LLVMTypeRef t = LLVMIsAStoreInst(i) ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
    return shapes_lane_stride(x->s, p, &stride) && stride == (int64_t)LLVMStoreSizeOfType(x->k->m->dl, t);
}

/* Lanes leave a loop of arithmetic in it one by one, and those that have may go on with the next iteration
** (flatten_loops). */
static bool has_search(const Peeling *x, int loop) {
    for (int l = 0; l < x->c->nloops; l++) {
        bool accesses = false;
        if (x->c->l[l].parent != loop || !shapes_loop_divergent(x->s, l)) continue;
        for_each_loop_instruction(i, b, x->c, &x->c->l[l]) accesses |= is_op(i, OP_LOAD | OP_STORE | OP_ATOMIC);
        if (!accesses) return !pass_disabled(x->k->m, "flatten_loops");
    }
    return false;
}

static bool is_peel_profitable(const Peeling *x, int loop, End *end) {
    const Cfg *c = x->c;
    const Loop *l = &c->l[loop];
    bool near;
    if (!shapes_loop_divergent(x->s, loop) || cfg_loop_has_property(c, loop, LOOP_RARE) ||
        !find_single_exit(c, loop, end) || !ends_by_row(x, loop, end, &near) || is_masked_original(c, l->header) ||
        has_search(x, loop))
        return false;
    int size = 0;
    int gain = 0;
    for_each_loop_instruction(i, b, c, l) {
        if (!may_duplicate(i) || ++size > growth_left(x->k)) return false;
        gain += cfg_dominates(c, b, l->latches[0]) && loses_by_mask(x, i);
    }
    return gain * COST_VERSION_SIZE >= size && gain;
}

/* ---- the copy ---- */

static LLVMValueRef query_mask(const Peeling *x, Name n, LLVMValueRef v) {
    return name_call(x->b, x->k->m->mod, n, &v, 1, n == NAME_ALL ? "all" : "any");
}

/* P branches; the copy starts with the values that the original would have had. */
static void enter_full_loop(const Peeling *x, LLVMBasicBlockRef p, LLVMBasicBlockRef h, LLVMBasicBlockRef copy) {
    LLVMBasicBlockRef p1 = insert_block(copy, "whole"), p2 = insert_block(h, "parts");
    LLVMValueRef t = LLVMGetBasicBlockTerminator(p);
    LLVMPositionBuilderBefore(x->b, t);
    replace_by_branch(x->b, t, query_mask(x, NAME_ALL, const_bool(x->k->m->ctx, 1)), p1, p2);
    LLVMPositionBuilderAtEnd(x->b, p1);
    LLVMBuildBr(x->b, copy);
    LLVMPositionBuilderAtEnd(x->b, p2);
    LLVMBuildBr(x->b, h);
    redirect_phis(copy, p, p1);
    redirect_phis(h, p, p2);
}

/* The last iteration of the copy goes to M: lanes that continue enter the original, the others leave. */
static void leave_copy(const Peeling *x, int loop, const End *end, const LLVMBasicBlockRef *copy, const PtrMap *map) {
    const Cfg *c = x->c;
    int latch = c->l[loop].latches[0];
    LLVMBasicBlockRef h = c->b[c->l[loop].header].bb, from = copy[end->from],
                      exit = c->b[c->b[end->from].succ[1 - end->continues]].bb;
    LLVMBasicBlockRef m = insert_block(h, "last"), m1 = insert_block(h, "rest"), back = copy[latch];
    LLVMValueRef t = LLVMGetBasicBlockTerminator(from), continues = LLVMGetCondition(t);
    LLVMPositionBuilderBefore(x->b, t);
    if (end->continues) continues = LLVMBuildNot(x->b, continues, "continues");
    LLVMBuildCondBr(x->b, query_mask(x, NAME_ALL, continues), latch == end->from ? copy[c->l[loop].header] : back, m);
    LLVMInstructionEraseFromParent(t);
    LLVMPositionBuilderAtEnd(x->b, m);
    LLVMBuildCondBr(x->b, query_mask(x, NAME_ANY, continues), m1, exit);
    LLVMPositionBuilderAtEnd(x->b, m1);
    LLVMBuildCondBr(x->b, continues, h, exit);
    for_each_phi(p, exit)
        for (unsigned k = 0, n = LLVMCountIncoming(p); k < n; k++) {
            if (LLVMGetIncomingBlock(p, k) != from) continue;
            LLVMValueRef v = LLVMGetIncomingValue(p, k);
            shim_set_phi_block(p, k, m);
            LLVMAddIncoming(p, &v, &m1, 1);
        }
    for_each_phi(p, h)
        for (unsigned k = 0, n = LLVMCountIncoming(p); k < n; k++) {
            if (LLVMGetIncomingBlock(p, k) != c->b[latch].bb) continue;
            LLVMValueRef v = LLVMGetIncomingValue(p, k), next = map_ptr(map, v);
            if (next) v = next;
            LLVMAddIncoming(p, &v, &m1, 1);
        }
}

static void peel_loop(const Peeling *x, int loop, const End *end) {
    const Cfg *c = x->c;
    int header = c->l[loop].header;
    PtrMap map = map_new(x->a);
    bool *has = arena_array(x->a, bool, c->n);
    for (int b = c->l[loop].first; b <= c->l[loop].last; b++) has[b] = true;
    LLVMSetCurrentDebugLocation2(x->b, LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(c->b[end->from].bb)));
    LLVMBasicBlockRef *copy = clone_blocks(x->a, c, has, header, "peeled", &map);
    add_growth(x->k, (int)cfg_loop_size(c, loop));
    bool near = false;
    if (ends_by_row(x, loop, end, &near) && near) cfg_loop_add_property(c, loop, LOOP_RARE, NULL);
    enter_full_loop(x, c->b[cfg_preheader(c, loop)].bb, c->b[header].bb, copy[header]);
    leave_copy(x, loop, end, copy, &map);
}

Nyi peel_full_iterations(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || k->layout == LAYOUT_GENERAL || pass_disabled(k->m, "peel_full_iterations")) return NYI_NONE;
    Peeling x = {.k = k, .a = k->arena, .c = kernel_cfg(k)};
    if (!x.c->reducible) return NYI_IRREDUCIBLE;
    x.s = kernel_shapes(k);
    x.b = LLVMCreateBuilderInContext(k->m->ctx);
    bool changed = false;
    for (int l = 0; l < x.c->nloops; l++) {
        End end = {0, 0};
        if (!is_peel_profitable(&x, l, &end)) continue;
        peel_loop(&x, l, &end);
        changed = true;
        while (l + 1 < x.c->nloops && cfg_loop_contains(x.c, l, x.c->l[l + 1].header)) l++; /* its inner loops */
    }
    LLVMDisposeBuilder(x.b);
    if (!changed) return NYI_NONE;
    run_llvm_passes_on(k->m, k->fn, "loop-simplify,break-crit-edges,lcssa");
    drop_facts(k);
    return NYI_NONE;
}
