/* hold_exchanges: where threads of a warp exchange values over shared memory with nothing between
 *store and load, both are volatile.
 **
 ** `if (t < 16) s[t] += s[t + 16]; if (t < 8) s[t] += s[t + 8];` without volatile and without
 *__syncwarp is a race, but a warp that runs
 ** in step gives the sum, and nvcc keeps each store and load; so programs have it.  Volatile
 *accesses of shared memory are what the later
 ** passes take for such exchanges (analysis/warp_synchronous): groups become whole warps, at width
 *1 threads stop for each other.
 ** An exchange is a store to one place and a load from another that lies a constant number of
 *threads away, less than a warp, and
 ** that the thread itself never stores to; no test keeps either from the threads that the other is
 *of; on the way from one to the other stands no barrier, no function of the warp and no atomic,
 ** and nothing on it computes the address anew.  What else may be touched between the same barriers
 *becomes volatile with it.
 ** Not seen: distances that are no constants, other orders (a load, then the store), memory that is
 *not shared.
 **
 ** part of normalise_cfg, when addresses are values and loops are unrolled, and before accesses are
 *taken for those of one thread. */
#include "passes/analysis/shared_places.h"
#include "passes/ir/edit.h"
#include "passes/passes.h"
#include <stdlib.h>

enum { MOST_PLACES = 4000, MOST_BRANCHES = 100, LARGEST_BLOCK = 1024 };

typedef struct Exchanges {
    Arena a;
    SharedPlaces *places;
    PtrMap index; /* instruction -> its place in places->all, + 1 */
    Bits held;
    int warp;
} Exchanges;

static bool is_plain(LLVMValueRef i) {
    return (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && !LLVMGetVolatile(i);
}

/* ---- places ---- */

/* The number of the thread in its row, or in a part of the row. */
static bool is_thread(LLVMValueRef v) {
    if (!LLVMIsAInstruction(v)) return false;
    if (LLVMGetInstructionOpcode(v) == LLVMAnd && LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
        v = LLVMGetOperand(v, 0);
    return name_of_call(v) == NAME_TID_X;
}

static bool has_term(const SharedPlace *p, PlaceTerm t) {
    for (int k = 0; k < p->terms.n; k++) {
        LLVMValueRef v = p->terms.v[k].v;
        bool same = v == t.v || (name_of_call(v) != NAME_NONE && name_of_call(v) == NAME_TID_X &&
                                 name_of_call(t.v) == NAME_TID_X);
        if (same && p->terms.v[k].factor == t.factor) return true;
    }
    return false;
}

/* They differ by a constant only. */
static bool same_terms(const SharedPlace *p, const SharedPlace *q) {
    if (p->base != q->base || p->terms.n != q->terms.n) return false;
    for (int k = 0; k < p->terms.n; k++)
        if (!has_term(q, p->terms.v[k])) return false;
    return true;
}

/* Bytes from one thread to the next; 0: it is no place of a thread. */
static int64_t bytes_per_thread(const SharedPlace *p) {
    for (int k = 0; k < p->terms.n; k++)
        if (is_thread(p->terms.v[k].v)) return p->terms.v[k].factor;
    return 0;
}

static LLVMBasicBlockRef only_predecessor(LLVMBasicBlockRef b) {
    LLVMBasicBlockRef only = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u)) {
        if (!LLVMIsATerminatorInst(LLVMGetUser(u)) || only) return NULL;
        only = LLVMGetInstructionParent(LLVMGetUser(u));
    }
    return only;
}

/* The branch goes to b for threads below this number; LARGEST_BLOCK: it says nothing of that kind.
 */
