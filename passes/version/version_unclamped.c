/* version_unclamped: groups in which no lane is clamped run a version of the code without minima and maxima.
**
**   A: j = min(max(x - 1, 0), w - 1); C    becomes    A:  br all(x - 1 >= 0 & x - 1 <= w - 1), B', A'
**                                                     A': j = min(max(x - 1, 0), w - 1); C
**                                                     B': C with x - 1 for j
**
** where x is affine in the lanes and w is uniform: neighbours in an image, with its border repeated. In the copy
** gathers become contiguous accesses. Clamps are min, max and saturated differences of an affine value and a uniform
** one, and selects of an affine value by a comparison of such (`x > 0 ? x - 1 : w - 1`), and bits of such comparisons
** (`x + (x != w - 1)`); one may be of another (max, then min), or of a sum of one. Remainders of values that are within
** the width, or exceed it by less than it, are clamps too: `(x - 1 + w) % w` is x - 1, and `(x + 1) % w` beside it x +
** 1; a mask of w - 1 where w is a constant power of two. All clamps of a region whose tests can be computed before it
** are tested there at once; all() decides each by its first and last lane (widen_masks.c). Only groups at the border
** take the original.
** Beside such remainders those of rows, which all lanes share, are removed too: a comparison is cheaper than a
** division.
**
** requires: normal form; after version_all_active, before version_uniform_quotient
** In interchanged variants (interchange_plane_loop) the region ends at the barrier in their loop.
** Not taken: where no gather or scatter depends on the clamp; the masked originals of version_all_active; regions with
** barriers, or other exits from the loop. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/version/version_region.h"
#include "passes/ir/divisions.h"
#include "passes/analysis/affine.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/range_guards.h"
#include "passes/ir/clone_blocks.h"
#include "passes/ir/variant.h"
#include <string.h>

enum { MAX_ITERATIONS = 4, DEPTH = 8 };

typedef struct Clamp {
    LLVMValueRef i;
    unsigned bare;             /* the operand that replaces it */
    LLVMValueRef replacement;  /* or this value; else NULL */
    LLVMValueRef value, bound; /* the operands of the comparison */
    LLVMIntPredicate same;     /* value same bound: not clamped */
    bool difference;           /* replaced by value - bound */
    bool wraps, is_signed;     /* a remainder: value (or value - bound) is below bound and not below zero */
} Clamp;

typedef struct Clamps {
    Region r;
    unsigned split; /* metadata of version_uniform_quotient */
} Clamps;

/* ---- candidates ---- */

static bool read_clamp(const Clamps *x, LLVMValueRef i, Clamp *c, int depth);
static bool wrap_of(const Clamps *x, LLVMValueRef i, Clamp *c, int depth);

/* Affine once clamps are removed. */
static bool will_be_scalar(const Clamps *x, LLVMValueRef v, int depth) {
    Clamp c;
    if (shapes_is_affine(x->r.s, v)) return true;
    if (depth > DEPTH || !LLVMIsAInstruction(v)) return false;
    if (read_clamp(x, v, &c, depth + 1)) return true;
    LLVMValueRef l = LLVMGetNumOperands(v) ? LLVMGetOperand(v, 0) : NULL;
    if (is_op(v, OP_MUL | OP_SHL)) return LLVMIsAConstantInt(LLVMGetOperand(v, 1)) && will_be_scalar(x, l, depth + 1);
    if (is_op(v, OP_ADD)) return will_be_scalar(x, l, depth + 1) && will_be_scalar(x, LLVMGetOperand(v, 1), depth + 1);
    return is_op(v, OP_INT_CAST) && will_be_scalar(x, l, depth + 1);
}

