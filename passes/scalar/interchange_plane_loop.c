/* interchange_plane_loop: a kernel whose threads loop over planes has a variant in which a row of blocks goes through
** the planes together.
**
**   if (inside) {                                       bool on = inside;
**       before(x, y)                                    if (on) before(x, y)
**       for (z = a; z < n; z++) body(z)                 for (z = a; z < n; z += STEPS) {
**       after()                                             if (on) for (k = z; k < min(n, z + STEPS); k++) body(k)
**   }                                                       __syncthreads()
**                                                       }
**                                                       if (on) after()
**
** The loop is strip-mined, and the loop over strips interchanged with the one over threads. Group after group would go
** through all planes, and read a line or two of each: where planes are a multiple of a large power of two apart, or are
** many, what the next group, row or block reads again is evicted by then. Together they read a plane from its start to
** its end, and leave the neighbouring ones in the cache. The cost: what a thread carries goes through the frame once
** per strip of STEPS iterations.
** Where all data fits the cache anyway the unchanged kernel is faster: which one runs is decided at the start of each
** call of the entry (loop_groups), by a function of the kernel's arguments that is built here (cucpu.interchanged).
** Part of make_variants. in: kernels that coalesce_blocks has taken, whose threads along x do not interact; loops in
** normal form (rotated). The barrier is one of all blocks that run as a row: it orders nothing that is observable.
** Fires on an outermost loop with one exit and no inner loop; all threads that enter it make the same iterations,
** determined by the arguments of the launch, and accesses of neighbouring lanes are adjacent.
** Refuses: atomics, volatile accesses and calls in the loop; other code for threads that do not enter the loop; kernels
** whose results depend on the order in which threads ran (sums of floats, printf), which is not that of blocks here. */
#include "passes/scalar/interchange_plane_loop.h"
#include "cpu-runtime/abi.h"
#include "passes/analysis/affine.h"
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

/* ---- the shape of the kernel ---- */

