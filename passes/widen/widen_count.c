/* widen_count.c: --profile=lanes: the counters of instrumented kernels, as calls of cucpu_count.
**
** A place of the program that counts is a CucpuCounted (cpu-runtime/abi.h), a constant of the module with two counters:
**   a block that has vector operations   how often it ran, active lanes; a lane's floating-point operations and bytes
**   a divergent branch (count_branches)  how often some lane came to it, how often both edges had lanes
**   an access to memory                  how often some lane made it, cache lines that its lanes touched
** Lines are counted exactly: by the first and the last address where all lanes of a row with a small stride are active,
** by a set of bits where the row has up to 62 lines, else by a call of the runtime with the addresses.  They are not
** counted where all lanes share the address, or in local arrays.
** cucpu_count accesses no memory of the program, so that passes treat the kernel as without it; lower_counters makes
** additions of the calls.
** Not counted: what functions do that are not inlined, memcpy, operations before the mask of their block is known. */
#include "cpu-runtime/abi.h"
#include "passes/ir/abi_fields.h"
#include "passes/ir/edit.h"
#include "passes/ir/value.h"
#include "passes/widen/widen.h"
#include <stdlib.h>
#include <string.h>

enum { LINE_BITS = 6, LINE = 1 << LINE_BITS, SET_LINES = 62 };

/* memory(argmem: read, inaccessiblemem: readwrite), as LLVM encodes it: two bits each. */
enum { READS_ARGUMENTS = 1, ONLY_INACCESSIBLE = 3 << 2 };

bool counts_lanes(const Module *m) { return m->opt->profile && in_list(m->opt->profile, "lanes"); }

static LLVMValueRef function_of(Widen *x, const char *name, LLVMTypeRef t, uint64_t memory) {
    static const char *const attributes[] = {"nounwind", "willreturn", "nosync", "nofree"};
    LLVMValueRef f = LLVMGetNamedFunction(x->mod, name);
    if (f) return f;
    f = LLVMAddFunction(x->mod, name, t);
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
        LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(x->ctx, kind, 0));
    }
    unsigned kind = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(x->ctx, kind, memory));
    return f;
}

/* ---- the places that count ---- */

struct Counted {
    LLVMValueRef global, inst; /* inst: an access, whose kind is known when it has been widened */
    LLVMValueRef fields[CucpuCounted_FIELDS];
};

static LLVMValueRef text_constant(Widen *x, const char *s, size_t n) {
    LLVMValueRef init = LLVMConstStringInContext2(x->ctx, s, n, 0);
    return internal_global(x->mod, init, "cucpu.counted.text", true);
}

static LLVMValueRef kernel_text(Widen *x) {
    const char *name = x->variant.base ? x->variant.base : value_name(x->k->fn);
    if (!x->counted_kernel) x->counted_kernel = text_constant(x, name, strlen(name));
    return x->counted_kernel;
}

static LLVMValueRef title_text(Widen *x) {
    if (!x->counted_title) {
        char *title = kernel_name(x->k->fn);
        x->counted_title = text_constant(x, title, strlen(title));
        free(title);
    }
    return x->counted_title;
}

static LLVMValueRef file_text(Widen *x, LLVMValueRef at) {
    unsigned len;
    const char *file = diag_file(at, &len);
    if (!file) return LLVMConstNull(x->ptr);
    if (x->counted_file && strlen(x->counted_name) == len && !memcmp(x->counted_name, file, len))
        return x->counted_file;
    x->counted_name = arena_printf(x->a, "%.*s", (int)len, file);
    return x->counted_file = text_constant(x, file, len);
}

