/* meld_branches: expensive operations of both successors of a divergent branch are computed once.
**
**   A: br c, B, C    B: x = p / q    C: y = r / s      becomes      A: z = (c ? p : r) / (c ? q : s)
**
** linearise runs both arms for all lanes, so that a group would pay for both; no lane needs both. (Branch fusion,
** Coutinho et al. 2011, restricted to single operations.)
** Operations: floating-point division, square root, math functions. They are hoisted before the branch, with the cheap
** instructions that compute their operands, if nothing else does: no memory, no phis. That is safe for lanes that take
** neither: none of it has an effect. Not integer division, which is safe under its mask only. Not where only some
** groups would execute it: after a uniform branch, or in a loop within the arm.
** requires: normal form; keeps it. At width 1 a thread runs one arm: nothing to do. */
#include "passes/analysis/cost.h"
#include "passes/ir/math.h"
#include "passes/ir/edit.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

enum { CHAIN = 6 };

typedef struct Merge {
    Kernel *k;
    Cfg *c;
    Lanes lanes;
    LLVMBuilderRef b;
} Merge;

typedef Vec(LLVMValueRef) Values;

static bool is_kind(LLVMValueRef i) {
    return LLVMGetInstructionOpcode(i) == LLVMFDiv || (LLVMIsACallInst(i) && math_is_vectorizable(i));
}

/* Every group with a lane in the arm that starts at `to` runs block b. */
static bool runs_with_arm(const Merge *x, int to, int b) {
    const Shapes *s = x->lanes.shapes;
    for (; b != to; b = x->c->b[b].idom) {
        int up = x->c->b[b].idom;
        if (x->c->b[up].nsucc == 2 && !shapes_branch_divergent(s, up) && !cfg_postdominates(x->c, b, up)) return false;
    }
    return true;
}

/* v, an instruction of the arm, can be computed at the end of A: it is cheap, and so are its operands. */
static bool can_hoist(const Merge *x, LLVMValueRef v, int a, int *left) {
    if (!LLVMIsAInstruction(v) || cfg_dominates(x->c, cfg_block_of(x->c, v), a)) return true;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    bool plain = (op >= LLVMAdd && op <= LLVMXor) || (op >= LLVMTrunc && op <= LLVMBitCast) || op == LLVMFNeg ||
                 op == LLVMSelect || op == LLVMICmp || op == LLVMFCmp || is_fma(v);
    if (op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem) plain = false;
    if (!plain || --*left < 0 || !cost_is_cheap(&x->lanes, v)) return false;
    int n = (int)value_operands(v);
    for (int k = 0; k < n; k++)
        if (!can_hoist(x, LLVMGetOperand(v, (unsigned)k), a, left)) return false;
    return true;
}

/* The expensive operations of an arm that can be hoisted before it. */
static void find_expensive(const Merge *x, int a, int to, Values *out) {
    for (int b = to; b < x->c->n && cfg_dominates(x->c, to, b); b++) { /* in compact order an arm is contiguous */
        if (x->c->b[b].loop != x->c->b[a].loop || !runs_with_arm(x, to, b)) continue;
        for_each_in_block(i, x->c->b[b].bb) {
            if (!is_kind(i) || !cost_is_expensive(&x->lanes, i)) continue;
            bool good = true;
            int left = CHAIN;
            unsigned n = LLVMIsACallInst(i) ? LLVMGetNumArgOperands(i) : 2;
            for (unsigned k = 0; k < n && good; k++) good = can_hoist(x, LLVMGetOperand(i, k), a, &left);
            if (good) vec_push(x->k->arena, out, i);
        }
    }
}

static bool is_same_operation(LLVMValueRef i, LLVMValueRef j) {
    if (LLVMGetInstructionOpcode(i) != LLVMGetInstructionOpcode(j) || LLVMTypeOf(i) != LLVMTypeOf(j)) return false;
    return !LLVMIsACallInst(i) || LLVMGetCalledValue(i) == LLVMGetCalledValue(j);
}