/* Makes `value` the operand that differs between lanes. */
static bool orient(const Clamps *x, Clamp *c, int depth) {
    if (shapes_is_uniform(x->r.s, c->value)) {
        LLVMValueRef v = c->value;
        c->value = c->bound;
        c->bound = v;
        c->same = swapped_predicate(c->same);
    }
    return shapes_is_uniform(x->r.s, c->bound) && !shapes_is_uniform(x->r.s, c->value) &&
           will_be_scalar(x, c->value, depth);
}

/* A comparison of what differs between lanes with a bound. */
static bool test_clamps(const Clamps *x, LLVMValueRef test, Clamp *c, int depth) {
    if (!LLVMIsAICmpInst(test) || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(test, 0))) != LLVMIntegerTypeKind)
        return false;
    c->value = LLVMGetOperand(test, 0);
    c->bound = LLVMGetOperand(test, 1);
    c->same = LLVMGetICmpPredicate(test);
    return orient(x, c, depth);
}

static bool is_next_below(LLVMValueRef v, LLVMValueRef w) {
    return LLVMIsAConstantInt(v) && LLVMIsAConstantInt(w) &&
           LLVMConstIntGetSExtValue(v) == LLVMConstIntGetSExtValue(w) - 1;
}

/* v is divided by d, or by d + 1: `v / d > 0` is compared as `v >= d`. */
static bool is_divided_by(LLVMValueRef v, LLVMValueRef d) {
    for_each_user(i, v) {
        if (LLVMIsAFreezeInst(i) && is_divided_by(i, d)) return true;
        if (!is_op(i, OP_DIV) || LLVMGetOperand(i, 0) != v) continue;
        LLVMValueRef by = divisor_of(LLVMGetOperand(i, 1));
        if (by == divisor_of(d) || is_next_below(d, by)) return true;
    }
    return false;
}

/* Interior groups pass the comparison: they are within the ends of the range, not equal; after the first row of what is
** divided into rows. */
static bool inside_is_true(const Clamps *x, const Clamp *c) {
    if (c->same == LLVMIntEQ || c->same == LLVMIntNE) return c->same == LLVMIntNE;
    bool below = is_upper_end(c->bound, 0, x->r.k->width) && !is_divided_by(c->value, c->bound);
    return is_less_predicate(c->same) == below;
}

/* select(test, a, b): the operand that interior groups take, the affine one; of two affine ones the one on the inner
** side of the bound. */
static bool select_clamps(const Clamps *x, LLVMValueRef i, Clamp *c, int depth) {
    if (!test_clamps(x, LLVMGetOperand(i, 0), c, depth)) return false;
    bool row[2];
    for (unsigned k = 0; k < 2; k++)
        row[k] =
            !shapes_is_uniform(x->r.s, LLVMGetOperand(i, k + 1)) && will_be_scalar(x, LLVMGetOperand(i, k + 1), depth);
    if (!row[0] && !row[1]) return false;
    bool first = inside_is_true(x, c);
    if (row[0] != row[1]) first = row[0];
    c->bare = first ? 1 : 2;
    if (!first) c->same = inverse_predicate(c->same);
    return c->same != LLVMIntEQ;
}

/* A bit of such a comparison, as an integer: `c + (x != w - 1)`, which LLVM makes of `x == w - 1 ? c : c + 1`. */
static bool bit_clamps(const Clamps *x, LLVMValueRef i, Clamp *c, int depth) {
    if (!test_clamps(x, LLVMGetOperand(i, 0), c, depth)) return false;
    bool one = inside_is_true(x, c);
    if (!one) c->same = inverse_predicate(c->same);
    c->replacement = LLVMConstInt(LLVMTypeOf(i), one ? (LLVMIsAZExtInst(i) ? 1 : UINT64_MAX) : 0, 1);
    return true;
}

static LLVMValueRef melted(const void *context, LLVMValueRef v) {
    (void)context;
    return LLVMIsAFreezeInst(v) ? LLVMGetOperand(v, 0) : NULL;
}

