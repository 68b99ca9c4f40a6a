/* cfg.c: see cfg.h.  Dominators after Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
** Algorithm"); loops are natural loops, one per header; an edge that goes back in reverse
** postorder to a block that does not dominate its source makes the graph irreducible.
**
** The compact order collapses the loops of one level to single nodes and walks the dominator tree
** of what remains in preorder, siblings sorted by "an edge leaves the subtree of c for c'" (always
** acyclic); loops are expanded in place.  Loop-compactness is what linearisation needs to be
** correct, dominance-compactness is what lets it keep uniform branches, so loops come first. */
#include "passes/ir/cfg.h"
#include "passes/ir/value.h"
#include "passes/ir/names.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>
#include <stdlib.h>

/* ---- plain reverse postorder, used while the compact order is made ---- */

typedef struct Raw {
    Arena *a;
    int n;
    LLVMBasicBlockRef *bb;
    int **succ, *nsucc, **pred, *npred;
    int *idom, *ipdom;
    PtrMap num; /* bb -> number + 1 */
    int nloops;
    int *lheader, *lparent, *ldepth; /* by loop, inner loops have greater depth */
    int *loop;                       /* innermost loop of a block */
    bool reducible;
} Raw;

static void depth_first(Raw *g, LLVMValueRef fn) {
    unsigned total = LLVMCountBasicBlocks(fn);
    LLVMBasicBlockRef *post = arena_array(g->a, LLVMBasicBlockRef, total);
    LLVMBasicBlockRef *stack = arena_array(g->a, LLVMBasicBlockRef, total + 1);
    unsigned *next = arena_array(g->a, unsigned, total + 1);
    PtrMap seen = map_new(g->a);
    int sp = 0, np = 0;
    stack[sp] = LLVMGetEntryBasicBlock(fn);
    map_put(&seen, stack[sp], 1);
    while (sp >= 0) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(stack[sp]);
        unsigned ns = t ? LLVMGetNumSuccessors(t) : 0;
        if (next[sp] < ns) {
            /* last successor first, so that the first one comes first in reverse postorder */
            LLVMBasicBlockRef s = LLVMGetSuccessor(t, ns - 1 - next[sp]++);
            if (!map_get(&seen, s, 0)) {
                map_put(&seen, s, 1);
                stack[++sp] = s;
                next[sp] = 0;
            }
        } else {
            post[np++] = stack[sp--];
        }
    }
    g->n = np;
    g->bb = arena_array(g->a, LLVMBasicBlockRef, np);
    map_init(&g->num, g->a);
    for (int i = 0; i < np; i++) {
        g->bb[i] = post[np - 1 - i];
        map_put(&g->num, g->bb[i], (uintptr_t)i + 1);
    }
}

static void edges(Raw *g) {
    g->succ = arena_array(g->a, int *, g->n);
    g->pred = arena_array(g->a, int *, g->n);
    g->nsucc = arena_array(g->a, int, g->n);
    g->npred = arena_array(g->a, int, g->n);
    for (int i = 0; i < g->n; i++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(g->bb[i]);
        g->nsucc[i] = t ? (int)LLVMGetNumSuccessors(t) : 0;
        g->succ[i] = arena_array(g->a, int, g->nsucc[i]);
        for (int s = 0; s < g->nsucc[i]; s++) {
            g->succ[i][s] = (int)map_get(&g->num, LLVMGetSuccessor(t, (unsigned)s), 0) - 1;
            g->npred[g->succ[i][s]]++;
        }
    }
    for (int i = 0; i < g->n; i++) {
        g->pred[i] = arena_array(g->a, int, g->npred[i]);
        g->npred[i] = 0;
    }
    for (int i = 0; i < g->n; i++)
        for (int s = 0; s < g->nsucc[i]; s++) {
            int t = g->succ[i][s];
            g->pred[t][g->npred[t]++] = i;
        }
}

