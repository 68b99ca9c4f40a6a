/* test_cfg.c: cfg.c and divergence.c against brute force on random graphs.
**
** cfg: numbers, dominators, post-dominators, loops, reducibility against their definitions; the order
** is topological, loops are contiguous, dominated sets are contiguous in loop-free graphs; 10,000
** blocks take milliseconds.  Joins: against the existence of disjoint paths on loop-free graphs, and
** against simulated runs of two threads that part at one branch only, on reducible graphs. */
#include "passes/analysis/divergence.h"
#include "tests/analysis/unit/random_program.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 40 };

typedef struct Graph {
    int n, succ[MOST][3], nsucc[MOST];
} Graph;

static int failures;
static void expect(bool ok, const char *what, const Graph *g, int a, int b) {
    if (ok || failures++ > 5) return;
    printf("FAIL: %s (%d, %d)\n", what, a, b);
    for (int i = 0; g && i < g->n; i++) {
        printf("  %d ->", i);
        for (int s = 0; s < g->nsucc[i]; s++) printf(" %d", g->succ[i][s]);
        printf("\n");
    }
}

static LLVMContextRef context;
static LLVMModuleRef module;

static LLVMValueRef make_function(int n, int (*succ)[3], const int *nsucc) {
    LLVMTypeRef i1 = LLVMInt1TypeInContext(context);
    LLVMValueRef fn =
        LLVMAddFunction(module, "f", LLVMFunctionType(LLVMVoidTypeInContext(context), &i1, 1, 0));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
    LLVMBasicBlockRef *bb = malloc(sizeof *bb * (size_t)n);
    for (int i = 0; i < n; i++) bb[i] = LLVMAppendBasicBlockInContext(context, fn, "");
    for (int i = 0; i < n; i++) {
        LLVMPositionBuilderAtEnd(b, bb[i]);
        if (nsucc[i] == 0)
            LLVMBuildRetVoid(b);
        else if (nsucc[i] == 1)
            LLVMBuildBr(b, bb[succ[i][0]]);
        else if (nsucc[i] == 2)
            LLVMBuildCondBr(b, LLVMGetParam(fn, 0), bb[succ[i][0]], bb[succ[i][1]]);
        else {
            LLVMValueRef s = LLVMBuildSwitch(b, LLVMGetParam(fn, 0), bb[succ[i][0]], 2);
            LLVMAddCase(s, LLVMConstInt(i1, 0, 0), bb[succ[i][1]]);
            LLVMAddCase(s, LLVMConstInt(i1, 1, 0), bb[succ[i][2]]);
        }
    }
    LLVMDisposeBuilder(b);
    free(bb);
    return fn;
}

/* The graph in the numbering of its Cfg. */
static Graph graph_of(const Cfg *c) {
    Graph g = {.n = c->n};
    for (int i = 0; i < c->n; i++) {
        g.nsucc[i] = c->b[i].nsucc;
        for (int s = 0; s < c->b[i].nsucc; s++) g.succ[i][s] = c->b[i].succ[s];
    }
    return g;
}

/* What is reachable from `from` without entering `without`. */
static uint64_t reach(const Graph *g, int from, int without) {
    uint64_t seen = 0, todo = from == without ? 0 : UINT64_C(1) << from;
    while (todo) {
        int v = __builtin_ctzll(todo);
        todo &= todo - 1;
        seen |= UINT64_C(1) << v;
        for (int s = 0; s < g->nsucc[v]; s++)
            if (g->succ[v][s] != without) todo |= (UINT64_C(1) << g->succ[v][s]) & ~seen;
    }
    return seen;
}
static bool has(uint64_t set, int i) { return set >> i & 1; }

static void check_dominators(const Cfg *c, const Graph *g) {
    uint64_t exits = 0, to_exit = 0;
    for (int i = 0; i < g->n; i++)
        if (!g->nsucc[i]) exits |= UINT64_C(1) << i;
    for (int i = 0; i < g->n; i++)
        if (reach(g, i, -1) & exits) to_exit |= UINT64_C(1) << i;
    bool all_end = to_exit == (UINT64_C(1) << g->n) - 1;
    for (int a = 0; a < g->n; a++) {
        uint64_t without = a ? reach(g, 0, a) : 0;
        for (int b = 0; b < g->n; b++) {
            expect(cfg_dominates(c, a, b) == !has(without, b), "dominates", g, a, b);
            if (!all_end) continue;
            bool post = a == b || !(reach(g, b, a) & exits);
            expect(cfg_postdominates(c, a, b) == post, "post-dominates", g, a, b);
        }
    }
}

