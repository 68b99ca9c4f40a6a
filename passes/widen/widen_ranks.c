/* widen_ranks.c: ranks of lanes among those that satisfy a predicate; stores at such indices.
**
** An index is ranked if each lane that is served gets one more than the lane served before it. Two operations give such
** values: the old value of a counter to which all active lanes add 1, and the lanes of a mask that precede each,
** `__popc(mask & lanemask_lt())`. Stores at a ranked index plus uniform addends are consecutive: the active lanes are
** packed and stored as one vector for each register (with AVX-512, or if all are active). That the active lanes are
** those that were served is known from the code for counters. For a mask, from a ballot or __activemask() or whatever
** else, it is compared with the active lanes when the store is made: LLVM folds that test where both are one value. */
#include "passes/analysis/affine.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/widen/widen.h"

enum { RANKS = 16 /* of 32 bits in a register of AVX-512 */, PACKED = 8 /* in one of AVX2 */ };

static bool expands_lanes(const Widen *x) { return shim_has_features(x->k->m->tm, "+avx512f,+avx512vl"); }

static bool packs_lanes(const Widen *x) { return expands_lanes(x) || shim_has_features(x->k->m->tm, "+avx2"); }

/* How many of the first n lanes are active. Not by shifted bits: LLVM makes them halves of a vector, on the stack. */
static LLVMValueRef active_before(Widen *x, unsigned n) {
    LLVMValueRef bits = lane_bits(x, x->mask);
    LLVMTypeRef t = LLVMTypeOf(bits);
    if (n < x->w) bits = LLVMBuildAnd(x->b, bits, LLVMConstInt(t, (UINT64_C(1) << n) - 1, 0), "");
    return LLVMBuildIntCast2(x->b, call_intrinsic(x, "llvm.ctpop", &t, 1, &bits, 1), x->i64, 0, "");
}

/* ---- ranks ---- */

LLVMValueRef sums_before(Widen *x, LLVMValueRef v) {
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

/* 0, 1, 2... in memory. */
static LLVMValueRef counting_table(Widen *x) {
    LLVMValueRef table = LLVMGetNamedGlobal(x->mod, "cucpu.iota"), e[64];
    if (table) return table;
    for (unsigned i = 0; i < 64; i++) e[i] = c32(x, i);
    table = LLVMAddGlobal(x->mod, LLVMArrayType2(x->i32, 64), "cucpu.iota");
    LLVMSetInitializer(table, LLVMConstArray2(x->i32, e, 64));
    LLVMSetGlobalConstant(table, 1), LLVMSetLinkage(table, LLVMPrivateLinkage), LLVMSetAlignment(table, 64);
    return table;
}

/* Expanding 0, 1, 2... into the mask is one instruction for each register with AVX-512. */
LLVMValueRef ranks_of_active(Widen *x, LLVMTypeRef t) {
    LLVMTypeRef vt = LLVMVectorType(t, x->w);
    if (!x->mask) return iota(x, t);
    if (x->w < 4 || !expands_lanes(x)) return sums_before(x, LLVMBuildZExt(x->b, x->mask, vt, ""));
    unsigned n = x->w < RANKS ? x->w : RANKS;
    LLVMTypeRef part = LLVMVectorType(x->i32, n);
    LLVMValueRef table = counting_table(x), r[64 / RANKS];
    for (unsigned k = 0; k * n < x->w; k++) {
        LLVMValueRef mask = n == x->w ? x->mask : lanes_from(x, x->mask, k * n, n);
        LLVMValueRef first = k ? active_before(x, k * n) : c64(x, 0);
        LLVMValueRef from = LLVMBuildGEP2(x->b, x->i32, table, &first, 1, "");
        LLVMValueRef args[3] = {from, mask, LLVMConstNull(part)};
        r[k] = call_intrinsic(x, "llvm.masked.expandload", &part, 1, args, 3);
    }
    return LLVMBuildIntCast2(x->b, concatenate(x, r, x->w / n, n), vt, 0, "ranks");
}

void set_ranked(Widen *x, LLVMValueRef v, Ranks r) {
    Ranks *own = arena_alloc(x->a, sizeof *own);
    *own = r;
    map_put(&x->ranked, v, (uintptr_t)own);
}

/* In each lane i the bits below it are set; *own: and its own bit; no others. */
static bool is_lanes_before(Widen *x, LLVMValueRef v, unsigned *own) {
    LLVMValueRef c = is_integer(v) && int_bits(v) >= x->w && int_bits(v) <= 64 ? warp_constants(x, v) : NULL;
    if (!c) return false;
    for (unsigned i = 0; i < x->w; i++) {
        LLVMValueRef e = LLVMGetAggregateElement(c, i);
        if (!e || !LLVMIsAConstantInt(e)) return false;
        uint64_t bits = LLVMConstIntGetZExtValue(e);
        if (!i) *own = (unsigned)bits;
        if (bits != (UINT64_C(1) << i) - 1 + (*own ? UINT64_C(1) << i : 0)) return false;
    }
    return *own <= 1;
}

void find_prefix_count(Widen *x, LLVMValueRef call) {
    LLVMValueRef bits = LLVMGetOperand(call, 0);
    unsigned own = 0;
    if (!LLVMIsAInstruction(bits) || LLVMGetInstructionOpcode(bits) != LLVMAnd) return;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef mask = LLVMGetOperand(bits, k);
        if (!is_uniform(x, mask) || !is_lanes_before(x, LLVMGetOperand(bits, 1 - k), &own)) continue;
        LLVMTypeRef lanes = LLVMIntTypeInContext(x->ctx, x->w);
        LLVMValueRef served = LLVMBuildFreeze(x->b, LLVMBuildIntCast2(x->b, scalar_of(x, mask), lanes, 0, ""), "");
        set_ranked(x, call, (Ranks){NULL, served, LLVMConstInt(LLVMTypeOf(call), own, 0)});
        return;
    }
}

