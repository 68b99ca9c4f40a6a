/* lower_math: every math call, scalar or vector, becomes a library call or instructions.
**
** in:  after loop_groups: LLVM intrinsics over scalars and vectors, C functions by name, and cucpu.math.NAME.vW
**      (math.h)
** out: calls of SLEEF, of libm, and plain instructions; no cucpu.math.* is left
** SLEEF has families whose members give the same bits at every vector size: `finz` where the CPU has fused
** multiply-add, `cinz` elsewhere. Scalars use the family's scalar member, so the width W never changes a result.
** Vectors wider than a register are cut, narrower ones padded with copies of lane 0, which costs nothing and cannot add
** a slow case that no lane has.
** exp of floats, sin and cos of both types are instructions where there is fused multiply-add.
** Where SLEEF is wrong, those lanes get the C function's result, one at a time. Scalar calls in an entry of width 1
** name their vector variants, for LLVM's loop vectorizer. Not done: vectorising; functions that the program itself
** defines are left alone. */
#include "passes/emit/expand_math.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/variant.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Family {                   /* parts of SLEEF's names: Sleef_<prefix>_sinf16_u10<isa> */
    const char *prefix, *scalar, *isa[3]; /* isa: 128, 256, 512 bits */
} Family;

typedef struct Lower {
    Module *m;
    LLVMBuilderRef b;
    Family family;
    unsigned max_bits;
    bool finz, has_fma, has_scalef;
} Lower;

/* ---- the target ---- */

static bool has(const Module *m, const char *features) { return shim_has_features(m->tm, features); }

static void choose_family(Lower *l) {
    const Module *m = l->m;
    l->max_bits = m->vector_bits >= 512 ? 512 : m->vector_bits >= 256 ? 256 : 128;
    l->has_fma = has(m, "+fma");
    l->has_scalef = has(m, "+avx512f,+avx512vl,+avx512dq");
    l->finz = has(m, "+avx2,+fma");
    if (l->finz) {
        l->family = (Family){"finz", "purecfma", {"avx2128", "avx2", "avx512f"}};
        return;
    }
    l->family = (Family){"cinz", "purec", {has(m, "+sse4.1") ? "sse4" : "sse2", "avx", NULL}};
    l->max_bits = l->max_bits > 128 && has(m, "+avx") ? 256 : 128;
}

/* ---- declarations ---- */

static void add_enum_attr(LLVMValueRef f, unsigned index, const char *name, uint64_t value) {
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, index, LLVMCreateEnumAttribute(c, kind, value));
}

enum { MEMORY_NONE = 0, MEMORY_WRITES_ARGUMENT = 2 }; /* encoding of the attribute memory(...) */

static LLVMValueRef declare(Lower *l, const char *name, LLVMTypeRef type, int memory) {
    LLVMValueRef f = LLVMGetNamedFunction(l->m->mod, name);
    if (!f) f = LLVMAddFunction(l->m->mod, name, type);
    if (!LLVMIsDeclaration(f)) return f;
    add_enum_attr(f, (unsigned)LLVMAttributeFunctionIndex, "memory", (uint64_t)memory);
    const char *const plain[] = {"nounwind", "willreturn", "nofree", "nosync", "nocallback"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        add_enum_attr(f, (unsigned)LLVMAttributeFunctionIndex, plain[i], 0);
    return f;
}

/* Calls name(args...) whose result and operands are all of type t. */
static LLVMValueRef call_same(Lower *l, const char *name, LLVMTypeRef t, LLVMValueRef *args, unsigned n) {
    LLVMTypeRef types[3] = {t, t, t}, ft = LLVMFunctionType(t, types, n, 0);
    return LLVMBuildCall2(l->b, ft, declare(l, name, ft, MEMORY_NONE), args, n, "");
}

/* ---- splitting and padding of vectors ---- */

static unsigned float_bits(LLVMTypeRef t) { return LLVMGetTypeKind(math_element(t)) == LLVMDoubleTypeKind ? 64 : 32; }

/* Lanes from..from+n-1 of v; lanes that v does not have are copies of its first one. */
static LLVMValueRef padded_lanes(Lower *l, LLVMValueRef v, unsigned from, unsigned n) {
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMValueRef mask[64];
    unsigned have = lanes_of(t);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->m->ctx);
    for (unsigned i = 0; i < n; i++) mask[i] = LLVMConstInt(i32, from + i < have ? from + i : 0, 0);
    return LLVMBuildShuffleVector(l->b, v, LLVMGetPoison(t), LLVMConstVector(mask, n), "");
}

static LLVMValueRef concat(Lower *l, LLVMValueRef low, LLVMValueRef high) {
    LLVMValueRef mask[64];
    unsigned n = 2 * lanes_of(LLVMTypeOf(low));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->m->ctx);
    for (unsigned i = 0; i < n; i++) mask[i] = LLVMConstInt(i32, i, 0);
    return LLVMBuildShuffleVector(l->b, low, high, LLVMConstVector(mask, n), "");
}

