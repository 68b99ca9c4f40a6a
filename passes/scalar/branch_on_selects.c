/* branch_on_selects: a select by a uniform condition becomes a branch where the two operands are better apart.
**
** - One operand is expensive: `(x > 0 && u) ? logf(x) : x`, of which LLVM has speculated the call. It is computed only
**   where the uniform part of the condition does not rule it out:
**
**       B: s = select (v && u), t, f     becomes     B: br u, T, E    T: t; s' = select v, t, f    E: -
**                                                    J: s = phi s', f
**
** - The operands are indices or addresses with different strides: `a[u ? x * w + k : k * w + x]`. Each alone may be
**   contiguous, their select is a gather. The accesses of a block between the first and the last one at such an address
**   are cloned for both operands:
**
**       B: s = select u, p, q; load s    becomes     B: br u, T, E    T: load p    E: load q    J: phi
**
** The uniform branch stays one (linearise), and LLVM unswitches loops on it. Profitable where the estimated difference
** exceeds a uniform test and branch. */
#include "passes/analysis/conditions.h"
#include "passes/analysis/cost.h"
#include "passes/ir/edit.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/math.h"
#include "passes/ir/shim.h"
#include "passes/ir/slice.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>

enum { REGION_MAX = 48 /* instructions that are cloned */, DEPTH = 8, OPERANDS_MAX = 8, CHANGES_MAX = 32 };

typedef struct Branch {
    Kernel *k;
    const Shapes *s;
    Lanes lanes;
    LLVMBuilderRef b;
} Branch;

typedef Vec(LLVMValueRef) Values;

/* B: ... | at ...   becomes   B: ... br condition, yes, no;  yes, no: br J;  J: at ... */
typedef struct Diamond {
    LLVMBasicBlockRef yes, no, join;
} Diamond;

static Diamond open_diamond(const Branch *x, LLVMValueRef at, LLVMValueRef condition) {
    Diamond d;
    LLVMBasicBlockRef above = LLVMGetInstructionParent(at);
    d.join = shim_split_block(at, "selected");
    d.yes = insert_block(d.join, "yes");
    d.no = insert_block(d.join, "no");
    LLVMSetCurrentDebugLocation2(x->b, LLVMInstructionGetDebugLoc(at));
    replace_by_branch(x->b, LLVMGetBasicBlockTerminator(above), condition, d.yes, d.no);
    LLVMBasicBlockRef arms[2] = {d.yes, d.no};
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(x->b, arms[i]);
        LLVMBuildBr(x->b, d.join);
    }
    return d;
}

/* ---- an expensive operand ---- */

static bool is_only_used_by(LLVMValueRef v, const Values *slice, LLVMValueRef select) {
    for_each_user(user, v) {
        bool known = !slice->n && user == select;
        for (int i = 0; i < slice->n && !known; i++) known = slice->v[i] == user;
        if (!known) return false;
    }
    return true;
}

/* What computes operand k of the select, in its block, and nothing else; users before operands. */
static Values slice_of_operand(const Branch *x, LLVMValueRef select, unsigned k) {
    Values slice = {0};
    LLVMValueRef v = LLVMGetOperand(select, k);
    if (LLVMGetOperand(select, 3 - k) == v || LLVMGetOperand(select, 0) == v) return slice;
    LLVMBasicBlockRef home = LLVMGetInstructionParent(select);
    for (LLVMValueRef i = LLVMGetPreviousInstruction(select); i && slice.n < REGION_MAX;
         i = LLVMGetPreviousInstruction(i)) {
        bool pure =
            is_op(i, OP_INT_BINARY | OP_INT_CAST | OP_ICMP | OP_SELECT | OP_GEP | OP_FLOAT | OP_FCAST | OP_FCMP);
        pure |= is_pure_intrinsic(i) || (LLVMIsACallInst(i) && math_is_vectorizable(i));
        if (!pure || LLVMGetInstructionParent(i) != home || (!slice.n && i != v)) continue;
        if (LLVMGetFirstUse(i) && is_only_used_by(i, &slice, select)) vec_push(x->k->arena, &slice, i);
    }
    return slice;
}

static double cycles_of(const Branch *x, const Values *slice) {
    double sum = 0;
    for (int i = 0; i < slice->n; i++) sum += group_cycles(&x->lanes, slice->v[i]);
    return sum;
}

static void sink(const Branch *x, const Values *slice, LLVMBasicBlockRef to) {
    LLVMValueRef at = LLVMGetBasicBlockTerminator(to);
    for (int i = slice->n - 1; i >= 0; i--) {
        LLVMInstructionRemoveFromParent(slice->v[i]);
        LLVMPositionBuilderBefore(x->b, at);
        LLVMInsertIntoBuilder(x->b, slice->v[i]);
    }
}

