/* strided_loops.c: by the forms of addresses (affine.h) as they are if nothing wraps: nothing is proved, only costs depend
** on the results. */
#include "passes/analysis/strided_loops.h"
#include "passes/analysis/affine.h"
#include "passes/ir/value.h"
#include <llvm-c/Target.h>

LLVMValueRef accessed_address(LLVMValueRef i, LLVMTypeRef *type) {
    bool store = LLVMIsAStoreInst(i) != NULL;
    if (!store && !LLVMIsALoadInst(i)) return NULL;
    *type = store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
    return LLVMGetOperand(i, store ? 1 : 0);
}

typedef struct InLoop {
    const Cfg *c;
    int loop;
} InLoop;

/* Such as the size of a row: unknown, but the same in all iterations. */
static bool is_invariant(const void *in_loop, LLVMValueRef v) {
    const InLoop *x = in_loop;
    return !LLVMIsAConstantInt(v) && !cfg_in_loop(x->c, x->loop, v);
}

static bool address_form(const InLoop *x, LLVMValueRef p, Affine *a) {
    AffineRules rules = {.flags = AFFINE_ASSUME,
                         .layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(x->c->fn)),
                         .is_scale = is_invariant,
                         .context = x};
    return affine_of(&rules, p, AFFINE_SAME, a);
}

/* ---- steps ---- */

/* The counter of a term steps by a value unknown here, or by `far` bytes. */
static bool steps_far(const InLoop *x, const AffineTerm *t, int64_t far) {
    for (unsigned k = 0; k < LLVMCountIncoming(t->v); k++) {
        LLVMValueRef next = LLVMGetIncomingValue(t->v, k);
        if (!cfg_in_loop(x->c, x->loop, next) || opcode(next) != LLVMAdd) continue;
        LLVMValueRef step = LLVMGetOperand(next, LLVMGetOperand(next, 0) == t->v);
        if (LLVMGetOperand(next, 0) != t->v && LLVMGetOperand(next, 1) != t->v) continue;
        if (is_invariant(x, step)) return true;
        if (!LLVMIsAConstantInt(step)) continue;
        int64_t bytes = LLVMConstIntGetSExtValue(step) * t->factor;
        if (t->scale[0] || bytes >= far || bytes <= -far) return true;
    }
    return false;
}

bool strides_far(const Cfg *c, LLVMValueRef p, int loop, int64_t far) {
    InLoop x = {c, loop};
    Affine a;
    if (!cfg_in_loop(c, loop, p) || !address_form(&x, p, &a)) return false;
    for (int k = 0; k < a.n; k++)
        if (cfg_is_header_phi(c, loop, a.term[k].v) && steps_far(&x, &a.term[k], far)) return true;
    return false;
}

/* ---- neighbours ---- */

static bool is_pointer(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind; }

static LLVMValueRef base_of(const Affine *a) {
    for (int k = 0; k < a->n; k++)
        if (is_pointer(a->term[k].v)) return a->term[k].v;
    return NULL;
}

static bool has_same_term(const Affine *a, const AffineTerm *t) {
    for (int k = 0; k < a->n; k++) {
        const AffineTerm *own = &a->term[k];
        bool same = own->v == t->v && own->factor == t->factor;
        for (int e = 0; e < AFFINE_SCALES && same; e++) same = own->scale[e] == t->scale[e];
        if (same) return true;
    }
    return false;
}

/* Their distance is a constant. */
static bool differ_by_constant(const Affine *a, const Affine *b) {
    bool same = a->n == b->n;
    for (int k = 0; k < a->n && same; k++) same = has_same_term(b, &a->term[k]);
    return same;
}

bool has_neighbouring_row(const Cfg *c, LLVMValueRef load, int loop) {
    InLoop x = {c, loop};
    Affine own, other;
    if (!address_form(&x, LLVMGetOperand(load, 0), &own) || !base_of(&own)) return false;
    for_each_loop_instruction(i, b, c, &c->l[loop])
        if (LLVMIsALoadInst(i) && address_form(&x, LLVMGetOperand(i, 0), &other) && base_of(&other) == base_of(&own) &&
            !differ_by_constant(&own, &other))
            return true;
    return false;
}
