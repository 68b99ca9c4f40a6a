/* version_uniform_quotient: groups whose threads all divide to the same quotient run a version of the code in which it
** is uniform.
**
**   A: q = x / d; r = x % d; C    becomes    A:  first = x - s * lane; q' = first / d; r' = first % d
**                                                br (r' + s * (W - 1) < d), B', A'
**                                            A': q = x / d; r = x % d; C
**                                            B': C with q' for q and r' + s * lane for r
**
** where x is affine in the lanes with stride s > 0 and d is uniform: rows and columns from the index in a flattened
** array (`y = i / width, x = i % width`, channels, planes). In the copy q' is uniform and r' + s * lane affine: gathers
** become broadcasts and rows, and one scalar division replaces W.
**
** Groups that cross the end of a row, of signed or 64-bit indices, run a second copy, which is in a loop of two
** iterations, with q' and r' in the first and q' + 1 and r' - d in the second, for the lanes with 0 <= r < d:
**
**   for (t = 0; t < 2; t++)  if (r' - t * d + s * lane in 0 .. d)  B' with q' + t and r' - t * d + s * lane
**
** It has no vector divisions, and rows under masks in place of gathers and scatters. The original is left to groups
** with d <= s * (W - 1). Further divisions, of what has become affine there, are versioned within the copy, up to
** MAX_VERSIONS of them; those in copies for a divisor below W (version_uniform_bits) only after all others.
**
** requires: normal form; after version_all_active (what runs under a mask beside a full copy is left alone)
** Also for values that wrap, and divisors that are too large, zero or negative: then the test fails, which also tests
** whether x wraps between the lanes.
** The same where range tests depend on a division by an unknown number: version_all_active then finds those of the
** copy.
** Not taken: where neither a gather or scatter nor such a test depends on the division; regions with barriers, or
** other exits from the loop; constants that shapes already handles. */
#include "passes/analysis/cost.h"
#include "passes/passes.h"
#include "passes/version/version_region.h"
#include "passes/ir/divisions.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/value.h"
#include <string.h>

enum { MAX_VERSIONS = 4, MAX_STRIDE = 1 << 12 };

typedef struct Split {
    Region r;       /* from a division on */
    int64_t stride; /* of its dividend */
    unsigned small; /* metadata of divisions in copies of version_uniform_bits */
} Split;

/* ---- candidates ---- */

static bool is_signed(LLVMValueRef i) {
    return LLVMGetInstructionOpcode(i) == LLVMSDiv || LLVMGetInstructionOpcode(i) == LLVMSRem;
}

static bool is_quotient(LLVMValueRef i) {
    return LLVMGetInstructionOpcode(i) == LLVMUDiv || LLVMGetInstructionOpcode(i) == LLVMSDiv;
}

static bool is_uniform_candidate(Split *x, LLVMValueRef i) {
    if (!is_op(i, OP_DIV) || LLVMGetMetadata(i, x->r.tried)) return false;
    LLVMValueRef of = dividend_of(i), by = divisor_of(LLVMGetOperand(i, 1));
    unsigned bits = int_bits(i);
    if ((bits != 32 && bits != 64) || !shapes_is_uniform(x->r.s, by) || !shapes_lane_stride(x->r.s, of, &x->stride))
        return false;
    Shape s = shapes_of(x->r.s, of);
    if (LLVMIsAConstantInt(by) && LLVMConstIntGetZExtValue(by) <= (uint64_t)x->stride * (uint64_t)(x->r.k->width - 1))
        return false; /* no group has one quotient */
    if (s.x.kind != COEF_KNOWN || s.x.v != x->stride || s.lane.kind != COEF_KNOWN || s.lane.v) return false;
    return x->stride > 0 && x->stride * (x->r.k->width - 1) < MAX_STRIDE && !shapes_is_uniform(x->r.s, i) &&
           !shapes_runs(x->r.s, i, (int64_t[64]){0});
}

static bool same_division(LLVMValueRef i, LLVMValueRef k) {
    return is_op(i, OP_DIV) && is_signed(i) == is_signed(k) && dividend_of(i) == dividend_of(k) &&
           divisor_of(LLVMGetOperand(i, 1)) == divisor_of(LLVMGetOperand(k, 1));
}

/* A range test of the quotient or rest by an unknown divisor: lanes divide for many cycles, and the test is one of
** data. In the copy it is a test of an index. */
static bool decides_access(Split *x, int block, LLVMValueRef i) {
    if (LLVMIsAConstantInt(divisor_of(LLVMGetOperand(i, 1))) || shapes_block_divergent(x->r.s, block)) return false;
    for_each_user(user, i)
        if (LLVMIsAICmpInst(user) && shapes_is_uniform(x->r.s, LLVMGetOperand(user, LLVMGetOperand(user, 0) == i)))
            return true;
    return false;
}

