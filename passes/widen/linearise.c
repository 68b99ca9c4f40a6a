/* linearise: divergent control flow becomes data flow under masks; uniform branches are kept.
**
** in:  per-thread code in normal form
** out: code in which every branch is uniform for the group. A block that not all lanes of the group run starts with
**      cucpu.mask(m); values that merge at divergent joins are selects; a loop that lanes leave one by one runs while
**      any lane is left.
**
** Partial linearisation after Moll (2021, ch. 8): blocks are visited in compact order; a divergent branch goes to the
** nearest of its targets and *defers* the others, which every later block must then reach; a uniform branch keeps its
** two targets as far as deferrals allow.
** Loops: an edge that leaves a divergent loop goes to its latch instead; the latch repeats the loop while any lane
** arrives at it and otherwise acts as a divergent branch to all exits. Lanes that leave it together, by a uniform
** branch of its header, go straight to the exits. A loop is divergent if lanes leave it one by one, if it may run
** without any active lane, or if an exit that lanes take together is first routed through the rest of the loop: the
** layout is repeated while it reveals more of these.
**
** Masks and phis are kept in memory slots while the graph is rewritten; then they become values again.
**   mask of a block with several predecessors: OR over its edges, reset at the start of its loop
**   phi: in each predecessor  slot = select(edge mask, value, slot);  loop headers take the value
**        unconditionally, since lanes that have left do not read it: a uniform counter remains
**        uniform, and a value that leaves a divergent loop is blended as each lane leaves
** Masks are combined by select, not by `and`: an inactive lane may hold poison.
** A block without active lanes may run all the same: the conditions of its uniform branches are frozen where they may
** be poison. An access, a call or a division before a value no longer implies anything about it: between here and widen
** no pass may rely on that (that a pointer is not null, say), and the flags of such an instruction are dropped.
** Loops that poll memory become yield points, at width 1 too. Refuses where lanes of one group wait for each other
** (analysis/spin_loops.h). */
#include "cpu-runtime/abi.h"
#include "passes/analysis/late_exits.h"
#include "passes/analysis/memory_spaces.h"
#include "passes/analysis/spin_loops.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

typedef Vec(int) IntVec;

typedef struct Line {
    Kernel *k;
    Arena *a;
    LLVMBuilderRef b;
    LLVMTypeRef i1;
    Cfg *c;
    Shapes *s;
    bool *some; /* block -> some lane is active wherever it runs */
    bool *all_active,
        /* block -> it runs only with all lanes active (version_all_active), it is dominated by such a block */
        *in_all_active;
    bool *div_loop;
    bool *lost;                    /* edge of a uniform branch -> a layout routed it through another block first */
    int *latch;                    /* of each loop */
    int *dpdom;                    /* post-dominator of a block within one iteration of its loop, -1 = none */
    IntVec *deferred;              /* per block, ascending */
    int *ndom;                     /* immediate dominators of the new graph */
    int *next0, *next1;            /* new successors; next1 = -1: one successor */
    bool *slot_mask;               /* the mask of this block is kept in a slot */
    LLVMValueRef *mslot;           /* its alloca */
    LLVMValueRef *mask;            /* mask of a block as a value; NULL = all lanes */
    LLVMValueRef *edge;            /* masks of the edges of two-way branches, once built */
    LLVMBasicBlockRef *edge_block; /* of edges by which all active lanes leave a divergent loop, once built */
    LLVMValueRef entry_mask;
    Vec(LLVMValueRef) slots;
    PtrMap partial; /* slot -> 1: holds poison on paths that no lane has taken */
} Line;

static bool are_all_lanes_active(const Line *l) {
    const unsigned *b = l->k->block;
    unsigned threads = b[0] * b[1] * b[2];
    bool full = l->k->layout == LAYOUT_GENERAL && threads && threads % (unsigned)l->k->width == 0;
    return l->k->layout == LAYOUT_ROWS_FULL || full;
}

/* ---- divergent loops ---- */

static bool leaves(const Line *l, int from, int to, int loop) {
    return cfg_loop_contains(l->c, loop, from) && !cfg_loop_contains(l->c, loop, to);
}

/* Post-dominators of the graph without back edges: if A dominates B, both are in the same loop and B is on the dpdom
** chain of A, every lane that runs A runs B in the same iteration. */
static void iteration_postdominators(Line *l) {
    Cfg *c = l->c;
    l->dpdom = arena_array(l->a, int, c->n);
    for (int b = c->n - 1; b >= 0; b--) {
        int d = -2;
        for (int e = 0; e < c->b[b].nsucc; e++) {
            int s = c->b[b].succ[e];
            if (s <= b) {
                d = -1;
                break;
            } /* the next iteration starts: the end of this one */
            if (d == -2) {
                d = s;
                continue;
            }
            int x = d, y = s;
            while (x != y && x >= 0 && y >= 0) {
                if (x < y) x = l->dpdom[x];
                else y = l->dpdom[y];
            }
            d = x == y ? x : -1;
        }
        l->dpdom[b] = d == -2 ? -1 : d;
    }
}

static bool on_chain(const Line *l, int a, int b) {
    for (int d = l->dpdom[a]; d >= 0 && d <= b; d = l->dpdom[d])
        if (d == b) return true;
    return false;
}

