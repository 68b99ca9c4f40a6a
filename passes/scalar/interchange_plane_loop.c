/* interchange_plane_loop: a kernel whose threads march through planes has a variant in which a row of blocks marches together.
**
**   if (inside) {                                       bool on = inside;
**       before(x, y)                                    if (on) before(x, y)
**       for (z = a; z < n; z++) body(z)                 for (z = a; z < n; z += STEPS) {
**       behind()                                            if (on) for (k = z; k < min(n, z + STEPS); k++) body(k)
**   }                                                       __syncthreads()
**                                                       }
**                                                       if (on) behind()
**
** Group after group would go through all planes, and take a line or two of each: where planes lie a multiple of a large power of two
** apart, or are many, what the next group, row or block reads again is gone by then.  Together they read a plane from its start to
** its end, and leave the neighbouring ones in the cache.  The price: what a thread carries goes through the frame each STEPS passes.
** Where all of it stays in the cache anyway the kernel as it stands is faster: which one runs is asked at the start of each call of the
** entry (loop_groups), by a function of the kernel's arguments that is made here (cucpu.interchanged).
** Part of make_variants.  in: kernels that coalesce_blocks has taken, whose neighbours along x do not look at each other; loops in normal form
** (rotated).  The barrier is one of all blocks that run as a row: it orders nothing that threads could tell.
** Fires on a loop that is no part of another one, has one way out and no loop inside; all threads that come to it make the same
** passes, as the arguments of the launch say, and accesses of neighbouring lanes lie beside each other.
** Refuses: atomics, volatile accesses and calls in the loop; other code that threads run which do not come to the loop; kernels whose results
** tell in which order threads ran (sums of floats, printf), which is not that of blocks here. */
#include "cpu-runtime/abi.h"
#include "passes/analysis/strided_loops.h"
#include "passes/ir/math.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/clone_blocks.h"
#include "passes/ir/slice.h"
#include "passes/ir/value.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 2,
    DEPTH = 12,
    MOST_CARRIED = 4,
    MOST_COUNTERS = 8,
    MOST_ARRAYS = 8,
    MOST_OPERANDS = 4,
    LIMIT = 150 /* instructions of the loop */
};
enum {
    LINE = 64,
    FAR = 4 * LINE /* bytes from pass to pass */,
    TOUCHED = 16 * LINE /* bytes of a plane, by an access of the rows of a block */
};

/* Operations that are done again elsewhere. */
enum { COMPUTED = OP_ADD | OP_MUL | OP_SHIFT | OP_BITWISE | OP_INT_CAST | OP_ICMP | OP_SELECT | OP_GEP };

typedef struct Counter { /* phi + step, or the address phi[step] */
    LLVMValueRef phi, next, step, at[STEPS + 1];
    bool
        clamped; /* what it starts with is not affine in the lanes: at[] is what 64 bits of it have grown by since then */
} Counter;

typedef struct Carried {
    LLVMValueRef phi, next, slot;
} Carried;

typedef struct March {
    Module *m;
    Arena *a;
    LLVMBuilderRef b;
    const Cfg *c;
    LLVMValueRef fn;
    int loop, pre, exiting, exit;
    int meet; /* where threads that do not come to the loop go to; -1: there are none */
    LLVMValueRef test, limit, on;
    int tested; /* its counter */
    bool tests_next, goes_on;
    Counter counter[MOST_COUNTERS];
    Carried carried[MOST_CARRIED];
    int ncounters, ncarried;
    Vec(Carried)
        results; /* phis behind the loop: next is what they take from it; slot: NULL if it can be computed there */
    const Shapes *s;
    LLVMBasicBlockRef start, head, join, left; /* in front of the new loop; its header; its end; behind it */
    LLVMValueRef more[STEPS];                  /* [k]: there is a pass behind pass k */
    Vec(LLVMBasicBlockRef) made;
    PtrMap early;              /* values of `before` -> the same for all threads, in `start` */
    PtrMap behind;             /* values of the loop -> the same, in `left` */
    LLVMValueRef worth, given; /* the function, and what it has to ask besides */
    PtrMap asked;              /* values -> the same in it */
} March;

static LLVMBasicBlockRef block(const March *x, int b) { return x->c->b[b].bb; }
static LLVMTypeRef i64(const March *x) { return LLVMInt64TypeInContext(x->m->ctx); }

/* ---- the shape of the kernel ---- */

static bool find_loop_exit(March *x) {
    const Loop *l = &x->c->l[x->loop];
    x->exiting = -1;
    for (int b = l->first; b <= l->last; b++)
        for (int k = 0; k < x->c->b[b].nsucc; k++) {
            int to = x->c->b[b].succ[k];
            if (cfg_loop_contains(x->c, x->loop, to)) continue;
            if (x->exiting >= 0) return false;
            x->exiting = b;
            x->exit = to;
        }
    return x->exiting >= 0 && x->c->b[x->exiting].nsucc == 2 && x->c->b[x->exit].npred == 1;
}

/* Behind the test there is nothing but the way back. */
static bool ends_with_test(const March *x) {
    const Loop *l = &x->c->l[x->loop];
    int latch = l->latches[0];
    if (l->nlatches != 1 || latch == x->exiting) return l->nlatches == 1;
    bool follows = x->c->b[x->exiting].succ[0] == latch || x->c->b[x->exiting].succ[1] == latch;
    return follows && x->c->b[latch].npred == 1 && LLVMIsATerminatorInst(LLVMGetFirstInstruction(block(x, latch)));
}

/* Where all threads meet; those that come to the loop must meet nobody before. */
static bool find_meeting(March *x) {
    int q = x->pre;
    while (q >= 0 && !cfg_postdominates(x->c, q, 0)) q = x->c->b[q].ipdom;
    if (q < 0) return false;
    x->meet = q == x->pre ? -1 : q;
    return true;
}

