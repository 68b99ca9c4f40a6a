/* speculate_arms: cheap arms of a divergent branch between accesses to elements of the thread's own are computed by all
** lanes, and selects choose.
**
**   A: x = a[4 * t]; br c, B, C      becomes    A: x = a[4 * t]; v = ...; w = ...; z = select c, v, w
**   B: v = ...       C: w = ...                    a[4 * t] = z; x = a[4 * t + 1]; ...
**   J: a[4 * t] = phi v, w; x = a[4 * t + 1]; ...
**
** linearise computes such arms for all lanes in any case; but neighbouring elements are combined within a block only
** (sink_stores, widen_fields), so the branch has to go before. An arm is cheap if guard_coherent would not skip it.
** Tests of indices stay: whole groups take one arm.
** in, out: normal form. Arms are one block each, without accesses or anything that may trap. */
#include "passes/analysis/conditions.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/range_guards.h"
#include "passes/ir/edit.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/shim.h"
#include "passes/ir/slice.h"
#include "passes/passes.h"

typedef struct Speculate {
    Kernel *k;
    const Cfg *c;
    const Shapes *s;
    Lanes lanes;
    double limit; /* cycles of an arm */
} Speculate;

/* A branch, its arms (-1: none, the successor is the join) and the join. */
typedef struct Diamond {
    int head, arm[2], join;
} Diamond;

static bool is_cheap_arm(const Speculate *x, int b) {
    double cycles = 0;
    for_each_in_block(i, x->c->b[b].bb) {
        if (LLVMIsABranchInst(i)) continue;
        if (!may_speculate(i)) return false;
        cycles += group_cycles(&x->lanes, i);
    }
    return cycles <= x->limit;
}

static bool has_near_access(const Speculate *x, int b) {
    for_each_in_block(i, x->c->b[b].bb)
        if (is_near_access(x->k, x->s, i)) return true;
    return false;
}

static bool find_diamond(const Speculate *x, int b, Diamond *d) {
    const Block *head = &x->c->b[b];
    if (head->nsucc != 2 || !shapes_branch_divergent(x->s, b) ||
        is_index_condition(x->s, LLVMGetCondition(LLVMGetBasicBlockTerminator(head->bb))))
        return false;
    *d = (Diamond){.head = b, .join = head->ipdom};
    if (d->join < 0 || x->c->b[d->join].npred != 2 || x->c->b[d->join].loop != head->loop) return false;
    for (int e = 0; e < 2; e++) {
        int arm = head->succ[e];
        const Block *a = &x->c->b[arm];
        d->arm[e] = arm == d->join ? -1 : arm;
        if (arm == d->join) continue;
        if (a->npred != 1 || a->nsucc != 1 || a->succ[0] != d->join || a->loop != head->loop || !is_cheap_arm(x, arm))
            return false;
    }
    return d->arm[0] != d->arm[1] && has_near_access(x, b) && has_near_access(x, d->join);
}

/* ---- the selects ---- */

static LLVMBasicBlockRef edge_from(const Speculate *x, const Diamond *d, int e) {
    return x->c->b[d->arm[e] < 0 ? d->head : d->arm[e]].bb;
}

static void speculate(const Speculate *x, LLVMBuilderRef b, const Diamond *d) {
    LLVMBasicBlockRef join = x->c->b[d->join].bb;
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(x->c->b[d->head].bb), c = LLVMGetCondition(branch);
    set_insert_point(b, branch);
    for (int e = 0; e < 2; e++)
        for (LLVMValueRef i = d->arm[e] < 0 ? NULL : LLVMGetFirstInstruction(x->c->b[d->arm[e]].bb), next;
             i && !LLVMIsABranchInst(i); i = next) {
            next = LLVMGetNextInstruction(i);
            LLVMInstructionRemoveFromParent(i);
            LLVMInsertIntoBuilder(b, i);
        }
    LLVMBasicBlockRef from[2] = {edge_from(x, d, 0), edge_from(x, d, 1)};
    for_each_phi(p, join) {
        LLVMValueRef v = value_from(p, from[0]), w = value_from(p, from[1]);
        LLVMValueRef z = v == w ? v : LLVMBuildSelect(b, c, v, w, "");
        for (unsigned k = 0; k < LLVMCountIncoming(p); k++) LLVMSetOperand(p, k, z);
    }
}

Nyi speculate_arms(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || k->layout == LAYOUT_GENERAL || pass_disabled(k->m, "speculate_arms")) return NYI_NONE;
    Speculate x = {.k = k, .c = kernel_cfg(k), .limit = cost_of_test(k->m, TEST_OF_DATA)};
    if (!x.c->reducible) return NYI_IRREDUCIBLE;
    if (x.c->n < 3) return NYI_NONE;
    x.s = kernel_shapes(k);
    x.lanes = (Lanes){k->m, x.s, k->width, false, false};
    Vec(Diamond) found = {0};
    for (int b = 0; b < x.c->n; b++) {
        Diamond d;
        if (find_diamond(&x, b, &d)) vec_push(k->arena, &found, d);
    }
    if (!found.n) return NYI_NONE;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(k->m->ctx);
    for (int i = 0; i < found.n; i++) speculate(&x, b, &found.v[i]);
    LLVMDisposeBuilder(b);
    run_llvm_passes_on(k->m, k->fn, "simplifycfg");
    restore_normal_form(k->m, k->fn);
    drop_facts(k);
    return NYI_NONE;
}
