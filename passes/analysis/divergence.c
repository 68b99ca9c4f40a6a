/* divergence.c: see divergence.h.
**
** A label is the block at which a set of threads was last distinguished. Every successor of the branch starts with its
** own label; a block that two labels reach is a join and becomes a label itself. One call of `level` covers the
** innermost loop around the branch: it never runs past an exit, and the label that reaches the header again decides
** which exits all threads take together. If some are not, the whole loop acts as one node with several successors in
** the loop around it: its divergent exits get distinct labels there, the others share one label (at most one of them is
** taken by the threads that remained together). */
#include "passes/analysis/divergence.h"

enum { TOGETHER = -2 };

typedef struct Exits { /* blocks after a loop, each once */
    bool known;
    Vec(int) list;
} Exits;

struct Divergence {
    Arena *a;
    const Cfg *cfg;
    Joins **joins; /* by block, NULL = not computed */
    int *label, *stamp, *joined, epoch;
    int *reached, nreached;     /* exits of the loop of the current level */
    struct Exits *exits;        /* by loop */
    int **deciders, *ndeciders; /* by block, NULL = not computed */
};

Divergence *divergence_new(Arena *a, const Cfg *cfg) {
    Divergence *d = arena_alloc(a, sizeof *d);
    d->a = a;
    d->cfg = cfg;
    d->joins = arena_array(a, Joins *, cfg->n);
    d->label = arena_array(a, int, cfg->n);
    d->stamp = arena_array(a, int, cfg->n);
    d->joined = arena_array(a, int, cfg->n);
    d->reached = arena_array(a, int, cfg->n);
    d->exits = arena_array(a, Exits, cfg->nloops + 1);
    return d;
}

static void add_once(Arena *a, int **v, int *n, int *cap, int x) {
    for (int i = 0; i < *n; i++)
        if ((*v)[i] == x) return;
    if (*n == *cap) *v = vec_grow(a, *v, *n, cap, sizeof **v);
    (*v)[(*n)++] = x;
}

static bool is_in_loop_range(const Cfg *c, int loop, int block) {
    return loop < 0 || (block >= c->l[loop].first && block <= c->l[loop].last);
}

/* Label `label` arrives at block s. Returns 1 if s has to be visited later. */
static int propagate_label(Divergence *d, Joins *out, int loop, int s, int label) {
    const Cfg *c = d->cfg;
    if (d->stamp[s] != d->epoch) {
        d->stamp[s] = d->epoch;
        d->label[s] = label;
        if (!is_in_loop_range(c, loop, s)) {
            d->reached[d->nreached++] = s;
            return 0;
        }
        return loop < 0 || s != c->l[loop].header;
    }
    if (d->label[s] != label && d->label[s] != s) d->label[s] = s;
    else if (d->label[s] == label) return 0;
    if (d->joined[s] != d->epoch) {
        d->joined[s] = d->epoch;
        add_once(d->a, &out->sync, &out->nsync, &out->capsync, s);
    }
    return 0;
}

/* Labels all blocks of `loop` (-1: of the function) after the seeds. */
static void propagate(Divergence *d, Joins *out, int loop, const int *seed, int nseed, const int *rest, int nrest) {
    const Cfg *c = d->cfg;
    int header = loop < 0 ? -1 : c->l[loop].header, last = loop < 0 ? c->n - 1 : c->l[loop].last;
    int open = 0, from = c->n;
    d->epoch++;
    d->nreached = 0;
    for (int i = 0; i < nseed; i++) {
        open += propagate_label(d, out, loop, seed[i], seed[i]);
        if (is_in_loop_range(c, loop, seed[i]) && seed[i] != header && seed[i] < from) from = seed[i];
    }
    for (int i = 0; i < nrest; i++) {
        open += propagate_label(d, out, loop, rest[i], TOGETHER);
        if (is_in_loop_range(c, loop, rest[i]) && rest[i] != header && rest[i] < from) from = rest[i];
    }
    for (int b = from; b <= last && open; b++) {
        if (d->stamp[b] != d->epoch || b == header) continue;
        /* one label left and no thread has left: the threads have reconverged */
        if (open == 1 && !d->nreached && (loop < 0 || d->stamp[header] != d->epoch)) return;
        open--;
        for (int s = 0; s < c->b[b].nsucc; s++) open += propagate_label(d, out, loop, c->b[b].succ[s], d->label[b]);
    }
}

