/* widen_runs.c: loads and stores of a few neighbouring elements at an address of each lane: `float4 p = pos[list[k]]`.
**
** Element by element it would be K gathers or scatters, each of which takes as long as W accesses. Instead each lane
** loads 16 bytes at once, four elements of four bytes or two of eight, and shuffles within 128 bits transpose them,
** four (two) rows at a time: row 4 * L + j is part L of vector j, so that the fields come out in the order of the
** lanes. Stores do the same backwards. Loads of pairs of four bytes are one gather of eight. As many elements as a
** register holds are one load for each lane, and transposed as a square: each cache line is then read at once, which
** counts where the lanes' rows are a power of two apart and share few sets of the cache.
**
** A run is two to sixteen accesses of one size in one block, within 64 bytes of each other, of stores 32. Loads have no
** write in between; all are done at the first of them. The gap between two of them may be read as well: it is on the
** page of one of the two. Nothing is read after the last, unless the alignment implies that it belongs to the same 16
** bytes. Stores have neither reads nor writes nor gaps in between, and are done at the last. Inactive lanes read and
** write scratch memory. Left to others: addresses that are uniform or a small constant apart (widen_memory.c,
** widen_fields.c), that follow a pattern in which lanes are not equally far apart (widen_pattern.c) or may be
** consecutive at run time, shared memory, local arrays. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/widen/widen.h"
#include <string.h>

enum {
    MAX_SPAN = 16,
    MAX_BYTES = 64,
    MAX_BYTES_STORED = 32,
    AHEAD = 128,
    SCRATCH_AT = 64,
    NEAR = 8 /* elements: lanes that widen_fields and others handle */
};

typedef struct Run {
    LLVMValueRef member[MAX_SPAN]; /* by index; NULL = not accessed */
    LLVMValueRef first, here;      /* in program order; where all are done: the first, of stores the last */
    bool stores;
    unsigned n, size, mine; /* span in elements; bytes of an element; index of `here` */
    unsigned align;         /* of index 0 */
} Run;

/* ---- runs ---- */

static bool is_element(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(t);
    if (k == LLVMIntegerTypeKind) return LLVMGetIntTypeWidth(t) == 32 || LLVMGetIntTypeWidth(t) == 64;
    return k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind;
}

static bool is_run_candidate(Widen *x, LLVMValueRef i, bool stores) {
    if (!is_plain_access(i) || (LLVMIsAStoreInst(i) != NULL) != stores) return false;
    LLVMValueRef p = accessed_at(i);
    int64_t stride, offset[64];
    if ((!stores && !is_wide(x, i)) || !is_element(accessed_type(i)) || is_local(p) || is_uniform(x, p) ||
        map_get(&x->fields, i, 0))
        return false;
    bool strided = !stores && lane_stride(x, p, &stride);
    if (strided && (uint64_t)(stride < 0 ? -stride : stride) <= NEAR * bytes_of(x, accessed_type(i))) return false;
    bool far = strided || shapes_has_unknown_stride(x->s, p);
    if ((!strided && lane_runs(x, p, offset) > 1) || (!far && may_be_row(x, p))) return false;
    if (!x->memory) x->memory = memory_spaces(x->a, x->k->fn);
    return spaces_of(x->memory, p) != SPACE_SHARED;
}

static bool is_run_better(const Run *r, unsigned count) {
    if (r->stores && count != r->n) return false;
    return count >= 3 || (count == 2 && r->n == 2);
}

/* The accesses of the run that `first` begins, by index from there on; returns the last. */
static LLVMValueRef collect_run(Widen *x, LLVMValueRef first, Run *r, LLVMValueRef *at_index, int64_t *low,
                                int64_t *high) {
    int64_t from, at, size = r->size, maximum = (r->stores ? MAX_BYTES_STORED : MAX_BYTES) / size;
    LLVMValueRef base = access_base(x->k->m->dl, accessed_at(first), &from), i = first, last = first;
    at_index[0] = first;
    for (int ahead = 0; ahead < AHEAD && (i = LLVMGetNextInstruction(i)); ahead++) {
        bool fits = !map_get(&x->runs, i, 0) && is_run_candidate(x, i, r->stores) &&
                    (int64_t)bytes_of(x, accessed_type(i)) == size &&
                    same_address(access_base(x->k->m->dl, accessed_at(i), &at), base) && !((at - from) % size);
        int64_t index = fits ? (at - from) / size : 0, new_low = index < *low ? index : *low,
                new_high = index > *high ? index : *high;
        if (fits && new_high - new_low < maximum && !at_index[index])
            at_index[index] = last = i, *low = new_low, *high = new_high;
        else if (stands_between(i, r->stores)) break;
    }
    return last;
}

