/* split_iteration_space: the iterations of a loop over groups that pass a range test completely are split off.
**
** in:  entries of kernels, or parts of them, that read only cucpu.global.x along x (coalesce_blocks: rows are long), or
**      their index in 64 bits, and loops of others whose groups add to one address; width > 1: for x in 0..T step W {
**      if (all lanes pass) full else masked }, an innermost loop that carries no other values; the test is a
**      conjunction of comparisons of base + x with values that do not depend on x (widen_masks, version_all_active)
** out: the same loop from 0 to `low`, a copy of it from `low` to `high` in which the test is true, the loop again from
**      `high` to T. The copy is nearly a vector loop of LLVM's vectorizer, and LLVM unrolls it.
** Sums may wrap. Each comparison holds for all x in one interval, counted without a wrap from x = 0:
**
**        base + x <  n     base < n ? 0 .. n - base : none
**        base + x >= n     (base >= n ? 0 : n - base) .. up to the maximum
**        n - (base + x) > s, unsigned (no lane is n)     after n if n - base < T, else before n - base - s
**
** The intersection of these, where sums that are extended for addresses do not wrap either (so that no group tests
** that), rounded up to groups, is the interval of the copy. There may be more groups that pass: the first loop keeps
** its test.
** Not taken: large loops, where a test costs nothing. */
#include "passes/analysis/cost.h"
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/groups/invariant.h"
#include "passes/groups/group_loop.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/clone_blocks.h"
#include "passes/ir/variant.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

enum { MAX_TESTS = 8, MAX_WIDE = 8, DEPTH = 8 };

/* base + x <is> n; NE: n - (base + x) > span. */
typedef struct Test {
    LLVMValueRef sum, n, span;
    LLVMIntPredicate is;
} Test;

typedef struct Split {
    Module *m;
    Arena *a;
    LLVMBuilderRef b;
    const Cfg *cfg;
    const Loop *loop;
    Invariant outside;
    GroupLoop g;
    LLVMValueRef branch;
    Test tests[MAX_TESTS];
    LLVMValueRef fixed[MAX_TESTS]; /* tests that do not depend on x */
    int ntests, nfixed;
    LLVMValueRef wide[MAX_WIDE], base[MAX_WIDE]; /* 64-bit forms of sums, as addresses use them; the sum for x = 0 */
    int nwide;
} Split;

/* ---- the form of the loop ---- */

/* No inner loop but in the code of groups that do not pass, no exit but after the latch, nothing used after it. */
static bool has_one_exit(const Split *p) {
    int to = p->cfg->b[p->loop->header].succ[0];
    for (int b = p->loop->first; b <= p->loop->last; b++) {
        const Block *k = &p->cfg->b[b];
        if (k->loop != p->outside.loop && (b == to || cfg_dominates(p->cfg, to, b))) return false;
        for (int s = 0; s < k->nsucc; s++)
            if (k->bb != p->g.latch && !cfg_loop_contains(p->cfg, p->outside.loop, k->succ[s])) return false;
        for_each_in_block(i, k->bb)
            for_each_user(user, i)
                if (!cfg_in_loop(p->cfg, p->outside.loop, user)) return false;
    }
    return true;
}

/* ---- the tests ---- */

/* v = base + x, in 32 or 64 bits. */
static bool is_group_sum(const Split *p, LLVMValueRef v) {
    Affine base;
    return is_integer(v) && (int_bits(v) == 32 || int_bits(v) == 64) && group_sum(&p->g, &p->outside, v, &base);
}

static bool note_comparison(Split *p, LLVMValueRef c) {
    LLVMValueRef a = LLVMGetOperand(c, 0), b = LLVMGetOperand(c, 1);
    Test t = {.is = LLVMGetICmpPredicate(c)};
    if (t.is == LLVMIntUGT && opcode(a) == LLVMSub && invariant_is(&p->outside, LLVMGetOperand(a, 0)) &&
        is_group_sum(p, LLVMGetOperand(a, 1)) && invariant_is(&p->outside, b)) {
        t = (Test){LLVMGetOperand(a, 1), LLVMGetOperand(a, 0), b, LLVMIntNE};
    } else if (is_group_sum(p, a) && invariant_is(&p->outside, b)) {
        t.sum = a;
        t.n = b;
    } else if (is_group_sum(p, b) && invariant_is(&p->outside, a)) {
        t = (Test){b, a, NULL, swapped_predicate(t.is)};
    } else {
        return false;
    }
    if ((t.is == LLVMIntEQ || t.is == LLVMIntNE) && !t.span) return false;
    p->tests[p->ntests++] = t;
    return true;
}

