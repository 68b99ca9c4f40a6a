/* widen_atomics.c: atomics of all lanes.
**
** Where all lanes access one address, their operands are combined, and one atomic is executed. If the old value of a
** sum is used, as in `list[atomicAdd(&n, 1)] = x`, the lanes get what they would have found one after the other: the
** sum of the preceding lanes, or its rank among the active lanes where all add the same. Stores at such indices are
** consecutive: the active lanes are packed and stored as one vector (with AVX-512, or if all are active). Sums of
** floats depend on their order: the runtime adds lane by lane, and consecutive lanes with the same address share an
** atomic.
** Consecutive lanes at consecutive elements of private memory (shared memory, counters of a worker): a vector is
** loaded, changed and stored.
** Elsewhere each lane executes its own, in lane order: in straight-line code on shared memory, which needs no real
** atomic, else in a loop over the bits of the mask. */
#include "passes/analysis/affine.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/widen/widen.h"

enum { MAX_UNROLLED = 32 }; /* lanes of an atomic on shared memory */

/* ---- all lanes at one address ---- */

/* The identity of op, for inactive lanes; NULL = the operation does not combine. */
static LLVMValueRef identity(LLVMAtomicRMWBinOp op, LLVMTypeRef t) {
    unsigned bits = LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) : 0;
    if (bits > 64) return NULL; /* these are only exchanged */
    uint64_t top = bits ? UINT64_C(1) << (bits - 1) : 0;
    switch (op) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpOr:
    case LLVMAtomicRMWBinOpXor:
    case LLVMAtomicRMWBinOpUMax:
    case LLVMAtomicRMWBinOpSub: return LLVMConstNull(t);
    case LLVMAtomicRMWBinOpAnd:
    case LLVMAtomicRMWBinOpUMin: return LLVMConstAllOnes(t);
    case LLVMAtomicRMWBinOpMin: return LLVMConstInt(t, top - 1, 0);
    case LLVMAtomicRMWBinOpMax: return LLVMConstInt(t, top, 0);
    default: return NULL;
    }
}

static const char *reduction(LLVMAtomicRMWBinOp op) {
    switch (op) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub: return "llvm.vector.reduce.add";
    case LLVMAtomicRMWBinOpOr: return "llvm.vector.reduce.or";
    case LLVMAtomicRMWBinOpXor: return "llvm.vector.reduce.xor";
    case LLVMAtomicRMWBinOpAnd: return "llvm.vector.reduce.and";
    case LLVMAtomicRMWBinOpUMax: return "llvm.vector.reduce.umax";
    case LLVMAtomicRMWBinOpUMin: return "llvm.vector.reduce.umin";
    case LLVMAtomicRMWBinOpMax: return "llvm.vector.reduce.smax";
    default: return "llvm.vector.reduce.smin";
    }
}

/* Inactive lanes add to scratch memory if no lane is active. */
static LLVMValueRef safe_target(Widen *x, LLVMValueRef p, LLVMTypeRef t) {
    LLVMValueRef at = scalar_of(x, p);
    if (!x->mask) return at;
    LLVMValueRef spare = entry_scratch(x->k->fn, t, "spare");
    LLVMBuildStore(x->b, LLVMConstNull(t), spare);
    if (LLVMTypeOf(at) != LLVMTypeOf(spare)) spare = LLVMBuildAddrSpaceCast(x->b, spare, LLVMTypeOf(at), "");
    return LLVMBuildSelect(x->b, any_lane(x), at, spare, "safe");
}

/* The sum of the preceding lanes in each, in log W steps. */
static LLVMValueRef sums_before(Widen *x, LLVMValueRef v) {
    LLVMTypeRef vt = LLVMTypeOf(v);
    LLVMValueRef zero = LLVMConstNull(vt), lane[64];
    for (unsigned step = 1; step < x->w; step *= 2) { /* first by one lane, then sums over `step` lanes */
        for (unsigned i = 0; i < x->w; i++) lane[i] = c32(x, i < step ? x->w : i - step);
        LLVMValueRef back = LLVMBuildShuffleVector(x->b, v, zero, LLVMConstVector(lane, x->w), "");
        if (step == 1) {
            v = back;
            back = LLVMBuildShuffleVector(x->b, v, zero, LLVMConstVector(lane, x->w), "");
        }
        v = LLVMBuildAdd(x->b, v, back, "");
    }
    return v;
}