static void run_from(Widen *x, LLVMValueRef first) {
    bool stores = LLVMIsAStoreInst(first) != NULL;
    if (map_get(&x->runs, first, 0) || !is_run_candidate(x, first, stores)) return;
    LLVMValueRef around[2 * MAX_SPAN] = {0}, *at_index = around + MAX_SPAN, last;
    int64_t low = 0, high = 0;
    Run *r = arena_alloc(x->a, sizeof *r);
    *r = (Run){.stores = stores, .size = (unsigned)bytes_of(x, accessed_type(first))};
    last = collect_run(x, first, r, at_index, &low, &high);
    r->first = first, r->here = stores ? last : first;
    r->n = (unsigned)(high - low + 1);
    unsigned count = 0;
    for (unsigned k = 0; k < r->n; k++) count += at_index[low + k] != NULL;
    if (!is_run_better(r, count)) return;
    for (unsigned k = 0; k < r->n; k++) {
        if (!(r->member[k] = at_index[low + k])) continue;
        map_put(&x->runs, r->member[k], (uintptr_t)r);
        if (r->member[k] == r->here) r->mine = k;
    }
    r->align = LLVMGetAlignment(r->member[0]);
}

void find_runs(Widen *x) {
    if (x->w < 4 || pass_disabled(x->k->m, "runs")) return;
    for_each_cfg_instruction(i, b, x->c) run_from(x, i);
}

/* ---- vectors ---- */

static LLVMValueRef shuffle_lanes(Widen *x, LLVMValueRef a, LLVMValueRef b, const unsigned *lane, unsigned n) {
    LLVMValueRef idx[128];
    for (unsigned i = 0; i < n; i++) idx[i] = c32(x, lane[i]);
    return LLVMBuildShuffleVector(x->b, a, b, LLVMConstVector(idx, n), "");
}

LLVMValueRef concatenate(Widen *x, LLVMValueRef *v, unsigned n, unsigned lanes) {
    unsigned all[128];
    for (unsigned i = 0; i < 2 * lanes * n && i < 128; i++) all[i] = i;
    for (; n > 1; n /= 2, lanes *= 2)
        for (unsigned k = 0; k < n / 2; k++) v[k] = shuffle_lanes(x, v[2 * k], v[2 * k + 1], all, 2 * lanes);
    return v[0];
}

/* Of each 16 bytes of a and b: pairs of `unit` elements, from the lower or the upper half, of a and b interleaved. */
static LLVMValueRef unpack(Widen *x, LLVMValueRef a, LLVMValueRef b, unsigned lanes, unsigned part, unsigned unit,
                           bool upper) {
    unsigned lane[64];
    for (unsigned i = 0; i < lanes; i++) {
        unsigned in = i % part, from = upper ? part / 2 : 0;
        lane[i] = i - in + from + in / (2 * unit) * unit + in % unit + (in / unit % 2 ? lanes : 0);
    }
    return shuffle_lanes(x, a, b, lane, lanes);
}

/* z: `part` vectors of rows; becomes the fields. */
static void transpose(Widen *x, LLVMValueRef *z, unsigned lanes, unsigned part) {
    if (part == 2) {
        LLVMValueRef f = unpack(x, z[0], z[1], lanes, 2, 1, false);
        z[1] = unpack(x, z[0], z[1], lanes, 2, 1, true), z[0] = f;
        return;
    }
    LLVMValueRef t[4];
    for (unsigned k = 0; k < 4; k++) t[k] = unpack(x, z[k / 2 * 2], z[k / 2 * 2 + 1], lanes, 4, 1, k % 2);
    for (unsigned k = 0; k < 4; k++) z[k] = unpack(x, t[k / 2], t[k / 2 + 2], lanes, 4, 2, k % 2);
}

