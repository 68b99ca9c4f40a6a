/* interchange_grid_stride: in a grid-stride loop all threads of a block make an iteration before any makes the next.
**
**   for (i = base + threadIdx.x; i < n; i += step)          for (b = base; b < n; b += step) {
**       body(i)                                                  if (threadIdx.x < n - b) body(b + threadIdx.x)
**                                                                __syncthreads()
**                                                            }
**
** in:  scalar code, before loops are rotated
** out: the loop on the right, and the one on the left after a test of the block whether a sum could wrap around; base,
**      n and step are the same for all threads of the block
**
** Group after group would go through all of memory with the stride of the grid, a cache line or a part of it from each
** page; so the block reads intervals. Control is block-uniform, and only the last iteration has inactive lanes. The
** cost: what a thread carries from iteration to iteration (`sum`) goes through the frame; so small loops of the grid
** are strip-mined: a thread makes COST_STRIP iterations before the next thread does (grid_stride_loop.c).
** `i <= n` ends at n + 1; where the test is of a sum that goes up by the same in each iteration (k * step + start),
** that becomes the counter (shim_expose_counter); tests at the end come to the top first (unrotate_loops).
** Fires on outermost loops that all threads enter and leave only at the top, with an access that depends on i.
** Loops whose control the block shares anyway (`for (k = 0; k < 4; k++) body(start + k * blockDim.x + threadIdx.x)`)
** only get the barrier, if they carry nothing else and go from row to row of the block; those of few iterations also
** where a thread may leave the loop before it ends: it goes on without doing anything.
** Where the loop starts at blockIdx.x * s + threadIdx.x, and n and step are the same for the grid, base is 0 for all
** blocks and the threads test blockIdx.x * s + threadIdx.x < n - b: then neighbouring blocks can make an iteration
** together (coalesce_blocks); where they do not do so in the rest of the kernel is marked by BARRIER_OF_BLOCKS.
** Refuses loops in which threads may synchronise or wait: barriers, warp functions, volatile and atomic loads, fences,
** compare-and-swap, atomics in an inner loop whose result is used, calls of unknown functions; bounds that are
** constants (unrolling is better); many carried values; an inner loop of arithmetic that threads leave by what they
** compute, as they take their next items at different times there (flatten_loops). */
#include "passes/analysis/accesses.h"
#include "passes/scalar/interchange_grid_stride.h"
#include "passes/passes.h"
#include "passes/ir/math.h"
#include "passes/ir/shim.h"
#include "passes/ir/slice.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/value.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { DEPTH = 8, ROW = 32, MAX_HELD = 16 };

/* ---- values that all threads of a block share ---- */

static LLVMValueRef given_at_start(const void *stride, LLVMValueRef v) {
    (void)stride;
    return LLVMIsAConstantInt(v) || LLVMIsAArgument(v) ? v : NULL;
}

/* Divisions are not hoisted: they may trap before the loop. */
static bool is_shared_call(const void *stride, LLVMValueRef i) {
    const Stride *s = stride;
    Name n = name_of_call(i);
    if (n != NAME_NONE) return n >= NAME_NTID_X && n <= NAME_NCTAID_Z;
    return is_int_min_max(i) || (is_op(i, OP_DIV) && !cfg_in_loop(s->c, s->loop, i));
}

bool grid_loop_is_uniform(const Stride *s, LLVMValueRef v) {
    Slice slice = {given_at_start,
                   s,
                   OP_ADD | OP_MUL | OP_SHIFT | OP_BITWISE | OP_INT_CAST | OP_PTR_CAST | OP_ICMP | OP_SELECT,
                   is_shared_call,
                   DEPTH,
                   SLICE_DROP_FLAGS,
                   false};
    return slice_can_clone(&slice, v);
}

/* Of what is_shared: it is the same for all blocks. */
static bool is_of_grid(LLVMValueRef v) {
    if (!LLVMIsAInstruction(v)) return true;
    Name n = name_of_call(v);
    if (n != NAME_NONE) return n < NAME_CTAID_X || n > NAME_CTAID_Z;
    for (unsigned k = 0; k < value_operands(v); k++)
        if (!is_of_grid(LLVMGetOperand(v, (unsigned)k))) return false;
    return true;
}

