/* detect_warp_synchronous: where threads of a warp exchange values through shared memory with nothing between store and
** load, both are volatile.
**
** `if (t < 16) s[t] += s[t + 16]; if (t < 8) s[t] += s[t + 8];` without volatile and without __syncwarp is a race, but
** a warp that runs in lockstep computes the sum, and nvcc keeps each store and load; so programs have it. Later passes
** treat volatile accesses of shared memory as such exchanges (analysis/warp_synchronous): groups become whole warps, at
** width 1 threads stop for each other.
** An exchange is a store by one thread and a load by another of its warp from the same address: the parts of both
** addresses that depend only on threadIdx.x and constants are evaluated for some warps, the remaining terms are the
** same. Threads that tests of such values exclude do not count, nor those beyond the size of a __shared__ array that
** all threads access. On the path from one to the other there is no barrier, no warp function and no atomic, the
** address is not computed anew, and the thread itself has not stored to the address that it loads from. What else may
** be accessed between the same barriers becomes volatile with it.
** Not found: addresses that depend on other values, other orders (a load, then the store), rows shorter than a warp
** that exchange with each other, memory that is not shared.
** Part of normalise_cfg, when addresses are values and loops are unrolled, and before accesses are assumed to be those
** of one thread. */
#include "passes/analysis/shared_indices.h"
#include "passes/ir/edit.h"
#include "passes/passes.h"
#include <stdio.h>

enum { MAX_ACCESSES = 4000, MAX_PAIRS = 10000, MAX_BRANCHES = 100, DEPTH = 12, THREADS = 128, LARGEST_BLOCK = 1024 };

/* An access, for each of the first threads of a block. */
typedef struct Spread {
    bool known;
    int64_t at[THREADS];   /* the part of the address that depends on threadIdx.x, and the constant */
    bool reaches[THREADS]; /* tests of threadIdx.x let the thread reach the access */
} Spread;

typedef struct Exchanges {
    Arena a;
    SharedIndices *accesses;
    Spread *spreads; /* of the accesses */
    PtrMap index;    /* instruction -> its index in accesses->all, + 1 */
    Bits held;
    const char *arrays;       /* ATTR_ARRAYS */
    int warp, pairs, threads; /* threads: an upper bound of the threads in a block */
} Exchanges;

static bool is_nonvolatile_access(LLVMValueRef i) {
    return (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && !LLVMGetVolatile(i);
}

/* ---- values that depend only on threadIdx.x and constants ---- */

static bool is_thread(LLVMValueRef v) { return name_of_call(v) == NAME_TID_X; }

static bool is_of_thread(LLVMValueRef v, int depth) {
    if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || int_bits(v) > 64 || depth > DEPTH) return false;
    if (LLVMIsAConstantInt(v)) return true;
    if (!LLVMIsAInstruction(v)) return false;
    if (is_thread(v)) return true;
    if (LLVMIsASExtInst(v) || LLVMIsAZExtInst(v) || LLVMIsATruncInst(v))
        return is_of_thread(LLVMGetOperand(v, 0), depth + 1);
    if (!LLVMIsABinaryOperator(v) && !LLVMIsAICmpInst(v)) return false;
    return is_of_thread(LLVMGetOperand(v, 0), depth + 1) && is_of_thread(LLVMGetOperand(v, 1), depth + 1);
}

static int64_t wrap(int64_t x, unsigned bits) {
    return bits >= 64 ? x : (int64_t)((uint64_t)x << (64 - bits)) >> (64 - bits);
}
static uint64_t low(int64_t x, unsigned bits) {
    return bits >= 64 ? (uint64_t)x : (uint64_t)x & ((UINT64_C(1) << bits) - 1);
}

static bool predicate_holds(LLVMIntPredicate p, int64_t x, int64_t y, uint64_t ux, uint64_t uy) {
    switch (p) {
    case LLVMIntEQ: return x == y;
    case LLVMIntNE: return x != y;
    case LLVMIntUGT: return ux > uy;
    case LLVMIntUGE: return ux >= uy;
    case LLVMIntULT: return ux < uy;
    case LLVMIntULE: return ux <= uy;
    case LLVMIntSGT: return x > y;
    case LLVMIntSGE: return x >= y;
    case LLVMIntSLT: return x < y;
    default: return x <= y;
    }
}