/* How many active lanes precede each: expanding 0, 1, 2... into the mask is one instruction with AVX-512. */
static LLVMValueRef ranks(Widen *x, LLVMTypeRef t) {
    LLVMTypeRef vt = LLVMVectorType(t, x->w), vi = LLVMVectorType(x->i32, x->w);
    if (!x->mask) return iota(x, t);
    if (x->w < 4 || x->w > 16 || !shim_has_features(x->k->m->tm, "+avx512f,+avx512vl"))
        return sums_before(x, LLVMBuildZExt(x->b, x->mask, vt, ""));
    LLVMValueRef table = LLVMGetNamedGlobal(x->mod, "cucpu.iota");
    if (!table) {
        LLVMValueRef e[16];
        for (unsigned i = 0; i < 16; i++) e[i] = c32(x, i);
        table = LLVMAddGlobal(x->mod, LLVMArrayType2(x->i32, 16), "cucpu.iota");
        LLVMSetInitializer(table, LLVMConstArray2(x->i32, e, 16));
        LLVMSetGlobalConstant(table, 1), LLVMSetLinkage(table, LLVMPrivateLinkage), LLVMSetAlignment(table, 64);
    }
    LLVMValueRef args[3] = {table, x->mask, LLVMConstNull(vi)};
    LLVMValueRef r = call_intrinsic(x, "llvm.masked.expandload", &vi, 1, args, 3);
    return LLVMBuildIntCast2(x->b, r, vt, 0, "ranks");
}

/* The old values of a sum, as if the lanes had added one after the other. */
static void set_old_values(Widen *x, LLVMValueRef i, LLVMValueRef all) {
    LLVMTypeRef t = LLVMTypeOf(i);
    LLVMValueRef v = LLVMGetOperand(i, 1), before;
    bool ranked = is_uniform(x, v);
    if (ranked) before = LLVMBuildMul(x->b, ranks(x, t), splat(x, scalar_of(x, v)), "");
    else before = sums_before(x, all);
    LLVMPositionBuilderBefore(x->b, LLVMGetNextInstruction(i));
    LLVMValueRef old = splat(x, i);
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(i);
    if (ranked && is_constant(v, 1) && op == LLVMAtomicRMWBinOpAdd)
        map_put(&x->ranked, i, (uintptr_t)(x->mask ? x->mask : all_lanes(x)));
    map_put(&x->wide, i,
            (uintptr_t)(op == LLVMAtomicRMWBinOpSub ? LLVMBuildSub(x->b, old, before, "")
                                                    : LLVMBuildAdd(x->b, old, before, "")));
}

/* All lanes access one address: their operands are combined, then one atomic is executed. If the old value is used it
** must be a sum. */
static bool combine_atomic(Widen *x, LLVMValueRef i) {
    if (!LLVMIsAAtomicRMWInst(i) || LLVMGetVolatile(i)) return false;
    LLVMValueRef p = LLVMGetOperand(i, 0), v = LLVMGetOperand(i, 1);
    LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(i);
    LLVMValueRef none = is_integer(v) ? identity(op, LLVMTypeOf(v)) : NULL;
    bool used = LLVMGetFirstUse(i) != NULL;
    if (!none || !is_uniform(x, p)) return false;
    if (used && (!is_wide(x, i) || (op != LLVMAtomicRMWBinOpAdd && op != LLVMAtomicRMWBinOpSub))) return false;
    LLVMTypeRef vt = wide_type(x, LLVMTypeOf(v));
    LLVMValueRef all = vector_of(x, v);
    if (x->mask) all = LLVMBuildSelect(x->b, x->mask, all, splat(x, none), "");
    LLVMValueRef at = safe_target(x, p, LLVMTypeOf(v));
    if (used) set_old_values(x, i, all);
    LLVMPositionBuilderBefore(x->b, i);
    LLVMSetOperand(i, 1, call_intrinsic(x, reduction(op), &vt, 1, &all, 1));
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
    if (!combine_atomic(x, i) && !widen_row(x, i) && !unroll_atomic(x, i) && !sum_floats(x, i)) for_each_lane(x, i);
}

