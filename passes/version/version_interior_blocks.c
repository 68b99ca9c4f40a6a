/* version_interior_blocks: a kernel with barriers gets a version for interior blocks of the grid.
**
**   body      becomes      if (every thread of the block passes the range tests) body'; else body
**
** In body' the tests are constants: `x > 0 && x < n` of a stencil, `x > 0 ? x - 1 : x` of its neighbours, and nothing
** is left of `min(max(x - 1, 0), n - 1)` but x - 1. So accesses lose their masks and the addresses of neighbours are
** known (promote_shared). All but the blocks at the border take it. version_all_active does the same for one branch and
** one group; a barrier ends its scope. A range test compares U + a * threadIdx.x + b * threadIdx.y + c * threadIdx.z,
** with constants a, b, c and U made of blockIdx, parameters and constants, with a bound of that kind that the thread
** does not change. As blockDim is known, the minimum and the maximum of a block are two sums; they are computed in 128
** bits, and where they do not fit their type (before it is extended to that of the test) the block takes the original.
** The outcome in interior blocks: below a bound of the launch, above a constant that is near the values of the first
** block, below any other, not equal. A block-uniform test or clamp counts where it selects such a bound:
** `first = start < 0 ? -start : 0` is 0 in body'.
** requires: normal form, keeps it. Only for variants of one blockDim, width > 1, with a barrier of the block;
** not where blocks wait for the grid. */
#include "cpu-runtime/abi.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/affine.h"
#include "passes/analysis/range_guards.h"
#include "passes/ir/edit.h"
#include "passes/ir/slice.h"
#include "passes/ir/variant.h"
#include "passes/version/version_region.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { MAX_TESTS = 24 /* tests */ };

/* U + sum of step[d] * threadIdx[d], modulo 2^bits. */
typedef struct Plane {
    Affine base; /* U: terms are the same for all threads of the block */
    int64_t step[3];
    bool of_block; /* U depends on blockIdx */
} Plane;

typedef struct Test {
    LLVMValueRef icmp,
        bound; /* or a minimum, a maximum; bound: the same for all threads; several tests may be of one icmp */
    LLVMIntPredicate less; /* with the affine value on the left */
    Plane a;
    LLVMTypeRef type; /* in which it is computed; it is sign-extended to the type of the test, or zero-extended: */
    bool zero_extended;
    bool outcome; /* the outcome inside; of a minimum or maximum: it is the affine operand */
} Test;

typedef struct Inner {
    Region r;
    LLVMTypeRef wide; /* i128 */
    Test test[MAX_TESTS];
    int n;
} Inner;

/* ---- affine values ---- */

static bool is_thread_id(LLVMValueRef v) {
    Name n = name_of_call(v);
    return n >= NAME_TID_X && n <= NAME_TID_Z;
}

static bool is_part(const void *inner, LLVMValueRef v) {
    (void)inner;
    return is_thread_id(v) || is_launch_value(v, true, NULL);
}

/* The operand that replaces a clamp among the tests. */
static LLVMValueRef unclamped(const void *inner, LLVMValueRef i) {
    const Inner *x = inner;
    LLVMIntPredicate same;
    for (int k = 0; min_max_predicate(i, &same) && k < x->n; k++)
        if (x->test[k].icmp == i && x->test[k].outcome)
            return LLVMGetOperand(i, LLVMGetOperand(i, 0) == x->test[k].bound);
    return NULL;
}

static bool find_plane(const Inner *x, LLVMValueRef v, Plane *p) {
    AffineRules parts = {.is_term = is_part, .instead = unclamped, .context = x};
    *p = (Plane){0};
    if (!affine_of(&parts, v, AFFINE_SAME, &p->base)) return false;
    for (int k = 0; k < p->base.n;) {
        LLVMValueRef term = p->base.term[k].v;
        if (is_thread_id(term)) p->step[name_of_call(term) - NAME_TID_X] += affine_take(&p->base, term);
        else k++, is_launch_value(term, true, &p->of_block);
    }
    return true;
}

/* ---- tests ---- */

static bool is_unsigned(LLVMIntPredicate q) { return q >= LLVMIntUGT && q <= LLVMIntULE; }

/* A condition, minimum or maximum by which blocks select a bound: `start < 0 ? -start : 0`. */
static bool selects_bound(LLVMValueRef i) {
    if (!LLVMIsAICmpInst(i)) return true;
    for_each_user(s, i) {
        if (!LLVMIsASelectInst(s) || LLVMGetOperand(s, 0) != i || !is_launch_value(s, true, NULL)) return false;
    }
    return true;
}

/* What the threads of a block add to the value of its first thread: the minimum and the maximum. */
static void block_span(const Inner *x, const Plane *a, int64_t *below, int64_t *above) {
    *below = *above = 0;
    for (int d = 0; d < 3; d++) {
        int64_t span = a->step[d] * (int64_t)(x->r.k->block[d] - 1);
        *(span < 0 ? below : above) += span;
    }
}

