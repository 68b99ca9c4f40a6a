/* widen_atomic128.c: loads and stores of 16 bytes that are one access: atomic i128, what PTX's .v2.u64 and .b128 become.
**
** The value of a lane must not be torn, so it is never taken apart: each lane is one access of 16 bytes at its own address, which the CPU
** does at once where it is aligned (AVX; without it code generation takes cmpxchg16b).  Inactive lanes access scratch memory.
** Lanes that share one address share one access (widen_memory.c).  Weak accesses of adjacent lanes are vector accesses.
**
** An i128 of W lanes is <2W x i64> in the order of memory.  Its parts come out, and are put together, by shuffles: code generation has no
** good code for shifts of vectors of i128. */
#include "passes/ir/edit.h"
#include "passes/transform/widen.h"

enum { BYTES = 16, MOST_PARTS = 4 };

static bool is_i128(LLVMTypeRef t) { return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 128; }

static bool is_atomic128(LLVMValueRef i) {
    return LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic && is_i128(accessed_type(i));
}

/* Whole rows: adjacent lanes access adjacent 16 bytes, and no order with other threads is asked for. */
static bool is_row(const Widen *x, LLVMValueRef i) {
    int64_t stride;
    return LLVMGetOrdering(i) == LLVMAtomicOrderingUnordered && !LLVMGetVolatile(i) && lane_stride(x, accessed_at(i), &stride) && stride == BYTES;
}

static LLVMTypeRef row_type(const Widen *x) { return LLVMVectorType(x->i64, 2 * x->w); }

static LLVMValueRef row_mask(Widen *x) { return x->mask ? mask_of_elements(x, 2, 0, 2 * x->w) : NULL; }

static LLVMValueRef load_each(Widen *x, LLVMValueRef i) {
    LLVMTypeRef pair = LLVMVectorType(x->i64, 2);
    LaneAddresses at = lane_addresses(x, i, accessed_at(i), 0);
    LLVMValueRef lane[64];
    for (unsigned k = 0; k < x->w; k++) {
        LLVMValueRef p = address_in_lane(x, &at, k), one = clone_at(x->b, i);
        LLVMSetOperand(one, 0, p);
        lane[k] = LLVMBuildBitCast(x->b, one, pair, "");
    }
    return concatenate(x, lane, x->w, 2);
}

static void store_each(Widen *x, LLVMValueRef i, LLVMValueRef row) {
    LaneAddresses at = lane_addresses(x, i, accessed_at(i), 0);
    for (unsigned k = 0; k < x->w; k++) {
        LLVMValueRef v = LLVMBuildBitCast(x->b, lanes_from(x, row, 2 * k, 2), accessed_type(i), "");
        LLVMValueRef p = address_in_lane(x, &at, k), one = clone_at(x->b, i);
        LLVMSetOperand(one, 0, v);
        LLVMSetOperand(one, 1, p);
    }
}

static void widen_load128(Widen *x, LLVMValueRef i) {
    LLVMValueRef row = is_row(x, i) ? load_vector(x, row_type(x), scalar_of(x, accessed_at(i)), BYTES, row_mask(x)) : load_each(x, i);
    set_wide(x, i, LLVMBuildBitCast(x->b, row, wide_type(x, LLVMTypeOf(i)), ""));
}

/* ---- parts ---- */

/* v shifted by a constant number of bits. */
static bool is_shift(LLVMValueRef v, LLVMOpcode op, unsigned *bits) {
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != op || !LLVMIsAConstantInt(LLVMGetOperand(v, 1))) return false;
    *bits = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1));
    return true;
}

LLVMValueRef widen_part128(Widen *x, LLVMValueRef trunc) {
    LLVMValueRef v = LLVMGetOperand(trunc, 0);
    unsigned from = 0, bits = LLVMGetIntTypeWidth(LLVMTypeOf(trunc));
    if (is_shift(v, LLVMLShr, &from)) v = LLVMGetOperand(v, 0);
    unsigned unit = (from | bits) & -(from | bits); /* bits of an element of the shuffle */
    if (!is_i128(LLVMTypeOf(v)) || bits > 64 || unit < 8 || from + bits > 128) return NULL;
    unsigned per_lane = 128 / unit, per_part = bits / unit, n = x->w * per_part;
    LLVMTypeRef e = LLVMIntTypeInContext(x->ctx, unit);
    LLVMValueRef all = LLVMBuildBitCast(x->b, vector_of(x, v), LLVMVectorType(e, x->w * per_lane), "");
    LLVMValueRef *idx = arena_array(x->a, LLVMValueRef, n);
    for (unsigned k = 0; k < n; k++) idx[k] = c32(x, k / per_part * per_lane + from / unit + k % per_part);
    LLVMValueRef part = LLVMBuildShuffleVector(x->b, all, LLVMGetPoison(LLVMTypeOf(all)), LLVMConstVector(idx, n), "part");
    return LLVMBuildBitCast(x->b, part, wide_type(x, LLVMTypeOf(trunc)), "");
}

