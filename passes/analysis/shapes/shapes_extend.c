/* shapes_extend.c: extensions are pushed from sums to their operands where addresses become affine.
**
** In sext(row*n + j), all operations nsw, the 32-bit sum may overflow in lane 0 if lane 0 is inactive, so the analysis
** must classify the extension as varying and the access becomes a gather. For active lanes the flags imply that
** sext(row)*sext(n) + sext(j) is the same value, and in 64 bits nothing overflows in any lane. So: rewrite, where every
** leaf is uniform or exact by itself.
**
** Where the extension is affine already, this is better as well: shapes_settle has to drop the flags of the 32-bit sum,
** and LLVM could not prove any more that the addresses of the next group follow those of this one. A leaf may also be a
** value whose extension is affine over the active lanes only, as an index that a loop carries: if at least two
** extensions lead to it, it is extended once, at the first of them, for a[at - n], a[at], a[at + n]. The caller has to
** recompute shapes if anything was rewritten. */
#include "passes/analysis/shapes/shapes_internal.h"
#include "passes/ir/edit.h"
#include <llvm-c/DebugInfo.h>

typedef struct Push {
    Shapes *s;
    LLVMBuilderRef b;
    LLVMTypeRef type;
    bool sign;         /* sext and nsw, else zext and nuw */
    PtrMap made[2][2]; /* value -> its extension: [sign][to 64 bits] */
    PtrMap sums;       /* index -> the addresses that it is added to (Sum) */
    PtrMap wanted;     /* leaf that is right in active lanes only -> how many extensions lead to it */
    PtrMap rebased;    /* leaf -> its extensions (Provider) */
    LLVMValueRef ext;  /* the one that is being pushed */
} Push;

/* An extension of a leaf, at its position. */
typedef struct Provider {
    LLVMValueRef ext;
    struct Provider *next;
} Provider;

typedef struct Sum {
    LLVMValueRef base, address;
    LLVMTypeRef element;
    struct Sum *next;
} Sum;

enum { DEPTH = 6 };

/* This operation commutes with the extension. */
static bool splits(const Push *p, LLVMValueRef v) {
    if (!LLVMIsAInstruction(v)) return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul: return p->sign ? LLVMGetNSW(v) : LLVMGetNUW(v);
    case LLVMShl:
        return (p->sign ? LLVMGetNSW(v) : LLVMGetNUW(v)) && LLVMIsAConstantInt(LLVMGetOperand(v, 1)) &&
               LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) + 1 < int_bits(v);
    case LLVMOr: return LLVMGetIsDisjoint(v);
    default: return false;
    }
}

/* The extension of v is affine over the active lanes, and v is no sum that could be split. */
static bool is_rebased_leaf(const Push *p, LLVMValueRef v, const Fact *f) {
    int64_t stride;
    return p->sign && LLVMIsAPHINode(v) && f->sx == EXACT_NO && f->active != EXACT_NO &&
           fact_lane_stride(&p->s->g, f, &stride);
}

/* The extension of v becomes scalar by being pushed (at most `depth` operations deep). */
static bool is_profitable(const Push *p, LLVMValueRef v, int depth) {
    Fact f = shapes_operand(p->s, v);
    if (f.s.bottom || !(fact_scalar(&p->s->g, &f) || pattern_run(&p->s->g, &f))) return false;
    if (fact_group_uniform(&p->s->g, &f)) return true;
    if ((p->sign ? f.sx : f.ux) != EXACT_NO) return true;
    if (is_rebased_leaf(p, v, &f)) return map_get(&p->wanted, v, 0) > 1;
    if (depth == 0 || !splits(p, v)) return false;
    if (LLVMGetInstructionOpcode(v) == LLVMShl) return is_profitable(p, LLVMGetOperand(v, 0), depth - 1);
    return is_profitable(p, LLVMGetOperand(v, 0), depth - 1) && is_profitable(p, LLVMGetOperand(v, 1), depth - 1);
}

