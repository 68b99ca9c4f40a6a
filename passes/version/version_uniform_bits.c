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
** requires: normal form; after version_all_active and version_uniform_quotient
** Legal for any values: a version runs only where its assumption was tested.
** Not taken: where no gather or scatter depends on it; constants; regions with barriers, or other exits from
** the loop. */
#include "passes/analysis/cost.h"
#include "passes/passes.h"
#include "passes/version/version_region.h"
#include "passes/ir/clone_blocks.h"
#include "passes/ir/divisions.h"
#include "passes/ir/edit.h"

enum { MAX_VERSIONS = 4, DEPTH = 8 };

typedef struct UniformBits {
    Region r;
    LLVMValueRef x, by; /* operands of the first instruction: affine, uniform */
    LLVMValueRef root;  /* what `by` is computed from */
    LLVMValueRef chain[DEPTH];
    int nchain;                        /* from `by` to the root */
    LLVMValueRef first, lane, aligned; /* of x: x - lane, lane, first is a multiple of W */
} UniformBits;

/* ---- candidates ---- */

static bool is_lane_consecutive(const UniformBits *b, LLVMValueRef v) {
    int64_t stride;
    if (!shapes_lane_stride(b->r.s, v, &stride) || stride != 1) return false;
    Shape s = shapes_of(b->r.s, v);
    return s.x.kind == COEF_KNOWN && s.x.v == 1 && s.lane.kind == COEF_KNOWN && !s.lane.v;
}

