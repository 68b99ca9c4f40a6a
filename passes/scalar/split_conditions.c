/* split_conditions: a branch on a uniform and a varying condition joined by and/or becomes two branches.
**
**   A: br (v && u), T, F     becomes     A: br u, A', F     A': br v, T, F
**   A: br (v || u), T, F     becomes     A: br u, T, A'     A': br v, T, F
**
** clang evaluates both sides of && where that is cheap, and LLVM folds branches into such conditions; the uniform
** branch, which linearise would keep, is lost then (uniform control flow of Karrenberg & Hack, CC 2012). and, or and
** their short-circuit forms (select c, x, false) are split, also several in one condition. The uniform operands are
** tested first, whatever their order: all are computed already. One that is skipped otherwise may be poison, and is
** frozen.
** Profitable where the arm that the uniform test rules out costs more than the test. Not for tests of indices alone
** (`x < w && y < h`): guard_coherent skips the arm by one test of the mask, and lanes of a group seldom differ in it.
** Where a successor leaves a loop nothing is ruled out but the last iteration: the condition stays whole, but tests its
** uniform part first, which code generation makes a branch around the varying one. */
#include "passes/analysis/conditions.h"
#include "passes/analysis/cost.h"
#include "passes/ir/edit.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

typedef struct Split {
    Kernel *k;
    const Cfg *c;
    Lanes lanes;
    LLVMBuilderRef b;
    double *below; /* block -> cycles of what it dominates */
} Split;

/* The uniform test leads to successor `arm`, past the other one. */
static bool is_profitable(const Split *x, int b, unsigned arm) {
    LLVMValueRef condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(x->c->b[b].bb));
    if (is_index_condition(x->lanes.shapes, condition)) return false;
    return x->below[x->c->b[b].succ[1 - arm]] > group_cycles(&x->lanes, condition);
}

static bool decides_exit(const Cfg *c, int b) {
    int loop = c->b[b].loop;
    return loop >= 0 && !(cfg_loop_contains(c, loop, c->b[b].succ[0]) && cfg_loop_contains(c, loop, c->b[b].succ[1]));
}

static void split(const Split *x, int b, const Condition *c) {
    LLVMBasicBlockRef first = x->c->b[b].bb;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(first), old = LLVMGetCondition(t);
    LLVMBasicBlockRef past = LLVMGetSuccessor(t, c->disjunction ? 0 : 1), second = shim_split_block(t, "varying");
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(first);
    set_insert_point(x->b, jump);
    LLVMValueRef uniform = join_leaves(x->b, x->lanes.shapes, c, true);
    replace_by_branch(x->b, jump, uniform, c->disjunction ? past : second, c->disjunction ? second : past);
    LLVMPositionBuilderBefore(x->b, t);
    LLVMSetCondition(t, join_leaves(x->b, x->lanes.shapes, c, false));
    for_each_phi(p, past) {
        LLVMValueRef v = value_from(p, second);
        LLVMAddIncoming(p, &v, &first, 1);
    }
    if (!LLVMGetFirstUse(old)) LLVMInstructionEraseFromParent(old);
}

/* The condition tests its uniform part first. */
static void reorder(const Split *x, int b, const Condition *c) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(x->c->b[b].bb), old = LLVMGetCondition(t);
    LLVMValueRef decided = const_bool(x->k->m->ctx, c->disjunction);
    set_insert_point(x->b, t);
    LLVMValueRef u = join_leaves(x->b, x->lanes.shapes, c, true), v = join_leaves(x->b, x->lanes.shapes, c, false);
    LLVMSetCondition(t, LLVMBuildSelect(x->b, u, c->disjunction ? decided : v, c->disjunction ? v : decided, ""));
    if (!LLVMGetFirstUse(old)) LLVMInstructionEraseFromParent(old);
}

static double *sum_up(const Split *x) {
    double *sum = arena_array(x->k->arena, double, x->c->n);
    for (int b = x->c->n - 1; b >= 0; b--) {
        for_each_in_block(i, x->c->b[b].bb) sum[b] += group_cycles(&x->lanes, i);
        if (b) sum[x->c->b[b].idom] += sum[b]; /* idom < b in compact order */
    }
    return sum;
}

Nyi split_conditions(Kernel *k) {
    keep_facts(k);
    unsigned len;
    bool off = pass_disabled(k->m, "split_conditions") || fn_attr(k->fn, ATTR_LINEAR_FLOW, &len);
    if (k->width == 1 || off) return NYI_NONE;
    Split x = {.k = k, .c = kernel_cfg(k)};
    if (!x.c->reducible) return NYI_IRREDUCIBLE;
    x.lanes = (Lanes){k->m, kernel_shapes(k), k->width, false, false};
    int n = 0;
    bool changed = false;
    x.b = LLVMCreateBuilderInContext(k->m->ctx);
    for (int b = 0; b < x.c->n; b++) {
        Condition c;
        if (x.c->b[b].nsucc != 2 || !shapes_branch_divergent(x.lanes.shapes, b) ||
            !is_mixed_condition(x.lanes.shapes, LLVMGetCondition(LLVMGetBasicBlockTerminator(x.c->b[b].bb)), &c))
            continue;
        if (decides_exit(x.c, b)) {
            changed = true;
            reorder(&x, b, &c);
            continue;
        }
        if (!x.below) x.below = sum_up(&x);
        if (!is_profitable(&x, b, c.disjunction ? 0 : 1)) continue;
        split(&x, b, &c);
        changed = true;
        n++;
    }
    LLVMDisposeBuilder(x.b);
    if (changed) drop_facts(k);
    if (!n) return NYI_NONE;
    if (k->layout == LAYOUT_ROWS_FULL && !k->block[0]) diag_remark(&k->m->diag, k->fn, SPLIT_CONDITIONS, n);
    run_llvm_passes_on(k->m, k->fn, "loop-simplify,invalidate<all>,break-crit-edges,lcssa");
    return NYI_NONE;
}