static int64_t evaluate_op(LLVMOpcode op, int64_t x, int64_t y, uint64_t ux, uint64_t uy) {
    bool shifts = uy < 64;
    switch (op) {
    case LLVMAdd: return (int64_t)((uint64_t)x + (uint64_t)y);
    case LLVMSub: return (int64_t)((uint64_t)x - (uint64_t)y);
    case LLVMMul: return (int64_t)((uint64_t)x * (uint64_t)y);
    case LLVMAnd: return x & y;
    case LLVMOr: return x | y;
    case LLVMXor: return x ^ y;
    case LLVMShl: return shifts ? (int64_t)((uint64_t)x << uy) : 0;
    case LLVMLShr: return shifts ? (int64_t)(ux >> uy) : 0;
    case LLVMAShr: return shifts ? x >> uy : 0;
    case LLVMUDiv: return uy ? (int64_t)(ux / uy) : 0;
    case LLVMURem: return uy ? (int64_t)(ux % uy) : 0;
    case LLVMSDiv: return y && y != -1 ? x / y : 0;
    case LLVMSRem: return y && y != -1 ? x % y : 0;
    default: return 0;
    }
}

/* Of a value that is_of_thread, as a signed integer. */
static int64_t value_at(LLVMValueRef v, int64_t thread) {
    if (LLVMIsAConstantInt(v)) return LLVMConstIntGetSExtValue(v);
    if (is_thread(v)) return thread;
    int64_t x = value_at(LLVMGetOperand(v, 0), thread);
    unsigned from = LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))), to = int_bits(v);
    if (LLVMIsAZExtInst(v)) return (int64_t)low(x, from);
    if (LLVMIsASExtInst(v) || LLVMIsATruncInst(v)) return wrap(x, to);
    int64_t y = value_at(LLVMGetOperand(v, 1), thread);
    if (LLVMIsAICmpInst(v)) return -(int64_t)predicate_holds(LLVMGetICmpPredicate(v), x, y, low(x, from), low(y, from));
    return wrap(evaluate_op(LLVMGetInstructionOpcode(v), x, y, low(x, from), low(y, from)), to);
}

/* ---- which threads reach an access, and their addresses ---- */

static LLVMBasicBlockRef only_predecessor(LLVMBasicBlockRef b) {
    LLVMBasicBlockRef only = NULL;
    for_each_user(user, LLVMBasicBlockAsValue(b)) {
        if (!LLVMIsATerminatorInst(user) || only) return NULL;
        only = LLVMGetInstructionParent(user);
    }
    return only;
}

static void find_reaching(Spread *s, LLVMBasicBlockRef b) {
    LLVMBasicBlockRef from;
    for (int t = 0; t < THREADS; t++) s->reaches[t] = true;
    for (int steps = 0; steps < MAX_BRANCHES && (from = only_predecessor(b)); b = from, steps++) {
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(from);
        if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) || !is_of_thread(LLVMGetCondition(branch), 0))
            continue;
        bool if_true = LLVMGetSuccessor(branch, 0) == b;
        for (int t = 0; t < THREADS; t++) s->reaches[t] &= (value_at(LLVMGetCondition(branch), t) != 0) == if_true;
    }
}

static const Spread *spread_of(Exchanges *x, const SharedIndex *p) {
    Spread *s = &x->spreads[p - x->accesses->all.v];
    if (s->known) return s;
    s->known = true;
    for (int t = 0; t < THREADS; t++) {
        s->at[t] = p->bytes;
        for (int k = 0; k < p->terms.n; k++)
            if (is_of_thread(p->terms.v[k].v, 0)) s->at[t] += p->terms.v[k].factor * value_at(p->terms.v[k].v, t);
    }
    find_reaching(s, LLVMGetInstructionParent(p->inst));
    return s;
}

/* They are the same sum but for the part that depends on threadIdx.x. */
static bool same_rest(const SharedIndex *p, const SharedIndex *q) {
    int left = 0;
    if (p->base != q->base || !p->whole || !q->whole) return false;
    for (int k = 0; k < q->terms.n; k++) left += !is_of_thread(q->terms.v[k].v, 0);
    for (int k = 0; k < p->terms.n; k++) {
        bool found = is_of_thread(p->terms.v[k].v, 0);
        for (int j = 0; j < q->terms.n && !found; j++) {
            found = q->terms.v[j].v == p->terms.v[k].v && q->terms.v[j].factor == p->terms.v[k].factor;
            left -= found;
        }
        if (!found) return false;
    }
    return !left;
}

/* The end of the __shared__ variable that thread 0 stores to. */
static int64_t end_of_array(const Exchanges *x, int64_t at) {
    for (const char *text = x->arrays; text; text = strchr(text, ';')) {
        long long start, bytes;
        if (*text == ';') text++;
        if (sscanf(text, "%lld,%lld", &start, &bytes) == 2 && start <= at && at < start + bytes) return start + bytes;
    }
    return INT64_MAX;
}