/* size: operations of a block, bytes of an access. */
static LLVMValueRef counted(Widen *x, LLVMValueRef at, unsigned kind, unsigned size) {
    Counted *c = arena_alloc(x->a, sizeof *c);
    LLVMValueRef fields[CucpuCounted_FIELDS] = {
        [CucpuCounted_kernel] = kernel_text(x),  [CucpuCounted_title] = title_text(x),
        [CucpuCounted_file] = file_text(x, at),  [CucpuCounted_line] = c32(x, diag_line(at)),
        [CucpuCounted_kind] = c32(x, kind),      [CucpuCounted_access] = c32(x, CUCPU_ACCESS_OTHER),
        [CucpuCounted_width] = c32(x, x->w),     [CucpuCounted_layout] = c32(x, (uint64_t)x->k->layout),
        [CucpuCounted_size] = c32(x, size),      [CucpuCounted_flops_half] = c32(x, 0),
        [CucpuCounted_flops_single] = c32(x, 0), [CucpuCounted_flops_double] = c32(x, 0),
        [CucpuCounted_loaded] = c32(x, 0),       [CucpuCounted_stored] = c32(x, 0),
        [CucpuCounted_reserved] = c32(x, 0),
    };
    memcpy(c->fields, fields, sizeof fields);
    LLVMValueRef init = abi_constant(x->k->m->dl, ABI_CucpuCounted, fields);
    c->global = internal_global(x->mod, init, COUNTED_PREFIX, true);
    c->inst = at;
    vec_push(x->a, &x->counted, c);
    return c->global;
}

/* At the builder; n: an integer of any width. */
static void count(Widen *x, LLVMValueRef place, unsigned counter, LLVMValueRef n) {
    LLVMTypeRef types[3] = {x->ptr, x->i32, x->i64}, t = LLVMFunctionType(LLVMVoidTypeInContext(x->ctx), types, 3, 0);
    LLVMValueRef args[3] = {place, c32(x, counter), LLVMBuildIntCast2(x->b, n, x->i64, 0, "")};
    LLVMBuildCall2(x->b, t, function_of(x, COUNT, t, ONLY_INACCESSIBLE), args, 3, "");
}

static LLVMValueRef set_bits(Widen *x, LLVMValueRef bits) {
    LLVMTypeRef t = LLVMTypeOf(bits);
    LLVMValueRef n = call_intrinsic(x, "llvm.ctpop", &t, 1, &bits, 1);
    return LLVMBuildIntCast2(x->b, n, x->i64, 0, "");
}

static LLVMValueRef some_lane(Widen *x) { return x->w > 1 ? any_lane(x) : LLVMConstInt(x->i1, 1, 0); }

/* ---- blocks ---- */

/* Whether the operation is done for lanes, and not once for the group. */
static bool is_vector_operation(const Widen *x, LLVMValueRef i) {
    if (LLVMIsAPHINode(i) || LLVMIsATerminatorInst(i) || LLVMIsAAllocaInst(i)) return false;
    if (x->w == 1) return !LLVMIsACallInst(i) || strncmp(called_name(i), "cucpu_count", 11);
    if (LLVMIsAStoreInst(i)) return !is_uniform(x, LLVMGetOperand(i, 1));
    return !is_void(i) && is_wide(x, i);
}

typedef struct Work { /* of a lane in a block */
    unsigned flops[3];
    unsigned loaded, stored;
} Work;

/* 0, 1, 2: half, float, double; -1: no number of these. */
static int precision_of(LLVMTypeRef t) {
    switch (LLVMGetTypeKind(t)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind: return 0;
    case LLVMFloatTypeKind: return 1;
    case LLVMDoubleTypeKind: return 2;
    default: return -1;
    }
}

/* As CUDA's profilers count: additions, products, quotients, special functions are one, fused ones two; comparisons,
** conversions, minima and signs are none. */
static unsigned flops_of(LLVMValueRef i) {
    static const char *const none[] = {"fabs", "copysign", "minnum", "maxnum", "minimum", "maximum", "canonicalize"};
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem: return 1;
    case LLVMCall: break;
    default: return 0;
    }
    const char *name = called_name(i);
    if (!strncmp(name, "llvm.fma.", 9) || !strncmp(name, "llvm.fmuladd.", 13)) return 2;
    if (strncmp(name, "llvm.", 5)) return !strncmp(name, "__nv_", 5);
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        if (!strncmp(name + 5, none[k], strlen(none[k]))) return 0;
    return LLVMGetNumArgOperands(i) <= 2;
}

