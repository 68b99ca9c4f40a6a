/* widen_atomics.c: atomics of all lanes.
**
** Where all lanes access one address, their operands are combined, and one atomic is executed. If the old value of a
** sum is used, as in `list[atomicAdd(&n, 1)] = x`, the lanes get what they would have found one after the other: the
** sum of the preceding lanes, or its rank among the active lanes where all add the same (widen_ranks.c stores at such
** indices). Sums of floats depend on their order: the runtime adds lane by lane, and consecutive lanes with the same
** address share an atomic.
** Consecutive lanes at consecutive elements of private memory (shared memory, counters of a worker): a vector is
** loaded, changed and stored.
** Elsewhere each lane executes its own, in lane order: in straight-line code on shared memory, which needs no real
** atomic, else in a loop over the bits of the mask. */
#include "passes/analysis/single_lane.h"
#include "passes/ir/atomic_ops.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/widen/widen.h"

enum { MAX_UNROLLED = 32 }; /* lanes of an atomic on shared memory */

/* ---- all lanes at one address ---- */

/* Inactive lanes add to scratch memory if no lane is active. */
static LLVMValueRef safe_target(Widen *x, LLVMValueRef p, LLVMTypeRef t) {
    LLVMValueRef at = scalar_of(x, p);
    if (!x->mask) return at;
    LLVMValueRef spare = entry_scratch(x->k->fn, t, "spare");
    LLVMBuildStore(x->b, LLVMConstNull(t), spare);
    if (LLVMTypeOf(at) != LLVMTypeOf(spare)) spare = LLVMBuildAddrSpaceCast(x->b, spare, LLVMTypeOf(at), "");
    return LLVMBuildSelect(x->b, any_lane(x), at, spare, "safe");
}

/* At most one lane of the group is active in this block. */
static bool is_single_lane(const Widen *x) {
    LLVMValueRef v, u;
    return x->mask_of && single_lane(x->s, x->mask_of, &v, &u);
}

/* What all active lanes do together: the operand of one atomic operation. all: the operands, the identity in inactive
** lanes. */
static LLVMValueRef combined(Widen *x, LLVMAtomicRMWBinOp op, LLVMValueRef v, LLVMValueRef all) {
    LLVMTypeRef vt = LLVMTypeOf(all), t = LLVMTypeOf(v);
    if (!is_uniform(x, v) || LLVMIsConstant(v)) return call_intrinsic(x, atomic_reduction(op), &vt, 1, &all, 1);
    LLVMValueRef one = scalar_of(x, v);
    if (op != LLVMAtomicRMWBinOpAdd && op != LLVMAtomicRMWBinOpSub && op != LLVMAtomicRMWBinOpXor) return one;
    LLVMValueRef bits = lane_bits(x, mask_or_all(x));
    LLVMTypeRef tb = LLVMTypeOf(bits);
    LLVMValueRef n = LLVMBuildIntCast2(x->b, call_intrinsic(x, "llvm.ctpop", &tb, 1, &bits, 1), t, 0, "");
    if (op == LLVMAtomicRMWBinOpXor) n = LLVMBuildAnd(x->b, n, LLVMConstInt(t, 1, 0), "");
    return LLVMBuildMul(x->b, one, n, "");
}

/* The old values of a sum, as if the lanes had added one after the other. */
static void set_old_values(Widen *x, LLVMValueRef i, LLVMValueRef all) {
    LLVMValueRef v = LLVMGetOperand(i, 1), before;
    LLVMTypeRef t = LLVMTypeOf(i);
    bool ranked = is_uniform(x, v);
    if (ranked) before = LLVMBuildMul(x->b, ranks_of_active(x, t), splat(x, scalar_of(x, v)), "");
    else before = sums_before(x, all);
    LLVMPositionBuilderBefore(x->b, LLVMGetNextInstruction(i));
    LLVMValueRef old = splat(x, i);
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(i);
    if (ranked && is_constant(v, 1) && op == LLVMAtomicRMWBinOpAdd) set_ranked(x, i, (Ranks){mask_or_all(x), NULL, i});
    map_put(&x->wide, i,
            (uintptr_t)(op == LLVMAtomicRMWBinOpSub ? LLVMBuildSub(x->b, old, before, "")
                                                    : LLVMBuildAdd(x->b, old, before, "")));
}

static bool is_number(LLVMValueRef v) {
    LLVMTypeKind k = LLVMGetTypeKind(LLVMTypeOf(v));
    return (k == LLVMIntegerTypeKind && int_bits(v) <= 64) || k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind;
}

