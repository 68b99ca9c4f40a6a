/* bound_from_guard: a loop over threads runs only over the threads that pass the test at the start of a kernel.
**
** in:  entries of width 1: for x in 0..T { if (base + x < n) body }, also with further tests that do not depend on x
** out: the same loop from..to without the test. Threads that fail it have nothing to do.
** `base + x` may wrap around: as x < T, those that pass are one or two intervals of threads,
**
**        base < n:  0 .. min(T, n - base)
**        else:      none
**      and, if base + x reaches the minimum of the type at w with 0 < w < T:  w .. min(T, w + n - minimum)
**
** A test lo <= base + x of the same sum, beside it or alone, lets both begin later. A loop around the loop runs both;
** the second one hardly ever exists. Within an interval nothing wraps, so the sum gets nsw or nuw, by which addresses
** that depend on it are known to be consecutive. The same for sums of 64 bits, and for tests of a sum that is extended
** to them (size_t). Without this LLVM's vectorizer masks every access of the kernel.
** Not taken: wider entries, where widen and version_all_active handle tests; loops that carry values other than x. */
#include "passes/passes.h"
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/groups/invariant.h"
#include "passes/groups/group_loop.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/variant.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { CHAIN = 8 };

typedef struct Bound {
    Module *m;
    Arena *a;
    LLVMBuilderRef b;
    const Cfg *cfg;
    const Loop *loop;
    GroupLoop g; /* x, x + 1, T */
    LLVMBasicBlockRef part;
    LLVMValueRef branches[CHAIN]; /* those whose other successor does nothing */
    bool continues[CHAIN];        /* the condition on which the body continues */
    LLVMValueRef tests[CHAIN];    /* their conditions, conjunctions split: all must be runs_if */
    bool runs_if[CHAIN];
    int nbranches, ntests;
    LLVMValueRef sum, n, low; /* low <= sum < n, either may be missing; sum: base + x, or x; of 32 or 64 bits */
    Affine base;
    bool above;            /* low < sum instead */
    bool bounds[CHAIN];    /* the tests that low and n come from */
    bool extended;         /* the tests are of the 32-bit sum, extended to 64 bits */
    LLVMIntPredicate less; /* slt or ult */
    Invariant outside;
} Bound;

/* ---- the shape of the loop ---- */

/* Nothing of the loop is used after it, and no other edge leaves the part after the tests. */
static bool is_closed(const Bound *p) {
    for (int b = p->loop->first; b <= p->loop->last; b++) {
        const Block *k = &p->cfg->b[b];
        for_each_in_block(i, k->bb)
            for_each_user(user, i)
                if (!cfg_in_loop(p->cfg, p->outside.loop, user)) return false;
        bool test = k->bb == p->g.latch;
        for (int t = 0; t < p->nbranches; t++) test |= LLVMGetBasicBlockTerminator(k->bb) == p->branches[t];
        for (int s = 0; s < k->nsucc; s++)
            if (!test && !cfg_loop_contains(p->cfg, (int)(p->loop - p->cfg->l), k->succ[s])) return false;
    }
    return true;
}

/* ---- the tests ---- */

/* v = base + x, where base is invariant: 0 where v is x. */
static bool is_base_plus_x(Bound *p, LLVMValueRef v) {
    p->sum = v;
    return is_integer(v) && (int_bits(v) == 32 || int_bits(v) == 64) && group_sum(&p->g, &p->outside, v, &p->base) &&
           (v == p->g.x || !affine_is_zero(&p->base));
}

/* v is the sum, maybe extended, that a test of this signedness compares; after an earlier test: the same one. */
static bool is_tested(Bound *p, LLVMValueRef v, LLVMIntPredicate less) {
    bool extended = (less == LLVMIntSLT ? LLVMIsASExtInst(v) : LLVMIsAZExtInst(v)) &&
                    cfg_in_loop(p->cfg, p->outside.loop, v) && LLVMTypeOf(LLVMGetOperand(v, 0)) == LLVMTypeOf(p->g.x) &&
                    LLVMTypeOf(v) == LLVMInt64TypeInContext(p->m->ctx);
    LLVMValueRef sum = extended ? LLVMGetOperand(v, 0) : v;
    if (p->sum) return sum == p->sum && less == p->less && extended == p->extended;
    p->less = less;
    p->extended = extended;
    return is_base_plus_x(p, sum);
}