/* Immediate dominators over an order in which every node but the first has an earlier
** predecessor.  `order` maps positions to nodes, preds are given by callback arrays. */
static void dominators(int n, const int *order, const int *pos, int *const *pred, const int *npred, int *idom) {
    for (int i = 0; i < n; i++) idom[i] = -1;
    idom[order[0]] = order[0];
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 1; k < n; k++) {
            int v = order[k], d = -1;
            /* last predecessor first: linear time for a block with many predecessors */
            for (int p = npred[v] - 1; p >= 0; p--) {
                int u = pred[v][p];
                if (idom[u] < 0) continue;
                if (d < 0) {
                    d = u;
                    continue;
                }
                int x = u, y = d;
                while (x != y) {
                    while (pos[x] > pos[y]) x = idom[x];
                    while (pos[y] > pos[x]) y = idom[y];
                }
                d = x;
            }
            if (d != idom[v]) {
                idom[v] = d;
                changed = true;
            }
        }
    }
    idom[order[0]] = -1;
}

static void forward_dominators(Raw *g) {
    int *id = arena_array(g->a, int, g->n);
    for (int i = 0; i < g->n; i++) id[i] = i;
    g->idom = arena_array(g->a, int, g->n);
    dominators(g->n, id, id, g->pred, g->npred, g->idom);
}

/* Postorder of the reversed graph from block `start`; returns the new length of `post`. */
static int reverse_traversal(const Raw *g, int start, bool *seen, int *post, int np, int *stack, int *next) {
    int sp = 0;
    stack[0] = start;
    next[0] = 0;
    seen[start] = true;
    while (sp >= 0) {
        int v = stack[sp];
        if (next[sp] == g->npred[v]) {
            post[np++] = v;
            sp--;
            continue;
        }
        int s = g->pred[v][next[sp]++];
        if (seen[s]) continue;
        seen[s] = true;
        stack[++sp] = s;
        next[sp] = 0;
    }
    return np;
}

/* Post-dominators: the reversed graph with a virtual exit as node n.  Blocks that cannot reach an
** exit (infinite loops) are tied to it, the last ones first. */
static void post_dominators(Raw *g) {
    int n = g->n, np = 0;
    int **to = arena_array(g->a, int *, n + 1), *nto = arena_array(g->a, int, n + 1);
    bool *seen = arena_array(g->a, bool, n + 1), *ends = arena_array(g->a, bool, n + 1);
    int *order = arena_array(g->a, int, n + 1), *post = arena_array(g->a, int, n + 1);
    int *stack = arena_array(g->a, int, n + 1), *next = arena_array(g->a, int, n + 1);
    for (int i = 0; i < n; i++) {
        ends[i] = g->nsucc[i] == 0;
        if (ends[i]) np = reverse_traversal(g, i, seen, post, np, stack, next);
    }
    for (int i = n - 1; i >= 0; i--) {
        if (seen[i]) continue;
        ends[i] = true;
        np = reverse_traversal(g, i, seen, post, np, stack, next);
    }
    order[0] = n;
    for (int i = 0; i < np; i++) order[i + 1] = post[np - 1 - i];
    int *pos = arena_array(g->a, int, n + 1), *idom = arena_array(g->a, int, n + 1);
    for (int i = 0; i <= np; i++) pos[order[i]] = i;
    for (int i = 0; i < n; i++) {
        to[i] = arena_array(g->a, int, g->nsucc[i] + 1);
        for (int s = 0; s < g->nsucc[i]; s++) to[i][nto[i]++] = g->succ[i][s];
        if (ends[i]) to[i][nto[i]++] = n;
    }
    dominators(np + 1, order, pos, to, nto, idom);
    g->ipdom = arena_array(g->a, int, n);
    for (int i = 0; i < n; i++) g->ipdom[i] = idom[i] == n ? -1 : idom[i];
}

static bool raw_dominates(const Raw *g, int a, int b) {
    while (b > a) b = g->idom[b];
    return a == b;
}

static int outermost(const Raw *g, int block) {
    int l = g->loop[block];
    while (l >= 0 && g->lparent[l] >= 0) l = g->lparent[l];
    return l;
}

typedef Vec(int) IntVec;

