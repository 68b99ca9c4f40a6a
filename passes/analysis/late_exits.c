/* late_exits.c: see late_exits.h.
**
** Threads that return do not count at a barrier, so lanes may bypass it, if they reach no other one; what they do
** before they end is done before the barrier opens. Linear code runs a block at its position in the order of blocks:
** too late, if that is after the barrier (the merged exits of a kernel).
**
** Lanes diverge at a branch and reconverge where it is post-dominated. So a block comes late if it is reached from such
** a branch without a barrier, and is after a barrier that is reached from there before the lanes reconverge. Back edges
** do not count: within one iteration of a loop the order of blocks is that of time. Of barriers in both successors of a
** divergent branch, which CUDA does not define, each counts as one of all threads. */
#include "passes/analysis/late_exits.h"
#include "passes/ir/edit.h"
#include "passes/ir/names.h"

typedef struct Late {
    const Cfg *c;
    /* block -> has a barrier; has none but of a number of threads, at which warps arrive as a whole */
    bool *cut, *all_whole;
    bool *accesses; /* block -> accesses memory, before the first one */
    /* the first block with a barrier, but not of such, that a lane reaches from the end of a block; c->n = none */
    int *barrier;
    int *last_access; /* the last one in which it may access memory, without a barrier; -1 = none */
} Late;

static bool accesses_memory(LLVMValueRef i) {
    return LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
           (LLVMIsACallInst(i) && name_of_call(i) == NAME_NONE && !is_pure_intrinsic(i));
}

static void scan_block(Late *l, int b) {
    for_each_in_block(i, l->c->b[b].bb) {
        Name n = name_of_call(i);
        if (name_is_cut(n)) l->all_whole[b] = n == NAME_BARRIER_N && (l->all_whole[b] || !l->cut[b]);
        l->cut[b] |= name_is_cut(n);
        l->accesses[b] |= !l->cut[b] && accesses_memory(i);
    }
}

static void scan_successors(Late *l, int b) {
    l->barrier[b] = l->c->n;
    l->last_access[b] = -1;
    for (int e = 0; e < l->c->b[b].nsucc; e++) {
        int to = l->c->b[b].succ[e];
        if (to <= b) continue;
        int barrier = l->cut[to] && !l->all_whole[to] ? to : l->barrier[to],
            last_access = l->cut[to] || l->last_access[to] < 0 ? -1 : l->last_access[to];
        if (last_access < 0 && l->accesses[to]) last_access = to;
        if (barrier < l->barrier[b]) l->barrier[b] = barrier;
        if (last_access > l->last_access[b]) l->last_access[b] = last_access;
    }
}

static Late scan(Arena *a, const Cfg *c) {
    Late l = {c,
              arena_array(a, bool, c->n),
              arena_array(a, bool, c->n),
              arena_array(a, bool, c->n),
              arena_array(a, int, c->n),
              arena_array(a, int, c->n)};
    for (int b = c->n - 1; b >= 0; b--) {
        scan_block(&l, b);
        scan_successors(&l, b);
    }
    return l;
}

/* Lanes diverge at the end of b; some reach a barrier before all reconverge, others access memory after it. */
static bool diverges_late(const Late *l, const Shapes *s, int b) {
    if (l->c->b[b].nsucc < 2 || !shapes_branch_divergent(s, b)) return false;
    int together = l->c->b[b].ipdom, barrier = l->barrier[b];
    return barrier < l->last_access[b] && (together <= b || barrier < together);
}

/* Lanes leave a divergent loop in which others go on to a barrier, and access memory after it. */
static bool leaves_late(const Late *l, int loop) {
    const Loop *x = &l->c->l[loop];
    bool barrier = false, last_access = false;
    for (int b = x->first; b <= x->last; b++) barrier |= l->cut[b] && cfg_loop_contains(l->c, loop, b);
    for (int b = x->last + 1; b < l->c->n && barrier; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(l->c->b[b].bb); i && !last_access; i = LLVMGetNextInstruction(i))
            last_access = accesses_memory(i);
    return last_access;
}

bool exits_late(Arena *a, const Cfg *c, const Shapes *s, const bool *divergent_loops) {
    Late l = scan(a, c);
    for (int b = 0; b < c->n; b++)
        if (diverges_late(&l, s, b)) return true;
    for (int x = 0; x < c->nloops; x++)
        if (divergent_loops[x] && leaves_late(&l, x)) return true;
    return false;
}

int find_late_exit(Arena *a, const Cfg *c, const Shapes *s) {
    Late l = scan(a, c);
    for (int b = 0; b < c->n; b++) {
        if (!diverges_late(&l, s, b)) continue;
        int at = l.last_access[b];
        while (c->b[at].idom > l.barrier[b]) at = c->b[at].idom;
        return at;
    }
    return -1;
}