static void build_after(const Push *p, LLVMValueRef v) {
    if (LLVMIsAArgument(v)) {
        LLVMPositionBuilderBefore(p->b, first_after_phis(LLVMGetEntryBasicBlock(LLVMGetParamParent(v))));
        return;
    }
    LLVMValueRef at = LLVMIsAPHINode(v) ? first_after_phis(LLVMGetInstructionParent(v)) : LLVMGetNextInstruction(v);
    LLVMPositionBuilderBefore(p->b, at);
    LLVMSetCurrentDebugLocation2(p->b, LLVMInstructionGetDebugLoc(v));
}

static void build_before(const Push *p, LLVMValueRef i) { set_insert_point(p->b, i); }

/* a is defined before b, in its block. */
static bool is_before(LLVMValueRef a, LLVMValueRef b) {
    for (LLVMValueRef i = a; i; i = LLVMGetNextInstruction(i))
        if (i == b) return true;
    return false;
}

/* The leaves of this kind that v leads to: how many; counted in `wanted` if that is not NULL. */
static int rebased_leaves(const Push *p, LLVMValueRef v, int depth, PtrMap *wanted) {
    Fact f = shapes_operand(p->s, v);
    if (f.s.bottom || fact_group_uniform(&p->s->g, &f) || f.sx != EXACT_NO) return 0;
    bool leaf = is_rebased_leaf(p, v, &f);
    if (leaf && wanted) map_put(wanted, v, map_get(wanted, v, 0) + 1);
    if (leaf || depth == 0 || !splits(p, v)) return leaf;
    return rebased_leaves(p, LLVMGetOperand(v, 0), depth - 1, wanted) +
           rebased_leaves(p, LLVMGetOperand(v, 1), depth - 1, wanted);
}

/* a dominates b, in the same iteration of all loops around a: lanes may have left one of them one by one. */
static bool is_available_at(const Cfg *c, LLVMValueRef a, LLVMValueRef b) {
    int from = cfg_block_of(c, a), to = cfg_block_of(c, b), l = c->b[from].loop;
    if (from == to) return is_before(a, b);
    return cfg_dominates(c, from, to) && (l < 0 || cfg_loop_contains(c, l, to));
}

/* An extension of v that is available at the one that is being pushed; NULL: none. */
static LLVMValueRef provided(const Push *p, LLVMValueRef v) {
    for (const Provider *q = map_ptr(&p->rebased, v); q; q = q->next)
        if (LLVMTypeOf(q->ext) == p->type && is_available_at(p->s->cfg, q->ext, p->ext)) return q->ext;
    return NULL;
}

static void provide(Push *p, LLVMValueRef v, LLVMValueRef ext) {
    Provider *q = arena_alloc(p->s->a, sizeof *q);
    *q = (Provider){ext, map_ptr(&p->rebased, v)};
    map_put(&p->rebased, v, (uintptr_t)q);
}

/* One extension for all users, after the value: addresses a[4 * t] and a[4 * t + 1] then have a common base. The
** extension of a leaf that is right in active lanes only is before its first user: in a version for all lanes active no
** lane is inactive there. */
static LLVMValueRef extend_leaves(Push *p, LLVMValueRef v, int depth) {
    Fact f = shapes_operand(p->s, v);
    bool rebased = p->sign && rebased_leaves(p, v, depth, NULL);
    bool known = !rebased && (LLVMIsAInstruction(v) || LLVMIsAArgument(v)); /* else a constant */
    PtrMap *made = &p->made[p->sign][LLVMGetIntTypeWidth(p->type) == 64];
    LLVMValueRef r = rebased ? provided(p, v) : known && LLVMGetIntTypeWidth(p->type) >= 32 ? map_ptr(made, v) : NULL;
    if (r && LLVMTypeOf(r) == p->type) return r;
    if (fact_group_uniform(&p->s->g, &f) || depth == 0 || !splits(p, v)) {
        if (known) build_after(p, v);
        else if (rebased) build_before(p, p->ext);
        r = p->sign ? LLVMBuildSExt(p->b, v, p->type, "") : LLVMBuildZExt(p->b, v, p->type, "");
    } else {
        LLVMOpcode op = LLVMGetInstructionOpcode(v);
        LLVMValueRef a = extend_leaves(p, LLVMGetOperand(v, 0), depth - 1), c = LLVMGetOperand(v, 1);
        c = op == LLVMShl ? LLVMConstInt(p->type, LLVMConstIntGetZExtValue(c), 0) : extend_leaves(p, c, depth - 1);
        if (rebased) build_before(p, p->ext);
        else build_after(p, v);
        r = LLVMBuildBinOp(p->b, op == LLVMOr ? LLVMAdd : op, a, c, "");
    }
    if (known) map_put(made, v, (uintptr_t)r);
    if (rebased) provide(p, v, r);
    return r;
}