static bool find_loop_exit(Interchange *x) {
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

/* After the test there is nothing but the back edge. */
static bool ends_with_test(const Interchange *x) {
    const Loop *l = &x->c->l[x->loop];
    int latch = l->latches[0];
    if (l->nlatches != 1 || latch == x->exiting) return l->nlatches == 1;
    bool follows = x->c->b[x->exiting].succ[0] == latch || x->c->b[x->exiting].succ[1] == latch;
    return follows && x->c->b[latch].npred == 1 && LLVMIsATerminatorInst(LLVMGetFirstInstruction(block(x, latch)));
}

/* Where all threads join; those that enter the loop must not join others before. */
static bool find_join(Interchange *x) {
    int q = x->pre;
    while (q >= 0 && !cfg_postdominates(x->c, q, 0)) q = x->c->b[q].ipdom;
    if (q < 0) return false;
    x->rejoin = q == x->pre ? -1 : q;
    return true;
}

static bool joins_nobody_before(const Interchange *x) {
    int q = x->rejoin;
    for (int b = 0; b < x->c->n; b++) {
        if (!cfg_dominates(x->c, x->exit, b)) continue;
        for (int k = 0; k < x->c->b[b].nsucc; k++)
            if (x->c->b[b].succ[k] != x->rejoin && !cfg_dominates(x->c, x->exit, x->c->b[b].succ[k])) return false;
    }
    for (int k = 0; q >= 0 && k < x->c->b[q].npred; k++) {
        int p = x->c->b[q].pred[k];
        if (!cfg_dominates(x->c, x->exit, p) && x->c->b[p].nsucc != 1) return false;
    }
    return true;
}

static bool find_plane_loop(Interchange *x) {
    const Loop *l = &x->c->l[x->loop];
    const Block *h = &x->c->b[l->header];
    if (!cfg_is_innermost(x->c, x->loop) || l->depth != 1 || h->npred != 2 || !find_loop_exit(x) || !ends_with_test(x))
        return false;
    x->pre = h->pred[h->pred[0] == l->latches[0]];
    return x->c->b[x->pre].nsucc == 1 && find_join(x);
}

/* ---- values ---- */

static bool is_recomputable(LLVMValueRef v) { return is_op(v, COMPUTED) && LLVMGetNumOperands(v) <= MAX_OPERANDS; }

static bool is_in_start(const Interchange *x, LLVMValueRef v) {
    if (!LLVMIsAInstruction(v)) return true;
    int b = cfg_block_of(x->c, v);
    return cfg_dominates(x->c, b, x->rejoin >= 0 ? x->rejoin : x->pre);
}

static LLVMValueRef value_in_start(const void *interchange, LLVMValueRef v) {
    return is_in_start(interchange, v) ? v : NULL;
}

static bool is_thread_id(const void *interchange, LLVMValueRef i) {
    Name n = name_of_call(i);
    (void)interchange;
    return (n >= NAME_TID_X && n <= NAME_NCTAID_Z) || n == NAME_GLOBAL_X;
}

/* What all threads compute before the loop: flags implied by guards do not hold for all (nuw). */
static Slice start_slice(const Interchange *x) {
    return (Slice){value_in_start, x, COMPUTED, is_thread_id, DEPTH, SLICE_DROP_NUW, false};
}

static bool can_hoist(const Interchange *x, LLVMValueRef v) {
    Slice s = start_slice(x);
    return slice_can_clone(&s, v);
}

static LLVMValueRef hoisted(Interchange *x, LLVMValueRef v) {
    if (is_in_start(x, v)) return v;
    Slice s = start_slice(x);
    LLVMPositionBuilderAtEnd(x->b, x->start);
    return slice_clone(&s, x->b, v, &x->hoisted);
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

/* Neighbouring lanes have neighbouring values, except some at a border: affine ones that are selected, or
** incremented. */
static bool is_affine_but_border(const Interchange *x, LLVMValueRef v, int depth) {
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

/* v is only used by the loop as a 64-bit index. */
static bool is_only_extended(const Interchange *x, LLVMValueRef v, LLVMValueRef other) {
    for_each_user(i, v) {
        bool extends = LLVMIsASExtInst(i) && LLVMTypeOf(i) == LLVMInt64TypeInContext(x->m->ctx);
        if (cfg_in_loop(x->c, x->loop, i) && i != other && !extends) return false;
    }
    return true;
}

static bool make_counter(const Interchange *x, Counter *c) {
    LLVMValueRef start = value_from(c->phi, block(x, x->pre));
    if (!c->step || !is_launch_value(c->step, false, NULL) || !can_hoist(x, start)) return false;
    c->clamped = !shapes_is_affine(x->s, start);
    return !c->clamped ||
           (opcode(c->next) == LLVMAdd && LLVMGetNSW(c->next) &&
            LLVMTypeOf(start) == LLVMInt32TypeInContext(x->m->ctx) && is_affine_but_border(x, start, 0) &&
            is_only_extended(x, c->phi, c->next) && is_only_extended(x, c->next, c->phi));
}

static bool find_phis(Interchange *x) {
    LLVMBasicBlockRef header = block(x, x->c->l[x->loop].header), latch = block(x, x->c->l[x->loop].latches[0]);
    for_each_phi(p, header) {
        LLVMValueRef next = value_from(p, latch);
        Counter c = {.phi = p, .next = next, .step = counter_step(p, next)};
        if (make_counter(x, &c)) {
            if (x->ncounters == MAX_COUNTERS) return false;
            x->counter[x->ncounters++] = c;
        } else {
            if (x->ncarried == MAX_CARRIED) return false;
            x->carried[x->ncarried++] = (Carried){.phi = p, .next = next};
        }
    }
    for_each_phi(p, block(x, x->exit))
        vec_push(x->a, &x->results, ((Carried){.phi = p, .next = LLVMGetIncomingValue(p, 0)}));
    return true;
}

/* The loop may run zero times: the exit test does not prove that the bound is hit exactly, but for a step of one. */
static bool ends(const Interchange *x, const Counter *c) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(x->test);
    if (p != LLVMIntEQ && p != LLVMIntNE) return true;
    return LLVMIsAConstantInt(c->step) && llabs(LLVMConstIntGetSExtValue(c->step)) == 1;
}

/* The loop continues by a counter and values known at the launch. */
static bool find_loop_test(Interchange *x) {
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

/* ---- the loop body ---- */

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
static bool strides_by_clamp(const Interchange *x, LLVMValueRef p) {
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

/* Lanes access neighbours; each row steps through its own data, else rows that run together (unroll_and_jam) share
** it. */
static bool accesses_neighbours(const Interchange *x) {
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
                if (!strides_by_clamp(x, p)) return false;
                continue;
            }
            if (stride < 0 || stride > 4 * bytes) return false;
            if (rows && !depends_on_y(p, 0)) return false;
            any |= stride == bytes;
        }
    return any;
}

/* ---- the new loop ---- */

static LLVMBasicBlockRef new_interchange_block(Interchange *x, const char *name) {
    LLVMBasicBlockRef b = LLVMInsertBasicBlockInContext(x->m->ctx, block(x, x->exit), name);
    vec_push(x->a, &x->made, b);
    return b;
}

/* Threads that enter the loop, and those that do not, go to `start`. */
static void enter_start(Interchange *x) {
    LLVMBasicBlockRef pre = block(x, x->pre);
    LLVMTypeRef i1 = LLVMInt1TypeInContext(x->m->ctx);
    LLVMValueRef phi = NULL, yes = LLVMConstInt(i1, 1, 0), no = LLVMConstInt(i1, 0, 0);
    LLVMPositionBuilderAtEnd(x->b, x->start);
    if (x->rejoin >= 0) {
        phi = LLVMBuildPhi(x->b, i1, "on");
        LLVMAddIncoming(phi, &yes, &pre, 1);
    }
    x->on = phi ? phi : yes;
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(pre), 0, x->start);
    for (int k = 0; phi && k < x->c->b[x->rejoin].npred; k++) {
        int p = x->c->b[x->rejoin].pred[k];
        LLVMBasicBlockRef from = block(x, p);
        if (cfg_dominates(x->c, x->exit, p)) continue;
        LLVMSetSuccessor(LLVMGetBasicBlockTerminator(from), 0, x->start);
        LLVMAddIncoming(phi, &no, &from, 1);
    }
}

/* The values that threads which do not enter the loop have at the join. */
static void join_bypassing(Interchange *x) {
    LLVMBasicBlockRef around = new_interchange_block(x, "around"), rejoin = block(x, x->rejoin);
    for_each_phi(p, rejoin) {
        LLVMValueRef slot = entry_alloca(x->fn, LLVMTypeOf(p), "around");
        for (int k = 0; k < x->c->b[x->rejoin].npred; k++) {
            int b = x->c->b[x->rejoin].pred[k];
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
    LLVMBuildBr(x->b, rejoin);
    LLVMBasicBlockRef after = new_interchange_block(x, "after");
    LLVMPositionBuilderAtEnd(x->b, x->left);
    LLVMBuildCondBr(x->b, x->on, after, around);
    x->left = after;
}

/* All of it is known after the loop. */
static bool can_recompute(const Interchange *x, LLVMValueRef v, int depth) {
    if (!cfg_in_loop(x->c, x->loop, v)) return true;
    for (int k = 0; k < x->ncounters; k++)
        if (v == x->counter[k].phi || v == x->counter[k].next) return true;
    if (!is_recomputable(v) || depth > DEPTH) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!can_recompute(x, LLVMGetOperand(v, (unsigned)k), depth + 1)) return false;
    return true;
}

static void make_slots(Interchange *x) {
    LLVMBasicBlockRef pre = block(x, x->pre);
    for (int k = 0; k < x->ncarried; k++) {
        Carried *c = &x->carried[k];
        c->slot = entry_alloca(x->fn, LLVMTypeOf(c->phi), "carried");
        LLVMPositionBuilderBefore(x->b, LLVMGetBasicBlockTerminator(pre));
        LLVMBuildStore(x->b, value_from(c->phi, pre), c->slot);
    }
    for (int k = 0; k < x->results.n; k++) {
        Carried *r = &x->results.v[k];
        r->slot = can_recompute(x, r->next, 0) ? NULL : entry_alloca(x->fn, LLVMTypeOf(r->phi), "result");
    }
}

static LLVMValueRef step_from(Interchange *x, const Counter *c, LLVMValueRef at) {
    if (c->clamped) {
        LLVMValueRef by = hoisted(x, c->step);
        LLVMPositionBuilderAtEnd(x->b, x->head);
        return LLVMBuildAdd(x->b, at, LLVMBuildSExt(x->b, by, i64(x), ""), "grown");
    }
    LLVMValueRef v = clone_at(x->b, c->next), step = hoisted(x, c->step);
    LLVMPositionBuilderAtEnd(x->b, x->head);
    if (opcode(v) == LLVMAdd) LLVMSetNUW(v, 0);
    else shim_drop_flags(v);
    unsigned self = LLVMGetOperand(c->next, 0) != c->phi;
    LLVMSetOperand(v, self, at);
    LLVMSetOperand(v, !self, step);
    return v;
}

/* Whether the loop continues after the iteration that starts with the counters at[k]. */
static LLVMValueRef goes_on(Interchange *x, int k) {
    const Counter *c = &x->counter[x->tested];
    LLVMValueRef limit = hoisted(x, x->limit);
    LLVMPositionBuilderAtEnd(x->b, x->head);
    LLVMValueRef t = clone_at(x->b, x->test), v = x->tests_next ? c->at[k + 1] : c->at[k];
    bool second = LLVMGetOperand(x->test, 0) != c->phi && LLVMGetOperand(x->test, 0) != c->next;
    LLVMSetOperand(t, second, v);
    LLVMSetOperand(t, !second, limit);
    return x->goes_on ? t : LLVMBuildNot(x->b, t, "");
}

/* The header: counters for all iterations of a strip. */
static void make_head(Interchange *x) {
    for (int i = 0; i < x->ncounters; i++) {
        Counter *c = &x->counter[i];
        LLVMValueRef start = c->clamped ? const_i64(x->m->ctx, 0) : hoisted(x, value_from(c->phi, block(x, x->pre)));
        LLVMPositionBuilderAtEnd(x->b, x->head);
        c->at[0] = LLVMBuildPhi(x->b, LLVMTypeOf(start), "strip");
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

/* v with 64 bits, and `by` more, at the builder: the selects are in the iteration, with their operands and no barrier
** between, which version_unclamped requires. */
static LLVMValueRef clamped_at(Interchange *x, LLVMValueRef v, LLVMValueRef by) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(x->b);
    if (shapes_is_affine(x->s, v)) {
        LLVMValueRef start = hoisted(x, v);
        LLVMPositionBuilderAtEnd(x->b, here);
        return LLVMBuildAdd(x->b, LLVMBuildSExt(x->b, start, i64(x), ""), by, "");
    }
    bool choice = opcode(v) == LLVMSelect;
    LLVMValueRef b = LLVMGetOperand(v, 1), c = choice ? LLVMGetOperand(v, 0) : is_bit(b) ? LLVMGetOperand(b, 0) : NULL;
    LLVMValueRef test = c ? hoisted(x, c) : NULL, more = c ? NULL : hoisted(x, b);
    LLVMPositionBuilderAtEnd(x->b, here);
    if (choice) {
        LLVMValueRef yes = clamped_at(x, b, by);
        return LLVMBuildSelect(x->b, test, yes, clamped_at(x, LLVMGetOperand(v, 2), by), "");
    }
    LLVMValueRef sum = clamped_at(x, LLVMGetOperand(v, 0), by);
    if (test) return LLVMBuildSelect(x->b, test, LLVMBuildAdd(x->b, sum, const_i64(x->m->ctx, 1), ""), sum, "");
    return LLVMBuildAdd(x->b, sum, LLVMBuildSExt(x->b, more, i64(x), ""), "");
}

static void extend_in_pass(Interchange *x, PtrMap *map, LLVMValueRef v, LLVMValueRef value) {
    for_each_user(user, v)
        if (LLVMIsASExtInst(user) && cfg_in_loop(x->c, x->loop, user)) map_put(map, user, (uintptr_t)value);
}

/* The builder is in the first block of iteration k. */
static void map_counters(Interchange *x, PtrMap *map, int k) {
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

/* Iteration k of a strip; returns its first block. more: whether there is one after it, in `next`. */
static LLVMBasicBlockRef copy_pass(Interchange *x, int k, LLVMValueRef more, LLVMBasicBlockRef next) {
    const Loop *l = &x->c->l[x->loop];
    PtrMap map = map_new(x->a);
    for (int b = l->first; b <= l->last; b++) map_put(&map, block(x, b), (uintptr_t)new_interchange_block(x, "pass"));
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

/* Values that threads which enter the loop have computed: all threads have them now, or in some of them they are
** unused. */
static LLVMValueRef value_at_start(Interchange *x, LLVMValueRef v) {
    LLVMValueRef known = map_ptr(&x->hoisted, v);
    if (known) return known;
    if (can_hoist(x, v)) return hoisted(x, v);
    LLVMValueRef slot = entry_alloca(x->fn, LLVMTypeOf(v), "before");
    LLVMPositionBuilderBefore(x->b, LLVMGetBasicBlockTerminator(block(x, x->pre)));
    LLVMBuildStore(x->b, v, slot);
    LLVMPositionBuilderAtEnd(x->b, x->start);
    LLVMValueRef c = LLVMBuildLoad2(x->b, LLVMTypeOf(v), slot, "before");
    map_put(&x->hoisted, v, (uintptr_t)c);
    return c;
}

static void use_hoisted(Interchange *x, LLVMBasicBlockRef b) {
    for_each_in_block(i, b) {
        int n = LLVMIsAPHINode(i) ? (int)LLVMCountIncoming(i) : LLVMGetNumOperands(i);
        for (int k = 0; k < n; k++) {
            LLVMValueRef v = LLVMIsAPHINode(i) ? LLVMGetIncomingValue(i, (unsigned)k) : LLVMGetOperand(i, (unsigned)k);
            if (LLVMValueIsBasicBlock(v) || !LLVMIsAInstruction(v)) continue;
            int from = cfg_block_of(x->c, v);
            if (from < 0 || !cfg_dominates(x->c, from, x->pre) || is_in_start(x, v)) continue;
            LLVMSetOperand(i, (unsigned)k, value_at_start(x, v));
        }
    }
}

static void connect_values(Interchange *x) {
    for (int i = 0; i < x->made.n; i++)
        if (x->made.v[i] != x->start) use_hoisted(x, x->made.v[i]);
    for (int b = 0; b < x->c->n; b++)
        if (cfg_dominates(x->c, x->exit, b) || b == x->rejoin) use_hoisted(x, block(x, b));
}

/* The counter in the last iteration, or after it. */
static LLVMValueRef last_of(Interchange *x, const Counter *c, bool next) {
    LLVMValueRef v = c->at[next];
    for (int k = 1; k < STEPS; k++) v = LLVMBuildSelect(x->b, x->more[k - 1], c->at[k + next], v, "last");
    if (!c->clamped) return v;
    LLVMValueRef start = hoisted(x, value_from(c->phi, block(x, x->pre)));
    LLVMPositionBuilderAtEnd(x->b, x->left);
    return LLVMBuildAdd(x->b, start, LLVMBuildTrunc(x->b, v, LLVMTypeOf(c->phi), ""), "last");
}

static LLVMValueRef value_after(Interchange *x, LLVMValueRef v) {
    LLVMValueRef known = cfg_in_loop(x->c, x->loop, v) ? map_ptr(&x->recomputed, v) : v, ops[MAX_OPERANDS], c = NULL;
    if (known) return known;
    for (int k = 0; k < x->ncounters && !c; k++)
        if (v == x->counter[k].phi || v == x->counter[k].next) c = last_of(x, &x->counter[k], v == x->counter[k].next);
    if (!c) {
        for (int k = 0; k < LLVMGetNumOperands(v); k++) ops[k] = value_after(x, LLVMGetOperand(v, (unsigned)k));
        c = clone_at(x->b, v);
        if (is_op(c, OP_ADD | OP_MUL)) LLVMSetNUW(c, 0);
        else shim_drop_flags(c);
        for (int k = 0; k < LLVMGetNumOperands(v); k++) LLVMSetOperand(c, (unsigned)k, ops[k]);
    }
    map_put(&x->recomputed, v, (uintptr_t)c);
    return c;
}

/* After the loop: its results come from slots, or are recomputed. */
static void leave_loop(Interchange *x) {
    LLVMPositionBuilderAtEnd(x->b, x->left);
    for (int i = 0; i < x->results.n; i++) {
        Carried *r = &x->results.v[i];
        LLVMSetOperand(r->phi, 0,
                       r->slot ? LLVMBuildLoad2(x->b, LLVMTypeOf(r->phi), r->slot, "") : value_after(x, r->next));
        shim_set_phi_block(r->phi, 0, x->left);
    }
    LLVMBuildBr(x->b, block(x, x->exit));
}

static void delete_loop(Interchange *x) {
    const Loop *l = &x->c->l[x->loop];
    for (int b = l->first; b <= l->last; b++)
        for (LLVMValueRef i = LLVMGetLastInstruction(block(x, b)), before; i; i = before) {
            before = LLVMGetPreviousInstruction(i);
            erase_instruction(i);
        }
    for (int b = l->first; b <= l->last; b++) LLVMDeleteBasicBlock(block(x, b));
}

static void interchange(Interchange *x) {
    LLVMValueRef id = const_i32(x->fn, 0);
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(block(x, x->exiting)));
    LLVMSetCurrentDebugLocation2(x->b, location);
    make_slots(x);
    x->start = new_interchange_block(x, "start");
    x->head = new_interchange_block(x, "strip");
    x->join = new_interchange_block(x, "strip.end");
    x->left = new_interchange_block(x, "left");
    enter_start(x);
    make_head(x);
    LLVMBasicBlockRef pass = NULL;
    for (int k = STEPS - 1; k >= 0; k--) pass = copy_pass(x, k, x->more[k], pass);
    LLVMSetCurrentDebugLocation2(x->b, location);
    LLVMPositionBuilderAtEnd(x->b, x->head);
    if (x->rejoin >= 0) LLVMBuildCondBr(x->b, x->on, pass, x->join);
    else LLVMBuildBr(x->b, pass);
    LLVMPositionBuilderAtEnd(x->b, x->join);
    name_call(x->b, x->m->mod, NAME_BARRIER, &id, 1, "");
    LLVMBuildCondBr(x->b, x->more[STEPS - 1], x->head, x->left);
    if (x->rejoin >= 0) join_bypassing(x);
    leave_loop(x);
    connect_values(x);
    LLVMPositionBuilderAtEnd(x->b, x->start);
    LLVMBuildBr(x->b, x->head);
    delete_loop(x);
}

/* ---- rows of the grid ---- */

static bool is_rows_of_block(LLVMValueRef stride) { return stride && name_of_call(stride) == NAME_NTID_Y; }
static bool is_start_of_rows(LLVMValueRef v) { return is_rows_of_block(affine_block_start(v, 1)); }
/* No disjoint or: threadIdx.y goes on where blockDim.y ends. */
static bool is_index_in_column(LLVMValueRef v) {
    return opcode(v) == LLVMAdd && is_rows_of_block(affine_grid_index(v, 1));
}

static bool all_uses(LLVMValueRef v, bool (*are)(LLVMValueRef)) {
    for_each_user(user, v)
        if (!are(user)) return false;
    return true;
}

/* Along y, too, a thread only reads its index in the grid. */
static bool reads_index_along_y(LLVMValueRef fn) {
    bool any = false;
    for_each_instruction(i, fn) {
        Name n = name_of_call(i);
        if (n == NAME_TID_Y && !all_uses(i, is_index_in_column)) return false;
        if (n == NAME_CTAID_Y && !all_uses(i, is_start_of_rows)) return false;
        if (is_start_of_rows(i) && !all_uses(i, is_index_in_column)) return false;
        any |= is_index_in_column(i);
    }
    return any;
}

/* The one loop that may be interchanged; -1: there is none, or there are several. */
static int find_loop(Interchange *x) {
    int found = -1;
    for (x->loop = 0; x->loop < x->c->nloops; x->loop++) {
        x->ncounters = x->ncarried = x->results.n = 0;
        if (!find_plane_loop(x) || !find_phis(x) || !find_loop_test(x) || !accesses_neighbours(x)) continue;
        if (found >= 0) return -1;
        found = x->loop;
    }
    return found;
}

static bool analyse_loop(Interchange *x, int width) {
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

static bool interchange_one(Interchange *x, Variant *v) {
    int width = v->width;
    if (!analyse_loop(x, width)) return false;
    begin_predicate(x);
    add_condition(x);
    run_llvm_passes_on(x->m, x->fn, "simplifycfg");
    restore_normal_form(x->m, x->fn);
    if (!analyse_loop(x, width) || !joins_nobody_before(x) || !end_predicate(x)) return false;
    LLVMValueRef at = LLVMGetBasicBlockTerminator(block(x, x->exiting));
    diag_remark(&x->m->diag, at, INTERCHANGED);
    interchange(x);
    v->stacked = reads_index_along_y(x->fn);
    v->interchanged = arena_printf(&x->m->arena, "%s", value_name(x->predicate));
    return true;
}

LLVMValueRef plane_loop_variant(Module *m, LLVMValueRef fn, Variant *v) {
    static const unsigned no =
        CUCPU_KERNEL_WARP | CUCPU_KERNEL_BARRIER | CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER | CUCPU_KERNEL_POLLS;
    unsigned len;
    long flags = fn_attr_int(fn, ATTR_FLAGS, 0);
    bool off = pass_disabled(m, "interchange_plane_loop") || m->opt->shuffle || !m->opt->opt_level || v->width == 1;
    if (off || flags & no || !fn_attr(fn, ATTR_JOINED, &len) || !hides_order(fn)) return NULL;
    Arena a = {0};
    size_t n;
    LLVMValueRef copy = shim_clone_function(fn, arena_printf(&a, "%s.interchanged", LLVMGetValueName2(fn, &n)));
    Interchange x = {.m = m, .a = &a, .b = LLVMCreateBuilderInContext(m->ctx), .fn = copy};
    map_init(&x.hoisted, &a);
    map_init(&x.recomputed, &a);
    map_init(&x.in_predicate, &a);
    bool done = interchange_one(&x, v);
    LLVMDisposeBuilder(x.b);
    arena_free(&a);
    if (!done) {
        LLVMDeleteFunction(copy);
        if (x.predicate) LLVMDeleteFunction(x.predicate);
        return NULL;
    }
    run_llvm_passes_on(m, copy, "mem2reg,simplifycfg");
    restore_normal_form(m, copy);
    return copy;
}

void drop_plane_loop_variant(Module *m, LLVMValueRef copy, const Variant *v) {
    LLVMDeleteFunction(copy);
    LLVMDeleteFunction(LLVMGetNamedFunction(m->mod, v->interchanged));
}