/* w is a term of the sum v; a constant is if it is nearer to that of v than zero. */
static bool has_term(LLVMValueRef v, LLVMValueRef w) {
    AffineRules rules = {.instead = melted};
    Affine a;
    if (!affine_of(&rules, v, AFFINE_SAME, &a)) return false;
    if (!LLVMIsAConstantInt(w)) return affine_take(&a, w) == 1;
    int64_t by = LLVMConstIntGetSExtValue(w);
    return a.constant > by / 2 && a.constant - by < by / 2;
}

/* A remainder of a sum, whether lanes share it or not. */
static bool wrap_of(const Clamps *x, LLVMValueRef i, Clamp *c, int depth) {
    LLVMOpcode op = LLVMIsAInstruction(i) ? LLVMGetInstructionOpcode(i) : LLVMAdd;
    if (op != LLVMURem && op != LLVMSRem && op != LLVMAnd) return false;
    *c = (Clamp){.i = i, .value = dividend_of(i), .bound = LLVMGetOperand(i, 1), .same = LLVMIntULT, .wraps = true};
    LLVMTypeRef t = LLVMTypeOf(i);
    if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) < 32 || LLVMGetIntTypeWidth(t) > 64)
        return false;
    if (op == LLVMAnd) {
        uint64_t mask = LLVMIsAConstantInt(c->bound) ? LLVMConstIntGetZExtValue(c->bound) : 0;
        if (!mask || mask >> 30 || (mask & (mask + 1))) return false;
        c->bound = LLVMConstInt(t, mask + 1, 0);
        if (shapes_runs(x->r.s, i, (int64_t[64]){0})) return false; /* an index in a tile */
    } else {
        c->bound = divisor_of(c->bound);
    }
    c->is_signed = op == LLVMSRem;
    c->difference = has_term(c->value, c->bound);
    return shapes_is_uniform(x->r.s, c->bound) && will_be_scalar(x, c->value, depth + 1);
}

static bool read_clamp(const Clamps *x, LLVMValueRef i, Clamp *c, int depth) {
    LLVMIntPredicate same = LLVMIntUGE;
    *c = (Clamp){.i = i};
    if (depth > DEPTH || !LLVMIsAInstruction(i) || LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind ||
        shapes_is_affine(x->r.s, i))
        return false;
    if (LLVMIsASelectInst(i)) return select_clamps(x, i, c, depth);
    if (LLVMIsAZExtInst(i) || LLVMIsASExtInst(i)) return bit_clamps(x, i, c, depth);
    if (wrap_of(x, i, c, depth)) return true;
    c->difference = is_intrinsic(i, "llvm.usub.sat");
    if (!c->difference && !min_max_predicate(i, &same)) return false;
    c->same = same;
    c->value = LLVMGetOperand(i, 0);
    c->bound = LLVMGetOperand(i, 1);
    if (c->difference && shapes_is_uniform(x->r.s, c->value)) return false;
    if (!orient(x, c, depth)) return false;
    c->same = same;
    c->bare = c->value == LLVMGetOperand(i, 0) ? 0 : 1;
    return true;
}

/* The remainder wraps, or one of the same value does; masks do. */
static bool is_wrap(const Clamps *x, const Clamp *c) {
    Clamp d;
    if (!c->wraps || c->difference || LLVMGetInstructionOpcode(c->i) == LLVMAnd) return true;
    for_each_cfg_instruction(i, b, x->r.c)
        if (wrap_of(x, i, &d, 0) && d.difference && d.bound == c->bound) return true;
    return false;
}

static bool find_clamp(Clamps *x, bool masked) {
    Region *r = &x->r;
    Clamp c;
    for (int b = 0; b < r->c->n; b++) {
        if (shapes_block_divergent(r->s, b) != masked || (masked && is_masked_original(r->c, b))) continue;
        for_each_in_block(i, r->c->b[b].bb)
            if (read_clamp(x, i, &c, 0) && !LLVMGetMetadata(i, r->tried) && is_wrap(x, &c) &&
                region_moves_memory(r, i) && region_find_rest(r, b, i))
                return true;
    }
    return false;
}