/* The operation of a single lane, whatever it is, at an address that all know. */
static bool single_atomic(Widen *x, LLVMValueRef i) {
    if (!LLVMIsAAtomicRMWInst(i) || LLVMGetVolatile(i) || !x->mask || !is_single_lane(x)) return false;
    LLVMValueRef p = LLVMGetOperand(i, 0), v = LLVMGetOperand(i, 1);
    if (!is_uniform(x, p) || !is_number(v) || (LLVMGetFirstUse(i) && !is_wide(x, i))) return false;
    v = is_uniform(x, v) ? scalar_of(x, v) : LLVMBuildExtractElement(x->b, vector_of(x, v), first_lane(x), "");
    LLVMValueRef at = safe_target(x, p, LLVMTypeOf(v));
    LLVMSetOperand(i, 0, at);
    LLVMSetOperand(i, 1, v);
    if (!LLVMGetFirstUse(i)) return true;
    LLVMPositionBuilderBefore(x->b, LLVMGetNextInstruction(i));
    map_put(&x->wide, i, (uintptr_t)splat(x, i));
    LLVMPositionBuilderBefore(x->b, i);
    return true;
}

/* All lanes access one address: their operands are combined, then one atomic is executed. If the old value is used it
** must be a sum. */
static bool combine_atomic(Widen *x, LLVMValueRef i) {
    if (!LLVMIsAAtomicRMWInst(i) || LLVMGetVolatile(i)) return false;
    LLVMValueRef p = LLVMGetOperand(i, 0), v = LLVMGetOperand(i, 1);
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(i);
    LLVMValueRef none = is_integer(v) ? atomic_identity(op, LLVMTypeOf(v)) : NULL;
    bool used = LLVMGetFirstUse(i) != NULL;
    if (!none || !is_uniform(x, p)) return false;
    if (used && (!is_wide(x, i) || (op != LLVMAtomicRMWBinOpAdd && op != LLVMAtomicRMWBinOpSub))) return false;
    LLVMValueRef all = vector_of(x, v);
    if (x->mask) all = LLVMBuildSelect(x->b, x->mask, all, splat(x, none), "");
    LLVMValueRef at = safe_target(x, p, LLVMTypeOf(v));
    if (used) set_old_values(x, i, all);
    LLVMPositionBuilderBefore(x->b, i);
    LLVMSetOperand(i, 1, combined(x, op, v, all));
    LLVMSetOperand(i, 0, at);
    return true;
}

/* ---- an address for each lane ---- */

static bool on_shared(const Widen *x, LLVMValueRef i) {
    return LLVMGetMetadata(i, LLVMGetMDKindIDInContext(x->ctx, MD_BLOCK_ONLY, sizeof MD_BLOCK_ONLY - 1)) != NULL;
}

/* Each lane has a separate element, and they are consecutive. */
static bool widen_row(Widen *x, LLVMValueRef i) {
    if (!LLVMIsAAtomicRMWInst(i) || !on_shared(x, i) || LLVMGetVolatile(i) || (LLVMGetFirstUse(i) && !is_wide(x, i)))
        return false;
    LLVMValueRef p = LLVMGetOperand(i, 0), v = LLVMGetOperand(i, 1);
    LLVMTypeRef t = LLVMTypeOf(v), vt = LLVMVectorType(t, x->w);
    LLVMTypeKind kind = LLVMGetTypeKind(t);
    bool whole = kind == LLVMIntegerTypeKind && (LLVMGetIntTypeWidth(t) == 32 || LLVMGetIntTypeWidth(t) == 64);
    if (!whole && kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind) return false;
    int64_t stride;
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(i);
    bool wraps = op == LLVMAtomicRMWBinOpUIncWrap || op == LLVMAtomicRMWBinOpUDecWrap;
    if (wraps || !lane_stride(x, p, &stride) || stride != (int64_t)bytes_of(x, t)) return false;
    unsigned align = LLVMGetAlignment(i);
    LLVMValueRef at = scalar_of(x, p), old = load_vector(x, vt, at, align, x->mask);
    LLVMValueRef now = relaxed_result(x->b, op, old, vector_of(x, v));
    if (!now) return false;
    note(x, i, DID_CONTIGUOUS, REMARK_NONE);
    store_vector(x, now, at, align, x->mask);
    if (LLVMGetFirstUse(i)) set_wide(x, i, old);
    else vec_push(x->a, &x->dead, i);
    return true;
}

