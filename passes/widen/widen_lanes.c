/* widen_lanes.c: the address of each lane as a scalar, for accesses that are done lane by lane.
**
** Extracting W addresses from a vector is slow (one per cycle on most CPUs, and two operations for every second one).
** So an address that is computed from uniform and affine values and from consecutive elements, as in `a[list[i] + 1]`,
** is computed by scalar operations instead, and each lane loads its element of `list` itself, just before its access:
** threads that run one after the other would do so too, if nothing is written between the two accesses of a thread.
** Under a mask inactive lanes get scratch memory, and the addresses come from a vector.
**
** The value of an inactive lane of a vector is defined only where it is computed from ids and uniform values. Where
** lanes left a loop one by one, or came along divergent paths, it is the initial value of the blend: only active lanes
** are reliable. */
#include "passes/analysis/affine.h"
#include "passes/widen/widen.h"
#include "passes/ir/value.h"

enum { DEEP = 6, BEFORE = 64 };

/* Nothing is written from `load` to `here`, in the same block. */
static bool still_there(LLVMValueRef load, LLVMValueRef here) {
    for (int n = 0; n < BEFORE && load != here; n++)
        if (!(load = LLVMGetNextInstruction(load)) || (load != here && stands_between(load, false))) return false;
    return load == here;
}

static LLVMValueRef loaded_row(const Widen *x, LLVMValueRef v, LLVMValueRef here) {
    LLVMValueRef wide = LLVMIsALoadInst(v) && !LLVMGetVolatile(v) && still_there(v, here) ? map_ptr(&x->wide, v) : NULL;
    return wide && LLVMIsALoadInst(wide) && is_vector(wide) ? wide : NULL;
}

static bool follows_from_first(const Widen *x, LLVMValueRef v) {
    int64_t stride;
    return is_uniform(x, v) || lane_stride(x, v, &stride);
}

/* Scalar operations can compute v for one lane, if all are active. */
static bool is_simple(const Widen *x, LLVMValueRef v, LLVMValueRef here, int depth) {
    if (follows_from_first(x, v) || loaded_row(x, v, here)) return true;
    if (!LLVMIsAInstruction(v) || depth > DEEP) return false;
    if (!is_op(v, OP_INT_CAST | OP_ADD | OP_MUL | OP_SHL | OP_GEP)) return false;
    if (is_op(v, OP_GEP) && LLVMGetNumOperands(v) != 2) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_simple(x, LLVMGetOperand(v, (unsigned)k), here, depth + 1)) return false;
    return true;
}

static LLVMValueRef load_element(Widen *x, LLVMValueRef row, unsigned lane) {
    LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(row));
    unsigned align = LLVMGetAlignment(row), size = (unsigned)bytes_of(x, t);
    LLVMValueRef v = LLVMBuildLoad2(x->b, t, byte_offset(x, LLVMGetOperand(row, 0), lane * size), "");
    LLVMSetAlignment(v, align < size ? align : size);
    return v;
}

static LLVMValueRef of_lane(Widen *x, LLVMValueRef v, unsigned lane) {
    int64_t stride;
    LLVMTypeRef t = LLVMTypeOf(v);
    if (is_uniform(x, v)) return scalar_of(x, v);
    if (lane_stride(x, v, &stride)) {
        LLVMValueRef first = scalar_of(x, v);
        if (LLVMGetTypeKind(t) == LLVMPointerTypeKind) return byte_offset(x, first, lane * stride);
        return LLVMBuildAdd(x->b, first, LLVMConstInt(t, (uint64_t)(lane * stride), 1), "");
    }
    if (LLVMIsALoadInst(v)) return load_element(x, map_ptr(&x->wide, v), lane);
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    LLVMValueRef a = of_lane(x, LLVMGetOperand(v, 0), lane);
    if (LLVMGetNumOperands(v) == 1) return LLVMBuildCast(x->b, op, a, t, "");
    LLVMValueRef b = of_lane(x, LLVMGetOperand(v, 1), lane);
    return LLVMIsAGetElementPtrInst(v) ? LLVMBuildGEP2(x->b, LLVMGetGEPSourceElementType(v), a, &b, 1, "")
                                       : LLVMBuildBinOp(x->b, op, a, b, "");
}

LLVMValueRef safe_addresses(Widen *x, LLVMValueRef p, unsigned part) {
    LLVMValueRef v = vector_of(x, p);
    if (!x->mask) return v;
    LLVMValueRef other = byte_offset(x, scratch(x), part);
    LLVMTypeRef t = LLVMGetElementType(LLVMTypeOf(v));
    if (LLVMTypeOf(other) != t) other = LLVMBuildAddrSpaceCast(x->b, other, t, "");
    return LLVMBuildSelect(x->b, x->mask, v, splat(x, other), "safe");
}

LaneAddresses lane_addresses(Widen *x, LLVMValueRef inst, LLVMValueRef p, unsigned part) {
    bool simple = !x->mask && !is_local(p) && is_simple(x, p, inst, 0);
    return (LaneAddresses){p, simple ? NULL : safe_addresses(x, p, part)};
}

LLVMValueRef address_in_lane(Widen *x, const LaneAddresses *a, unsigned lane) {
    return a->all ? LLVMBuildExtractElement(x->b, a->all, c32(x, lane), "") : of_lane(x, a->p, lane);
}