static bool find_any_clamp(void *x) { return find_clamp(x, false) || find_clamp(x, true); }

/* ---- the test ---- */

static LLVMValueRef replacement_of(const Clamp *c) {
    return c->replacement ? c->replacement : c->wraps ? c->value : LLVMGetOperand(c->i, c->bare);
}

/* v without clamps can be computed before the region. */
static bool can_build(const Clamps *x, LLVMValueRef v, int depth) {
    Clamp c;
    if (region_is_before(&x->r, v)) return true;
    if (depth > 2 * DEPTH) return false;
    if (read_clamp(x, v, &c, 0))
        return can_build(x, replacement_of(&c), depth + 1) && (!c.difference || can_build(x, c.bound, depth + 1));
    if (!is_op(v, OP_ADD | OP_MUL | OP_SHL | OP_INT_CAST | OP_FREEZE)) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!can_build(x, LLVMGetOperand(v, (unsigned)k), depth + 1)) return false;
    return true;
}

static LLVMValueRef build_unclamped(Clamps *x, LLVMValueRef v, PtrMap *built) {
    Clamp c;
    LLVMValueRef r = map_ptr(built, v), ops[2];
    if (r) return r;
    if (region_is_before(&x->r, v)) return v;
    if (read_clamp(x, v, &c, 0)) {
        r = build_unclamped(x, replacement_of(&c), built);
        if (c.difference) r = LLVMBuildSub(x->r.b, r, build_unclamped(x, c.bound, built), "");
    } else {
        for (int k = 0; k < LLVMGetNumOperands(v); k++)
            ops[k] = build_unclamped(x, LLVMGetOperand(v, (unsigned)k), built);
        r = clone_at(x->r.b, v);
        shim_drop_flags(r);
        for (int k = 0; k < LLVMGetNumOperands(v); k++) LLVMSetOperand(r, (unsigned)k, ops[k]);
    }
    map_put(built, v, (uintptr_t)r);
    return r;
}

/* Before the region the value may be unused: it may be poison where the region does not use it. */
static LLVMValueRef frozen(Clamps *x, LLVMValueRef v, PtrMap *built, PtrMap *ice) {
    LLVMValueRef b = build_unclamped(x, v, built), f = map_ptr(ice, b);
    if (LLVMIsAConstantInt(b)) return b;
    if (!f) map_put(ice, b, (uintptr_t)(f = LLVMBuildFreeze(x->r.b, b, "")));
    return f;
}

typedef Vec(Clamp) ClampVec;

/* 0 <= value < bound, or bound <= value and value - bound < bound, where bound is above zero. */
static LLVMValueRef stays_within(Clamps *x, const Clamp *c, LLVMValueRef value, LLVMValueRef bound) {
    LLVMBuilderRef b = x->r.b;
    LLVMIntPredicate below = c->is_signed ? LLVMIntSLT : LLVMIntULT, minimum = c->is_signed ? LLVMIntSGE : LLVMIntUGE;
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(value)),
                 rest = c->difference ? LLVMBuildSub(b, value, bound, "") : value;
    LLVMValueRef r = LLVMBuildICmp(b, below, rest, bound, "");
    if (c->difference) r = LLVMBuildAnd(x->r.b, LLVMBuildICmp(b, minimum, value, bound, ""), r, "");
    if (!c->is_signed) return r;
    return LLVMBuildAnd(x->r.b,
                        c->difference ? LLVMBuildICmp(b, LLVMIntSGT, bound, zero, "")
                                      : LLVMBuildICmp(b, LLVMIntSGE, value, zero, ""),
                        r, "");
}