static bool same_lanes(const Line *l, int a, int b) {
    return a >= 0 && l->c->b[a].loop == l->c->b[b].loop && on_chain(l, a, b);
}

/* b was entered by an edge of the inner branch of a guard, for which some lane is known to be active. */
static bool entered_by_guard(const Line *l, int up, int b) {
    const Block *x = &l->c->b[up];
    int g = x->idom;
    if (l->c->b[b].npred != 1 || x->npred != 1 || g < 0 || l->c->b[g].nsucc != 2 || l->c->b[g].succ[0] != up)
        return false;
    LLVMValueRef any = LLVMGetCondition(LLVMGetBasicBlockTerminator(l->c->b[g].bb));
    if (name_of_call(any) != NAME_ANY || l->lost[2 * g]) return false;
    LLVMValueRef want = LLVMGetOperand(any, 0), c = LLVMGetCondition(LLVMGetBasicBlockTerminator(x->bb));
    return (x->succ[0] == b) == (want == c); /* the guard tests c, or its negation */
}

/* b was entered by an edge on which cucpu.any implies that some lane is active (serialise_divergent_tail). */
static bool entered_by_some(const Line *l, int up, int b) {
    LLVMValueRef any = LLVMGetCondition(LLVMGetBasicBlockTerminator(l->c->b[up].bb));
    if (name_of_call(any) != NAME_ANY || !LLVMIsAConstantInt(LLVMGetOperand(any, 0)) || l->lost[2 * up]) return false;
    return l->c->b[up].succ[0] == b && l->c->b[b].npred == 1;
}

/* b is reached from one successor of the uniform branch of up, but is also run when the lanes took the other one. */
static bool runs_in_both_cases(const Line *l, int up, int b) {
    if (l->c->b[b].npred != 1) return l->lost[2 * up] || l->lost[2 * up + 1];
    return l->lost[2 * up + (l->c->b[up].succ[1] == b)];
}

/* Whether at least one lane is known to be active where this block runs. */
static bool guarded(const Line *l, int block) {
    for (int b = block; shapes_block_divergent(l->s, b);) {
        int up = l->c->b[b].idom;
        if (l->all_active[b]) return true; /* all are */
        if (up < 0) return true;
        if (l->c->b[up].loop != l->c->b[b].loop && !cfg_loop_contains(l->c, l->c->b[up].loop, b)) {
            int x = l->c->b[up].loop; /* b follows a loop: check what entered the loop */
            while (l->c->l[x].parent >= 0 && !cfg_loop_contains(l->c, l->c->l[x].parent, b)) x = l->c->l[x].parent;
            up = l->c->b[l->c->l[x].header].idom;
            if (!on_chain(l, up, b)) return false;
        } else if (l->c->b[up].nsucc == 2 && !on_chain(l, up, b)) {
            if (shapes_branch_divergent(l->s, up)) return entered_by_guard(l, up, b);
            if (entered_by_some(l, up, b)) return true;
            if (runs_in_both_cases(l, up, b)) return false;
        }
        /* a divergent loop that holds b but not what dominates it loses lanes with its iterations, but runs only while
        ** one is left */
        b = up;
    }
    return true;
}

/* True if there are more than before. */
static bool find_divergent_loops(Line *l) {
    Cfg *c = l->c;
    bool more = false;
    for (int i = 0; i < c->nloops; i++) {
        if (l->div_loop[i]) continue;
        l->div_loop[i] = shapes_loop_divergent(l->s, i) ||
                         (shapes_block_divergent(l->s, c->l[i].header) && !guarded(l, c->l[i].header));
        more |= l->div_loop[i];
    }
    /* lanes that leave a divergent loop and one around it at once leave both one by one */
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = 0; b < c->n; b++)
            for (int e = 0; e < c->b[b].nsucc; e++) {
                bool inner = false;
                for (int x = c->b[b].loop; x >= 0 && leaves(l, b, c->b[b].succ[e], x); x = c->l[x].parent) {
                    if (inner && !l->div_loop[x]) l->div_loop[x] = changed = more = true;
                    inner |= l->div_loop[x];
                }
            }
    }
    return more;
}

/* The actual target of an edge: the latch of the innermost divergent loop that it leaves. */
static int effective(const Line *l, int from_loop, int to) {
    for (int x = from_loop; x >= 0 && !cfg_loop_contains(l->c, x, to); x = l->c->l[x].parent)
        if (l->div_loop[x]) return l->latch[x];
    return to;
}

/* All lanes that are left in a divergent loop are at its header: by a uniform branch there they leave it together. */
static bool leaves_together(const Line *l, int b, int to) {
    int x = l->c->b[b].loop;
    if (x < 0 || !l->div_loop[x] || l->c->l[x].header != b || l->c->b[b].nsucc != 2) return false;
    return l->c->b[to].npred == 1 && l->c->b[to].loop == l->c->l[x].parent && !shapes_branch_divergent(l->s, b);
}

static bool is_latch(const Line *l, int b, int *loop) {
    int x = l->c->b[b].loop;
    *loop = x;
    return x >= 0 && l->c->b[b].nsucc == 1 && l->c->b[b].succ[0] == l->c->l[x].header;
}

/* ---- the new graph ---- */