/* ---- SLEEF ---- */

static void sleef_name(const Lower *l, const MathRow *r, bool fast, LLVMTypeRef t, char *out, size_t size) {
    unsigned n = lanes_of(t), bits = n * float_bits(t);
    const char *isa = n == 1 ? l->family.scalar : l->family.isa[bits == 512 ? 2 : bits == 256 ? 1 : 0];
    bool is_double = float_bits(t) == 64;
    const char *accuracy = fast ? r->fast : is_double || !l->finz ? r->acc64 : r->acc32;
    snprintf(out, size, "Sleef_%s_%s%c%u_%s%s", l->family.prefix, r->sleef, is_double ? 'd' : 'f', n, accuracy, isa);
}

/* Only finz has less precise variants with equal results at all widths. */
static bool is_fast(const Lower *l, const MathRow *r, LLVMValueRef call) {
    return r->fast && l->finz && float_bits(LLVMTypeOf(LLVMGetOperand(call, 0))) == 32 &&
           LLVMCanValueUseFastMathFlags(call) && (LLVMGetFastMathFlags(call) & LLVMFastMathApproxFunc);
}

/* ---- calls that LLVM's loop vectorizer may widen ---- */

static bool in_scalar_entry(const Lower *l) {
    LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInsertBlock(l->b));
    return is_scalar_entry(f);
}

/* The member of a family of functions that computes the same bits for this type, in `name`. */
typedef void Member(Lower *l, const MathRow *r, bool fast, LLVMTypeRef t, unsigned nargs, char *name, size_t size);

static void sleef_member(Lower *l, const MathRow *r, bool fast, LLVMTypeRef t, unsigned nargs, char *name,
                         size_t size) {
    LLVMTypeRef types[3] = {t, t, t};
    sleef_name(l, r, fast, t, name, size);
    (void)declare(l, name, LLVMFunctionType(t, types, nargs, 0), MEMORY_NONE);
}

/* Names the members of the family for vectors of arguments, in the form of LLVM's vector function ABI:
** _ZGV_LLVM_N<lanes><a v per operand>_<scalar>(<vector>). */
static void offer_vector_forms(Lower *l, const MathRow *r, bool fast, LLVMValueRef call, Member *member) {
    static const char key[] = "vector-function-abi-variant";
    LLVMTypeRef t = LLVMTypeOf(call);
    unsigned nargs = LLVMGetNumArgOperands(call);
    char *list = NULL, name[64], scalar[64];
    member(l, r, fast, t, nargs, scalar, sizeof scalar);
    for (unsigned bits = 128; bits <= l->max_bits; bits *= 2) {
        LLVMTypeRef v = LLVMVectorType(t, bits / float_bits(t));
        member(l, r, fast, v, nargs, name, sizeof name);
        shim_keep(LLVMGetNamedFunction(l->m->mod, name));
        list = arena_printf(&l->m->arena, "%s%s_ZGV_LLVM_N%u%.*s_%s(%s)", list ? list : "", list ? "," : "",
                            lanes_of(v), (int)nargs, "vvv", scalar, name);
    }
    LLVMAttributeRef a = LLVMCreateStringAttribute(l->m->ctx, key, sizeof key - 1, list, (unsigned)strlen(list));
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

static LLVMValueRef sleef_call(Lower *l, const MathRow *r, bool fast, LLVMValueRef *args, unsigned nargs) {
    LLVMTypeRef t = LLVMTypeOf(args[0]);
    unsigned n = lanes_of(t), bits = n * float_bits(t);
    if (n > 1 && (bits > l->max_bits || bits < 128)) {
        LLVMValueRef low[3], high[3];
        unsigned part = bits < 128 ? 128 / float_bits(t) : n / 2;
        for (unsigned i = 0; i < nargs; i++) low[i] = padded_lanes(l, args[i], 0, part);
        LLVMValueRef v = sleef_call(l, r, fast, low, nargs);
        if (bits < 128) return padded_lanes(l, v, 0, n);
        for (unsigned i = 0; i < nargs; i++) high[i] = padded_lanes(l, args[i], part, part);
        return concat(l, v, sleef_call(l, r, fast, high, nargs));
    }
    char name[64];
    sleef_name(l, r, fast, t, name, sizeof name);
    LLVMValueRef call = call_same(l, name, t, args, nargs);
    if (n == 1 && in_scalar_entry(l)) offer_vector_forms(l, r, fast, call, sleef_member);
    return call;
}

/* ---- lane by lane ---- */

#define LANES_PREFIX "cucpu.lanes." /* helpers, not lowered again */
#define GUARD_PREFIX "cucpu.guard."

static const char *c_name_for(const MathRow *r, LLVMTypeRef t) { return float_bits(t) == 64 ? r->f64 : r->f32; }

/* Gives the function cucpu.lanes.NAME.vW a body: a loop over the lanes. */
static void define_lane_loop(Lower *l, LLVMValueRef f, const MathRow *r) {
    LLVMTypeRef ft = LLVMGlobalGetValueType(f), v = LLVMGetReturnType(ft), e = math_element(v);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->m->ctx);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(l->m->ctx, f, "entry");
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(l->m->ctx, f, "lane");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(l->m->ctx, f, "done");
    LLVMPositionBuilderAtEnd(l->b, entry);
    LLVMBuildBr(l->b, loop);
    LLVMPositionBuilderAtEnd(l->b, loop);
    LLVMValueRef i = LLVMBuildPhi(l->b, i32, "i"), all = LLVMBuildPhi(l->b, v, "all"), args[3];
    unsigned n = LLVMCountParams(f);
    for (unsigned k = 0; k < n; k++) args[k] = LLVMBuildExtractElement(l->b, LLVMGetParam(f, k), i, "");
    LLVMValueRef one = call_same(l, c_name_for(r, e), e, args, n);
    LLVMValueRef more = LLVMBuildInsertElement(l->b, all, one, i, "");
    LLVMValueRef next = LLVMBuildAdd(l->b, i, LLVMConstInt(i32, 1, 0), "");
    LLVMValueRef end = LLVMBuildICmp(l->b, LLVMIntEQ, next, LLVMConstInt(i32, lanes_of(v), 0), "");
    LLVMBuildCondBr(l->b, end, done, loop);
    LLVMValueRef i_in[2] = {LLVMConstInt(i32, 0, 0), next}, all_in[2] = {LLVMGetPoison(v), more};
    LLVMBasicBlockRef from[2] = {entry, loop};
    LLVMAddIncoming(i, i_in, from, 2);
    LLVMAddIncoming(all, all_in, from, 2);
    LLVMPositionBuilderAtEnd(l->b, done);
    LLVMBuildRet(l->b, more);
}