/* ---- stores at ranks ---- */

/* An index that is the old value of a counter, in each active lane one more than in the previous one, plus uniform
** addends. */
typedef struct Ranked {
    LLVMValueRef atomic, inner, outer; /* inner: added before the extension; NULL = nothing */
    LLVMOpcode extension;              /* 0 = none */
    LLVMTypeRef type;                  /* of the index */
} Ranked;

typedef struct Count {
    const Widen *x;
    LLVMValueRef atomic;
} Count;

static bool is_part_of_count(const void *count, LLVMValueRef v) {
    const Count *c = count;
    return v == c->atomic || is_uniform(c->x, v);
}

/* The old value of a counter, plus uniform addends, which does not wrap as a signed integer. */
static bool counts_up(const Widen *x, LLVMValueRef v, LLVMValueRef atomic) {
    Count c = {x, atomic};
    AffineRules rules = {.flags = AFFINE_TRUST_FLAGS, .is_term = is_part_of_count, .context = &c};
    Affine a;
    return affine_of(&rules, v, AFFINE_SIGNED, &a) && affine_take(&a, atomic) == 1;
}

/* The active lanes got consecutive indices: all lanes that the counter served, or those of them below a limit. */
static bool is_interval(Widen *x, LLVMValueRef atomic, LLVMValueRef served, LLVMOpcode extension) {
    LLVMValueRef mask = x->mask ? x->mask : all_lanes(x), o[2], limit = x->mask_of;
    if (mask == served) return true;
    if (!x->mask || !LLVMIsAInstruction(x->mask_of)) return false;
    bool select = LLVMIsASelectInst(x->mask_of) && LLVMIsNull(LLVMGetOperand(x->mask_of, 2));
    if (select || LLVMGetInstructionOpcode(x->mask_of) == LLVMAnd) {
        for (unsigned k = 0; k < 2; k++) o[k] = LLVMGetOperand(x->mask_of, k);
        unsigned all = map_ptr(&x->wide, o[0]) == (void *)served ? 0 : 1;
        if (map_ptr(&x->wide, o[all]) != (void *)served) return false;
        limit = o[1 - all];
    } else if (served != all_lanes(x)) {
        return false;
    }
    if (!LLVMIsAICmpInst(limit) || !is_uniform(x, LLVMGetOperand(limit, 1))) return false;
    LLVMIntPredicate p = LLVMGetICmpPredicate(limit); /* first_index() tests whether the counter wraps in this sense */
    if (p == LLVMIntSLT || p == LLVMIntSLE)
        return extension != LLVMZExt && counts_up(x, LLVMGetOperand(limit, 0), atomic);
    return (p == LLVMIntULT || p == LLVMIntULE) && extension != LLVMSExt && LLVMGetOperand(limit, 0) == atomic;
}

static LLVMValueRef served_mask(const Widen *x, LLVMValueRef v) { return map_ptr(&x->ranked, v); }

static bool is_rank(const Widen *x, LLVMValueRef v) { return served_mask(x, v) != NULL; }

static bool is_rank_or_extension(const Widen *x, LLVMValueRef v) { return is_rank(x, v) || is_op(v, OP_EXT); }

static bool is_ranked(Widen *x, LLVMValueRef v, Ranked *r) {
    *r = (Ranked){.type = LLVMTypeOf(v)};
    v = split_uniform(x, v, is_rank_or_extension, &r->inner);
    if (v && !is_rank(x, v)) {
        r->extension = LLVMGetInstructionOpcode(v), r->outer = r->inner;
        v = split_uniform(x, LLVMGetOperand(v, 0), is_rank, &r->inner);
    }
    r->atomic = v;
    return v && is_interval(x, v, served_mask(x, v), r->extension);
}