static LLVMValueRef load_at(Widen *x, LLVMTypeRef t, LLVMValueRef p, unsigned bytes, unsigned align) {
    LLVMValueRef v = LLVMBuildLoad2(x->b, t, byte_offset(x, p, bytes), "row");
    LLVMSetAlignment(v, align);
    return v;
}

/* 16 bytes of one lane; of three elements of four bytes no more than these. */
static LLVMValueRef load_part_row(Widen *x, LLVMTypeRef e, LLVMValueRef p, unsigned bytes, unsigned n) {
    unsigned size = (unsigned)bytes_of(x, e);
    if (n != 3) return load_at(x, LLVMVectorType(e, n), p, bytes, size);
    static const unsigned wider[4] = {0, 1, 2, 3};
    LLVMValueRef two = load_at(x, LLVMVectorType(e, 2), p, bytes, size), one = load_at(x, e, p, bytes + 2 * size, size);
    two = shuffle_lanes(x, two, LLVMGetPoison(LLVMTypeOf(two)), wider, 4);
    return LLVMBuildInsertElement(x->b, two, one, c32(x, 2), "");
}

/* n elements of each lane, 16 bytes but for the last of three: fields[0] to [n - 1]. */
static void load_rows(Widen *x, LLVMTypeRef e, LLVMValueRef *at, unsigned bytes, unsigned n, LLVMValueRef *fields) {
    unsigned size = (unsigned)bytes_of(x, e), part = 16 / size, lanes = x->k->m->vector_bits / (8 * size), blocks;
    if (lanes > x->w) lanes = x->w;
    blocks = x->w / lanes;
    LLVMValueRef of_block[4][64];
    for (unsigned b = 0; b < blocks; b++) {
        LLVMValueRef z[4], row[16];
        for (unsigned j = 0; j < part; j++) {
            for (unsigned l = 0; l < lanes / part; l++)
                row[l] = load_part_row(x, e, at[b * lanes + l * part + j], bytes, n);
            z[j] = concatenate(x, row, lanes / part, part);
        }
        transpose(x, z, lanes, part);
        for (unsigned j = 0; j < part; j++) of_block[j][b] = z[j];
    }
    for (unsigned j = 0; j < n; j++) fields[j] = concatenate(x, of_block[j], blocks, lanes);
}

/* Parts of a and b, those of b after those of a. */
static LLVMValueRef pick_parts(Widen *x, LLVMValueRef a, LLVMValueRef b, unsigned part, const unsigned *from,
                               unsigned n) {
    unsigned lane[64];
    for (unsigned k = 0; k < n * part; k++) lane[k] = from[k / part] * part + k % part;
    return shuffle_lanes(x, a, b, lane, n * part);
}

/* Of n vectors of n parts each, part i of vector k becomes part k of vector i; n is 1, 2 or 4. */
static void transpose_parts(Widen *x, LLVMValueRef *z, unsigned n, unsigned part) {
    static const unsigned two[2][2] = {{0, 2}, {1, 3}}, halves[2][4] = {{0, 1, 4, 5}, {2, 3, 6, 7}},
                          every_second[2][4] = {{0, 2, 4, 6}, {1, 3, 5, 7}};
    LLVMValueRef t[4];
    memcpy(t, z, n * sizeof *t);
    for (unsigned k = 0; k < 2 && n == 2; k++) z[k] = pick_parts(x, t[0], t[1], part, two[k], 2);
    if (n != 4) return;
    for (unsigned k = 0; k < 4; k++) t[k] = pick_parts(x, z[k % 2 * 2], z[k % 2 * 2 + 1], part, halves[k / 2], 4);
    for (unsigned k = 0; k < 4; k++) z[k] = pick_parts(x, t[k / 2 * 2], t[k / 2 * 2 + 1], part, every_second[k % 2], 4);
}

/* As many elements of each lane as a register holds: fields[0] to [lanes - 1]. */
static void load_square(Widen *x, LLVMTypeRef e, LLVMValueRef *at, unsigned bytes, unsigned lanes,
                        LLVMValueRef *fields) {
    unsigned size = (unsigned)bytes_of(x, e), part = 16 / size, parts = lanes / part, blocks = x->w / lanes;
    LLVMValueRef of_block[MAX_SPAN][64], row[MAX_SPAN], z[4];
    for (unsigned b = 0; b < blocks; b++) {
        for (unsigned i = 0; i < lanes; i++)
            row[i] = load_at(x, LLVMVectorType(e, lanes), at[b * lanes + i], bytes, size);
        for (unsigned g = 0; g < parts; g++) transpose(x, row + g * part, lanes, part);
        for (unsigned c = 0; c < part; c++) {
            for (unsigned g = 0; g < parts; g++) z[g] = row[g * part + c];
            transpose_parts(x, z, parts, part);
            for (unsigned p = 0; p < parts; p++) of_block[p * part + c][b] = z[p];
        }
    }
    for (unsigned j = 0; j < lanes; j++) fields[j] = concatenate(x, of_block[j], blocks, lanes);
}