static bool only_of_thread(const SharedIndex *p) {
    for (int k = 0; k < p->terms.n; k++)
        if (!is_of_thread(p->terms.v[k].v, 0)) return false;
    return p->whole;
}

/* Where all threads access shared memory, before the first branch, no thread is beyond the end of the variable. */
static void count_threads_of(Exchanges *x, LLVMBasicBlockRef b) {
    for (int k = 0; k < x->accesses->all.n; k++) {
        const SharedIndex *p = &x->accesses->all.v[k];
        if (LLVMGetInstructionParent(p->inst) != b || !only_of_thread(p)) continue;
        const Spread *s = spread_of(x, p);
        int64_t end = end_of_array(x, s->at[0]);
        for (int t = 1; t < x->threads; t++)
            if (s->at[t] >= end) x->threads = t;
    }
}

static void count_threads(Exchanges *x, LLVMBasicBlockRef b) {
    for (int steps = 0; b && steps < MAX_BRANCHES; steps++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(b);
        count_threads_of(x, b);
        b = LLVMGetNumSuccessors(t) == 1 ? LLVMGetSuccessor(t, 0) : NULL;
    }
}

/* What one thread stores another one of its warp loads, unless something else separates them. */
static bool overlaps_other_lane(Exchanges *x, const SharedIndex *store, const SharedIndex *load) {
    if (!same_rest(store, load) || ++x->pairs > MAX_PAIRS) return false;
    const Spread *s = spread_of(x, store), *l = spread_of(x, load);
    int64_t end = end_of_array(x, s->at[0]);
    for (int t = 0; t < x->threads; t++)
        for (int u = t / x->warp * x->warp;
             s->reaches[t] && s->at[t] < end && u < x->threads && u < (t / x->warp + 1) * x->warp; u++)
            if (u != t && l->reaches[u] && l->at[u] < s->at[t] + store->size && s->at[t] < l->at[u] + load->size)
                return true;
    return false;
}

/* Each thread stores to where it loads from. */
static bool covers_load(Exchanges *x, const SharedIndex *store, const SharedIndex *load) {
    if (!same_rest(store, load)) return false;
    const Spread *s = spread_of(x, store), *l = spread_of(x, load);
    for (int t = 0; t < x->threads; t++)
        if (l->reaches[t] && (l->at[t] < s->at[t] || l->at[t] + load->size > s->at[t] + store->size)) return false;
    return true;
}

/* ---- paths ---- */

static bool may_synchronise(LLVMValueRef i) {
    Name n = name_of_call(i);
    return name_is_cut(n) || name_is_warp_op(n) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
}

static bool computes(const SharedIndex *p, LLVMValueRef i) {
    for (int k = 0; p && k < p->terms.n; k++)
        if (p->terms.v[k].v == i && !is_of_thread(i, 0)) return true;
    return false;
}

typedef struct Path {
    const Exchanges *x;
    Bits passed;              /* accesses on it, by index */
    const SharedIndex *fixed; /* ends where a term of this address is computed; NULL: nowhere */
    Vec(LLVMBasicBlockRef) todo;
    PtrMap seen;
} Path;

static void go_to(Path *w, LLVMBasicBlockRef b) {
    if (map_get(&w->seen, b, 0)) return;
    map_put(&w->seen, b, 1);
    vec_push(w->seen.arena, &w->todo, b);
}

/* From i to the end of its block, or backwards to its start; false: it ends before. */
static bool scan_block(Path *w, LLVMValueRef i, bool back) {
    for (; i; i = back ? LLVMGetPreviousInstruction(i) : LLVMGetNextInstruction(i)) {
        if (may_synchronise(i) || computes(w->fixed, i)) return false;
        uintptr_t k = map_get(&w->x->index, i, 0);
        if (k) bits_add(w->passed, (int)k - 1);
    }
    return true;
}

static void leave_block(Path *w, LLVMBasicBlockRef b, bool back) {
    if (back) {
        for_each_user(user, LLVMBasicBlockAsValue(b))
            if (LLVMIsATerminatorInst(user)) go_to(w, LLVMGetInstructionParent(user));
        return;
    }
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) go_to(w, LLVMGetSuccessor(end, k));
}

/* The accesses that can come after p, or before it, without a barrier in between; fixed: and with the same address. */
static Bits accesses_near(Exchanges *x, const SharedIndex *p, bool fixed, bool back) {
    Path w = {.x = x, .passed = bits_new(&x->a, x->accesses->all.n), .fixed = fixed ? p : NULL};
    map_init(&w.seen, &x->a);
    LLVMValueRef next = back ? LLVMGetPreviousInstruction(p->inst) : LLVMGetNextInstruction(p->inst);
    if (scan_block(&w, next, back)) leave_block(&w, LLVMGetInstructionParent(p->inst), back);
    for (int k = 0; k < w.todo.n; k++) {
        LLVMBasicBlockRef b = w.todo.v[k];
        if (scan_block(&w, back ? LLVMGetLastInstruction(b) : LLVMGetFirstInstruction(b), back))
            leave_block(&w, b, back);
    }
    return w.passed;
}