/* Values of interior blocks are below the bound; of the first block, what depends on the launch is 0. */
static bool is_upper_bound(const Inner *x, const Test *t) {
    int64_t below, above;
    block_span(x, &t->a, &below, &above);
    return is_upper_end(t->bound, t->a.base.constant + above, above - below + 1);
}

static bool outcome_inside(const Inner *x, const Test *t) {
    if (t->less == LLVMIntEQ || t->less == LLVMIntNE) return t->less == LLVMIntNE;
    if (is_unsigned(t->less) && is_less_predicate(t->less)) return true; /* x < 10u: 0 <= x is half of it */
    return is_less_predicate(t->less) == is_upper_bound(x, t);
}

static LLVMValueRef without_extension(LLVMValueRef v) {
    return LLVMIsAZExtInst(v) || LLVMIsASExtInst(v) ? LLVMGetOperand(v, 0) : v;
}

/* `v` on the left of the test `t`, whose bound is known. */
static bool add_tested(Inner *x, const Test *t, LLVMValueRef v) {
    if (x->n == MAX_TESTS) return false;
    Test *own = &x->test[x->n];
    *own = *t;
    own->zero_extended = LLVMIsAZExtInst(v) != NULL;
    own->type = LLVMTypeOf(without_extension(v));
    if (LLVMGetIntTypeWidth(own->type) < 8 || !find_plane(x, without_extension(v), &own->a) || !own->a.of_block)
        return false;
    bool of_thread = own->a.step[0] || own->a.step[1] || own->a.step[2], of_block = false;
    if (!of_thread && (!is_launch_value(t->bound, true, &of_block) || of_block || !selects_bound(t->icmp)))
        return false;
    LLVMIntPredicate same;
    if (!min_max_predicate(t->icmp, &same)) own->outcome = outcome_inside(x, own);
    else if (!of_thread) own->outcome = is_less_predicate(t->less) == is_upper_bound(x, own);
    x->n++;
    return true;
}

/* (a
** b) > -1 implies that neither is negative, and so on. */
static bool add_signs(Inner *x, const Test *t, LLVMValueRef v) {
    bool joint = opcode(v) == LLVMOr && !LLVMGetIsDisjoint(v);
    bool sign = LLVMIsAConstantInt(t->bound) && ((t->less == LLVMIntSGT && LLVMConstIntGetSExtValue(t->bound) == -1) ||
                                                 (t->less == LLVMIntSLT && LLVMIsNull(t->bound)));
    if (!joint || !sign) return add_tested(x, t, v);
    return add_signs(x, t, LLVMGetOperand(v, 0)) && add_signs(x, t, LLVMGetOperand(v, 1));
}

static void add_clamp(Inner *x, LLVMValueRef i, LLVMIntPredicate same) {
    if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind || int_bits(i) > 64) return;
    for (unsigned operand = 0; operand < 2; operand++) {
        Test t = {.icmp = i, .bound = LLVMGetOperand(i, 1 - operand), .less = same, .outcome = true};
        if (t.bound != LLVMGetOperand(i, operand) && is_launch_value(t.bound, true, NULL) &&
            add_tested(x, &t, LLVMGetOperand(i, operand)))
            return;
    }
}

static void find_range_test(Inner *x, LLVMValueRef i) {
    LLVMIntPredicate same;
    if (min_max_predicate(i, &same)) add_clamp(x, i, same);
    if (!LLVMIsAICmpInst(i) || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 0))) != LLVMIntegerTypeKind) return;
    if (LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(i, 0))) > 64) return;
    for (unsigned operand = 0; operand < 2; operand++) {
        Test t = {.icmp = i, .bound = LLVMGetOperand(i, 1 - operand), .less = LLVMGetICmpPredicate(i)};
        if (operand) t.less = swapped_predicate(t.less);
        if (!is_launch_value(t.bound, true, NULL)) continue;
        int before = x->n;
        if (add_signs(x, &t, LLVMGetOperand(i, operand))) return;
        x->n = before;
    }
}

static bool find_range_guards(Inner *x) {
    bool barrier = false;
    for_each_instruction(i, x->r.k->fn) {
        barrier |= name_is_barrier(name_of_call(i));
        find_range_test(x, i);
    }
    return x->n && barrier && region_find_kernel(&x->r);
}

/* ---- is the block interior? ---- */

static LLVMValueRef wide_const(Inner *x, int64_t c) { return LLVMConstInt(x->wide, (uint64_t)c, 1); }

static LLVMValueRef at_launch(void *inner, LLVMValueRef v) { return clone_launch_value(((Inner *)inner)->r.b, v); }

/* The value of the first thread in the test's type, as a signed integer. */
static LLVMValueRef first_value(Inner *x, const Plane *a, LLVMTypeRef t) {
    return LLVMBuildSExt(x->r.b, affine_build(x->r.b, &a->base, t, at_launch, x), x->wide, "");
}

