/* version_uniform_bits: code that takes bits of a thread's index by a uniform mask or divisor runs a version in which
** these are known, as far as the lanes of a group depend on them.
**
**   A: lo = x & (s - 1); C    becomes    A:  switch s: (s - 1) % W == W - 1: B0', 1: B1', 2: B2', ... W/2: Bn', A'
**                                        A': lo = x & (s - 1); C
**                                        B0': C with (first & (s - 1)) + lane for lo
**                                        Bk': C with 2^k for s
**
** where x = first + lane, first is a multiple of W (which the test checks as well), and s is uniform, known only when
** the program runs: butterflies of transforms, scans, bitonic sorts. A mask that ends in ones, or an operand of `|` or
** `^` that ends in zeros, leaves the lanes consecutive: gathers become vectors. Powers of two below W are constants in
** versions of their own: gathers become vectors and shuffles of the same lanes in all groups. Quotients and remainders
** get only these: those by more than W are those of version_uniform_quotient.
**
** requires: normal form; after version_all_active, before version_uniform_quotient
** Legal for any values: a version runs only where its assumption was tested.
** Not taken: where no gather or scatter depends on it; constants; parts with barriers, other exits from the loop, or
** more than GROWTH_BITS instructions. */
#include "passes/analysis/cost.h"
#include "passes/passes.h"
#include "passes/version/version_region.h"
#include "passes/ir/clone_blocks.h"
#include "passes/ir/divisions.h"
#include "passes/ir/edit.h"

enum { MAX_VERSIONS = 4, DEPTH = 8 };

typedef struct UniformBits {
    Part part;
    unsigned tried;     /* metadata: the original of an instruction that has been versioned */
    LLVMValueRef x, by; /* operands of the first instruction: affine, uniform */
    LLVMValueRef root;  /* what `by` is computed from */
    LLVMValueRef chain[DEPTH];
    int nchain;                        /* from `by` to the root */
    LLVMValueRef first, lane, aligned; /* of x: x - lane, lane, first is a multiple of W */
} UniformBits;

/* ---- candidates ---- */

static bool is_division(LLVMValueRef i) { return is_op(i, OP_DIV); }

static bool is_lane_consecutive(const UniformBits *b, LLVMValueRef v) {
    int64_t stride;
    if (!shapes_lane_stride(b->part.s, v, &stride) || stride != 1) return false;
    Shape s = shapes_of(b->part.s, v);
    return s.x.kind == COEF_KNOWN && s.x.v == 1 && s.lane.kind == COEF_KNOWN && !s.lane.v;
}

/* i = x op by. */
static bool read_bits(const UniformBits *b, LLVMValueRef i, LLVMValueRef *x, LLVMValueRef *by) {
    LLVMOpcode op = LLVMIsAInstruction(i) ? LLVMGetInstructionOpcode(i) : LLVMAdd;
    bool division = is_division(i), shift = op == LLVMLShr || op == LLVMAShr;
    if (!division && !shift && op != LLVMAnd && op != LLVMOr && op != LLVMXor) return false;
    unsigned bits = int_bits(i);
    if ((bits != 32 && bits != 64) || is_vector(i)) return false;
    *x = division ? dividend_of(i) : LLVMGetOperand(i, 0);
    *by = division ? divisor_of(LLVMGetOperand(i, 1)) : LLVMGetOperand(i, 1);
    if (!division && !shift && shapes_is_uniform(b->part.s, *x)) {
        LLVMValueRef v = *x;
        *x = *by, *by = v;
    }
    return !LLVMIsAConstant(*by) && shapes_is_uniform(b->part.s, *by) && is_lane_consecutive(b, *x) &&
           !shapes_is_uniform(b->part.s, i) && !shapes_is_affine(b->part.s, i);
}

/* What `by` is computed from: 1 << n from n, s - 1 from s. */
static void find_root(UniformBits *b) {
    LLVMValueRef v = b->by;
    for (b->nchain = 0; b->nchain < DEPTH; v = b->root) {
        b->chain[b->nchain++] = b->root = v;
        if (!is_op(v, OP_ADD | OP_SHIFT | OP_BITWISE | OP_INT_CAST | OP_FREEZE)) return;
        LLVMValueRef l = LLVMGetOperand(v, 0), r = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, 1) : NULL;
        if (!r || LLVMIsAConstantInt(r)) b->root = l;
        else if (LLVMIsAConstantInt(l)) b->root = r;
        else return;
    }
}

static bool is_available_before(const Part *p, LLVMValueRef v) {
    if (!LLVMIsAInstruction(v)) return true;
    int b = cfg_block_of(p->c, v);
    return b >= 0 && b != p->to && cfg_dominates(p->c, b, p->to);
}