/* One lane of v; extracted from the shorter vector if v is an extension. */
static LLVMValueRef lane_of(Widen *x, LLVMValueRef v, unsigned k) {
    if (is_uniform(x, v)) return scalar_of(x, v);
    bool extends = LLVMIsAZExtInst(v) || LLVMIsASExtInst(v);
    if (!extends) return LLVMBuildExtractElement(x->b, vector_of(x, v), c32(x, k), "");
    LLVMValueRef narrow = lane_of(x, LLVMGetOperand(v, 0), k);
    return LLVMBuildCast(x->b, LLVMGetInstructionOpcode(v), narrow, LLVMTypeOf(v), "");
}

/* The address of one lane: where only an index varies, only that index is extracted from its vector. */
static LLVMValueRef address_of_lane(Widen *x, LLVMValueRef p, unsigned k) {
    LLVMValueRef idx[16];
    unsigned n = LLVMIsAGetElementPtrInst(p) ? (unsigned)LLVMGetNumOperands(p) - 1 : 0;
    if (!n || n > 16 || !is_uniform(x, LLVMGetOperand(p, 0))) return lane_of(x, p, k);
    for (unsigned i = 0; i < n; i++) idx[i] = lane_of(x, LLVMGetOperand(p, i + 1), k);
    return LLVMBuildGEP2(x->b, LLVMGetGEPSourceElementType(p), scalar_of(x, LLVMGetOperand(p, 0)), idx, n, "");
}

/* One copy per lane, in lane order, at the builder; the old values as a vector where they are used. */
static LLVMValueRef unroll_lanes(Widen *x, LLVMValueRef i, LLVMValueRef p, LLVMValueRef v) {
    LLVMValueRef old = LLVMGetPoison(wide_type(x, LLVMTypeOf(i)));
    for (unsigned k = 0; k < x->w; k++) {
        LLVMValueRef lane = c32(x, k), at = address_of_lane(x, p, k), by = lane_of(x, v, k), c = clone_at(x->b, i);
        LLVMSetOperand(c, 0, at);
        LLVMSetOperand(c, 1, by);
        if (LLVMGetFirstUse(i)) old = LLVMBuildInsertElement(x->b, old, c, lane, "");
    }
    return old;
}

/* An atomic on shared memory is finally a few plain instructions: a loop over lanes would cost more than they do.
** Straight-line code where all lanes are active, the loop elsewhere. */
static bool unroll_atomic(Widen *x, LLVMValueRef i) {
    if (!LLVMIsAAtomicRMWInst(i) || !on_shared(x, i) || LLVMGetVolatile(i) || x->w > MAX_UNROLLED) return false;
    if (LLVMGetFirstUse(i) && !is_wide(x, i)) return false;
    LLVMValueRef p = LLVMGetOperand(i, 0), v = LLVMGetOperand(i, 1);
    if (!x->mask) {
        note(x, i, DID_LANES, REMARK_NONE);
        set_wide(x, i, unroll_lanes(x, i, p, v));
        return true;
    }
    LLVMTypeRef t = LLVMTypeOf(x->mask);
    LLVMValueRef all = call_intrinsic(x, "llvm.vector.reduce.and", &t, 1, &x->mask, 1), old[2];
    LLVMBasicBlockRef before = LLVMGetInstructionParent(i), from[2];
    LLVMBasicBlockRef some = shim_split_block(i, "some.lanes");
    from[0] = LLVMInsertBasicBlockInContext(x->ctx, some, "all.lanes");
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(before);
    LLVMPositionBuilderBefore(x->b, jump);
    LLVMBuildCondBr(x->b, all, from[0], some);
    LLVMInstructionEraseFromParent(jump);
    LLVMPositionBuilderAtEnd(x->b, from[0]);
    old[0] = unroll_lanes(x, i, p, v);
    LLVMPositionBuilderBefore(x->b, i);
    for_each_lane(x, i);
    from[1] = LLVMGetInstructionParent(i);
    LLVMBasicBlockRef join = shim_split_block(LLVMGetNextInstruction(i), "joined");
    LLVMPositionBuilderAtEnd(x->b, from[0]);
    LLVMBuildBr(x->b, join);
    if (!LLVMGetFirstUse(i)) return true;
    old[1] = map_ptr(&x->wide, i);
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(join));
    LLVMValueRef phi = LLVMBuildPhi(x->b, LLVMTypeOf(old[0]), "");
    LLVMAddIncoming(phi, old, from, 2);
    map_put(&x->wide, i, (uintptr_t)phi);
    return true;
}

static LLVMValueRef in_memory(Widen *x, LLVMValueRef v) {
    LLVMValueRef slot = entry_scratch(x->k->fn, LLVMTypeOf(v), "lanes");
    LLVMBuildStore(x->b, v, slot);
    return slot;
}

