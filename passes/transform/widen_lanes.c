/* widen_lanes.c: the address of each lane as a scalar, for accesses that are done lane by lane.
**
** Taking W addresses out of a vector is slow (one per cycle on most CPUs, and two operations for every second one).  So an
** address that is computed from uniform and affine values and from elements in a row, as in `a[list[i] + 1]`, is computed by
** scalar operations instead, and each lane loads its element of `list` for itself, when it has its turn: threads that
** run one after the other would do so too, if nothing is written between the two accesses of a thread.
** Under a mask the lanes that are off get scratch memory, and the addresses come from a vector. */
#include "passes/transform/widen.h"

enum { DEEP = 6, BEFORE = 64 };

/* Nothing is written from `load` to `here`, in the same block. */
static bool still_there(LLVMValueRef load, LLVMValueRef here) {
    for (int n = 0; n < BEFORE && load != here; n++)
        if (!(load = LLVMGetNextInstruction(load)) || (load != here && stands_between(load, false))) return false;
    return load == here;
}

static LLVMValueRef loaded_row(const Widen *x, LLVMValueRef v, LLVMValueRef here) {
    LLVMValueRef wide = LLVMIsALoadInst(v) && !LLVMGetVolatile(v) && still_there(v, here) ? map_ptr(&x->wide, v) : NULL;
    return wide && LLVMIsALoadInst(wide) && LLVMGetTypeKind(LLVMTypeOf(wide)) == LLVMVectorTypeKind ? wide : NULL;
}

static bool follows_from_first(const Widen *x, LLVMValueRef v) {
    int64_t stride;
    return is_uniform(x, v) || lane_stride(x, v, &stride);
}

/* Scalar operations can compute v for one lane, if all are on. */
static bool is_simple(const Widen *x, LLVMValueRef v, LLVMValueRef here, int depth) {
    if (follows_from_first(x, v) || loaded_row(x, v, here)) return true;
    if (!LLVMIsAInstruction(v) || depth > DEEP) return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMSExt: case LLVMZExt: case LLVMTrunc: case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMShl: break;
    case LLVMGetElementPtr:
        if (LLVMGetNumOperands(v) != 2) return false;
        break;
    default: return false;
    }
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
    return LLVMIsAGetElementPtrInst(v) ? LLVMBuildGEP2(x->b, LLVMGetGEPSourceElementType(v), a, &b, 1, "") : LLVMBuildBinOp(x->b, op, a, b, "");
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
