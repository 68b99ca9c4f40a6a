/* widen_copy.c: a structure copied as a whole: `a[i] = b[list[i]]`, which is a memcpy of a constant size.
**
** If source and destination are consecutive, the structures of all lanes are one block of memory: consecutive vectors.
** At the same address for all lanes they are copied once. Else lane by lane, in their order, with the widest loads and
** stores that fit; inactive lanes copy scratch memory to another part of it, so that no load waits for such a store. */
#include "passes/widen/widen.h"
#include "passes/ir/value.h"

enum { MAX_ELEMENTS = 8, MAX_PIECES = 128 /* loads of all lanes */, AT_ONCE = 8 /* of these */, SCRATCH_HALF = 128 };

typedef struct Copy {
    LLVMValueRef at[2]; /* destination, source */
    unsigned align[2];
    uint64_t bytes; /* of a structure */
} Copy;

/* ---- consecutive structures ---- */

/* The largest element of which both source and destination of a copy consist; 0 = none of at most MAX_ELEMENTS. */
static unsigned element_of(const Copy *c) {
    for (unsigned size = 8; size; size /= 2)
        if (c->align[0] % size == 0 && c->align[1] % size == 0 && c->bytes % size == 0)
            return c->bytes / size <= MAX_ELEMENTS ? size : 0;
    return 0;
}

static bool copy_in_a_row(Widen *x, const Copy *c) {
    LLVMValueRef v[MAX_ELEMENTS], at[2];
    for (unsigned k = 0; k < 2; k++) {
        int64_t stride;
        if (is_local(c->at[k]) || is_uniform(x, c->at[k]) || !lane_stride(x, c->at[k], &stride) ||
            stride != (int64_t)c->bytes)
            return false;
    }
    unsigned size = element_of(c);
    if (!size) return false;
    unsigned n = (unsigned)c->bytes / size;
    LLVMTypeRef vt = LLVMVectorType(LLVMIntTypeInContext(x->ctx, 8 * size), x->w);
    for (unsigned k = 0; k < 2; k++) at[k] = scalar_of(x, c->at[k]);
    for (unsigned k = 0; k < n; k++)
        v[k] = load_vector(x, vt, byte_offset(x, at[1], (int64_t)(k * x->w * size)), size,
                           mask_of_elements(x, n, k * x->w, x->w));
    for (unsigned k = 0; k < n; k++)
        store_vector(x, v[k], byte_offset(x, at[0], (int64_t)(k * x->w * size)), size,
                     mask_of_elements(x, n, k * x->w, x->w));
    return true;
}

/* ---- lane by lane ---- */

/* The largest power of two of bytes that fits into a register and into the rest. */
static unsigned piece_of(const Widen *x, uint64_t left) {
    unsigned n = x->k->m->vector_bits / 8;
    while (n > left) n /= 2;
    return n;
}

static unsigned pieces_of(const Widen *x, uint64_t bytes) {
    unsigned n = 0;
    for (uint64_t at = 0; at < bytes; at += piece_of(x, bytes - at)) n++;
    return n;
}

static unsigned align_at(unsigned align, uint64_t at) { return (unsigned)((at | align) & -(at | align)); }

/* Vector registers hold all but the smallest: there are too few others for addresses and pieces. */
static LLVMTypeRef type_of_piece(const Widen *x, unsigned size) {
    return size < 4    ? LLVMIntTypeInContext(x->ctx, 8 * size)
           : size == 4 ? LLVMFloatTypeInContext(x->ctx)
                       : LLVMVectorType(x->i32, size / 4);
}

/* The pieces of one structure: loaded into v or stored from there. */
static void load_one(Widen *x, const Copy *c, LLVMValueRef from, LLVMValueRef *v) {
    unsigned size;
    for (uint64_t at = 0; at < c->bytes; at += size) {
        size = piece_of(x, c->bytes - at);
        LLVMTypeRef t = type_of_piece(x, size);
        *v = LLVMBuildLoad2(x->b, t, byte_offset(x, from, (int64_t)at), "row");
        LLVMSetAlignment(*v++, align_at(c->align[1], at));
    }
}

static void store_one(Widen *x, const Copy *c, LLVMValueRef *v, LLVMValueRef to) {
    for (uint64_t at = 0; at < c->bytes; at += piece_of(x, c->bytes - at))
        LLVMSetAlignment(LLVMBuildStore(x->b, *v++, byte_offset(x, to, (int64_t)at)), align_at(c->align[0], at));
}

static void copy_each(Widen *x, LLVMValueRef i, const Copy *c) {
    LLVMValueRef v[MAX_PIECES];
    unsigned n = pieces_of(x, c->bytes), batch = 1;
    LaneAddresses to = lane_addresses(x, i, c->at[0], SCRATCH_HALF), from = lane_addresses(x, i, c->at[1], 0);
    while (2 * batch <= x->w && 2 * batch * n <= AT_ONCE) batch *= 2;
    for (unsigned first = 0; first < x->w; first += batch) {
        for (unsigned k = 0; k < batch; k++) load_one(x, c, address_in_lane(x, &from, first + k), &v[k * n]);
        for (unsigned k = 0; k < batch; k++) store_one(x, c, &v[k * n], address_in_lane(x, &to, first + k));
    }
}

bool widen_copy(Widen *x, LLVMValueRef i) {
    LLVMValueRef f = LLVMGetCalledValue(i), size = LLVMGetOperand(i, 2);
    if (!LLVMIsAFunction(f) || LLVMGetIntrinsicID(f) != LLVMLookupIntrinsicID("llvm.memcpy", 11)) return false;
    if (!LLVMIsAConstantInt(size) || !LLVMIsNull(LLVMGetOperand(i, 3)) || pass_disabled(x->k->m, "fields"))
        return false;
    Copy c = {{LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)},
              {call_align(i, 0), call_align(i, 1)},
              LLVMConstIntGetZExtValue(size)};
    if (!c.bytes || c.bytes > SCRATCH_HALF) return false;
    bool in_a_row = copy_in_a_row(x, &c);
    if (!in_a_row && pieces_of(x, c.bytes) * x->w > MAX_PIECES) return false;
    if (!in_a_row) copy_each(x, i, &c);
    note(x, i, in_a_row ? DID_CONTIGUOUS : DID_LANES, REMARK_NONE);
    vec_push(x->a, &x->dead, i);
    return true;
}