static bool meets_nobody_before(const March *x) {
    int q = x->meet;
    for (int b = 0; b < x->c->n; b++) {
        if (!cfg_dominates(x->c, x->exit, b)) continue;
        for (int k = 0; k < x->c->b[b].nsucc; k++)
            if (x->c->b[b].succ[k] != x->meet && !cfg_dominates(x->c, x->exit, x->c->b[b].succ[k])) return false;
    }
    for (int k = 0; q >= 0 && k < x->c->b[q].npred; k++) {
        int p = x->c->b[q].pred[k];
        if (!cfg_dominates(x->c, x->exit, p) && x->c->b[p].nsucc != 1) return false;
    }
    return true;
}

static bool find_plane_loop(March *x) {
    const Loop *l = &x->c->l[x->loop];
    const Block *h = &x->c->b[l->header];
    if (!cfg_is_innermost(x->c, x->loop) || l->depth != 1 || h->npred != 2 || !find_loop_exit(x) || !ends_with_test(x))
        return false;
    x->pre = h->pred[h->pred[0] == l->latches[0]];
    return x->c->b[x->pre].nsucc == 1 && find_meeting(x);
}

/* ---- values ---- */

static bool is_recomputable(LLVMValueRef v) { return is_op(v, COMPUTED) && LLVMGetNumOperands(v) <= MOST_OPERANDS; }

static bool is_available_early(const March *x, LLVMValueRef v) {
    if (!LLVMIsAInstruction(v)) return true;
    int b = cfg_block_of(x->c, v);
    return cfg_dominates(x->c, b, x->meet >= 0 ? x->meet : x->pre);
}

static LLVMValueRef early_value(const void *march, LLVMValueRef v) { return is_available_early(march, v) ? v : NULL; }

static bool is_thread_id(const void *march, LLVMValueRef i) {
    Name n = name_of_call(i);
    (void)march;
    return (n >= NAME_TID_X && n <= NAME_NCTAID_Z) || n == NAME_GLOBAL_X;
}

/* What is computed in front of the loop, by all threads: what guards imply does not hold for all (nuw). */
static Slice early_slice(const March *x) {
    return (Slice){early_value, x, COMPUTED, is_thread_id, DEPTH, SLICE_DROP_NUW, false};
}

static bool can_be_early(const March *x, LLVMValueRef v) {
    Slice s = early_slice(x);
    return slice_can_clone(&s, v);
}

static LLVMValueRef early(March *x, LLVMValueRef v) {
    if (is_available_early(x, v)) return v;
    Slice s = early_slice(x);
    LLVMPositionBuilderAtEnd(x->b, x->start);
    return slice_clone(&s, x->b, v, &x->early);
}

static LLVMValueRef counter_step(LLVMValueRef phi, LLVMValueRef next) {
    LLVMOpcode op = opcode(next);
    if (op == LLVMAdd && LLVMGetOperand(next, 0) == phi) return LLVMGetOperand(next, 1);
    if (op == LLVMAdd && LLVMGetOperand(next, 1) == phi) return LLVMGetOperand(next, 0);
    return op == LLVMGetElementPtr && LLVMGetNumOperands(next) == 2 && LLVMGetOperand(next, 0) == phi
               ? LLVMGetOperand(next, 1)
               : NULL;
}

static bool is_bit(LLVMValueRef v) { return opcode(v) == LLVMZExt && LLVMIsAICmpInst(LLVMGetOperand(v, 0)); }

/* Neighbouring lanes have neighbouring values, but for some at a border: affine ones that are selected, or made one more. */
static bool is_affine_but_border(const March *x, LLVMValueRef v, int depth) {
    LLVMOpcode op = opcode(v);
    if (shapes_is_affine(x->s, v)) return true;
    if (depth > DEPTH) return false;
    if (op == LLVMSelect)
        return is_affine_but_border(x, LLVMGetOperand(v, 1), depth + 1) &&
               is_affine_but_border(x, LLVMGetOperand(v, 2), depth + 1);
    if (op != LLVMAdd || !LLVMGetNSW(v)) return false;
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    return is_affine_but_border(x, a, depth + 1) && (is_bit(b) || shapes_is_affine(x->s, b));
}

/* The loop asks for v as an index of 64 bits alone. */
static bool is_only_extended(const March *x, LLVMValueRef v, LLVMValueRef other) {
    for_each_user(i, v) {
        bool extends = LLVMIsASExtInst(i) && LLVMTypeOf(i) == LLVMInt64TypeInContext(x->m->ctx);
        if (cfg_in_loop(x->c, x->loop, i) && i != other && !extends) return false;
    }
    return true;
}

static bool make_counter(const March *x, Counter *c) {
    LLVMValueRef start = value_from(c->phi, block(x, x->pre));
    if (!c->step || !is_launch_value(c->step, false, NULL) || !can_be_early(x, start)) return false;
    c->clamped = !shapes_is_affine(x->s, start);
    return !c->clamped ||
           (opcode(c->next) == LLVMAdd && LLVMGetNSW(c->next) &&
            LLVMTypeOf(start) == LLVMInt32TypeInContext(x->m->ctx) && is_affine_but_border(x, start, 0) &&
            is_only_extended(x, c->phi, c->next) && is_only_extended(x, c->next, c->phi));
}

static bool find_phis(March *x) {
    LLVMBasicBlockRef header = block(x, x->c->l[x->loop].header), latch = block(x, x->c->l[x->loop].latches[0]);
    for_each_phi(p, header) {
        LLVMValueRef next = value_from(p, latch);
        Counter c = {.phi = p, .next = next, .step = counter_step(p, next)};
        if (make_counter(x, &c)) {
            if (x->ncounters == MOST_COUNTERS) return false;
            x->counter[x->ncounters++] = c;
        } else {
            if (x->ncarried == MOST_CARRIED) return false;
            x->carried[x->ncarried++] = (Carried){.phi = p, .next = next};
        }
    }
    for_each_phi(p, block(x, x->exit))
        vec_push(x->a, &x->results, ((Carried){.phi = p, .next = LLVMGetIncomingValue(p, 0)}));
    return true;
}