static bool find_bits(UniformBits *b, bool masked) {
    Part *p = &b->part;
    for (p->at = 0; p->at < p->c->n; p->at++) {
        if (shapes_block_divergent(p->s, p->at) != masked) continue;
        for_each_in_block(i, p->c->b[p->at].bb) {
            if (LLVMGetMetadata(i, b->tried) || !read_bits(b, i, &b->x, &b->by)) continue;
            p->from = i;
            if (part_moves_memory(p, i) && part_find(p)) return true;
        }
    }
    return false;
}

/* ---- versions ---- */

static LLVMValueRef int_of(LLVMValueRef like, uint64_t v) { return LLVMConstInt(LLVMTypeOf(like), v, 0); }

/* The lane, as an integer of this type: groups begin at multiples of W. */
static void split_index(UniformBits *b) {
    LLVMBuilderRef at = b->part.b;
    uint64_t w = (uint64_t)b->part.k->width;
    LLVMValueRef id = name_call(at, b->part.k->m->mod, NAME_TID_X, NULL, 0, "");
    b->lane = LLVMBuildZExt(at, LLVMBuildAnd(at, id, int_of(id, w - 1), "lane"), LLVMTypeOf(b->x), "");
    LLVMValueRef first = LLVMBuildFreeze(at, LLVMBuildSub(at, b->x, b->lane, ""), "first");
    b->aligned = LLVMBuildICmp(at, LLVMIntEQ, LLVMBuildAnd(at, first, int_of(first, w - 1), ""), int_of(first, 0), "");
    b->first = LLVMBuildAnd(at, first, int_of(first, UINT64_MAX << __builtin_ctzll(w)), "");
}

/* In the copy: users of the originals use v. */
static void replace_in_copy(UniformBits *b, const PtrMap *map, LLVMValueRef old, LLVMValueRef v) {
    Part *p = &b->part;
    LLVMValueRef copy = map_ptr(map, old);
    if (copy) {
        LLVMReplaceAllUsesWith(copy, v);
        return;
    }
    for (int k = p->to; k < p->c->n; k++)
        for (LLVMValueRef i = p->has[k] ? LLVMGetFirstInstruction(p->c->b[k].bb) : NULL; i;
             i = LLVMGetNextInstruction(i)) {
            LLVMValueRef c = map_ptr(map, i);
            for (int o = 0; c && !LLVMIsAPHINode(c) && o < LLVMGetNumOperands(c); o++)
                if (LLVMGetOperand(c, (unsigned)o) == old) LLVMSetOperand(c, (unsigned)o, v);
        }
}

/* The low bits of `by` for which lanes stay consecutive; false: none. */
static bool wanted_bits(const UniformBits *b, LLVMValueRef i, uint64_t *bits) {
    if (is_division(i) || is_op(i, OP_SHIFT)) return false;
    *bits = LLVMGetInstructionOpcode(i) == LLVMAnd ? (uint64_t)b->part.k->width - 1 : 0;
    return true;
}

typedef Vec(LLVMValueRef) ValueVec;

/* The instructions of the part that are of the same x. */
static ValueVec find_same_index(UniformBits *b) {
    ValueVec found = {0};
    LLVMValueRef yes = LLVMMDNodeInContext(b->part.k->m->ctx, NULL, 0), x, by;
    for (int k = b->part.to; k < b->part.c->n; k++)
        for (LLVMValueRef i = b->part.has[k] ? LLVMGetFirstInstruction(b->part.c->b[k].bb) : NULL; i;
             i = LLVMGetNextInstruction(i)) {
            if (!read_bits(b, i, &x, &by) || x != b->x || !is_available_before(&b->part, by)) continue;
            LLVMSetMetadata(i, b->tried, yes);
            vec_push(b->part.a, &found, i);
        }
    return found;
}

/* Masks that end in ones, or zeros. */
static void add_consecutive(UniformBits *b, const ValueVec *all) {
    LLVMBuilderRef at = b->part.b;
    LLVMValueRef test = b->aligned, low = int_of(b->x, (uint64_t)b->part.k->width - 1), x, by;
    PtrMap map = map_new(b->part.a);
    uint64_t bits;
    for (int k = 0; k < all->n; k++) {
        if (!wanted_bits(b, all->v[k], &bits)) return;
        read_bits(b, all->v[k], &x, &by);
        LLVMValueRef ends = LLVMBuildAnd(at, LLVMBuildFreeze(at, by, ""), low, "");
        test = LLVMBuildAnd(at, test, LLVMBuildICmp(at, LLVMIntEQ, ends, int_of(by, bits), ""), "");
    }
    part_copy(&b->part, "consecutive", &map);
    for (int k = 0; k < all->n; k++) {
        read_bits(b, all->v[k], &x, &by);
        LLVMValueRef base = LLVMBuildBinOp(at, LLVMGetInstructionOpcode(all->v[k]), b->first, by, "");
        replace_in_copy(b, &map, all->v[k], LLVMBuildNUWAdd(at, base, b->lane, "consecutive"));
    }
    part_add_branch(&b->part, test, "powers");
}

