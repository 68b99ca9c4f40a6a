/* lane_rows: see lane_rows.h.
**
** `for (j = 0; j < k; j++) s += in[i * k + j]`: the lanes of a group read k elements apart, so each iteration is a
** gather, whereas a single thread reads neighbours. The result is an estimate (lane_cost); nothing is proved by it. */
#include "passes/analysis/lane_rows.h"
#include "passes/analysis/affine.h"
#include "passes/analysis/strided_loops.h"
#include "passes/ir/edit.h"
#include "passes/ir/names.h"
#include "passes/ir/value.h"

enum { DEPTH = 8 /* joins between an address and a counter */, MIN_TRIPS = 12, MAX_BLOCKS = 16 };

typedef struct Walk {
    const Cfg *c;
    LLVMTargetDataRef dl;
    int loop;
    PtrMap changing; /* values of the loop that may differ from iteration to iteration */
} Walk;

/* The phi's value from the previous iteration. */
static LLVMValueRef previous_value(const Walk *w, LLVMValueRef phi) {
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (cfg_loop_contains(w->c, w->loop, cfg_number(w->c, LLVMGetIncomingBlock(phi, k))))
            return LLVMGetIncomingValue(phi, k);
    return NULL;
}

static bool changes(const Walk *w, LLVMValueRef v) { return map_get(&w->changing, v, 0) != 0; }

/* Everything but arithmetic on what is invariant. */
static void find_changing(Walk *w, LLVMBasicBlockRef bb) {
    for_each_in_block(i, bb) {
        bool r = LLVMIsAPHINode(i) || LLVMIsALoadInst(i) || (LLVMIsACallInst(i) && !is_pure_intrinsic(i));
        for (int k = 0; k < LLVMGetNumOperands(i) && !r; k++) r = changes(w, LLVMGetOperand(i, (unsigned)k));
        if (r) map_put(&w->changing, i, 1);
    }
}

static bool step_in_loop(const Walk *w, LLVMValueRef v, int depth, int64_t *step);

/* At joins: if all incoming values have it. */
static bool step_of_join(const Walk *w, LLVMValueRef phi, int depth, int64_t *step) {
    int64_t s;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        if (!step_in_loop(w, LLVMGetIncomingValue(phi, k), depth, &s) || (k && s != *step)) return false;
        *step = s;
    }
    return true;
}

/* next is the phi of the previous iteration and a constant. */
static bool adds_to(const Walk *w, LLVMValueRef phi, LLVMValueRef next, int64_t *step) {
    if (!next || !LLVMIsAInstruction(next) || LLVMGetOperand(next, 0) != phi) return false;
    LLVMValueRef by = LLVMGetNumOperands(next) == 2 ? LLVMGetOperand(next, 1) : NULL;
    bool adds = LLVMGetInstructionOpcode(next) == LLVMAdd, moves = LLVMIsAGetElementPtrInst(next);
    if (!by || !(adds || moves) || !LLVMIsAConstantInt(by)) return false;
    *step = LLVMConstIntGetSExtValue(by) *
            (moves ? (int64_t)LLVMABISizeOfType(w->dl, LLVMGetGEPSourceElementType(next)) : 1);
    return true;
}

static bool step_of_counter(const Walk *w, LLVMValueRef phi, int64_t *step) {
    LLVMValueRef next = previous_value(w, phi);
    bool join =
        next && cfg_in_loop(w->c, w->loop, next) && LLVMIsAPHINode(next) && !cfg_is_header_phi(w->c, w->loop, next);
    int64_t s;
    if (!join) return adds_to(w, phi, next, step);
    for (unsigned k = 0; k < LLVMCountIncoming(next); k++) {
        if (!adds_to(w, phi, LLVMGetIncomingValue(next, k), &s) || (k && s != *step)) return false;
        *step = s;
    }
    return true;
}

/* Counters, joins, and what is the same in all iterations. */
static bool is_step_term(const void *walk, LLVMValueRef v) {
    const Walk *w = walk;
    return LLVMIsAPHINode(v) || !cfg_in_loop(w->c, w->loop, v) || !changes(w, v);
}

/* The increment of v per iteration, if that is a constant. */
static bool step_in_loop(const Walk *w, LLVMValueRef v, int depth, int64_t *step) {
    AffineRules rules = {.flags = AFFINE_ASSUME, .layout = w->dl, .is_term = is_step_term, .context = w};
    Affine a;
    *step = 0;
    if (depth == 0 || !affine_of(&rules, v, AFFINE_SAME, &a)) return false;
    for (int k = 0; k < a.n; k++) {
        LLVMValueRef t = a.term[k].v;
        int64_t own;
        if (!cfg_in_loop(w->c, w->loop, t) || !changes(w, t)) continue;
        bool header = cfg_is_header_phi(w->c, w->loop, t);
        if (header ? !step_of_counter(w, t, &own) : !step_of_join(w, t, depth - 1, &own)) return false;
        *step += a.term[k].factor * own;
    }
    return true;
}

