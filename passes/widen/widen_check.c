/* widen_check.c: accesses that --check has instrumented (instrument_accesses.c): a test in the kernel, and a call of
** the runtime where it fails.
**
** The test is by the shape of the address: for a uniform address of one access, for addresses with a constant stride of
** the first and the last active lane, else of each lane.  What it tests against are the bounds of the variable that the
** code names, or of the allocation that this site met last: a row of the worker's CucpuBounds, which the runtime fills
** (cpu-runtime/check/access.c).  The test may fail where nothing is wrong; the runtime looks at each lane.  Width 1 has
** the same test.  Where initialisation is checked it fails always, and a second one follows, which compares the words
** that are read with what the runtime has filled memory with. */
#include "cpu-runtime/abi.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/ir/value.h"
#include "passes/widen/widen.h"
#include <string.h>

enum { SITE, POINTER, THREAD, BYTES, OBJECT, SIZE, ALIGN, FLAGS, OPERANDS };

enum { LANES_OPERANDS = 6 }; /* of cucpu_check_lanes */

/* Where the builder is: what is tested against. */
typedef struct Bounds {
    LLVMValueRef low, span; /* i64 */
} Bounds;

static LLVMValueRef one(Widen *x, LLVMValueRef v) { return x->w == 1 ? v : scalar_of(x, v); }
static bool same(const Widen *x, LLVMValueRef v) { return x->w == 1 || is_uniform(x, v); }

static LLVMValueRef address(Widen *x, LLVMValueRef p) { return LLVMBuildPtrToInt(x->b, one(x, p), x->i64, ""); }

static void add_attribute(Widen *x, LLVMValueRef f, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(x->ctx, kind, 0));
}

/* The rows of the module's sites, of this worker: constant while a kernel runs, so that the call moves out of loops. */
static LLVMValueRef rows(Widen *x, LLVMValueRef sites) {
    static const char *const attributes[] = {"memory", "nounwind", "willreturn", "speculatable", "nosync", "nofree"};
    LLVMTypeRef t = LLVMFunctionType(x->ptr, &x->ptr, 1, 0);
    LLVMValueRef f = LLVMGetNamedFunction(x->mod, "cucpu_check_bounds");
    if (!f) {
        f = LLVMAddFunction(x->mod, "cucpu_check_bounds", t);
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) add_attribute(x, f, attributes[i]);
    }
    return LLVMBuildCall2(x->b, t, f, &sites, 1, "bounds");
}

static LLVMValueRef load_word(Widen *x, LLVMValueRef p, int64_t offset) {
    return LLVMBuildLoad2(x->b, x->i64, byte_offset(x, p, offset), "");
}

/* fresh: of the rows that hold where words are compared as well. */
static Bounds bounds_of(Widen *x, LLVMValueRef call, bool fresh) {
    LLVMValueRef object = LLVMGetOperand(call, OBJECT);
    int64_t offset, skip = fresh ? CUCPU_FRESH_ROWS : 0;
    bool exact;
    if (!LLVMIsNull(object)) return (Bounds){address(x, object), one(x, LLVMGetOperand(call, SIZE))};
    LLVMValueRef sites = shim_object_of(x->k->m->dl, LLVMGetOperand(call, SITE), &offset, &exact), all = rows(x, sites);
    int64_t row = (offset / (int64_t)sizeof(CucpuSite) + 1 + skip) * (int64_t)sizeof(CucpuBounds);
    return (Bounds){load_word(x, all, row), load_word(x, all, row + 8)};
}