/* Operands 1 and 2 of the select, as far as the uniform condition rules them out, are computed in arms. */
static void branch_around(const Branch *x, LLVMValueRef s, const Condition *mixed, const Values slice[2]) {
    LLVMValueRef result[2] = {LLVMGetOperand(s, 1), LLVMGetOperand(s, 2)}, u = LLVMGetOperand(s, 0);
    set_insert_point(x->b, s);
    if (mixed) u = join_leaves(x->b, x->s, mixed, true);
    Diamond d = open_diamond(x, s, u);
    LLVMBasicBlockRef arms[2] = {d.yes, d.no};
    for (int i = 0; i < 2; i++) sink(x, &slice[i], arms[i]);
    if (mixed) {
        int open = mixed->disjunction; /* the arm in which the varying part decides */
        LLVMPositionBuilderBefore(x->b, LLVMGetBasicBlockTerminator(arms[open]));
        LLVMValueRef v = join_leaves(x->b, x->s, mixed, false);
        result[open] = LLVMBuildSelect(x->b, v, result[0], result[1], "");
    }
    LLVMPositionBuilderBefore(x->b, first_after_phis(d.join));
    LLVMValueRef phi = build_phi2(x->b, result[0], d.yes, result[1], d.no, "");
    replace_instruction(s, phi);
}

static bool expand_expensive(const Branch *x, LLVMValueRef s) {
    Condition c;
    Values slice[2] = {{0}, {0}};
    bool mixed = is_mixed_condition(x->s, LLVMGetOperand(s, 0), &c);
    if (!mixed && !shapes_is_uniform(x->s, LLVMGetOperand(s, 0))) return false;
    for (unsigned k = 0; k < 2; k++)
        if (!mixed || k == (unsigned)c.disjunction) slice[k] = slice_of_operand(x, s, k + 1);
    if (cycles_of(x, &slice[0]) + cycles_of(x, &slice[1]) <= cost_of_test(x->k->m, TEST_OF_UNIFORM)) return false;
    branch_around(x, s, mixed ? &c : NULL, slice);
    return true;
}

/* ---- operands with different strides ---- */

static bool has_known_stride(const Shapes *s, LLVMValueRef v) {
    int64_t stride;
    return shapes_is_uniform(s, v) || shapes_lane_stride(s, v, &stride);
}

static bool loses_stride(const Shapes *s, LLVMValueRef v) {
    return LLVMIsASelectInst(v) && shapes_is_uniform(s, LLVMGetOperand(v, 0)) && !has_known_stride(s, v) &&
           (has_known_stride(s, LLVMGetOperand(v, 1)) || has_known_stride(s, LLVMGetOperand(v, 2)));
}

/* The condition of a select, among what computes the address v, that loses a stride; condition: of this one. */
static LLVMValueRef stride_condition(const Branch *x, LLVMValueRef v, LLVMValueRef condition, int depth) {
    if (depth > DEPTH || !LLVMIsAInstruction(v) || has_known_stride(x->s, v)) return NULL;
    if (loses_stride(x->s, v) && (!condition || LLVMGetOperand(v, 0) == condition)) return LLVMGetOperand(v, 0);
    if (!is_op(v, OP_INT_BINARY | OP_INT_CAST | OP_GEP | OP_SELECT) || LLVMGetNumOperands(v) > OPERANDS_MAX)
        return NULL;
    for (int k = 0; k < LLVMGetNumOperands(v); k++) {
        LLVMValueRef c = stride_condition(x, LLVMGetOperand(v, (unsigned)k), condition, depth + 1);
        if (c) return c;
    }
    return NULL;
}

