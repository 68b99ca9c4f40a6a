/* copy_unmasked: the code behind a range test (`if (i < n)`) gets a copy for groups that pass it whole.
**
**   A: br c, B, C    becomes    A: br all(c), B', A'     A': br c, B, C     B': a copy of what B dominates
**
** all() is uniform, so linearise keeps that branch, and B' runs without a mask: contiguous accesses
** are plain, strided ones are shuffles, atomics and calls need no loop over the bits of a mask.
** Nearly all groups take it; the last one of a grid, or those at a border, take the masked original.
** Which tests: of a place in the grid (blockIdx.x * blockDim.x + threadIdx.x < n) by comparisons between
** affine and uniform values, so that two scalar comparisons decide (widen_masks.c).  What a test of data or
** of a place in the block (threadIdx.x < 16) says differs more often from lane to lane or from group to group:
** one more branch costs what the copy gains there (measured).  Which sides: those with enough memory operations that would lose their mask
** (worth), and no larger than LIMIT.  Copies are not nested: the outermost test that is worth it wins.
** Not copied: what leaves a loop (linearise runs it behind the loop, under its mask), barriers
** and other convergent operations, which must not be duplicated. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/transform/copy_blocks.h"
#include <llvm-c/DebugInfo.h>

enum { LIMIT = 250, WORTH = 2, LOOP_WORTH = 8, DEEP = 64 };

/* The side of a branch: what `to` dominates. */
typedef struct Side {
    int a, to;
    unsigned which;
    bool *has;
} Side;

typedef struct Copy {
    Kernel *k;
    Arena *a;
    Cfg *c;
    Shapes *s;
    bool *taken; /* block -> part of a side that is copied */
} Copy;

/* ---- range tests ---- */

static bool is_true(LLVMValueRef v) { return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == 1; }

static bool is_scalar(const Copy *x, LLVMValueRef v) {
    int64_t stride;
    return shapes_is_uniform(x->s, v) || shapes_lane_stride(x->s, v, &stride);
}

/* v is computed from the index of the block. */
static bool is_place_in_grid(LLVMValueRef v, int depth) {
    if (!LLVMIsAInstruction(v) || depth > 8) return false;
    Name n = name_of_call(v);
    if ((n >= NAME_CTAID_X && n <= NAME_CTAID_Z) || n == NAME_GLOBAL_X) return true;
    if (LLVMIsALoadInst(v) || LLVMIsACallInst(v)) return false;
    bool phi = LLVMIsAPHINode(v) != NULL;
    for (unsigned i = 0, e = phi ? LLVMCountIncoming(v) : (unsigned)LLVMGetNumOperands(v); i < e; i++)
        if (is_place_in_grid(phi ? LLVMGetIncomingValue(v, i) : LLVMGetOperand(v, i), depth + 1)) return true;
    return false;
}

/* Whole groups can find v true (want) or false, and two scalar comparisons per comparison show it. */
static bool is_range_test(const Copy *x, LLVMValueRef v, bool want, int depth) {
    if (shapes_is_uniform(x->s, v)) return true;
    if (!LLVMIsAInstruction(v) || depth > 8) return false;
    LLVMValueRef o[3] = {0};
    for (int i = 0; i < LLVMGetNumOperands(v) && i < 3; i++) o[i] = LLVMGetOperand(v, (unsigned)i);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMICmp:
        if (LLVMGetICmpPredicate(v) == (want ? LLVMIntEQ : LLVMIntNE)) return false; /* true in one lane at most */
        return is_scalar(x, o[0]) && is_scalar(x, o[1]) && (is_place_in_grid(o[0], 0) || is_place_in_grid(o[1], 0));
    case LLVMXor: return is_true(o[1]) && is_range_test(x, o[0], !want, depth + 1);
    case LLVMAnd: case LLVMOr:
        if ((LLVMGetInstructionOpcode(v) == LLVMAnd) != want) return false;
        return is_range_test(x, o[0], want, depth + 1) && is_range_test(x, o[1], want, depth + 1);
    case LLVMSelect: /* a && b, a || b */
        if (want ? !LLVMIsNull(o[2]) : !is_true(o[1])) return false;
        return is_range_test(x, o[0], want, depth + 1) && is_range_test(x, o[want ? 1 : 2], want, depth + 1);
    default: return false;
    }
}

/* ---- what a side is worth ---- */

/* The cost that an operation loses with its mask, in contiguous accesses. */
static int masked_cost(const Copy *x, LLVMValueRef i) {
    int64_t stride;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad: case LLVMStore: {
        LLVMValueRef p = LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0);
        if (shapes_is_uniform(x->s, p) || !shapes_lane_stride(x->s, p, &stride)) return 1;
        LLVMTypeRef t = LLVMIsAStoreInst(i) ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
        int64_t size = (int64_t)LLVMStoreSizeOfType(x->k->m->dl, t);
        if (stride == -size) return 4; /* the mask would be reversed too */
        return LLVMIsALoadInst(i) && stride > size && stride <= 4 * size ? 8 : 1;
    }
    case LLVMAtomicRMW: case LLVMAtomicCmpXchg: return 8;
    case LLVMCall: return LLVMIsAMemCpyInst(i) ? 8 : 0; /* lane by lane, or a mask for each part of a structure */
    default: return 0;
    }
}