static void add_work(const Widen *x, Work *w, LLVMValueRef i) {
    int precision = is_void(i) ? -1 : precision_of(LLVMTypeOf(i)), at = accessed_operand(i);
    if (precision >= 0) w->flops[precision] += flops_of(i);
    if (at < 0 || is_local(LLVMGetOperand(i, (unsigned)at))) return;
    bool store = LLVMIsAStoreInst(i) != NULL, load = LLVMIsALoadInst(i) != NULL;
    unsigned bytes = (unsigned)bytes_of(x, LLVMTypeOf(store ? LLVMGetOperand(i, 0) : load ? i : LLVMGetOperand(i, 1)));
    if (!store) w->loaded += bytes;
    if (!load) w->stored += bytes;
}

static LLVMValueRef counted_block(Widen *x, LLVMValueRef at, unsigned operations, const Work *w) {
    LLVMValueRef place = counted(x, at, CUCPU_COUNTED_BLOCK, operations);
    Counted *c = x->counted.v[x->counted.n - 1];
    c->fields[CucpuCounted_flops_half] = c32(x, w->flops[0]);
    c->fields[CucpuCounted_flops_single] = c32(x, w->flops[1]);
    c->fields[CucpuCounted_flops_double] = c32(x, w->flops[2]);
    c->fields[CucpuCounted_loaded] = c32(x, w->loaded);
    c->fields[CucpuCounted_stored] = c32(x, w->stored);
    LLVMSetInitializer(place, abi_constant(x->k->m->dl, ABI_CucpuCounted, c->fields));
    return place;
}

void count_block(Widen *x, LLVMValueRef from) {
    unsigned operations = 0;
    Work w = {0};
    LLVMValueRef first = NULL;
    while (LLVMIsAAllocaInst(from)) from = LLVMGetNextInstruction(from);
    for (LLVMValueRef i = from; i; i = LLVMGetNextInstruction(i)) {
        add_work(x, &w, i);
        if (!is_vector_operation(x, i)) continue;
        operations++;
        if (!first || !diag_line(first)) first = i;
    }
    if (!operations && !w.flops[0] && !w.flops[1] && !w.flops[2] && !w.loaded && !w.stored) return;
    set_insert_point(x->b, from);
    LLVMValueRef place = counted_block(x, first ? first : from, operations, &w);
    count(x, place, 0, c64(x, 1));
    count(x, place, 1, x->mask ? set_bits(x, lane_bits(x, x->mask)) : c64(x, x->w));
}

/* ---- branches ---- */

bool widen_count(Widen *x, LLVMValueRef call) {
    if (strcmp(called_name(call), COUNT_BRANCH)) return false;
    bool leaves = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1)) != 0;
    LLVMValueRef place = counted(x, call, leaves ? CUCPU_COUNTED_LOOP : CUCPU_COUNTED_BRANCH, 0);
    count(x, place, 0, some_lane(x));
    LLVMValueRef condition = LLVMGetOperand(call, 0);
    if (x->w > 1 && !is_uniform(x, condition)) {
        LLVMValueRef c = vector_of(x, condition), all = mask_or_all(x);
        LLVMTypeRef t = LLVMTypeOf(c);
        LLVMValueRef taken = LLVMBuildSelect(x->b, all, c, LLVMConstNull(t), "");
        LLVMValueRef other = LLVMBuildSelect(x->b, all, LLVMBuildNot(x->b, c, ""), LLVMConstNull(t), "");
        taken = call_intrinsic(x, "llvm.vector.reduce.or", &t, 1, &taken, 1);
        other = call_intrinsic(x, "llvm.vector.reduce.or", &t, 1, &other, 1);
        count(x, place, 1, LLVMBuildAnd(x->b, taken, other, "diverges"));
    }
    vec_push(x->a, &x->dead, call);
    return true;
}

