/* defer_atomics: atomics on an address that all groups of a block share are combined in a register; a part of
** loop_groups.
**
**   for each group: atomicrmw add p, reduce(v)   becomes   sum = 0; for each group: sum += v;
**                                                          if (reduce(sum) != 0) atomicrmw add p, reduce(sum)
**
** For operations on integers whose order is not seen, relaxed, whose result is unused, on a parameter of the kernel
** plus constants. What a thread has added becomes visible when all groups of its block have run to the next barrier, so
** nothing that the thread does between its atomic and that barrier may access the memory: other accesses after it are
** of other parameters, one of which is __restrict__, of elements at other constants, or of shared or local memory.
** Accesses of other threads would be races: no barrier is between. And nothing in the region may wait for another
** thread: no volatile or ordered access, fence, compare-and-swap, unknown call, nor atomics in loops whose result is
** used. */
#include "passes/analysis/accesses.h"
#include "passes/analysis/root_parameter.h"
#include "passes/groups/loop_groups.h"
#include "passes/ir/atomic_ops.h"
#include "passes/ir/edit.h"
#include "passes/ir/math.h"
#include "passes/ir/value.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { DEPTH = 6 };

typedef struct Deferred {
    LLVMValueRef atomic, sum; /* of the group code; alloca */
    LLVMTypeRef type;         /* of the sum: a vector where each group reduces one */
    Vec(LLVMValueRef) copies;
} Deferred;

/* ---- legality ---- */

/* p, or its target if some lane is active: select(any, p, scratch memory). */
static LLVMValueRef target_of(LLVMValueRef atomic, LLVMValueRef *any) {
    LLVMValueRef p = LLVMGetOperand(atomic, 0);
    *any = NULL;
    if (!LLVMIsASelectInst(p)) return p;
    LLVMValueRef other = LLVMGetOperand(p, 2);
    while (LLVMIsAAddrSpaceCastInst(other)) other = LLVMGetOperand(other, 0);
    if (!LLVMIsAAllocaInst(other)) return p;
    *any = LLVMGetOperand(p, 0);
    return LLVMGetOperand(p, 1);
}

/* A parameter plus constants and other parameters: the same in all groups of the grid. */
static bool is_fixed(LLVMValueRef v, int depth) {
    if (LLVMIsAArgument(v) || LLVMIsAConstant(v)) return true;
    if (!is_op(v, OP_GEP | OP_INT_CAST | OP_PTR_CAST | OP_ADD | OP_MUL | OP_SHL) || depth > DEPTH) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_fixed(LLVMGetOperand(v, (unsigned)k), depth + 1)) return false;
    return true;
}

static bool is_restrict(LLVMValueRef fn, int i) {
    return LLVMGetEnumAttributeAtIndex(fn, (LLVMAttributeIndex)i + 1, LLVMGetEnumAttributeKindForName("noalias", 7)) !=
           NULL;
}

static bool are_apart(const Loops *l, LLVMValueRef p, LLVMValueRef q) {
    int a = root_parameter(l->k->fn, p), b = root_parameter(l->k->fn, q);
    if (a < 0 || b == ROOT_UNKNOWN) return false;
    return b == ROOT_OWN || (a != b && (is_restrict(l->k->fn, a) || is_restrict(l->k->fn, b)));
}

/* Both are elements at constants from one base, and do not overlap. i: a load, store or atomic at q. */
static bool are_disjoint(const Loops *l, LLVMValueRef atomic, LLVMValueRef p, LLVMValueRef i, LLVMValueRef q) {
    LLVMTargetDataRef dl = l->k->m->dl;
    int64_t a, b, size = (int64_t)LLVMABISizeOfType(dl, LLVMTypeOf(LLVMGetOperand(atomic, 1)));
    LLVMTypeRef t = LLVMIsAAtomicRMWInst(i) ? LLVMTypeOf(LLVMGetOperand(i, 1)) : accessed_type(i);
    if (!same_address(access_base(dl, p, &a), access_base(dl, q, &b))) return false;
    return a + size <= b || b + (int64_t)LLVMABISizeOfType(dl, t) <= a;
}

static bool is_deferrable(const Loops *l, LLVMValueRef i) {
    LLVMValueRef any, v;
    if (!LLVMIsAAtomicRMWInst(i) || LLVMGetVolatile(i) || LLVMGetFirstUse(i)) return false;
    if (LLVMGetOrdering(i) != LLVMAtomicOrderingMonotonic) return false;
    v = LLVMGetOperand(i, 1);
    LLVMValueRef p = target_of(i, &any);
    return is_integer(v) && atomic_identity(LLVMGetAtomicRMWBinOp(i), LLVMTypeOf(v)) && is_fixed(p, 0) &&
           root_parameter(l->k->fn, p) >= 0;
}

static bool is_id(Name n) { return n >= NAME_TID_X && n <= NAME_NCTAID_Z; }

/* An intrinsic that accesses memory only at its operands, as masked accesses do. */
static bool accesses_operands(LLVMValueRef i) {
    static const char *const names[] = {"llvm.masked.", "llvm.memcpy.", "llvm.memset.", "llvm.memmove."};
    const char *name = called_name(i);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strncmp(name, names[k], strlen(names[k]))) return true;
    return false;
}

