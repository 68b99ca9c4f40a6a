/* sink_common_stores: stores to the same address in both successors of a divergent branch become one store after them.
**
**   A: br c, B, C    B: ... *p = x; *q = u; br D    C: ... *q = v; *p = y; br D
**       becomes      B: br J    C: br J    J: *p = phi x, y; *q = phi u, v; br D
**
** A group runs both successors, each with a mask with which few targets store quickly (AVX2 on Zen 4: some 20
** cycles), and the second mask may be what keeps a whole vector from being stored as one. After both, the value is a
** blend (the IF-select transformation, 2019, which matches statements in any order). Same address: the same value, or
** the same pure instructions of the same values.
**
** Legal: what accesses memory after the store in its block is independent of it: through different pointers of which
** one is __restrict__, in different address spaces, or a known distance apart. J is D if D has no other predecessor.
** requires: normal form; keeps it. At width 1 LLVM does this. */
#include "passes/analysis/accesses.h"
#include "passes/analysis/affine.h"
#include "passes/analysis/cost.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"
#include <llvm-c/DebugInfo.h>

enum { DEPTH = 6, MAX_STORES = 32, OPERANDS = 8 };

typedef struct Merge {
    Kernel *k;
    Cfg *c;
    const Shapes *s;
    LLVMBuilderRef b;
} Merge;

typedef struct Pair {
    int d;
    LLVMBasicBlockRef from[2];
    LLVMValueRef store[2];
} Pair;

/* ---- independence, within a thread ---- */

static LLVMValueRef root_of(LLVMValueRef p) {
    while (is_op(p, OP_GEP | OP_PTR_CAST) && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(p, 0))) == LLVMPointerTypeKind)
        p = LLVMGetOperand(p, 0);
    return p;
}

static bool is_restrict(const Merge *x, LLVMValueRef root) {
    unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);
    for (unsigned k = 0; LLVMIsAArgument(root) && k < LLVMCountParams(x->k->fn); k++)
        if (LLVMGetParam(x->k->fn, k) == root) return LLVMGetEnumAttributeAtIndex(x->k->fn, k + 1, kind) != NULL;
    return false;
}

static bool is_shared_root(LLVMValueRef root) { return name_of_call(root) == NAME_SHARED || refers_to_shared(root); }

/* Memory of one of them is not that of the other one: parameters do not point to shared or local memory. */
static bool are_apart(const Merge *x, LLVMValueRef p, LLVMValueRef q) {
    bool arguments = LLVMIsAArgument(p) && LLVMIsAArgument(q);
    if (p == q) return false;
    if (arguments) return is_restrict(x, p) || is_restrict(x, q);
    bool own_p = LLVMIsAAllocaInst(p) || is_shared_root(p), own_q = LLVMIsAAllocaInst(q) || is_shared_root(q);
    return (own_p && LLVMIsAArgument(q)) || (own_q && LLVMIsAArgument(p)) ||
           (LLVMIsAAllocaInst(p) && LLVMIsAAllocaInst(q));
}

/* *bytes: how far q is after p. The thread accesses both, so neither is poison. */
static bool known_distance(const Merge *x, LLVMValueRef p, LLVMValueRef q, int64_t *bytes) {
    AffineRules rules = {.flags = AFFINE_TRUST_FLAGS, .layout = x->k->m->dl};
    Affine a, b;
    if (!affine_of(&rules, p, AFFINE_SAME, &a) || !affine_of(&rules, q, AFFINE_SAME, &b) || a.n != b.n) return false;
    for (int k = 0; k < a.n; k++) {
        int o = 0;
        while (o < b.n &&
               (b.term[o].v != a.term[k].v || b.term[o].by != a.term[k].by || b.term[o].factor != a.term[k].factor))
            o++;
        if (o == b.n) return false;
    }
    *bytes = b.constant - a.constant;
    return true;
}

