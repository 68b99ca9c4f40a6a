/* scalarise_single_lane: a region that at most one lane of a group runs becomes scalar code.
**
**   A: br (v == u), B, J     becomes   A: br any(v == u), B', J       B': B with u in place of v
**   J: phi [x, B], [y, A]              J: phi [(v == u ? x : y), B'], [y, A]
**
** and, where the other lanes do something else first (`if (v == u) B else C`, or two `if`s of which one is false after
** the other was true, which LLVM threads together):
**
**   A: br (v == u), B, C     becomes   A: br any(v == u), B', R      R: phi [x, B'], [poison, A]; br (v == u), J, C
**   J: phi [x, B], [y, ...]            J: phi [R's, R], [y, ...]
**
** where v differs in every lane (threadIdx.x and sums of it) and u is uniform: `if (threadIdx.x == 0)` for a halo or a
** result. All values from outside that B uses are recomputed with u for v; they are uniform then, so that loads and
** stores of the one lane are scalar ones where they would be gathers and scatters under a mask.
** requires: normal form; before guard_coherent, which has nothing to do on such an arm any more
** Not taken: arms with several entries or exits, or with an exit from the loop that A is in, with atomics, calls or
** local arrays (what one lane does once must not be done by all), and what depends on v through memory or a phi. Arms
** that are uniform already gain nothing. */
#include "passes/analysis/single_lane.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/slice.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/value.h"
#include <llvm-c/DebugInfo.h>

enum { DEPTH = 8, MAX_ARMS = 16 /* arms per kernel */ };

typedef struct SingleLane {
    Kernel *k;
    Arena *a;
    const Cfg *c;
    const Shapes *s;
    const MemorySpaces *memory;
    LLVMBuilderRef b;
    int at, arm, join, beside; /* blocks A, B, J, and the predecessor of J other than the arm; -1: C */
    LLVMValueRef test, v, u;   /* the whole condition of the branch; v == u follows from it */
    PtrMap made;               /* outside value -> its form with u for v */
} SingleLane;

/* ---- which branches ---- */

static bool in_arm(const SingleLane *x, int b) { return cfg_dominates(x->c, x->arm, b); }

/* May be done once for the group; *gains: an access becomes scalar. */
static bool is_fine(const SingleLane *x, LLVMValueRef i, bool *gains) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op == LLVMLoad || op == LLVMStore) {
        LLVMValueRef p = LLVMGetOperand(i, op == LLVMStore);
        if (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic) return false;
        if (!shapes_is_uniform(x->s, p) || (op == LLVMStore && !shapes_is_uniform(x->s, LLVMGetOperand(i, 0))))
            *gains = true;
        return !may_be_local(x->memory, p);
    }
    if (op == LLVMCall) {
        LLVMValueRef f = LLVMGetCalledValue(i);
        Name n = name_of_call(i);
        if (n != NAME_NONE) return (n >= NAME_TID_X && n <= NAME_NCTAID_Z) || n == NAME_GLOBAL_X;
        const char *name = LLVMIsAFunction(f) && LLVMGetIntrinsicID(f) ? value_name(f) : "";
        static const char *const pure[] = {"llvm.smax.",   "llvm.smin.",   "llvm.umax.", "llvm.umin.",
                                           "llvm.fabs.",   "llvm.sqrt.",   "llvm.fma.",  "llvm.fmuladd.",
                                           "llvm.minnum.", "llvm.maxnum.", "llvm.abs."};
        for (size_t k = 0; k < sizeof pure / sizeof *pure; k++)
            if (!strncmp(name, pure[k], strlen(pure[k]))) return true;
        return false;
    }
    return op != LLVMAtomicRMW && op != LLVMAtomicCmpXchg && op != LLVMFence && op != LLVMAlloca;
}

/* The one successor of the arm; -1: there is none, or there are several. */
static int side_exit(const SingleLane *x) {
    int exit = -1;
    for (int b = x->arm; b < x->c->n; b++) {
        const Block *k = &x->c->b[b];
        if (!in_arm(x, b)) continue;
        for (int s = 0; s < k->nsucc; s++) {
            if (in_arm(x, k->succ[s]) || k->succ[s] == exit) continue;
            if (exit >= 0) return -1;
            exit = k->succ[s];
        }
    }
    return exit;
}

static bool is_scalar_side(const SingleLane *x) {
    bool gains = false;
    for (int b = x->arm; b < x->c->n; b++) {
        if (!in_arm(x, b)) continue;
        const Block *k = &x->c->b[b];
        if (!k->nsucc) return false;
        for_each_in_block(i, k->bb)
            if (!is_fine(x, i, &gains)) return false;
    }
    return gains;
}

/* ---- values from outside, with u for v ---- */