static void defer(Line *l, IntVec *set, int block) {
    int at = set->n;
    while (at && set->v[at - 1] >= block) at--;
    if (at < set->n && set->v[at] == block) return;
    vec_push(l->a, set, block);
    for (int i = set->n - 1; i > at; i--) set->v[i] = set->v[i - 1];
    set->v[at] = block;
}

/* Takes the nearest of set and defers the rest to it. */
static int take(Line *l, const IntVec *set, int from) {
    int i = 0;
    while (i < set->n && set->v[i] < from) i++;
    if (i == set->n) return -1;
    for (int r = 0; r < set->n; r++)
        if (r != i) defer(l, &l->deferred[set->v[i]], set->v[r]);
    return set->v[i];
}

static IntVec copy_of(Line *l, const IntVec *set) {
    IntVec c = {0};
    for (int i = 0; i < set->n; i++) vec_push(l->a, &c, set->v[i]);
    return c;
}

static void exits_of(Line *l, int loop, IntVec *set) {
    for (int b = l->c->l[loop].first; b <= l->c->l[loop].last; b++) {
        if (!cfg_loop_contains(l->c, loop, b)) continue;
        for (int e = 0; e < l->c->b[b].nsucc; e++) {
            int to = l->c->b[b].succ[e];
            if (!cfg_loop_contains(l->c, loop, to) && !leaves_together(l, b, to))
                defer(l, set, effective(l, l->c->l[loop].parent, to));
        }
    }
}

static void route_edges(Line *l) {
    Cfg *c = l->c;
    l->deferred = arena_array(l->a, IntVec, c->n);
    l->next0 = arena_array(l->a, int, c->n);
    l->next1 = arena_array(l->a, int, c->n);
    for (int b = 0; b < c->n; b++) {
        int loop;
        IntVec *set = &l->deferred[b]; /* complete, and used for the last time */
        l->next0[b] = l->next1[b] = -1;
        if (is_latch(l, b, &loop)) {
            l->next0[b] = c->l[loop].header;
            if (!l->div_loop[loop]) continue; /* what is deferred was propagated to the exits as well */
            exits_of(l, loop, set);
            l->next1[b] = take(l, set, b + 1);
            continue;
        }
        bool divergent = shapes_branch_divergent(l->s, b);
        if (c->b[b].nsucc == 2 && !divergent) {
            for (int e = 0; e < 2; e++) {
                IntVec one = copy_of(l, set);
                int to = c->b[b].succ[e];
                bool together = leaves_together(l, b, to);
                if (together) exits_of(l, c->b[b].loop, &one); /* for lanes that have left before */
                defer(l, &one, together ? to : effective(l, c->b[b].loop, to));
                *(e ? &l->next1[b] : &l->next0[b]) = take(l, &one, b + 1);
            }
            continue;
        }
        for (int e = 0; e < c->b[b].nsucc; e++) defer(l, set, effective(l, c->b[b].loop, c->b[b].succ[e]));
        l->next0[b] = take(l, set, b + 1);
    }
}

/* Dominators of the new graph; its forward edges follow the block order too. */
static void new_dominators(Line *l) {
    Cfg *c = l->c;
    int *idom = l->ndom = arena_array(l->a, int, c->n);
    for (int b = 0; b < c->n; b++) idom[b] = -1;
    for (int b = 0; b < c->n; b++)
        for (int e = 0; e < 2; e++) {
            int s = e ? l->next1[b] : l->next0[b];
            if (s <= b || (b && idom[b] < 0)) continue; /* back edges do not change dominance */
            if (idom[s] < 0) {
                idom[s] = b;
                continue;
            }
            int x = idom[s], y = b;
            while (x != y) {
                while (x > y) x = idom[x];
                while (y > x) y = idom[y];
            }
            idom[s] = x;
        }
}

static bool kept_uniform_edge(const Line *l, int b, int e, int to) {
    /* both edges lead to one block: there is no branch any more */
    if (l->c->b[b].nsucc != 2 || shapes_branch_divergent(l->s, b) || l->next0[b] == l->next1[b]) return false;
    return (e ? l->next1[b] : l->next0[b]) == to;
}

/* Records the final targets of edges of uniform branches. An edge that leaves a loop, but is first routed through the
** rest of it since other lanes have not come as far, makes the loop divergent: its lanes must not start another
** iteration. True if there was one. */
static bool follow_edges(Line *l) {
    const Cfg *c = l->c;
    bool more = false;
    for (int i = 0; i < 2 * c->n; i++) {
        int b = i / 2, e = i & 1, to = e ? l->next1[b] : l->next0[b];
        if (c->b[b].nsucc != 2 || shapes_branch_divergent(l->s, b) || to == c->b[b].succ[e]) continue;
        l->lost[i] = true;
        for (int x = c->b[b].loop; x >= 0 && !l->div_loop[x] && leaves(l, b, c->b[b].succ[e], x); x = c->l[x].parent)
            if (cfg_loop_contains(c, x, to)) l->div_loop[x] = more = true;
    }
    return more;
}

/* Versions for all lanes active, which the true edge of a branch on cucpu.all begins. */
static void find_all_active(Line *l) {
    Cfg *c = l->c;
    l->all_active = arena_array(l->a, bool, c->n);
    for (int b = 0; b < c->n; b++)
        if (c->b[b].nsucc == 2 && c->b[c->b[b].succ[0]].npred == 1)
            l->all_active[c->b[b].succ[0]] =
                name_of_call(LLVMGetCondition(LLVMGetBasicBlockTerminator(c->b[b].bb))) == NAME_ALL;
}