/* Shared values are computed from ids and arguments alone: the value before the loop. */
static LLVMValueRef outside_loop(const void *stride, LLVMValueRef v) {
    const Stride *s = stride;
    return cfg_in_loop(s->c, s->loop, v) ? NULL : v;
}

LLVMValueRef grid_loop_hoisted(Stride *s, LLVMValueRef v) {
    Slice slice = {outside_loop, s, 0, NULL, DEPTH, SLICE_DROP_FLAGS, false};
    return slice_clone(&slice, s->b, v, &s->copy);
}

static bool is_tid(LLVMValueRef v) { return name_of_call(v) == NAME_TID_X; }

static bool is_part_of_start(const void *stride, LLVMValueRef v) {
    return is_tid(v) || grid_loop_is_uniform(stride, v);
}

/* v = threadIdx.x and parts that the block shares. */
static bool split_start(Stride *s, LLVMValueRef v) {
    AffineRules parts = {.is_term = is_part_of_start, .context = s};
    if (!affine_of(&parts, v, AFFINE_SAME, &s->base)) return false;
    int64_t threads = 0;
    for (int k = 0; k < s->base.n;) {
        LLVMValueRef term = s->base.term[k].v;
        if (is_tid(term)) threads += affine_take(&s->base, term);
        else k++;
    }
    return threads == 1;
}

/* ---- the shape of the loop ---- */

/* The exits below the top are at most one edge, which leads where the one at the top does. */
static bool find_other_exit(Stride *s) {
    const Loop *l = &s->c->l[s->loop];
    for (int b = l->first; b <= l->last; b++)
        for (int k = 0; k < s->c->b[b].nsucc; k++) {
            if (b == l->header || cfg_loop_contains(s->c, s->loop, s->c->b[b].succ[k])) continue;
            if (s->leaves || s->c->b[b].nsucc != 2) return false;
            s->leaves = s->c->b[b].bb;
        }
    return true;
}

static bool find_loop_blocks(Stride *s) {
    const Loop *l = &s->c->l[s->loop];
    const Block *h = &s->c->b[l->header];
    if (l->depth != 1 || l->nlatches != 1 || h->npred != 2 || h->nsucc != 2 || !cfg_postdominates(s->c, l->header, 0))
        return false;
    s->header = h->bb;
    s->latch = s->c->b[l->latches[0]].bb;
    s->before = s->c->b[h->pred[h->pred[0] == l->latches[0]]].bb;
    if (!find_other_exit(s)) return false;
    for (int k = 0; k < 2; k++)
        if (!cfg_loop_contains(s->c, s->loop, h->succ[k])) {
            s->after = s->c->b[h->succ[k]].bb;
            s->body = s->c->b[h->succ[!k]].bb;
        }
    return s->after && s->body != s->header && s->latch != s->header &&
           LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(s->before)) == 1 &&
           LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(s->latch)) == 1;
}

/* The loop goes on while i < n, or i <= n. */
static bool read_predicate(Stride *s, LLVMIntPredicate q) {
    s->is_signed = q == LLVMIntSLT || q == LLVMIntSLE;
    s->inclusive = q == LLVMIntSLE || q == LLVMIntULE;
    return s->is_signed || s->inclusive || q == LLVMIntULT;
}

/* Of `i < n - step ? i + step : n` the sum: the loop ends where i is n, and where the new loop runs n + step does not
** wrap (cannot_wrap_in_grid). */
static LLVMValueRef without_saturation(const Stride *s, LLVMValueRef next) {
    if (!LLVMIsASelectInst(next)) return next;
    LLVMValueRef c = LLVMGetOperand(next, 0);
    if (!LLVMIsAICmpInst(c) || s->inclusive) return next;
    LLVMIntPredicate q = LLVMGetICmpPredicate(c);
    unsigned at = LLVMGetOperand(c, 0) != s->i;
    if (at) q = swapped_predicate(q);
    bool inverse = LLVMGetOperand(next, 1) == s->n;
    if (inverse) q = inverse_predicate(q);
    LLVMValueRef sum = LLVMGetOperand(next, inverse ? 2 : 1), rest = LLVMGetOperand(c, !at);
    bool saturates = LLVMGetOperand(c, at) == s->i && q == (s->is_signed ? LLVMIntSLT : LLVMIntULT) &&
                     LLVMGetOperand(next, inverse ? 1 : 2) == s->n && opcode(rest) == LLVMSub &&
                     opcode(sum) == LLVMAdd && LLVMGetOperand(rest, 0) == s->n;
    LLVMValueRef step = saturates ? LLVMGetOperand(rest, 1) : NULL;
    return step && (LLVMGetOperand(sum, 0) == step || LLVMGetOperand(sum, 1) == step) ? sum : next;
}