static bool may_be_copied(LLVMValueRef i) {
    if (LLVMIsAAllocaInst(i)) return false;
    return !LLVMIsACallInst(i) || !name_is_convergent(name_of_call(i));
}

static bool in_divergent_loop(const Copy *x, const Side *s, int b) {
    for (int l = x->c->b[b].loop; l >= 0 && s->has[x->c->l[l].header]; l = x->c->l[l].parent)
        if (shapes_loop_divergent(x->s, l)) return true;
    return false;
}

/* Every lane that enters the side runs block b. */
static bool stays_full(const Copy *x, const Side *s, int b) {
    for (; b != s->to; b = x->c->b[b].idom) {
        int up = x->c->b[b].idom;
        if (in_divergent_loop(x, s, b)) return false;
        if (x->c->b[up].nsucc == 2 && shapes_branch_divergent(x->s, up) && !cfg_postdominates(x->c, b, up)) return false;
    }
    return !in_divergent_loop(x, s, b);
}

static int depth_in(const Copy *x, const Side *s, int b) {
    int d = 0;
    for (int l = x->c->b[b].loop; l >= 0 && s->has[x->c->l[l].header]; l = x->c->l[l].parent) d++;
    return d;
}

static bool has_only_plain_exits(const Copy *x, const Side *s, int b) {
    const Block *bl = &x->c->b[b];
    if (!bl->nsucc) return false;
    for (int e = 0; e < bl->nsucc; e++)
        if (!s->has[bl->succ[e]] && bl->succ[e] <= s->a) return false; /* the loop around the test */
    return true;
}

/* The side can be copied, and is small enough and worth it. */
static bool is_worth_it(const Copy *x, const Side *s) {
    int size = 0, worth = 0;
    for (int b = s->to; b < x->c->n; b++) {
        if (!s->has[b]) continue;
        if (!has_only_plain_exits(x, s, b)) return false;
        bool full = stays_full(x, s, b);
        int times = 1;
        for (int d = depth_in(x, s, b); d > 0 && times < DEEP; d--) times *= LOOP_WORTH;
        for (LLVMValueRef i = LLVMGetFirstInstruction(x->c->b[b].bb); i; i = LLVMGetNextInstruction(i)) {
            if (!may_be_copied(i) || ++size > LIMIT) return false;
            if (full) worth += times * masked_cost(x, i);
        }
        if (full && x->c->b[b].nsucc == 2 && shapes_branch_divergent(x->s, b)) worth++; /* masks within the mask */
    }
    return worth >= WORTH;
}

static bool find_side(const Copy *x, int a, Side *s) {
    const Block *b = &x->c->b[a];
    if (x->taken[a] || b->nsucc != 2 || !shapes_branch_divergent(x->s, a)) return false;
    LLVMValueRef c = LLVMGetCondition(LLVMGetBasicBlockTerminator(b->bb));
    for (unsigned e = 0; e < 2; e++) {
        *s = (Side){a, b->succ[e], e, arena_array(x->a, bool, x->c->n)};
        if (x->c->b[s->to].npred != 1 || x->c->b[s->to].loop != b->loop || !is_range_test(x, c, e == 0, 0)) continue;
        for (int i = s->to; i < x->c->n; i++) s->has[i] = i == s->to || s->has[x->c->b[i].idom];
        if (is_worth_it(x, s)) return true;
    }
    return false;
}

/* ---- the copy ---- */

static void enter_copy(const Copy *x, LLVMBuilderRef b, const Side *s, LLVMBasicBlockRef copy) {
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

Nyi copy_unmasked(Kernel *k) {
    keep_facts(k);
    if (k->width == 1 || k->layout == LAYOUT_GENERAL || pass_disabled(k->m, "copy_unmasked")) return NYI_NONE;
    Copy x = {.k = k, .a = k->arena};
    x.c = kernel_cfg(k);
    if (!x.c->reducible) return NYI_IRREDUCIBLE;
    x.s = kernel_shapes(k);
    x.taken = arena_array(x.a, bool, x.c->n);
    Vec(Side) sides = {0};
    for (int a = 0; a < x.c->n; a++) {
        Side s;
        if (!find_side(&x, a, &s)) continue;
        for (int i = s.to; i < x.c->n; i++) x.taken[i] |= s.has[i];
        vec_push(x.a, &sides, s);
    }
    if (!sides.n) return NYI_NONE;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(k->m->ctx);
    for (int i = 0; i < sides.n; i++) {
        PtrMap map;
        const Side *s = &sides.v[i];
        map_init(&map, x.a);
        enter_copy(&x, b, s, copy_blocks(x.a, x.c, s->has, s->to, "full", &map)[s->to]);
    }
    LLVMDisposeBuilder(b);
    run_llvm_passes_on(k->m, k->fn, "loop-simplify,break-crit-edges,lcssa");
    drop_facts(k);
    return NYI_NONE;
}