/* ---- accesses ---- */

static LLVMValueRef line_at(Widen *x, LLVMValueRef at, int64_t offset) {
    LLVMValueRef p = LLVMBuildAdd(x->b, at, c64(x, (uint64_t)offset), "");
    return LLVMBuildLShr(x->b, p, c64(x, LINE_BITS), "");
}

/* Of the bytes from `at` on: those between lie in lines that are touched, too. */
static LLVMValueRef lines_between(Widen *x, LLVMValueRef at, int64_t low, int64_t high) {
    LLVMValueRef n = LLVMBuildSub(x->b, line_at(x, at, high), line_at(x, at, low), "");
    return LLVMBuildAdd(x->b, n, c64(x, 1), "lines");
}

/* One bit for each line from that of the lowest address on. */
static LLVMValueRef lines_as_bits(Widen *x, LLVMValueRef at, int64_t stride, unsigned bytes, bool aligned) {
    LLVMTypeRef vt = LLVMVectorType(x->i64, x->w);
    int64_t low = stride < 0 ? stride * ((int64_t)x->w - 1) : 0;
    LLVMValueRef base = LLVMBuildAnd(x->b, LLVMBuildAdd(x->b, at, c64(x, (uint64_t)low), ""), c64(x, LINE - 1), "");
    LLVMValueRef offset[64], one = splat(x, c64(x, 1)), shift = splat(x, c64(x, LINE_BITS));
    for (unsigned i = 0; i < x->w; i++) offset[i] = c64(x, (uint64_t)(stride * (int64_t)i - low));
    LLVMValueRef first = LLVMBuildAdd(x->b, splat(x, base), LLVMConstVector(offset, x->w), "");
    LLVMValueRef set = LLVMBuildShl(x->b, one, LLVMBuildLShr(x->b, first, shift, ""), "");
    if (!aligned) {
        LLVMValueRef last = LLVMBuildAdd(x->b, first, splat(x, c64(x, bytes - 1)), "");
        last = LLVMBuildShl(x->b, one, LLVMBuildLShr(x->b, last, shift, ""), "");
        set = LLVMBuildOr(x->b, set, last, "");
    }
    if (x->mask) set = LLVMBuildSelect(x->b, x->mask, set, LLVMConstNull(vt), "");
    return set_bits(x, call_intrinsic(x, "llvm.vector.reduce.or", &vt, 1, &set, 1));
}

static LLVMValueRef lines_of_lanes(Widen *x, LLVMValueRef p, unsigned bytes) {
    LLVMTypeRef vt = LLVMVectorType(x->i64, x->w), types[4] = {x->ptr, x->i64, x->i32, x->i32};
    LLVMTypeRef t = LLVMFunctionType(x->i64, types, 4, 0);
    if (!x->counted_lanes) x->counted_lanes = entry_scratch(x->k->fn, vt, "addresses");
    LLVMValueRef mask = LLVMBuildIntCast2(x->b, lane_bits(x, mask_or_all(x)), x->i64, 0, "");
    LLVMBuildStore(x->b, LLVMBuildPtrToInt(x->b, vector_of(x, p), vt, ""), x->counted_lanes);
    LLVMValueRef args[4] = {x->counted_lanes, mask, c32(x, x->w), c32(x, bytes)};
    LLVMValueRef f = function_of(x, "cucpu_count_lines", t, READS_ARGUMENTS | ONLY_INACCESSIBLE);
    return LLVMBuildCall2(x->b, t, f, args, 4, "lines");
}