/* Everything that reaches a latch of loop l without passing its header; loops found earlier are inner ones and join as
** a whole. */
static void collect_loop(Raw *g, int l, IntVec *work) {
    int h = g->lheader[l];
    while (work->n) {
        int v = work->v[--work->n], in = outermost(g, v), from = v;
        if (in == l) continue;
        if (in >= 0) {
            g->lparent[in] = l;
            from = g->lheader[in];
        } else {
            g->loop[v] = l;
        }
        if (from == h) continue;
        for (int p = 0; p < g->npred[from]; p++)
            if (raw_dominates(g, h, g->pred[from][p])) vec_push(g->a, work, g->pred[from][p]);
    }
}

static void find_loops(Raw *g) {
    g->loop = arena_array(g->a, int, g->n);
    g->lheader = arena_array(g->a, int, g->n + 1);
    g->lparent = arena_array(g->a, int, g->n + 1);
    g->ldepth = arena_array(g->a, int, g->n + 1);
    g->reducible = true;
    for (int i = 0; i < g->n; i++) g->loop[i] = -1;
    /* headers in decreasing order: inner loops are found before the loops around them */
    for (int h = g->n - 1; h >= 0; h--) {
        IntVec work = {0};
        for (int p = 0; p < g->npred[h]; p++) {
            int u = g->pred[h][p];
            if (u < h) continue;
            if (raw_dominates(g, h, u)) vec_push(g->a, &work, u);
            else g->reducible = false;
        }
        if (!work.n) continue;
        int l = g->nloops++;
        g->lheader[l] = h;
        g->lparent[l] = -1;
        g->loop[h] = l;
        collect_loop(g, l, &work);
    }
    for (int l = g->nloops - 1; l >= 0; l--) g->ldepth[l] = g->lparent[l] < 0 ? 1 : g->ldepth[g->lparent[l]] + 1;
}

/* ---- the compact order ---- */

typedef struct Compact {
    Raw *g;
    int *in, *out;       /* preorder interval in the dominator tree */
    int **kids, *nkids;  /* dominator tree */
    bool *above_barrier; /* the block dominates a barrier */
    int *order, n;       /* result: raw numbers */
} Compact;

static void dominator_tree(Compact *c) {
    Raw *g = c->g;
    c->kids = arena_array(g->a, int *, g->n);
    c->nkids = arena_array(g->a, int, g->n);
    c->in = arena_array(g->a, int, g->n);
    c->out = arena_array(g->a, int, g->n);
    for (int i = 1; i < g->n; i++) c->nkids[g->idom[i]]++;
    for (int i = 0; i < g->n; i++) {
        c->kids[i] = arena_array(g->a, int, c->nkids[i]);
        c->nkids[i] = 0;
    }
    for (int i = 1; i < g->n; i++) c->kids[g->idom[i]][c->nkids[g->idom[i]]++] = i;
    int *stack = arena_array(g->a, int, g->n + 1), *next = arena_array(g->a, int, g->n + 1);
    int sp = 0, t = 0;
    stack[0] = 0;
    c->in[0] = t++;
    while (sp >= 0) {
        int v = stack[sp];
        if (next[sp] < c->nkids[v]) {
            int k = c->kids[v][next[sp]++];
            stack[++sp] = k;
            next[sp] = 0;
            c->in[k] = t++;
        } else {
            c->out[v] = t;
            sp--;
        }
    }
}

static bool block_has_barrier(LLVMBasicBlockRef bb) {
    for_each_in_block(i, bb)
        if (name_is_barrier(name_of_call(i)) || name_of_call(i) == NAME_GRID_SYNC) return true;
    return false;
}

static void mark_above_barriers(Compact *c) {
    const Raw *g = c->g;
    c->above_barrier = arena_array(g->a, bool, g->n);
    for (int b = g->n - 1; b >= 0; b--) {
        c->above_barrier[b] |= block_has_barrier(g->bb[b]);
        if (b && c->above_barrier[b]) c->above_barrier[g->idom[b]] = true; /* idom < b in reverse postorder */
    }
}

/* The child of v in the dominator tree whose subtree holds u (u below v). */
static int child_towards(const Compact *c, int v, int u) {
    int lo = 0, hi = c->nkids[v] - 1;
    while (lo < hi) {
        int mid = (lo + hi + 1) / 2;
        if (c->in[c->kids[v][mid]] <= c->in[u]) lo = mid;
        else hi = mid - 1;
    }
    return c->kids[v][lo];
}