/* i < n, and i = phi(start, i + step). */
static bool find_grid_counter(Stride *s) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(s->header), c = LLVMGetCondition(t);
    if (!LLVMIsAICmpInst(c) || LLVMGetInstructionParent(c) != s->header) return false;
    LLVMIntPredicate q = LLVMGetICmpPredicate(c);
    unsigned at = !LLVMIsAPHINode(LLVMGetOperand(c, 0));
    if (at) q = swapped_predicate(q);
    if (LLVMGetSuccessor(t, 0) != s->body) q = inverse_predicate(q);
    s->i = LLVMGetOperand(c, at);
    s->n = LLVMGetOperand(c, !at);
    if (!read_predicate(s, q) || !LLVMIsAPHINode(s->i) || LLVMGetInstructionParent(s->i) != s->header) return false;
    s->start = value_from(s->i, s->before);
    LLVMValueRef next = without_saturation(s, value_from(s->i, s->latch));
    if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd) return false;
    s->step = LLVMGetOperand(next, LLVMGetOperand(next, 0) == s->i);
    if (LLVMGetOperand(next, LLVMGetOperand(next, 0) != s->i) != s->i) return false;
    LLVMTypeRef type = LLVMTypeOf(s->i);
    if (type == LLVMInt64TypeInContext(s->m->ctx) && (LLVMIsAZExtInst(s->start) || LLVMIsASExtInst(s->start)) &&
        !is_tid(LLVMGetOperand(s->start, 0)))
        s->extended = LLVMGetOperand(s->start, 0);
    else if (type != LLVMInt64TypeInContext(s->m->ctx) && type != LLVMInt32TypeInContext(s->m->ctx)) return false;
    return grid_loop_is_uniform(s, s->step) && grid_loop_is_uniform(s, s->n) && !LLVMIsConstant(s->n) &&
           split_start(s, s->extended ? s->extended : s->start) &&
           (!s->extended || LLVMTypeOf(s->extended) == LLVMInt32TypeInContext(s->m->ctx));
}

/* start = blockIdx.x * block_step + threadIdx.x, and the rest of the loop's control is of the grid. */
static void find_grid(Stride *s) {
    const Affine *base = &s->base;
    bool one = base->n == 1 && !base->constant && base->term[0].factor == 1;
    LLVMValueRef p = one ? base->term[0].v : NULL, by = p ? affine_block_start(p, 0) : NULL;
    if (!by || !is_of_grid(by) || !is_of_grid(s->n) || !is_of_grid(s->step)) return;
    s->block = p;
    s->block_step = by;
}

/* The header holds phis and the test; i is not used after the loop. */
static bool has_plain_header(const Stride *s) {
    int carried = 0;
    for_each_in_block(v, s->header) {
        bool phi = LLVMIsAPHINode(v), test = v == LLVMGetCondition(LLVMGetBasicBlockTerminator(s->header));
        if (!phi && !test && !LLVMIsATerminatorInst(v) && !grid_loop_is_uniform(s, v)) return false;
        if (phi && v != s->i && ++carried > MAX_CARRIED) return false;
        for (LLVMUseRef u = LLVMGetFirstUse(v); u && (v == s->i || !phi); u = LLVMGetNextUse(u))
            if (!cfg_in_loop(s->c, s->loop, LLVMGetUser(u)) || (test && !LLVMIsATerminatorInst(LLVMGetUser(u))))
                return false;
    }
    return true;
}