/* i1: the module's row has this. */
static LLVMValueRef reports(Widen *x, LLVMValueRef call, unsigned what) {
    int64_t offset;
    bool exact;
    LLVMValueRef sites = shim_object_of(x->k->m->dl, LLVMGetOperand(call, SITE), &offset, &exact);
    LLVMValueRef reported = load_word(x, rows(x, sites), 0);
    if (what == CUCPU_REPORT_BARRIERS) reported = LLVMBuildAnd(x->b, reported, c64(x, CUCPU_REPORT_BARRIERS), "");
    else reported = LLVMBuildAnd(x->b, reported, c64(x, CUCPU_REPORT_ALL | CUCPU_REPORT_FRESH), "");
    return LLVMBuildICmp(x->b, LLVMIntEQ, reported, c64(x, what), "");
}

/* ---- tests ---- */

/* i1: `extent` bytes from `low` on are within; unsigned: nothing wraps unnoticed. */
static LLVMValueRef range_is_within(Widen *x, const Bounds *b, LLVMValueRef low, LLVMValueRef extent) {
    LLVMValueRef from = LLVMBuildSub(x->b, low, b->low, ""), to = LLVMBuildAdd(x->b, from, extent, "");
    LLVMValueRef rises = LLVMBuildICmp(x->b, LLVMIntULT, from, to, "");
    return LLVMBuildAnd(x->b, rises, LLVMBuildICmp(x->b, LLVMIntULE, to, b->span, ""), "");
}

static LLVMValueRef is_aligned(Widen *x, LLVMValueRef at, uint64_t align) {
    LLVMValueRef low = LLVMBuildAnd(x->b, at, c64(x, align - 1), "");
    return LLVMBuildICmp(x->b, LLVMIntEQ, low, c64(x, 0), "");
}

/* Addresses at + stride * lane. */
static LLVMValueRef row_is_within(Widen *x, const Bounds *b, LLVMValueRef at, int64_t stride, uint64_t bytes) {
    uint64_t step = (uint64_t)(stride < 0 ? -stride : stride);
    LLVMValueRef low = at, extent = c64(x, step * (x->w - 1) + bytes);
    if (x->w > 1 && x->mask && stride) {
        LLVMValueRef first = LLVMBuildZExt(x->b, first_lane(x), x->i64, ""),
                     last = LLVMBuildZExt(x->b, last_lane(x), x->i64, "");
        LLVMValueRef lanes = LLVMBuildSub(x->b, last, first, "");
        low = LLVMBuildAdd(x->b, at, LLVMBuildMul(x->b, stride < 0 ? last : first, c64(x, (uint64_t)stride), ""), "");
        extent = LLVMBuildAdd(x->b, LLVMBuildMul(x->b, lanes, c64(x, step), ""), c64(x, bytes), "");
    } else if (stride < 0) {
        low = LLVMBuildSub(x->b, at, c64(x, step * (x->w - 1)), "");
    }
    return range_is_within(x, b, low, extent);
}

/* i1: the addresses of all active lanes are within. */
static LLVMValueRef lanes_are_within(Widen *x, const Bounds *b, LLVMValueRef p, uint64_t bytes, uint64_t align) {
    LLVMTypeRef vi = LLVMVectorType(x->i64, x->w), vb = LLVMVectorType(x->i1, x->w);
    LLVMValueRef at = LLVMBuildPtrToInt(x->b, vector_of(x, p), vi, "");
    LLVMValueRef from = LLVMBuildSub(x->b, at, splat(x, b->low), "");
    LLVMValueRef last = LLVMBuildSub(x->b, b->span, c64(x, bytes), "");
    LLVMValueRef wrong = LLVMBuildICmp(x->b, LLVMIntUGT, from, splat(x, last), "");
    if (align > 1) {
        LLVMValueRef low = LLVMBuildAnd(x->b, at, splat(x, c64(x, align - 1)), "");
        wrong = LLVMBuildOr(x->b, wrong, LLVMBuildICmp(x->b, LLVMIntNE, low, LLVMConstNull(vi), ""), "");
    }
    if (x->mask) wrong = LLVMBuildSelect(x->b, x->mask, wrong, LLVMConstNull(vb), "");
    LLVMValueRef any = call_intrinsic(x, "llvm.vector.reduce.or", &vb, 1, &wrong, 1);
    LLVMValueRef fits = LLVMBuildICmp(x->b, LLVMIntUGE, b->span, c64(x, bytes), "");
    return LLVMBuildAnd(x->b, fits, LLVMBuildNot(x->b, any, ""), "");
}