/* Carried from iteration to iteration: a counter, or a reduction (sum, product, minimum, ...): whether LLVM may reorder
** it. */
static bool may_carry(const Walk *w, LLVMValueRef phi, bool *sums_floats) {
    int64_t step;
    if (step_of_counter(w, phi, &step)) return true;
    LLVMValueRef next = previous_value(w, phi);
    if (!next || !cfg_in_loop(w->c, w->loop, next)) return false;
    LLVMTypeKind t = LLVMGetTypeKind(LLVMTypeOf(phi));
    if (t == LLVMFloatTypeKind || t == LLVMDoubleTypeKind) return *sums_floats = true;
    if (t != LLVMIntegerTypeKind) return false;
    if (is_op(next, OP_ADD | OP_MUL | OP_BITWISE))
        return LLVMGetOperand(next, 0) == phi || LLVMGetOperand(next, 1) == phi;
    return LLVMIsASelectInst(next) || is_pure_intrinsic(next);
}

static bool may_hold(LLVMValueRef i) {
    if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    if (LLVMIsACallInst(i)) return is_pure_intrinsic(i);
    return !LLVMIsAAtomicRMWInst(i) && !LLVMIsAAtomicCmpXchgInst(i) && !LLVMIsAFenceInst(i) && !LLVMIsAAllocaInst(i);
}

/* The block leaves the loop when a counter reaches a bound, after some iterations. */
static bool is_counted_exit(const Walk *w, int exit) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(w->c->b[exit].bb), test = LLVMGetCondition(t);
    int64_t a, b;
    if (!LLVMIsAICmpInst(test) || !step_in_loop(w, LLVMGetOperand(test, 0), DEPTH, &a) ||
        !step_in_loop(w, LLVMGetOperand(test, 1), DEPTH, &b))
        return false;
    unsigned trips = cfg_trip_count(w->c, w->loop);
    return (a != 0) != (b != 0) && (!trips || trips >= MIN_TRIPS);
}

/* Adds the block to the row; false: it contains something that no vector of the row's elements can do. */
static bool add_block_accesses(const Walk *w, LLVMBasicBlockRef bb, LaneRow *row) {
    for_each_in_block(i, bb) {
        LLVMTypeRef t;
        LLVMValueRef p = accessed_address(i, &t);
        int64_t step;
        bool carried = cfg_is_header_phi(w->c, w->loop, i);
        if (!may_hold(i) || (carried && !may_carry(w, i, &row->sums_floats))) return false;
        if (!p && !(carried && !step_of_counter(w, i, &step))) continue;
        int64_t size = (int64_t)LLVMABISizeOfType(w->dl, p ? t : LLVMTypeOf(i));
        if (size > row->bytes) row->bytes = (unsigned)size;
        if (!p) continue;
        if (!step_in_loop(w, p, DEPTH, &step) || (step != size && (step || LLVMIsAStoreInst(i)))) return false;
        if (step) row->is_row = true;
    }
    return true;
}

/* Its branches, except the one that leaves the loop, are invariant: LLVM unswitches the loop. */
static bool add_branch(const Walk *w, int b, LaneRow *row, int *exits) {
    const Block *from = &w->c->b[b];
    bool leaves = false;
    for (int e = 0; e < from->nsucc; e++) leaves |= !cfg_loop_contains(w->c, w->loop, from->succ[e]);
    if (from->nsucc > 2) return false;
    if (leaves) return from->nsucc == 2 && (*exits)++ == 0 && is_counted_exit(w, b);
    if (from->nsucc < 2) return true;
    row->branches = true;
    return !changes(w, LLVMGetCondition(LLVMGetBasicBlockTerminator(from->bb)));
}

/* Sums of floats after branches are none: the delay is not estimated. */
static LaneRow find_lane_row(const Walk *w) {
    LaneRow none = {0}, row = {0};
    const Loop *l = &w->c->l[w->loop];
    int exits = 0;
    for (int b = l->first; b <= l->last; b++)
        if (!add_block_accesses(w, w->c->b[b].bb, &row) || !add_branch(w, b, &row, &exits)) return none;
    return row.is_row && exits == 1 && !(row.branches && row.sums_floats) ? row : none;
}

LaneRow lane_row(const Cfg *c, LLVMTargetDataRef dl, int loop) {
    const Loop *l = &c->l[loop];
    Arena a = {0};
    Walk w = {.c = c, .dl = dl, .loop = loop};
    LaneRow none = {0};
    if (l->last > l->first + MAX_BLOCKS || l->nlatches != 1) return none;
    for (int b = l->first; b <= l->last; b++)
        if (c->b[b].loop != loop) return none;
    map_init(&w.changing, &a);
    for (int b = l->first; b <= l->last; b++) find_changing(&w, c->b[b].bb);
    LaneRow row = find_lane_row(&w);
    arena_free(&a);
    return row;
}