static bool is_v(const SingleLane *x, LLVMValueRef w) {
    return w == x->v ||
           (name_of_call(w) != NAME_NONE && name_of_call(w) == name_of_call(x->v) && name_of_call(w) <= NAME_TID_Z);
}

static bool is_on_side(const SingleLane *x, LLVMValueRef w) {
    return LLVMIsAInstruction(w) && in_arm(x, cfg_block_of(x->c, w));
}

static LLVMValueRef for_one_lane(const void *context, LLVMValueRef w) {
    const SingleLane *x = context;
    if (is_v(x, w)) return x->u;
    return !LLVMIsAInstruction(w) || shapes_is_uniform(x->s, w) ? w : NULL;
}

static bool is_min_max(const void *context, LLVMValueRef i) { return (void)context, is_int_min_max(i); }

/* What is not uniform, with u for v. */
static Slice single_lane_slice(const SingleLane *x) {
    return (Slice){for_one_lane,
                   x,
                   OP_INT_BINARY | OP_INT_CAST | OP_PTR_CAST | OP_ICMP | OP_SELECT | OP_GEP | OP_FREEZE | OP_FLOAT |
                       OP_FCAST | OP_FCMP | OP_VECTOR | OP_AGGREGATE,
                   is_min_max,
                   DEPTH,
                   SLICE_KEEP_FLAGS,
                   false};
}

static bool is_varying(const SingleLane *x, LLVMValueRef w) {
    return LLVMIsAInstruction(w) && !shapes_is_uniform(x->s, w);
}

/* Visits each operand in the arm that comes from outside and is not uniform: checks it, or replaces it. */
static bool outside_operands(SingleLane *x, bool replace) {
    Slice slice = single_lane_slice(x);
    for (int b = x->arm; b < x->c->n; b++) {
        if (!in_arm(x, b)) continue;
        for_each_in_block(i, x->c->b[b].bb) {
            for (unsigned k = 0; k < value_operands(i); k++) {
                LLVMValueRef w = LLVMGetOperand(i, k);
                if (LLVMValueIsBasicBlock(w) || (!is_v(x, w) && (is_on_side(x, w) || !is_varying(x, w)))) continue;
                if (!slice_can_clone(&slice, w)) return false;
                if (replace) LLVMSetOperand(i, k, slice_clone(&slice, x->b, w, &x->made));
            }
        }
    }
    return true;
}

/* ---- replacement ---- */

/* Other ids are read in the arm itself. */
static bool reads_own_ids(const SingleLane *x) {
    for (int b = x->arm; b < x->c->n; b++)
        for (LLVMValueRef i = in_arm(x, b) ? LLVMGetFirstInstruction(x->c->b[b].bb) : NULL; i;
             i = LLVMGetNextInstruction(i))
            if (name_of_call(i) != NAME_NONE && !is_v(x, i) && is_varying(x, i)) return true;
    return false;
}

/* On the edge from the arm, lanes other than the single one keep the value that they would have had. */
static void keep_others(SingleLane *x) {
    LLVMBasicBlockRef beside = x->c->b[x->beside].bb;
    for_each_phi(p, x->c->b[x->join].bb) {
        LLVMValueRef other = NULL;
        for (unsigned i = 0; i < LLVMCountIncoming(p); i++)
            if (LLVMGetIncomingBlock(p, i) == beside) other = LLVMGetIncomingValue(p, i);
        for (unsigned i = 0; i < LLVMCountIncoming(p); i++) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(p, i);
            if (!in_arm(x, cfg_number(x->c, from))) continue;
            LLVMPositionBuilderBefore(x->b, LLVMGetBasicBlockTerminator(from));
            LLVMSetCurrentDebugLocation2(x->b, NULL);
            LLVMSetOperand(p, i, LLVMBuildSelect(x->b, x->test, LLVMGetIncomingValue(p, i), other, ""));
        }
    }
}

/* Values that the arm has computed for the join come from the block `rest`; the other lanes have their own. */
static void merge_results(SingleLane *x, LLVMBasicBlockRef rest, LLVMBasicBlockRef done) {
    LLVMBasicBlockRef join = x->c->b[x->join].bb, at = x->c->b[x->at].bb;
    for_each_phi(p, join) {
        LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(rest));
        LLVMValueRef q = LLVMBuildPhi(x->b, LLVMTypeOf(p), ""), none = LLVMGetPoison(LLVMTypeOf(p));
        LLVMAddIncoming(q, &none, &at, 1);
        for (unsigned i = LLVMCountIncoming(p); i-- > 0;) {
            LLVMBasicBlockRef from = LLVMGetIncomingBlock(p, i);
            LLVMValueRef v = LLVMGetIncomingValue(p, i);
            if (!in_arm(x, cfg_number(x->c, from))) continue;
            LLVMAddIncoming(q, &v, &from, 1);
            shim_remove_phi_incoming(p, from);
        }
        LLVMAddIncoming(p, &q, &done, 1);
    }
}