static bool note_tests(Split *p, LLVMValueRef c, int depth) {
    if (p->ntests == MAX_TESTS || p->nfixed == MAX_TESTS || depth > DEPTH) return false;
    if (invariant_is(&p->outside, c)) {
        p->fixed[p->nfixed++] = c;
        return true;
    }
    if (opcode(c) == LLVMAnd || (opcode(c) == LLVMSelect && is_constant(LLVMGetOperand(c, 2), 0)))
        return note_tests(p, LLVMGetOperand(c, 0), depth + 1) && note_tests(p, LLVMGetOperand(c, 1), depth + 1);
    return LLVMIsAICmpInst(c) && note_comparison(p, c);
}

static bool find_group_tests(Split *p) {
    p->branch = LLVMGetBasicBlockTerminator(p->g.header);
    if (p->g.header == p->g.latch || !LLVMIsABranchInst(p->branch) || !LLVMIsConditional(p->branch)) return false;
    return note_tests(p, LLVMGetCondition(p->branch), 0) && p->ntests;
}

/* An index in the grid in 64 bits, which coalesce_blocks leaves alone: rows are those of a block, but mostly of one
** dimension. */
static bool uses_64_bits(const Split *p) {
    for (int k = 0; k < p->ntests; k++)
        if (LLVMTypeOf(p->tests[k].sum) != LLVMTypeOf(p->g.x)) return true;
    return false;
}

/* Groups add to one address, one after the other (a block's sum): in the copy, which has no other path through, LLVM
** keeps it in a register. */
static bool accumulates(const Split *p) {
    const Cfg *c = p->cfg;
    int to = c->b[p->loop->header].succ[0];
    for (int b = p->loop->first; b <= p->loop->last; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(c->b[b].bb); i && (b == to || cfg_dominates(c, to, b));
             i = LLVMGetNextInstruction(i))
            if (LLVMIsAStoreInst(i) && invariant_is(&p->outside, LLVMGetOperand(i, 1))) return true;
    return false;
}

/* The code of groups that pass is small. */
static bool is_small_body(const Split *p) {
    const Cfg *c = p->cfg;
    int to = c->b[p->loop->header].succ[0], size = 0;
    for (int b = p->loop->first; b <= p->loop->last; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(c->b[b].bb); i && (b == to || cfg_dominates(c, to, b));
             i = LLVMGetNextInstruction(i))
            size++;
    return size <= GROWTH_SPLIT;
}

/* No group that passes comes here. */
static bool only_others_run(const Split *p, int b) {
    const Cfg *c = p->cfg;
    int other = c->b[p->loop->header].succ[1];
    return cfg_dominates(c, other, b) && !cfg_dominates(c, other, p->loop->latches[0]);
}

/* The extended value; a sum may be frozen, where a branch tests whether it wraps (widen_memory). */
static LLVMValueRef extension_source(LLVMValueRef wide) { return LLVMGetOperand(wide, 0); }
static LLVMValueRef melted(LLVMValueRef sum) { return opcode(sum) == LLVMFreeze ? LLVMGetOperand(sum, 0) : sum; }

/* Extensions of sums to 64 bits: those of the interval must not wrap. */
static void find_wide(Split *p) {
    for (int b = p->loop->first; b <= p->loop->last; b++)
        for_each_in_block(i, p->cfg->b[b].bb) {
            if (p->nwide == MAX_WIDE || (opcode(i) != LLVMSExt && opcode(i) != LLVMZExt) || only_others_run(p, b))
                continue;
            if (LLVMTypeOf(i) != LLVMInt64TypeInContext(p->m->ctx) || extension_source(i) == p->g.x) continue;
            if (is_group_sum(p, melted(extension_source(i)))) p->wide[p->nwide++] = i;
        }
}

/* ---- the interval ---- */

typedef struct Interval {
    LLVMValueRef low, high;
} Interval;

static LLVMValueRef base_of_sum(Split *p, LLVMValueRef v) {
    Affine base;
    group_sum(&p->g, &p->outside, v, &base);
    return group_base(&p->outside, &base, LLVMTypeOf(v));
}

/* No lane is n: away is the distance from the first lane of group 0 to n. */
static Interval beside(Split *p, LLVMValueRef away, LLVMValueRef span, LLVMValueRef end) {
    LLVMBuilderRef b = p->b;
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(end)), one = LLVMConstInt(LLVMTypeOf(end), 1, 0);
    LLVMValueRef inside = LLVMBuildICmp(b, LLVMIntULT, away, end, "");
    LLVMValueRef front =
        LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGE, away, span, ""), LLVMBuildSub(b, away, span, ""), zero, "");
    return (Interval){LLVMBuildSelect(b, inside, LLVMBuildAdd(b, away, one, ""), zero, ""),
                      LLVMBuildSelect(b, inside, end, front, "")};
}

