/* math.c: look-ups in the table of math functions, and the vector form of a call for `widen`.
**
** A call belongs to the table only if the function is declared, not defined (a program may have a
** `hypotf` of its own), and its types are those of the row.  Vector forms of intrinsics are the
** intrinsics themselves over vector types; those of C functions are calls of cucpu.math.NAME.vW,
** functions that exist between widen and lower_math only. */
#include "passes/ir/math.h"
#include "passes/ir/edit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const MathRow rows[] = {
#define MATH(name, kind, sig, llvm, f32, f64, sleef, acc32, acc64, fast, ulp32, ulp64)                                 \
    {#name, MATH_ID_##name, MATH_##kind, SIG_##sig, llvm, f32, f64, sleef, acc32, acc64, fast, ulp32, ulp64},
#include "passes/ir/math.def"
#undef MATH
};

static bool same(const char *a, const char *b, size_t n) { return a && strlen(a) == n && !memcmp(a, b, n); }

/* "llvm.log2.f32" names the intrinsic llvm.log2: the longest match of whole words. */
static const MathRow *intrinsic_row(const char *name) {
    const MathRow *best = NULL;
    for (int i = 0; i < MATH_ID_COUNT; i++) {
        const char *s = rows[i].intrinsic;
        size_t n = s ? strlen(s) : 0;
        if (n && !strncmp(name, s, n) && (!name[n] || name[n] == '.')) best = &rows[i];
    }
    return best;
}

const MathRow *math_row(const char *name) {
    if (!strncmp(name, "llvm.", 5)) return intrinsic_row(name);
    size_t n = strlen(name), prefix = strlen(MATH_PREFIX);
    if (!strncmp(name, MATH_PREFIX, prefix)) {
        name += prefix;
        const char *v = strstr(name, ".v");
        n = v ? (size_t)(v - name) : strlen(name);
    }
    for (int i = 0; i < MATH_ID_COUNT; i++)
        if (same(rows[i].f32, name, n) || same(rows[i].f64, name, n)) return &rows[i];
    return NULL;
}

/* ---- types ---- */

LLVMTypeRef math_with_lanes(LLVMTypeRef element, unsigned lanes) {
    return lanes > 1 ? LLVMVectorType(element, lanes) : element;
}

LLVMTypeRef math_element(LLVMTypeRef t) { return element_type(t); }

static bool is_half(LLVMTypeRef t) {
    LLVMTypeKind k = LLVMGetTypeKind(math_element(t));
    return k == LLVMHalfTypeKind || k == LLVMBFloatTypeKind;
}

static bool is_int32(LLVMTypeRef t) {
    t = math_element(t);
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 32;
}

static bool operand_fits(const MathRow *r, LLVMTypeRef first, LLVMValueRef arg, unsigned i) {
    LLVMTypeRef t = LLVMTypeOf(arg);
    if (r->sig == SIG_F_FI && i == 1) return is_int32(t);
    return t == first;
}

static unsigned operands_of(MathSig sig) { return sig == SIG_F_FFF ? 3 : sig == SIG_F_FF || sig == SIG_F_FI ? 2 : 1; }

/* half and bfloat only as intrinsics with one float result: they are computed as float. */
static bool types_fit(const MathRow *r, LLVMValueRef call, bool intrinsic) {
    unsigned n = LLVMGetNumArgOperands(call);
    if (n != operands_of(r->sig)) return false;
    LLVMTypeRef x = LLVMTypeOf(LLVMGetOperand(call, 0)), result = LLVMTypeOf(call);
    if (!is_float_or_double(x) && !(intrinsic && is_half(x) && r->sig != SIG_P_F)) return false;
    for (unsigned i = 0; i < n; i++)
        if (!operand_fits(r, x, LLVMGetOperand(call, i), i)) return false;
    if (r->sig != SIG_P_F) return result == x;
    return LLVMGetTypeKind(result) == LLVMStructTypeKind && LLVMCountStructElementTypes(result) == 2;
}

static const char *declared_callee(LLVMValueRef call) {
    LLVMValueRef f = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
    return f && LLVMIsAFunction(f) && LLVMIsDeclaration(f) ? value_name(f) : NULL;
}