/* One element of each lane: a gather where there is one, else lane by lane. */
static LLVMValueRef load_lanes_each(Widen *x, LLVMTypeRef e, LLVMValueRef p, LLVMValueRef *at, unsigned bytes,
                                    unsigned align) {
    LLVMTypeRef t = LLVMVectorType(e, x->w);
    if (shim_masked_is_native(x->k->m->tm, x->k->fn, t, SHIM_GATHER, align))
        return gather(x, t, byte_offset(x, p, bytes), align);
    LLVMValueRef v = LLVMGetPoison(t);
    for (unsigned i = 0; i < x->w; i++)
        v = LLVMBuildInsertElement(x->b, v, load_at(x, e, at[i], bytes, align), c32(x, i), "");
    return v;
}

/* Two elements of four bytes. */
static void split_pairs(Widen *x, LLVMValueRef v, LLVMValueRef *fields) {
    v = LLVMBuildBitCast(x->b, v, LLVMVectorType(x->i32, 2 * x->w), "");
    for (unsigned odd = 0; odd < 2; odd++) {
        unsigned lane[64];
        for (unsigned i = 0; i < x->w; i++) lane[i] = 2 * i + odd;
        fields[odd] = shuffle_lanes(x, v, LLVMGetPoison(LLVMTypeOf(v)), lane, x->w);
    }
}

/* Elements loaded at once from index k on; of four bytes three, or four: the fourth is there if it is used, or if the
** 16 bytes are aligned. */
static unsigned piece(const Run *r, unsigned k) {
    unsigned left = r->n - k, part = 16 / r->size;
    if (left == 3 && part == 4) return !(k % part) && r->align >= 16 ? 4 : 3;
    return left < part ? left : part;
}

/* The addresses of index 0. */
static void addresses(Widen *x, const Run *r, LLVMValueRef *at, LLVMValueRef *all) {
    LLVMValueRef p = accessed_at(r->here);
    unsigned back = r->mine * r->size;
    LaneAddresses lanes = lane_addresses(x, r->first, p, SCRATCH_AT + back);
    for (unsigned i = 0; i < x->w; i++) at[i] = byte_offset(x, address_in_lane(x, &lanes, i), -(int64_t)back);
    if (all) *all = byte_offset(x, safe_addresses(x, p, SCRATCH_AT + back), -(int64_t)back);
}

static unsigned members(const Run *r, unsigned first, unsigned n) {
    unsigned count = 0;
    for (unsigned k = first; k < first + n; k++) count += r->member[k] != NULL;
    return count;
}

/* Elements of a square from index k on, 0: there is none, or it is better loaded by 16 bytes. */
static unsigned square(const Widen *x, const Run *r, unsigned k) {
    unsigned lanes = x->k->m->vector_bits / (8 * r->size);
    if (lanes > x->w) lanes = x->w;
    bool full = lanes * r->size > 16 && k + lanes <= r->n && 4 * members(r, k, lanes) >= 3 * lanes;
    return full && x->w % lanes == 0 ? lanes : 0;
}

static void load_run(Widen *x, const Run *r) {
    LLVMTypeRef e = LLVMTypeOf(r->here);
    LLVMValueRef v[MAX_SPAN + 4], p, at[64];
    addresses(x, r, at, &p);
    for (unsigned k = 0, n; k < r->n; k += n) {
        unsigned bytes = k * r->size;
        if ((n = square(x, r, k))) {
            load_square(x, e, at, bytes, n, &v[k]);
            continue;
        }
        n = piece(r, k);
        if (!members(r, k, n)) continue;
        if (n * r->size >= 12) load_rows(x, e, at, bytes, n, &v[k]);
        else if (n == 2) split_pairs(x, load_lanes_each(x, x->i64, p, at, bytes, r->size), &v[k]);
        else v[k] = load_lanes_each(x, e, p, at, bytes, r->size);
    }
    for (unsigned k = 0; k < r->n; k++)
        if (r->member[k])
            set_wide(x, r->member[k], LLVMBuildBitCast(x->b, v[k], LLVMVectorType(LLVMTypeOf(r->member[k]), x->w), ""));
}