typedef void Define(Lower *, LLVMValueRef f, const MathRow *r);

static void helper_name(const char *kind, const MathRow *r, LLVMTypeRef t, char *out, size_t size) {
    snprintf(out, size, "%s%s%s.v%u", kind, r->name, float_bits(t) == 64 ? "" : "f", lanes_of(t));
}

/* The internal function cucpu.KIND.NAME.vW, which `define` fills at its first use. */
static LLVMValueRef helper(Lower *l, const char *kind, const MathRow *r, LLVMTypeRef t, unsigned nargs,
                           Define *define) {
    LLVMTypeRef types[3] = {t, t, t}, pair[2] = {t, t};
    LLVMTypeRef result = r->sig == SIG_P_F ? LLVMStructTypeInContext(l->m->ctx, pair, 2, 0) : t;
    char name[64];
    helper_name(kind, r, t, name, sizeof name);
    LLVMValueRef f = LLVMGetNamedFunction(l->m->mod, name);
    if (f) return f;
    f = LLVMAddFunction(l->m->mod, name, LLVMFunctionType(result, types, nargs, 0));
    LLVMSetLinkage(f, LLVMInternalLinkage);
    add_enum_attr(f, (unsigned)LLVMAttributeFunctionIndex, "nounwind", 0);
    LLVMBuilderRef outer = l->b;
    l->b = LLVMCreateBuilderInContext(l->m->ctx);
    define(l, f, r);
    LLVMDisposeBuilder(l->b);
    l->b = outer;
    return f;
}

static LLVMValueRef call_helper(Lower *l, const char *kind, const MathRow *r, LLVMValueRef *args, unsigned nargs,
                                Define *define) {
    LLVMValueRef f = helper(l, kind, r, LLVMTypeOf(args[0]), nargs, define);
    return LLVMBuildCall2(l->b, LLVMGlobalGetValueType(f), f, args, nargs, "");
}

static LLVMValueRef lane_by_lane(Lower *l, const MathRow *r, LLVMValueRef *args, unsigned nargs) {
    LLVMTypeRef t = LLVMTypeOf(args[0]);
    if (lanes_of(t) == 1) return call_same(l, c_name_for(r, t), t, args, nargs);
    return call_helper(l, LANES_PREFIX, r, args, nargs, define_lane_loop);
}

/* ---- what SLEEF gets wrong ---- */

static LLVMValueRef absolute(Lower *l, LLVMValueRef x) {
    LLVMTypeRef t = LLVMTypeOf(x);
    return math_intrinsic(l->b, "llvm.fabs", &t, 1, &x, 1);
}