/* Nobody may come to the loop, so that it is not said that the counter meets its limit: by single steps it does. */
static bool ends(const March *x, const Counter *c) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(x->test);
    if (p != LLVMIntEQ && p != LLVMIntNE) return true;
    return LLVMIsAConstantInt(c->step) && llabs(LLVMConstIntGetSExtValue(c->step)) == 1;
}

/* The loop goes on by a counter and what is known at the launch. */
static bool find_loop_test(March *x) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(block(x, x->exiting)), c = LLVMGetCondition(t);
    if (!LLVMIsAICmpInst(c)) return false;
    x->goes_on = LLVMGetSuccessor(t, 0) != block(x, x->exit);
    x->test = c;
    for (int i = 0; i < x->ncounters; i++)
        for (unsigned k = 0; k < 2; k++) {
            LLVMValueRef v = LLVMGetOperand(c, k);
            if (v != x->counter[i].phi && v != x->counter[i].next) continue;
            x->tested = i;
            x->tests_next = v == x->counter[i].next;
            x->limit = LLVMGetOperand(c, !k);
            return is_integer(v) && is_launch_value(x->limit, false, NULL) && ends(x, &x->counter[i]) &&
                   is_launch_value(value_from(x->counter[i].phi, block(x, x->pre)), false, NULL);
        }
    return false;
}

/* ---- what the loop does ---- */

static bool may_interchange(LLVMValueRef i) {
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    if (LLVMIsACallInst(i)) return is_pure_intrinsic(i) || math_is_vectorizable(i);
    return !LLVMIsAAtomicRMWInst(i) && !LLVMIsAAtomicCmpXchgInst(i) && !LLVMIsAFenceInst(i) && !LLVMIsAInvokeInst(i) &&
           !LLVMIsAAllocaInst(i);
}

static bool depends_on_y(LLVMValueRef v, int depth) {
    if (!LLVMIsAInstruction(v) || depth > DEPTH) return false;
    Name n = name_of_call(v);
    if (n == NAME_TID_Y || n == NAME_CTAID_Y) return true;
    unsigned count = LLVMIsAPHINode(v) ? LLVMCountIncoming(v) : (unsigned)LLVMGetNumOperands(v);
    for (unsigned k = 0; k < count; k++)
        if (depends_on_y(LLVMIsAPHINode(v) ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k), depth + 1)) return true;
    return false;
}

/* array[(long)counter], where the counter is a clamped one. */
static bool goes_by_clamp(const March *x, LLVMValueRef p) {
    LLVMValueRef i =
        LLVMIsAGetElementPtrInst(p) && LLVMGetNumOperands(p) == 2 && !cfg_in_loop(x->c, x->loop, LLVMGetOperand(p, 0))
            ? LLVMGetOperand(p, 1)
            : NULL;
    if (!i || !LLVMIsASExtInst(i)) return false;
    for (int k = 0; k < x->ncounters; k++)
        if (x->counter[k].clamped &&
            (LLVMGetOperand(i, 0) == x->counter[k].phi || LLVMGetOperand(i, 0) == x->counter[k].next))
            return true;
    return false;
}

/* Lanes touch neighbours; what they walk through is that of their row alone, else rows that go together (unroll_and_jam) share it. */
static bool touches_neighbours(const March *x) {
    bool any = false, rows = calls_name(x->fn, NAME_TID_Y, NAME_TID_Y);
    int size = 0;
    for (int b = x->c->l[x->loop].first; b <= x->c->l[x->loop].last; b++)
        for_each_in_block(i, block(x, b)) {
            LLVMTypeRef t;
            int64_t stride;
            if (!may_interchange(i) || ++size > LIMIT) return false;
            LLVMValueRef p = accessed_address(i, &t);
            if (!p || shapes_is_uniform(x->s, p)) continue;
            int64_t bytes = (int64_t)LLVMStoreSizeOfType(x->m->dl, t);
            if (!shapes_lane_stride(x->s, p, &stride)) {
                if (!goes_by_clamp(x, p)) return false;
                continue;
            }
            if (stride < 0 || stride > 4 * bytes) return false;
            if (rows && !depends_on_y(p, 0)) return false;
            any |= stride == bytes;
        }
    return any;
}

/* ---- whether: a function of the arguments of the kernel and the size of a cache ---- */

static LLVMValueRef argument_asked(const void *march, LLVMValueRef v) {
    const March *x = march;
    for (unsigned k = 0; LLVMIsAArgument(v) && k < LLVMCountParams(x->fn); k++)
        if (LLVMGetParam(x->fn, k) == v) return LLVMGetParam(x->worth, k);
    return LLVMIsAConstant(v) ? v : NULL;
}

static LLVMValueRef asked(March *x, LLVMValueRef v) {
    Slice s = {argument_asked, x, COMPUTED, NULL, DEPTH, SLICE_DROP_FLAGS, true};
    return slice_clone(&s, x->b, v, &x->asked);
}

static LLVMValueRef asked_wide(March *x, LLVMValueRef v) {
    return LLVMBuildSExtOrBitCast(x->b, asked(x, v), i64(x), "");
}

static LLVMValueRef element_bytes(const March *x, LLVMValueRef gep) {
    return const_i64(x->m->ctx, LLVMABISizeOfType(x->m->dl, LLVMGetGEPSourceElementType(gep)));
}