static uint64_t number(LLVMValueRef call, unsigned operand) {
    return LLVMConstIntGetZExtValue(LLVMGetOperand(call, operand));
}

/* i1, not yet frozen. */
static LLVMValueRef is_within(Widen *x, LLVMValueRef call, bool fresh) {
    LLVMValueRef p = LLVMGetOperand(call, POINTER);
    uint64_t bytes = number(call, BYTES), align = number(call, ALIGN);
    Bounds b = bounds_of(x, call, fresh);
    int64_t stride = 0;
    bool row = same(x, p) || (lane_stride(x, p, &stride) && (uint64_t)stride % align == 0);
    if (!row) return lanes_are_within(x, &b, p, bytes, align);
    LLVMValueRef at = address(x, p), ok = row_is_within(x, &b, at, stride, bytes);
    return align > 1 ? LLVMBuildAnd(x->b, is_aligned(x, at, align), ok, "") : ok;
}

/* Accesses of local variables concern nobody but the bounds. */
static bool is_of_local(LLVMValueRef call) {
    LLVMValueRef object = LLVMGetOperand(call, OBJECT);
    return LLVMIsAConstantExpr(object) && LLVMGetConstOpcode(object) == LLVMIntToPtr;
}

static LLVMValueRef needs_no_call(Widen *x, LLVMValueRef call) {
    LLVMValueRef ok = is_within(x, call, false);
    bool of_object = !LLVMIsNull(LLVMGetOperand(call, OBJECT)) && !is_of_local(call);
    if (of_object) ok = LLVMBuildAnd(x->b, ok, reports(x, call, CUCPU_REPORT_WRONG), "");
    return LLVMBuildFreeze(x->b, ok, "within"); /* an address is undefined where no lane is active */
}

/* ---- words that nobody has written ---- */

static LLVMValueRef masked_words(Widen *x, LLVMValueRef at, LLVMValueRef mask) {
    LLVMTypeRef t = LLVMVectorType(x->i32, x->w), pt = LLVMVectorType(x->ptr, x->w), over[2] = {t, pt};
    LLVMValueRef args[3] = {LLVMBuildIntToPtr(x->b, at, pt, ""), mask, LLVMConstNull(t)};
    return call_intrinsic(x, "llvm.masked.gather", over, 2, args, 3);
}

/* i1: the words, at these addresses, are what the runtime has filled memory with; vectors of n. */
static LLVMValueRef any_is_fresh(Widen *x, LLVMValueRef words, LLVMValueRef at, unsigned n) {
    LLVMTypeRef t = n > 1 ? LLVMVectorType(x->i32, n) : x->i32, b = n > 1 ? LLVMVectorType(x->i1, n) : x->i1;
    LLVMValueRef shift = LLVMConstInt(x->i64, 2, 0), factor = c32(x, CUCPU_FRESH_FACTOR), low = c32(x, 1), all[128];
    if (n > 1) {
        LLVMValueRef *v[] = {&shift, &factor, &low};
        for (unsigned k = 0; k < 3; k++) {
            for (unsigned i = 0; i < n; i++) all[i] = *v[k];
            *v[k] = LLVMConstVector(all, n);
        }
    }
    LLVMValueRef number = LLVMBuildTrunc(x->b, LLVMBuildLShr(x->b, at, shift, ""), t, "");
    LLVMValueRef own = LLVMBuildOr(x->b, LLVMBuildMul(x->b, number, factor, ""), low, "");
    LLVMValueRef same_word = LLVMBuildICmp(x->b, LLVMIntEQ, words, own, "");
    return n > 1 ? call_intrinsic(x, "llvm.vector.reduce.or", &b, 1, &same_word, 1) : same_word;
}