/* Every value in low..high compares with the bound as in interior blocks. */
static LLVMValueRef build_comparison(Inner *x, const Test *t, LLVMValueRef low, LLVMValueRef high, LLVMValueRef bound) {
    LLVMBuilderRef b = x->r.b;
    if (t->less == LLVMIntEQ || t->less == LLVMIntNE)
        return LLVMBuildOr(b, LLVMBuildICmp(b, LLVMIntSLT, high, bound, ""),
                           LLVMBuildICmp(b, LLVMIntSGT, low, bound, ""), "");
    bool below = is_less_predicate(t->less) == t->outcome;
    bool touches = (t->less == LLVMIntSLE || t->less == LLVMIntULE || t->less == LLVMIntSGE || t->less == LLVMIntUGE) ==
                   t->outcome;
    LLVMIntPredicate q = below ? touches ? LLVMIntSLE : LLVMIntSLT : touches ? LLVMIntSGE : LLVMIntSGT;
    return LLVMBuildICmp(b, q, below ? high : low, bound, "");
}

/* All threads of the block pass the test. */
static LLVMValueRef passes(Inner *x, const Test *t) {
    unsigned bits = LLVMGetIntTypeWidth(t->type);
    bool no_sign = is_unsigned(t->less) || t->zero_extended;
    int64_t below, above;
    block_span(x, &t->a, &below, &above);
    LLVMValueRef first = first_value(x, &t->a, t->type), bound = clone_launch_value(x->r.b, t->bound);
    LLVMValueRef low = LLVMBuildAdd(x->r.b, first, wide_const(x, below), "low"),
                 high = LLVMBuildAdd(x->r.b, first, wide_const(x, above), "high");
    bound =
        is_unsigned(t->less) ? LLVMBuildZExt(x->r.b, bound, x->wide, "") : LLVMBuildSExt(x->r.b, bound, x->wide, "");
    int64_t maximum = (int64_t)(UINT64_MAX >> (65 - bits)), minimum = no_sign ? 0 : -maximum - 1;
    LLVMValueRef fits = LLVMBuildAnd(x->r.b, LLVMBuildICmp(x->r.b, LLVMIntSGE, low, wide_const(x, minimum), ""),
                                     LLVMBuildICmp(x->r.b, LLVMIntSLE, high, wide_const(x, maximum), ""), "");
    return LLVMBuildAnd(x->r.b, fits, build_comparison(x, t, low, high, bound), "");
}

/* ---- the copy ---- */

static void assume_test(Inner *x, const Test *t) {
    LLVMValueRef affine = LLVMGetOperand(t->icmp, (LLVMGetOperand(t->icmp, 0) == t->bound) == t->outcome);
    region_assume(&x->r, t->icmp, LLVMIsAICmpInst(t->icmp) ? const_bool(x->r.k->m->ctx, t->outcome) : affine);
}

static LLVMMetadataRef test_location(const Inner *x, LLVMValueRef icmp) {
    LLVMMetadataRef scope = LLVMGetSubprogram(x->r.k->fn), at = LLVMInstructionGetDebugLoc(icmp);
    return scope ? LLVMDIBuilderCreateDebugLocation(x->r.k->m->ctx, at ? LLVMDILocationGetLine(at) : 0, 0, scope, NULL)
                 : NULL;
}

static void version_kernel(Inner *x) {
    region_cut(&x->r, "border");
    LLVMSetCurrentDebugLocation2(x->r.b, test_location(x, x->test[0].icmp));
    for (int t = 0; t < x->n; t++) {
        region_require(&x->r, passes(x, &x->test[t]));
        if (!t || x->test[t].icmp != x->test[t - 1].icmp) assume_test(x, &x->test[t]);
    }
    region_copy(&x->r, "inner", NULL);
    region_finish(&x->r, "instcombine<no-verify-fixpoint>,simplifycfg,adce");
}

Nyi version_interior_blocks(Kernel *k) {
    const unsigned *d = k->block;
    bool waits = fn_attr_int(k->fn, ATTR_FLAGS, 0) & (CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER);
    if (k->width == 1 || !d[0] || !d[1] || !d[2] || waits || k->m->opt->opt_level < 2) return NYI_NONE;
    if (pass_disabled(k->m, "version_interior_blocks")) return NYI_NONE;
    Inner x = {.r = {.k = k, .a = k->arena, .c = kernel_cfg(k), .b = LLVMCreateBuilderInContext(k->m->ctx)},
               .wide = LLVMIntTypeInContext(k->m->ctx, 128)};
    if (find_range_guards(&x)) {
        version_kernel(&x);
        Variant v = variant_of(k->fn);
        v.interior = true;
        set_variant(k->fn, &v);
    }
    LLVMDisposeBuilder(x.r.b);
    return NYI_NONE;
}