/* How far v goes in a pass: bytes for addresses, else units; NULL: that is not known. */
static LLVMValueRef plane_stride(March *x, LLVMValueRef v, int depth) {
    if (!cfg_in_loop(x->c, x->loop, v)) return const_i64(x->m->ctx, 0);
    for (int k = 0; k < x->ncounters; k++) {
        if (v != x->counter[k].phi) continue;
        LLVMValueRef step = asked_wide(x, x->counter[k].step);
        return opcode(x->counter[k].next) == LLVMAdd
                   ? step
                   : LLVMBuildMul(x->b, step, element_bytes(x, x->counter[k].next), "");
    }
    if (!is_recomputable(v) || depth > DEPTH || LLVMGetNumOperands(v) > 2) return NULL;
    LLVMValueRef first = LLVMGetOperand(v, 0), second = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, 1) : NULL;
    LLVMValueRef p = plane_stride(x, first, depth + 1), q = second ? plane_stride(x, second, depth + 1) : NULL;
    if (!p || (second && !q)) return NULL;
    switch (opcode(v)) {
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc: return p;
    case LLVMAdd:
    case LLVMOr: return LLVMBuildAdd(x->b, p, q, "");
    case LLVMSub: return LLVMBuildSub(x->b, p, q, "");
    case LLVMGetElementPtr: return LLVMBuildAdd(x->b, p, LLVMBuildMul(x->b, q, element_bytes(x, v), ""), "");
    case LLVMShl:
        return LLVMIsAConstantInt(second)
                   ? LLVMBuildShl(x->b, p, const_i64(x->m->ctx, LLVMConstIntGetZExtValue(second)), "")
                   : NULL;
    case LLVMMul:
        if (is_launch_value(second, false, NULL)) return LLVMBuildMul(x->b, p, asked_wide(x, second), "");
        return is_launch_value(first, false, NULL) ? LLVMBuildMul(x->b, q, asked_wide(x, first), "") : NULL;
    default: return NULL;
    }
}

static LLVMValueRef greater(March *x, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(x->b, LLVMBuildICmp(x->b, LLVMIntUGT, a, b, ""), a, b, "");
}

static LLVMValueRef absolute_value(March *x, LLVMValueRef v) {
    return LLVMBuildSelect(x->b, LLVMBuildICmp(x->b, LLVMIntSLT, v, const_i64(x->m->ctx, 0), ""),
                           LLVMBuildNeg(x->b, v, ""), v, "");
}

static bool is_short_stride(LLVMValueRef stride) {
    return !LLVMIsAConstantInt(stride) || llabs(LLVMConstIntGetSExtValue(stride)) < FAR;
}

static LLVMValueRef root_of(LLVMValueRef p) {
    for (int k = 0; k < DEPTH && LLVMIsAGetElementPtrInst(p); k++) p = LLVMGetOperand(p, 0);
    return p;
}

/* The longest stride of an access, in bytes; how many accesses go far, and to how many arrays. */
static LLVMValueRef longest_stride(March *x, uint64_t *accesses, uint64_t *arrays) {
    LLVMValueRef most = NULL, root[MOST_ARRAYS];
    *accesses = *arrays = 0;
    for (int b = x->c->l[x->loop].first; b <= x->c->l[x->loop].last; b++)
        for_each_in_block(i, block(x, b)) {
            LLVMTypeRef t;
            LLVMValueRef p = accessed_address(i, &t), stride = p ? plane_stride(x, p, 0) : NULL;
            if (!stride || (LLVMIsConstant(stride) && is_short_stride(stride))) continue;
            most = most ? greater(x, most, absolute_value(x, stride)) : absolute_value(x, stride);
            ++*accesses;
            uint64_t k = 0;
            while (k < *arrays && root[k] != root_of(p)) k++;
            if (k == *arrays && k < MOST_ARRAYS) root[(*arrays)++] = root_of(p);
        }
    return most;
}

/* 0 where the counter steps away from its limit. */
static LLVMValueRef count_trips(March *x) {
    const Counter *k = &x->counter[x->tested];
    LLVMValueRef step = asked_wide(x, k->step), zero = const_i64(x->m->ctx, 0),
                 up = LLVMBuildICmp(x->b, LLVMIntSGT, step, zero, "up");
    LLVMValueRef limit = asked_wide(x, x->limit), start = asked_wide(x, value_from(k->phi, block(x, x->pre)));
    LLVMValueRef way =
        LLVMBuildSelect(x->b, up, LLVMBuildSub(x->b, limit, start, ""), LLVMBuildSub(x->b, start, limit, ""), "way");
    LLVMValueRef ahead = LLVMBuildSelect(x->b, LLVMBuildICmp(x->b, LLVMIntSGT, way, zero, ""), way, zero, "");
    return LLVMBuildUDiv(x->b, ahead, greater(x, absolute_value(x, step), const_i64(x->m->ctx, 1)), "trips");
}

static void begin_question(March *x) {
    unsigned n = LLVMCountParams(x->fn);
    LLVMTypeRef *types = arena_array(x->a, LLVMTypeRef, n + 1);
    for (unsigned k = 0; k < n; k++) types[k] = LLVMTypeOf(LLVMGetParam(x->fn, k));
    types[n] = i64(x);
    char *name = arena_printf(x->a, "%s.worth", value_name(x->fn));
    x->worth = LLVMAddFunction(x->m->mod, name, LLVMFunctionType(LLVMInt1TypeInContext(x->m->ctx), types, n + 1, 0));
    LLVMSetLinkage(x->worth, LLVMInternalLinkage);
    LLVMAppendBasicBlockInContext(x->m->ctx, x->worth, "");
    x->given = const_bool(x->m->ctx, 1);
}

static void ask_here(March *x) {
    LLVMPositionBuilderAtEnd(x->b, LLVMGetEntryBasicBlock(x->worth));
    LLVMSetCurrentDebugLocation2(x->b, NULL);
}

/* Tests of the arguments alone that every thread has to pass which comes to the loop: the variant is for launches that pass them. */
static void take_as_given(March *x) {
    for (int b = x->pre, up; (up = x->c->b[b].idom) >= 0; b = up) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(block(x, up));
        if (x->c->b[up].nsucc != 2 || !LLVMIsABranchInst(t) || !is_launch_value(LLVMGetCondition(t), false, NULL) ||
            x->c->b[b].npred != 1)
            continue;
        bool first = x->c->b[up].succ[0] == b;
        if (!first && x->c->b[up].succ[1] != b) continue;
        ask_here(x);
        LLVMValueRef c = asked(x, LLVMGetCondition(t));
        x->given = LLVMBuildAnd(x->b, x->given, first ? c : LLVMBuildNot(x->b, c, ""), "given");
        LLVMBasicBlockRef other = block(x, x->c->b[up].succ[first]);
        for_each_phi(p, other) shim_remove_phi_incoming(p, block(x, up));
        LLVMPositionBuilderBefore(x->b, t);
        LLVMBuildBr(x->b, block(x, b));
        LLVMInstructionEraseFromParent(t);
    }
}