static int64_t bound_of(LLVMValueRef branch, LLVMBasicBlockRef b) {
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch)) return LARGEST_BLOCK;
    LLVMValueRef test = LLVMGetCondition(branch);
    bool holds = LLVMGetSuccessor(branch, 0) == b;
    if (!LLVMIsAICmpInst(test) || !is_thread(LLVMGetOperand(test, 0)) ||
        !LLVMIsAConstantInt(LLVMGetOperand(test, 1)))
        return LARGEST_BLOCK;
    int64_t n = LLVMConstIntGetSExtValue(LLVMGetOperand(test, 1));
    switch (LLVMGetICmpPredicate(test)) {
    case LLVMIntULT:
    case LLVMIntSLT:
        return holds ? n : LARGEST_BLOCK;
    case LLVMIntUGT:
    case LLVMIntSGT:
        return holds ? LARGEST_BLOCK : n + 1;
    case LLVMIntEQ:
        return holds ? n + 1 : LARGEST_BLOCK;
    default:
        return LARGEST_BLOCK;
    }
}

/* Only threads below this come to the access. */
static int64_t threads_at(LLVMValueRef i) {
    int64_t least = LARGEST_BLOCK;
    LLVMBasicBlockRef b = LLVMGetInstructionParent(i), from;
    for (int steps = 0; steps < MOST_BRANCHES && (from = only_predecessor(b)); b = from, steps++) {
        int64_t n = bound_of(LLVMGetBasicBlockTerminator(from), b);
        if (n < least) least = n;
    }
    return least;
}

/* What one stores another thread of the warp loads, if nothing else keeps them apart. */
static bool meets(const Exchanges *x, const SharedPlace *store, const SharedPlace *load) {
    int64_t stride = bytes_per_thread(store), apart = load->bytes - store->bytes;
    if (!stride || !apart || apart % stride) return false;
    int64_t threads = apart / stride;
    if (llabs(threads) >= x->warp || store->size > llabs(stride) || load->size > llabs(stride) ||
        !same_terms(store, load))
        return false;
    return llabs(threads) < threads_at(threads > 0 ? store->inst : load->inst);
}

static bool stores_itself(const Exchanges *x, const SharedPlace *load) {
    for (int k = 0; k < x->places->all.n; k++) {
        const SharedPlace *p = &x->places->all.v[k];
        if (LLVMIsAStoreInst(p->inst) && p->bytes == load->bytes && same_terms(p, load))
            return true;
    }
    return false;
}

/* ---- ways ---- */

static bool may_synchronise(LLVMValueRef i) {
    Name n = name_of_call(i);
    return name_is_cut(n) || name_is_warp_op(n) || LLVMIsAAtomicRMWInst(i) ||
           LLVMIsAAtomicCmpXchgInst(i);
}

static bool computes(const SharedPlace *p, LLVMValueRef i) {
    for (int k = 0; p && k < p->terms.n; k++)
        if (p->terms.v[k].v == i && name_of_call(i) != NAME_TID_X) return true;
    return false;
}

typedef struct Way {
    const Exchanges *x;
    Bits passed;              /* accesses on it, by place */
    const SharedPlace *fixed; /* ends where a term of this is computed; NULL: nowhere */
    Vec(LLVMBasicBlockRef) todo;
    PtrMap seen;
} Way;

static void go_to(Way *w, LLVMBasicBlockRef b) {
    if (map_get(&w->seen, b, 0)) return;
    map_put(&w->seen, b, 1);
    vec_push(w->seen.arena, &w->todo, b);
}

/* From i on to the end of its block, or backwards to its start; false: it ends before. */
static bool pass_block(Way *w, LLVMValueRef i, bool back) {
    for (; i; i = back ? LLVMGetPreviousInstruction(i) : LLVMGetNextInstruction(i)) {
        if (may_synchronise(i) || computes(w->fixed, i)) return false;
        uintptr_t k = map_get(&w->x->index, i, 0);
        if (k) bits_add(w->passed, (int)k - 1);
    }
    return true;
}

static void leave_block(Way *w, LLVMBasicBlockRef b, bool back) {
    if (back) {
        for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u))
            if (LLVMIsATerminatorInst(LLVMGetUser(u)))
                go_to(w, LLVMGetInstructionParent(LLVMGetUser(u)));
        return;
    }
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) go_to(w, LLVMGetSuccessor(end, k));
}

