/* version_all_active: the code guarded by a range test (`if (i < n)`) gets a version for groups with all lanes active.
**
**   A: br c, B, C    becomes    A: br all(c), B', A'     A': br c, B, C     B': a copy of what B dominates
**
** all() is uniform, so linearise keeps that branch, and B' runs without a mask: contiguous accesses are plain, strided
** ones are shuffles, atomics and calls need no loop over the bits of a mask. Nearly all groups take it; the last one of
** a grid, or those at a border, take the masked original.
** Which tests: of an index in the grid (blockIdx.x * blockDim.x + threadIdx.x < n) by comparisons between affine and
** uniform values, so that two scalar comparisons decide (widen_masks.c). Tests of data or of an index in the block
** (threadIdx.x < 16) differ more often from lane to lane or from group to group: there one more branch costs more than
** the version gains. Where all lanes pass a test of data, five stores under it take 1.02 times as long as without it
** with AVX-512, 1.2 with AVX2 and 1.5 with SSE4.2, whose masked stores test for all lanes themselves (lower_masked);
** where half of them do, a misprediction for each group is more. Which arms: those with enough memory operations that
** would lose their mask, and which are not too large. The outermost profitable test wins; within its copy there may be
** another
** (`if (x < n && y < m) { if (x > 0 && x < n - 1) ... else ... }`), in the masked original there is none.
** Not copied: what leaves a loop (linearise runs it after the loop, under its mask), barriers and other convergent
** operations, which must not be duplicated. */
#include "passes/ir/edit.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/range_guards.h"
#include "passes/ir/variant.h"
#include "passes/version/version_region.h"

enum { LOOP_WEIGHT = 8, MAX_WEIGHT = 64, LEVELS = 2 };

/* ---- profitability ---- */

static bool in_divergent_loop_of_side(const Region *x, int b) {
    for (int l = x->c->b[b].loop; l >= 0 && x->has[x->c->l[l].header]; l = x->c->l[l].parent)
        if (shapes_loop_divergent(x->s, l)) return true;
    return false;
}

/* Every lane that enters the arm runs block b. */
static bool is_full(const Region *x, int b) {
    for (; b != x->to; b = x->c->b[b].idom) {
        int up = x->c->b[b].idom;
        if (in_divergent_loop_of_side(x, b)) return false;
        if (x->c->b[up].nsucc == 2 && shapes_branch_divergent(x->s, up) && !cfg_postdominates(x->c, b, up))
            return false;
    }
    return !in_divergent_loop_of_side(x, b);
}

static int depth_in(const Region *x, int b) {
    int d = 0;
    for (int l = x->c->b[b].loop; l >= 0 && x->has[x->c->l[l].header]; l = x->c->l[l].parent) d++;
    return d;
}

static bool queries_all(const Region *x, int b) {
    return x->c->b[b].nsucc == 2 &&
           name_of_call(LLVMGetCondition(LLVMGetBasicBlockTerminator(x->c->b[b].bb))) == NAME_ALL;
}

/* A grid-stride loop of which the block, or several, make an iteration together: the arm reads one long interval after
** the other, in which masked loads take longer than plain ones. */
static bool streams(const Region *x) {
    int l = x->c->b[x->at].loop;
    return l >= 0 && (cfg_has_cut(x->c, l) || cfg_loop_has_property(x->c, l, LOOP_STRIP));
}

static bool is_arm_profitable(const Region *x) {
    int gain = 0, once = streams(x) ? (int)COST_STREAMED : 1;
    for (int b = x->to; b < x->c->n; b++) {
        if (!x->has[b] || !is_full(x, b)) continue;
        int times = once;
        for (int d = depth_in(x, b); d > 0 && times < MAX_WEIGHT; d--) times *= LOOP_WEIGHT;
        for_each_in_block(i, x->c->b[b].bb) gain += times * masked_cost(x->k, x->s, i);
        if (x->c->b[b].nsucc == 2 && shapes_branch_divergent(x->s, b)) gain++; /* masks within the mask */
    }
    return saves_enough(gain, x->size);
}

/* Which threads run an interchanged loop was tested before it. */
static bool decides_marching(const Region *x, int a, LLVMValueRef c) {
    int l = x->c->b[a].loop;
    if (l < 0 || !variant_of(x->k->fn).interchanged) return false;
    return !LLVMIsAInstruction(c) || !cfg_in_loop(x->c, l, c);
}

/* e: the successor that is the arm. */
static bool find_arm(Region *r, int a, unsigned *e) {
    const Block *b = &r->c->b[a];
    if (b->nsucc != 2 || !shapes_branch_divergent(r->s, a)) return false;
    LLVMValueRef c = LLVMGetCondition(LLVMGetBasicBlockTerminator(b->bb));
    for (*e = 0; *e < 2; ++*e) {
        int to = b->succ[*e];
        if (r->c->b[to].npred == 1 && r->c->b[to].loop == b->loop &&
            (is_range_test(r->s, c, *e == 0) || decides_marching(r, a, c)) && region_find_arm(r, a, to) &&
            is_arm_profitable(r))
            return true;
    }
    return false;
}

/* ---- the copy ---- */

/* A group that is not inside the outer range is not inside that of a run either (widen_guards). */
static bool drop_runs(Region *x) {
    bool any = false;
    for (int b = x->to; b < x->c->n; b++) {
        if (!x->has[b] || !queries_all(x, b)) continue;
        LLVMSetCondition(LLVMGetBasicBlockTerminator(x->c->b[b].bb), const_bool(x->k->m->ctx, 0));
        any = true;
    }
    return any;
}

typedef struct Arm {
    Region r;
    unsigned e;
} Arm;

/* True if runs were dropped. */
static bool copy_arm(Region *x, unsigned e) {
    LLVMValueRef c = LLVMGetCondition(x->from);
    region_cut(x, "masked");
    region_require_in_lanes(x, e ? LLVMBuildNot(x->b, c, "") : c);
    region_copy(x, "full", NULL);
    return drop_runs(x);
}

/* The outermost arms; false: there are none. */
static bool copy_arms(Kernel *k, bool inner) {
    Region x = {.k = k, .a = k->arena, .c = kernel_cfg(k), .s = kernel_shapes(k)};
    Vec(Arm) arms = {0};
    unsigned e;
    bool dropped = false, *taken = arena_array(x.a, bool, x.c->n); /* blocks of arms */
    for (int a = 0; a < x.c->n; a++) {
        if (taken[a] || (inner && is_masked_original(x.c, a)) || !find_arm(&x, a, &e)) continue;
        for (int i = x.to; i < x.c->n; i++) taken[i] |= x.has[i];
        vec_push(x.a, &arms, ((Arm){x, e}));
    }
    if (!arms.n) return false;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(k->m->ctx);
    for (int i = 0; i < arms.n; i++) {
        arms.v[i].r.b = b;
        dropped |= copy_arm(&arms.v[i].r, arms.v[i].e);
    }
    LLVMDisposeBuilder(b);
    region_finish(&x, dropped ? "simplifycfg" : NULL);
    return true;
}

Nyi version_all_active(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || k->layout == LAYOUT_GENERAL || pass_disabled(k->m, "version_all_active")) return NYI_NONE;
    for (int level = 0; level < LEVELS; level++) {
        if (!kernel_cfg(k)->reducible) return NYI_IRREDUCIBLE;
        if (!copy_arms(k, level > 0)) break;
    }
    return NYI_NONE;
}