static LLVMValueRef beyond(Lower *l, LLVMValueRef x, double limit32, double limit64) {
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef limit = math_float(t, float_bits(t) == 64 ? limit64 : limit32);
    return LLVMBuildFCmp(l->b, LLVMRealOGT, x, limit, "");
}

/* The lanes in which a finite power overflowed falsely, and those of true overflow. */
static LLVMValueRef pow_overflow(Lower *l, LLVMValueRef *args, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMValueRef infinite = math_float(t, INFINITY);
    LLVMValueRef c = LLVMBuildFCmp(l->b, LLVMRealOEQ, absolute(l, v), infinite, "");
    for (int i = 0; i < 2; i++) {
        LLVMValueRef finite = LLVMBuildFCmp(l->b, LLVMRealONE, absolute(l, args[i]), infinite, "");
        c = LLVMBuildAnd(l->b, c, finite, "");
    }
    LLVMValueRef nonzero = LLVMBuildFCmp(l->b, LLVMRealONE, args[0], math_float(t, 0), "");
    return LLVMBuildAnd(l->b, c, nonzero, "");
}

/* SLEEF divides step by step; y = 0, infinities and NaN take the same path. */
static LLVMValueRef large_quotient(Lower *l, LLVMValueRef x, LLVMValueRef y) {
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef maximum = math_float(t, float_bits(t) == 64 ? 0x1p900 : 0x1p90);
    LLVMValueRef limit = LLVMBuildFMul(l->b, absolute(l, y), maximum, "");
    LLVMValueRef small = LLVMBuildFCmp(l->b, LLVMRealOLT, absolute(l, x), limit, "");
    LLVMValueRef finite = LLVMBuildFCmp(l->b, LLVMRealOLT, absolute(l, y), math_float(t, INFINITY), "");
    return LLVMBuildNot(l->b, LLVMBuildAnd(l->b, small, finite, ""), "");
}

/* The lanes that the C function must compute instead: arguments near or beyond a limit inside SLEEF above which it
** gives an infinity too early; tiny results that lost bits or the sign. */
static LLVMValueRef unreliable_lanes(Lower *l, const MathRow *r, LLVMValueRef *args, LLVMValueRef v) {
    bool is_double = float_bits(LLVMTypeOf(v)) == 64;
    switch (r->id) {
    case MATH_ID_sinh:
    case MATH_ID_cosh: return beyond(l, absolute(l, args[0]), 88, 709);
    case MATH_ID_asinh: return beyond(l, absolute(l, args[0]), 1e18, 1e153);
    case MATH_ID_acosh: return beyond(l, args[0], 1e18, 1e153);
    case MATH_ID_log1p: return beyond(l, args[0], 1e37, 1e306);
    case MATH_ID_fmod:
    case MATH_ID_remainder: return large_quotient(l, args[0], args[1]);
    case MATH_ID_lgamma: return beyond(l, args[0], 1e36, 1e305);
    case MATH_ID_exp: return is_double ? beyond(l, args[0], 0, 709.7) : NULL;
    case MATH_ID_pow: return is_double ? pow_overflow(l, args, v) : NULL;
    case MATH_ID_tgamma: {
        LLVMValueRef minimum = math_float(LLVMTypeOf(v), is_double ? 0x1p-1000 : 0x1p-100);
        return LLVMBuildFCmp(l->b, LLVMRealOLT, absolute(l, v), minimum, "");
    }
    default: return NULL;
    }
}

static void set_unlikely(Lower *l, LLVMValueRef branch) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->m->ctx);
    LLVMMetadataRef node[3] = {LLVMMDStringInContext2(l->m->ctx, "branch_weights", 14),
                               LLVMValueAsMetadata(LLVMConstInt(i32, 1, 0)),
                               LLVMValueAsMetadata(LLVMConstInt(i32, 2000, 0))};
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(l->m->ctx, "prof", 4),
                    LLVMMetadataAsValue(l->m->ctx, LLVMMDNodeInContext2(l->m->ctx, node, 3)));
}

static LLVMValueRef any_lane(Lower *l, LLVMValueRef mask) {
    LLVMTypeRef t = LLVMTypeOf(mask);
    if (lanes_of(t) == 1) return mask;
    return math_intrinsic(l->b, "llvm.vector.reduce.or", &t, 1, &mask, 1);
}

static bool is_guarded(const MathRow *r, LLVMTypeRef t) {
    switch (r->id) {
    case MATH_ID_sinh:
    case MATH_ID_cosh:
    case MATH_ID_asinh:
    case MATH_ID_acosh:
    case MATH_ID_log1p:
    case MATH_ID_tgamma:
    case MATH_ID_lgamma:
    case MATH_ID_fmod:
    case MATH_ID_remainder: return true;
    case MATH_ID_exp:
    case MATH_ID_pow: return float_bits(t) == 64;
    default: return false;
    }
}