static bool raw_loop_contains(const Raw *g, int block, int loop) {
    int l = g->loop[block];
    while (l >= 0 && l != loop) l = g->lparent[l];
    return l == loop;
}

/* Sorts the children of v: Kahn's algorithm, ties by (inside the innermost loop of v first, without a barrier first,
** raw number). Barriers last: lanes that return in the other successor must have done so before the barrier opens. The
** loop preference makes loops contiguous; the constraint edges are acyclic because back edges go to dominators, never
** to siblings. */
static void order_children(const Compact *c, int v, int *out) {
    const Raw *g = c->g;
    int n = c->nkids[v];
    int *need = arena_array(g->a, int, n + 1);
    int **to = arena_array(g->a, int *, n + 1), *nto = arena_array(g->a, int, n + 1),
        *cap = arena_array(g->a, int, n + 1);
    for (int i = 0; i < n; i++) {
        int k = c->kids[v][i];
        for (int p = 0; p < g->npred[k]; p++) {
            int u = g->pred[k][p];
            if (u == v || (c->in[u] >= c->in[k] && c->in[u] < c->out[k])) continue;
            int s = child_towards(c, v, u), j = 0;
            for (int lo = 0, hi = n - 1; lo <= hi;) {
                j = (lo + hi) / 2;
                if (c->kids[v][j] == s) break;
                if (c->kids[v][j] < s) lo = j + 1;
                else hi = j - 1;
            }
            if (nto[j] == cap[j]) to[j] = vec_grow(g->a, to[j], nto[j], &cap[j], sizeof(int));
            to[j][nto[j]++] = i;
            need[i]++;
        }
    }
    bool *done = arena_array(g->a, bool, n + 1);
    for (int r = 0; r < n; r++) {
        int best = -1, best_depth = -1;
        for (int i = 0; i < n; i++) {
            if (done[i] || need[i]) continue;
            int k = c->kids[v][i], depth = 0;
            for (int l = g->loop[v]; l >= 0; l = g->lparent[l])
                if (raw_loop_contains(g, k, l)) {
                    depth = g->ldepth[l];
                    break;
                }
            depth = 2 * depth + !c->above_barrier[k];
            if (depth > best_depth) {
                best = i;
                best_depth = depth;
            }
        }
        if (best < 0) { /* only in irreducible graphs */
            for (best = 0; done[best]; best++) {}
        }
        done[best] = true;
        out[r] = c->kids[v][best];
        for (int e = 0; e < nto[best]; e++) need[to[best][e]]--;
    }
}

/* Dominator-tree preorder of the blocks of `loop` below v; blocks outside the loop are set aside, and appended by the
** caller once the loop is complete. */
static void emit(Compact *c, int v, int loop, IntVec *aside) {
    const Raw *g = c->g;
    if (loop >= 0 && !raw_loop_contains(g, v, loop)) {
        vec_push(g->a, aside, v);
        return;
    }
    int own = loop;
    IntVec later = {0};
    bool enters = g->loop[v] >= 0 && g->lheader[g->loop[v]] == v;
    if (enters) own = g->loop[v];
    c->order[c->n++] = v;
    int *sorted = arena_array(g->a, int, c->nkids[v] + 1);
    order_children(c, v, sorted);
    for (int i = 0; i < c->nkids[v]; i++) emit(c, sorted[i], own, enters ? &later : aside);
    /* blocks dominated by the header but outside its loop follow the whole loop; their mutual
    ** order: topological by raw number is right because raw is a reverse postorder */
    for (int i = 1; i < later.n; i++)
        for (int j = i; j > 0 && later.v[j - 1] > later.v[j]; j--) {
            int t = later.v[j];
            later.v[j] = later.v[j - 1];
            later.v[j - 1] = t;
        }
    for (int i = 0; i < later.n; i++) emit(c, later.v[i], loop, aside);
}

