/* spin_loops.c: see spin_loops.h.
**
** A loop polls if one of its instructions gives the same result again until some other thread stores (a volatile or
** atomic load, an attempt to take a lock), and that result can end the loop: by the branch that leaves it, through a
** vote of the warp or the block, through a flag that a branch inside sets, or through memory, where one thread polls
** for its block. An iteration may poll many addresses, in an inner loop, if the next one polls the same ones again.
** Both results are conservative: a loop may be called polling that always ends by itself. */
#include "passes/analysis/spin_loops.h"
#include "passes/analysis/accesses.h"
#include "passes/analysis/divergence.h"
#include "passes/ir/names.h"
#include "passes/ir/value.h"

enum { MAX_STEPS = 200 };

/* Computed once for a loop, at the first query. */
typedef struct Facts {
    enum { NOT_KNOWN, NO, YES } fence;
    PtrMap *loads; /* the object that a pointer points into -> its first load here, + 1 in `list`; NULL: not known */
    Vec(LLVMValueRef) list;
    Vec(int) next; /* of each load, the next one of the object; -1 = none */
    /* values that do not feed an exit, as searches have found that ended without one; [1]: with only_reads */
    PtrMap no_exit[2];
} Facts;

typedef struct Search {
    const Cfg *c;
    Arena *a;
    Divergence *d;
    Facts *facts; /* of each loop */
    int loop, steps;
    /* the instruction only reads: a counter from which it might draw a number ends the loop by itself */
    bool only_reads;
    PtrMap seen, walked;
} Search;

static bool feeds_exit(Search *s, LLVMValueRef v);

/* The branch leaves the loop, or chooses a value that does. */
static bool branch_ends(Search *s, int b) {
    for (int e = 0; e < s->c->b[b].nsucc; e++)
        if (!cfg_loop_contains(s->c, s->loop, s->c->b[b].succ[e])) return true;
    if (s->c->b[b].nsucc < 2) return false;
    if (!s->c->reducible) return true;
    const Joins *j = divergence_joins(s->d, b);
    for (int k = 0; k < j->nsync; k++) {
        if (!cfg_loop_contains(s->c, s->loop, j->sync[k])) continue;
        LLVMValueRef i = LLVMGetFirstInstruction(s->c->b[j->sync[k]].bb);
        for (; i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
            if (feeds_exit(s, i)) return true;
    }
    return false;
}

static bool has_votes(Name n) { return name_is_warp_op(n) || (n >= NAME_BAR_POPC && n <= NAME_BAR_OR); }

/* Pointers to the same address have the same object (same_address). */
static LLVMValueRef object_of(LLVMValueRef p) {
    while (LLVMIsAGetElementPtrInst(p) || LLVMIsAAddrSpaceCastInst(p)) p = LLVMGetOperand(p, 0);
    return p;
}

static void find_loads(Search *s, Facts *f) {
    f->loads = arena_alloc(s->a, sizeof *f->loads);
    map_init(f->loads, s->a);
    const Loop *l = &s->c->l[s->loop];
    for_each_loop_instruction(i, b, s->c, l) {
        if (!LLVMIsALoadInst(i)) continue;
        LLVMValueRef object = object_of(LLVMGetOperand(i, 0));
        vec_push(s->a, &f->next, (int)map_get(f->loads, object, 0) - 1);
        vec_push(s->a, &f->list, i);
        map_put(f->loads, object, (uintptr_t)f->list.n);
    }
}

/* What is stored here is loaded in the loop, and ends it. */
static bool feeds_by_memory(Search *s, LLVMValueRef store) {
    Facts *f = &s->facts[s->loop];
    if (!f->loads) find_loads(s, f);
    LLVMValueRef to = LLVMGetOperand(store, 1);
    for (int k = (int)map_get(f->loads, object_of(to), 0) - 1; k >= 0; k = f->next.v[k])
        if (same_address(to, LLVMGetOperand(f->list.v[k], 0)) && feeds_exit(s, f->list.v[k])) return true;
    return false;
}

static bool feeds_exit(Search *s, LLVMValueRef v) {
    if (map_get(&s->seen, v, 0)) return false;
    if (s->steps++ > MAX_STEPS) return true;
    map_put(&s->seen, v, 1);
    for_each_user(i, v) {
        int b = cfg_block_of(s->c, i);
        if (b < 0 || !cfg_loop_contains(s->c, s->loop, b)) continue;
        if (LLVMIsATerminatorInst(i)) {
            if (branch_ends(s, b)) return true;
            continue;
        }
        if (LLVMIsAStoreInst(i)) {
            if (s->only_reads && LLVMGetOperand(i, 0) == v && feeds_by_memory(s, i)) return true;
            continue;
        }
        if (LLVMIsALoadInst(i) || (LLVMIsACallInst(i) && !has_votes(name_of_call(i)))) continue;
        if (feeds_exit(s, i)) return true;
    }
    return false;
}

/* The value is the same in every iteration, or is computed there from such values; with `loads` so is memory at such an
** address (a pointer in a structure that the kernel takes) unless it is stored there. */
static bool is_invariant(const Cfg *c, int loop, LLVMValueRef v, bool loads, int depth) {
    if (!LLVMIsAInstruction(v)) return true;
    if (!cfg_in_loop(c, loop, v)) return true;
    Name n = name_of_call(v);
    bool pure = LLVMIsAGetElementPtrInst(v) || LLVMIsACastInst(v) || LLVMIsABinaryOperator(v) ||
                (loads && LLVMIsALoadInst(v)) || (n >= NAME_TID_X && n <= NAME_DYN_SIZE);
    if (!pure || depth > 6) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_invariant(c, loop, LLVMGetOperand(v, (unsigned)k), loads, depth + 1)) return false;
    return true;
}

