/* late_exits.c: see late_exits.h.
**
** Threads that return do not count at a barrier, so lanes may go round it, if they meet no other one; what they do on their
** way out is done before the barrier opens.  Linear code runs a block where it stands in the order of blocks: too late, if
** that is behind the barrier (the exits of a kernel that LLVM has made one).
** Lanes part at a divergent branch and are together again where it is post-dominated.  So a block comes late if it is
** reached from such a branch without a barrier, and stands behind a barrier that is reached from there before the lanes are
** together again.  Edges that go back do not count: within one round of a loop the order of blocks is that of time.
** Of barriers on two sides of a divergent branch, which CUDA does not define, each is taken for one of all threads. */
#include "passes/analysis/late_exits.h"
#include "passes/ir/edit.h"
#include "passes/ir/names.h"

typedef struct Late {
    const Cfg *c;
    bool *cut, *whole; /* block -> has a barrier; has none but of a number of threads, to which
                          warps come whole */
    bool *touches;     /* block -> touches memory, in front of the first one */
    int *barrier;      /* the first block with a barrier, but not of such, that a lane reaches from the
                     end of a block; c->n = none */
    int *touched;      /* the last one that it may touch memory in, without a barrier; -1 = none */
} Late;

static bool touches_memory(LLVMValueRef i) {
    return LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
           (LLVMIsACallInst(i) && name_of_call(i) == NAME_NONE && !is_pure_intrinsic(i));
}

static void scan_block(Late *l, int b) {
    for_each_in_block(i, l->c->b[b].bb) {
        Name n = name_of_call(i);
        if (name_is_cut(n)) l->whole[b] = n == NAME_BARRIER_N && (l->whole[b] || !l->cut[b]);
        l->cut[b] |= name_is_cut(n);
        l->touches[b] |= !l->cut[b] && touches_memory(i);
    }
}

static void look_ahead(Late *l, int b) {
    l->barrier[b] = l->c->n;
    l->touched[b] = -1;
    for (int e = 0; e < l->c->b[b].nsucc; e++) {
        int to = l->c->b[b].succ[e];
        if (to <= b) continue;
        int barrier = l->cut[to] && !l->whole[to] ? to : l->barrier[to],
            touched = l->cut[to] || l->touched[to] < 0 ? -1 : l->touched[to];
        if (touched < 0 && l->touches[to]) touched = to;
        if (barrier < l->barrier[b]) l->barrier[b] = barrier;
        if (touched > l->touched[b]) l->touched[b] = touched;
    }
}

static Late look(Arena *a, const Cfg *c) {
    Late l = {c,
              arena_array(a, bool, c->n),
              arena_array(a, bool, c->n),
              arena_array(a, bool, c->n),
              arena_array(a, int, c->n),
              arena_array(a, int, c->n)};
    for (int b = c->n - 1; b >= 0; b--) {
        scan_block(&l, b);
        look_ahead(&l, b);
    }
    return l;
}

/* Lanes part at the end of b; some come to a barrier before all are together again, others touch
 * memory behind it. */
static bool parts_late(const Late *l, const Shapes *s, int b) {
    if (l->c->b[b].nsucc < 2 || !shapes_branch_divergent(s, b)) return false;
    int together = l->c->b[b].ipdom, barrier = l->barrier[b];
    return barrier < l->touched[b] && (together <= b || barrier < together);
}

/* Lanes leave a divergent loop in which others go on to a barrier, and touch memory behind it. */
static bool leaves_late(const Late *l, int loop) {
    const Loop *x = &l->c->l[loop];
    bool barrier = false, touched = false;
    for (int b = x->first; b <= x->last; b++) barrier |= l->cut[b] && cfg_loop_contains(l->c, loop, b);
    for (int b = x->last + 1; b < l->c->n && barrier; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(l->c->b[b].bb); i && !touched; i = LLVMGetNextInstruction(i))
            touched = touches_memory(i);
    return touched;
}

bool exits_late(Arena *a, const Cfg *c, const Shapes *s, const bool *divergent_loops) {
    Late l = look(a, c);
    for (int b = 0; b < c->n; b++)
        if (parts_late(&l, s, b)) return true;
    for (int x = 0; x < c->nloops; x++)
        if (divergent_loops[x] && leaves_late(&l, x)) return true;
    return false;
}

int find_late_exit(Arena *a, const Cfg *c, const Shapes *s) {
    Late l = look(a, c);
    for (int b = 0; b < c->n; b++) {
        if (!parts_late(&l, s, b)) continue;
        int at = l.touched[b];
        while (c->b[at].idom > l.barrier[b]) at = c->b[at].idom;
        return at;
    }
    return -1;
}