/* The loop body continues if c == runs_if: is that base + x < n, low <= base + x or low < base + x, and the first such
** test? */
static bool is_range(Bound *p, LLVMValueRef c, bool runs_if) {
    if (!LLVMIsAICmpInst(c)) return false;
    LLVMIntPredicate q = LLVMGetICmpPredicate(c);
    if (!runs_if) q = inverse_predicate(q);
    for (unsigned k = 0; k < 2; k++, q = swapped_predicate(q)) {
        LLVMValueRef v = LLVMGetOperand(c, k), limit = LLVMGetOperand(c, !k);
        bool upper = q == LLVMIntSLT || q == LLVMIntULT, lower = q == LLVMIntSGE || q == LLVMIntUGE;
        bool above = q == LLVMIntSGT || q == LLVMIntUGT,
             is_signed = q == LLVMIntSLT || q == LLVMIntSGE || q == LLVMIntSGT;
        Bound before = *p;
        if ((upper ? !p->n : (lower || above) && !p->low) && invariant_is(&p->outside, limit) &&
            is_tested(p, v, is_signed ? LLVMIntSLT : LLVMIntULT)) {
            *(upper ? &p->n : &p->low) = limit;
            if (above) p->above = true;
            return true;
        }
        *p = before;
    }
    return false;
}

/* Further tests may be left out. */
static bool has_no_effects(LLVMBasicBlockRef bb) {
    for_each_in_block(i, bb)
        if (LLVMIsAStoreInst(i) || (LLVMIsACallInst(i) && !is_pure_intrinsic(i)) || LLVMIsAAtomicRMWInst(i) ||
            LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i) || (LLVMIsALoadInst(i) && LLVMGetVolatile(i)))
            return false;
    return true;
}

/* Control that comes here does nothing until the end of the loop's body, or after the loop. */
static bool does_nothing(const Bound *p, LLVMBasicBlockRef bb) {
    for (int k = 0; k < CHAIN; k++) {
        if (bb == p->g.latch) return has_no_effects(bb);
        if (bb == p->g.out) return true;
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        if (LLVMGetFirstInstruction(bb) != t || LLVMGetNumSuccessors(t) != 1) return false;
        bb = LLVMGetSuccessor(t, 0);
    }
    return false;
}

/* Notes the test c == runs_if, or its parts where it is a conjunction; false = not supported. */
static bool note_test(Bound *p, LLVMValueRef c, bool runs_if) {
    LLVMOpcode op = cfg_in_loop(p->cfg, p->outside.loop, c) ? LLVMGetInstructionOpcode(c) : LLVMICmp;
    bool both = op == (runs_if ? LLVMAnd : LLVMOr);
    if (op == LLVMSelect) /* (a, b, false), (a, true, b) */
        both = is_constant(LLVMGetOperand(c, runs_if ? 2 : 1), !runs_if);
    if (both) {
        unsigned second = op == LLVMSelect && runs_if ? 1 : op == LLVMSelect ? 2 : 1;
        return note_test(p, LLVMGetOperand(c, 0), runs_if) && note_test(p, LLVMGetOperand(c, second), runs_if);
    }
    if (p->ntests == CHAIN) return false;
    p->bounds[p->ntests] = is_range(p, c, runs_if);
    if (!p->bounds[p->ntests] && !invariant_is(&p->outside, c)) return false;
    p->tests[p->ntests] = c;
    p->runs_if[p->ntests++] = runs_if;
    return true;
}