/* Repeated while the layout shows more loops to be divergent. */
static void lay_out_blocks(Line *l) {
    Cfg *c = l->c;
    l->div_loop = arena_array(l->a, bool, c->nloops + 1);
    l->lost = arena_array(l->a, bool, 2 * c->n);
    l->latch = arena_array(l->a, int, c->nloops + 1);
    for (int i = 0; i < c->nloops; i++) l->latch[i] = c->l[i].latches[0];
    find_all_active(l);
    find_divergent_loops(l);
    for (bool again = true; again;) {
        route_edges(l);
        again = follow_edges(l);
        /* a version that is entered by another path in the new graph, since something else came first, is an ordinary
        ** block */
        for (int b = 0; b < c->n; b++)
            if (l->all_active[b] && !kept_uniform_edge(l, c->b[b].pred[0], 0, b)) l->all_active[b] = false;
        again |= find_divergent_loops(l);
    }
    l->in_all_active = arena_array(l->a, bool, c->n);
    for (int b = 1; b < c->n; b++) l->in_all_active[b] = l->all_active[b] || l->in_all_active[c->b[b].idom];
    l->some = arena_array(l->a, bool, c->n);
    for (int b = 0; b < c->n; b++) l->some[b] = guarded(l, b);
}

static bool new_dominates(const Line *l, int a, int b) {
    while (b > a) b = l->ndom[b];
    return a == b;
}

/* ---- masks ---- */

static int common_dominator(const Line *l, int x, int y) {
    while (x != y)
        if (x > y) x = l->ndom[x];
        else y = l->ndom[y];
    return x;
}

/* The block from which lanes leave a divergent loop for block p, and go on to its only successor; -1: p is not such an
** exit. */
static int left_from(const Line *l, int p) {
    const Block *x = &l->c->b[p];
    if (x->npred != 1 || x->nsucc != 1 || l->c->b[x->succ[0]].loop != x->loop) return -1;
    return effective(l, l->c->b[x->pred[0]].loop, p) != p ? x->pred[0] : -1;
}

/* Where the slot of a block is set to its initial value: above the block and all that store to it, once per iteration
** of the loop around them. */
static LLVMValueRef reset_point(const Line *l, int b) {
    const Cfg *c = l->c;
    int at = b, level = c->b[b].loop;
    if (level >= 0 && c->l[level].header == b) level = c->l[level].parent;
    for (int p = 0; p < c->b[b].npred; p++) {
        int from = c->b[b].pred[p], before = left_from(l, from);
        if (!from || l->ndom[from] >= 0) at = common_dominator(l, at, from);
        if (before >= 0) at = common_dominator(l, at, before);
    }
    while (c->b[at].loop >= 0 && (level < 0 || !cfg_loop_contains(c, c->b[at].loop, c->l[level].header)))
        at = l->ndom[c->l[c->b[at].loop].header];
    LLVMValueRef i = first_after_phis(c->b[at].bb);
    while (LLVMIsAAllocaInst(i)) i = LLVMGetNextInstruction(i);
    return i;
}

static LLVMValueRef new_slot(Line *l, int block, LLVMTypeRef t, LLVMValueRef initial) {
    LLVMValueRef slot = entry_alloca(l->k->fn, t, "slot");
    vec_push(l->a, &l->slots, slot);
    LLVMPositionBuilderBefore(l->b, reset_point(l, block));
    LLVMBuildStore(l->b, initial, slot);
    return slot;
}

static void at_end(Line *l, int b) {
    LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(l->c->b[b].bb));
    LLVMSetCurrentDebugLocation2(l->b, NULL);
}

/* x and y, where y may be poison in lanes that x excludes; NULL = all lanes. */
static LLVMValueRef both(Line *l, LLVMValueRef x, LLVMValueRef y) {
    /* phis are about to be replaced: the recorded value must be another one */
    if (!x) return LLVMIsAPHINode(y) ? LLVMBuildFreeze(l->b, y, "mask") : y;
    return LLVMBuildSelect(l->b, x, y, LLVMConstNull(l->i1), "mask");
}

/* The mask of the edge e of block b, built at the end of b. */
static LLVMValueRef edge_mask(Line *l, int b, int e) {
    LLVMValueRef m = l->mask[b];
    if (l->c->b[b].nsucc < 2) return m;
    if (l->edge[2 * b + e]) return l->edge[2 * b + e];
    LLVMValueRef c = LLVMGetCondition(LLVMGetBasicBlockTerminator(l->c->b[b].bb));
    return l->edge[2 * b + e] = both(l, m, e ? LLVMBuildNot(l->b, c, "") : c);
}

static bool leaves_divergent_loop(const Line *l, int b, int e) {
    return effective(l, l->c->b[b].loop, l->c->b[b].succ[e]) != l->c->b[b].succ[e];
}

/* All lanes of b leave a divergent loop by this uniform branch, or none does, and both edges lead to one block. */
static bool leaves_or_stays(const Line *l, int b) {
    if (l->c->b[b].nsucc != 2 || shapes_branch_divergent(l->s, b) || l->next0[b] != l->next1[b]) return false;
    return leaves_divergent_loop(l, b, 0) || leaves_divergent_loop(l, b, 1);
}