/* The words of consecutive lanes, all active. */
static LLVMValueRef row_is_fresh(Widen *x, LLVMValueRef first, unsigned n) {
    LLVMValueRef lane[128], base[128];
    for (unsigned i = 0; i < n; i++) lane[i] = c64(x, 4 * i), base[i] = c32(x, 0);
    LLVMTypeRef t = LLVMVectorType(x->i32, n), vt = LLVMVectorType(x->i64, n);
    LLVMValueRef words = load_vector(x, t, LLVMBuildIntToPtr(x->b, first, x->ptr, ""), 4, NULL);
    LLVMValueRef at = LLVMBuildInsertElement(x->b, LLVMGetPoison(vt), first, c64(x, 0), "");
    at = LLVMBuildShuffleVector(x->b, at, LLVMGetPoison(vt), LLVMConstVector(base, n), "");
    return any_is_fresh(x, words, LLVMBuildAdd(x->b, at, LLVMConstVector(lane, n), ""), n);
}

static LLVMValueRef lanes_here(Widen *x, LLVMValueRef v, LLVMTypeRef t);

/* i1: a word that some active lane reads; the addresses are within bounds. */
static LLVMValueRef reads_fresh(Widen *x, LLVMValueRef call) {
    LLVMValueRef p = LLVMGetOperand(call, POINTER), any = NULL, v;
    unsigned words = (unsigned)number(call, BYTES) / 4;
    int64_t stride;
    if (!same(x, p) && !x->mask && words * x->w <= 128 && lane_stride(x, p, &stride) && stride == 4 * (int64_t)words)
        return row_is_fresh(x, address(x, p), words * x->w);
    bool vector = !same(x, p);
    LLVMValueRef at = vector ? lanes_here(x, p, x->i64) : address(x, p);
    for (unsigned k = 0; k < words; k++, any = any ? LLVMBuildOr(x->b, any, v, "") : v) {
        LLVMValueRef part = c64(x, 4 * k), word;
        LLVMValueRef here = LLVMBuildAdd(x->b, at, vector ? splat(x, part) : part, "");
        if (vector) word = masked_words(x, here, mask_or_all(x));
        else word = LLVMBuildLoad2(x->b, x->i32, LLVMBuildIntToPtr(x->b, here, x->ptr, ""), "");
        v = any_is_fresh(x, word, here, vector ? x->w : 1);
    }
    return any;
}

/* ---- calls ---- */

/* The vector of v, where the builder is: not where v is defined, which is executed more often. */
static LLVMValueRef lanes_here(Widen *x, LLVMValueRef v, LLVMTypeRef t) {
    int64_t stride = 0;
    bool pointer = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
    if (!is_uniform(x, v) && !lane_stride(x, v, &stride)) {
        LLVMValueRef all = vector_of(x, v);
        return pointer ? LLVMBuildPtrToInt(x->b, all, LLVMVectorType(t, x->w), "") : all;
    }
    LLVMValueRef first = pointer ? address(x, v) : scalar_of(x, v);
    LLVMValueRef step = splat(x, LLVMConstInt(t, (uint64_t)stride, 1));
    return LLVMBuildAdd(x->b, splat(x, first), LLVMBuildMul(x->b, iota(x, t), step, ""), "");
}

static void put(Widen *x, LLVMValueRef record, size_t offset, LLVMValueRef v) {
    LLVMSetAlignment(LLVMBuildStore(x->b, v, byte_offset(x, record, (int64_t)offset)), 8);
}

static LLVMValueRef lanes_record(Widen *x) {
    if (!x->check_lanes) {
        x->check_lanes = entry_scratch(x->k->fn, LLVMArrayType2(x->i8, sizeof(CucpuLanes)), "check.lanes");
        LLVMSetAlignment(x->check_lanes, 64);
    }
    LLVMValueRef bits = LLVMBuildZExtOrBitCast(x->b, lane_bits(x, mask_or_all(x)), x->i64, "");
    put(x, x->check_lanes, offsetof(CucpuLanes, mask), bits);
    return x->check_lanes;
}