/* Where the test always holds; integers of the type of its operands. */
static Interval in_its_type(Split *p, const Test *t, LLVMValueRef end) {
    LLVMBuilderRef b = p->b;
    LLVMTypeRef type = LLVMTypeOf(end);
    LLVMValueRef base = base_of_sum(p, t->sum), n = invariant_hoist(&p->outside, t->n), zero = LLVMConstNull(type),
                 one = LLVMConstInt(type, 1, 0);
    LLVMValueRef away = LLVMBuildSub(b, n, base, "");
    if (t->is == LLVMIntNE) return beside(p, away, invariant_hoist(&p->outside, t->span), end);
    bool is_signed = t->is >= LLVMIntSGT, equal = t->is == LLVMIntSLE || t->is == LLVMIntULE;
    bool above = t->is == LLVMIntUGT || t->is == LLVMIntUGE || t->is == LLVMIntSGT || t->is == LLVMIntSGE;
    LLVMValueRef now = LLVMBuildICmp(b, t->is, base, n, "");
    if (!above) {
        LLVMValueRef count = equal ? LLVMBuildAdd(b, build_intrinsic2(p->b, "llvm.umin", away, end), one, "") : away;
        return (Interval){zero, LLVMBuildSelect(b, now, count, zero, "")};
    }
    LLVMValueRef from = build_intrinsic2(p->b, "llvm.umin", away, end), maximum = LLVMConstAllOnes(type);
    if (is_signed) maximum = LLVMConstInt(type, LLVMGetIntTypeWidth(type) == 32 ? INT32_MAX : INT64_MAX, 0);
    if (t->is == LLVMIntUGT || t->is == LLVMIntSGT) from = LLVMBuildAdd(b, from, one, "");
    LLVMValueRef to =
        LLVMBuildAdd(b, build_intrinsic2(p->b, "llvm.umin", LLVMBuildSub(b, maximum, base, ""), end), one, "");
    return (Interval){LLVMBuildSelect(b, now, zero, from, ""), to};
}

static Interval interval_of(Split *p, const Test *t, LLVMValueRef end) {
    LLVMTypeRef i32 = LLVMTypeOf(p->g.x), type = LLVMTypeOf(t->sum);
    if (type == i32) return in_its_type(p, t, end);
    LLVMValueRef wide = LLVMBuildZExt(p->b, end, type, "");
    Interval s = in_its_type(p, t, wide);
    return (Interval){LLVMBuildTrunc(p->b, build_intrinsic2(p->b, "llvm.umin", s.low, wide), i32, ""),
                      LLVMBuildTrunc(p->b, build_intrinsic2(p->b, "llvm.umin", s.high, wide), i32, "")};
}

static void make_bases(Split *p) {
    for (int k = 0; k < p->nwide; k++) {
        LLVMValueRef sum = extension_source(p->wide[k]), base = base_of_sum(p, melted(sum));
        p->base[k] = opcode(sum) == LLVMFreeze ? LLVMBuildFreeze(p->b, base, "") : base;
    }
}

/* The sum that is extended does not wrap up to x = high. */
static LLVMValueRef does_not_wrap(Split *p, int k, LLVMValueRef high) {
    LLVMIntPredicate is = opcode(p->wide[k]) == LLVMSExt ? LLVMIntSLE : LLVMIntULE;
    return LLVMBuildICmp(p->b, is, p->base[k], LLVMBuildAdd(p->b, p->base[k], high, ""), "");
}

/* Rounded to whole groups; 0..0 where there is none. */
static Interval common_interval(Split *p, LLVMValueRef end) {
    LLVMBuilderRef b = p->b;
    Interval all = {const_int_of(p->g.x, 0), end};
    for (int k = 0; k < p->ntests; k++) {
        Interval s = interval_of(p, &p->tests[k], end);
        if (!is_constant(s.low, 0))
            all.low = is_constant(all.low, 0) ? s.low : build_intrinsic2(p->b, "llvm.umax", all.low, s.low);
        all.high = build_intrinsic2(p->b, "llvm.umin", all.high, s.high);
    }
    for (int k = 0; k < p->nfixed; k++)
        all.high = LLVMBuildSelect(b, invariant_hoist(&p->outside, p->fixed[k]), all.high, const_int_of(p->g.x, 0), "");
    LLVMValueRef less = const_int_of(p->g.x, p->g.step - 1),
                 whole = const_int_of(p->g.x, ~(p->g.step - 1) & UINT32_MAX);
    all.low = LLVMBuildAnd(b, LLVMBuildAdd(b, all.low, less, ""), whole, "");
    all.high = LLVMBuildAnd(b, LLVMBuildAdd(b, all.high, less, ""), whole, "");
    LLVMValueRef some = LLVMBuildICmp(b, LLVMIntULT, all.low, all.high, "");
    make_bases(p);
    for (int k = 0; k < p->nwide; k++)
        some = LLVMBuildSelect(b, some, does_not_wrap(p, k, all.high), LLVMConstNull(LLVMTypeOf(some)), "");
    if (!is_constant(all.low, 0)) all.low = LLVMBuildSelect(b, some, all.low, const_int_of(p->g.x, 0), "low");
    all.high = LLVMBuildSelect(b, some, all.high, const_int_of(p->g.x, 0), "high");
    return all;
}