static bool is_in_loop(const Search *s, LLVMValueRef v) { return cfg_in_loop(s->c, s->loop, v); }

static bool restarts(Search *s, Arena *a, LLVMValueRef phi, LLVMValueRef carried);

/* The value is computed alike in every iteration: it depends only on counters of inner loops, and, with `again`, on
** what the loop carries but may reset. Memory may change meanwhile. */
static bool repeats(Search *s, Arena *a, LLVMValueRef v, bool again) {
    if (!is_in_loop(s, v) || map_get(&s->seen, v, 0)) return true;
    if (s->steps++ > MAX_STEPS) return true;
    if (cfg_is_header_phi(s->c, s->loop, v) && !(again && restarts(s, a, v, v))) return false;
    map_put(&s->seen, v, 1);
    if (cfg_is_header_phi(s->c, s->loop, v)) return true;
    if (LLVMIsAAtomicRMWInst(v) || LLVMIsAAtomicCmpXchgInst(v)) return false;
    bool phi = LLVMIsAPHINode(v);
    unsigned n = phi ? LLVMCountIncoming(v) : (unsigned)LLVMGetNumOperands(v);
    for (unsigned k = 0; k < n; k++)
        if (!repeats(s, a, phi ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k), again)) return false;
    return true;
}

/* Some iteration leaves it unchanged, or, as of two nested loops with one header LLVM makes one, the outer latch resets
** the counter. */
static bool restarts(Search *s, Arena *a, LLVMValueRef phi, LLVMValueRef carried) {
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, k);
        if (!cfg_loop_contains(s->c, s->loop, cfg_number(s->c, LLVMGetIncomingBlock(phi, k)))) continue;
        if (v == carried) return true;
        if (is_in_loop(s, v) && LLVMIsAPHINode(v) && !cfg_is_header_phi(s->c, s->loop, v)) {
            if (map_get(&s->walked, v, 0)) continue;
            map_put(&s->walked, v, 1);
            if (restarts(s, a, v, carried)) return true;
            continue;
        }
        Search fresh = *s;
        map_init(&fresh.seen, a);
        bool same = repeats(&fresh, a, v, false);
        s->steps = fresh.steps;
        if (same) return true;
    }
    return false;
}

static bool block_has_fence(LLVMBasicBlockRef bb) {
    for_each_in_block(i, bb)
        if (LLVMIsAFenceInst(i)) return true;
    return false;
}

static bool has_fence(Search *s) {
    Facts *f = &s->facts[s->loop];
    const Loop *l = &s->c->l[s->loop];
    if (f->fence == NOT_KNOWN) f->fence = NO;
    else return f->fence == YES;
    for (int b = l->first; b <= l->last && f->fence == NO; b++)
        if (block_has_fence(s->c->b[b].bb)) f->fence = YES;
    return f->fence == YES;
}

/* The block of the branch, or that of the query whether some lane has something to do there (guard_coherent). */
static int test_block(const Cfg *c, LLVMValueRef branch) {
    int b = cfg_block_of(c, branch);
    if (b < 0 || c->b[b].npred != 1) return b;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(c->b[c->b[b].pred[0]].bb),
                 any = LLVMIsABranchInst(t) && LLVMIsConditional(t) ? LLVMGetCondition(t) : NULL;
    return any && name_of_call(any) == NAME_ANY && LLVMGetOperand(any, 0) == LLVMGetCondition(branch) ? c->b[b].pred[0]
                                                                                                      : b;
}