static void require_unclamped(Clamps *x, const ClampVec *c) {
    PtrMap built = map_new(x->r.a), ice = map_new(x->r.a);
    for (int k = 0; k < c->n; k++) {
        LLVMValueRef value = frozen(x, c->v[k].value, &built, &ice), bound = frozen(x, c->v[k].bound, &built, &ice);
        region_require_in_lanes(&x->r, c->v[k].wraps ? stays_within(x, &c->v[k], value, bound)
                                                     : LLVMBuildICmp(x->r.b, c->v[k].same, value, bound, ""));
    }
}

/* Of a row: only one that wraps, as its test is no shorter than a mask. */
static bool is_shared_wrap(const Clamps *x, LLVMValueRef i, Clamp *c) {
    return !LLVMIsAConstantInt(i) && shapes_is_uniform(x->r.s, i) && wrap_of(x, i, c, 0) &&
           LLVMGetInstructionOpcode(i) != LLVMAnd && !LLVMIsAConstantInt(c->bound) && is_wrap(x, c);
}

static void find_clamps(Clamps *x, ClampVec *found) {
    Clamp c;
    for_each_region_instruction(
        i, b, &x->r) if (!LLVMGetMetadata(i, x->r.tried) &&
                         ((read_clamp(x, i, &c, 0) && is_wrap(x, &c)) || is_shared_wrap(x, i, &c)) &&
                         can_build(x, c.value, 0) && can_build(x, c.bound, 0)) vec_push(x->r.a, found, c);
}

static void assume_unclamped(Clamps *x, const Clamp *c) {
    LLVMValueRef replacement = replacement_of(c);
    region_mark_tried(&x->r, c->i);
    if (c->wraps) LLVMSetMetadata(c->i, x->split, LLVMMDNodeInContext(x->r.k->m->ctx, NULL, 0));
    if (c->difference) {
        LLVMBuilderRef b = LLVMCreateBuilderInContext(x->r.k->m->ctx);
        set_insert_point(b, c->i);
        replacement = LLVMBuildNUWSub(b, replacement, c->bound, "");
        LLVMDisposeBuilder(b);
    }
    region_assume(&x->r, c->i, replacement);
}

static void version_unclamped_region(void *clamps) {
    Clamps *x = clamps;
    ClampVec found = {0};
    region_cut(&x->r, "rows");
    find_clamps(x, &found);
    require_unclamped(x, &found);
    for (int k = 0; k < found.n; k++) assume_unclamped(x, &found.v[k]);
    region_copy(&x->r, "unclamped", NULL);
    region_finish(&x->r, NULL);
}

/* The barrier of an interchanged variant gets a separate block. */
static void isolate_barrier(Kernel *k) {
    for_each_instruction(i, k->fn) {
        if (!name_is_barrier(name_of_call(i))) continue;
        shim_split_block(i, "meet");
        drop_facts(k);
        return;
    }
}

Nyi version_unclamped(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || k->layout == LAYOUT_GENERAL || pass_disabled(k->m, "version_unclamped")) return NYI_NONE;
    Clamps x = {.r = {.k = k, .a = k->arena, .tried = LLVMGetMDKindIDInContext(k->m->ctx, "cucpu.clamp", 11)},
                .split = LLVMGetMDKindIDInContext(k->m->ctx, "cucpu.split", 11)};
    bool interchanged = variant_of(k->fn).interchanged;
    if (interchanged) isolate_barrier(k);
    x.r.c = kernel_cfg(k);
    if (!x.r.c->reducible) return NYI_NONE;
    x.r.s = kernel_shapes(k);
    if (!find_any_clamp(&x)) return NYI_NONE;
    /* unrolled loops repeat the same clamps; an interchanged variant has them in its loop, where they can be
    ** versioned */
    if (!interchanged) {
        run_llvm_passes_on(k->m, k->fn, "early-cse,lcssa");
        drop_facts(k);
    }
    make_versions(&x.r, MAX_ITERATIONS, find_any_clamp, version_unclamped_region, &x);
    return NYI_NONE;
}
