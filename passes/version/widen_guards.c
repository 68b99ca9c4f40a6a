/* widen_guards: a run of consecutive range tests gets a version for groups that pass them all.
**
**   A: br c0, B0, J0        becomes    A: br all(c0 & c1), A', A1        A1: br c0, B0, J0    as before
**   B0: br J0                          A': B0'; J0'; B1'; br E
**   J0: br c1, B1, E
**   B1: br E                           E: phi of both
**
** Each test guards too little for a separate version to be profitable (version_all_active): a neighbour of a stencil,
** an element of the few that a thread has (`for (j...) if (4 * t + j < n) x[j] = p[4 * t + j]`, unrolled). In the copy
** there is neither mask nor branch, and accesses of the arms at constant distances can be combined (join_fields, fields
** of neighbouring lanes); distances within a 32-bit index (`sext (4 * t
** 1)`) are not known as constants yet, so such elements are accessed one by one.
** The run: each test postdominates the previous one and is dominated by it. Other branches between them are copied
** unchanged. The tests are evaluated before the run, so they must be arithmetic on values available there; they are
** executed by all threads that reach the run, so none of them is poison.
** Not taken besides: runs on the far side of a range test (border cells, while version_all_active copies the inside).
** requires: normal form, keeps it; after unroll_loops, before join_fields. Not taken: runs that contain loops, barriers
**           or warp operations, or that save less than COST_VERSION_GAIN
**           (range_guards.h). */
#include "passes/ir/edit.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/range_guards.h"
#include "passes/ir/slice.h"
#include "passes/version/version_region.h"

enum { STRIDED = 8, MAX_TESTS = 16, DEPTH = 8 };

typedef struct Test {
    LLVMValueRef branch;
    unsigned inside; /* the successor that groups inside the range take */
} Test;

typedef struct Run {
    Region r; /* from the first branch to where all paths from the run join */
    Test test[MAX_TESTS];
    int n;
} Run;

/* The end of a block. */
typedef struct Point {
    const Cfg *c;
    int block;
} Point;

/* ---- candidates ---- */

static bool is_within_limit(const Region *x, int b, int *size) {
    for_each_in_block(i, x->c->b[b].bb)
        if (!may_duplicate(i) || ++*size > growth_left(x->k)) return false;
    return true;
}

static bool between(const Cfg *c, int from, int b, int to) {
    return b != from && cfg_dominates(c, from, b) && !cfg_dominates(c, to, b);
}

/* All between j and its postdominator can be copied. */
static bool arms_fit(const Region *x, int j, int *size) {
    for (int b = j + 1; b < x->c->n; b++)
        if (between(x->c, j, b, x->c->b[j].ipdom) &&
            (x->c->b[b].loop != x->c->b[j].loop || !is_within_limit(x, b, size)))
            return false;
    return true;
}

/* Arithmetic on values available at the end of `at`. */
static LLVMValueRef known_at(const void *point, LLVMValueRef v) {
    const Point *p = point;
    return !LLVMIsAInstruction(v) || cfg_dominates(p->c, cfg_block_of(p->c, v), p->block) ? v : NULL;
}

/* All threads that reach the run compute it, so flags remain valid. */
static Slice slice_at(const Point *p) {
    return (Slice){known_at, p,     OP_ADD | OP_MUL | OP_SHL | OP_BITWISE | OP_INT_CAST | OP_ICMP | OP_SELECT,
                   NULL,     DEPTH, SLICE_KEEP_FLAGS,
                   false};
}

static bool is_known(const Region *x, LLVMValueRef v, int at) {
    Point p = {x->c, at};
    Slice s = slice_at(&p);
    return slice_can_clone(&s, v);
}

/* Like masked_cost, but: neighbouring stores that are combined save as much as loads do, and with AVX-512 the mask of a
** plain access costs less than the test. */
static int cost_of(const Region *x, LLVMValueRef i) {
    int64_t stride;
    int cost = masked_cost(x->k, x->s, i);
    if (LLVMIsAStoreInst(i) && shapes_lane_stride(x->s, LLVMGetOperand(i, 1), &stride)) {
        int64_t size = (int64_t)LLVMStoreSizeOfType(x->k->m->dl, LLVMTypeOf(LLVMGetOperand(i, 0)));
        if (stride > size && stride <= MAX_ELEMENTS * size) return STRIDED;
    }
    return cost == 1 && x->k->m->vector_bits >= 512 ? 0 : cost;
}

/* What the masks of an arm cost: of its blocks that all lanes reach which take it. */
static int arm_cost(const Region *x, int j, int arm) {
    int cost = 0;
    for (int b = arm; b < x->c->n; b++) {
        if (b != arm && (!between(x->c, arm, b, x->c->b[j].ipdom) || !cfg_postdominates(x->c, b, arm))) continue;
        for_each_in_block(i, x->c->b[b].bb) cost += cost_of(x, i);
    }
    return cost;
}