static void fill_cfg(Cfg *c, const Compact *k) {
    const Raw *g = k->g;
    const int *order = k->order;
    Arena *a = g->a;
    int *to = arena_array(a, int, g->n);
    for (int i = 0; i < g->n; i++) to[order[i]] = i;
    c->n = g->n;
    c->b = arena_array(a, Block, g->n);
    c->nloops = g->nloops;
    c->l = arena_array(a, Loop, g->nloops + 1);
    map_init(&c->number, a);
    int *loop_to = arena_array(a, int, g->nloops + 1); /* outer loops first */
    for (int l = 0; l < g->nloops; l++) loop_to[l] = g->nloops - 1 - l;
    for (int i = 0; i < g->n; i++) {
        int r = order[i];
        Block *b = &c->b[i];
        b->bb = g->bb[r];
        map_put(&c->number, b->bb, (uintptr_t)i + 1);
        b->nsucc = g->nsucc[r];
        b->npred = g->npred[r];
        b->succ = arena_array(a, int, b->nsucc + 1);
        b->pred = arena_array(a, int, b->npred + 1);
        for (int s = 0; s < b->nsucc; s++) b->succ[s] = to[g->succ[r][s]];
        for (int p = 0; p < b->npred; p++) b->pred[p] = to[g->pred[r][p]];
        b->idom = g->idom[r] < 0 ? -1 : to[g->idom[r]];
        b->ipdom = g->ipdom[r] < 0 ? -1 : to[g->ipdom[r]];
        b->dom_first = k->in[r];
        b->dom_end = k->out[r];
        b->loop = g->loop[r] < 0 ? -1 : loop_to[g->loop[r]];
    }
    for (int l = 0; l < g->nloops; l++) {
        Loop *x = &c->l[loop_to[l]];
        x->header = to[g->lheader[l]];
        x->parent = g->lparent[l] < 0 ? -1 : loop_to[g->lparent[l]];
        x->depth = g->ldepth[l];
        x->first = x->last = x->header;
        x->latches = arena_array(a, int, c->b[x->header].npred + 1);
    }
    for (int i = 0; i < c->n; i++)
        for (int l = c->b[i].loop; l >= 0; l = c->l[l].parent)
            if (i > c->l[l].last) c->l[l].last = i;
    for (int l = 0; l < c->nloops; l++) {
        Loop *x = &c->l[l];
        const Block *h = &c->b[x->header];
        for (int p = 0; p < h->npred; p++)
            if (cfg_loop_contains(c, l, h->pred[p])) x->latches[x->nlatches++] = h->pred[p];
    }
}

Cfg *cfg_build(Arena *a, LLVMValueRef fn) {
    Raw g = {.a = a};
    depth_first(&g, fn);
    edges(&g);
    forward_dominators(&g);
    post_dominators(&g);
    find_loops(&g);
    Compact k = {.g = &g, .order = arena_array(a, int, g.n + 1)};
    dominator_tree(&k);
    mark_above_barriers(&k);
    IntVec none = {0};
    emit(&k, 0, -1, &none);
    Cfg *c = arena_alloc(a, sizeof *c);
    c->fn = fn;
    c->reducible = g.reducible;
    c->trips = arena_alloc(a, sizeof *c->trips);
    *c->trips = (Trips){.a = a};
    fill_cfg(c, &k);
    return c;
}

int cfg_number(const Cfg *c, LLVMBasicBlockRef bb) { return (int)map_get(&c->number, bb, 0) - 1; }

bool cfg_dominates(const Cfg *c, int a, int b) {
    if (a < 0 || b < 0) return a < 0; /* unreachable */
    return c->b[a].dom_first <= c->b[b].dom_first && c->b[b].dom_first < c->b[a].dom_end;
}

bool cfg_postdominates(const Cfg *c, int a, int b) {
    while (b >= 0 && b != a) b = c->b[b].ipdom;
    return a == b;
}

bool cfg_loop_contains(const Cfg *c, int loop, int block) {
    if (block < 0) return false; /* unreachable, or created later */
    int l = c->b[block].loop;
    while (l >= 0 && l != loop) l = c->l[l].parent;
    return l == loop;
}

int cfg_block_of(const Cfg *c, LLVMValueRef v) {
    return LLVMIsAInstruction(v) ? cfg_number(c, LLVMGetInstructionParent(v)) : -1;
}

bool cfg_in_loop(const Cfg *c, int loop, LLVMValueRef v) { return cfg_loop_contains(c, loop, cfg_block_of(c, v)); }