static LLVMValueRef replaced_constant(LLVMBuilderRef at, LLVMValueRef v, LLVMValueRef root, LLVMValueRef constant) {
    if (v == root) return constant;
    LLVMValueRef o[2];
    for (int k = 0; k < LLVMGetNumOperands(v); k++) {
        o[k] = LLVMGetOperand(v, (unsigned)k);
        if (!LLVMIsAConstantInt(o[k])) o[k] = replaced_constant(at, o[k], root, constant);
    }
    if (LLVMIsACastInst(v)) return LLVMBuildCast(at, LLVMGetInstructionOpcode(v), o[0], LLVMTypeOf(v), "");
    if (LLVMIsAFreezeInst(v)) return o[0];
    return LLVMBuildBinOp(at, LLVMGetInstructionOpcode(v), o[0], o[1], "");
}

/* The root is this constant. */
static bool is_signed_division(LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    return op == LLVMSDiv || op == LLVMSRem;
}

/* Divisors are guarded against zero (divisor_of); no index is negative here. */
static void divide_by(UniformBits *b, const PtrMap *map, const ValueVec *all, LLVMValueRef by, LLVMValueRef constant) {
    LLVMBuilderRef at = LLVMCreateBuilderInContext(b->part.k->m->ctx);
    for (int k = 0; k < all->n; k++) {
        LLVMValueRef i = all->v[k], copy = map_ptr(map, i);
        if (!is_division(i) || divisor_of(LLVMGetOperand(i, 1)) != by) continue;
        LLVMSetOperand(copy, 1, constant);
        if (!is_signed_division(i)) continue;
        set_insert_point(at, copy);
        LLVMOpcode op = LLVMGetInstructionOpcode(i) == LLVMSDiv ? LLVMUDiv : LLVMURem;
        LLVMReplaceAllUsesWith(copy, LLVMBuildBinOp(at, op, LLVMGetOperand(copy, 0), constant, ""));
    }
    LLVMDisposeBuilder(at);
    replace_in_copy(b, map, by, constant);
}

static void add_constant(UniformBits *b, const ValueVec *all, uint64_t value) {
    LLVMBuilderRef at = b->part.b;
    LLVMValueRef c = int_of(b->root, value),
                 test = LLVMBuildICmp(at, LLVMIntEQ, LLVMBuildFreeze(at, b->root, ""), c, "");
    PtrMap map = map_new(b->part.a);
    part_copy(&b->part, "power", &map);
    for (int k = 0; k < b->nchain; k++)
        divide_by(b, &map, all, b->chain[k], replaced_constant(at, b->chain[k], b->root, c));
    replace_in_copy(b, &map, b->x, LLVMBuildNUWAdd(at, b->first, b->lane, "index"));
    test = LLVMBuildAnd(at, b->aligned, test, "");
    for (int k = 0; k < all->n; k++)
        if (is_signed_division(all->v[k])) {
            LLVMValueRef positive = LLVMBuildICmp(at, LLVMIntSGE, b->first, int_of(b->first, 0), "");
            test = LLVMBuildAnd(at, test, positive, "");
            break;
        }
    part_add_branch(&b->part, test, "others");
}

/* The root is the n of 1 << n, or the bits by which an index is shifted. */
static bool is_exponent(const UniformBits *b) {
    for (int k = 0; k + 1 < b->nchain; k++)
        if (is_op(b->chain[k], OP_SHIFT) && LLVMIsAConstantInt(LLVMGetOperand(b->chain[k], 0))) return true;
    return is_op(b->part.from, OP_SHIFT);
}

static void version_bits(UniformBits *b) {
    Part *p = &b->part;
    find_root(b);
    part_cut(p);
    split_index(b);
    ValueVec all = find_same_index(b);
    add_consecutive(b, &all);
    bool exponent = is_exponent(b);
    for (uint64_t k = 0; 1u << k < (unsigned)p->k->width; k++) add_constant(b, &all, exponent ? k : UINT64_C(1) << k);
    part_finish(p);
}

Nyi version_uniform_bits(Kernel *k) {
    keep_facts(k);
    if (k->width < 4 || k->layout == LAYOUT_GENERAL || pass_disabled(k->m, "version_uniform_bits")) return NYI_NONE;
    UniformBits b = {.part = {.k = k, .a = k->arena, .limit = GROWTH_BITS},
                     .tried = LLVMGetMDKindIDInContext(k->m->ctx, "cucpu.bits", 10)};
    for (int times = 0; times < MAX_VERSIONS; times++) {
        b.part.c = kernel_cfg(k);
        if (!b.part.c->reducible) return NYI_NONE;
        b.part.s = kernel_shapes(k);
        if (!find_bits(&b, false) && !find_bits(&b, true)) break;
        b.part.b = LLVMCreateBuilderInContext(k->m->ctx);
        version_bits(&b);
        LLVMDisposeBuilder(b.part.b);
    }
    return NYI_NONE;
}