/* The branch at the end of j as a test of the run that begins at `first`; the cost of its masks, 0 = it is none. */
static int test_at(const Region *x, int j, int first, Test *t) {
    const Block *b = &x->c->b[j];
    *t = (Test){.branch = LLVMGetBasicBlockTerminator(b->bb)};
    int best = 0;
    if (b->nsucc != 2 || !shapes_branch_divergent(x->s, j)) return 0;
    LLVMValueRef c = LLVMGetCondition(t->branch);
    if (!is_known(x, c, first)) return 0;
    for (unsigned e = 0; e < 2; e++) {
        int cost = is_range_test(x->s, c, e == 0) ? arm_cost(x, j, b->succ[e]) : 0;
        if (cost <= best) continue;
        best = cost;
        t->inside = e;
    }
    return best;
}

/* The arm of threads outside a range, when the other arm is what version_all_active will copy: few groups come here. */
static bool is_border(const Region *x, int b) {
    for (; b > 0; b = x->c->b[b].idom) {
        const Block *up = &x->c->b[x->c->b[b].idom];
        if (up->nsucc != 2 || !shapes_branch_divergent(x->s, x->c->b[b].idom) || (up->succ[0] != b && up->succ[1] != b))
            continue;
        unsigned e = up->succ[0] == b;
        if (is_range_test(x->s, LLVMGetCondition(LLVMGetBasicBlockTerminator(up->bb)), e == 0) &&
            arm_cost(x, x->c->b[b].idom, up->succ[e]) >= COST_VERSION_GAIN)
            return true;
    }
    return false;
}

/* The longest run that begins with the branch of block `first`; end: where its paths join. */
static bool find_run(Run *r, int first, int *end) {
    int size = 0, gain = 0;
    const Region *x = &r->r;
    const Block *blocks = x->c->b;
    *end = -1;
    for (int j = first; r->n < MAX_TESTS;) {
        int next = blocks[j].ipdom;
        if (j != first && !is_within_limit(x, j, &size)) break;
        if (next < 0 || blocks[next].idom != j || blocks[next].loop != blocks[first].loop || !arms_fit(x, j, &size))
            break;
        int cost = test_at(x, j, first, &r->test[r->n]);
        if (j == first && !cost) return false;
        if (cost) {
            r->n++;
            gain += cost;
            *end = next;
        }
        j = next;
    }
    return r->n >= 2 && !is_border(x, first) && region_find_until(&r->r, first, r->test[0].branch, blocks[*end].bb) &&
           saves_enough(gain, x->size);
}

/* ---- the copy ---- */

/* The group passes all tests, which are computed before the run; in the copy they are known. */
static void assume_inside(Run *r) {
    Region *x = &r->r;
    Point at = {x->c, cfg_block_of(x->c, x->jump)};
    Slice slice = slice_at(&at);
    PtrMap made = map_new(x->a);
    for (int i = 0; i < r->n; i++) {
        LLVMValueRef test = LLVMGetCondition(r->test[i].branch), c = slice_clone(&slice, x->b, test, &made);
        bool again = false;
        for (int e = 0; e < i; e++)
            again |= LLVMGetCondition(r->test[e].branch) == test && r->test[e].inside == r->test[i].inside;
        if (again) continue;
        region_require_in_lanes(x, r->test[i].inside ? LLVMBuildNot(x->b, c, "") : c);
        region_assume(x, test, const_bool(x->k->m->ctx, !r->test[i].inside));
    }
}

Nyi widen_guards(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || k->layout == LAYOUT_GENERAL || pass_disabled(k->m, "widen_guards")) return NYI_NONE;
    const Cfg *c = kernel_cfg(k);
    if (!c->reducible) return NYI_IRREDUCIBLE;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(k->m->ctx);
    Vec(Run) runs = {0};
    for (int b = 0, end; b < c->n; b++) {
        Run r = {.r = {.k = k, .a = k->arena, .c = kernel_cfg(k), .s = kernel_shapes(k), .b = builder}};
        if (c->b[b].nsucc != 2 || !find_run(&r, b, &end)) continue;
        vec_push(k->arena, &runs, r);
        b = end - 1; /* what the run copies comes before its end */
    }
    for (int i = 0; i < runs.n; i++) {
        region_cut(&runs.v[i].r, "border");
        assume_inside(&runs.v[i]);
        region_copy(&runs.v[i].r, "inside", NULL);
    }
    LLVMDisposeBuilder(builder);
    if (runs.n) region_finish(&runs.v[0].r, "simplifycfg");
    return NYI_NONE;
}