/* The index of the first active lane; in *fits whether no lane's wraps before it is extended (NULL = cannot). */
static LLVMValueRef first_index(Widen *x, const Ranked *r, LLVMValueRef *fits) {
    LLVMValueRef v = r->inner ? LLVMBuildAdd(x->b, r->atomic, r->inner, "") : r->atomic;
    *fits = NULL;
    if (!r->extension) return v;
    LLVMTypeRef t = LLVMTypeOf(v);
    unsigned bits = LLVMGetIntTypeWidth(t);
    bool is_signed = r->extension == LLVMSExt;
    uint64_t maximum = (is_signed ? UINT64_MAX >> (65 - bits) : UINT64_MAX >> (64 - bits)) - x->w;
    v = LLVMBuildFreeze(x->b, v, "");
    *fits = LLVMBuildICmp(x->b, is_signed ? LLVMIntSLE : LLVMIntULE, v, LLVMConstInt(t, maximum, 0), "");
    v = LLVMBuildCast(x->b, r->extension, v, r->type, "");
    return r->outer ? LLVMBuildAdd(x->b, v, r->outer, "") : v;
}

/* Packs the active lanes to the front. */
static void store_packed(Widen *x, LLVMValueRef v, LLVMValueRef at, unsigned align) {
    LLVMTypeRef vt = LLVMTypeOf(v);
    if (!x->mask) {
        store_vector(x, v, at, align, NULL);
        return;
    }
    LLVMValueRef args[3] = {v, x->mask, LLVMGetPoison(vt)}, bits = lane_bits(x, x->mask);
    LLVMTypeRef tb = LLVMTypeOf(bits);
    v = call_intrinsic(x, "llvm.experimental.vector.compress", &vt, 1, args, 3);
    LLVMValueRef n = LLVMBuildIntCast2(x->b, call_intrinsic(x, "llvm.ctpop", &tb, 1, &bits, 1), x->i32, 0, "");
    LLVMValueRef on = LLVMBuildICmp(x->b, LLVMIntULT, iota(x, x->i32), splat(x, n), "");
    store_vector(x, v, at, align, on);
}

bool store_at_ranks(Widen *x, LLVMValueRef i, LLVMValueRef v, LLVMValueRef p, unsigned align) {
    LLVMTypeRef e = LLVMGetElementType(LLVMTypeOf(v));
    uint64_t size = bytes_of(x, e);
    Ranked r;
    if (!LLVMIsAGetElementPtrInst(p) || LLVMGetNumOperands(p) != 2 || !is_uniform(x, LLVMGetOperand(p, 0)))
        return false;
    if (bytes_of(x, LLVMGetGEPSourceElementType(p)) != size || (size != 4 && size != 8) ||
        LLVMGetTypeKind(e) == LLVMPointerTypeKind)
        return false;
    if (x->mask && (x->w * size > 64 || !shim_has_features(x->k->m->tm, "+avx512f,+avx512vl"))) return false;
    if (!is_ranked(x, LLVMGetOperand(p, 1), &r)) return false;
    LLVMValueRef fits, first = first_index(x, &r, &fits), all = vector_of(x, p);
    LLVMValueRef at =
        LLVMBuildGEP2(x->b, LLVMGetGEPSourceElementType(p), scalar_of(x, LLVMGetOperand(p, 0)), &first, 1, "");
    if (!fits) {
        store_packed(x, v, at, align);
        return true;
    }
    Fork f = fork_at(x, i, fits);
    store_packed(x, v, at, align);
    LLVMBuildBr(x->b, f.join);
    LLVMPositionBuilderAtEnd(x->b, f.apart);
    scatter(x, v, all, align);
    LLVMBuildBr(x->b, f.join);
    LLVMPositionBuilderBefore(x->b, i);
    return true;
}