/* The chain of branches that the loop's body begins with; true if one of them compares x. */
static bool find_guards(Bound *p) {
    for (LLVMBasicBlockRef bb = p->g.header; p->nbranches < CHAIN && bb != p->g.latch && has_no_effects(bb);) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(bb);
        if (!LLVMIsABranchInst(t) || !LLVMIsConditional(t)) break;
        bool no = does_nothing(p, LLVMGetSuccessor(t, 1)), yes = does_nothing(p, LLVMGetSuccessor(t, 0));
        Bound before = *p;
        if (no == yes || !note_test(p, LLVMGetCondition(t), no)) {
            *p = before;
            break;
        }
        p->branches[p->nbranches] = t;
        p->continues[p->nbranches++] = no;
        bb = LLVMGetSuccessor(t, no ? 0 : 1);
        if (LLVMIsAPHINode(LLVMGetFirstInstruction(bb))) break;
    }
    return p->sum;
}

/* ---- the intervals ---- */

/* The tests that do not depend on x, NULL = none. */
static LLVMValueRef fixed_tests(Bound *p) {
    LLVMValueRef all = NULL;
    for (int k = 0; k < p->ntests; k++) {
        if (p->bounds[k]) continue;
        LLVMValueRef c = invariant_hoist(&p->outside, p->tests[k]);
        if (!p->runs_if[k]) c = LLVMBuildNot(p->b, c, "");
        all = all ? LLVMBuildSelect(p->b, all, c, LLVMConstNull(LLVMTypeOf(c)), "") : c;
    }
    return all;
}

/* Bounds of an interval, and the sum at its first thread. */
typedef struct Interval {
    LLVMValueRef from, to, sum;
} Interval;

static LLVMTypeRef tested_type(const Bound *p) {
    return p->extended ? LLVMInt64TypeInContext(p->m->ctx) : LLVMTypeOf(p->sum);
}

/* A value of the sum's type in that of the test. */
static LLVMValueRef as_tested(Bound *p, LLVMValueRef v) {
    LLVMTypeRef t = tested_type(p);
    if (LLVMTypeOf(v) == t) return v;
    return p->less == LLVMIntSLT ? LLVMBuildSExt(p->b, v, t, "") : LLVMBuildZExt(p->b, v, t, "");
}

static LLVMValueRef count_as(Bound *p, LLVMValueRef count, LLVMTypeRef t) {
    return LLVMTypeOf(count) == t ? count : LLVMBuildIntCast2(p->b, count, t, 0, "");
}

/* n or low; for an extended sum clamped to the range of 32 bits, or one more. */
static LLVMValueRef limit_of(Bound *p, LLVMValueRef v) {
    LLVMValueRef n = invariant_hoist(&p->outside, v);
    if (!p->extended) return n;
    LLVMTypeRef t = LLVMTypeOf(n);
    if (p->less == LLVMIntULT) return build_intrinsic2(p->b, "llvm.umin", n, LLVMConstInt(t, UINT64_C(1) << 32, 0));
    n = build_intrinsic2(p->b, "llvm.smax", n, LLVMConstInt(t, (uint64_t)INT32_MIN, 1));
    return build_intrinsic2(p->b, "llvm.smin", n, LLVMConstInt(t, UINT64_C(1) << 31, 0));
}

/* What an interval is computed from: the operands of the tests, before the loop. Counts and sums are of type t, limits
** of the tested type; `on` (NULL = always): the tests that do not depend on x. */
typedef struct Limits {
    LLVMTypeRef t, tested;
    LLVMValueRef base, minimum, end, n, low, on;
} Limits;

