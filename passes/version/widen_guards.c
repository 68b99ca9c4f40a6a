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
**           or warp operations, of more than GROWTH_GUARDS instructions, or that save less than COST_VERSION_GAIN
**           (range_guards.h). */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/clone_blocks.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/range_guards.h"
#include "passes/ir/slice.h"
#include "passes/ir/edit_cfg.h"
#include <llvm-c/DebugInfo.h>

enum { STRIDED = 8, MAX_TESTS = 16, DEPTH = 8 };

typedef struct Test {
    LLVMValueRef branch;
    unsigned inside; /* the successor that groups inside the range take */
} Test;

typedef struct Run {
    LLVMBasicBlockRef first, end; /* the block of the first test; where all paths from the run join */
    Test test[MAX_TESTS];
    int n;
} Run;

typedef struct Runs {
    Kernel *k;
    Arena *a;
    Cfg *c;
    Shapes *s;
    LLVMBuilderRef b;
} Runs;

/* The end of a block. */
typedef struct Point {
    const Cfg *c;
    int block;
} Point;

/* ---- candidates ---- */

static bool is_within_limit(const Runs *x, int b, int *size) {
    for_each_in_block(i, x->c->b[b].bb)
        if (!may_duplicate(i) || ++*size > GROWTH_GUARDS) return false;
    return true;
}

static bool between(const Cfg *c, int from, int b, int to) {
    return b != from && cfg_dominates(c, from, b) && !cfg_dominates(c, to, b);
}