/* sinh and cosh beyond 709, where the C library's are wrong by 2 ulp: half of exp(|x|), as exp(|x| - 67 ln 2) times
** 2^66. The difference to a multiple of 2^-43 is exact; the rest of 67 ln 2 is a factor. */
static LLVMValueRef half_exponential(Lower *l, const MathRow *r, LLVMValueRef x) {
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef e = LLVMBuildFSub(l->b, absolute(l, x), math_float(t, 0x1.7386e22edf4a0p+5), "");
    e = lane_by_lane(l, math_row("exp"), &e, 1);
    e = LLVMBuildFMul(l->b, e, math_float(t, 0x1.ffffffffffe65p-1), "");
    LLVMValueRef with_sign[2] = {LLVMBuildFMul(l->b, e, math_float(t, 0x1p66), ""), x};
    return r->id == MATH_ID_cosh ? with_sign[0] : math_intrinsic(l->b, "llvm.copysign", &t, 1, with_sign, 2);
}

/* The C function of double for each lane, also for float: its error is below that of the float function. */
static LLVMValueRef slow_lanes(Lower *l, const MathRow *r, LLVMValueRef *args, unsigned n) {
    LLVMTypeRef t = LLVMTypeOf(args[0]);
    bool hyperbolic = r->id == MATH_ID_sinh || r->id == MATH_ID_cosh;
    if (float_bits(t) == 64) return hyperbolic ? half_exponential(l, r, args[0]) : lane_by_lane(l, r, args, n);
    LLVMTypeRef d = math_with_lanes(LLVMDoubleTypeInContext(l->m->ctx), lanes_of(t));
    LLVMValueRef wide[3];
    for (unsigned i = 0; i < n; i++) wide[i] = LLVMBuildFPExt(l->b, args[i], d, "");
    return LLVMBuildFPTrunc(l->b, lane_by_lane(l, r, wide, n), t, "");
}

/* v = SLEEF; if any lane is unreliable, those lanes get the C function's result. */
static void define_guarded(Lower *l, LLVMValueRef f, const MathRow *r) {
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(l->m->ctx, f, "entry");
    LLVMBasicBlockRef rare = LLVMAppendBasicBlockInContext(l->m->ctx, f, "rare");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(l->m->ctx, f, "done");
    LLVMValueRef args[3];
    unsigned n = LLVMCountParams(f);
    LLVMPositionBuilderAtEnd(l->b, entry);
    /* lanes that do not exist may be poison, on which no branch may depend */
    for (unsigned i = 0; i < n; i++) args[i] = LLVMBuildFreeze(l->b, LLVMGetParam(f, i), "");
    LLVMValueRef v = sleef_call(l, r, false, args, n);
    LLVMValueRef mask = unreliable_lanes(l, r, args, v);
    LLVMBuildCondBr(l->b, any_lane(l, mask), rare, done);
    LLVMPositionBuilderAtEnd(l->b, rare);
    LLVMValueRef slow = LLVMBuildSelect(l->b, mask, slow_lanes(l, r, args, n), v, "");
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
    LLVMValueRef both = LLVMBuildPhi(l->b, LLVMTypeOf(v), ""), values[2] = {v, slow};
    LLVMBasicBlockRef from[2] = {entry, rare};
    LLVMAddIncoming(both, values, from, 2);
    LLVMBuildRet(l->b, both);
}

static bool is_pi(const MathRow *r) { return r->id == MATH_ID_sinpi || r->id == MATH_ID_cospi; }

/* SLEEF does not handle large arguments: take x modulo 2, which is exact. The zeros of sinpi have the sign of x, those
** of cospi are positive. */
static LLVMValueRef multiple_of_pi(Lower *l, const MathRow *r, LLVMValueRef x) {
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef zero = math_float(t, 0), half = LLVMBuildFMul(l->b, x, math_float(t, 0.5), "");
    half = math_intrinsic(l->b, "llvm.rint", &t, 1, &half, 1);
    LLVMValueRef rest = LLVMBuildFSub(l->b, x, LLVMBuildFMul(l->b, half, math_float(t, 2), ""), "");
    LLVMValueRef v = sleef_call(l, r, false, &rest, 1);
    if (r->id == MATH_ID_cospi) return LLVMBuildFAdd(l->b, v, zero, "");
    LLVMValueRef signed_zero[2] = {zero, x}, is_zero = LLVMBuildFCmp(l->b, LLVMRealOEQ, v, zero, "");
    signed_zero[0] = math_intrinsic(l->b, "llvm.copysign", &t, 1, signed_zero, 2);
    return LLVMBuildSelect(l->b, is_zero, signed_zero[0], v, "");
}