static Limits limits(Bound *p) {
    LLVMTypeRef i32 = LLVMTypeOf(p->g.x), t = LLVMTypeOf(p->sum);
    unsigned bits = LLVMGetIntTypeWidth(t);
    Limits l = {.t = t, .tested = tested_type(p)};
    l.minimum = LLVMConstInt(t, p->less == LLVMIntSLT ? UINT64_C(1) << (bits - 1) : 0, 0);
    l.base = group_base(&p->outside, &p->base, t);
    l.on = fixed_tests(p);
    l.end = count_as(p, build_intrinsic2(p->b, "llvm.umax", p->g.end, LLVMConstInt(i32, 1, 0)),
                     t); /* the loop's test comes last */
    if (p->n) l.n = limit_of(p, p->n);
    if (!p->low) return l;
    l.low = limit_of(p, p->low);
    if (!p->above) return l;
    unsigned wide = LLVMGetIntTypeWidth(l.tested);
    LLVMValueRef maximum = LLVMConstInt(l.tested, (UINT64_MAX >> (64 - wide)) >> (p->less == LLVMIntSLT), 0);
    LLVMValueRef any =
        LLVMBuildICmp(p->b, LLVMIntNE, l.low, maximum, ""); /* nothing is above the maximum of the type */
    l.on = l.on ? LLVMBuildSelect(p->b, l.on, any, LLVMConstNull(LLVMTypeOf(any)), "") : any;
    l.low = LLVMBuildAdd(p->b, l.low, LLVMConstInt(l.tested, 1, 0), "");
    return l;
}

/* The threads from..to of `count` ones whose sums are first, first + 1, ... without wrapping. */
static Interval interval(Bound *p, const Limits *l, LLVMValueRef at, LLVMValueRef first, LLVMValueRef count,
                         LLVMValueRef on) {
    LLVMBuilderRef b = p->b;
    LLVMTypeRef i32 = LLVMTypeOf(p->g.x);
    LLVMValueRef start = as_tested(p, first), none = LLVMConstNull(l->tested), to = count_as(p, count, l->tested),
                 from = none;
    if (l->n) {
        LLVMValueRef some = LLVMBuildICmp(b, p->less, start, l->n, "");
        if (on) some = LLVMBuildSelect(b, on, some, LLVMConstNull(LLVMTypeOf(some)), "");
        to = build_intrinsic2(p->b, "llvm.umin", to,
                              LLVMBuildSelect(b, some, LLVMBuildSub(b, l->n, start, ""), none, ""));
    } else if (on) {
        to = LLVMBuildSelect(b, on, to, none, "");
    }
    if (l->low) {
        LLVMValueRef later = LLVMBuildICmp(b, p->less, start, l->low, "");
        from = LLVMBuildSelect(b, later, LLVMBuildSub(b, l->low, start, ""), none, "");
        from = build_intrinsic2(p->b, "llvm.umin", from, to);
    }
    Interval s = {count_as(p, from, i32), count_as(p, to, i32), LLVMBuildAdd(b, first, count_as(p, from, l->t), "")};
    if (LLVMIsNull(at)) return s;
    at = count_as(p, at, i32);
    s.from = LLVMBuildAdd(b, at, s.from, "");
    s.to = LLVMBuildAdd(b, at, s.to, "");
    return s;
}

static void intervals(Bound *p, Interval s[2]) {
    LLVMBuilderRef b = p->b;
    Limits l = limits(p);
    LLVMValueRef zero = LLVMConstNull(l.t), one = LLVMConstInt(l.t, 1, 0), none = LLVMConstNull(LLVMTypeOf(p->g.x));
    if (affine_is_zero(&p->base)) {
        s[0] = interval(p, &l, zero, l.base, l.end, l.on);
        s[1] = (Interval){none, none, l.minimum};
        return;
    }
    LLVMValueRef wrap = LLVMBuildSub(b, l.minimum, l.base, "wrap"), left = LLVMBuildSub(b, l.end, wrap, "");
    LLVMValueRef last = LLVMBuildSub(b, l.end, one, ""),
                 again = LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, wrap, one, ""), last, "");
    LLVMValueRef first = l.n ? l.end : LLVMBuildSelect(b, again, wrap, l.end, "");
    s[0] = interval(p, &l, zero, l.base, first, l.on);
    if (l.on) again = LLVMBuildSelect(b, l.on, again, LLVMConstNull(LLVMTypeOf(again)), "");
    s[1] = interval(p, &l, wrap, l.minimum, left, again);
}

/* ---- the new loops ---- */