/* The accesses that can come behind `from`, or in front of it, without a barrier in between. */
static Bits accesses_near(Exchanges *x, LLVMValueRef from, const SharedPlace *fixed, bool back) {
    Way w = {.x = x, .passed = bits_new(&x->a, x->places->all.n), .fixed = fixed};
    map_init(&w.seen, &x->a);
    LLVMValueRef next = back ? LLVMGetPreviousInstruction(from) : LLVMGetNextInstruction(from);
    if (pass_block(&w, next, back)) leave_block(&w, LLVMGetInstructionParent(from), back);
    for (int k = 0; k < w.todo.n; k++) {
        LLVMBasicBlockRef b = w.todo.v[k];
        if (pass_block(&w, back ? LLVMGetLastInstruction(b) : LLVMGetFirstInstruction(b), back))
            leave_block(&w, b, back);
    }
    return w.passed;
}

/* ---- the kernel ---- */

/* What CUDA says of ids, while places are computed; not longer, as later passes tell blocks of
 * known size by such ranges. */
static void say_ranges(Module *m, LLVMValueRef fn, bool say) {
    unsigned range = LLVMGetEnumAttributeKindForName("range", 5);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            Name n = name_of_call(i);
            if (n < NAME_TID_X || n > NAME_TID_Z) continue;
            uint64_t lo = 0, hi = LARGEST_BLOCK;
            if (say)
                LLVMAddCallSiteAttribute(
                    i, LLVMAttributeReturnIndex,
                    LLVMCreateConstantRangeAttribute(m->ctx, range, 32, &lo, &hi));
            else
                LLVMRemoveCallSiteEnumAttribute(i, LLVMAttributeReturnIndex, range);
        }
}

static SharedPlaces *places_of(Exchanges *x, Module *m, LLVMValueRef fn) {
    say_ranges(m, fn, true);
    SharedPlaces *places = shared_places(&x->a, m, fn);
    say_ranges(m, fn, false);
    return places;
}

static void hold_near(Exchanges *x, LLVMValueRef i) {
    for (int back = 0; back < 2; back++) {
        Bits near = accesses_near(x, i, NULL, back);
        for (int k = 0; k < x->places->all.n; k++)
            if (bits_has(near, k)) bits_add(x->held, k);
    }
}

/* The first load behind the store that exchanges with it; NULL: there is none. */
static LLVMValueRef exchange_of(Exchanges *x, const SharedPlace *store) {
    Bits near = NULL;
    for (int k = 0; k < x->places->all.n; k++) {
        const SharedPlace *load = &x->places->all.v[k];
        if (!LLVMIsALoadInst(load->inst) || !is_plain(load->inst) || !meets(x, store, load))
            continue;
        if (!near) near = accesses_near(x, store->inst, store, false);
        if (bits_has(near, k) && !stores_itself(x, load)) return load->inst;
    }
    return NULL;
}

static void hold_all(Exchanges *x, Module *m, LLVMValueRef fn) {
    LLVMValueRef first = NULL;
    int n = x->places->all.n;
    x->held = bits_new(&x->a, n);
    map_init(&x->index, &x->a);
    for (int k = 0; k < n; k++) map_put(&x->index, x->places->all.v[k].inst, (uintptr_t)k + 1);
    for (int k = 0; k < n; k++) {
        const SharedPlace *p = &x->places->all.v[k];
        if (!LLVMIsAStoreInst(p->inst) || !is_plain(p->inst) || bits_has(x->held, k)) continue;
        LLVMValueRef load = exchange_of(x, p);
        if (!load) continue;
        hold_near(x, p->inst);
        hold_near(x, load);
        if (!first) first = load;
    }
    for (int k = 0; k < n; k++)
        if (bits_has(x->held, k) && is_plain(x->places->all.v[k].inst))
            LLVMSetVolatile(x->places->all.v[k].inst, true);
    if (first)
        diag_remark(&m->diag, first,
                    "%s: loads what another thread of the warp stores, without __syncwarp: lanes "
                    "run in step",
                    LLVMGetValueName(fn));
}

void hold_exchanges(Module *m, LLVMValueRef kernel) {
    Exchanges x = {.warp = m->opt->warp_size};
    x.places = places_of(&x, m, kernel);
    if (x.places && x.places->all.n <= MOST_PLACES) hold_all(&x, m, kernel);
    arena_free(&x.a);
}