/* Threads cannot synchronise or wait for each other in it. `inner`: it is in an inner loop, where an atomic whose
** result is used can wait for an iteration that another thread has yet to make. */
static bool is_separate(LLVMValueRef i, bool inner) {
    if (LLVMIsAAtomicRMWInst(i))
        return LLVMGetAtomicRMWBinOp(i) != LLVMAtomicRMWBinOpXchg && !(inner && LLVMGetFirstUse(i));
    return !may_synchronise(i);
}

/* The address of the access depends on i, so that neighbours are close together. */
static bool depends_on(const Stride *s, LLVMValueRef v, int depth) {
    if (v == s->i) return true;
    if (!LLVMIsAInstruction(v) || !cfg_in_loop(s->c, s->loop, v) || depth > DEPTH) return false;
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    if (op != LLVMGetElementPtr && op != LLVMAdd && op != LLVMSub && op != LLVMSExt && op != LLVMZExt &&
        op != LLVMTrunc && op != LLVMOr && op != LLVMBitCast)
        return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (depends_on(s, LLVMGetOperand(v, (unsigned)k), depth + 1)) return true;
    return false;
}

static bool gains(const Stride *s) {
    bool any = false;
    for (int b = s->c->l[s->loop].first; b <= s->c->l[s->loop].last; b++)
        for_each_in_block(i, s->c->b[b].bb) {
            if (!is_separate(i, s->c->b[b].loop != s->loop)) return false;
            if (LLVMIsALoadInst(i) || LLVMIsAAtomicRMWInst(i)) any |= depends_on(s, LLVMGetOperand(i, 0), 0);
            if (LLVMIsAStoreInst(i)) any |= depends_on(s, LLVMGetOperand(i, 1), 0);
        }
    return any;
}

/* The value is not that of a counter, nor invariant: threads leave the loop by what they have computed in it. */
static bool is_data(const Stride *s, int loop, LLVMValueRef v, int depth) {
    if (!LLVMIsAInstruction(v) || !cfg_in_loop(s->c, loop, v) || depth > DEPTH) return false;
    if (LLVMIsAFCmpInst(v)) return true;
    if (LLVMIsAPHINode(v)) {
        if (LLVMGetInstructionParent(v) != s->c->b[s->c->l[loop].header].bb) return false;
        LLVMValueRef next = value_from(v, s->c->b[s->c->l[loop].latches[0]].bb);
        return !is_plain_add(next) || (LLVMGetOperand(next, 0) != v && LLVMGetOperand(next, 1) != v);
    }
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (is_data(s, loop, LLVMGetOperand(v, (unsigned)k), depth + 1)) return true;
    return false;
}

/* A loop of arithmetic in the body that threads leave by what they compute: its time is that of the kernel, not
** memory's. Then a thread had better go on with its next iteration when others still compute (flatten_loops). */
static bool has_search(const Stride *s) {
    for (int l = 0; l < s->c->nloops; l++) {
        bool data = false, accesses = false;
        if (s->c->l[l].parent != s->loop || s->c->l[l].nlatches != 1) continue;
        for_each_loop_instruction(i, b, s->c, &s->c->l[l]) {
            accesses |= is_op(i, OP_LOAD | OP_STORE | OP_ATOMIC) || (LLVMIsACallInst(i) && !is_pure_intrinsic(i));
            if (!LLVMIsATerminatorInst(i) || s->c->b[b].nsucc != 2) continue;
            bool exits =
                !cfg_loop_contains(s->c, l, s->c->b[b].succ[0]) || !cfg_loop_contains(s->c, l, s->c->b[b].succ[1]);
            data |= exits && is_data(s, l, LLVMGetCondition(i), 0);
        }
        if (data && !accesses) return true;
    }
    return false;
}

/* ---- loops whose control the block shares ---- */