/* What happens on this edge has a block of its own: all lanes of b take it, or none. */
static bool has_edge_block(const Line *l, int b, int e) {
    if (l->c->b[b].nsucc != 2 || shapes_branch_divergent(l->s, b)) return false;
    return l->next0[b] != l->next1[b] ? leaves_divergent_loop(l, b, e) : leaves_or_stays(l, b);
}

/* Positions the builder where what happens on this edge of b is computed, and returns the mask of the edge: at the end
** of b, or, where lanes leave a loop together, in a block that only they run. */
static LLVMValueRef at_edge(Line *l, int b, int e) {
    if (!has_edge_block(l, b, e)) {
        at_end(l, b);
        return edge_mask(l, b, e);
    }
    LLVMBasicBlockRef *bb = &l->edge_block[2 * b + e], to = l->c->b[e ? l->next1[b] : l->next0[b]].bb;
    if (!*bb) {
        *bb = LLVMInsertBasicBlockInContext(l->k->m->ctx, to, "edge");
        LLVMPositionBuilderAtEnd(l->b, *bb);
        LLVMSetCurrentDebugLocation2(l->b, NULL);
        LLVMBuildBr(l->b, to);
    }
    LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(*bb));
    LLVMSetCurrentDebugLocation2(l->b, NULL);
    return l->mask[b];
}

static bool has_other_path(const Line *l, int from, int to) {
    for (int b = 0; b < l->c->n; b++)
        if (b != from && (l->next0[b] == to || l->next1[b] == to)) return true;
    return false;
}

/* Decides how the mask of each block is computed, and computes it where that needs no edges. */
static bool in_divergent_loop(const Line *l, int b) {
    for (int x = l->c->b[b].loop; x >= 0; x = l->c->l[x].parent)
        if (l->div_loop[x]) return true;
    return false;
}

/* The mask of a block as the mask of another or as one edge of it; false if it needs a slot. The source must dominate
** the block in the new graph too: where the block can be reached without it, no lane is active in the block, which a
** slot expresses. A slot is also needed where lanes leave a divergent loop together and the end of the loop, when all
** have left it otherwise, leads to the same block. */
static bool mask_from_above(Line *l, int b) {
    const Block *x = &l->c->b[b];
    int loop = x->loop;
    if (l->all_active[b]) return true; /* all lanes */
    if (!shapes_block_divergent(l->s, b) && !in_divergent_loop(l, b)) {
        l->mask[b] = l->in_all_active[b] ? NULL : l->entry_mask;
        return true;
    }
    if (loop >= 0 && l->c->l[loop].header == b) {
        int before = -1;
        for (int p = 0; p < x->npred; p++)
            if (x->pred[p] < b) before = x->pred[p];
        if (l->div_loop[loop] || !new_dominates(l, before, b)) return false;
        l->mask[b] = l->mask[before];
        return true;
    }
    if (same_lanes(l, x->idom, b) && new_dominates(l, x->idom, b)) {
        l->mask[b] = l->mask[x->idom];
        return true;
    }
    if (x->npred != 1 || !new_dominates(l, x->pred[0], b)) return false;
    int p = x->pred[0], e = l->c->b[p].nsucc == 2 && l->c->b[p].succ[1] == b;
    if (leaves_together(l, p, b) && has_other_path(l, p, b)) return false;
    if (kept_uniform_edge(l, p, e, b)) {
        l->mask[b] = l->mask[p];
        return true;
    }
    if (l->c->b[p].loop != loop || leaves_or_stays(l, p)) return false;
    at_end(l, p);
    l->mask[b] = edge_mask(l, p, e);
    return true;
}

static void mask_from_slot(Line *l, int b) {
    l->slot_mask[b] = true;
    l->mslot[b] = new_slot(l, b, l->i1, LLVMConstNull(l->i1));
    LLVMPositionBuilderBefore(l->b, first_after_phis(l->c->b[b].bb));
    l->mask[b] = LLVMBuildLoad2(l->b, l->i1, l->mslot[b], "mask");
}

/* Block masks in order, then the edges that feed slots. */
static void build_masks(Line *l) {
    Cfg *c = l->c;
    l->mask = arena_array(l->a, LLVMValueRef, c->n);
    l->edge = arena_array(l->a, LLVMValueRef, 2 * c->n);
    l->edge_block = arena_array(l->a, LLVMBasicBlockRef, 2 * c->n);
    l->mslot = arena_array(l->a, LLVMValueRef, c->n);
    l->slot_mask = arena_array(l->a, bool, c->n);
    if (!are_all_lanes_active(l)) {
        LLVMValueRef at = first_after_phis(c->b[0].bb);
        while (LLVMIsAAllocaInst(at)) at = LLVMGetNextInstruction(at);
        LLVMPositionBuilderBefore(l->b, at);
        l->entry_mask = name_call(l->b, l->k->m->mod, NAME_ACTIVE, NULL, 0, "active");
    }
    l->mask[0] = l->entry_mask;
    for (int b = 1; b < c->n; b++)
        if (!mask_from_above(l, b)) mask_from_slot(l, b);
    LLVMValueRef all = LLVMConstInt(l->i1, 1, 0);
    for (int b = 0; b < c->n; b++)
        for (int e = 0; e < c->b[b].nsucc; e++) {
            int to = c->b[b].succ[e];
            if (!l->slot_mask[to]) continue;
            LLVMValueRef m = at_edge(l, b, e);
            bool header = c->b[to].loop >= 0 && c->l[c->b[to].loop].header == to;
            if (!header) {
                LLVMValueRef old = LLVMBuildLoad2(l->b, l->i1, l->mslot[to], "");
                m = m ? LLVMBuildOr(l->b, old, m, "mask") : all;
            }
            LLVMBuildStore(l->b, m ? m : all, l->mslot[to]);
        }
}