/* ---- stores ---- */

LLVMValueRef lanes_from(Widen *x, LLVMValueRef v, unsigned first, unsigned n) {
    unsigned lane[64];
    if (!v) return NULL;
    for (unsigned i = 0; i < n; i++) lane[i] = first + i;
    return shuffle_lanes(x, v, LLVMGetPoison(LLVMTypeOf(v)), lane, n);
}

static void store_at(Widen *x, LLVMValueRef v, LLVMValueRef p, unsigned bytes, unsigned align) {
    LLVMSetAlignment(LLVMBuildStore(x->b, v, byte_offset(x, p, bytes)), align);
}

/* Elements first to first + n - 1 of z; three of four bytes are stored as two and one. */
static void store_part_row(Widen *x, LLVMValueRef z, unsigned first, unsigned n, LLVMValueRef p, unsigned bytes,
                           unsigned align) {
    unsigned size = (unsigned)bytes_of(x, LLVMGetElementType(LLVMTypeOf(z)));
    if (n == 1) store_at(x, LLVMBuildExtractElement(x->b, z, c32(x, first), ""), p, bytes, align);
    else if (n != 3) store_at(x, lanes_from(x, z, first, n), p, bytes, align);
    else
        store_part_row(x, z, first, 2, p, bytes, align), store_part_row(x, z, first + 2, 1, p, bytes + 2 * size, align);
}

/* n elements of each lane, up to 16 bytes. */
static void store_rows(Widen *x, LLVMValueRef *fields, unsigned n, LLVMValueRef *at, unsigned bytes, unsigned size,
                       unsigned align) {
    unsigned part = n <= 2 ? n : 16 / size, lanes = x->k->m->vector_bits / (8 * size);
    if (lanes > x->w) lanes = x->w;
    for (unsigned first = 0; first < x->w; first += lanes) {
        LLVMValueRef z[4];
        for (unsigned j = 0; j < part; j++)
            z[j] = j < n ? lanes_from(x, fields[j], first, lanes) : LLVMGetPoison(LLVMTypeOf(z[0]));
        if (part == 2 && size == 4) {
            LLVMValueRef upper = unpack(x, z[0], z[1], lanes, 4, 1, true);
            z[0] = unpack(x, z[0], z[1], lanes, 4, 1, false), z[1] = upper;
            for (unsigned i = 0; i < lanes; i++)
                store_part_row(x, z[i / 2 % 2], i / 4 * 4 + i % 2 * 2, 2, at[first + i], bytes, align);
            continue;
        }
        if (part > 1) transpose(x, z, lanes, part);
        for (unsigned i = 0; i < lanes; i++)
            store_part_row(x, z[i % part], i / part * part, n, at[first + i], bytes, align);
    }
}

static void store_run(Widen *x, const Run *r) {
    LLVMValueRef v[MAX_SPAN], at[64];
    LLVMTypeRef vt = LLVMVectorType(LLVMIntTypeInContext(x->ctx, 8 * r->size), x->w);
    for (unsigned k = 0; k < r->n; k++)
        v[k] = LLVMBuildBitCast(x->b, vector_of(x, LLVMGetOperand(r->member[k], 0)), vt, "");
    addresses(x, r, at, NULL);
    for (unsigned k = 0, n; k < r->n; k += n) {
        unsigned left = r->n - k, part = 16 / r->size;
        n = left < part ? left : part;
        store_rows(x, &v[k], n, at, k * r->size, r->size, r->size);
    }
}

bool widen_run(Widen *x, LLVMValueRef i) {
    const Run *r = map_ptr(&x->runs, i);
    if (!r) return false;
    note(x, i, DID_GATHER, r->stores ? REMARK_SCATTER_RUN : REMARK_GATHER_RUN);
    if (r->stores) vec_push(x->a, &x->dead, i);
    if (r->here == i) (r->stores ? store_run : load_run)(x, r);
    return true;
}