static LLVMValueRef call_runtime(Widen *x, LLVMTypeRef result, const char *name, LLVMValueRef *args, unsigned n) {
    LLVMTypeRef types[LANES_OPERANDS];
    for (unsigned i = 0; i < n; i++) types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef t = LLVMFunctionType(result, types, n, 0);
    LLVMValueRef f = LLVMGetNamedFunction(x->mod, name);
    if (!f) {
        f = LLVMAddFunction(x->mod, name, t);
        add_attribute(x, f, "nounwind"), add_attribute(x, f, "cold");
    }
    return LLVMBuildCall2(x->b, t, f, args, n, "");
}

static LLVMTypeRef nothing(Widen *x) { return LLVMVoidTypeInContext(x->ctx); }

/* What is stored after the check, if it is computed before; NULL: it is not, or has more than 64 bits. */
static LLVMValueRef stored_value(const Widen *x, LLVMValueRef call) {
    LLVMValueRef store = LLVMGetNextInstruction(call);
    while (store && !LLVMIsAStoreInst(store) && !LLVMIsACallInst(store)) store = LLVMGetNextInstruction(store);
    if (!store || !LLVMIsAStoreInst(store) || LLVMGetOperand(store, 1) != LLVMGetOperand(call, POINTER)) return NULL;
    LLVMValueRef v = LLVMGetOperand(store, 0);
    for (LLVMValueRef i = call; i != store; i = LLVMGetNextInstruction(i))
        if (i == v) return NULL;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
    bool number = kind == LLVMIntegerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
    return number && LLVMSizeOfTypeInBits(x->k->m->dl, LLVMTypeOf(v)) <= 64 ? v : NULL;
}

static void put_values(Widen *x, LLVMValueRef record, LLVMValueRef value) {
    LLVMTypeRef t = LLVMIntTypeInContext(x->ctx, (unsigned)LLVMSizeOfTypeInBits(x->k->m->dl, LLVMTypeOf(value)));
    LLVMValueRef bits = LLVMBuildBitCast(x->b, vector_of(x, value), LLVMVectorType(t, x->w), "");
    LLVMTypeRef wide = LLVMVectorType(x->i64, x->w);
    put(x, record, offsetof(CucpuLanes, value), LLVMBuildZExtOrBitCast(x->b, bits, wide, ""));
}

/* Lanes of threads that follow each other, whose addresses are at a constant distance. */
static bool is_row(Widen *x, LLVMValueRef call, int64_t *stride) {
    LLVMValueRef p = LLVMGetOperand(call, POINTER);
    int64_t step;
    *stride = 0;
    return (same(x, p) || lane_stride(x, p, stride)) && lane_stride(x, LLVMGetOperand(call, THREAD), &step) &&
           step == 1;
}

/* i1: the runtime need not be told more of the row. */
static LLVMValueRef call_for_row(Widen *x, LLVMValueRef call, int64_t stride) {
    LLVMValueRef mask = LLVMBuildZExtOrBitCast(x->b, lane_bits(x, mask_or_all(x)), x->i64, "");
    LLVMValueRef args[LANES_OPERANDS] = {LLVMGetOperand(call, SITE),
                                         address(x, LLVMGetOperand(call, POINTER)),
                                         c64(x, (uint64_t)stride),
                                         mask,
                                         one(x, LLVMGetOperand(call, THREAD)),
                                         LLVMGetOperand(call, BYTES)};
    LLVMValueRef done = call_runtime(x, x->i32, CHECK_ROW, args, LANES_OPERANDS);
    return LLVMBuildICmp(x->b, LLVMIntNE, done, c32(x, 0), "");
}