static void mark_masks(Line *l) {
    for (int b = 0; b < l->c->n; b++) {
        if (!l->mask[b]) continue;
        LLVMValueRef at = first_after_phis(l->c->b[b].bb);
        /* after the instruction that computes the mask, if that is here */
        if (LLVMIsAInstruction(l->mask[b]) && LLVMGetInstructionParent(l->mask[b]) == l->c->b[b].bb)
            at = LLVMGetNextInstruction(l->mask[b]);
        while (LLVMIsAAllocaInst(at)) at = LLVMGetNextInstruction(at);
        LLVMPositionBuilderBefore(l->b, at);
        name_call(l->b, l->k->m->mod, NAME_MASK, &l->mask[b], 1, "");
    }
}

/* cucpu.any(c) of guards, cucpu.all(c) of versions and the like query the lanes of their own block. */
static void resolve_any(Line *l) {
    for_each_cfg_instruction(i, b, l->c) {
        Name n = name_of_call(i);
        if (!name_queries_mask(n) || !l->mask[b]) continue;
        LLVMPositionBuilderBefore(l->b, i);
        LLVMSetOperand(i, 0, both(l, l->mask[b], LLVMGetOperand(i, 0)));
    }
}

/* ---- phis ---- */

/* An operand of a phi: the edge on which it is stored. */
typedef struct Incoming {
    LLVMValueRef v;
    int from, e;
} Incoming;

static int edge_number(const Line *l, int from, int to) {
    return l->c->b[from].nsucc == 2 && l->c->b[from].succ[1] == to;
}

/* Where lanes leave a divergent loop for an exit that passes the value on, it is stored as they leave: exits that lead
** to one block share its slot. */
static Incoming incoming_of(const Line *l, int b, LLVMValueRef phi, unsigned i, bool header) {
    Incoming r = {LLVMGetIncomingValue(phi, i), cfg_number(l->c, LLVMGetIncomingBlock(phi, i)), 0};
    int exit = r.from, before = exit >= 0 && !header ? left_from(l, exit) : -1;
    bool inside = cfg_block_of(l->c, r.v) == exit;
    if (before >= 0 && (!inside || LLVMIsAPHINode(r.v))) {
        if (inside) r.v = LLVMGetIncomingValue(r.v, 0);
        r.from = before;
        r.e = edge_number(l, before, exit);
    } else if (exit >= 0) {
        r.e = edge_number(l, exit, b);
    }
    return r;
}

static void demote_phi(Line *l, int b, LLVMValueRef phi) {
    LLVMTypeRef t = LLVMTypeOf(phi);
    int loop = l->c->b[b].loop;
    bool header = loop >= 0 && l->c->l[loop].header == b;
    LLVMValueRef slot = new_slot(l, b, t, LLVMGetPoison(t));
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        Incoming in = incoming_of(l, b, phi, i, header);
        if (in.from < 0) continue;
        int to = l->c->b[in.from].succ[in.e];
        LLVMValueRef v = in.v, m = NULL;
        bool leaves_divergent = effective(l, l->c->b[in.from].loop, to) != to && !leaves_together(l, in.from, to);
        if (!header && (leaves_divergent || LLVMCountIncoming(phi) > 1)) m = at_edge(l, in.from, in.e);
        else at_end(l, in.from);
        if (m && m != l->entry_mask) {
            LLVMValueRef old = LLVMBuildLoad2(l->b, t, slot, "");
            v = LLVMBuildSelect(l->b, m, v, old, "blend");
            map_put(&l->partial, slot, 1);
        }
        LLVMBuildStore(l->b, v, slot);
    }
    LLVMPositionBuilderBefore(l->b, first_after_phis(l->c->b[b].bb));
    LLVMValueRef v = LLVMBuildLoad2(l->b, t, slot, "");
    replace_instruction(phi, v);
}

/* All phis of a block are read at its start; a phi that feeds another phi of the same block must be stored with its old
** value: slots are read at the block start, and stored at the end of predecessors from SSA values, so the parallel
** semantics hold by construction. */
static void demote_phis(Line *l) {
    for (int b = l->c->n - 1; b >= 0; b--)
        for (LLVMValueRef i; (i = LLVMGetFirstInstruction(l->c->b[b].bb)) && LLVMIsAPHINode(i);) {
            if (LLVMGetFirstUse(i)) demote_phi(l, b, i);
            else LLVMInstructionEraseFromParent(i); /* passed on to a later block, which is done */
        }
}

/* ---- rewriting ---- */