static bool are_independent(const Merge *x, LLVMValueRef i, LLVMValueRef other) {
    LLVMValueRef p = accessed_at(i), q = accessed_at(other);
    int64_t bytes, of_i = (int64_t)LLVMStoreSizeOfType(x->k->m->dl, accessed_type(i)),
                   of_other = (int64_t)LLVMStoreSizeOfType(x->k->m->dl, accessed_type(other));
    if (are_apart(x, root_of(p), root_of(q))) return true;
    return known_distance(x, p, q, &bytes) && (bytes >= of_i || -bytes >= of_other);
}

/* A plain store that may as well be made at the end of its block. */
static bool may_sink(const Merge *x, LLVMValueRef store) {
    if (!LLVMIsAStoreInst(store) || !is_plain_access(store) || is_undivided(store)) return false;
    for (LLVMValueRef i = LLVMGetNextInstruction(store); i; i = LLVMGetNextInstruction(i)) {
        if (is_plain_access(i) ? !are_independent(x, store, i) : stands_between(i, true)) return false;
    }
    return true;
}

/* ---- equality ---- */

/* Of one of the kinds that addresses are made of. Flags may differ: both addresses are accessed, so neither is
** poison. */
static bool is_same_operation(LLVMValueRef v, LLVMValueRef w) {
    if (opcode(v) == LLVMGetElementPtr) return LLVMGetGEPSourceElementType(v) == LLVMGetGEPSourceElementType(w);
    return is_op(v, OP_ADD | OP_MUL | OP_INT_CAST) || opcode(v) == LLVMShl;
}

static bool is_same_address(LLVMValueRef v, LLVMValueRef w, int depth) {
    if (v == w) return true;
    if (depth > DEPTH || !LLVMIsAInstruction(v) || !LLVMIsAInstruction(w) || LLVMTypeOf(v) != LLVMTypeOf(w))
        return false;
    if (LLVMGetInstructionOpcode(v) != LLVMGetInstructionOpcode(w) || LLVMGetNumOperands(v) != LLVMGetNumOperands(w))
        return false;
    if (!is_same_operation(v, w) || LLVMGetNumOperands(v) > OPERANDS) return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(v); k++)
        if (!is_same_address(LLVMGetOperand(v, k), LLVMGetOperand(w, k), depth + 1)) return false;
    return true;
}

/* Lanes diverge on the paths to the two blocks. */
static bool diverges(const Merge *x, int b, int c) {
    while (b != c) {
        if (b > c) b = x->c->b[b].idom;
        else c = x->c->b[c].idom;
        if (b < 0 || c < 0) return false;
    }
    return shapes_branch_divergent(x->s, b);
}

/* A store of c that is to be merged with this one of another block. */
static LLVMValueRef matching_store(const Merge *x, LLVMValueRef first, LLVMBasicBlockRef c) {
    for_each_in_block(i, c) {
        if (!LLVMIsAStoreInst(i) || LLVMTypeOf(LLVMGetOperand(first, 0)) != LLVMTypeOf(LLVMGetOperand(i, 0))) continue;
        if (is_same_address(LLVMGetOperand(first, 1), LLVMGetOperand(i, 1), 0) && may_sink(x, i)) return i;
    }
    return NULL;
}

static bool find_match(const Merge *x, int d, int b, int c, Pair *p) {
    const Block *from[2] = {&x->c->b[b], &x->c->b[c]};
    if (from[0]->nsucc != 1 || from[1]->nsucc != 1) return false;
    for (LLVMValueRef i = LLVMGetLastInstruction(from[0]->bb); i; i = LLVMGetPreviousInstruction(i)) {
        LLVMValueRef second = may_sink(x, i) ? matching_store(x, i, from[1]->bb) : NULL;
        if (!second || !diverges(x, b, c)) continue;
        *p = (Pair){d, {from[0]->bb, from[1]->bb}, {i, second}};
        return true;
    }
    return false;
}

static bool find_pair(const Merge *x, Pair *p) {
    for (int d = 0; d < x->c->n; d++) {
        const Block *k = &x->c->b[d];
        for (int i = 0; i < k->npred; i++)
            for (int j = i + 1; j < k->npred; j++)
                if (find_match(x, d, k->pred[i], k->pred[j], p)) return true;
    }
    return false;
}