static LLVMValueRef condition_of_access(const Branch *x, LLVMValueRef i, LLVMValueRef condition) {
    bool plain = (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && !LLVMGetVolatile(i);
    if (!plain || group_cycles(&x->lanes, i) <= cost_of_test(x->k->m, TEST_OF_UNIFORM)) return NULL;
    return stride_condition(x, LLVMGetOperand(i, (unsigned)accessed_operand(i)), condition, 0);
}

/* In one arm: v, with the selects by the condition replaced by their operand. */
static LLVMValueRef in_arm(const Branch *x, LLVMValueRef v, LLVMValueRef condition, bool yes, PtrMap *map, int depth) {
    LLVMValueRef known = map_ptr(map, v);
    if (known) return known;
    if (depth > DEPTH || !stride_condition(x, v, condition, 0)) return v;
    if (LLVMIsASelectInst(v) && LLVMGetOperand(v, 0) == condition)
        return in_arm(x, LLVMGetOperand(v, yes ? 1 : 2), condition, yes, map, depth + 1);
    LLVMValueRef operand[OPERANDS_MAX];
    int n = LLVMGetNumOperands(v);
    for (int k = 0; k < n; k++) operand[k] = in_arm(x, LLVMGetOperand(v, (unsigned)k), condition, yes, map, depth + 1);
    LLVMValueRef clone = clone_at(x->b, v);
    for (int k = 0; k < n; k++) LLVMSetOperand(clone, (unsigned)k, operand[k]);
    map_put(map, v, (uintptr_t)clone);
    return clone;
}

/* The instructions from first to last are cloned in both arms. */
static void clone_accesses(const Branch *x, const Values *region, LLVMValueRef condition) {
    Diamond d = open_diamond(x, region->v[0], condition);
    LLVMBasicBlockRef arms[2] = {d.yes, d.no};
    PtrMap map[2] = {map_new(x->k->arena), map_new(x->k->arena)};
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < region->n; i++) {
            LLVMValueRef v = region->v[i];
            LLVMPositionBuilderBefore(x->b, LLVMGetBasicBlockTerminator(arms[a]));
            unsigned n = (unsigned)value_operands(v);
            LLVMValueRef operand[OPERANDS_MAX];
            for (unsigned k = 0; k < n; k++) operand[k] = in_arm(x, LLVMGetOperand(v, k), condition, !a, &map[a], 0);
            LLVMValueRef clone = clone_at(x->b, v);
            for (unsigned k = 0; k < n; k++) LLVMSetOperand(clone, k, operand[k]);
            map_put(&map[a], v, (uintptr_t)clone);
        }
    for (int i = region->n - 1; i >= 0; i--) {
        LLVMValueRef v = region->v[i];
        if (LLVMGetFirstUse(v)) {
            LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(d.join));
            replace_instruction(v, build_phi2(x->b, map_ptr(&map[0], v), d.yes, map_ptr(&map[1], v), d.no, ""));
        } else {
            LLVMInstructionEraseFromParent(v);
        }
    }
}

static bool expand_strides(const Branch *x, LLVMValueRef first) {
    LLVMValueRef condition = condition_of_access(x, first, NULL);
    Values region = {0};
    int n = 0;
    if (!condition) return false;
    for (LLVMValueRef i = first; i && !LLVMIsATerminatorInst(i) && region.n < REGION_MAX;
         i = LLVMGetNextInstruction(i)) {
        if (!may_duplicate(i) || value_operands(i) > OPERANDS_MAX) break;
        vec_push(x->k->arena, &region, i);
        if (condition_of_access(x, i, condition)) n = region.n;
    }
    region.n = n;
    if (!n) return false;
    clone_accesses(x, &region, condition);
    return true;
}

/* ---- the pass ---- */

static int expand_block(const Branch *x, LLVMBasicBlockRef bb) {
    int n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        bool changed = LLVMIsASelectInst(i) ? expand_expensive(x, i) : expand_strides(x, i);
        if (!changed) continue;
        n++;
        drop_facts(x->k);
        break;
    }
    return n;
}

Nyi branch_on_selects(Kernel *k) {
    keep_facts(k);
    unsigned len;
    bool off = pass_disabled(k->m, "branch_on_selects") || fn_attr(k->fn, ATTR_LINEAR_FLOW, &len);
    if (k->width == 1 || off) return NYI_NONE;
    if (!kernel_cfg(k)->reducible) return NYI_IRREDUCIBLE;
    int n = 0, most = changes_within_budget(k->fn, CHANGES_MAX);
    Branch x = {.k = k, .b = LLVMCreateBuilderInContext(k->m->ctx)};
    for (LLVMBasicBlockRef bb = LLVMGetEntryBasicBlock(k->fn); bb && n < most;) {
        x.s = kernel_shapes(k);
        x.lanes = (Lanes){k->m, x.s, k->width, false, false};
        int changes = expand_block(&x, bb);
        n += changes;
        if (!changes) bb = LLVMGetNextBasicBlock(bb); /* what follows a change begins a new block */
    }
    LLVMDisposeBuilder(x.b);
    if (n && k->layout == LAYOUT_ROWS_FULL && !k->block[0]) diag_remark(&k->m->diag, k->fn, BRANCHES_ON_SELECTS, n);
    return NYI_NONE;
}