/* A row of a block comes to more lines, until the next one wants them again, than the cache holds; or to more of those that share a place
** in it: of lines so far apart the fewer have places of their own the higher the lowest bit of the distance is. */
static bool end_question(March *x) {
    uint64_t accesses, arrays;
    ask_here(x);
    LLVMValueRef stride = longest_stride(x, &accesses, &arrays);
    if (!stride) return false;
    LLVMValueRef bit = LLVMBuildAnd(x->b, stride, LLVMBuildNeg(x->b, stride, ""), "");
    LLVMValueRef touched =
        const_i64(x->m->ctx, accesses > 1 ? accesses * TOUCHED : 0); /* what is read once is not missed */
    LLVMValueRef each = greater(x, LLVMBuildMul(x->b, bit, const_i64(x->m->ctx, arrays), ""), touched);
    LLVMValueRef cache = LLVMGetParam(x->worth, LLVMCountParams(x->fn));
    LLVMValueRef many = LLVMBuildICmp(x->b, LLVMIntUGT, LLVMBuildMul(x->b, count_trips(x), each, ""), cache, "many");
    LLVMValueRef far = LLVMBuildICmp(x->b, LLVMIntUGE, stride, const_i64(x->m->ctx, FAR), "far");
    LLVMBuildRet(x->b, LLVMBuildAnd(x->b, x->given, LLVMBuildAnd(x->b, many, far, ""), "worth"));
    return true;
}

/* ---- the new loop ---- */

static LLVMBasicBlockRef new_march_block(March *x, const char *name) {
    LLVMBasicBlockRef b = LLVMInsertBasicBlockInContext(x->m->ctx, block(x, x->exit), name);
    vec_push(x->a, &x->made, b);
    return b;
}

/* Threads that come to the loop, and those that do not, go to `start`. */
static void come_together(March *x) {
    LLVMBasicBlockRef pre = block(x, x->pre);
    LLVMTypeRef i1 = LLVMInt1TypeInContext(x->m->ctx);
    LLVMValueRef phi = NULL, yes = LLVMConstInt(i1, 1, 0), no = LLVMConstInt(i1, 0, 0);
    LLVMPositionBuilderAtEnd(x->b, x->start);
    if (x->meet >= 0) {
        phi = LLVMBuildPhi(x->b, i1, "on");
        LLVMAddIncoming(phi, &yes, &pre, 1);
    }
    x->on = phi ? phi : yes;
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(pre), 0, x->start);
    for (int k = 0; phi && k < x->c->b[x->meet].npred; k++) {
        int p = x->c->b[x->meet].pred[k];
        LLVMBasicBlockRef from = block(x, p);
        if (cfg_dominates(x->c, x->exit, p)) continue;
        LLVMSetSuccessor(LLVMGetBasicBlockTerminator(from), 0, x->start);
        LLVMAddIncoming(phi, &no, &from, 1);
    }
}

/* What those that do not come to the loop bring to the place where all meet. */
static void go_around(March *x) {
    LLVMBasicBlockRef around = new_march_block(x, "around"), meet = block(x, x->meet);
    for_each_phi(p, meet) {
        LLVMValueRef slot = entry_alloca(x->fn, LLVMTypeOf(p), "around");
        for (int k = 0; k < x->c->b[x->meet].npred; k++) {
            int b = x->c->b[x->meet].pred[k];
            if (cfg_dominates(x->c, x->exit, b)) continue;
            LLVMPositionBuilderBefore(x->b, LLVMGetBasicBlockTerminator(block(x, b)));
            LLVMBuildStore(x->b, value_from(p, block(x, b)), slot);
            shim_remove_phi_incoming(p, block(x, b));
        }
        LLVMPositionBuilderAtEnd(x->b, around);
        LLVMValueRef v = LLVMBuildLoad2(x->b, LLVMTypeOf(p), slot, "");
        LLVMAddIncoming(p, &v, &around, 1);
    }
    LLVMPositionBuilderAtEnd(x->b, around);
    LLVMBuildBr(x->b, meet);
    LLVMBasicBlockRef behind = new_march_block(x, "behind");
    LLVMPositionBuilderAtEnd(x->b, x->left);
    LLVMBuildCondBr(x->b, x->on, behind, around);
    x->left = behind;
}

/* All of it is known behind the loop. */
static bool can_be_behind(const March *x, LLVMValueRef v, int depth) {
    if (!cfg_in_loop(x->c, x->loop, v)) return true;
    for (int k = 0; k < x->ncounters; k++)
        if (v == x->counter[k].phi || v == x->counter[k].next) return true;
    if (!is_recomputable(v) || depth > DEPTH) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!can_be_behind(x, LLVMGetOperand(v, (unsigned)k), depth + 1)) return false;
    return true;
}

static void make_slots(March *x) {
    LLVMBasicBlockRef pre = block(x, x->pre);
    for (int k = 0; k < x->ncarried; k++) {
        Carried *c = &x->carried[k];
        c->slot = entry_alloca(x->fn, LLVMTypeOf(c->phi), "carried");
        LLVMPositionBuilderBefore(x->b, LLVMGetBasicBlockTerminator(pre));
        LLVMBuildStore(x->b, value_from(c->phi, pre), c->slot);
    }
    for (int k = 0; k < x->results.n; k++) {
        Carried *r = &x->results.v[k];
        r->slot = can_be_behind(x, r->next, 0) ? NULL : entry_alloca(x->fn, LLVMTypeOf(r->phi), "result");
    }
}

static LLVMValueRef step_from(March *x, const Counter *c, LLVMValueRef at) {
    if (c->clamped) {
        LLVMValueRef by = early(x, c->step);
        LLVMPositionBuilderAtEnd(x->b, x->head);
        return LLVMBuildAdd(x->b, at, LLVMBuildSExt(x->b, by, i64(x), ""), "grown");
    }
    LLVMValueRef v = clone_at(x->b, c->next), step = early(x, c->step);
    LLVMPositionBuilderAtEnd(x->b, x->head);
    if (opcode(v) == LLVMAdd) LLVMSetNUW(v, 0);
    else shim_drop_flags(v);
    unsigned self = LLVMGetOperand(c->next, 0) != c->phi;
    LLVMSetOperand(v, self, at);
    LLVMSetOperand(v, !self, step);
    return v;
}

