/* widen_extended.c: addresses with an index narrower than themselves: a[y * n + x] where n is unsigned, or where it is
** not known that the index does not wrap (PTX).
**
** The lanes' indices are consecutive, all of them or in runs (the rows of a tile: r * n + c with r = id / 8, c = id %
** 8), and so are the addresses unless an index wraps among them. A comparison tests whether it does: of lane 0's index,
** or of all of them where there are runs. If not, there is a vector access for all lanes or for each run, else a gather
** or scatter. */
#include "passes/ir/edit.h"
#include "passes/widen/widen.h"

enum { MIN_RUN = 4, MIN_BITS = 16, MAX_BITS = 32 };

/* An extended index with uniform addends after its extension. */
typedef struct Extended {
    LLVMTypeRef element, type;      /* of the GEP; of the extended index */
    LLVMValueRef base, narrow, sum; /* uniform address; the index, not extended; what is added to it, or NULL */
    LLVMOpcode by;                  /* sext or zext */
    int64_t offset;                 /* offset in bytes from there */
} Extended;

static bool is_extension(const Widen *x, LLVMValueRef v) {
    (void)x;
    return is_op(v, OP_EXT);
}

static bool is_extended(Widen *x, LLVMValueRef p, Extended *e) {
    *e = (Extended){0};
    while (LLVMIsAGetElementPtrInst(p) && LLVMGetNumOperands(p) == 2 && LLVMIsAConstantInt(LLVMGetOperand(p, 1))) {
        e->offset +=
            LLVMConstIntGetSExtValue(LLVMGetOperand(p, 1)) * (int64_t)bytes_of(x, LLVMGetGEPSourceElementType(p));
        p = LLVMGetOperand(p, 0);
    }
    if (!LLVMIsAGetElementPtrInst(p) || LLVMGetNumOperands(p) != 2 || pass_disabled(x->k->m, "row_test")) return false;
    LLVMValueRef v = LLVMGetOperand(p, 1);
    e->element = LLVMGetGEPSourceElementType(p);
    e->base = LLVMGetOperand(p, 0);
    if (!is_uniform(x, e->base)) return false;
    v = split_uniform(x, v, is_extension, &e->sum);
    if (!v) return false;
    e->by = LLVMGetInstructionOpcode(v);
    e->narrow = LLVMGetOperand(v, 0);
    e->type = LLVMTypeOf(v);
    unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(e->narrow));
    return bits >= MIN_BITS && bits <= MAX_BITS;
}

/* Elements of t, one higher in each lane. */
static bool is_extended_row(Widen *x, LLVMValueRef p, LLVMTypeRef t, Extended *e) {
    int64_t stride;
    return is_extended(x, p, e) && bytes_of(x, e->element) == bytes_of(x, t) && lane_stride(x, e->narrow, &stride) &&
           stride == 1;
}

/* The address for an index, of one lane or of all. */
static LLVMValueRef extended_address(Widen *x, const Extended *e, LLVMValueRef index) {
    bool all = is_vector(index);
    LLVMTypeRef t = all ? LLVMVectorType(e->type, x->w) : e->type;
    index = LLVMBuildCast(x->b, e->by, index, t, "");
    if (e->sum) index = LLVMBuildAdd(x->b, index, all ? splat(x, e->sum) : e->sum, "");
    LLVMValueRef p = LLVMBuildGEP2(x->b, e->element, scalar_of(x, e->base), &index, 1, "");
    if (e->offset) p = byte_offset(x, p, e->offset);
    return all ? p : LLVMBuildFreeze(x->b, p, "row");
}

/* The n - 1 indices after this one, or after each of these, do not wrap. */
static LLVMValueRef do_not_wrap(Widen *x, const Extended *e, LLVMValueRef index, unsigned n) {
    LLVMTypeRef t = LLVMTypeOf(e->narrow);
    bool is_signed = e->by == LLVMSExt;
    LLVMValueRef last = LLVMConstInt(t, (1ULL << (LLVMGetIntTypeWidth(t) - is_signed)) - n, 0);
    if (LLVMTypeOf(index) != t) last = splat(x, last);
    return LLVMBuildICmp(x->b, is_signed ? LLVMIntSLE : LLVMIntULE, index, last, "");
}

/* ---- all lanes in a row ---- */

/* The builder is in `row`; *first: lane 0's index. */
static Fork fork_on_wrap(Widen *x, LLVMValueRef inst, const Extended *e, LLVMValueRef *first) {
    *first = LLVMBuildFreeze(x->b, scalar_of(x, e->narrow), "");
    LLVMValueRef address = extended_address(x, e, *first);
    Fork f = fork_at(x, inst, do_not_wrap(x, e, *first, x->w));
    f.first = address;
    return f;
}