/* In a copy for one small divisor, or in all others. */
static bool find_division(Split *x, bool small, bool masked) {
    Region *r = &x->r;
    for (int b = 0; b < r->c->n; b++) {
        if (shapes_block_divergent(r->s, b) != masked) continue;
        for_each_in_block(i, r->c->b[b].bb)
            if (is_uniform_candidate(x, i) && (LLVMGetMetadata(i, x->small) != NULL) == small &&
                (region_moves_memory(r, i) || decides_access(x, b, i)) && region_find_rest(r, b, i))
                return true;
    }
    return false;
}

static bool find_any_division(void *x) {
    return find_division(x, false, false) || find_division(x, false, true) || find_division(x, true, false) ||
           find_division(x, true, true);
}

/* ---- the copy ---- */

typedef struct Numbers {
    LLVMValueRef same, quotient, rest;
    LLVMValueRef crosses;    /* there are at most two quotients, and nothing wraps */
    LLVMValueRef first, off; /* of the rest: of lane 0, and from there */
} Numbers;

static Numbers build_quotient_test(Split *x) {
    LLVMValueRef i = x->r.from, of = dividend_of(i), by = divisor_of(LLVMGetOperand(i, 1));
    LLVMTypeRef t = LLVMTypeOf(i);
    LLVMBuilderRef b = x->r.b;
    uint64_t span = (uint64_t)(x->stride * (x->r.k->width - 1)),
             maximum = ~UINT64_C(0) >> (64 - LLVMGetIntTypeWidth(t) + is_signed(i));
    LLVMValueRef id = name_call(b, x->r.k->m->mod, NAME_TID_X, NULL, 0, "");
    LLVMValueRef lane = LLVMBuildAnd(b, id, LLVMConstInt(LLVMTypeOf(id), (uint64_t)x->r.k->width - 1, 0),
                                     "lane"); /* groups begin at multiples of W */
    LLVMValueRef off = LLVMBuildMul(b, LLVMBuildZExt(b, lane, t, ""), LLVMConstInt(t, (uint64_t)x->stride, 0), "");
    LLVMValueRef first = LLVMBuildSub(b, of, off, "first");
    LLVMValueRef fits = LLVMBuildICmp(b, is_signed(i) ? LLVMIntSGT : LLVMIntUGT, by, LLVMConstInt(t, span, 0), "");
    LLVMValueRef d = LLVMBuildSelect(b, fits, by, LLVMConstInt(t, 1, 0), "");
    Numbers n = {.quotient = LLVMBuildUDiv(b, first, d, "quotient")};
    LLVMValueRef rest = LLVMBuildURem(b, first, d, "");
    LLVMValueRef within = LLVMBuildICmp(b, LLVMIntULT, rest, LLVMBuildSub(b, by, LLVMConstInt(t, span, 0), ""), "");
    LLVMValueRef wraps_not = LLVMBuildICmp(b, LLVMIntULE, first, LLVMConstInt(t, maximum - span, 0), "");
    n.same = LLVMBuildFreeze(b, LLVMBuildAnd(b, LLVMBuildAnd(b, fits, within, ""), wraps_not, ""), "same");
    n.rest = LLVMBuildNUWAdd(b, rest, off, "rest");
    if (is_signed(i)) LLVMSetNSW(n.rest, 1);
    LLVMValueRef small = LLVMBuildICmp(b, LLVMIntULE, by, LLVMConstInt(t, (maximum >> !is_signed(i)) - span, 0), "");
    n.crosses = LLVMBuildFreeze(b, LLVMBuildAnd(b, LLVMBuildAnd(b, fits, small, ""), wraps_not, ""), "crosses");
    n.first = rest, n.off = off;
    return n;
}

/* ---- groups that cross the end of a row ---- */

static void assume_division(Region *r, LLVMValueRef quotient, LLVMValueRef rest) {
    for_each_region_instruction(i, b, r) if (same_division(i, r->from))
        region_assume(r, i, is_quotient(i) ? quotient : rest);
}