/* ---- runs of lanes at known distances ---- */

static bool goes_up_from_ids(LLVMValueRef v, int depth) {
    if (LLVMIsAConstantInt(v)) return LLVMConstIntGetSExtValue(v) >= 0;
    Name n = name_of_call(v);
    if (n >= NAME_TID_X && n <= NAME_NCTAID_Z) return true;
    if (!LLVMIsAInstruction(v) || depth > DEEP) return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
    case LLVMMul:
    case LLVMShl:
    case LLVMOr:
    case LLVMAnd:
    case LLVMLShr: break;
    default: return false;
    }
    return goes_up_from_ids(LLVMGetOperand(v, 0), depth + 1) && goes_up_from_ids(LLVMGetOperand(v, 1), depth + 1);
}

static bool is_arithmetic(LLVMValueRef v) {
    if (LLVMIsABinaryOperator(v) || LLVMIsASelectInst(v) || LLVMIsAGetElementPtrInst(v) || LLVMIsAPHINode(v))
        return true;
    return LLVMIsATruncInst(v) || LLVMIsASExtInst(v) ||
           (LLVMIsAZExtInst(v) && goes_up_from_ids(LLVMGetOperand(v, 0), 0));
}

/* Inactive lanes have the value that they would have if they were active. A phi merges uniform paths by now. */
static bool holds_in_all_lanes(Widen *x, LLVMValueRef v, PtrMap *seen) {
    int64_t at[64];
    if (LLVMIsAConstant(v)) return !LLVMIsUndef(v) && !LLVMIsPoison(v);
    Name n = name_of_call(v);
    if (follows_from_first(x, v) || lane_runs(x, v, at) == (int)x->w || map_get(seen, v, 0)) return true;
    if (n >= NAME_TID_X && n <= NAME_TID_Z) return true;
    if (!LLVMIsAInstruction(v) || !is_arithmetic(v)) return false;
    map_put(seen, v, 1);
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!holds_in_all_lanes(x, LLVMGetOperand(v, (unsigned)k), seen)) return false;
    return true;
}

/* In each lane the value of the first lane of its run: computed alike from every active lane. */
static LLVMValueRef firsts_by_active_lanes(Widen *x, LLVMValueRef values, const int64_t *at, unsigned r) {
    LLVMTypeRef t = LLVMTypeOf(values);
    LLVMValueRef back[64], lane[64];
    for (unsigned i = 0; i < x->w; i++)
        back[i] = LLVMConstInt(LLVMGetElementType(t), (uint64_t)(at[i] - at[i - i % r]), 1);
    values = LLVMBuildSub(x->b, LLVMBuildFreeze(x->b, values, ""), LLVMConstVector(back, x->w), "");
    values = LLVMBuildSelect(x->b, x->mask, values, LLVMConstNull(t), "");
    for (unsigned step = 1; step < r; step *= 2) {
        for (unsigned i = 0; i < x->w; i++) lane[i] = c32(x, i ^ step);
        LLVMValueRef others = LLVMBuildShuffleVector(x->b, values, LLVMGetPoison(t), LLVMConstVector(lane, x->w), "");
        values = LLVMBuildOr(x->b, values, others, "");
    }
    return values;
}

LLVMValueRef firsts_of_runs(Widen *x, LLVMValueRef v, LLVMValueRef all, const int64_t *at, unsigned r) {
    PtrMap seen = map_new(x->a);
    if (!x->mask || holds_in_all_lanes(x, v, &seen)) return all;
    LLVMTypeRef t = LLVMTypeOf(all);
    if (LLVMGetTypeKind(LLVMGetElementType(t)) != LLVMPointerTypeKind) return firsts_by_active_lanes(x, all, at, r);
    LLVMValueRef values = LLVMBuildPtrToInt(x->b, all, LLVMVectorType(x->i64, x->w), "");
    return LLVMBuildIntToPtr(x->b, firsts_by_active_lanes(x, values, at, r), t, "");
}

/* ---- sums with uniform addends ---- */

typedef struct Sum {
    const Widen *x;
    bool (*is_core)(const Widen *, LLVMValueRef);
} Sum;

static bool is_part_of_sum(const void *sum, LLVMValueRef v) {
    const Sum *s = sum;
    return is_uniform(s->x, v) || s->is_core(s->x, v);
}

static LLVMValueRef scalar_part(void *x, LLVMValueRef v) { return scalar_of(x, v); }

LLVMValueRef split_uniform(Widen *x, LLVMValueRef v, bool (*is_core)(const Widen *, LLVMValueRef), LLVMValueRef *sum) {
    Sum s = {x, is_core};
    AffineRules rules = {.is_term = is_part_of_sum, .context = &s};
    Affine a;
    LLVMValueRef core = NULL;
    if (!affine_of(&rules, v, AFFINE_SAME, &a)) return NULL;
    for (int k = 0; k < a.n && !core; k++)
        if (!is_uniform(x, a.term[k].v)) core = a.term[k].v;
    if (!core || LLVMTypeOf(core) != LLVMTypeOf(v) || affine_take(&a, core) != 1) return NULL;
    for (int k = 0; k < a.n; k++)
        if (!is_uniform(x, a.term[k].v)) return NULL;
    *sum = affine_is_zero(&a) ? NULL : affine_build(x->b, &a, LLVMTypeOf(v), scalar_part, x);
    return core;
}