static void call_for_lanes(Widen *x, LLVMValueRef call, bool row) {
    LLVMValueRef record = lanes_record(x), value = stored_value(x, call);
    uint64_t flags = (value ? CUCPU_HAS_VALUES : 0) | (row ? CUCPU_IS_ROW : 0);
    if (value) put_values(x, record, value);
    put(x, record, offsetof(CucpuLanes, thread), lanes_here(x, LLVMGetOperand(call, THREAD), x->i32));
    put(x, record, offsetof(CucpuLanes, address), lanes_here(x, LLVMGetOperand(call, POINTER), x->i64));
    LLVMValueRef args[LANES_OPERANDS] = {LLVMGetOperand(call, SITE),         record,
                                         LLVMGetOperand(call, BYTES),        one(x, LLVMGetOperand(call, OBJECT)),
                                         one(x, LLVMGetOperand(call, SIZE)), c32(x, number(call, ALIGN) | flags)};
    call_runtime(x, nothing(x), CHECK_LANES, args, LANES_OPERANDS);
}

static void branch_to(Widen *x, LLVMValueRef within, LLVMBasicBlockRef after, LLVMBasicBlockRef calls,
                      LLVMValueRef jump) {
    LLVMPositionBuilderBefore(x->b, jump);
    LLVMValueRef branch = LLVMBuildCondBr(x->b, within, after, calls);
    LLVMMetadataRef weights[3] = {LLVMMDStringInContext2(x->ctx, "branch_weights", 14),
                                  LLVMValueAsMetadata(c32(x, 1 << 20)), LLVMValueAsMetadata(c32(x, 1))};
    unsigned kind = LLVMGetMDKindIDInContext(x->ctx, "prof", 4);
    LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(x->ctx, LLVMMDNodeInContext2(x->ctx, weights, 3)));
    LLVMInstructionEraseFromParent(jump);
}

static bool is_check(LLVMValueRef call) {
    return !strcmp(called_name(call), CHECK_ACCESS) && LLVMIsAConstantInt(LLVMGetOperand(call, BYTES));
}

static bool reads(LLVMValueRef call) { return number(call, FLAGS) & CUCPU_SITE_READ; }

/* Whole words alone: of the others the runtime takes care. */
static bool is_of_words(LLVMValueRef call) {
    uint64_t bytes = number(call, BYTES);
    return !is_of_local(call) && bytes % 4 == 0 && bytes <= 16 && number(call, ALIGN) % 4 == 0;
}

static LLVMBasicBlockRef new_block(Widen *x, LLVMBasicBlockRef before, const char *name) {
    LLVMBasicBlockRef b = LLVMInsertBasicBlockInContext(x->ctx, before, name);
    LLVMPositionBuilderAtEnd(x->b, b);
    return b;
}

/* Where the test has failed, and words are compared as well: to `after` if they were written, else to `calls`. */
static void compare_words(Widen *x, LLVMValueRef call, LLVMBasicBlockRef failed, LLVMBasicBlockRef calls,
                          LLVMBasicBlockRef after) {
    LLVMPositionBuilderAtEnd(x->b, failed);
    LLVMValueRef ok = LLVMBuildAnd(x->b, is_within(x, call, true), reports(x, call, CUCPU_REPORT_FRESH), "");
    ok = LLVMBuildFreeze(x->b, ok, "");
    if (!reads(call)) {
        LLVMBuildCondBr(x->b, ok, after, calls);
        return;
    }
    LLVMBasicBlockRef words = LLVMInsertBasicBlockInContext(x->ctx, calls, "check.words");
    LLVMBuildCondBr(x->b, ok, words, calls);
    LLVMPositionBuilderAtEnd(x->b, words);
    LLVMValueRef fresh = LLVMBuildFreeze(x->b, reads_fresh(x, call), "fresh");
    LLVMBuildCondBr(x->b, fresh, calls, after);
}

