/* version_all_active: the code guarded by a range test (`if (i < n)`) gets a version for groups with all lanes active.
**
**   A: br c, B, C    becomes    A: br all(c), B', A'     A': br c, B, C     B': a copy of what B dominates
**
** all() is uniform, so linearise keeps that branch, and B' runs without a mask: contiguous accesses are plain, strided
** ones are shuffles, atomics and calls need no loop over the bits of a mask. Nearly all groups take it; the last one of
** a grid, or those at a border, take the masked original.
** Which tests: of an index in the grid (blockIdx.x * blockDim.x + threadIdx.x < n) by comparisons between affine and
** uniform values, so that two scalar comparisons decide (widen_masks.c). Tests of data or of an index in the block
** (threadIdx.x < 16) differ more often from lane to lane or from group to group: there one more branch costs as much as
** the version gains (measured). Which arms: those with enough memory operations that would lose their mask, and no
** larger than GROWTH_ALL_ACTIVE. The outermost profitable test wins; within its copy there may be another
** (`if (x < n && y < m) { if (x > 0 && x < n - 1) ... else ... }`), in the masked original there is none.
** Not copied: what leaves a loop (linearise runs it after the loop, under its mask), barriers and other convergent
** operations, which must not be duplicated. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/clone_blocks.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/range_guards.h"
#include "passes/ir/slice.h"
#include "passes/ir/variant.h"
#include <llvm-c/DebugInfo.h>

enum { LOOP_WEIGHT = 8, MAX_WEIGHT = 64, LEVELS = 2 };

/* The arm of a branch: what `to` dominates. */
typedef struct Arm {
    int a, to;
    unsigned which;
    bool *has;
} Arm;

typedef struct Copy {
    Kernel *k;
    Arena *a;
    Cfg *c;
    Shapes *s;
    bool *taken; /* block -> part of an arm that is copied */
} Copy;

/* ---- profitability ---- */

static bool in_divergent_loop_of_side(const Copy *x, const Arm *s, int b) {
    for (int l = x->c->b[b].loop; l >= 0 && s->has[x->c->l[l].header]; l = x->c->l[l].parent)
        if (shapes_loop_divergent(x->s, l)) return true;
    return false;
}

/* Every lane that enters the arm runs block b. */
static bool is_full(const Copy *x, const Arm *s, int b) {
    for (; b != s->to; b = x->c->b[b].idom) {
        int up = x->c->b[b].idom;
        if (in_divergent_loop_of_side(x, s, b)) return false;
        if (x->c->b[up].nsucc == 2 && shapes_branch_divergent(x->s, up) && !cfg_postdominates(x->c, b, up))
            return false;
    }
    return !in_divergent_loop_of_side(x, s, b);
}

static int depth_in(const Copy *x, const Arm *s, int b) {
    int d = 0;
    for (int l = x->c->b[b].loop; l >= 0 && s->has[x->c->l[l].header]; l = x->c->l[l].parent) d++;
    return d;
}

static bool queries_all(const Copy *x, int b) {
    return x->c->b[b].nsucc == 2 &&
           name_of_call(LLVMGetCondition(LLVMGetBasicBlockTerminator(x->c->b[b].bb))) == NAME_ALL;
}

/* Block b is part of a copy that widen_guards has made: the masked original of the arm will not have it. */
static bool in_copied_run(const Copy *x, const Arm *s, int b) {
    for (; b != s->to; b = x->c->b[b].idom)
        if (queries_all(x, x->c->b[b].idom) && b == x->c->b[x->c->b[b].idom].succ[0]) return true;
    return false;
}

static bool has_only_plain_exits(const Copy *x, const Arm *s, int b) {
    const Block *bl = &x->c->b[b];
    if (!bl->nsucc) return false;
    for (int e = 0; e < bl->nsucc; e++)
        if (!s->has[bl->succ[e]] && bl->succ[e] <= s->a) return false; /* the loop around the test */
    return true;
}

/* A grid-stride loop of which the block, or several, make an iteration together: the arm reads one long interval after
** the other, in which masked loads take longer than plain ones. */
static bool streams(const Copy *x, const Arm *s) {
    int l = x->c->b[s->a].loop;
    return l >= 0 && cfg_has_cut(x->c, l);
}

/* The arm can be copied, is small enough, and it is profitable. */
static bool is_side_profitable(const Copy *x, const Arm *s) {
    int size = 0, gain = 0, once = streams(x, s) ? (int)COST_STREAMED : 1;
    for (int b = s->to; b < x->c->n; b++) {
        if (!s->has[b]) continue;
        if (!has_only_plain_exits(x, s, b)) return false;
        bool full = is_full(x, s, b), twice = !in_copied_run(x, s, b);
        int times = once;
        for (int d = depth_in(x, s, b); d > 0 && times < MAX_WEIGHT; d--) times *= LOOP_WEIGHT;
        for_each_in_block(i, x->c->b[b].bb) {
            if (!may_duplicate(i) || (size += twice) > GROWTH_ALL_ACTIVE) return false;
            if (full) gain += times * masked_cost(x->k, x->s, i);
        }
        if (full && x->c->b[b].nsucc == 2 && shapes_branch_divergent(x->s, b)) gain++; /* masks within the mask */
    }
    return gain >= COST_VERSION_GAIN;
}