/* for (k = 0; k < 4; k++) body(start + k * blockDim.x + threadIdx.x): all threads make iteration k, as their control is
** that of the block. */
static bool has_uniform_control(const Stride *s) {
    LLVMValueRef test = LLVMGetCondition(LLVMGetBasicBlockTerminator(s->header)), counter = NULL;
    if (!LLVMIsAICmpInst(test)) return false;
    for_each_in_block(v, s->header) {
        bool phi = LLVMIsAPHINode(v) != NULL;
        if (phi && counter) return false;
        if (phi) counter = v;
        else if (v != test && !LLVMIsATerminatorInst(v)) return false;
    }
    if (!counter || !grid_loop_is_uniform(s, value_from(counter, s->before))) return false;
    LLVMValueRef next = value_from(counter, s->latch);
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef v = LLVMGetOperand(test, k);
        if (v != counter && !grid_loop_is_uniform(s, v)) return false;
    }
    return opcode(next) == LLVMAdd && LLVMGetOperand(next, 0) == counter &&
           grid_loop_is_uniform(s, LLVMGetOperand(next, 1));
}

/* A product with blockDim.x. */
static bool has_block_size(LLVMValueRef v, int depth) {
    if (name_of_call(v) == NAME_NTID_X) return true;
    if (!is_op(v, OP_MUL | OP_SHL | OP_INT_CAST) || depth > DEPTH) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (has_block_size(LLVMGetOperand(v, (unsigned)k), depth + 1)) return true;
    return false;
}

/* The term goes on by the size of the block, or a constant that may be it. */
static bool is_row_of_block(const Stride *s, const AffineTerm *t) {
    uint64_t step = shim_loop_step(s->header, t->v), by = (uint64_t)(t->factor < 0 ? -t->factor : t->factor);
    if (step == UINT64_MAX) return has_block_size(t->v, 0);
    return step && by && step >= (ROW + by - 1) / by;
}

/* Consecutive threads are at consecutive elements, and the block goes from row to row. */
static bool is_far_row(Stride *s, LLVMValueRef p) {
    LLVMValueRef i = LLVMIsAGetElementPtrInst(p) ? LLVMGetOperand(p, (unsigned)LLVMGetNumOperands(p) - 1) : NULL;
    if (!i || !cfg_in_loop(s->c, s->loop, i)) return false;
    while (LLVMIsASExtInst(i) || LLVMIsAZExtInst(i)) i = LLVMGetOperand(i, 0);
    AffineRules sums = {0};
    if (!affine_of(&sums, i, AFFINE_SAME, &s->base)) return false;
    int64_t threads = 0;
    bool far = false;
    for (int k = 0; k < s->base.n; k++) {
        const AffineTerm *t = &s->base.term[k];
        if (is_tid(t->v)) threads += t->factor;
        else far |= is_row_of_block(s, t);
    }
    return threads == 1 && far;
}

static bool has_far_rows(Stride *s) {
    bool any = false;
    for (int b = s->c->l[s->loop].first; b <= s->c->l[s->loop].last; b++) {
        if (s->c->b[b].loop != s->loop) return false; /* an inner loop reads more than a row in an iteration */
        for_each_in_block(i, s->c->b[b].bb) {
            if (!is_separate(i, false)) return false;
            LLVMValueRef p = LLVMIsALoadInst(i)    ? LLVMGetOperand(i, 0)
                             : LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 1)
                                                   : NULL;
            if (!p) continue;
            if (shim_is_local(p)) return false;
            any |= is_far_row(s, p);
        }
    }
    return any;
}

static void meet_in_latch(Stride *s) {
    LLVMValueRef id = const_i32(s->c->fn, BARRIER_OF_LOOP), end = LLVMGetBasicBlockTerminator(s->latch);
    set_insert_point(s->b, end);
    name_call(s->b, s->m->mod, NAME_BARRIER, &id, 1, "");
}

/* Few iterations, which a thread may leave early: to where the others go, with nothing. */
static bool is_short_search(const Stride *s) {
    LLVMValueRef counter = LLVMGetFirstInstruction(s->header), next = value_from(counter, s->latch);
    unsigned trips = shim_max_trips(s->header);
    bool to_end = false;
    for (unsigned k = 0; k < 2; k++) to_end |= LLVMGetSuccessor(LLVMGetBasicBlockTerminator(s->leaves), k) == s->after;
    return to_end && trips && trips <= MAX_HELD && !LLVMIsAPHINode(LLVMGetFirstInstruction(s->after)) &&
           LLVMIsAConstantInt(LLVMGetOperand(next, 1));
}