/* The test is where the builder is. */
static void branch_on_test(Widen *x, LLVMValueRef call) {
    LLVMValueRef within = needs_no_call(x, call);
    LLVMBasicBlockRef before = LLVMGetInstructionParent(call), after = shim_split_block(call, "checked");
    LLVMBasicBlockRef calls = new_block(x, after, "check"), failed = calls;
    if (is_of_words(call)) {
        failed = new_block(x, calls, "check.bounds");
        compare_words(x, call, failed, calls, after);
    }
    branch_to(x, within, after, failed, LLVMGetBasicBlockTerminator(before));
    LLVMPositionBuilderAtEnd(x->b, calls);
    int64_t stride;
    bool row = x->w > 1 && is_row(x, call, &stride);
    if (row) {
        LLVMValueRef done = call_for_row(x, call, stride);
        LLVMBasicBlockRef lanes = LLVMInsertBasicBlockInContext(x->ctx, after, "check.rest");
        LLVMBuildCondBr(x->b, done, after, lanes);
        LLVMPositionBuilderAtEnd(x->b, lanes);
    }
    if (x->w == 1) clone_at(x->b, call);
    else call_for_lanes(x, call, row);
    LLVMBuildBr(x->b, after);
    LLVMPositionBuilderBefore(x->b, call);
}

/* All threads of the block come to the barrier here, as often: synccheck has nothing to find.  Races need its place. */
static bool is_met_by_all(const Widen *x) {
    return !strcmp(x->k->m->opt->check, "sync") && !x->mask && shapes_block_scope(x->s, x->block) <= SCOPE_BLOCK;
}

/* A barrier, which is reported where barriers are checked. */
static void branch_at_barrier(Widen *x, LLVMValueRef call) {
    LLVMValueRef silent = LLVMBuildNot(x->b, reports(x, call, CUCPU_REPORT_BARRIERS), "silent");
    LLVMBasicBlockRef before = LLVMGetInstructionParent(call), after = shim_split_block(call, "checked");
    LLVMBasicBlockRef calls = LLVMInsertBasicBlockInContext(x->ctx, after, "check");
    branch_to(x, silent, after, calls, LLVMGetBasicBlockTerminator(before));
    LLVMPositionBuilderAtEnd(x->b, calls);
    LLVMValueRef args[2] = {LLVMGetOperand(call, SITE), lanes_record(x)};
    put(x, args[1], offsetof(CucpuLanes, thread), lanes_here(x, LLVMGetOperand(call, 1), x->i32));
    call_runtime(x, nothing(x), "cucpu_check_barrier_lanes", args, 2);
    LLVMBuildBr(x->b, after);
    LLVMPositionBuilderBefore(x->b, call);
}

/* Calls that are for checks which run threads one by one (vary_checked). */
static bool is_of_threads(LLVMValueRef call) {
    return !strcmp(called_name(call), "cucpu_check_warp") || !strcmp(called_name(call), "cucpu_check_fence");
}

bool widen_check(Widen *x, LLVMValueRef call) {
    bool barrier = !strcmp(called_name(call), "cucpu_check_barrier");
    if (barrier || is_of_threads(call)) {
        if (barrier && !is_met_by_all(x)) branch_at_barrier(x, call);
        vec_push(x->a, &x->dead, call);
        return true;
    }
    if (!is_check(call) || !same(x, LLVMGetOperand(call, OBJECT))) return false;
    branch_on_test(x, call);
    vec_push(x->a, &x->dead, call);
    return true;
}

void check_one_lane(Widen *x) {
    Vec(LLVMValueRef) calls = {0};
    for_each_instruction(i, x->k->fn)
        if (LLVMIsACallInst(i) && is_check(i)) vec_push(x->a, &calls, i);
    for (int n = 0; n < calls.n; n++) {
        set_insert_point(x->b, calls.v[n]);
        widen_check(x, calls.v[n]);
        LLVMInstructionEraseFromParent(calls.v[n]);
    }
}