/* All between j and its postdominator can be copied. */
static bool arms_fit(const Runs *x, int j, int *size) {
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

static bool is_known(const Runs *x, LLVMValueRef v, int at) {
    Point p = {x->c, at};
    Slice s = slice_at(&p);
    return slice_can_clone(&s, v);
}

/* Like masked_cost, but: neighbouring stores that are combined save as much as loads do, and with AVX-512 the mask of a
** plain access costs less than the test. */
static int cost_of(const Runs *x, LLVMValueRef i) {
    int64_t stride;
    int cost = masked_cost(x->k, x->s, i);
    if (LLVMIsAStoreInst(i) && shapes_lane_stride(x->s, LLVMGetOperand(i, 1), &stride)) {
        int64_t size = (int64_t)LLVMStoreSizeOfType(x->k->m->dl, LLVMTypeOf(LLVMGetOperand(i, 0)));
        if (stride > size && stride <= MAX_ELEMENTS * size) return STRIDED;
    }
    return cost == 1 && x->k->m->vector_bits >= 512 ? 0 : cost;
}

/* What the masks of an arm cost: of its blocks that all lanes reach which take it. */
static int arm_cost(const Runs *x, int j, int arm) {
    int cost = 0;
    for (int b = arm; b < x->c->n; b++) {
        if (b != arm && (!between(x->c, arm, b, x->c->b[j].ipdom) || !cfg_postdominates(x->c, b, arm))) continue;
        for_each_in_block(i, x->c->b[b].bb) cost += cost_of(x, i);
    }
    return cost;
}

/* The branch at the end of j as a test of the run that begins at `first`; the cost of its masks, 0 = it is none. */
static int test_at(const Runs *x, int j, int first, Test *t) {
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
static bool is_border(const Runs *x, int b) {
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

/* The longest run that begins with the branch of block `first`; the number of its last block's end, or -1. */
static int find_run(const Runs *x, int first, Run *r) {
    int size = 0, gain = 0, end = -1;
    *r = (Run){.first = x->c->b[first].bb};
    for (int j = first; r->n < MAX_TESTS;) {
        int next = x->c->b[j].ipdom;
        if (j != first && !is_within_limit(x, j, &size)) break;
        if (next < 0 || x->c->b[next].idom != j || x->c->b[next].loop != x->c->b[first].loop || !arms_fit(x, j, &size))
            break;
        int cost = test_at(x, j, first, &r->test[r->n]);
        if (j == first && !cost) return -1;
        if (cost) {
            r->n++;
            gain += cost;
            end = next;
        }
        j = next;
    }
    if (r->n < 2 || gain < COST_VERSION_GAIN || is_border(x, first)) return -1;
    r->end = x->c->b[end].bb;
    return end;
}

/* ---- the copy ---- */

/* i1, at the end of the first block: all lanes are inside. */
static LLVMValueRef build_group_test(Runs *x, const Run *r) {
    Point at = {x->c, cfg_number(x->c, r->first)};
    Slice slice = slice_at(&at);
    LLVMValueRef t = r->test[0].branch, inside = NULL;
    PtrMap made = map_new(x->a);
    set_insert_point(x->b, t);
    for (int i = 0; i < r->n; i++) {
        LLVMValueRef c = LLVMGetCondition(r->test[i].branch);
        bool again = false;
        for (int e = 0; e < i; e++)
            again |= LLVMGetCondition(r->test[e].branch) == c && r->test[e].inside == r->test[i].inside;
        if (again) continue;
        c = slice_clone(&slice, x->b, c, &made);
        if (r->test[i].inside) c = LLVMBuildNot(x->b, c, "");
        inside = inside ? LLVMBuildAnd(x->b, inside, c, "") : c;
    }
    return name_call(x->b, x->k->m->mod, NAME_ALL, &inside, 1, "all");
}

/* x->c describes the function with the run's first branch in a separate block, `first`. */
static LLVMBasicBlockRef copy_run(Runs *x, const Run *r, int first) {
    int end = cfg_number(x->c, r->end);
    bool *has = arena_array(x->a, bool, x->c->n);
    for (int b = first; b < x->c->n; b++) has[b] = cfg_dominates(x->c, first, b) && !cfg_dominates(x->c, end, b);
    PtrMap map = map_new(x->a);
    LLVMBasicBlockRef *copy = clone_blocks(x->a, x->c, has, first, "inside", &map);
    join_clones(x->c, has, end, copy, &map);
    for (int i = 0; i < r->n; i++) {
        LLVMValueRef branch = map_ptr(&map, r->test[i].branch);
        LLVMSetCondition(branch, const_bool(x->k->m->ctx, !r->test[i].inside));
    }
    return copy[first];
}

static void copy_all(Runs *x, const Run *runs, int n) {
    LLVMValueRef *all = arena_array(x->a, LLVMValueRef, n);
    LLVMBasicBlockRef *rest = arena_array(x->a, LLVMBasicBlockRef, n);
    for (int i = 0; i < n; i++) {
        all[i] = build_group_test(x, &runs[i]);
        rest[i] = shim_split_block(runs[i].test[0].branch, "border");
    }
    x->c = cfg_build(x->a, x->k->fn);
    for (int i = 0; i < n; i++) {
        LLVMBasicBlockRef copy = copy_run(x, &runs[i], cfg_number(x->c, rest[i]));
        LLVMValueRef jump = LLVMGetBasicBlockTerminator(runs[i].first);
        replace_by_branch(x->b, jump, all[i], copy, rest[i]);
    }
}

Nyi widen_guards(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || k->layout == LAYOUT_GENERAL || pass_disabled(k->m, "widen_guards")) return NYI_NONE;
    Runs x = {.k = k, .a = k->arena};
    x.c = kernel_cfg(k);
    if (!x.c->reducible) return NYI_IRREDUCIBLE;
    x.s = kernel_shapes(k);
    Vec(Run) runs = {0};
    for (int b = 0; b < x.c->n; b++) {
        Run r;
        int end = x.c->b[b].nsucc == 2 ? find_run(&x, b, &r) : -1;
        if (end < 0) continue;
        vec_push(x.a, &runs, r);
        b = end - 1; /* what the run copies comes before its end */
    }
    if (!runs.n) return NYI_NONE;
    x.b = LLVMCreateBuilderInContext(k->m->ctx);
    copy_all(&x, runs.v, runs.n);
    LLVMDisposeBuilder(x.b);
    run_llvm_passes_on(k->m, k->fn, "simplifycfg");
    restore_normal_form(k->m, k->fn);
    drop_facts(k);
    return NYI_NONE;
}