/* In all users but two. */
static void replace_uses(LLVMValueRef old, LLVMValueRef v, LLVMValueRef keep, LLVMValueRef keep2) {
    for (LLVMUseRef u = LLVMGetFirstUse(old); u;) {
        LLVMValueRef i = LLVMGetUser(u);
        u = LLVMGetNextUse(u);
        if (i == keep || i == keep2) continue;
        for (int k = 0; k < LLVMGetNumOperands(i); k++)
            if (LLVMGetOperand(i, (unsigned)k) == old) LLVMSetOperand(i, (unsigned)k, v);
        u = LLVMGetFirstUse(old); /* it may have several uses by one user */
    }
}

static LLVMValueRef extend_as_tested(Bound *p, LLVMValueRef v) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(p->m->ctx);
    return p->less == LLVMIntSLT ? LLVMBuildSExt(p->b, v, i64, "") : LLVMBuildZExt(p->b, v, i64, "");
}

static bool is_tested_extension(const Bound *p, LLVMValueRef i) {
    return (p->less == LLVMIntSLT ? LLVMIsASExtInst(i) : LLVMIsAZExtInst(i)) &&
           LLVMTypeOf(i) == LLVMInt64TypeInContext(p->m->ctx);
}

/* i = v + an invariant value, which does not wrap: that value, else NULL. */
static LLVMValueRef added_to(Bound *p, LLVMValueRef i, LLVMValueRef v) {
    if (!cfg_in_loop(p->cfg, p->outside.loop, i) || LLVMGetInstructionOpcode(i) != LLVMAdd) return NULL;
    if (!(p->less == LLVMIntSLT ? LLVMGetNSW(i) : LLVMGetNUW(i))) return NULL;
    LLVMValueRef other = LLVMGetOperand(i, LLVMGetOperand(i, 0) == v);
    return other != v && invariant_is(&p->outside, other) ? other : NULL;
}

/* v's 64-bit form; parts[0..depth] are the values whose sum v is. Built when first used. */
static LLVMValueRef wide_form(Bound *p, const LLVMValueRef *parts, int depth) {
    LLVMPositionBuilderBefore(p->b, LLVMGetBasicBlockTerminator(p->part));
    LLVMValueRef start = extend_as_tested(p, parts[0]);
    for (int k = 1; k <= depth; k++)
        start = LLVMBuildNSWAdd(p->b, start, extend_as_tested(p, invariant_hoist(&p->outside, parts[k])), "");
    LLVMPositionBuilderBefore(p->b, first_after_phis(p->g.header));
    return LLVMBuildNSWAdd(p->b, start, LLVMBuildZExt(p->b, p->g.x, LLVMTypeOf(start), ""), "");
}

/* The 64-bit forms of the sum and of invariant values added to it, as addresses use them: the extension of the value in
** the first thread, plus t. (LLVM moves such sums out of the loop in 32 bits, where they may wrap.) */
static void extend_sum(Bound *p, LLVMValueRef v, LLVMValueRef *parts, int depth) {
    LLVMValueRef wide = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(v), next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef i = LLVMGetUser(u);
        if (is_tested_extension(p, i)) {
            if (!wide) wide = wide_form(p, parts, depth);
            LLVMReplaceAllUsesWith(i, wide);
        } else if (depth + 1 < CHAIN && (parts[depth + 1] = added_to(p, i, v))) {
            extend_sum(p, i, parts, depth + 1);
        }
    }
}

/* The loop counts from 0, which LLVM's analyses handle best: x is from + t, and base + x is the interval's first sum +
** t, which does not wrap. */
static void count_from_zero(Bound *p, LLVMValueRef from, LLVMValueRef first) {
    if (affine_is_zero(&p->base) && !p->low) return;
    LLVMPositionBuilderBefore(p->b, first_after_phis(p->g.header));
    LLVMValueRef x = LLVMBuildNUWAdd(p->b, from, p->g.x, "x");
    replace_uses(p->g.x, x, x, p->g.next);
    if (affine_is_zero(&p->base)) return;
    LLVMValueRef parts[CHAIN] = {first};
    if (LLVMTypeOf(first) == LLVMTypeOf(p->g.x)) extend_sum(p, p->sum, parts, 0);
    LLVMPositionBuilderBefore(p->b, first_after_phis(p->g.header));
    LLVMValueRef v = LLVMBuildAdd(p->b, first, count_as(p, p->g.x, LLVMTypeOf(first)), "sum");
    if (p->less == LLVMIntSLT) LLVMSetNSW(v, 1);
    else LLVMSetNUW(v, 1);
    LLVMReplaceAllUsesWith(p->sum, v);
}