static bool is_int_extension(LLVMValueRef v) {
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return (op == LLVMSExt || op == LLVMZExt) && is_integer(v);
}

static void count_leaves(Push *p, LLVMValueRef ext) {
    p->sign = true;
    if (LLVMIsASExtInst(ext) || LLVMGetNNeg(ext)) rebased_leaves(p, LLVMGetOperand(ext, 0), DEPTH, &p->wanted);
}

/* An extension of such a leaf itself serves all later users. */
static bool share_leaf(Push *p, LLVMValueRef ext) {
    LLVMValueRef leaf = LLVMGetOperand(ext, 0);
    p->type = LLVMTypeOf(ext), p->ext = ext, p->sign = true;
    if (!LLVMIsASExtInst(ext) || map_get(&p->wanted, leaf, 0) < 2) return false;
    LLVMValueRef other = provided(p, leaf);
    if (other) LLVMReplaceAllUsesWith(ext, other);
    else provide(p, leaf, ext);
    return other;
}

static bool push_extension(Push *p, LLVMValueRef ext) {
    Shapes *s = p->s;
    if (share_leaf(p, ext)) return true;
    LLVMOpcode op = LLVMGetInstructionOpcode(ext);
    LLVMValueRef from = LLVMGetOperand(ext, 0);
    Fact f = shapes_operand(s, ext);
    if (!shapes_bits(s, LLVMTypeOf(from)) || !f.bits || f.pat || fact_group_uniform(&s->g, &f)) return false;
    bool nneg = op == LLVMZExt && LLVMGetNNeg(ext);
    p->type = LLVMTypeOf(ext);
    for (int sign = op == LLVMSExt || nneg; sign >= (op == LLVMZExt ? 0 : 1); sign--) {
        p->sign = sign;
        if (!splits(p, from) || !is_profitable(p, from, DEPTH)) continue;
        LLVMReplaceAllUsesWith(ext, extend_leaves(p, from, DEPTH));
        return true;
    }
    return false;
}

/* ---- addresses ---- */

/* The later one of two values, of which one dominates the other; NULL = both are available from the start. */
static LLVMValueRef later(const Push *p, LLVMValueRef a, LLVMValueRef b) {
    if (!LLVMIsAInstruction(a) || !LLVMIsAInstruction(b))
        return LLVMIsAInstruction(a) ? a : LLVMIsAInstruction(b) ? b : NULL;
    int at = cfg_block_of(p->s->cfg, a), bt = cfg_block_of(p->s->cfg, b);
    if (at == bt) return is_before(a, b) ? b : a;
    return cfg_dominates(p->s->cfg, at, bt) ? b : a;
}