/* The block that all paths lead to that leave the region; -1: there are several, or none. */
static int end_of(const Region *r) {
    int end = -1;
    for (int n = r->to; n < r->c->n; n++) {
        if (r->has[n] && !r->c->b[n].nsucc) return -1;
        for (int e = 0; r->has[n] && e < r->c->b[n].nsucc; e++) {
            int to = r->c->b[n].succ[e];
            if (to >= r->to && r->has[to]) continue;
            if (end >= 0 && end != to) return -1;
            end = to;
        }
    }
    return end;
}

static bool is_used_after(const Region *r) {
    for_each_region_instruction(i, b, r) for_each_user(user, i) {
        int to = cfg_block_of(r->c, user);
        if (to < r->to || !r->has[to]) return true;
    }
    return false;
}

/* A 32-bit index without sign is extended from that of lane 0, which is inactive and below 0 in the second part. */
static bool may_cross(const Region *r) {
    bool extends = is_signed(r->from) || int_bits(r->from) == 64;
    int end = end_of(r);
    return extends && end >= 0 && !LLVMIsAPHINode(LLVMGetFirstInstruction(r->c->b[end].bb)) && !is_used_after(r) &&
           growth_left(r->k) >= 2 * r->size;
}

/* What left the copy for `end` goes to `latch`. */
static void leave_for(const Region *r, LLVMBasicBlockRef end, LLVMBasicBlockRef latch) {
    for_each_region_instruction(i, b, r) {
        LLVMValueRef t = map_ptr(&r->map, i);
        for (unsigned k = 0; t && LLVMIsATerminatorInst(t) && k < LLVMGetNumSuccessors(t); k++)
            if (LLVMGetSuccessor(t, k) == end) LLVMSetSuccessor(t, k, latch);
    }
}

/* The copy for both quotients; the branch to it is the last of its check. */
static void copy_for_two(Region *r, const Numbers *n, LLVMValueRef by) {
    LLVMTypeRef t = LLVMTypeOf(r->from);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(r->k->m->ctx);
    LLVMBasicBlockRef check = LLVMGetInstructionParent(r->jump), end = r->c->b[end_of(r)].bb,
                      header = insert_block(r->body, "part"), latch = insert_block(r->body, "part.end");
    LLVMPositionBuilderAtEnd(b, header);
    LLVMValueRef second = build_phi2(b, LLVMConstNull(t), check, LLVMConstInt(t, 1, 0), latch, "second");
    LLVMValueRef first = LLVMBuildSub(b, n->first, LLVMBuildMul(b, second, by, ""), ""),
                 quotient = LLVMBuildAdd(b, n->quotient, second, "quotient"),
                 rest = LLVMBuildNSWAdd(b, first, n->off, "rest"), is_in = LLVMBuildICmp(b, LLVMIntULT, rest, by, "");
    region_require(r, n->crosses);
    assume_division(r, quotient, rest);
    region_copy(r, "row.part", NULL);
    leave_for(r, end, latch);
    LLVMSetSuccessor(LLVMGetBasicBlockTerminator(check), 0, header);
    LLVMBuildCondBr(b, is_in, r->copy, latch);
    LLVMPositionBuilderAtEnd(b, latch);
    LLVMValueRef done = LLVMBuildICmp(b, LLVMIntNE, second, LLVMConstNull(t), "");
    LLVMBuildCondBr(b, done, end, header);
    LLVMDisposeBuilder(b);
}

static void version_division(void *split) {
    Split *x = split;
    Region *r = &x->r;
    region_cut(r, "rows");
    Numbers n = build_quotient_test(x);
    region_require(r, n.same);
    for_each_region_instruction(i, b, r) if (same_division(i, r->from)) region_mark_tried(r, i);
    assume_division(r, n.quotient, n.rest);
    bool crosses = may_cross(r);
    region_copy(r, "row", crosses ? "row.ends" : NULL);
    if (crosses) copy_for_two(r, &n, divisor_of(LLVMGetOperand(r->from, 1)));
    region_finish(r, NULL);
    version_unclamped(r->k); /* neighbours of what has become affine */
}

Nyi version_uniform_quotient(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || k->layout == LAYOUT_GENERAL || pass_disabled(k->m, "version_uniform_quotient"))
        return NYI_NONE;
    LLVMContextRef ctx = k->m->ctx;
    Split x = {.r = {.k = k, .tried = LLVMGetMDKindIDInContext(ctx, "cucpu.split", 11)},
               .small = LLVMGetMDKindIDInContext(ctx, SMALL_DIVISOR, strlen(SMALL_DIVISOR))};
    /* then range tests of what has become affine */
    if (make_versions(&x.r, MAX_VERSIONS, find_any_division, version_division, &x)) version_all_active(k);
    return NYI_NONE;
}
