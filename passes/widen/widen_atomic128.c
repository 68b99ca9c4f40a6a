/* widen_atomic128.c: loads and stores of 16 bytes that are one access: atomic i128, what PTX's .v2.u64 and .b128
** become.
**
** The value of a lane must not be torn, so it is never split: each lane is one access of 16 bytes at its own address,
** which is atomic on the CPU if it is aligned (AVX; without it code generation takes cmpxchg16b). Inactive lanes access
** scratch memory. Lanes that share one address share one access (widen_memory.c). Weak accesses of adjacent lanes are
** vector accesses.
**
** An i128 of W lanes is <2W x i64> in the order of memory. Its parts are extracted and combined by shuffles: code
** generation has no good code for shifts of vectors of i128. */
#include "passes/ir/edit.h"
#include "passes/widen/widen.h"
#include "passes/ir/value.h"

enum { BYTES = 16, MAX_WORDS = 4 };

static bool is_atomic128(LLVMValueRef i) {
    return LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic && is_integer_type(accessed_type(i), 128);
}

/* Whole rows: adjacent lanes access adjacent 16 bytes, and no order with other threads is required. */
static bool is_contiguous128(const Widen *x, LLVMValueRef i) {
    int64_t stride;
    return LLVMGetOrdering(i) == LLVMAtomicOrderingUnordered && !LLVMGetVolatile(i) &&
           lane_stride(x, accessed_at(i), &stride) && stride == BYTES;
}

static LLVMTypeRef row_type(const Widen *x) { return LLVMVectorType(x->i64, 2 * x->w); }

static LLVMValueRef row_mask(Widen *x) { return x->mask ? mask_of_elements(x, 2, 0, 2 * x->w) : NULL; }

static LLVMValueRef load_each128(Widen *x, LLVMValueRef i) {
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
    LLVMValueRef row = is_contiguous128(x, i)
                           ? load_vector(x, row_type(x), scalar_of(x, accessed_at(i)), BYTES, row_mask(x))
                           : load_each128(x, i);
    set_wide(x, i, LLVMBuildBitCast(x->b, row, wide_type(x, LLVMTypeOf(i)), ""));
}

/* ---- parts ---- */

/* v shifted by a constant number of bits. */
static bool is_shift(LLVMValueRef v, LLVMOpcode op, unsigned *bits) {
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != op || !LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
        return false;
    *bits = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1));
    return true;
}

LLVMValueRef widen_part128(Widen *x, LLVMValueRef trunc) {
    LLVMValueRef v = LLVMGetOperand(trunc, 0);
    unsigned from = 0, bits = int_bits(trunc);
    if (is_shift(v, LLVMLShr, &from)) v = LLVMGetOperand(v, 0);
    unsigned unit = (from | bits) & -(from | bits); /* bits of an element of the shuffle */
    if (!is_integer_type(LLVMTypeOf(v), 128) || bits > 64 || unit < 8 || from + bits > 128) return NULL;
    unsigned per_lane = 128 / unit, per_part = bits / unit, n = x->w * per_part;
    LLVMTypeRef e = LLVMIntTypeInContext(x->ctx, unit);
    LLVMValueRef all = LLVMBuildBitCast(x->b, vector_of(x, v), LLVMVectorType(e, x->w * per_lane), "");
    LLVMValueRef *idx = arena_array(x->a, LLVMValueRef, n);
    for (unsigned k = 0; k < n; k++) idx[k] = c32(x, k / per_part * per_lane + from / unit + k % per_part);
    LLVMValueRef part =
        LLVMBuildShuffleVector(x->b, all, LLVMGetPoison(LLVMTypeOf(all)), LLVMConstVector(idx, n), "part");
    return LLVMBuildBitCast(x->b, part, wide_type(x, LLVMTypeOf(trunc)), "");
}

/* 32 bits of an i128: bits 32 * part and up of v, an integer of 32, 64 or 128 bits; v = NULL: zeros. */
typedef struct Word {
    LLVMValueRef v;
    unsigned part;
} Word;

/* 32 bits of a constant. */
static uint64_t constant_word(Widen *x, LLVMValueRef c, unsigned k) {
    LLVMValueRef shifted = LLVMBuildLShr(x->b, c, LLVMConstInt(LLVMTypeOf(c), 32 * k, 0), "");
    return LLVMConstIntGetZExtValue(LLVMBuildTrunc(x->b, shifted, x->i32, "")); /* the builder folds both */
}

static void move_words(Word *w, unsigned by, bool up) {
    Word old[MAX_WORDS];
    for (unsigned k = 0; k < MAX_WORDS; k++) old[k] = w[k];
    for (unsigned k = 0; k < MAX_WORDS; k++) {
        unsigned from = up ? k - by : k + by;
        w[k] = from < MAX_WORDS ? old[from] : (Word){0};
    }
}

static bool find_words(Widen *x, LLVMValueRef v, Word *w, int depth);

/* Whole words are kept, the others cleared. */
static bool mask_words(Widen *x, LLVMValueRef v, Word *w, int depth) {
    LLVMValueRef mask = LLVMGetOperand(v, 1);
    if (!LLVMIsAConstantInt(mask) || !find_words(x, LLVMGetOperand(v, 0), w, depth)) return false;
    for (unsigned k = 0; k < MAX_WORDS; k++) {
        uint64_t bits = constant_word(x, mask, k);
        if (bits && bits != UINT32_MAX) return false;
        if (!bits) w[k] = (Word){0};
    }
    return true;
}

