/* cut_shared_tails: code that many barriers lead to becomes a region of its own.
**
** in:  group code, barriers anywhere in its control flow; groups of a block may be in different phases
** out: the same with further stops, at which a group waits for nothing (abi.h: CUCPU_WAIT_YIELD with the count 0)
**
** loop_groups copies into each region all that can be reached from its barrier. Where hundreds of barriers (the warp
** functions of a runtime library, at width 1) lead to the same code, that grows with their product. A stop before such
** a tail makes it one region: it costs a dispatch, and the values that are live there go through the frame.
** Tails are cut, those that save most first, until all regions together have no more than GROWTH_TAILS times the code
** of the kernel. Kernels whose regions have less than GROWTH_REGIONS instructions are left alone, and those with
** barriers of the whole block only: their dispatch may be static, and their values uniform for the block. */
#include "cpu-runtime/abi.h"
#include "passes/analysis/barriers.h"
#include "passes/analysis/cost.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"

enum {
    MAX_ITERATIONS = 32,
    SMALLEST = 16 /* instructions of a tail */,
    SHARE = 8 /* of the best, that a tail must save */
};

typedef struct Tails {
    Kernel *k;
    Arena *a; /* of an iteration: `has` of all regions is large */
    Cfg *cfg;
    const Barriers *regions;
    int *weight; /* of a block, in instructions */
    int *copies; /* regions that have it */
    double own, total;
} Tails;

static void isolate(Arena *a, LLVMValueRef fn) {
    Vec(LLVMValueRef) cuts = {0};
    for_each_instruction(i, fn)
        if (name_is_cut(name_of_call(i)) && LLVMGetPreviousInstruction(i)) vec_push(a, &cuts, i);
    for (int i = 0; i < cuts.n; i++) shim_split_block(cuts.v[i], "stop");
}

/* No more than if each region had all of the kernel. */
static bool is_small(LLVMValueRef fn) {
    double size = 0, regions = 1;
    for_each_instruction(i, fn) size++, regions += name_is_cut(name_of_call(i));
    return size * regions <= GROWTH_REGIONS;
}

static void measure(Tails *t) {
    Arena *a = t->a;
    t->cfg = cfg_build(a, t->k->fn);
    t->regions = barriers_find(a, t->cfg);
    t->weight = arena_array(a, int, t->cfg->n);
    t->copies = arena_array(a, int, t->cfg->n);
    for_each_cfg_instruction(i, b, t->cfg) t->weight[b]++;
    t->own = t->total = 0;
    for (int b = 0; b < t->cfg->n; b++) {
        for (int r = 0; r < t->regions->n; r++) t->copies[b] += t->regions->region[r].has[b];
        t->own += t->weight[b];
        t->total += (double)t->weight[b] * t->copies[b];
    }
}

/* Does shared code begin here, not further up? */
static bool begins_tail(const Tails *t, int b) {
    const Block *x = &t->cfg->b[b];
    if (!b || t->copies[b] < 2 || t->regions->region_of[b] >= 0) return false;
    for (int i = 0; i < x->npred; i++)
        if (t->copies[x->pred[i]] < t->copies[b]) return true;
    return false;
}

/* The instructions that are reached from there without a stop. */
static int size_of_tail(const Tails *t, int from, int *stack, int *seen) {
    int sp = 0, size = 0;
    stack[sp++] = from;
    seen[from] = from;
    while (sp) {
        const Block *x = &t->cfg->b[stack[--sp]];
        size += t->weight[x - t->cfg->b];
        for (int i = 0; i < x->nsucc; i++) {
            int to = x->succ[i];
            if (t->regions->region_of[to] >= 0 || seen[to] == from) continue;
            seen[to] = from;
            stack[sp++] = to;
        }
    }
    return size;
}

static void stop_before(const Tails *t, LLVMBasicBlockRef bb) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(t->k->m->ctx);
    LLVMPositionBuilderBefore(b, first_after_phis(bb));
    LLVMSetCurrentDebugLocation2(b, NULL);
    LLVMValueRef args[2] = {const_i32(t->k->fn, CUCPU_WAIT_YIELD), const_i32(t->k->fn, 0)};
    name_call(b, t->k->m->mod, NAME_BARRIER_N, args, 2, "");
    LLVMDisposeBuilder(b);
}

/* False: there is nothing to gain. */
static bool cut_best(const Tails *t) {
    Arena *a = t->a;
    int n = t->cfg->n, *stack = arena_array(a, int, n + 1), *seen = arena_array(a, int, n);
    double *saved = arena_array(a, double, n), best = 0;
    for (int b = 1; b < n; b++) {
        if (!begins_tail(t, b)) continue;
        int size = size_of_tail(t, b, stack, seen);
        if (size >= SMALLEST) saved[b] = (double)(t->copies[b] - 1) * size;
        if (saved[b] > best) best = saved[b];
    }
    for (int b = 1; b < n && best; b++)
        if (saved[b] * SHARE >= best) stop_before(t, t->cfg->b[b].bb);
    return best;
}

Nyi cut_shared_tails(Kernel *k) {
    if (pass_disabled(k->m, "cut_shared_tails") || fn_has_attr(k->fn, ATTR_VECTOR) || !has_named_barriers(k->fn) ||
        is_small(k->fn))
        return NYI_NONE;
    Tails t = {.k = k};
    isolate(k->arena, k->fn);
    bool more = true;
    for (int i = 0; i < MAX_ITERATIONS && more; i++) {
        Arena scratch = {0};
        t.a = &scratch;
        measure(&t);
        more = t.total > GROWTH_REGIONS && t.total > GROWTH_TAILS * t.own && cut_best(&t);
        arena_free(&scratch);
        if (more) isolate(k->arena, k->fn);
    }
    return NYI_NONE;
}