/* The largest loop around `loop` (itself included) that none of the n blocks lies in. */
static int left_loop(const Cfg *c, int loop, const int *block, int n) {
    int best = loop;
    for (int l = loop; l >= 0; l = c->l[l].parent) {
        for (int i = 0; i < n; i++)
            if (is_in_loop_range(c, l, block[i])) return best;
        best = l;
    }
    return best;
}

static const Exits *exits_of(Divergence *d, int loop) {
    const Cfg *c = d->cfg;
    Exits *x = &d->exits[loop];
    if (x->known) return x;
    x->known = true;
    int epoch = ++d->epoch;
    for (int b = c->l[loop].first; b <= c->l[loop].last; b++)
        for (int s = 0; s < c->b[b].nsucc; s++) {
            int e = c->b[b].succ[s];
            if (is_in_loop_range(c, loop, e) || d->stamp[e] == epoch) continue;
            d->stamp[e] = epoch;
            vec_push(d->a, &x->list, e);
        }
    return x;
}

static void level(Divergence *d, Joins *out, int loop, const int *seed, int nseed, const int *rest, int nrest) {
    const Cfg *c = d->cfg;
    propagate(d, out, loop, seed, nseed, rest, nrest);
    if (loop < 0) return;
    int header = c->l[loop].header;
    int home = d->stamp[header] == d->epoch ? d->label[header] : -1;
    int *parted = arena_array(d->a, int, d->nreached + 1), np = 0;
    for (int i = 0; i < d->nreached; i++)
        if (d->label[d->reached[i]] != home) parted[np++] = d->reached[i];
    if (!np) return;
    int left = left_loop(c, loop, parted, np);
    for (int i = 0; i < np; i++) {
        add_once(d->a, &out->temporal, &out->ntemporal, &out->captemporal, parted[i]);
        /* not in normal form: another edge may lead here in a later iteration */
        if (c->b[parted[i]].npred > 1) add_once(d->a, &out->sync, &out->nsync, &out->capsync, parted[i]);
    }
    for (int l = loop;; l = c->l[l].parent) {
        add_once(d->a, &out->loops, &out->nloops, &out->caploops, l);
        if (l == left) break;
    }
    const Exits *all = exits_of(d, left);
    int *others = arena_array(d->a, int, all->list.n + 1), nothers = 0, epoch = ++d->epoch;
    for (int i = 0; i < np; i++) d->stamp[parted[i]] = epoch;
    for (int i = 0; i < all->list.n; i++)
        if (d->stamp[all->list.v[i]] != epoch) others[nothers++] = all->list.v[i];
    level(d, out, c->l[left].parent, parted, np, others, nothers);
}

/* Irreducible graphs: every block may be any kind of join. */
static void all_blocks(Divergence *d, Joins *out) {
    for (int b = 0; b < d->cfg->n; b++) {
        add_once(d->a, &out->sync, &out->nsync, &out->capsync, b);
        add_once(d->a, &out->temporal, &out->ntemporal, &out->captemporal, b);
    }
    for (int l = 0; l < d->cfg->nloops; l++) add_once(d->a, &out->loops, &out->nloops, &out->caploops, l);
}

const Joins *divergence_joins(Divergence *d, int block) {
    if (d->joins[block]) return d->joins[block];
    const Block *b = &d->cfg->b[block];
    Joins *out = d->joins[block] = arena_alloc(d->a, sizeof *out);
    if (b->nsucc < 2) return out;
    if (d->cfg->reducible) level(d, out, b->loop, b->succ, b->nsucc, NULL, 0);
    else all_blocks(d, out);
    return out;
}

static void find_deciders(Divergence *d) {
    const Cfg *c = d->cfg;
    int *cap = arena_array(d->a, int, c->n);
    d->deciders = arena_array(d->a, int *, c->n);
    d->ndeciders = arena_array(d->a, int, c->n);
    for (int b = 0; b < c->n; b++) {
        if (c->b[b].nsucc < 2) continue;
        for (int s = 0; s < c->b[b].nsucc; s++)
            for (int r = c->b[b].succ[s]; r >= 0 && r != c->b[b].ipdom; r = c->b[r].ipdom) {
                int n = d->ndeciders[r];
                if (n && d->deciders[r][n - 1] == b) continue;
                if (n == cap[r]) d->deciders[r] = vec_grow(d->a, d->deciders[r], n, &cap[r], sizeof(int));
                d->deciders[r][d->ndeciders[r]++] = b;
            }
    }
}

const int *divergence_deciders(Divergence *d, int block, int *n) {
    if (!d->deciders) find_deciders(d);
    *n = d->ndeciders[block];
    return d->deciders[block];
}