/* ---- the kernel ---- */

/* Value ranges of ids by CUDA's limits, while addresses are computed; removed afterwards, as later passes recognise
** blocks of known size by such ranges. */
static void set_id_ranges(Module *m, LLVMValueRef fn, bool set) {
    unsigned range = LLVMGetEnumAttributeKindForName("range", 5);
    for_each_instruction(i, fn) {
        Name n = name_of_call(i);
        if (n < NAME_TID_X || n > NAME_TID_Z) continue;
        uint64_t lo = 0, hi = LARGEST_BLOCK;
        if (set)
            LLVMAddCallSiteAttribute(i, LLVMAttributeReturnIndex,
                                     LLVMCreateConstantRangeAttribute(m->ctx, range, 32, &lo, &hi));
        else LLVMRemoveCallSiteEnumAttribute(i, LLVMAttributeReturnIndex, range);
    }
}

static bool stored_before(Exchanges *x, const SharedIndex *load) {
    Bits near = accesses_near(x, load, true, true);
    for (int k = 0; k < x->accesses->all.n; k++) {
        const SharedIndex *p = &x->accesses->all.v[k];
        if (LLVMIsAStoreInst(p->inst) && bits_has(near, k) && covers_load(x, p, load)) return true;
    }
    return false;
}

/* A load after the store that exchanges with it; NULL: there is none. */
static const SharedIndex *exchange_of(Exchanges *x, const SharedIndex *store) {
    Bits near = accesses_near(x, store, true, false);
    for (int k = 0; k < x->accesses->all.n; k++) {
        const SharedIndex *load = &x->accesses->all.v[k];
        bool may = bits_has(near, k) && LLVMIsALoadInst(load->inst) && is_nonvolatile_access(load->inst);
        if (may && overlaps_other_lane(x, store, load) && !stored_before(x, load)) return load;
    }
    return NULL;
}

static void hold_near(Exchanges *x, const SharedIndex *p) {
    for (int back = 0; back < 2; back++) {
        Bits near = accesses_near(x, p, false, back);
        for (int k = 0; k < x->accesses->all.n; k++)
            if (bits_has(near, k)) bits_add(x->held, k);
    }
    bits_add(x->held, (int)(p - x->accesses->all.v));
}

static void hold_all(Exchanges *x, Module *m, LLVMValueRef fn) {
    const SharedIndex *first = NULL;
    int n = x->accesses->all.n;
    x->held = bits_new(&x->a, n);
    x->spreads = arena_array(&x->a, Spread, n);
    map_init(&x->index, &x->a);
    for (int k = 0; k < n; k++) map_put(&x->index, x->accesses->all.v[k].inst, (uintptr_t)k + 1);
    count_threads(x, LLVMGetEntryBasicBlock(fn));
    for (int k = 0; k < n; k++) {
        const SharedIndex *p = &x->accesses->all.v[k];
        if (!LLVMIsAStoreInst(p->inst) || !is_nonvolatile_access(p->inst) || bits_has(x->held, k)) continue;
        const SharedIndex *load = exchange_of(x, p);
        if (!load) continue;
        hold_near(x, p);
        hold_near(x, load);
        if (!first) first = load;
    }
    for (int k = 0; k < n; k++)
        if (bits_has(x->held, k) && is_nonvolatile_access(x->accesses->all.v[k].inst))
            LLVMSetVolatile(x->accesses->all.v[k].inst, true);
    if (first) diag_remark(&m->diag, first->inst, WARP_SYNCHRONOUS);
}

void detect_warp_synchronous(Module *m, LLVMValueRef kernel) {
    unsigned length = 0;
    Exchanges x = {.warp = m->opt->warp_size, .threads = THREADS};
    const char *arrays = fn_attr(kernel, ATTR_ARRAYS, &length);
    x.arrays = arrays ? arena_printf(&x.a, "%.*s", (int)length, arrays) : NULL;
    set_id_ranges(m, kernel, true);
    x.accesses = shared_indices(&x.a, m, kernel);
    set_id_ranges(m, kernel, false);
    if (x.accesses && x.accesses->all.n <= MAX_ACCESSES) hold_all(&x, m, kernel);
    arena_free(&x.a);
}