static void hoist(const Merge *x, LLVMValueRef v, int a, LLVMValueRef before) {
    if (!LLVMIsAInstruction(v) || cfg_dominates(x->c, cfg_block_of(x->c, v), a)) return;
    for (int k = 0; k < LLVMGetNumOperands(v); k++) hoist(x, LLVMGetOperand(v, (unsigned)k), a, before);
    LLVMInstructionRemoveFromParent(v);
    LLVMPositionBuilderBefore(x->b, before);
    LLVMInsertIntoBuilder(x->b, v);
}

static void meld(const Merge *x, int a, LLVMValueRef i, LLVMValueRef j) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(x->c->b[a].bb), c = LLVMGetCondition(t);
    unsigned n = LLVMIsACallInst(i) ? LLVMGetNumArgOperands(i) : 2;
    LLVMSetCurrentDebugLocation2(x->b, NULL);
    for (unsigned k = 0; k < n; k++) {
        hoist(x, LLVMGetOperand(i, k), a, t);
        hoist(x, LLVMGetOperand(j, k), a, t);
    }
    LLVMPositionBuilderBefore(x->b, t);
    LLVMValueRef z = clone_at(x->b, i);
    LLVMPositionBuilderBefore(x->b, z);
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef p = LLVMGetOperand(i, k), q = LLVMGetOperand(j, k);
        if (p != q) LLVMSetOperand(z, k, LLVMBuildSelect(x->b, c, p, q, ""));
    }
    if (LLVMCanValueUseFastMathFlags(i)) LLVMSetFastMathFlags(z, LLVMGetFastMathFlags(i) & LLVMGetFastMathFlags(j));
    LLVMReplaceAllUsesWith(i, z);
    LLVMReplaceAllUsesWith(j, z);
    LLVMInstructionEraseFromParent(i);
    LLVMInstructionEraseFromParent(j);
}

static bool merge_at(const Merge *x, int a) {
    bool any = false;
    Values arm[2] = {{0}, {0}};
    for (unsigned e = 0; e < 2; e++) {
        int to = x->c->b[a].succ[e];
        if (x->c->b[to].npred == 1) find_expensive(x, a, to, &arm[e]);
    }
    for (int i = 0; i < arm[0].n; i++)
        for (int j = 0; j < arm[1].n; j++) {
            if (!arm[1].v[j] || !is_same_operation(arm[0].v[i], arm[1].v[j])) continue;
            meld(x, a, arm[0].v[i], arm[1].v[j]);
            arm[1].v[j] = NULL;
            any = true;
            break;
        }
    return any;
}

/* How many operations of these kinds each block dominates. */
static int *count_kinds(const Merge *x) {
    int *n = arena_array(x->k->arena, int, x->c->n);
    for (int b = x->c->n - 1; b >= 0; b--) {
        for_each_in_block(i, x->c->b[b].bb) n[b] += is_kind(i);
        if (b) n[x->c->b[b].idom] += n[b];
    }
    return n;
}

Nyi meld_branches(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || pass_disabled(k->m, "meld_branches")) return NYI_NONE;
    Merge x = {.k = k, .c = kernel_cfg(k)};
    if (!x.c->reducible) return NYI_IRREDUCIBLE;
    const int *kinds = count_kinds(&x);
    if (kinds[0] < 2) return NYI_NONE;
    const Shapes *s = kernel_shapes(k);
    bool changed = false;
    x.lanes = (Lanes){k->m, s, k->width, false, false};
    x.b = LLVMCreateBuilderInContext(k->m->ctx);
    for (int a = 0; a < x.c->n; a++) {
        const Block *b = &x.c->b[a];
        if (b->nsucc == 2 && kinds[b->succ[0]] && kinds[b->succ[1]] && shapes_branch_divergent(s, a))
            changed |= merge_at(&x, a);
    }
    LLVMDisposeBuilder(x.b);
    if (changed) drop_facts(k);
    return NYI_NONE;
}