/* The branch leaves the loop if the compare-and-swap has succeeded, and every iteration executes it. */
static bool leaves_on_success(const Cfg *c, int loop, LLVMValueRef cas, LLVMValueRef branch) {
    if (!cfg_in_loop(c, loop, branch)) return false;
    int b = cfg_block_of(c, branch);
    if (b < 0 || c->b[b].nsucc != 2 || c->l[loop].nlatches != 1 ||
        !cfg_dominates(c, test_block(c, branch), c->l[loop].latches[0]))
        return false;
    LLVMValueRef test = LLVMGetCondition(branch), old = test;
    bool compared = LLVMIsAICmpInst(test), equal = !compared || LLVMGetICmpPredicate(test) == LLVMIntEQ;
    if (compared) {
        bool first = LLVMGetOperand(test, 0) == LLVMGetOperand(cas, 1);
        old = LLVMGetOperand(test, first);
        if (LLVMGetOperand(test, !first) != LLVMGetOperand(cas, 1) ||
            (!equal && LLVMGetICmpPredicate(test) != LLVMIntNE))
            return false;
    }
    bool is_old = LLVMIsAExtractValueInst(old) && LLVMGetOperand(old, 0) == cas && LLVMGetIndices(old)[0] == !compared;
    return is_old && !cfg_loop_contains(c, loop, c->b[b].succ[equal ? 0 : 1]);
}

/* The branch, or a branch on a comparison with the value. */
static bool decides_to_leave(const Cfg *c, int loop, LLVMValueRef cas, LLVMValueRef part) {
    for_each_user(i, part) {
        if (LLVMIsABranchInst(i) && LLVMIsConditional(i) && leaves_on_success(c, loop, cas, i)) return true;
        if (LLVMIsAICmpInst(i) && decides_to_leave(c, loop, cas, i)) return true;
    }
    return false;
}

/* What the load returns is what a compare-and-swap expects, and only if that fails there is another iteration: then
** some other thread has stored. */
static bool is_tried_again(const Cfg *c, int loop, LLVMValueRef load) {
    for_each_user(cas, load) {
        if (!LLVMIsAAtomicCmpXchgInst(cas) || LLVMGetOperand(cas, 1) != load ||
            LLVMGetOperand(cas, 0) != LLVMGetOperand(load, 0))
            continue;
        for_each_user(user, cas)
            if (LLVMIsAExtractValueInst(user) && decides_to_leave(c, loop, cas, user)) return true;
    }
    return false;
}

/* Until some other thread stores, this instruction gives the same result again: taking a lock, or polling. A
** compare-and-swap that expects what it last read is not one: some lane always succeeds. */
static bool waits(Search *s, Arena *a, LLVMValueRef i) {
    const Cfg *c = s->c;
    int loop = s->loop;
    if (LLVMIsAAtomicCmpXchgInst(i)) return is_invariant(c, loop, LLVMGetOperand(i, 1), false, 0);
    if (LLVMIsAAtomicRMWInst(i))
        return LLVMGetAtomicRMWBinOp(i) == LLVMAtomicRMWBinOpXchg || LLVMIsAConstantInt(LLVMGetOperand(i, 1));
    if (!LLVMIsALoadInst(i)) return false;
    bool shared = LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
    if (shared) return !is_tried_again(c, loop, i) && repeats(s, a, LLVMGetOperand(i, 0), true);
    return is_invariant(c, loop, LLVMGetOperand(i, 0), true, 0) && has_fence(s);
}

static bool waits_in_loop(Search *s, int loop, LLVMValueRef i) {
    s->loop = loop;
    s->steps = 0;
    s->seen = map_new(s->a);
    s->walked = map_new(s->a);
    return waits(s, s->a, i);
}

/* One that has ended the loop is the last one that is searched for. */
static bool ends_loop(Search *s, LLVMValueRef i) {
    Facts *f = &s->facts[s->loop];
    PtrMap *known = &f->no_exit[s->only_reads];
    s->steps = 0;
    s->seen = *known;
    s->seen.arena = s->a;
    bool ends = feeds_exit(s, i);
    *known = s->seen;
    return ends;
}

/* Each time it gets another number, which ends the loop eventually. */
static bool draws_number(LLVMValueRef i) {
    if (!LLVMIsAAtomicRMWInst(i)) return false;
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(i);
    bool sum = op == LLVMAtomicRMWBinOpAdd || op == LLVMAtomicRMWBinOpSub || op == LLVMAtomicRMWBinOpUIncWrap ||
               op == LLVMAtomicRMWBinOpUDecWrap;
    LLVMValueRef v = LLVMGetOperand(i, 1);
    return sum && !(LLVMIsAConstantInt(v) && LLVMIsNull(v));
}

bool *find_spin_loops(Arena *a, const Cfg *c) {
    bool *polls = arena_array(a, bool, c->nloops + 1);
    Search s = {.c = c, .a = a, .facts = arena_array(a, Facts, c->nloops + 1)};
    for_each_cfg_instruction(i, b, c) {
        if (!LLVMIsALoadInst(i) && !LLVMIsAAtomicRMWInst(i) && !LLVMIsAAtomicCmpXchgInst(i)) continue;
        for (int x = c->b[b].loop; x >= 0; x = c->l[x].parent) {
            if (polls[x] || !waits_in_loop(&s, x, i)) continue;
            if (!s.d) s.d = divergence_new(a, c);
            s.only_reads = !draws_number(i);
            polls[x] = ends_loop(&s, i);
        }
    }
    return polls;
}