static LLVMValueRef sleef(Lower *l, const MathRow *r, bool fast, LLVMValueRef *args, unsigned n) {
    LLVMTypeRef t = LLVMTypeOf(args[0]);
    if (!r->ulp32 && lanes_of(t) == 1) return lane_by_lane(l, r, args, n); /* exact: the same bits */
    if (r->id == MATH_ID_exp && float_bits(t) == 32 && l->finz) return expand_exp_f32(l->b, args[0], l->has_scalef);
    if (!fast && is_guarded(r, t)) return call_helper(l, GUARD_PREFIX, r, args, n, define_guarded);
    return is_pi(r) ? multiple_of_pi(l, r, args[0]) : sleef_call(l, r, fast, args, n);
}

/* ---- the rest ---- */

static LLVMValueRef pair_of(Lower *l, LLVMTypeRef type, LLVMValueRef first, LLVMValueRef second) {
    LLVMValueRef r = LLVMBuildInsertValue(l->b, LLVMGetPoison(type), first, 0, "");
    return LLVMBuildInsertValue(l->b, r, second, 1, "");
}

static LLVMValueRef result_of(Lower *l, const MathRow *r, LLVMTypeRef type, SinCos v) {
    if (r->sig == SIG_P_F) return pair_of(l, type, v.sine, v.cosine);
    return r->id == MATH_ID_sin ? v.sine : v.cosine;
}

static SinCos sleef_sincos(Lower *l, const MathRow *r, LLVMValueRef x) {
    SinCos v = {0};
    if (r->id != MATH_ID_cos) v.sine = sleef_call(l, math_row("sin"), false, &x, 1);
    if (r->id != MATH_ID_sin) v.cosine = sleef_call(l, math_row("cos"), false, &x, 1);
    return v;
}

/* Lanes beyond the limit of the instructions, infinities and NaN get SLEEF's results. */
static void define_sincos(Lower *l, LLVMValueRef f, const MathRow *r) {
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(l->m->ctx, f, "entry");
    LLVMBasicBlockRef rare = LLVMAppendBasicBlockInContext(l->m->ctx, f, "rare");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(l->m->ctx, f, "done");
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(f));
    LLVMPositionBuilderAtEnd(l->b, entry);
    LLVMValueRef x = LLVMBuildFreeze(l->b, LLVMGetParam(f, 0), "");
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef limit = math_float(t, float_bits(t) == 64 ? SINCOS_LIMIT_F64 : SINCOS_LIMIT_F32);
    SinCos v = expand_sincos(l->b, x, true), slow;
    LLVMValueRef values[2] = {result_of(l, r, result, v)};
    LLVMValueRef mask = LLVMBuildFCmp(l->b, LLVMRealUGT, absolute(l, x), limit, "");
    set_unlikely(l, LLVMBuildCondBr(l->b, any_lane(l, mask), rare, done));
    LLVMPositionBuilderAtEnd(l->b, rare);
    slow = sleef_sincos(l, r, x);
    if (slow.sine) slow.sine = LLVMBuildSelect(l->b, mask, slow.sine, v.sine, "");
    if (slow.cosine) slow.cosine = LLVMBuildSelect(l->b, mask, slow.cosine, v.cosine, "");
    values[1] = result_of(l, r, result, slow);
    LLVMBuildBr(l->b, done);
    LLVMPositionBuilderAtEnd(l->b, done);
    LLVMValueRef both = LLVMBuildPhi(l->b, result, "");
    LLVMBasicBlockRef from[2] = {entry, rare};
    LLVMAddIncoming(both, values, from, 2);
    LLVMBuildRet(l->b, both);
}

static void sincos_member(Lower *l, const MathRow *r, bool fast, LLVMTypeRef t, unsigned nargs, char *name,
                          size_t size) {
    helper_name(GUARD_PREFIX, r, t, name, size);
    (void)helper(l, GUARD_PREFIX, r, t, nargs, define_sincos);
    (void)fast;
}

static void add_call_attr(Lower *l, LLVMValueRef call, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             LLVMCreateEnumAttribute(l->m->ctx, kind, 0));
}

/* Inline, because a call costs the caller all its vector registers, and both share what they can.  In code of width 1 a
** call stays one until LLVM has vectorised the loop around it: it would not with the rare branch. */
static LLVMValueRef lower_sincos(Lower *l, const MathRow *r, LLVMValueRef call, LLVMValueRef x) {
    if (!l->finz) return result_of(l, r, LLVMTypeOf(call), sleef_sincos(l, r, x));
    if (is_fast(l, r, call)) return result_of(l, r, LLVMTypeOf(call), expand_sincos(l->b, x, false));
    if (!in_scalar_entry(l)) {
        LLVMValueRef v = call_helper(l, GUARD_PREFIX, r, &x, 1, define_sincos);
        add_call_attr(l, v, "alwaysinline");
        return v;
    }
    const MathRow *rows[2] = {r->id == MATH_ID_cos ? r : math_row("sin"), math_row("cos")};
    LLVMValueRef v[2];
    for (int i = 0; i < (r->sig == SIG_P_F ? 2 : 1); i++) {
        v[i] = call_helper(l, GUARD_PREFIX, rows[i], &x, 1, define_sincos);
        add_call_attr(l, v[i], "noinline");
        offer_vector_forms(l, rows[i], false, v[i], sincos_member);
    }
    return r->sig == SIG_P_F ? pair_of(l, LLVMTypeOf(call), v[0], v[1]) : v[0];
}