static void rewrite_terminator(Line *l, int b) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(l->c->b[b].bb);
    int loop, n0 = l->next0[b], n1 = l->next1[b];
    LLVMBasicBlockRef to[2];
    if (n0 < 0 && n1 < 0) return; /* ret */
    for (int e = 0; e < 2; e++) {
        int next = e && n1 >= 0 ? n1 : n0;
        to[e] = l->edge_block[2 * b + e] ? l->edge_block[2 * b + e] : l->c->b[next].bb;
    }
    set_insert_point(l->b, t);
    if (to[0] == to[1]) {
        LLVMBuildBr(l->b, to[0]);
    } else if (is_latch(l, b, &loop)) {
        LLVMValueRef m = l->mask[b] ? l->mask[b] : LLVMConstInt(l->i1, 1, 0);
        LLVMValueRef any = name_call(l->b, l->k->m->mod, NAME_ANY, &m, 1, "any");
        LLVMBuildCondBr(l->b, any, to[0], to[1]);
    } else {
        LLVMBuildCondBr(l->b, LLVMGetCondition(t), to[0], to[1]);
    }
    LLVMInstructionEraseFromParent(t);
}

/* Linear order keeps dominance where the compact order could be dominance-compact; elsewhere the value goes through
** memory. A lane that uses it has run its definition. */
static void repair_dominance(Line *l) {
    Cfg *c = cfg_build(l->a, l->k->fn);
    for_each_cfg_instruction(i, b, c)
        for (int k = 0; k < LLVMGetNumOperands(i); k++) {
            LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
            if (!LLVMIsAInstruction(v) || LLVMIsAAllocaInst(v)) continue;
            int d = cfg_block_of(c, v);
            if (d == b || cfg_dominates(c, d, b)) continue;
            LLVMValueRef slot = entry_alloca(l->k->fn, LLVMTypeOf(v), "repair");
            vec_push(l->a, &l->slots, slot);
            map_put(&l->partial, slot, 1);
            LLVMPositionBuilderBefore(l->b, LLVMGetNextInstruction(v));
            LLVMBuildStore(l->b, v, slot);
            LLVMPositionBuilderBefore(l->b, i);
            LLVMSetOperand(i, (unsigned)k, LLVMBuildLoad2(l->b, LLVMTypeOf(v), slot, ""));
        }
}

/* v may be poison in a block without active lanes. */
static bool may_be_poison(const Line *l, LLVMValueRef v, PtrMap *seen) {
    if (LLVMIsUndef(v) || LLVMIsPoison(v)) return true;
    if (!LLVMIsAInstruction(v) || LLVMIsAAllocaInst(v) || LLVMIsAFreezeInst(v) || map_get(seen, v, 0)) return false;
    map_put(seen, v, 1);
    if (LLVMIsALoadInst(v) && map_get(&l->partial, LLVMGetOperand(v, 0), 0)) return true;
    if (LLVMIsALoadInst(v) && LLVMIsAAllocaInst(LLVMGetOperand(v, 0)))
        for_each_user(i, LLVMGetOperand(v, 0)) {
            bool stores =
                LLVMIsAStoreInst(i) && !LLVMIsPoison(LLVMGetOperand(i, 0)); /* poison: the initial value of a slot */
            if (stores && may_be_poison(l, LLVMGetOperand(i, 0), seen)) return true;
        }
    if (LLVMIsACallInst(v) && !is_pure_intrinsic(v)) return false;
    if (LLVMIsALoadInst(v)) { /* under a mask it may be of scratch memory */
        int b = cfg_block_of(l->c, v);
        return !LLVMIsAAllocaInst(LLVMGetOperand(v, 0)) && (b < 0 || l->mask[b]);
    }
    int b = cfg_block_of(l->c, v);
    if ((b < 0 || !l->some[b]) && shim_makes_poison(v)) return true;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (may_be_poison(l, LLVMGetOperand(v, (unsigned)k), seen)) return true;
    return false;
}

/* Without active lanes the uniform branches of a block may take either edge, but nothing else. */
static void freeze_conditions(Line *l) {
    for_each_block(b, l->k->fn) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(b);
        if (!LLVMIsABranchInst(t) || !LLVMIsConditional(t)) continue;
        PtrMap seen = map_new(l->a);
        if (!may_be_poison(l, LLVMGetCondition(t), &seen)) continue;
        LLVMPositionBuilderBefore(l->b, t);
        LLVMSetCondition(t, LLVMBuildFreeze(l->b, LLVMGetCondition(t), ""));
    }
}

/* Instructions with undefined behaviour for a value with violated flags (poison, a null pointer): an inactive lane may
** have such a value now. */
static void drop_value_attributes(const Line *l) {
    static const char *const promises[] = {"noundef", "dereferenceable", "dereferenceable_or_null"};
    for (int b = 0; b < l->c->n; b++)
        for (LLVMValueRef i = l->mask[b] ? LLVMGetFirstInstruction(l->c->b[b].bb) : NULL; i;
             i = LLVMGetNextInstruction(i))
            for (size_t k = 0; k < sizeof promises / sizeof *promises; k++) {
                unsigned n = (unsigned)strlen(promises[k]), kind = LLVMGetEnumAttributeKindForName(promises[k], n);
                if (LLVMIsALoadInst(i))
                    LLVMSetMetadata(i, LLVMGetMDKindIDInContext(l->k->m->ctx, promises[k], n), NULL);
                for (unsigned a = 0; LLVMIsACallInst(i) && a <= LLVMGetNumArgOperands(i); a++)
                    LLVMRemoveCallSiteEnumAttribute(i, a, kind);
            }
}

