/* sink_common_stores: stores to the same address at the end of both successors of a divergent branch become one store
** after them.
**
**   A: br c, B, C    B: ... *p = x; br D    C: ... *p = y; br D
**       becomes      B: br J    C: br J    J: *p = phi x, y; br D
**
** A group runs both successors, each with a mask with which few targets store quickly (AVX2 on Zen 4: some 20 cycles),
** and the second mask may be what keeps a whole vector from being stored as one. After both, the value is a blend. Same
** address: the same value, or the same pure instructions of the same values. Nothing after the store in B and C
** accesses memory. J is D if D has no other predecessor.
** requires: normal form; keeps it. At width 1 LLVM does this. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
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

/* ---- equality ---- */

/* The block's last access, if it is a plain store. */
static LLVMValueRef last_store(LLVMBasicBlockRef bb) {
    for (LLVMValueRef i = LLVMGetLastInstruction(bb); i; i = LLVMGetPreviousInstruction(i))
        switch (LLVMGetInstructionOpcode(i)) {
        case LLVMStore:
            return LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic || is_undivided(i) ? NULL
                                                                                                              : i;
        case LLVMCall:
            if (is_pure_intrinsic(i)) break;
            return NULL;
        case LLVMLoad:
        case LLVMFence:
        case LLVMAtomicRMW:
        case LLVMAtomicCmpXchg:
        case LLVMPHI: return NULL;
        default: break;
        }
    return NULL;
}

static bool is_same_address(LLVMValueRef v, LLVMValueRef w, int depth) {
    if (v == w) return true;
    if (depth > DEPTH || !LLVMIsAInstruction(v) || !LLVMIsAInstruction(w) || LLVMTypeOf(v) != LLVMTypeOf(w))
        return false;
    if (LLVMGetInstructionOpcode(v) != LLVMGetInstructionOpcode(w) || LLVMGetNumOperands(v) != LLVMGetNumOperands(w))
        return false;
    if (!have_same_flags(v, w) || LLVMGetNumOperands(v) > OPERANDS) return false;
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

static bool find_pair(const Merge *x, Pair *p) {
    for (int d = 0; d < x->c->n; d++) {
        const Block *k = &x->c->b[d];
        for (int i = 0; i < k->npred; i++) {
            const Block *b = &x->c->b[k->pred[i]];
            LLVMValueRef first = b->nsucc == 1 ? last_store(b->bb) : NULL;
            for (int j = i + 1; first && j < k->npred; j++) {
                const Block *c = &x->c->b[k->pred[j]];
                LLVMValueRef second = c->nsucc == 1 ? last_store(c->bb) : NULL;
                if (!second || LLVMTypeOf(LLVMGetOperand(first, 0)) != LLVMTypeOf(LLVMGetOperand(second, 0))) continue;
                if (!is_same_address(LLVMGetOperand(first, 1), LLVMGetOperand(second, 1), 0) ||
                    !diverges(x, k->pred[i], k->pred[j]))
                    continue;
                *p = (Pair){d, {b->bb, c->bb}, {first, second}};
                return true;
            }
        }
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
    for (int n = 0; n < MAX_STORES; n++) {
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