/* A function without effects, as those of math. */
static bool accesses_nothing(LLVMValueRef call) {
    LLVMValueRef f = LLVMGetCalledValue(call);
    unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
    if (!LLVMIsAFunction(f)) return false;
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
    return a && !LLVMGetEnumAttributeValue(a) && name_of_call(call) == NAME_NONE;
}

static bool is_harmless_call(LLVMValueRef i) {
    Name n = name_of_call(i);
    return is_pure_intrinsic(i) || is_lifetime(i) || is_assume(i) || math_row_of_call(i) || is_id(n) ||
           n == NAME_FRAME_SLOT || n == NAME_BLOCK_CUR || n == NAME_BLOCK_NEXT || n == NAME_LANE || n == NAME_LINEAR ||
           n == NAME_GLOBAL_X || n == NAME_SHARED || n == NAME_ACTIVE || accesses_nothing(i);
}

/* A thread may wait for another one in it. */
static bool may_wait(const Loops *l, LLVMValueRef i, int block) {
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) return !is_plain_access(i);
    if (LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i) || LLVMIsAInvokeInst(i)) return true;
    if (LLVMIsAAtomicRMWInst(i))
        return LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingMonotonic ||
               (LLVMGetFirstUse(i) && l->cfg->b[block].loop >= 0);
    return LLVMIsACallInst(i) && !accesses_operands(i) && !is_harmless_call(i);
}

static bool region_may_wait(const Loops *l, const Region *r) {
    for (int b = 0; b < l->cfg->n; b++)
        for (LLVMValueRef i = r->has[b] ? LLVMGetFirstInstruction(l->cfg->b[b].bb) : NULL; i;
             i = LLVMGetNextInstruction(i))
            if (i != r->barrier && may_wait(l, i, b)) return true;
    return false;
}

/* i, which a thread executes after the atomic, may access its memory; the same operation does not matter. */
static bool conflicts(const Loops *l, LLVMValueRef atomic, LLVMValueRef i) {
    LLVMValueRef any, p = target_of(atomic, &any);
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
        return !are_apart(l, p, accessed_at(i)) && !are_disjoint(l, atomic, p, i, accessed_at(i));
    if (LLVMIsAAtomicRMWInst(i)) {
        bool same = is_deferrable(l, i) && LLVMGetAtomicRMWBinOp(i) == LLVMGetAtomicRMWBinOp(atomic);
        LLVMValueRef q = target_of(i, &any);
        return !same && !are_apart(l, p, q) && !are_disjoint(l, atomic, p, i, q);
    }
    if (!LLVMIsACallInst(i) || !accesses_operands(i)) return false;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++) {
        LLVMValueRef q = LLVMGetOperand(i, k);
        LLVMTypeRef t = is_vector(q) ? LLVMGetElementType(LLVMTypeOf(q)) : LLVMTypeOf(q);
        if (LLVMGetTypeKind(t) == LLVMPointerTypeKind && !are_apart(l, p, q)) return true;
    }
    return false;
}

/* Something between the atomic and the end of the region. */
static bool conflict_follows(const Loops *l, const Region *r, LLVMValueRef atomic) {
    const Cfg *c = l->cfg;
    bool *seen = arena_array(l->a, bool, c->n);
    Vec(int) work = {0};
    LLVMValueRef from = LLVMGetNextInstruction(atomic);
    for (int b = cfg_block_of(c, atomic);;) {
        for (LLVMValueRef i = from; i; i = LLVMGetNextInstruction(i))
            if (conflicts(l, atomic, i)) return true;
        for (int s = 0; s < c->b[b].nsucc; s++) {
            int to = c->b[b].succ[s];
            if (l->region_of[to] >= 0 || !r->has[to] || seen[to]) continue;
            seen[to] = true;
            vec_push(l->a, &work, to);
        }
        if (!work.n) return false;
        b = work.v[--work.n];
        from = LLVMGetFirstInstruction(c->b[b].bb);
    }
}

/* ---- sums ---- */

/* The vector whose elements the operand combines by the same operation; NULL: it is something else. */
static LLVMValueRef reduced_vector(LLVMValueRef atomic) {
    LLVMValueRef v = LLVMGetOperand(atomic, 1), f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
    const char *name = atomic_reduction(LLVMGetAtomicRMWBinOp(atomic));
    return f && LLVMIsAFunction(f) && !strncmp(value_name(f), name, strlen(name)) ? LLVMGetOperand(v, 0) : NULL;
}

static LLVMValueRef identity_of(LLVMValueRef atomic, LLVMTypeRef t) {
    bool vector = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    LLVMValueRef e[64], one = atomic_identity(LLVMGetAtomicRMWBinOp(atomic), vector ? LLVMGetElementType(t) : t);
    if (!vector) return one;
    for (unsigned i = 0; i < LLVMGetVectorSize(t); i++) e[i] = one;
    return LLVMConstVector(e, LLVMGetVectorSize(t));
}