static void bound(Bound *p) {
    LLVMContextRef c = p->m->ctx;
    LLVMTypeRef i1 = LLVMInt1TypeInContext(c);
    LLVMBasicBlockRef part = p->part = LLVMInsertBasicBlockInContext(c, p->g.header, "part");
    LLVMBasicBlockRef after = LLVMInsertBasicBlockInContext(c, p->g.out, "part.end");
    LLVMValueRef t = LLVMGetBasicBlockTerminator(p->g.before);
    Interval s[2];
    LLVMPositionBuilderBefore(p->b, t);
    intervals(p, s);
    LLVMBuildBr(p->b, part);
    LLVMInstructionEraseFromParent(t);
    LLVMPositionBuilderAtEnd(p->b, part);
    LLVMValueRef from = build_phi2(p->b, s[0].from, p->g.before, s[1].from, after, "from"),
                 to = build_phi2(p->b, s[0].to, p->g.before, s[1].to, after, "to");
    LLVMValueRef sum = build_phi2(p->b, s[0].sum, p->g.before, s[1].sum, after, "sum");
    LLVMValueRef last = build_phi2(p->b, LLVMConstInt(i1, affine_is_zero(&p->base), 0), p->g.before,
                                   LLVMConstInt(i1, 1, 0), after, "last");
    LLVMValueRef count = LLVMBuildSub(p->b, to, from, "count");
    LLVMBuildCondBr(p->b, LLVMBuildICmp(p->b, LLVMIntNE, count, LLVMConstNull(LLVMTypeOf(count)), ""), p->g.header,
                    after);
    LLVMPositionBuilderAtEnd(p->b, after);
    forbid_unrolling(LLVMBuildCondBr(p->b, last, p->g.out, part), NULL);
    unsigned first = LLVMGetIncomingBlock(p->g.x, 0) == p->g.latch;
    shim_set_phi_block(p->g.x, first, part);
    t = LLVMGetBasicBlockTerminator(p->g.latch);
    LLVMPositionBuilderBefore(p->b, t);
    LLVMSetCondition(t, LLVMBuildICmp(p->b, LLVMIntULT, p->g.next, count, ""));
    LLVMSetSuccessor(t, 1, after);
    for (int k = 0; k < p->nbranches; k++) LLVMSetCondition(p->branches[k], LLVMConstInt(i1, p->continues[k], 0));
    count_from_zero(p, from, sum);
}

static bool bound_one(Module *m, LLVMBuilderRef b, LLVMValueRef fn) {
    Arena a = {0};
    const Cfg *c = cfg_build(&a, fn);
    bool done = false;
    for (int l = 0; l < c->nloops && !done; l++) {
        const Loop *loop = &c->l[l];
        Bound p = {.m = m, .a = &a, .b = b, .cfg = c, .loop = loop};
        p.outside = (Invariant){.m = m, .b = b, .cfg = c, .loop = l};
        map_init(&p.outside.hoisted, &a);
        if (!find_group_loop(c, l, &p.g) || p.g.step != 1 || LLVMIsAPHINode(LLVMGetFirstInstruction(p.g.latch)) ||
            !find_guards(&p) || !is_closed(&p))
            continue;
        bound(&p);
        done = true;
    }
    arena_free(&a);
    return done;
}

bool bound_from_guard(Module *m) {
    if (pass_disabled(m, "bound_from_guard")) return true;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_function(f, m->mod) {
        if (!is_scalar_entry(f)) continue;
        bool any = false;
        while (bound_one(m, b, f)) any = true;
        if (any) run_llvm_passes_on(m, f, "simplifycfg");
    }
    LLVMDisposeBuilder(b);
    return true;
}