/* Blocks that reach `to` without passing `header`, within what header dominates. */
static uint64_t natural_loop(const Graph *g, int header, int to) {
    uint64_t body = UINT64_C(1) << header;
    for (int i = 0; i < g->n; i++)
        if (i != header && has(reach(g, i, header), to)) body |= UINT64_C(1) << i;
    return body;
}

static void check_loops(const Cfg *c, const Graph *g) {
    bool reducible = true;
    Graph forward = *g;
    for (int h = 0; h < g->n; h++) {
        uint64_t body = 0;
        for (int u = 0; u < g->n; u++)
            for (int s = 0; s < g->nsucc[u]; s++)
                if (g->succ[u][s] == h && cfg_dominates(c, h, u)) body |= natural_loop(g, h, u);
        int l = -1;
        for (int k = 0; k < c->nloops; k++)
            if (c->l[k].header == h) l = k;
        expect((l >= 0) == (body != 0), "is a loop header", g, h, l);
        for (int b = 0; b < g->n && l >= 0 && c->reducible; b++)
            expect(cfg_loop_contains(c, l, b) == has(body, b), "is in the loop", g, h, b);
    }
    for (int u = 0; u < g->n; u++) {
        forward.nsucc[u] = 0;
        for (int s = 0; s < g->nsucc[u]; s++)
            if (!cfg_dominates(c, g->succ[u][s], u))
                forward.succ[u][forward.nsucc[u]++] = g->succ[u][s];
    }
    for (int u = 0; u < g->n; u++)
        for (int s = 0; s < forward.nsucc[u]; s++)
            if (has(reach(&forward, forward.succ[u][s], -1), u)) reducible = false;
    expect(reducible == c->reducible, "reducible", g, reducible, c->reducible);
    if (!c->reducible) return;
    for (int u = 0; u < g->n; u++)
        for (int s = 0; s < forward.nsucc[u]; s++)
            expect(u < forward.succ[u][s], "order is topological", g, u, forward.succ[u][s]);
    for (int l = 0; l < c->nloops; l++) {
        const Loop *x = &c->l[l];
        expect(x->first == x->header, "header is first", g, l, x->header);
        for (int b = 0; b < g->n; b++)
            expect(cfg_loop_contains(c, l, b) == (b >= x->first && b <= x->last),
                   "loop is contiguous", g, l, b);
        if (x->nlatches == 1 && c->b[x->latches[0]].loop == l)
            expect(x->latches[0] == x->last, "latch is last", g, x->latches[0], x->last);
        expect(x->parent < l, "outer loops first", g, x->parent, l);
        expect(x->depth == (x->parent < 0 ? 1 : c->l[x->parent].depth + 1), "depth", g, l,
               x->depth);
    }
}

static void check_compact(const Cfg *c, const Graph *g) {
    for (int a = 0; a < g->n && !c->nloops && c->reducible; a++) {
        int first = g->n, last = -1, count = 0;
        for (int b = 0; b < g->n; b++) {
            if (!cfg_dominates(c, a, b)) continue;
            if (b < first) first = b;
            last = b;
            count++;
        }
        expect(last - first + 1 == count, "dominated set is contiguous", g, a, count);
    }
}

/* ---- joins: disjoint paths ---- */

typedef struct Paths {
    uint64_t mask[20000];
    int first[20000], n;
} Paths;

static void paths_from(const Graph *g, int v, int to, uint64_t mask, int first, Paths *out) {
    if (v == to) {
        if (out->n < 20000) out->mask[out->n] = mask, out->first[out->n++] = first;
        return;
    }
    mask |= UINT64_C(1) << v;
    for (int s = 0; s < g->nsucc[v]; s++) paths_from(g, g->succ[v][s], to, mask, first, out);
}

static bool contains(const int *v, int n, int x) {
    for (int i = 0; i < n; i++)
        if (v[i] == x) return true;
    return false;
}

static long path_checks, simulated, observed;