bool cfg_is_innermost(const Cfg *c, int loop) {
    for (int l = loop + 1; l < c->nloops; l++)
        if (c->l[l].parent == loop) return false;
    return true;
}

int cfg_preheader(const Cfg *c, int loop) {
    const Block *h = &c->b[c->l[loop].header];
    for (int p = 0; p < h->npred; p++)
        if (!cfg_loop_contains(c, loop, h->pred[p])) return h->pred[p];
    return -1;
}

long cfg_loop_size(const Cfg *c, int loop) {
    long n = 0;
    for_each_loop_instruction(i, b, c, &c->l[loop]) n++;
    return n;
}

bool cfg_is_header_phi(const Cfg *c, int loop, LLVMValueRef v) {
    return LLVMIsAPHINode(v) && cfg_block_of(c, v) == c->l[loop].header;
}

bool cfg_has_cut(const Cfg *c, int loop) {
    int first = loop < 0 ? 0 : c->l[loop].first, last = loop < 0 ? c->n - 1 : c->l[loop].last;
    for (int b = first; b <= last; b++)
        for_each_in_block(i, c->b[b].bb)
            if (name_is_cut(name_of_call(i))) return true;
    return false;
}

bool cfg_loop_has_property(const Cfg *c, int loop, const char *name) {
    enum { MAX_NAME = 16 };
    const Loop *l = &c->l[loop];
    unsigned kind = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(c->fn)), "llvm.loop", 9), len;
    for (int k = 0; k < l->nlatches; k++) {
        LLVMValueRef md = LLVMGetMetadata(LLVMGetBasicBlockTerminator(c->b[l->latches[k]].bb), kind), parts[MAX_NAME],
                     first[MAX_NAME];
        if (!md || LLVMGetMDNodeNumOperands(md) > MAX_NAME) continue;
        LLVMGetMDNodeOperands(md, parts);
        for (unsigned i = 1; i < (unsigned)LLVMGetMDNodeNumOperands(md); i++) {
            unsigned n = parts[i] && LLVMIsAMDNode(parts[i]) ? (unsigned)LLVMGetMDNodeNumOperands(parts[i]) : 0;
            if (!n || n > MAX_NAME) continue;
            LLVMGetMDNodeOperands(parts[i], first);
            const char *s = first[0] && LLVMIsAMDString(first[0]) ? LLVMGetMDString(first[0], &len) : "";
            if (!strncmp(s, name, strlen(name))) return true;
        }
    }
    return false;
}

void cfg_loop_add_property(const Cfg *c, int loop, const char *name, LLVMValueRef value) {
    enum { MAX_NAME = 16 };
    const Loop *l = &c->l[loop];
    LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(c->fn));
    unsigned kind = LLVMGetMDKindIDInContext(ctx, "llvm.loop", 9), n = 1;
    LLVMValueRef old = LLVMGetMetadata(LLVMGetBasicBlockTerminator(c->b[l->latches[0]].bb), kind), said[MAX_NAME];
    LLVMMetadataRef self = LLVMTemporaryMDNode(ctx, NULL, 0), parts[MAX_NAME + 1] = {self};
    if (old && LLVMGetMDNodeNumOperands(old) <= MAX_NAME) {
        LLVMGetMDNodeOperands(old, said);
        for (unsigned i = 1; i < (unsigned)LLVMGetMDNodeNumOperands(old); i++)
            if (said[i]) parts[n++] = LLVMValueAsMetadata(said[i]);
    }
    LLVMMetadataRef is[2] = {LLVMMDStringInContext2(ctx, name, strlen(name)),
                             value ? LLVMValueAsMetadata(value) : NULL};
    parts[n++] = LLVMMDNodeInContext2(ctx, is, value ? 2 : 1);
    LLVMMetadataRef all = LLVMMDNodeInContext2(ctx, parts, n);
    LLVMMetadataReplaceAllUsesWith(self, all);
    for (int k = 0; k < l->nlatches; k++)
        LLVMSetMetadata(LLVMGetBasicBlockTerminator(c->b[l->latches[k]].bb), kind, LLVMMetadataAsValue(ctx, all));
}