static LLVMValueRef lines_of(Widen *x, LLVMValueRef p, unsigned bytes, bool aligned) {
    int64_t stride;
    if (x->w == 1 && aligned) return c64(x, 1);
    if (x->w == 1) return lines_between(x, LLVMBuildPtrToInt(x->b, p, x->i64, ""), 0, bytes - 1);
    if (!lane_stride(x, p, &stride)) return lines_of_lanes(x, p, bytes);
    int64_t span = llabs(stride) * ((int64_t)x->w - 1), low = stride < 0 ? -span : 0;
    LLVMValueRef at = LLVMBuildPtrToInt(x->b, scalar_of(x, p), x->i64, "");
    if (!x->mask && llabs(stride) <= LINE) return lines_between(x, at, low, low + span + bytes - 1);
    return span + bytes <= SET_LINES * LINE ? lines_as_bits(x, at, stride, bytes, aligned)
                                            : lines_of_lanes(x, p, bytes);
}

void count_access(Widen *x, LLVMValueRef i) {
    int at = accessed_operand(i);
    if (at < 0) return;
    LLVMValueRef p = LLVMGetOperand(i, (unsigned)at);
    bool store = LLVMIsAStoreInst(i) != NULL;
    LLVMTypeRef t = LLVMTypeOf(store ? LLVMGetOperand(i, 0) : LLVMIsALoadInst(i) ? i : LLVMGetOperand(i, 1));
    unsigned bytes = (unsigned)bytes_of(x, t);
    bool local = is_local(p), aligned = (bytes & (bytes - 1)) == 0 && LLVMGetAlignment(i) >= bytes;
    if (local && x->w == 1) return;
    set_insert_point(x->b, i);
    LLVMValueRef place = counted(x, i, CUCPU_COUNTED_ACCESS, bytes);
    count(x, place, 0, some_lane(x));
    if (!local && (x->w == 1 || !is_uniform(x, p))) count(x, place, 1, lines_of(x, p, bytes, aligned));
}

/* ---- the whole kernel ---- */

static unsigned access_of(const Widen *x, const Counted *c) {
    static const unsigned kinds[DID_COUNT] = {
        [DID_UNIFORM] = CUCPU_ACCESS_UNIFORM, [DID_CONTIGUOUS] = CUCPU_ACCESS_CONTIGUOUS,
        [DID_STRIDED] = CUCPU_ACCESS_STRIDED, [DID_GATHER] = CUCPU_ACCESS_GATHER,
        [DID_LOCAL] = CUCPU_ACCESS_LOCAL,     [DID_LANES] = CUCPU_ACCESS_LANES,
    };
    if (x->w == 1) return CUCPU_ACCESS_SCALAR;
    int did = (int)map_get(&x->noted, c->inst, 0);
    return did ? kinds[did - 1] : CUCPU_ACCESS_OTHER;
}

void finish_counted(Widen *x) {
    for (int n = 0; n < x->counted.n; n++) {
        Counted *c = x->counted.v[n];
        if (!is_constant(c->fields[CucpuCounted_kind], CUCPU_COUNTED_ACCESS)) continue;
        c->fields[CucpuCounted_access] = c32(x, access_of(x, c));
        LLVMSetInitializer(c->global, abi_constant(x->k->m->dl, ABI_CucpuCounted, c->fields));
    }
}

void count_one_lane(Widen *x) {
    Vec(LLVMValueRef) accesses = {0}, calls = {0};
    for_each_instruction(i, x->k->fn) {
        if (accessed_operand(i) >= 0) vec_push(x->a, &accesses, i);
        if (LLVMIsACallInst(i) && !strcmp(called_name(i), COUNT_BRANCH)) vec_push(x->a, &calls, i);
    }
    for_each_block(b, x->k->fn) count_block(x, first_after_phis(b));
    for (int n = 0; n < accesses.n; n++) count_access(x, accesses.v[n]);
    for (int n = 0; n < calls.n; n++) {
        set_insert_point(x->b, calls.v[n]);
        widen_count(x, calls.v[n]);
        LLVMInstructionEraseFromParent(calls.v[n]);
    }
    finish_counted(x);
}