/* Whether the loop goes on behind the pass that starts with the counters at[k]. */
static LLVMValueRef goes_on(March *x, int k) {
    const Counter *c = &x->counter[x->tested];
    LLVMValueRef limit = early(x, x->limit);
    LLVMPositionBuilderAtEnd(x->b, x->head);
    LLVMValueRef t = clone_at(x->b, x->test), v = x->tests_next ? c->at[k + 1] : c->at[k];
    bool second = LLVMGetOperand(x->test, 0) != c->phi && LLVMGetOperand(x->test, 0) != c->next;
    LLVMSetOperand(t, second, v);
    LLVMSetOperand(t, !second, limit);
    return x->goes_on ? t : LLVMBuildNot(x->b, t, "");
}

/* The header: counters for all passes of a round. */
static void make_head(March *x) {
    for (int i = 0; i < x->ncounters; i++) {
        Counter *c = &x->counter[i];
        LLVMValueRef start = c->clamped ? const_i64(x->m->ctx, 0) : early(x, value_from(c->phi, block(x, x->pre)));
        LLVMPositionBuilderAtEnd(x->b, x->head);
        c->at[0] = LLVMBuildPhi(x->b, LLVMTypeOf(start), "round");
        LLVMAddIncoming(c->at[0], &start, &x->start, 1);
    }
    for (int i = 0; i < x->ncounters; i++)
        for (int k = 0; k < STEPS; k++) {
            Counter *c = &x->counter[i];
            LLVMPositionBuilderAtEnd(x->b, x->head);
            c->at[k + 1] = step_from(x, c, c->at[k]);
        }
    for (int i = 0; i < x->ncounters; i++) LLVMAddIncoming(x->counter[i].at[0], &x->counter[i].at[STEPS], &x->join, 1);
    for (int k = 0; k < STEPS; k++) {
        x->more[k] = goes_on(x, k);
        if (k)
            x->more[k] = LLVMBuildSelect(x->b, x->more[k - 1], x->more[k], LLVMConstNull(LLVMTypeOf(x->more[k])),
                                         "more"); /* else it may be a sum that wraps */
    }
}

/* v with 64 bits, and `by` more, where the builder stands: the selects are in the pass, with what they select for and no barrier between, as
** version_unclamped wants them. */
static LLVMValueRef clamped_at(March *x, LLVMValueRef v, LLVMValueRef by) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(x->b);
    if (shapes_is_affine(x->s, v)) {
        LLVMValueRef start = early(x, v);
        LLVMPositionBuilderAtEnd(x->b, here);
        return LLVMBuildAdd(x->b, LLVMBuildSExt(x->b, start, i64(x), ""), by, "");
    }
    bool choice = opcode(v) == LLVMSelect;
    LLVMValueRef b = LLVMGetOperand(v, 1), c = choice ? LLVMGetOperand(v, 0) : is_bit(b) ? LLVMGetOperand(b, 0) : NULL;
    LLVMValueRef test = c ? early(x, c) : NULL, more = c ? NULL : early(x, b);
    LLVMPositionBuilderAtEnd(x->b, here);
    if (choice) {
        LLVMValueRef yes = clamped_at(x, b, by);
        return LLVMBuildSelect(x->b, test, yes, clamped_at(x, LLVMGetOperand(v, 2), by), "");
    }
    LLVMValueRef sum = clamped_at(x, LLVMGetOperand(v, 0), by);
    if (test) return LLVMBuildSelect(x->b, test, LLVMBuildAdd(x->b, sum, const_i64(x->m->ctx, 1), ""), sum, "");
    return LLVMBuildAdd(x->b, sum, LLVMBuildSExt(x->b, more, i64(x), ""), "");
}

static void extend_in_pass(March *x, PtrMap *map, LLVMValueRef v, LLVMValueRef value) {
    for_each_user(user, v)
        if (LLVMIsASExtInst(user) && cfg_in_loop(x->c, x->loop, user)) map_put(map, user, (uintptr_t)value);
}

/* The builder stands in the first block of pass k. */
static void map_counters(March *x, PtrMap *map, int k) {
    for (int i = 0; i < x->ncounters; i++) {
        const Counter *c = &x->counter[i];
        if (!c->clamped) {
            map_put(map, c->phi, (uintptr_t)c->at[k]);
            continue;
        }
        LLVMValueRef start = value_from(c->phi, block(x, x->pre));
        LLVMValueRef here = clamped_at(x, start, c->at[k]), next = clamped_at(x, start, c->at[k + 1]);
        map_put(map, c->phi, (uintptr_t)LLVMGetPoison(LLVMTypeOf(c->phi)));
        extend_in_pass(x, map, c->phi, here);
        extend_in_pass(x, map, c->next, next);
    }
}