/* pow in double: an i32 is exact there, and odd exponents stay odd. */
static LLVMValueRef powi(Lower *l, LLVMValueRef x, LLVMValueRef e) {
    LLVMTypeRef t = LLVMTypeOf(x);
    unsigned n = lanes_of(t);
    LLVMTypeRef d = math_with_lanes(LLVMDoubleTypeInContext(l->m->ctx), n);
    if (LLVMGetTypeKind(LLVMTypeOf(e)) != LLVMVectorTypeKind && n > 1) {
        LLVMTypeRef vi = LLVMVectorType(LLVMTypeOf(e), n);
        LLVMValueRef zero = LLVMConstInt(LLVMInt32TypeInContext(l->m->ctx), 0, 0);
        e = LLVMBuildInsertElement(l->b, LLVMGetPoison(vi), e, zero, "");
        e = padded_lanes(l, padded_lanes(l, e, 0, 1), 0, n);
    }
    LLVMValueRef args[2] = {x, LLVMBuildSIToFP(l->b, e, d, "")};
    if (float_bits(t) == 32) args[0] = LLVMBuildFPExt(l->b, x, d, "");
    LLVMValueRef r = sleef(l, math_row("pow"), false, args, 2);
    return float_bits(t) == 32 ? LLVMBuildFPTrunc(l->b, r, t, "") : r;
}

/* NULL: the call is kept. */
static LLVMValueRef expand(Lower *l, const MathRow *r, LLVMValueRef call, LLVMValueRef *args) {
    LLVMTypeRef t = LLVMTypeOf(args[0]);
    switch (r->id) {
    case MATH_ID_ldexp: return l->has_scalef ? NULL : expand_ldexp(l->b, args[0], args[1]);
    case MATH_ID_frexp: return expand_frexp(l->b, args[0], LLVMTypeOf(call));
    case MATH_ID_modf: return expand_modf(l->b, args[0], LLVMTypeOf(call));
    case MATH_ID_sin:
    case MATH_ID_cos:
    case MATH_ID_sincos: return lower_sincos(l, r, call, args[0]);
    case MATH_ID_rsqrt: return expand_rsqrt_f32(l->b, args[0], l->has_scalef);
    case MATH_ID_powi: return powi(l, args[0], args[1]);
    case MATH_ID_fma: return l->has_fma || float_bits(t) == 64 ? NULL : expand_fma_f32(l->b, args[0], args[1], args[2]);
    default: return NULL;
    }
}

/* A C function or a cucpu.math.* whose intrinsic the back end knows. */
static LLVMValueRef as_intrinsic(Lower *l, const MathRow *r, LLVMValueRef call, LLVMValueRef *args, unsigned n) {
    if (!strncmp(value_name(LLVMGetCalledValue(call)), "llvm.", 5)) return NULL;
    LLVMTypeRef over[2] = {LLVMTypeOf(args[0]), n > 1 ? LLVMTypeOf(args[1]) : NULL};
    return math_intrinsic(l->b, r->intrinsic, over, r->sig == SIG_F_FI ? 2 : 1, args, n);
}

static LLVMValueRef lower_row(Lower *l, const MathRow *r, LLVMValueRef call, LLVMValueRef *args, unsigned n) {
    if (r->kind == MATH_SLEEF) return sleef(l, r, is_fast(l, r, call), args, n);
    LLVMValueRef v = r->kind == MATH_EXPAND ? expand(l, r, call, args) : NULL;
    return v ? v : as_intrinsic(l, r, call, args, n);
}

/* half and bfloat are computed as float. */
static LLVMValueRef lower_half(Lower *l, const MathRow *r, LLVMValueRef call, LLVMValueRef *args, unsigned n) {
    if (r->kind == MATH_NATIVE || r->id == MATH_ID_fma) return NULL;
    LLVMTypeRef t = LLVMTypeOf(call);
    LLVMTypeRef wide = math_with_lanes(LLVMFloatTypeInContext(l->m->ctx), lanes_of(t));
    for (unsigned i = 0; i < n; i++)
        if (LLVMTypeOf(args[i]) == t) args[i] = LLVMBuildFPExt(l->b, args[i], wide, "");
    LLVMValueRef v = r->id == MATH_ID_ldexp ? expand_ldexp(l->b, args[0], args[1]) : lower_row(l, r, call, args, n);
    return LLVMBuildFPTrunc(l->b, v, t, "");
}

