/* linearise_layout: part of linearise: which loops are divergent, and the edges of the new graph. */
#include "passes/ir/edit.h"
#include "passes/widen/linearise.h"

bool line_are_all_lanes_active(const Line *l) {
    const unsigned *b = l->k->block;
    unsigned threads = b[0] * b[1] * b[2];
    bool full = l->k->layout == LAYOUT_GENERAL && threads && threads % (unsigned)l->k->width == 0;
    return l->k->layout == LAYOUT_ROWS_FULL || full;
}

/* ---- divergent loops ---- */

static bool leaves(const Line *l, int from, int to, int loop) {
    return cfg_loop_contains(l->c, loop, from) && !cfg_loop_contains(l->c, loop, to);
}

void line_iteration_postdominators(Line *l) {
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

bool line_same_lanes(const Line *l, int a, int b) {
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

int line_effective(const Line *l, int from_loop, int to) {
    for (int x = from_loop; x >= 0 && !cfg_loop_contains(l->c, x, to); x = l->c->l[x].parent)
        if (l->div_loop[x]) return l->latch[x];
    return to;
}

bool line_leaves_together(const Line *l, int b, int to) {
    int x = l->c->b[b].loop;
    if (x < 0 || !l->div_loop[x] || l->c->l[x].header != b || l->c->b[b].nsucc != 2) return false;
    return l->c->b[to].npred == 1 && l->c->b[to].loop == l->c->l[x].parent && !shapes_branch_divergent(l->s, b);
}

bool line_is_latch(const Line *l, int b, int *loop) {
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
            if (!cfg_loop_contains(l->c, loop, to) && !line_leaves_together(l, b, to))
                defer(l, set, line_effective(l, l->c->l[loop].parent, to));
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
        if (line_is_latch(l, b, &loop)) {
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
                bool together = line_leaves_together(l, b, to);
                if (together) exits_of(l, c->b[b].loop, &one); /* for lanes that have left before */
                defer(l, &one, together ? to : line_effective(l, c->b[b].loop, to));
                *(e ? &l->next1[b] : &l->next0[b]) = take(l, &one, b + 1);
            }
            continue;
        }
        for (int e = 0; e < c->b[b].nsucc; e++) defer(l, set, line_effective(l, c->b[b].loop, c->b[b].succ[e]));
        l->next0[b] = take(l, set, b + 1);
    }
}

void line_new_dominators(Line *l) {
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

bool line_kept_uniform_edge(const Line *l, int b, int e, int to) {
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

void line_lay_out_blocks(Line *l) {
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
            if (l->all_active[b] && !line_kept_uniform_edge(l, c->b[b].pred[0], 0, b)) l->all_active[b] = false;
        again |= find_divergent_loops(l);
    }
    l->in_all_active = arena_array(l->a, bool, c->n);
    for (int b = 1; b < c->n; b++) l->in_all_active[b] = l->all_active[b] || l->in_all_active[c->b[b].idom];
    l->some = arena_array(l->a, bool, c->n);
    for (int b = 0; b < c->n; b++) l->some[b] = guarded(l, b);
}

bool line_new_dominates(const Line *l, int a, int b) {
    while (b > a) b = l->ndom[b];
    return a == b;
}