/* ---- the loops ---- */

/* A copy of the loop, not connected yet; map: from the loop to it. */
static LLVMBasicBlockRef *copy_loop(const Split *p, PtrMap *map) {
    bool *has = arena_array(p->a, bool, p->cfg->n);
    for (int b = p->loop->first; b <= p->loop->last; b++) has[b] = true;
    LLVMBasicBlockRef *copy = clone_blocks(p->a, p->cfg, has, p->loop->header, "whole", map);
    for (int b = p->loop->first; b <= p->loop->last; b++) LLVMMoveBasicBlockBefore(copy[b], p->g.out);
    return copy;
}

/* That no lane of the group wraps: sum <= 2^32 - W, or LLVM's form of it. The copy's groups end before 2^32. */
static bool is_wrap_test(const Split *p, LLVMValueRef c, LLVMValueRef sum) {
    if (!LLVMIsAICmpInst(c) || LLVMGetOperand(c, 0) != sum || !LLVMIsAConstantInt(LLVMGetOperand(c, 1))) return false;
    uint64_t n = LLVMConstIntGetZExtValue(LLVMGetOperand(c, 1)), maximum = (1ULL << 32) - 1 - p->g.step;
    return LLVMGetICmpPredicate(c) == LLVMIntULE ? n >= maximum : LLVMGetICmpPredicate(c) == LLVMIntULT && n > maximum;
}

static void drop_wrap_tests(const Split *p, LLVMValueRef sum) {
    for (LLVMUseRef u = LLVMGetFirstUse(sum), next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef c = LLVMGetUser(u);
        if (is_wrap_test(p, c, sum)) LLVMReplaceAllUsesWith(c, LLVMConstInt(LLVMTypeOf(c), 1, 0));
    }
}

/* In the copy, whose sums do not wrap, an extended sum is the extended base + x. */
static void widen_sums(Split *p, const PtrMap *map) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(p->m->ctx);
    LLVMValueRef x = map_ptr(map, p->g.x);
    for (int k = 0; k < p->nwide; k++) {
        LLVMValueRef old = map_ptr(map, p->wide[k]);
        LLVMPositionBuilderBefore(p->b, LLVMGetBasicBlockTerminator(p->g.before));
        bool is_signed = opcode(old) == LLVMSExt;
        LLVMValueRef base =
            is_signed ? LLVMBuildSExt(p->b, p->base[k], i64, "") : LLVMBuildZExt(p->b, p->base[k], i64, "");
        LLVMPositionBuilderBefore(p->b, first_after_phis(LLVMGetInstructionParent(x)));
        LLVMValueRef sum = LLVMBuildNSWAdd(p->b, base, LLVMBuildZExt(p->b, x, i64, ""), "");
        LLVMReplaceAllUsesWith(old, sum);
        if (!is_signed) drop_wrap_tests(p, extension_source(old));
    }
}

/* The loop with this header and latch runs from `from`, where control comes from `before`, to `to`. */
static void set_loop_range(const Split *p, LLVMValueRef x, LLVMBasicBlockRef latch, LLVMBasicBlockRef before,
                           LLVMValueRef from, LLVMValueRef to, LLVMBasicBlockRef out) {
    unsigned first = LLVMGetIncomingBlock(x, 0) == latch;
    LLVMSetOperand(x, first, from);
    shim_set_phi_block(x, first, before);
    LLVMValueRef t = LLVMGetBasicBlockTerminator(latch), next = LLVMGetIncomingValue(x, !first);
    LLVMPositionBuilderBefore(p->b, t);
    LLVMSetCondition(t, LLVMBuildICmp(p->b, LLVMIntULT, next, to, ""));
    LLVMSetSuccessor(t, 1, out);
}