static LLVMValueRef lower_saturating(Lower *l, LLVMValueRef call, bool is_signed) {
    LLVMValueRef x = LLVMGetOperand(call, 0);
    LLVMTypeKind k = LLVMGetTypeKind(math_element(LLVMTypeOf(x)));
    if (k != LLVMFloatTypeKind && k != LLVMDoubleTypeKind) return NULL;
    if (LLVMGetIntTypeWidth(math_element(LLVMTypeOf(call))) > 64) return NULL;
    ConvertTarget t = {l->m->vector_bits, l->has_scalef && l->m->vector_bits >= 512};
    LLVMValueRef v = convert_floats(l->b, x, LLVMTypeOf(call), is_signed, &t);
    return v ? v : expand_to_int(l->b, x, LLVMTypeOf(call), is_signed);
}

static LLVMValueRef lower_call(Lower *l, LLVMValueRef call, const char *name) {
    if (!strncmp(name, "llvm.fptosi.sat.", 16)) return lower_saturating(l, call, true);
    if (!strncmp(name, "llvm.fptoui.sat.", 16)) return lower_saturating(l, call, false);
    const MathRow *r = math_row_of_call(call);
    if (!r) return NULL;
    LLVMValueRef args[3];
    unsigned n = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < n; i++) args[i] = LLVMGetOperand(call, i);
    LLVMTypeKind k = LLVMGetTypeKind(math_element(LLVMTypeOf(args[0])));
    if (k == LLVMHalfTypeKind || k == LLVMBFloatTypeKind) return lower_half(l, r, call, args, n);
    return lower_row(l, r, call, args, n);
}

/* The back end would split the remainder of vectors into calls of fmod. */
static LLVMValueRef lower_frem(Lower *l, LLVMValueRef i) {
    LLVMValueRef args[2] = {LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)};
    LLVMTypeKind k = LLVMGetTypeKind(math_element(LLVMTypeOf(i)));
    if (k != LLVMFloatTypeKind && k != LLVMDoubleTypeKind) return NULL;
    return sleef(l, math_row("fmod"), false, args, 2);
}

static LLVMValueRef lower_instruction(Lower *l, LLVMValueRef i) {
    if (LLVMGetInstructionOpcode(i) == LLVMFRem) return lower_frem(l, i);
    if (!LLVMIsACallInst(i) || !LLVMIsAFunction(LLVMGetCalledValue(i))) return NULL;
    const char *name = value_name(LLVMGetCalledValue(i));
    LLVMValueRef v = lower_call(l, i, name);
    if (!v && !strncmp(name, MATH_PREFIX, strlen(MATH_PREFIX)))
        diag_error(&l->m->diag, i, "no vector form of the math function %s", name);
    return v;
}

static void lower_function(Lower *l, LLVMValueRef f) {
    for_each_block(bb, f) {
        if (l->finz) pair_sincos(l->b, bb);
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            LLVMPositionBuilderBefore(l->b, i);
            LLVMValueRef v = lower_instruction(l, i);
            if (!v) continue;
            size_t len;
            const char *name = LLVMGetValueName2(i, &len);
            if (len && LLVMIsAInstruction(v)) {
                char keep[128];
                snprintf(keep, sizeof keep, "%.*s", (int)len, name);
                LLVMSetValueName2(i, "", 0);
                LLVMSetValueName2(v, keep, strlen(keep));
            }
            replace_instruction(i, v);
        }
    }
}

static bool is_helper(LLVMValueRef f) {
    const char *name = value_name(f);
    return !strncmp(name, LANES_PREFIX, strlen(LANES_PREFIX)) || !strncmp(name, GUARD_PREFIX, strlen(GUARD_PREFIX));
}

bool lower_math(Module *m) {
    Lower l = {.m = m, .b = LLVMCreateBuilderInContext(m->ctx)};
    choose_family(&l);
    Vec(LLVMValueRef) work = {0};
    for_each_function(f, m->mod) vec_push(&m->arena, &work, f);
    for (int i = 0; i < work.n; i++)
        if (!LLVMIsDeclaration(work.v[i]) && !is_helper(work.v[i])) lower_function(&l, work.v[i]);
    for (int i = 0; i < work.n; i++)
        if (LLVMIsDeclaration(work.v[i]) && !LLVMGetFirstUse(work.v[i]) && LLVMGetIntrinsicID(work.v[i]))
            LLVMDeleteFunction(work.v[i]);
    LLVMDisposeBuilder(l.b);
    return !m->diag.errors;
}