const MathRow *math_row_of_call(LLVMValueRef call) {
    const char *name = declared_callee(call);
    const MathRow *r = name ? math_row(name) : NULL;
    return r && types_fit(r, call, !strncmp(name, "llvm.", 5)) ? r : NULL;
}

/* ---- constants and calls ---- */

LLVMValueRef math_splat(LLVMTypeRef t, LLVMValueRef element) {
    LLVMValueRef v[64];
    unsigned n = lanes_of(t);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) return element;
    for (unsigned i = 0; i < n; i++) v[i] = element;
    return LLVMConstVector(v, n);
}

LLVMValueRef math_float(LLVMTypeRef t, double v) { return math_splat(t, LLVMConstReal(math_element(t), v)); }

LLVMValueRef math_int(LLVMTypeRef t, long long v) {
    return math_splat(t, LLVMConstInt(math_element(t), (unsigned long long)v, 1));
}

LLVMValueRef math_intrinsic(LLVMBuilderRef b, const char *name, LLVMTypeRef *over, unsigned nover, LLVMValueRef *args,
                            unsigned nargs) {
    LLVMModuleRef m = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(b)));
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(m, id, over, nover);
    LLVMTypeRef t = LLVMIntrinsicGetType(LLVMGetModuleContext(m), id, over, nover);
    return LLVMBuildCall2(b, t, f, args, nargs, "");
}

/* ---- the vector form ---- */

static const char *saturating(LLVMValueRef call) {
    const char *name = declared_callee(call);
    if (!name) return NULL;
    if (!strncmp(name, "llvm.fptosi.sat.", 16)) return "llvm.fptosi.sat";
    return !strncmp(name, "llvm.fptoui.sat.", 16) ? "llvm.fptoui.sat" : NULL;
}

bool math_is_vectorizable(LLVMValueRef call) { return saturating(call) || math_row_of_call(call); }

static LLVMValueRef widened_intrinsic(LLVMBuilderRef b, const MathRow *r, LLVMValueRef *args) {
    LLVMTypeRef over[2] = {LLVMTypeOf(args[0]), NULL};
    unsigned n = 1;
    if (r->sig == SIG_F_FI) over[n++] = LLVMTypeOf(args[1]);
    if (r->id == MATH_ID_frexp) {
        LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(over[0]));
        over[n++] = math_with_lanes(i32, lanes_of(over[0]));
    }
    return math_intrinsic(b, r->intrinsic, over, n, args, operands_of(r->sig));
}

static LLVMValueRef widened_named(LLVMBuilderRef b, const char *c_name, LLVMValueRef *args, unsigned nargs,
                                  unsigned width) {
    char name[64];
    snprintf(name, sizeof name, MATH_PREFIX "%s.v%u", c_name, width);
    return build_named_call(b, name, LLVMTypeOf(args[0]), args, nargs);
}

/* llvm.powi has one exponent for all lanes, so its vector form is named after the C function. */
static const char *c_name_of(const MathRow *r, LLVMValueRef call) {
    const char *name = declared_callee(call);
    if (r->id != MATH_ID_powi && !strncmp(name, "llvm.", 5)) return NULL;
    LLVMTypeKind k = LLVMGetTypeKind(LLVMTypeOf(call));
    return k == LLVMDoubleTypeKind ? r->f64 : r->f32;
}

LLVMValueRef math_widened(LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef *args, unsigned width) {
    const char *sat = saturating(call);
    if (sat) {
        LLVMTypeRef over[2] = {math_with_lanes(LLVMTypeOf(call), width), LLVMTypeOf(args[0])};
        return math_intrinsic(b, sat, over, 2, args, 1);
    }
    const MathRow *r = math_row_of_call(call);
    const char *c_name = c_name_of(r, call);
    LLVMValueRef v =
        c_name ? widened_named(b, c_name, args, operands_of(r->sig), width) : widened_intrinsic(b, r, args);
    if (LLVMCanValueUseFastMathFlags(v) && LLVMCanValueUseFastMathFlags(call))
        LLVMSetFastMathFlags(v, LLVMGetFastMathFlags(call));
    return v;
}