/* ---- the store after both ---- */

static LLVMValueRef merged_address(const Merge *x, LLVMValueRef v, LLVMValueRef w) {
    if (v == w) return v;
    LLVMValueRef o[OPERANDS], copy;
    unsigned n = (unsigned)LLVMGetNumOperands(v);
    for (unsigned k = 0; k < n; k++) o[k] = merged_address(x, LLVMGetOperand(v, k), LLVMGetOperand(w, k));
    copy = clone_at(x->b, v);
    if (!have_same_flags(v, w)) shim_drop_flags(copy);
    for (unsigned k = 0; k < n; k++) LLVMSetOperand(copy, k, o[k]);
    return copy;
}

static LLVMValueRef either(const Merge *x, const Pair *p, LLVMValueRef v, LLVMValueRef w) {
    if (v == w) return v;
    LLVMValueRef phi = LLVMBuildPhi(x->b, LLVMTypeOf(v), ""), in[2] = {v, w};
    LLVMBasicBlockRef from[2] = {p->from[0], p->from[1]};
    LLVMAddIncoming(phi, in, from, 2);
    return phi;
}

/* A block between the two and d, which has other predecessors. */
static LLVMBasicBlockRef split_join(const Merge *x, const Pair *p) {
    LLVMBasicBlockRef d = x->c->b[p->d].bb, j = LLVMInsertBasicBlockInContext(x->k->m->ctx, d, "both");
    LLVMPositionBuilderAtEnd(x->b, j);
    for_each_phi(i, d) {
        LLVMValueRef v = either(x, p, value_from(i, p->from[0]), value_from(i, p->from[1]));
        for (int k = 0; k < 2; k++) shim_remove_phi_incoming(i, p->from[k]);
        LLVMAddIncoming(i, &v, &j, 1);
    }
    LLVMBuildBr(x->b, d);
    for (int k = 0; k < 2; k++) LLVMSetSuccessor(LLVMGetBasicBlockTerminator(p->from[k]), 0, j);
    return j;
}

static void sink_pair(const Merge *x, const Pair *p) {
    LLVMSetCurrentDebugLocation2(x->b, NULL);
    LLVMBasicBlockRef to = x->c->b[p->d].npred == 2 ? x->c->b[p->d].bb : split_join(x, p);
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(to));
    LLVMValueRef value = either(x, p, LLVMGetOperand(p->store[0], 0), LLVMGetOperand(p->store[1], 0));
    LLVMPositionBuilderBefore(x->b, first_after_phis(to));
    LLVMSetCurrentDebugLocation2(x->b, LLVMInstructionGetDebugLoc(p->store[0]));
    LLVMValueRef s =
        LLVMBuildStore(x->b, value, merged_address(x, LLVMGetOperand(p->store[0], 1), LLVMGetOperand(p->store[1], 1)));
    unsigned a = LLVMGetAlignment(p->store[0]), b = LLVMGetAlignment(p->store[1]);
    LLVMSetAlignment(s, a < b ? a : b);
    for (int k = 0; k < 2; k++) LLVMInstructionEraseFromParent(p->store[k]);
}

Nyi sink_common_stores(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || pass_disabled(k->m, "sink_common_stores")) return NYI_NONE;
    Merge x = {.k = k};
    int most = changes_within_budget(k->fn, MAX_STORES);
    for (int n = 0; n < most; n++) {
        Pair p;
        x.c = kernel_cfg(k);
        if (!x.c->reducible) return NYI_IRREDUCIBLE;
        if (x.c->n < 4) return NYI_NONE;
        x.s = kernel_shapes(k);
        if (!find_pair(&x, &p)) return NYI_NONE;
        x.b = LLVMCreateBuilderInContext(k->m->ctx);
        sink_pair(&x, &p);
        LLVMDisposeBuilder(x.b);
        drop_facts(k);
    }
    return NYI_NONE;
}