/* An i128 that is put together: values of 32 or 64 bits by the 32 bits at which they begin. */
typedef struct Parts {
    LLVMValueRef v[MOST_PARTS];
} Parts;

static bool add_part(Parts *p, LLVMValueRef v, unsigned at) {
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v)), k = at / 32, n = bits / 32;
    if (at % bits || (bits != 32 && bits != 64) || at + bits > 128 || p->v[k] || p->v[k + n - 1]) return false;
    p->v[k] = p->v[k + n - 1] = v;
    return true;
}

static bool find_parts(Parts *p, LLVMValueRef v, unsigned at, int depth) {
    unsigned bits;
    if (LLVMIsAConstantInt(v)) return LLVMIsNull(v);
    if (LLVMIsAZExtInst(v)) return add_part(p, LLVMGetOperand(v, 0), at);
    if (depth == 0 || !LLVMIsAInstruction(v)) return false;
    if (is_shift(v, LLVMShl, &bits)) return find_parts(p, LLVMGetOperand(v, 0), at + bits, depth - 1);
    if (LLVMGetInstructionOpcode(v) != LLVMOr) return false;
    return find_parts(p, LLVMGetOperand(v, 0), at, depth - 1) && find_parts(p, LLVMGetOperand(v, 1), at, depth - 1);
}

/* a0, b0, a1, b1, ... */
static LLVMValueRef interleave(Widen *x, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef idx[128];
    for (unsigned k = 0; k < 2 * x->w; k++) idx[k] = c32(x, k / 2 + k % 2 * x->w);
    return LLVMBuildShuffleVector(x->b, a, b, LLVMConstVector(idx, 2 * x->w), "");
}

/* 64 bits of each lane. */
static LLVMValueRef half_of(Widen *x, const Parts *p, unsigned k) {
    LLVMTypeRef halves = LLVMVectorType(x->i64, x->w), words = LLVMVectorType(x->i32, x->w);
    if (p->v[k] && p->v[k] == p->v[k + 1] && LLVMGetIntTypeWidth(LLVMTypeOf(p->v[k])) == 64) return vector_of(x, p->v[k]);
    LLVMValueRef low = p->v[k] ? vector_of(x, p->v[k]) : LLVMConstNull(words);
    LLVMValueRef high = p->v[k + 1] ? vector_of(x, p->v[k + 1]) : LLVMConstNull(words);
    return LLVMBuildBitCast(x->b, interleave(x, low, high), halves, "");
}

static LLVMValueRef row_of(Widen *x, LLVMValueRef v) {
    Parts p = {0};
    if (!find_parts(&p, v, 0, 8)) return LLVMBuildBitCast(x->b, vector_of(x, v), row_type(x), "");
    return interleave(x, half_of(x, &p, 0), half_of(x, &p, 2));
}

static void widen_store128(Widen *x, LLVMValueRef i) {
    LLVMValueRef row = row_of(x, LLVMGetOperand(i, 0));
    vec_push(x->a, &x->dead, i);
    if (is_row(x, i)) store_vector(x, row, scalar_of(x, accessed_at(i)), BYTES, row_mask(x));
    else store_each(x, i, row);
}

bool widen_atomic128(Widen *x, LLVMValueRef i) {
    if (x->w < 2 || is_uniform(x, accessed_at(i)) || !is_atomic128(i)) return false;
    if (LLVMIsALoadInst(i) && !is_wide(x, i)) return false;
    note(x, i, is_row(x, i) ? DID_CONTIGUOUS : DID_LANES, is_row(x, i) ? NULL : "lane by lane: 16 bytes must not be torn");
    if (LLVMIsALoadInst(i)) widen_load128(x, i);
    else widen_store128(x, i);
    return true;
}