/* ---- indices ---- */

/* A ranked value plus uniform addends. */
typedef struct Ranked {
    const Ranks *ranks;
    LLVMValueRef inner, outer; /* addends, inner: before the extension; NULL = nothing */
    LLVMOpcode extension;      /* 0 = none */
    LLVMTypeRef type;          /* of the index */
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

static bool is_rank(const Widen *x, LLVMValueRef v) { return map_ptr(&x->ranked, v) != NULL; }

static bool is_rank_or_extension(const Widen *x, LLVMValueRef v) { return is_rank(x, v) || is_op(v, OP_EXT); }

static bool is_ranked(Widen *x, LLVMValueRef v, Ranked *r) {
    *r = (Ranked){.type = LLVMTypeOf(v)};
    v = split_uniform(x, v, is_rank_or_extension, &r->inner);
    if (v && !is_rank(x, v)) {
        r->extension = LLVMGetInstructionOpcode(v), r->outer = r->inner;
        v = split_uniform(x, LLVMGetOperand(v, 0), is_rank, &r->inner);
    }
    r->ranks = v ? map_ptr(&x->ranked, v) : NULL;
    return v && (r->ranks->bits || is_interval(x, v, r->ranks->served, r->extension));
}

static LLVMValueRef both(Widen *x, LLVMValueRef a, LLVMValueRef b) {
    return a && b ? LLVMBuildAnd(x->b, a, b, "") : a ? a : b;
}

/* The index of the first active lane; in *fits whether the active lanes are consecutive: they are those of the mask,
** and no lane's index wraps before it is extended (NULL = always). */
static LLVMValueRef first_index(Widen *x, const Ranked *r, LLVMValueRef *fits) {
    LLVMValueRef first = r->ranks->first, v = r->inner ? LLVMBuildAdd(x->b, first, r->inner, "") : first;
    *fits = NULL;
    if (r->ranks->bits) *fits = LLVMBuildICmp(x->b, LLVMIntEQ, lane_bits(x, mask_or_all(x)), r->ranks->bits, "served");
    if (!r->extension) return v;
    LLVMTypeRef t = LLVMTypeOf(v);
    unsigned bits = LLVMGetIntTypeWidth(t);
    bool is_signed = r->extension == LLVMSExt;
    uint64_t maximum = (is_signed ? UINT64_MAX >> (65 - bits) : UINT64_MAX >> (64 - bits)) - x->w;
    v = LLVMBuildFreeze(x->b, v, "");
    *fits =
        both(x, *fits, LLVMBuildICmp(x->b, is_signed ? LLVMIntSLE : LLVMIntULE, v, LLVMConstInt(t, maximum, 0), ""));
    v = LLVMBuildCast(x->b, r->extension, v, r->type, "");
    return r->outer ? LLVMBuildAdd(x->b, v, r->outer, "") : v;
}

/* ---- stores ---- */

/* For each mask of 8 lanes the numbers of the active ones, a byte each, then 7: which elements they come from. */
static LLVMValueRef packing_table(Widen *x) {
    LLVMValueRef table = LLVMGetNamedGlobal(x->mod, "cucpu.packed_lanes"), row[1 << PACKED];
    if (table) return table;
    for (unsigned mask = 0; mask < 1 << PACKED; mask++) {
        uint64_t lanes = 0;
        unsigned n = 0;
        for (unsigned i = 0; i < PACKED; i++)
            if (mask >> i & 1) lanes |= (uint64_t)i << 8 * n++;
        row[mask] = c64(x, lanes);
    }
    table = LLVMAddGlobal(x->mod, LLVMArrayType2(x->i64, 1 << PACKED), "cucpu.packed_lanes");
    LLVMSetInitializer(table, LLVMConstArray2(x->i64, row, 1 << PACKED));
    LLVMSetGlobalConstant(table, 1), LLVMSetLinkage(table, LLVMPrivateLinkage), LLVMSetAlignment(table, 64);
    return table;
}

/* The elements of v whose lanes are in the mask, at the front: one instruction with AVX-512; a permutation from a table
** with AVX2, where elements of 8 bytes are two of 4. */
static LLVMValueRef packed(Widen *x, LLVMValueRef v, LLVMValueRef mask) {
    LLVMTypeRef vt = LLVMTypeOf(v), words = LLVMVectorType(x->i32, PACKED);
    LLVMValueRef args[3] = {v, mask, LLVMGetPoison(vt)}, lane[PACKED];
    if (expands_lanes(x)) return call_intrinsic(x, "llvm.experimental.vector.compress", &vt, 1, args, 3);
    unsigned n = LLVMGetVectorSize(vt);
    for (unsigned i = 0; i < PACKED; i++) lane[i] = c32(x, i * n / PACKED);
    if (n < PACKED)
        mask = LLVMBuildShuffleVector(x->b, mask, LLVMGetPoison(LLVMTypeOf(mask)), LLVMConstVector(lane, PACKED), "");
    LLVMValueRef bits = LLVMBuildBitCast(x->b, mask, x->i8, "");
    bits = LLVMBuildZExt(x->b, bits, x->i64, "");
    LLVMValueRef at = LLVMBuildGEP2(x->b, x->i64, packing_table(x), &bits, 1, "");
    LLVMValueRef from = LLVMBuildLoad2(x->b, LLVMVectorType(x->i8, PACKED), at, "");
    LLVMSetAlignment(from, PACKED);
    args[0] = LLVMBuildBitCast(x->b, v, words, ""), args[1] = LLVMBuildZExt(x->b, from, words, "");
    return LLVMBuildBitCast(x->b, call_intrinsic(x, "llvm.x86.avx2.permd", NULL, 0, args, 2), vt, "");
}

/* Packs the active lanes of each register to the front. */
static void store_packed(Widen *x, LLVMValueRef v, LLVMValueRef at, unsigned align) {
    LLVMTypeRef e = LLVMGetElementType(LLVMTypeOf(v));
    unsigned n = (expands_lanes(x) ? 64 : 32) / (unsigned)bytes_of(x, e);
    if (!x->mask) {
        store_vector(x, v, at, align, NULL);
        return;
    }
    if (n > x->w) n = x->w;
    LLVMTypeRef vi = LLVMVectorType(x->i32, n);
    LLVMValueRef lane[64];
    for (unsigned i = 0; i < n; i++) lane[i] = c32(x, i);
    LLVMValueRef before = c64(x, 0);
    for (unsigned from = 0; from < x->w; from += n) {
        LLVMValueRef mask = n == x->w ? x->mask : lanes_from(x, x->mask, from, n);
        LLVMValueRef part = n == x->w ? v : lanes_from(x, v, from, n), after = active_before(x, from + n);
        LLVMValueRef count = LLVMBuildTrunc(x->b, LLVMBuildSub(x->b, after, before, ""), x->i32, "");
        LLVMValueRef one = LLVMBuildInsertElement(x->b, LLVMGetPoison(vi), count, c64(x, 0), "");
        LLVMValueRef counts = LLVMBuildShuffleVector(x->b, one, LLVMGetPoison(vi), LLVMConstNull(vi), "");
        LLVMValueRef on = LLVMBuildICmp(x->b, LLVMIntULT, LLVMConstVector(lane, n), counts, "");
        LLVMValueRef to = LLVMBuildGEP2(x->b, e, at, &before, 1, "");
        store_vector(x, packed(x, part, mask), to, align, on);
        before = after;
    }
}

/* Of elements of this size. */
static bool can_pack(const Widen *x, uint64_t size) {
    if (!x->mask) return true;
    return expands_lanes(x) || (packs_lanes(x) && x->w * size >= 32);
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
    if (!can_pack(x, size) || !is_ranked(x, LLVMGetOperand(p, 1), &r)) return false;
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