/* Which threads run an interchanged loop was tested before it. */
static bool decides_marching(const Copy *x, int a, LLVMValueRef c) {
    int l = x->c->b[a].loop;
    if (l < 0 || !variant_of(x->k->fn).interchanged) return false;
    return !LLVMIsAInstruction(c) || !cfg_in_loop(x->c, l, c);
}

static bool find_arm(const Copy *x, int a, Arm *s) {
    const Block *b = &x->c->b[a];
    if (x->taken[a] || b->nsucc != 2 || !shapes_branch_divergent(x->s, a)) return false;
    LLVMValueRef c = LLVMGetCondition(LLVMGetBasicBlockTerminator(b->bb));
    for (unsigned e = 0; e < 2; e++) {
        *s = (Arm){a, b->succ[e], e, arena_array(x->a, bool, x->c->n)};
        if (x->c->b[s->to].npred != 1 || x->c->b[s->to].loop != b->loop ||
            !(is_range_test(x->s, c, e == 0) || decides_marching(x, a, c)))
            continue;
        for (int i = s->to; i < x->c->n; i++) s->has[i] = i == s->to || s->has[x->c->b[i].idom];
        if (is_side_profitable(x, s)) return true;
    }
    return false;
}

/* ---- the copy ---- */

static void branch_to_copy(const Copy *x, LLVMBuilderRef b, const Arm *s, LLVMBasicBlockRef copy) {
    LLVMBasicBlockRef a = x->c->b[s->a].bb;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(a), c = LLVMGetCondition(t);
    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(t));
    LLVMBasicBlockRef rest = shim_split_block(t, "masked");
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(a);
    LLVMPositionBuilderBefore(b, jump);
    LLVMValueRef want = s->which ? LLVMBuildNot(b, c, "") : c;
    LLVMValueRef all = name_call(b, x->k->m->mod, NAME_ALL, &want, 1, "all");
    LLVMBuildCondBr(b, all, copy, rest);
    LLVMInstructionEraseFromParent(jump);
}

/* A group that is not inside the outer range is not inside that of a run either (widen_guards). */
static bool drop_runs(const Copy *x, const Arm *s) {
    bool any = false;
    for (int b = s->to; b < x->c->n; b++) {
        if (!s->has[b] || !queries_all(x, b)) continue;
        LLVMSetCondition(LLVMGetBasicBlockTerminator(x->c->b[b].bb),
                         LLVMConstNull(LLVMInt1TypeInContext(x->k->m->ctx)));
        any = true;
    }
    return any;
}

static void copy_arms(Copy *x, const Arm *arms, int n) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(x->k->m->ctx);
    bool dropped = false;
    for (int i = 0; i < n; i++) {
        PtrMap map = map_new(x->a);
        branch_to_copy(x, b, &arms[i], clone_blocks(x->a, x->c, arms[i].has, arms[i].to, "full", &map)[arms[i].to]);
        dropped |= drop_runs(x, &arms[i]);
    }
    LLVMDisposeBuilder(b);
    if (dropped) {
        run_llvm_passes_on(x->k->m, x->k->fn, "simplifycfg");
        restore_normal_form(x->k->m, x->k->fn);
    } else {
        run_llvm_passes_on(x->k->m, x->k->fn, "loop-simplify,break-crit-edges,lcssa");
    }
    drop_facts(x->k);
}

Nyi version_all_active(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || k->layout == LAYOUT_GENERAL || pass_disabled(k->m, "version_all_active")) return NYI_NONE;
    for (int level = 0; level < LEVELS; level++) {
        Copy x = {.k = k, .a = k->arena, .c = kernel_cfg(k)};
        if (!x.c->reducible) return NYI_IRREDUCIBLE;
        x.s = kernel_shapes(k);
        x.taken = arena_array(x.a, bool, x.c->n);
        Vec(Arm) arms = {0};
        for (int a = 0; a < x.c->n; a++) {
            Arm s;
            if ((level && is_masked_original(x.c, a)) || !find_arm(&x, a, &s)) continue;
            for (int i = s.to; i < x.c->n; i++) x.taken[i] |= s.has[i];
            vec_push(x.a, &arms, s);
        }
        if (!arms.n) return NYI_NONE;
        copy_arms(&x, arms.v, arms.n);
    }
    return NYI_NONE;
}