static bool join_words(Widen *x, LLVMValueRef v, Word *w, int depth) {
    Word other[MAX_WORDS];
    if (!find_words(x, LLVMGetOperand(v, 0), w, depth) || !find_words(x, LLVMGetOperand(v, 1), other, depth))
        return false;
    for (unsigned k = 0; k < MAX_WORDS; k++) {
        if (w[k].v && other[k].v) return false;
        if (other[k].v) w[k] = other[k];
    }
    return true;
}

/* The words that an i128 consists of: zext, shl, lshr, or, and by multiples of 32 bits. */
static bool find_words(Widen *x, LLVMValueRef v, Word *w, int depth) {
    unsigned bits, n = MAX_WORDS;
    for (unsigned k = 0; k < MAX_WORDS; k++) w[k] = (Word){0};
    if (LLVMIsAConstantInt(v)) return LLVMIsNull(v);
    if (depth == 0) return false;
    if (LLVMIsAZExtInst(v)) {
        v = LLVMGetOperand(v, 0), n = int_bits(v) / 32;
        if (int_bits(v) != 32 && int_bits(v) != 64) return false;
    } else if (is_shift(v, LLVMShl, &bits) || is_shift(v, LLVMLShr, &bits)) {
        if (bits % 32 || !find_words(x, LLVMGetOperand(v, 0), w, depth - 1)) return false;
        move_words(w, bits / 32, LLVMGetInstructionOpcode(v) == LLVMShl);
        return true;
    } else if (opcode(v) == LLVMOr) {
        return join_words(x, v, w, depth - 1);
    } else if (opcode(v) == LLVMAnd) {
        return mask_words(x, v, w, depth - 1);
    }
    for (unsigned k = 0; k < n; k++) w[k] = (Word){v, k};
    return true;
}

/* a0, b0, a1, b1, ... */
static LLVMValueRef interleave_words(Widen *x, LLVMValueRef a, LLVMValueRef b) {
    LLVMValueRef idx[128];
    for (unsigned k = 0; k < 2 * x->w; k++) idx[k] = c32(x, k / 2 + k % 2 * x->w);
    return LLVMBuildShuffleVector(x->b, a, b, LLVMConstVector(idx, 2 * x->w), "");
}

/* Elements of `bits` bits, number `part` of each lane's v. */
static LLVMValueRef part128(Widen *x, LLVMValueRef v, unsigned bits, unsigned part) {
    unsigned n = int_bits(v) / bits;
    LLVMValueRef all = vector_of(x, v), idx[64];
    if (n == 1) return all;
    all = LLVMBuildBitCast(x->b, all, LLVMVectorType(LLVMIntTypeInContext(x->ctx, bits), x->w * n), "");
    for (unsigned k = 0; k < x->w; k++) idx[k] = c32(x, k * n + part);
    return LLVMBuildShuffleVector(x->b, all, LLVMGetPoison(LLVMTypeOf(all)), LLVMConstVector(idx, x->w), "part");
}

static LLVMValueRef word_of(Widen *x, Word w) {
    return w.v ? part128(x, w.v, 32, w.part) : LLVMConstNull(LLVMVectorType(x->i32, x->w));
}

/* 64 bits of each lane. */
static LLVMValueRef word_pair(Widen *x, const Word *w) {
    bool whole = w[0].v && w[0].v == w[1].v && w[0].part % 2 == 0 && w[1].part == w[0].part + 1;
    if (whole) return part128(x, w[0].v, 64, w[0].part / 2);
    return LLVMBuildBitCast(x->b, interleave_words(x, word_of(x, w[0]), word_of(x, w[1])), LLVMVectorType(x->i64, x->w),
                            "");
}

static LLVMValueRef row_of(Widen *x, LLVMValueRef v) {
    Word w[MAX_WORDS];
    bool whole = find_words(x, v, w, 12);
    for (unsigned k = 0; k < MAX_WORDS && whole; k++) whole = !w[k].v || w[k].v != v; /* built from parts */
    if (!whole) return LLVMBuildBitCast(x->b, vector_of(x, v), row_type(x), "");
    return interleave_words(x, word_pair(x, &w[0]), word_pair(x, &w[2]));
}

static void widen_store128(Widen *x, LLVMValueRef i) {
    LLVMValueRef row = row_of(x, LLVMGetOperand(i, 0));
    vec_push(x->a, &x->dead, i);
    if (is_contiguous128(x, i)) store_vector(x, row, scalar_of(x, accessed_at(i)), BYTES, row_mask(x));
    else store_each(x, i, row);
}

bool widen_atomic128(Widen *x, LLVMValueRef i) {
    if (x->w < 2 || is_uniform(x, accessed_at(i)) || !is_atomic128(i)) return false;
    if (LLVMIsALoadInst(i) && !is_wide(x, i)) return false;
    note(x, i, is_contiguous128(x, i) ? DID_CONTIGUOUS : DID_LANES,
         is_contiguous128(x, i) ? REMARK_NONE : REMARK_LANES_128);
    if (LLVMIsALoadInst(i)) widen_load128(x, i);
    else widen_store128(x, i);
    return true;
}