static void check_joins_by_paths(Divergence *d, const Graph *g) {
    static Paths p;
    for (int a = 0; a < g->n; a++) {
        if (g->nsucc[a] < 2) continue;
        const Joins *j = divergence_joins(d, a);
        for (int z = a + 1; z < g->n; z++) {
            p.n = 0;
            for (int s = 0; s < g->nsucc[a]; s++)
                paths_from(g, g->succ[a][s], z, 0, g->succ[a][s], &p);
            bool join = false;
            for (int i = 0; i < p.n && !join; i++)
                for (int k = 0; k < i && !join; k++)
                    join = p.first[i] != p.first[k] && !(p.mask[i] & p.mask[k]);
            expect(contains(j->sync, j->nsync, z) == join, "sync join is two disjoint paths", g, a,
                   z);
            path_checks++;
        }
        expect(!j->ntemporal && !j->nloops, "no loops, no temporal joins", g, a, 0);
    }
}

/* ---- joins: two threads ---- */

typedef struct Walker {
    int block, pred, pred_step, iteration[MOST]; /* block -1: done */
    int pred_iteration[MOST];
} Walker;

/* Which of two waiting blocks runs first: within their innermost common loop, the header last. */
static bool before(const Cfg *c, int a, int b) {
    int l = c->b[a].loop;
    while (l >= 0 && !cfg_loop_contains(c, l, b)) l = c->l[l].parent;
    if (l >= 0 && a == c->l[l].header) return false;
    if (l >= 0 && b == c->l[l].header) return true;
    return a < b;
}

static void go(const Cfg *c, Walker *w, int choice, int step) {
    int from = w->block, to = c->b[from].nsucc ? c->b[from].succ[choice % c->b[from].nsucc] : -1;
    memcpy(w->pred_iteration, w->iteration, sizeof w->iteration);
    w->pred = from;
    w->pred_step = step;
    w->block = to;
    int l = to < 0 ? -1 : c->b[to].loop;
    if (l >= 0 && c->l[l].header == to)
        w->iteration[l] = cfg_loop_contains(c, l, from) ? w->iteration[l] + 1 : 0;
}

static void meet(const Cfg *c, const Graph *g, int a, const Joins *j, const Walker *x,
                 const Walker *y) {
    int z = x->block;
    if (x->pred < 0 || x->pred_step == y->pred_step) return; /* came together */
    observed++;
    if (x->pred != y->pred)
        expect(contains(j->sync, j->nsync, z), "threads meet over different edges", g, a, z);
    int apart = -1; /* the outermost loop left in different iterations of one visit */
    for (int l = c->b[x->pred].loop; l >= 0; l = c->l[l].parent)
        if (cfg_loop_contains(c, l, y->pred) && !cfg_loop_contains(c, l, z) &&
            x->pred_iteration[l] != y->pred_iteration[l])
            apart = l;
    if (apart >= 0) {
        expect(contains(j->temporal, j->ntemporal, z),
               "threads left a loop in different iterations", g, a, z);
        expect(contains(j->loops, j->nloops, apart), "loop is left in different iterations", g, a,
               apart);
    }
    if (x->pred == y->pred)
        expect(contains(j->temporal, j->ntemporal, z),
               "threads meet from one block at different times", g, a, z);
}

static void simulate(const Cfg *c, const Graph *g, Divergence *d, int a) {
    const Joins *j = divergence_joins(d, a);
    Walker w[2];
    memset(w, 0, sizeof w);
    w[0].pred = w[1].pred = -1;
    for (int step = 1; step < 60; step++) {
        int x = w[0].block, y = w[1].block;
        if (x < 0 && y < 0) break;
        bool both = x == y, first = y < 0 || (x >= 0 && before(c, x, y));
        if (both) meet(c, g, a, j, &w[0], &w[1]);
        int common = rnd_below(6), own = x == a ? rnd_below(6) : common;
        if (both || first) go(c, &w[0], own, step);
        if (both || !first) go(c, &w[1], common, step);
    }
    simulated++;
}

/* ---- random graphs ---- */