/* A thread that leaves the loop goes on to the end with the others, and does nothing:
**     for (k = 0; k < 4; k++) { if (f(k)) break; g(k); }
** becomes
**     for (k = 0, on = true; k < 4; k++) if (on) { if (f(k)) on = false; else g(k); } */
static void hold_threads(Stride *s) {
    LLVMBasicBlockRef held = insert_block(s->after, "held"), latch = insert_block(s->after, "latch");
    LLVMValueRef counter = LLVMGetFirstInstruction(s->header), next = value_from(counter, s->latch),
                 first = value_from(counter, s->before), top = LLVMGetBasicBlockTerminator(s->header);
    LLVMTypeRef i1 = LLVMInt1TypeInContext(s->m->ctx);
    LLVMSetCurrentDebugLocation2(s->b, LLVMInstructionGetDebugLoc(top));
    LLVMPositionBuilderBefore(s->b, counter);
    LLVMValueRef on = LLVMBuildPhi(s->b, i1, "on"), k = LLVMBuildPhi(s->b, LLVMTypeOf(counter), "k");
    LLVMPositionBuilderAtEnd(s->b, held);
    LLVMBuildCondBr(s->b, on, s->body, latch);
    redirect_phis(s->body, s->header, held);
    LLVMPositionBuilderAtEnd(s->b, latch);
    LLVMValueRef still = LLVMBuildPhi(s->b, i1, "on"), no = const_bool(s->m->ctx, false),
                 yes = const_bool(s->m->ctx, true);
    LLVMValueRef from[] = {no, yes, no}, by = LLVMGetOperand(next, 1);
    LLVMBasicBlockRef preds[] = {held, s->latch, s->leaves}, ends[] = {s->before, latch};
    LLVMAddIncoming(still, from, preds, 3);
    LLVMValueRef counts[] = {first, LLVMBuildAdd(s->b, k, by, "")}, states[] = {yes, still};
    LLVMBuildBr(s->b, s->header);
    LLVMAddIncoming(on, states, ends, 2);
    LLVMAddIncoming(k, counts, ends, 2);
    LLVMReplaceAllUsesWith(counter, k);
    LLVMInstructionEraseFromParent(counter);
    for (unsigned n = 0; n < 2; n++)
        if (LLVMGetSuccessor(top, n) == s->body) LLVMSetSuccessor(top, n, held);
    LLVMValueRef leave = LLVMGetBasicBlockTerminator(s->leaves);
    for (unsigned n = 0; n < 2; n++)
        if (LLVMGetSuccessor(leave, n) == s->after) LLVMSetSuccessor(leave, n, latch);
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(s->latch), 0, latch);
    s->latch = latch;
}

static bool interchange_one(Module *m, LLVMBuilderRef b, LLVMValueRef fn) {
    Arena a = {0};
    const Cfg *c = cfg_build(&a, fn);
    bool done = false;
    for (int l = 0; l < c->nloops && c->reducible && !done; l++) {
        Stride s = {.m = m, .a = &a, .b = b, .c = c, .loop = l};
        map_init(&s.copy, &a);
        if (!find_loop_blocks(&s)) continue;
        if (shim_expose_counter(s.header)) {
            done = true;
            break;
        }
        if (has_uniform_control(&s) && (!s.leaves || is_short_search(&s)) && has_far_rows(&s)) {
            if (s.leaves) hold_threads(&s);
            meet_in_latch(&s);
            done = true;
            break;
        }
        if (s.leaves) continue;
        if (!find_grid_counter(&s) || !has_plain_header(&s) || !gains(&s) || has_search(&s)) continue;
        find_grid(&s);
        build_grid_loop(&s);
        done = true;
    }
    arena_free(&a);
    return done;
}

bool interchange_grid_stride(Module *m) {
    if (pass_disabled(m, "interchange_grid_stride") || m->opt->opt_level == 0) return true;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_function(f, m->mod) {
        if (LLVMIsDeclaration(f) || !is_kernel(f)) continue;
        expose_source_loops(m, f);
        while (interchange_one(m, b, f)) {}
    }
    LLVMDisposeBuilder(b);
    return true;
}