/* ---- lanes that wait for others ---- */

/* The lane that could release others is after the loop with them, or on another path. */
static bool waits_for_other_lanes(const Line *l, const bool *polls) {
    for (int x = 0; x < l->c->nloops; x++)
        if (polls[x] && spins_on_own_lanes(l->k, l->c, l->s, x)) return true;
    return false;
}

/* Every iteration runs a barrier, which lets the others run. */
static bool has_barrier(const Cfg *c, int loop) {
    for (int b = c->l[loop].first; b <= c->l[loop].last; b++)
        for_each_in_block(i, c->b[b].bb)
            if (name_is_cut(name_of_call(i)) && cfg_dominates(c, b, c->l[loop].latches[0])) return true;
    return false;
}

/* What the loop tests may be stored by another block. */
static bool polls_other_blocks(const MemorySpaces *spaces, const Cfg *c, int loop) {
    for (int b = c->l[loop].first; b <= c->l[loop].last; b++)
        for_each_in_block(i, c->b[b].bb) {
            bool atomic = LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
            bool polls_global = atomic || (LLVMIsALoadInst(i) &&
                                           (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic));
            if (polls_global && spaces_of(spaces, LLVMGetOperand(i, 0)) & SPACE_GLOBAL) return true;
        }
    return false;
}

/* A group that waits for another one lets the others of its block run between two tests: a barrier without participants
** before the back edge (abi.h, CUCPU_WAIT_YIELD). A block that waits for another one, of which all threads test again
** after a barrier, tells the runtime so by the same means. */
static void yield_while_waiting(Kernel *k, const Cfg *c, const bool *polls) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(k->m->ctx);
    const MemorySpaces *spaces = memory_spaces(k->arena, k->fn);
    for (int x = 0; x < c->nloops; x++) {
        if (!polls[x] || c->l[x].nlatches != 1 || (has_barrier(c, x) && !polls_other_blocks(spaces, c, x))) continue;
        LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(c->b[c->l[x].latches[0]].bb));
        LLVMSetCurrentDebugLocation2(b, NULL);
        LLVMValueRef args[2] = {const_i32(k->fn, CUCPU_WAIT_YIELD), const_i32(k->fn, 1)};
        name_call(b, k->m->mod, NAME_BARRIER_N, args, 2, "");
    }
    LLVMDisposeBuilder(b);
}

static Nyi width_one(Kernel *k) {
    Cfg *c = cfg_build(k->arena, k->fn);
    yield_while_waiting(k, c, find_spin_loops(k->arena, c));
    return NYI_NONE;
}

static Nyi refusal(const Line *l, const bool *polls) {
    for (int b = 1; b < l->c->n; b++)
        if (l->ndom[b] < 0) return NYI_LINEAR_ORDER;
    if (exits_late(l->a, l->c, l->s, l->div_loop)) return NYI_EXIT_BARRIER;
    if (waits_for_other_lanes(l, polls)) return NYI_LANE_WAIT;
    return converges_across_branch(l->k, l->c, l->s) ? NYI_LANE_MEET : NYI_NONE;
}

Nyi linearise(Kernel *k) {
    if (k->width == 1) return width_one(k);
    Line l = {.k = k, .a = k->arena, .i1 = LLVMInt1TypeInContext(k->m->ctx)};
    l.c = kernel_cfg(k);
    if (!l.c->reducible) return NYI_IRREDUCIBLE;
    for (int i = 0; i < l.c->nloops; i++)
        if (l.c->l[i].nlatches != 1) return NYI_IRREDUCIBLE;
    l.s = kernel_shapes(k);
    shapes_mark_allocas(l.s);
    l.b = LLVMCreateBuilderInContext(k->m->ctx);
    map_init(&l.partial, l.a);
    iteration_postdominators(&l);
    lay_out_blocks(&l);
    new_dominators(&l);
    int divergent = 0;
    for (int b = 0; b < l.c->n; b++) divergent += l.c->b[b].nsucc == 2 && shapes_branch_divergent(l.s, b);
    fn_set_attr(k->fn, ATTR_DIVERGENT, arena_printf(l.a, "%d", divergent));
    const bool *polls = find_spin_loops(l.a, l.c);
    Nyi refused = refusal(&l, polls);
    if (refused != NYI_NONE) {
        LLVMDisposeBuilder(l.b);
        return refused;
    }
    yield_while_waiting(k, l.c, polls);
    build_masks(&l);
    resolve_any(&l);
    demote_phis(&l);
    mark_masks(&l);
    for (int b = 0; b < l.c->n; b++) rewrite_terminator(&l, b);
    repair_dominance(&l);
    freeze_conditions(&l);
    drop_value_attributes(&l);
    LLVMDisposeBuilder(l.b);
    for (int i = 0; i < l.slots.n; i++) shim_promote_slot(l.slots.v[i]);
    run_llvm_passes_on(k->m, k->fn, "mem2reg");
    shim_simplify_values(k->fn);
    delete_dead(k->fn);
    return NYI_NONE;
}