static Deferred *deferred_atomic(const Region *r, LLVMValueRef i) {
    for (int k = 0; k < r->deferred.n; k++)
        if (r->deferred.v[k]->atomic == i) return r->deferred.v[k];
    return NULL;
}

void start_deferred(Loops *l, Region *r) {
    Module *m = l->k->m;
    if (!m->opt->opt_level || m->opt->check || counts_lanes(m) || pass_disabled(m, "defer_atomics")) return;
    if (l->has_records || fn_attr_int(l->k->fn, ATTR_FLAGS, 0) & CUCPU_KERNEL_POLLS || region_may_wait(l, r)) return;
    for (int b = 0; b < l->cfg->n; b++) {
        for (LLVMValueRef i = r->has[b] ? LLVMGetFirstInstruction(l->cfg->b[b].bb) : NULL; i;
             i = LLVMGetNextInstruction(i)) {
            if (!is_deferrable(l, i) || conflict_follows(l, r, i)) continue;
            LLVMValueRef vector = reduced_vector(i);
            Deferred *d = arena_alloc(l->a, sizeof *d);
            *d = (Deferred){.atomic = i, .type = LLVMTypeOf(vector ? vector : LLVMGetOperand(i, 1))};
            d->sum = entry_scratch(l->entry, d->type, "deferred");
            LLVMBuildStore(l->b, identity_of(i, d->type), d->sum);
            vec_push(l->a, &r->deferred, d);
        }
    }
}

void note_deferred(Loops *l, Region *r, LLVMValueRef i, LLVMValueRef copy) {
    Deferred *d = deferred_atomic(r, i);
    if (d) vec_push(l->a, &d->copies, copy);
}

/* The copy for a group adds to the sum instead. */
static void accumulate_deferred(Loops *l, const Deferred *d, LLVMValueRef copy) {
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(copy);
    LLVMValueRef any, v = LLVMGetOperand(copy, 1);
    target_of(copy, &any);
    LLVMPositionBuilderBefore(l->b, copy);
    if (LLVMGetTypeKind(d->type) == LLVMVectorTypeKind) v = LLVMGetOperand(v, 0);
    if (any) v = LLVMBuildSelect(l->b, any, v, identity_of(copy, d->type), "");
    LLVMValueRef old = LLVMBuildLoad2(l->b, d->type, d->sum, "");
    if (op == LLVMAtomicRMWBinOpSub) op = LLVMAtomicRMWBinOpAdd;
    LLVMBuildStore(l->b, relaxed_result(l->b, op, old, v), d->sum);
    LLVMInstructionEraseFromParent(copy);
}

static LLVMValueRef fixed_value(Loops *l, LLVMValueRef v) {
    if (LLVMIsAConstant(v)) return v;
    if (LLVMIsAArgument(v)) return mapped(l, v);
    LLVMValueRef operand[16], c;
    int n = LLVMGetNumOperands(v);
    for (int k = 0; k < n; k++) operand[k] = fixed_value(l, LLVMGetOperand(v, (unsigned)k));
    c = clone_at(l->b, v);
    for (int k = 0; k < n; k++) LLVMSetOperand(c, (unsigned)k, operand[k]);
    return c;
}

/* What all groups have added. */
static void finish_sum(Loops *l, const Deferred *d) {
    LLVMValueRef any, p = fixed_value(l, target_of(d->atomic, &any)), v = LLVMBuildLoad2(l->b, d->type, d->sum, "");
    if (LLVMGetTypeKind(d->type) == LLVMVectorTypeKind) {
        const char *name = atomic_reduction(LLVMGetAtomicRMWBinOp(d->atomic));
        unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
        LLVMTypeRef t = d->type;
        LLVMValueRef f = LLVMGetIntrinsicDeclaration(l->mod, id, &t, 1);
        v = LLVMBuildCall2(l->b, LLVMIntrinsicGetType(l->k->m->ctx, id, &t, 1), f, &v, 1, "");
    }
    LLVMBasicBlockRef some = new_block(l, "deferred.some"), done = new_block(l, "deferred.done");
    LLVMValueRef is = LLVMBuildICmp(l->b, LLVMIntNE, v, identity_of(d->atomic, LLVMTypeOf(v)), "");
    LLVMBuildCondBr(l->b, is, some, done);
    LLVMPositionBuilderAtEnd(l->b, some);
    LLVMSetCurrentDebugLocation2(l->b, LLVMInstructionGetDebugLoc(d->atomic));
    LLVMValueRef all = clone_at(l->b, d->atomic);
    LLVMSetOperand(all, 0, p);
    LLVMSetOperand(all, 1, v);
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
}

void finish_deferred(Loops *l, Region *r) {
    LLVMBasicBlockRef out = LLVMGetInsertBlock(l->b);
    for (int k = 0; k < r->deferred.n; k++)
        for (int c = 0; c < r->deferred.v[k]->copies.n; c++)
            accumulate_deferred(l, r->deferred.v[k], r->deferred.v[k]->copies.v[c]);
    LLVMPositionBuilderAtEnd(l->b, out);
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    for (int k = 0; k < r->deferred.n; k++) finish_sum(l, r->deferred.v[k]);
}