static Graph any_graph(int n, bool loops) {
    Graph g = {.n = n};
    for (int i = 0; i < n; i++) {
        g.nsucc[i] = i == n - 1           ? 0
                     : rnd_below(12) == 0 ? 0
                     : rnd_below(8) == 0  ? 3
                                          : 1 + rnd_below(2);
        for (int s = 0; s < g.nsucc[i]; s++)
            g.succ[i][s] = loops && rnd_below(3) == 0
                               ? 1 + rnd_below(n - 1)
                               : i + 1 +
                                     (rnd_below(2) ? rnd_below(n - 1 - i)
                                                   : rnd_below(n - 1 - i < 3 ? n - 1 - i : 3));
    }
    return g;
}

/* Edges that go back to a block that does not dominate their source are turned forward. */
static Graph reducible_graph(int n) {
    Graph g = any_graph(n, false);
    for (int tries = rnd_below(6); tries > 0; tries--) {
        int u = 1 + rnd_below(n - 1), h = 1 + rnd_below(n - 1);
        uint64_t live = reach(&g, 0, -1);
        if (!has(live, u) || !has(live, h) || (u != h && has(reach(&g, 0, h), u)) || g.nsucc[u] > 2)
            continue;
        if (h == u && g.nsucc[u] == 0) continue;
        g.succ[u][g.nsucc[u]++] = h;
    }
    return g;
}

static void test_one(Graph made, bool joins) {
    Arena a = {0};
    LLVMValueRef fn = make_function(made.n, made.succ, made.nsucc);
    Cfg *c = cfg_build(&a, fn);
    Graph g = graph_of(c);
    check_dominators(c, &g);
    check_loops(c, &g);
    check_compact(c, &g);
    Divergence *d = divergence_new(&a, c);
    if (joins && c->reducible && !c->nloops) check_joins_by_paths(d, &g);
    for (int b = 0; b < c->n && joins && c->reducible; b++)
        for (int t = 0; t < 12 && c->b[b].nsucc > 1; t++) simulate(c, &g, d, b);
    LLVMDeleteFunction(fn);
    arena_free(&a);
}

/* ---- size ---- */

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* n blocks as diamonds (kind 0), loops one after the other (1), ifs with early returns (2), loops
** nested in groups of 8 (3). */
static void test_size(int kind, double limit) {
    enum { N = 10000 };
    int(*succ)[3] = calloc(N + 8, sizeof *succ), *nsucc = calloc(N + 8, sizeof *nsucc);
    for (int i = 0; i < N - 1; i++) {
        succ[i][0] = i + 1;
        nsucc[i] = 1;
        int second = -1;
        if (kind == 0 && i % 3 == 0 && i + 3 < N) second = i + 2;
        if (kind == 0 && i % 3 == 1 && i + 2 < N) succ[i][0] = i + 2;
        if (kind == 1 && i % 4 == 3) second = i - 2;
        if (kind == 2 && i % 2 == 0) second = N - 1;
        if (kind == 3 && i % 16 >= 8 && i > 16) second = i - 2 * (i % 16 - 8) - 1;
        if (second >= 0) succ[i][nsucc[i]++] = second;
    }
    Arena a = {0};
    LLVMValueRef fn = make_function(N, succ, nsucc);
    double start = seconds();
    Cfg *c = cfg_build(&a, fn);
    double built = seconds();
    Divergence *d = divergence_new(&a, c);
    for (int b = 0; b < c->n && kind != 2; b++) divergence_joins(d, b);
    double end = seconds();
    printf("%d blocks, kind %d: cfg %.1f ms, joins of all branches %.1f ms\n", c->n, kind,
           1e3 * (built - start), 1e3 * (end - built));
    expect(end - start < limit, "time for 10,000 blocks", NULL, kind, 0);
    arena_free(&a);
    LLVMDeleteFunction(fn);
    free(succ);
    free(nsucc);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4000;
    context = LLVMContextCreate();
    module = LLVMModuleCreateWithNameInContext("graphs", context);
    rnd_seed(argc > 2 ? (uint64_t)atoi(argv[2]) : 1);
    for (int i = 0; i < n && !failures; i++) {
        test_one(any_graph(3 + rnd_below(10), true), false);
        test_one(any_graph(3 + rnd_below(10), false), true);
        test_one(reducible_graph(4 + rnd_below(12)), true);
    }
    for (int kind = 0; kind < 4; kind++) test_size(kind, 0.1);
    printf("%d graphs, %ld path checks, %ld simulations, %ld meetings, %d failures\n", 3 * n,
           path_checks, simulated, observed, failures);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return failures || !observed || !path_checks;
}