/* All lanes continue after the arm: the single one at the join, the others at their original target. */
static void rejoin(SingleLane *x) {
    LLVMBasicBlockRef at = x->c->b[x->at].bb, join = x->c->b[x->join].bb, arm = x->c->b[x->arm].bb;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(at);
    LLVMBasicBlockRef rest = shim_split_block(t, "rest");
    LLVMBasicBlockRef done = LLVMInsertBasicBlockInContext(x->k->m->ctx, join, "done");
    LLVMSetCurrentDebugLocation2(x->b, NULL);
    merge_results(x, rest, done);
    LLVMPositionBuilderAtEnd(x->b, done);
    LLVMBuildBr(x->b, join);
    LLVMSetSuccessor(t, 0, done);
    for (int b = x->arm; b < x->c->n; b++) {
        LLVMValueRef e = in_arm(x, b) ? LLVMGetBasicBlockTerminator(x->c->b[b].bb) : NULL;
        for (unsigned s = 0; e && s < LLVMGetNumSuccessors(e); s++)
            if (LLVMGetSuccessor(e, s) == join) LLVMSetSuccessor(e, s, rest);
    }
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(at);
    replace_by_branch(x->b, jump, x->test, arm, rest);
}

static bool scalarise(SingleLane *x) {
    if (!is_scalar_side(x) || reads_own_ids(x) || !outside_operands(x, false)) return false;
    LLVMBasicBlockRef arm = x->c->b[x->arm].bb;
    LLVMPositionBuilderBefore(x->b, first_after_phis(arm));
    LLVMSetCurrentDebugLocation2(x->b, NULL);
    outside_operands(x, true);
    if (x->beside >= 0) keep_others(x);
    else rejoin(x);
    LLVMValueRef t = LLVMGetBasicBlockTerminator(x->c->b[x->at].bb);
    LLVMPositionBuilderBefore(x->b, t);
    LLVMValueRef any = name_call(x->b, x->k->m->mod, NAME_ANY, &x->test, 1, "any");
    LLVMSetCondition(t, any);
    return true;
}

/* An empty block that splits an edge. */
static bool splits_edge(const Block *b) {
    return b->npred == 1 && b->nsucc == 1 && LLVMIsATerminatorInst(LLVMGetFirstInstruction(b->bb));
}

/* Finds the join and the path beside the arm. */
static bool find_join(SingleLane *x, int other) {
    x->join = side_exit(x);
    if (x->join < 0) return false;
    x->beside = x->join == other                                                    ? x->at
                : splits_edge(&x->c->b[other]) && x->c->b[other].succ[0] == x->join ? other
                                                                                    : -1;
    if (x->beside >= 0) return true;
    return x->c->b[x->at].loop == x->c->b[x->join].loop && !cfg_dominates(x->c, x->join, x->at) &&
           !LLVMIsAPHINode(LLVMGetFirstInstruction(x->c->b[x->arm].bb));
}

static bool try_branch(SingleLane *x, int a) {
    const Block *k = &x->c->b[a];
    if (k->nsucc != 2 || !shapes_branch_divergent(x->s, a)) return false;
    x->at = a;
    x->arm = k->succ[0];
    x->test = LLVMGetCondition(LLVMGetBasicBlockTerminator(k->bb));
    map_init(&x->made, x->a);
    return x->c->b[x->arm].npred == 1 && single_lane(x->s, x->test, &x->v, &x->u) && find_join(x, k->succ[1]) &&
           scalarise(x);
}

/* One arm after the other: each change makes values uniform. */
static bool change_one(Kernel *k) {
    SingleLane x = {.k = k, .a = k->arena, .c = kernel_cfg(k), .b = LLVMCreateBuilderInContext(k->m->ctx)};
    bool changed = false;
    if (x.c->reducible) {
        x.s = kernel_shapes(k);
        x.memory = memory_spaces(x.a, k->fn);
        for (int a = 0; a < x.c->n && !changed; a++) changed = try_branch(&x, a);
    }
    LLVMDisposeBuilder(x.b);
    if (changed) drop_facts(k);
    return changed;
}

Nyi scalarise_single_lane(Kernel *k) {
    bool off = k->width == 1 || pass_disabled(k->m, "scalarise_single_lane");
    int n = 0;
    while (n < MAX_ARMS && !off && change_one(k)) n++;
    if (n) run_llvm_passes_on(k->m, k->fn, "break-crit-edges"); /* from A to J */
    else keep_facts(k);
    return NYI_NONE;
}
