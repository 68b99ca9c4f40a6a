/* raise_cas_loops: a loop that applies one operation by compare-and-swap becomes the atomic operation.
**
** in:  kernels and device functions in normal form
** out: `do { assumed = old; old = atomicCAS(p, assumed, assumed + v); } while (old != assumed)`, with v the same in
**      each iteration, is `atomicrmw add p, v`; so are the bits of a float or double, and sub, and, or, xor, min, max
**      of integers. The loop's last `assumed` is the old value. CUDA's own guide sums doubles so.
** Why: atomics are combined, unrolled over the lanes, and plain operations on shared memory; a loop runs lane by lane.
** Refuses: other uses of the new value, and loops that do anything else (outline_cas_loops takes those). A plain load
** of the first `assumed` is removed as well: an outdated value only costs an iteration. */
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include "passes/ir/edit_cfg.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

typedef struct Retry {
    LLVMBasicBlockRef body, latch, out; /* latch: an empty block, or body */
    LLVMValueRef assumed, swap, by;     /* phi; cmpxchg; v */
    LLVMAtomicRMWBinOp op;
    LLVMTypeRef type; /* of the operation */
} Retry;

static bool is_in_cas_loop(const Retry *r, LLVMValueRef v) {
    return LLVMIsAInstruction(v) && (LLVMGetInstructionParent(v) == r->body || LLVMGetInstructionParent(v) == r->latch);
}

/* ---- the loop ---- */

static bool find_cas_blocks(const Cfg *c, int loop, Retry *r) {
    const Loop *l = &c->l[loop];
    if (l->last > l->first + 1 || l->nlatches != 1) return false;
    r->body = c->b[l->header].bb;
    r->latch = c->b[l->latches[0]].bb;
    const Block *b = &c->b[l->header];
    if (b->nsucc != 2 || (r->latch != r->body && !is_empty_block(r->latch))) return false;
    int back = b->succ[0] == l->latches[0] ? 0 : 1;
    r->out = c->b[b->succ[!back]].bb;
    return b->succ[back] == l->latches[0] && !cfg_loop_contains(c, loop, b->succ[!back]);
}

static bool take_binary(Retry *r, LLVMValueRef v, LLVMAtomicRMWBinOp op, bool commutes) {
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    LLVMValueRef old = LLVMIsABitCastInst(a) ? LLVMGetOperand(a, 0) : a;
    if (commutes && old != r->assumed) {
        LLVMValueRef t = a;
        a = b, b = t;
        old = LLVMIsABitCastInst(a) ? LLVMGetOperand(a, 0) : a;
    }
    if (old != r->assumed || is_in_cas_loop(r, b)) return false;
    r->by = b, r->op = op, r->type = LLVMTypeOf(b);
    return true;
}

static bool take_minimum(Retry *r, LLVMValueRef call) {
    static const struct {
        const char *name;
        LLVMAtomicRMWBinOp op;
    } ops[] = {{"llvm.umax", LLVMAtomicRMWBinOpUMax},
               {"llvm.umin", LLVMAtomicRMWBinOpUMin},
               {"llvm.smax", LLVMAtomicRMWBinOpMax},
               {"llvm.smin", LLVMAtomicRMWBinOpMin}};
    LLVMValueRef f = LLVMGetCalledValue(call);
    unsigned id = LLVMIsAFunction(f) ? LLVMGetIntrinsicID(f) : 0;
    for (size_t k = 0; id && k < sizeof ops / sizeof *ops; k++)
        if (id == LLVMLookupIntrinsicID(ops[k].name, strlen(ops[k].name))) return take_binary(r, call, ops[k].op, true);
    return false;
}

/* What is stored: the operation on `assumed`. */
static bool find_operation(Retry *r) {
    LLVMValueRef v = LLVMGetOperand(r->swap, 2);
    if (LLVMIsABitCastInst(v)) v = LLVMGetOperand(v, 0);
    if (!is_in_cas_loop(r, v)) return false;
    switch (opcode(v)) {
    case LLVMAdd: return take_binary(r, v, LLVMAtomicRMWBinOpAdd, true);
    case LLVMFAdd: return take_binary(r, v, LLVMAtomicRMWBinOpFAdd, true);
    case LLVMSub: return take_binary(r, v, LLVMAtomicRMWBinOpSub, false);
    case LLVMFSub: return take_binary(r, v, LLVMAtomicRMWBinOpFSub, false);
    case LLVMAnd: return take_binary(r, v, LLVMAtomicRMWBinOpAnd, true);
    case LLVMOr: return take_binary(r, v, LLVMAtomicRMWBinOpOr, true);
    case LLVMXor: return take_binary(r, v, LLVMAtomicRMWBinOpXor, true);
    case LLVMCall: return take_minimum(r, v);
    default: return false;
    }
}