/* Pass k of a round; returns its first block.  more: whether there is one behind it, in `next`. */
static LLVMBasicBlockRef copy_pass(March *x, int k, LLVMValueRef more, LLVMBasicBlockRef next) {
    const Loop *l = &x->c->l[x->loop];
    PtrMap map = map_new(x->a);
    for (int b = l->first; b <= l->last; b++) map_put(&map, block(x, b), (uintptr_t)new_march_block(x, "pass"));
    LLVMBasicBlockRef first = copied_block(&map, block(x, l->header)), last = copied_block(&map, block(x, x->exiting));
    LLVMPositionBuilderAtEnd(x->b, first);
    map_counters(x, &map, k);
    for (int i = 0; i < x->ncarried; i++)
        map_put(&map, x->carried[i].phi,
                (uintptr_t)LLVMBuildLoad2(x->b, LLVMTypeOf(x->carried[i].phi), x->carried[i].slot, "carried"));
    for (int b = l->first; b <= l->last; b++) {
        LLVMPositionBuilderAtEnd(x->b, copied_block(&map, block(x, b)));
        for_each_in_block(i, block(x, b))
            if (!map_ptr(&map, i)) map_put(&map, i, (uintptr_t)clone_at(x->b, i));
    }
    for (int b = l->first; b <= l->last; b++) use_copies(&map, copied_block(&map, block(x, b)));
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(last));
    LLVMPositionBuilderAtEnd(x->b, last);
    for (int i = 0; i < x->ncarried; i++)
        LLVMBuildStore(x->b, copied_value(&map, x->carried[i].next), x->carried[i].slot);
    for (int i = 0; i < x->results.n; i++)
        if (x->results.v[i].slot) LLVMBuildStore(x->b, copied_value(&map, x->results.v[i].next), x->results.v[i].slot);
    if (next) LLVMBuildCondBr(x->b, more, next, x->join);
    else LLVMBuildBr(x->b, x->join);
    int latch = l->latches[0];
    if (latch != x->exiting) {
        LLVMBasicBlockRef gone = copied_block(&map, block(x, latch));
        for (int i = 0; i < x->made.n; i++)
            if (x->made.v[i] == gone) x->made.v[i] = first;
        LLVMDeleteBasicBlock(gone);
    }
    return first;
}

/* Values that those which come to the loop have computed: all threads have them now, or some of them nothing that anyone asks for. */
static LLVMValueRef value_at_start(March *x, LLVMValueRef v) {
    LLVMValueRef known = map_ptr(&x->early, v);
    if (known) return known;
    if (can_be_early(x, v)) return early(x, v);
    LLVMValueRef slot = entry_alloca(x->fn, LLVMTypeOf(v), "before");
    LLVMPositionBuilderBefore(x->b, LLVMGetBasicBlockTerminator(block(x, x->pre)));
    LLVMBuildStore(x->b, v, slot);
    LLVMPositionBuilderAtEnd(x->b, x->start);
    LLVMValueRef c = LLVMBuildLoad2(x->b, LLVMTypeOf(v), slot, "before");
    map_put(&x->early, v, (uintptr_t)c);
    return c;
}

static void use_early(March *x, LLVMBasicBlockRef b) {
    for_each_in_block(i, b) {
        int n = LLVMIsAPHINode(i) ? (int)LLVMCountIncoming(i) : LLVMGetNumOperands(i);
        for (int k = 0; k < n; k++) {
            LLVMValueRef v = LLVMIsAPHINode(i) ? LLVMGetIncomingValue(i, (unsigned)k) : LLVMGetOperand(i, (unsigned)k);
            if (LLVMValueIsBasicBlock(v) || !LLVMIsAInstruction(v)) continue;
            int from = cfg_block_of(x->c, v);
            if (from < 0 || !cfg_dominates(x->c, from, x->pre) || is_available_early(x, v)) continue;
            LLVMSetOperand(i, (unsigned)k, value_at_start(x, v));
        }
    }
}

static void connect_values(March *x) {
    for (int i = 0; i < x->made.n; i++)
        if (x->made.v[i] != x->start) use_early(x, x->made.v[i]);
    for (int b = 0; b < x->c->n; b++)
        if (cfg_dominates(x->c, x->exit, b) || b == x->meet) use_early(x, block(x, b));
}

/* The counter in the last pass, or behind it. */
static LLVMValueRef last_of(March *x, const Counter *c, bool next) {
    LLVMValueRef v = c->at[next];
    for (int k = 1; k < STEPS; k++) v = LLVMBuildSelect(x->b, x->more[k - 1], c->at[k + next], v, "last");
    if (!c->clamped) return v;
    LLVMValueRef start = early(x, value_from(c->phi, block(x, x->pre)));
    LLVMPositionBuilderAtEnd(x->b, x->left);
    return LLVMBuildAdd(x->b, start, LLVMBuildTrunc(x->b, v, LLVMTypeOf(c->phi), ""), "last");
}

static LLVMValueRef value_behind(March *x, LLVMValueRef v) {
    LLVMValueRef known = cfg_in_loop(x->c, x->loop, v) ? map_ptr(&x->behind, v) : v, ops[MOST_OPERANDS], c = NULL;
    if (known) return known;
    for (int k = 0; k < x->ncounters && !c; k++)
        if (v == x->counter[k].phi || v == x->counter[k].next) c = last_of(x, &x->counter[k], v == x->counter[k].next);
    if (!c) {
        for (int k = 0; k < LLVMGetNumOperands(v); k++) ops[k] = value_behind(x, LLVMGetOperand(v, (unsigned)k));
        c = clone_at(x->b, v);
        if (is_op(c, OP_ADD | OP_MUL)) LLVMSetNUW(c, 0);
        else shim_drop_flags(c);
        for (int k = 0; k < LLVMGetNumOperands(v); k++) LLVMSetOperand(c, (unsigned)k, ops[k]);
    }
    map_put(&x->behind, v, (uintptr_t)c);
    return c;
}

/* Behind the loop: what it has computed comes from slots, or is computed again. */
static void leave_loop(March *x) {
    LLVMPositionBuilderAtEnd(x->b, x->left);
    for (int i = 0; i < x->results.n; i++) {
        Carried *r = &x->results.v[i];
        LLVMSetOperand(r->phi, 0,
                       r->slot ? LLVMBuildLoad2(x->b, LLVMTypeOf(r->phi), r->slot, "") : value_behind(x, r->next));
        shim_set_phi_block(r->phi, 0, x->left);
    }
    LLVMBuildBr(x->b, block(x, x->exit));
}

static void delete_loop(March *x) {
    const Loop *l = &x->c->l[x->loop];
    for (int b = l->first; b <= l->last; b++)
        for (LLVMValueRef i = LLVMGetLastInstruction(block(x, b)), before; i; i = before) {
            before = LLVMGetPreviousInstruction(i);
            erase_instruction(i);
        }
    for (int b = l->first; b <= l->last; b++) LLVMDeleteBasicBlock(block(x, b));
}