/* &base[index], one for all. */
static LLVMValueRef shared_address(Push *p, LLVMValueRef base, LLVMValueRef index, LLVMTypeRef element) {
    Sum *first = map_ptr(&p->sums, index);
    for (Sum *q = first; q; q = q->next)
        if (q->base == base && q->element == element) return q->address;
    LLVMValueRef last = later(p, base, index);
    if (!last) return NULL;
    build_after(p, last);
    Sum *q = arena_alloc(p->s->a, sizeof *q);
    *q = (Sum){base, LLVMBuildGEP2(p->b, element, base, &index, 1, ""), element, first};
    map_put(&p->sums, index, (uintptr_t)q);
    return q->address;
}

/* a[x + 1] is 1 element after a[x]: so that adjacent accesses are recognised. */
static void split_address(Push *p, LLVMValueRef gep) {
    LLVMValueRef sum = LLVMGetNumOperands(gep) == 2 ? LLVMGetOperand(gep, 1) : NULL;
    if (!sum || !LLVMIsAInstruction(sum) || LLVMGetInstructionOpcode(sum) != LLVMAdd ||
        !LLVMIsAConstantInt(LLVMGetOperand(sum, 1)))
        return;
    if (LLVMGetTypeKind(LLVMTypeOf(gep)) != LLVMPointerTypeKind || int_bits(sum) != 64) return;
    LLVMValueRef address = shared_address(p, LLVMGetOperand(gep, 0), LLVMGetOperand(sum, 0),
                                          LLVMGetGEPSourceElementType(gep)),
                 by = LLVMGetOperand(sum, 1);
    if (!address) return;
    set_insert_point(p->b, gep);
    LLVMReplaceAllUsesWith(gep, LLVMBuildGEP2(p->b, LLVMGetGEPSourceElementType(gep), address, &by, 1, ""));
}

/* a[x] is the address from which a[x + 1] is computed. */
static void share_address(Push *p, LLVMValueRef gep) {
    for (Sum *q = LLVMGetNumOperands(gep) == 2 ? map_ptr(&p->sums, LLVMGetOperand(gep, 1)) : NULL; q; q = q->next)
        if (q->base == LLVMGetOperand(gep, 0) && q->element == LLVMGetGEPSourceElementType(gep))
            LLVMReplaceAllUsesWith(gep, q->address);
}

static void split_addresses(Push *p) {
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < p->s->n; k++)
            if (p->s->block[k] >= 0 && LLVMIsAGetElementPtrInst(p->s->value[k]))
                (pass ? share_address : split_address)(p, p->s->value[k]);
}

/* Extensions that existed before are those that pushing has made. */
static void share_extension(Push *p, LLVMValueRef ext) {
    LLVMOpcode op = LLVMGetInstructionOpcode(ext);
    bool sign = op == LLVMSExt || (op == LLVMZExt && LLVMGetNNeg(ext));
    LLVMValueRef r = map_ptr(&p->made[sign][int_bits(ext) == 64], LLVMGetOperand(ext, 0));
    if (r && r != ext && LLVMTypeOf(r) == LLVMTypeOf(ext)) LLVMReplaceAllUsesWith(ext, r);
}

int shapes_push_extensions(Shapes *s) {
    Push p = {.s = s, .b = LLVMCreateBuilderInContext(LLVMGetModuleContext(s->module))};
    int count = 0;
    map_init(&p.sums, s->a);
    map_init(&p.wanted, s->a);
    map_init(&p.rebased, s->a);
    for (int k = 0; k < 4; k++) map_init(&p.made[k / 2][k % 2], s->a);
    for (int k = 0; k < s->n && s->g.width > 1; k++)
        if (s->block[k] >= 0 && is_int_extension(s->value[k])) count_leaves(&p, s->value[k]);
    for (int k = 0; k < s->n && s->g.width > 1; k++)
        if (s->block[k] >= 0 && is_int_extension(s->value[k]) && push_extension(&p, s->value[k])) count++;
    for (int k = 0; k < s->n && count; k++)
        if (s->block[k] >= 0 && is_int_extension(s->value[k])) share_extension(&p, s->value[k]);
    if (count) split_addresses(&p);
    LLVMDisposeBuilder(p.b);
    return count;
}