static void split_loop(Split *p) {
    LLVMContextRef c = p->m->ctx;
    LLVMTypeRef i1 = LLVMInt1TypeInContext(c);
    LLVMBasicBlockRef part = LLVMInsertBasicBlockInContext(c, p->g.header, "part"),
                      after = LLVMInsertBasicBlockInContext(c, p->g.out, "part.end");
    LLVMBasicBlockRef enter = LLVMInsertBasicBlockInContext(c, p->g.out, "whole.enter"),
                      leave = LLVMInsertBasicBlockInContext(c, p->g.out, "whole.end");
    PtrMap map = map_new(p->a);
    LLVMBasicBlockRef *copy = copy_loop(p, &map);
    LLVMSetCurrentDebugLocation2(p->b, NULL);
    LLVMValueRef t = LLVMGetBasicBlockTerminator(p->g.before);
    LLVMPositionBuilderBefore(p->b, t);
    LLVMValueRef end =
        build_intrinsic2(p->b, "llvm.umax", p->g.end, const_int_of(p->g.x, 1)); /* the loop's test comes last */
    Interval s = common_interval(p, end);
    LLVMBuildBr(p->b, part);
    LLVMInstructionEraseFromParent(t);
    LLVMPositionBuilderAtEnd(p->b, part);
    LLVMValueRef from = build_phi2(p->b, const_int_of(p->g.x, 0), p->g.before, s.high, leave, "from"),
                 to = build_phi2(p->b, s.low, p->g.before, end, leave, "to");
    LLVMValueRef last = build_phi2(p->b, LLVMConstInt(i1, 0, 0), p->g.before, LLVMConstInt(i1, 1, 0), leave, "last");
    LLVMBuildCondBr(p->b, LLVMBuildICmp(p->b, LLVMIntULT, from, to, ""), p->g.header, after);
    LLVMPositionBuilderAtEnd(p->b, after);
    LLVMBuildCondBr(p->b, last, p->g.out, enter);
    LLVMPositionBuilderAtEnd(p->b, enter);
    LLVMBuildCondBr(p->b, LLVMBuildICmp(p->b, LLVMIntULT, s.low, s.high, ""), copy[p->loop->header], leave);
    LLVMPositionBuilderAtEnd(p->b, leave);
    LLVMBuildBr(p->b, part);
    widen_sums(p, &map);
    set_loop_range(p, map_ptr(&map, p->g.x), copy[p->loop->latches[0]], enter, s.low, s.high, leave);
    LLVMSetCondition(map_ptr(&map, p->branch), LLVMConstInt(i1, 1, 0));
    set_loop_range(p, p->g.x, p->g.latch, part, from, to, after);
}

/* ---- the pass ---- */

/* The row is one of several blocks. */
static bool is_long_row(LLVMValueRef fn, LLVMValueRef end) {
    unsigned len;
    return fn_attr(fn, ATTR_JOINED, &len) || (fn_attr(fn, ATTR_JOINED_PREFIX, &len) && opcode(end) == LLVMMul);
}

static bool split_one(Module *m, LLVMBuilderRef b, LLVMValueRef fn, PtrMap *done) {
    Arena a = {0};
    const Cfg *c = cfg_build(&a, fn);
    bool any = false;
    for (int l = 0; l < c->nloops && !any; l++) {
        const Loop *loop = &c->l[l];
        if (map_get(done, c->b[loop->header].bb, 0)) continue;
        Split p = {.m = m, .a = &a, .b = b, .cfg = c, .loop = loop};
        p.outside = (Invariant){.m = m, .b = b, .cfg = c, .loop = l};
        map_init(&p.outside.hoisted, &a);
        if (!find_group_loop(c, l, &p.g) || !p.g.step || (p.g.step & (p.g.step - 1)) || !has_one_exit(&p) ||
            !find_group_tests(&p) || !is_small_body(&p))
            continue;
        if (!is_long_row(fn, p.g.end) && !uses_64_bits(&p) && !accumulates(&p)) continue;
        find_wide(&p);
        split_loop(&p);
        map_put(done, p.g.header, 1);
        any = true;
    }
    arena_free(&a);
    return any;
}

bool split_iteration_space(Module *m) {
    if (pass_disabled(m, "split_iteration_space")) return true;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_function(f, m->mod) {
        if (!is_wide_entry(f)) continue;
        PtrMap done = map_new(&m->arena);
        bool any = false;
        while (split_one(m, b, f, &done)) any = true;
        if (any) run_llvm_passes_on(m, f, "simplifycfg");
    }
    LLVMDisposeBuilder(b);
    return true;
}