static void march(March *x) {
    LLVMValueRef id = const_i32(x->fn, 0);
    LLVMMetadataRef place = LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(block(x, x->exiting)));
    LLVMSetCurrentDebugLocation2(x->b, place);
    make_slots(x);
    x->start = new_march_block(x, "start");
    x->head = new_march_block(x, "round");
    x->join = new_march_block(x, "round.end");
    x->left = new_march_block(x, "left");
    come_together(x);
    make_head(x);
    LLVMBasicBlockRef pass = NULL;
    for (int k = STEPS - 1; k >= 0; k--) pass = copy_pass(x, k, x->more[k], pass);
    LLVMSetCurrentDebugLocation2(x->b, place);
    LLVMPositionBuilderAtEnd(x->b, x->head);
    if (x->meet >= 0) LLVMBuildCondBr(x->b, x->on, pass, x->join);
    else LLVMBuildBr(x->b, pass);
    LLVMPositionBuilderAtEnd(x->b, x->join);
    name_call(x->b, x->m->mod, NAME_BARRIER, &id, 1, "");
    LLVMBuildCondBr(x->b, x->more[STEPS - 1], x->head, x->left);
    if (x->meet >= 0) go_around(x);
    leave_loop(x);
    connect_values(x);
    LLVMPositionBuilderAtEnd(x->b, x->start);
    LLVMBuildBr(x->b, x->head);
    delete_loop(x);
}

/* ---- rows of the grid ---- */

static bool is_start_of_rows(LLVMValueRef v) {
    if (opcode(v) != LLVMMul) return false;
    Name a = name_of_call(LLVMGetOperand(v, 0)), b = name_of_call(LLVMGetOperand(v, 1));
    return (a == NAME_CTAID_Y && b == NAME_NTID_Y) || (a == NAME_NTID_Y && b == NAME_CTAID_Y);
}

static bool is_place_in_column(LLVMValueRef v) {
    if (opcode(v) != LLVMAdd) return false;
    for (unsigned k = 0; k < 2; k++)
        if (name_of_call(LLVMGetOperand(v, k)) == NAME_TID_Y) return is_start_of_rows(LLVMGetOperand(v, !k));
    return false;
}

static bool all_uses(LLVMValueRef v, bool (*are)(LLVMValueRef)) {
    for_each_user(user, v)
        if (!are(user)) return false;
    return true;
}

/* Along y, too, a thread only asks for its place in the grid. */
static bool asks_for_place(LLVMValueRef fn) {
    bool any = false;
    for_each_instruction(i, fn) {
        Name n = name_of_call(i);
        if (n == NAME_TID_Y && !all_uses(i, is_place_in_column)) return false;
        if (n == NAME_CTAID_Y && !all_uses(i, is_start_of_rows)) return false;
        if (is_start_of_rows(i) && !all_uses(i, is_place_in_column)) return false;
        any |= is_place_in_column(i);
    }
    return any;
}

/* The one loop that may march; -1: there is none, or threads march more than once. */
static int find_loop(March *x) {
    int found = -1;
    for (x->loop = 0; x->loop < x->c->nloops; x->loop++) {
        x->ncounters = x->ncarried = x->results.n = 0;
        if (!find_plane_loop(x) || !find_phis(x) || !find_loop_test(x) || !touches_neighbours(x)) continue;
        if (found >= 0) return -1;
        found = x->loop;
    }
    return found;
}

static bool analyse_loop(March *x, int width) {
    static const unsigned any[3];
    Cfg *c = cfg_build(x->a, x->fn);
    x->c = c;
    if (!c->reducible) return false;
    x->s = shapes_compute(x->a, c, width, LAYOUT_ROWS_FULL, any);
    int found = find_loop(x);
    x->loop = found;
    x->ncounters = x->ncarried = x->results.n = 0;
    return found >= 0 && find_plane_loop(x) && find_phis(x) && find_loop_test(x);
}

static bool march_one(March *x, int width) {
    if (!analyse_loop(x, width)) return false;
    begin_question(x);
    take_as_given(x);
    run_llvm_passes_on(x->m, x->fn, "simplifycfg");
    restore_normal_form(x->m, x->fn);
    if (!analyse_loop(x, width) || !meets_nobody_before(x) || !end_question(x)) return false;
    LLVMValueRef at = LLVMGetBasicBlockTerminator(block(x, x->exiting));
    diag_remark(&x->m->diag, at, INTERCHANGED);
    march(x);
    if (asks_for_place(x->fn)) fn_set_attr(x->fn, ATTR_STACKED, "");
    fn_set_attr(x->fn, ATTR_INTERCHANGED, value_name(x->worth));
    return true;
}

LLVMValueRef plane_loop_variant(Module *m, LLVMValueRef fn, int width) {
    static const unsigned no =
        CUCPU_KERNEL_WARP | CUCPU_KERNEL_BARRIER | CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER | CUCPU_KERNEL_POLLS;
    unsigned len;
    long flags = fn_attr_int(fn, ATTR_FLAGS, 0);
    bool off = pass_disabled(m, "interchange_plane_loop") || m->opt->shuffle || !m->opt->opt_level || width == 1;
    if (off || flags & no || !fn_attr(fn, ATTR_JOINED, &len) || !hides_order(fn)) return NULL;
    Arena a = {0};
    size_t n;
    LLVMValueRef copy = shim_clone_function(fn, arena_printf(&a, "%s.march", LLVMGetValueName2(fn, &n)));
    March x = {.m = m, .a = &a, .b = LLVMCreateBuilderInContext(m->ctx), .fn = copy};
    map_init(&x.early, &a);
    map_init(&x.behind, &a);
    map_init(&x.asked, &a);
    bool done = march_one(&x, width);
    LLVMDisposeBuilder(x.b);
    arena_free(&a);
    if (!done) {
        LLVMDeleteFunction(copy);
        if (x.worth) LLVMDeleteFunction(x.worth);
        return NULL;
    }
    run_llvm_passes_on(m, copy, "mem2reg,simplifycfg");
    restore_normal_form(m, copy);
    return copy;
}