/* A part of the loop: computes the operation, tests whether the swap succeeded, or is the swap itself. */
static bool belongs(Retry *r, LLVMValueRef i) {
    if (LLVMIsAPHINode(i)) return LLVMCountIncoming(i) == 2 && (!r->assumed || r->assumed == i) && (r->assumed = i);
    if (LLVMIsAAtomicCmpXchgInst(i)) return !r->swap && !LLVMGetVolatile(i) && (r->swap = i);
    if (LLVMIsACallInst(i)) return is_pure_intrinsic(i);
    return !LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i) && !LLVMIsAAtomicRMWInst(i) && !LLVMIsAFenceInst(i) &&
           !LLVMIsAAllocaInst(i);
}

/* The old value returned by the swap, or whether it succeeded. */
static bool is_result(const Retry *r, LLVMValueRef v, unsigned field) {
    return LLVMIsAExtractValueInst(v) && LLVMGetOperand(v, 0) == r->swap && LLVMGetIndices(v)[0] == field;
}

/* The branch leaves the loop if the old value is the assumed one. */
static bool ends_on_success(const Retry *r) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(r->body), c = LLVMGetCondition(t);
    bool leaves_if = LLVMGetSuccessor(t, 0) == r->out;
    if (is_result(r, c, 1)) return leaves_if;
    if (opcode(c) != LLVMICmp) return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(c);
    LLVMValueRef a = LLVMGetOperand(c, 0), b = LLVMGetOperand(c, 1);
    bool compares = (a == r->assumed && is_result(r, b, 0)) || (b == r->assumed && is_result(r, a, 0));
    return compares && p == (leaves_if ? LLVMIntEQ : LLVMIntNE);
}

/* After the loop only the old value is used. */
static bool only_old_is_used(const Retry *r) {
    for_each_in_block(i, r->body)
        for_each_user(user, i)
            if (!is_in_cas_loop(r, user) && i != r->assumed && !is_result(r, i, 0)) return false;
    return true;
}

static bool is_raisable(const Cfg *c, int loop, Retry *r) {
    if (!find_cas_blocks(c, loop, r)) return false;
    for_each_in_block(i, r->body)
        if (!belongs(r, i)) return false;
    if (!r->assumed || !r->swap || LLVMGetOperand(r->swap, 1) != r->assumed ||
        is_in_cas_loop(r, LLVMGetOperand(r->swap, 0)))
        return false;
    LLVMValueRef next = LLVMGetIncomingValue(r->assumed, LLVMGetIncomingBlock(r->assumed, 0) == r->latch ? 0 : 1);
    return is_result(r, next, 0) && find_operation(r) && ends_on_success(r) && only_old_is_used(r);
}

/* ---- the operation ---- */

static void drop_unused_load(LLVMValueRef v) {
    if (LLVMIsALoadInst(v) && !LLVMGetFirstUse(v) && !LLVMGetVolatile(v) &&
        LLVMGetOrdering(v) == LLVMAtomicOrderingNotAtomic)
        LLVMInstructionEraseFromParent(v);
}

static void raise_loop(LLVMBuilderRef b, const Retry *r) {
    LLVMTypeRef t = LLVMTypeOf(r->assumed);
    set_insert_point(b, r->swap);
    LLVMValueRef rmw =
        LLVMBuildAtomicRMW(b, r->op, LLVMGetOperand(r->swap, 0), r->by, LLVMGetCmpXchgSuccessOrdering(r->swap), 0);
    LLVMSetAtomicSyncScopeID(rmw, LLVMGetAtomicSyncScopeID(r->swap));
    LLVMSetAlignment(rmw, LLVMGetAlignment(r->swap));
    LLVMValueRef old = r->type == t ? rmw : LLVMBuildBitCast(b, rmw, t, "old");
    LLVMValueRef first = LLVMGetIncomingValue(r->assumed, LLVMGetIncomingBlock(r->assumed, 0) == r->latch ? 1 : 0);
    for_each_in_block(i, r->body)
        if (i == r->assumed || is_result(r, i, 0)) LLVMReplaceAllUsesWith(i, old);
    for (LLVMValueRef i = LLVMGetLastInstruction(r->body), before; i; i = before) {
        before = LLVMGetPreviousInstruction(i);
        if (i != rmw && i != old && !LLVMGetFirstUse(i)) LLVMInstructionEraseFromParent(i);
    }
    LLVMPositionBuilderAtEnd(b, r->body);
    LLVMBuildBr(b, r->out);
    if (r->latch != r->body) LLVMDeleteBasicBlock(r->latch);
    drop_unused_load(first);
}

bool raise_cas_loops(Module *m) {
    if (pass_disabled(m, "raise_cas_loops")) return true;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_function(f, m->mod) {
        if (LLVMIsDeclaration(f)) continue;
        const Cfg *c = cfg_build(&m->arena, f);
        for (int x = 0; x < c->nloops; x++) {
            Retry r = {0};
            if (is_raisable(c, x, &r)) raise_loop(b, &r);
        }
    }
    LLVMDisposeBuilder(b);
    return true;
}