static bool sums_floats(const Widen *x, LLVMValueRef i) {
    if (!LLVMIsAAtomicRMWInst(i) || LLVMGetVolatile(i) || LLVMGetFirstUse(i) || on_shared(x, i) ||
        pass_disabled(x->k->m, "float_sums"))
        return false;
    if (LLVMGetAtomicRMWBinOp(i) != LLVMAtomicRMWBinOpFAdd || LLVMGetOrdering(i) != LLVMAtomicOrderingMonotonic ||
        !x->k->m->opt->opt_level)
        return false;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 1)));
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static void call_sum(Widen *x, LLVMValueRef i, LLVMValueRef addresses, LLVMValueRef bits) {
    const char *name = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 1))) == LLVMFloatTypeKind ? "cucpu_atomic_fadd32"
                                                                                              : "cucpu_atomic_fadd64";
    LLVMTypeRef ptr = LLVMPointerTypeInContext(x->ctx, 0), types[3] = {ptr, ptr, x->i64};
    LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(x->ctx), types, 3, 0);
    LLVMValueRef f = LLVMGetNamedFunction(x->mod, name), args[3];
    if (!f) f = LLVMAddFunction(x->mod, name, t);
    args[0] = in_memory(x, addresses);
    args[1] = in_memory(x, vector_of(x, LLVMGetOperand(i, 1)));
    args[2] = LLVMBuildZExt(x->b, bits, x->i64, "");
    LLVMBuildCall2(x->b, t, f, args, 3, "");
}

/* i1: a quarter of the lanes have the address of the preceding lane. */
static LLVMValueRef many_share_address(Widen *x, LLVMValueRef addresses) {
    LLVMValueRef lane[64];
    for (unsigned k = 0; k < x->w; k++) lane[k] = c32(x, k ? k - 1 : x->w - 1);
    LLVMValueRef before = LLVMBuildShuffleVector(x->b, addresses, addresses, LLVMConstVector(lane, x->w), "");
    LLVMValueRef same = LLVMBuildICmp(x->b, LLVMIntEQ, addresses, before, "");
    if (x->mask) same = LLVMBuildSelect(x->b, x->mask, same, LLVMConstNull(LLVMTypeOf(same)), "");
    LLVMValueRef bits = lane_bits(x, same);
    LLVMTypeRef t = LLVMTypeOf(bits);
    return LLVMBuildICmp(x->b, LLVMIntUGE, call_intrinsic(x, "llvm.ctpop", &t, 1, &bits, 1),
                         LLVMConstInt(t, (x->w + 3) / 4, 0), "follow");
}

static bool all_differ(const Widen *x, LLVMValueRef p) {
    int64_t stride;
    return lane_stride(x, p, &stride) && stride;
}

/* Sums of floats: in the runtime consecutive lanes with the same address share an atomic. Where these are few, a loop
** over the lanes here is faster. Shared memory needs neither. */
static bool sum_floats(Widen *x, LLVMValueRef i) {
    LLVMValueRef p = LLVMGetOperand(i, 0);
    if (!sums_floats(x, i) || all_differ(x, p)) return false;
    LLVMValueRef bits = lane_bits(x, mask_or_all(x)), addresses = LLVMBuildFreeze(x->b, vector_of(x, p), "");
    if (is_uniform(x, p)) {
        note(x, i, DID_LANES, REMARK_LANES_SUM);
        call_sum(x, i, addresses, bits);
        vec_push(x->a, &x->dead, i);
        return true;
    }
    LLVMValueRef follow = many_share_address(x, addresses);
    LLVMBasicBlockRef before = LLVMGetInstructionParent(i), apart = shim_split_block(i, "apart");
    LLVMBasicBlockRef runs = LLVMInsertBasicBlockInContext(x->ctx, apart, "runs");
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(before);
    LLVMPositionBuilderBefore(x->b, jump);
    LLVMBuildCondBr(x->b, follow, runs, apart);
    LLVMInstructionEraseFromParent(jump);
    LLVMPositionBuilderAtEnd(x->b, runs);
    call_sum(x, i, addresses, bits);
    LLVMPositionBuilderBefore(x->b, i);
    for_each_lane(x, i);
    LLVMBasicBlockRef join = shim_split_block(LLVMGetNextInstruction(i), "joined");
    LLVMPositionBuilderAtEnd(x->b, runs);
    LLVMBuildBr(x->b, join);
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(join));
    return true;
}

void widen_atomic(Widen *x, LLVMValueRef i) {
    if (!single_atomic(x, i) && !combine_atomic(x, i) && !widen_row(x, i) && !unroll_atomic(x, i) && !sum_floats(x, i))
        for_each_lane(x, i);
}