/* In `apart`: not computed before, where it may be unused. */
static LLVMValueRef addresses_apart(Widen *x, const Fork *f, const Extended *e, LLVMValueRef first) {
    LLVMPositionBuilderAtEnd(x->b, f->apart);
    return extended_address(x, e, LLVMBuildAdd(x->b, splat(x, first), iota(x, LLVMTypeOf(first)), ""));
}

LLVMValueRef load_extended(Widen *x, LLVMValueRef inst, LLVMValueRef p, unsigned align) {
    Extended e;
    LLVMTypeRef t = LLVMTypeOf(inst), vt = LLVMVectorType(t, x->w);
    if (!is_extended_row(x, p, t, &e)) return NULL;
    note(x, inst, DID_CONTIGUOUS, REMARK_NONE);
    LLVMValueRef v[2], first;
    Fork f = fork_on_wrap(x, inst, &e, &first);
    v[0] = load_vector(x, vt, f.first, align, x->mask);
    LLVMBuildBr(x->b, f.join);
    v[1] = gather(x, vt, addresses_apart(x, &f, &e, first), align);
    return join_loads(x, inst, &f, vt, v);
}

bool store_extended(Widen *x, LLVMValueRef inst, LLVMValueRef v, LLVMValueRef p, unsigned align) {
    Extended e;
    if (!is_extended_row(x, p, LLVMGetElementType(LLVMTypeOf(v)), &e)) return false;
    note(x, inst, DID_CONTIGUOUS, REMARK_NONE);
    LLVMValueRef first;
    Fork f = fork_on_wrap(x, inst, &e, &first);
    store_vector(x, v, f.first, align, x->mask);
    LLVMBuildBr(x->b, f.join);
    scatter(x, v, addresses_apart(x, &f, &e, first), align);
    LLVMBuildBr(x->b, f.join);
    LLVMPositionBuilderBefore(x->b, inst);
    return true;
}

/* ---- runs ---- */

/* Lanes of a run, 0 = there are none; at: the index of each lane, from somewhere in the run. */
static unsigned has_runs(Widen *x, LLVMValueRef p, LLVMTypeRef t, Extended *e, int64_t *at) {
    if (!is_extended(x, p, e) || bytes_of(x, e->element) != bytes_of(x, t)) return 0;
    int run = lane_runs(x, e->narrow, at);
    return run ? run_length(x, at, (unsigned)run, 1) : 0;
}

/* The builder is in `row`; all: the indices, first: the address of each run at its first lane. */
static Fork fork_on_wraps(Widen *x, LLVMValueRef inst, const Extended *e, unsigned run, const int64_t *at,
                          LLVMValueRef *all, LLVMValueRef *first) {
    *all = LLVMBuildFreeze(x->b, vector_of(x, e->narrow), "");
    LLVMValueRef values = firsts_of_runs(x, e->narrow, *all, at, run), fit = do_not_wrap(x, e, values, run);
    LLVMTypeRef t = LLVMTypeOf(fit);
    Fork f = fork_at(x, inst, call_intrinsic(x, "llvm.vector.reduce.and", &t, 1, &fit, 1));
    for (unsigned k = 0; k < x->w; k += run)
        first[k] = extended_address(x, e, LLVMBuildExtractElement(x->b, values, c32(x, k), ""));
    return f;
}

LLVMValueRef load_extended_runs(Widen *x, LLVMValueRef inst, LLVMValueRef p, unsigned align, Did *how) {
    Extended e;
    LLVMTypeRef t = LLVMTypeOf(inst), vt = LLVMVectorType(t, x->w);
    int64_t at[64];
    unsigned run = has_runs(x, p, t, &e, at);
    if (!run) return NULL;
    *how = DID_STRIDED;
    LLVMValueRef v[2], all, first[64];
    Fork f = fork_on_wraps(x, inst, &e, run, at, &all, first);
    v[0] = load_runs(x, t, first, run, align);
    LLVMBuildBr(x->b, f.join);
    LLVMPositionBuilderAtEnd(x->b, f.apart);
    v[1] = gather(x, vt, extended_address(x, &e, all), align);
    return join_loads(x, inst, &f, vt, v);
}

bool store_extended_runs(Widen *x, LLVMValueRef inst, LLVMValueRef v, LLVMValueRef p, unsigned align, Did *how) {
    Extended e;
    int64_t at[64];
    unsigned run = has_runs(x, p, LLVMGetElementType(LLVMTypeOf(v)), &e, at);
    if (!run) return false;
    *how = DID_STRIDED;
    LLVMValueRef all, first[64];
    Fork f = fork_on_wraps(x, inst, &e, run, at, &all, first);
    store_runs(x, v, first, run, align);
    LLVMBuildBr(x->b, f.join);
    LLVMPositionBuilderAtEnd(x->b, f.apart);
    scatter(x, v, extended_address(x, &e, all), align);
    LLVMBuildBr(x->b, f.join);
    LLVMPositionBuilderBefore(x->b, inst);
    return true;
}