/* i = x op by. */
static bool read_bits(const UniformBits *b, LLVMValueRef i, LLVMValueRef *x, LLVMValueRef *by) {
    LLVMOpcode op = LLVMIsAInstruction(i) ? LLVMGetInstructionOpcode(i) : LLVMAdd;
    bool division = is_op(i, OP_DIV), shift = op == LLVMLShr || op == LLVMAShr;
    if (!division && !shift && op != LLVMAnd && op != LLVMOr && op != LLVMXor) return false;
    unsigned bits = int_bits(i);
    if ((bits != 32 && bits != 64) || is_vector(i)) return false;
    *x = division ? dividend_of(i) : LLVMGetOperand(i, 0);
    *by = division ? divisor_of(LLVMGetOperand(i, 1)) : LLVMGetOperand(i, 1);
    if (!division && !shift && shapes_is_uniform(b->r.s, *x)) {
        LLVMValueRef v = *x;
        *x = *by, *by = v;
    }
    return !LLVMIsAConstant(*by) && shapes_is_uniform(b->r.s, *by) && is_lane_consecutive(b, *x) &&
           !shapes_is_uniform(b->r.s, i) && !shapes_is_affine(b->r.s, i);
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

static bool find_bits(UniformBits *b, bool masked) {
    Region *r = &b->r;
    for (int k = 0; k < r->c->n; k++) {
        if (shapes_block_divergent(r->s, k) != masked) continue;
        for_each_in_block(i, r->c->b[k].bb)
            if (!LLVMGetMetadata(i, r->tried) && read_bits(b, i, &b->x, &b->by) && region_moves_memory(r, i) &&
                region_find_rest(r, k, i))
                return true;
    }
    return false;
}

static bool find_any_bits(void *b) { return find_bits(b, false) || find_bits(b, true); }

/* ---- versions ---- */

static LLVMValueRef int_of(LLVMValueRef like, uint64_t v) { return LLVMConstInt(LLVMTypeOf(like), v, 0); }

/* The lane, as an integer of this type: groups begin at multiples of W. */
static void split_index(UniformBits *b) {
    LLVMBuilderRef at = b->r.b;
    uint64_t w = (uint64_t)b->r.k->width;
    LLVMValueRef id = name_call(at, b->r.k->m->mod, NAME_TID_X, NULL, 0, "");
    b->lane = LLVMBuildZExt(at, LLVMBuildAnd(at, id, int_of(id, w - 1), "lane"), LLVMTypeOf(b->x), "");
    LLVMValueRef first = LLVMBuildFreeze(at, LLVMBuildSub(at, b->x, b->lane, ""), "first");
    b->aligned = LLVMBuildICmp(at, LLVMIntEQ, LLVMBuildAnd(at, first, int_of(first, w - 1), ""), int_of(first, 0), "");
    b->first = LLVMBuildAnd(at, first, int_of(first, UINT64_MAX << __builtin_ctzll(w)), "");
}

/* The low bits of `by` for which lanes stay consecutive; false: none. */
static bool wanted_bits(const UniformBits *b, LLVMValueRef i, uint64_t *bits) {
    if (is_op(i, OP_DIV) || is_op(i, OP_SHIFT)) return false;
    *bits = LLVMGetInstructionOpcode(i) == LLVMAnd ? (uint64_t)b->r.k->width - 1 : 0;
    return true;
}

typedef Vec(LLVMValueRef) ValueVec;

/* The instructions of the region that are of the same x. */
static ValueVec find_same_index(UniformBits *b) {
    ValueVec found = {0};
    LLVMValueRef x, by;
    for_each_region_instruction(i, k, &b->r) if (read_bits(b, i, &x, &by) && x == b->x && region_is_before(&b->r, by)) {
        region_mark_tried(&b->r, i);
        vec_push(b->r.a, &found, i);
    }
    return found;
}

/* Masks that end in ones, or zeros. */
static void add_consecutive(UniformBits *b, const ValueVec *all) {
    LLVMBuilderRef at = b->r.b;
    LLVMValueRef low = int_of(b->x, (uint64_t)b->r.k->width - 1), x, by;
    uint64_t bits;
    for (int k = 0; k < all->n; k++)
        if (!wanted_bits(b, all->v[k], &bits)) return;
    region_require(&b->r, b->aligned);
    for (int k = 0; k < all->n; k++) {
        wanted_bits(b, all->v[k], &bits);
        read_bits(b, all->v[k], &x, &by);
        LLVMValueRef ends = LLVMBuildAnd(at, LLVMBuildFreeze(at, by, ""), low, "");
        region_require(&b->r, LLVMBuildICmp(at, LLVMIntEQ, ends, int_of(by, bits), ""));
        LLVMValueRef base = LLVMBuildBinOp(at, LLVMGetInstructionOpcode(all->v[k]), b->first, by, "");
        region_assume(&b->r, all->v[k], LLVMBuildNUWAdd(at, base, b->lane, ""));
    }
    region_copy(&b->r, "consecutive", "powers");
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

static bool is_signed_division(LLVMValueRef i) {
    return LLVMGetInstructionOpcode(i) == LLVMSDiv || LLVMGetInstructionOpcode(i) == LLVMSRem;
}

/* Divisors are guarded against zero (divisor_of): that is left to the guard. No index is negative here. */
static void assume_divisor(UniformBits *b, const ValueVec *all, LLVMValueRef by, LLVMValueRef constant) {
    LLVMBuilderRef at = LLVMCreateBuilderInContext(b->r.k->m->ctx);
    for (int k = 0; k < all->n; k++) {
        LLVMValueRef i = all->v[k];
        if (!is_op(i, OP_DIV) || divisor_of(LLVMGetOperand(i, 1)) != by || LLVMIsNull(constant)) continue;
        LLVMOpcode op = LLVMGetInstructionOpcode(i);
        if (is_signed_division(i)) op = op == LLVMSDiv ? LLVMUDiv : LLVMURem;
        set_insert_point(at, i);
        region_assume(&b->r, i, LLVMBuildBinOp(at, op, LLVMGetOperand(i, 0), constant, ""));
    }
    LLVMDisposeBuilder(at);
    region_assume(&b->r, by, constant);
}

/* The root is this constant. */
static void add_constant(UniformBits *b, const ValueVec *all, uint64_t value) {
    LLVMBuilderRef at = b->r.b;
    LLVMValueRef c = int_of(b->root, value);
    region_require(&b->r, b->aligned);
    region_require(&b->r, LLVMBuildICmp(at, LLVMIntEQ, LLVMBuildFreeze(at, b->root, ""), c, ""));
    for (int k = 0; k < b->nchain; k++)
        assume_divisor(b, all, b->chain[k], replaced_constant(at, b->chain[k], b->root, c));
    region_assume(&b->r, b->x, LLVMBuildNUWAdd(at, b->first, b->lane, "index"));
    bool any_signed = false;
    for (int k = 0; k < all->n; k++) any_signed |= is_signed_division(all->v[k]);
    if (any_signed) region_require(&b->r, LLVMBuildICmp(at, LLVMIntSGE, b->first, int_of(b->first, 0), ""));
    region_copy(&b->r, "power", "others");
}

/* The root is the n of 1 << n, or the bits by which an index is shifted. */
static bool is_exponent(const UniformBits *b) {
    for (int k = 0; k + 1 < b->nchain; k++)
        if (is_op(b->chain[k], OP_SHIFT) && LLVMIsAConstantInt(LLVMGetOperand(b->chain[k], 0))) return true;
    return is_op(b->r.from, OP_SHIFT);
}

static void version_bits(void *bits) {
    UniformBits *b = bits;
    find_root(b);
    region_cut(&b->r, "rows");
    split_index(b);
    ValueVec all = find_same_index(b);
    add_consecutive(b, &all);
    bool exponent = is_exponent(b);
    for (uint64_t k = 0; 1u << k < (unsigned)b->r.k->width; k++) add_constant(b, &all, exponent ? k : UINT64_C(1) << k);
    region_finish(&b->r, NULL);
}

Nyi version_uniform_bits(Kernel *k) {
    keep_facts(k);
    if (k->width < 4 || k->layout == LAYOUT_GENERAL || pass_disabled(k->m, "version_uniform_bits")) return NYI_NONE;
    UniformBits b = {.r = {.k = k,
                           .copies = 2 + __builtin_ctz((unsigned)k->width),
                           .tried = LLVMGetMDKindIDInContext(k->m->ctx, "cucpu.bits", 10)}};
    make_versions(&b.r, MAX_VERSIONS, find_any_bits, version_bits, &b);
    return NYI_NONE;
}
