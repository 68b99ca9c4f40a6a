/* lower_float.c: floating-point arithmetic, comparisons.
**
** Each operation is rounded by itself: no flag lets LLVM contract or reorder.  .rz .rm .rp are exact functions of the
** device library (rounding.cu).  .ftz flushes operands and results that are denormal, sign kept. Approximations
** (.approx, .full) are at least as exact as the ISA demands. f16 is computed as LLVM's half, but for fma; bf16 as
** float, rounded once; NaN is canonical in both. */
#include "ptx-frontend/lower.h"
#include <stdio.h>

static LLVMValueRef intrinsic(Lower *l, const char *name, LLVMValueRef *v, unsigned n) {
    return call_llvm(l, name, LLVMTypeOf(v[0]), v, n);
}

static LLVMTypeRef type_of(LLVMValueRef v) { return LLVMTypeOf(v); }

static LLVMValueRef flush(Lower *l, LLVMValueRef v) {
    LLVMTypeRef t = type_of(v);
    double least = t == l->f16 ? 0x1p-14 : 0x1p-126;
    if (LLVMIsAConstantFP(v)) {
        LLVMBool lost;
        double d = LLVMConstRealGetDouble(v, &lost);
        if (d >= least || d <= -least || d == 0) return v;
    }
    LLVMValueRef size = intrinsic(l, "llvm.fabs", &v, 1), a[2] = {LLVMConstReal(t, 0), v};
    LLVMValueRef tiny = LLVMBuildFCmp(l->b, LLVMRealOLT, size, LLVMConstReal(t, least), "");
    return LLVMBuildSelect(l->b, tiny, intrinsic(l, "llvm.copysign", a, 2), v, "");
}

/* cvt flushes only what is .f32, the others also .f16 */
LLVMValueRef ptx_flush(Lower *l, LLVMValueRef v) {
    LLVMTypeRef t = type_of(v);
    if (t == l->f16 && !strcmp(l->inst->op, "cvt")) return v;
    return has_mod(l, "ftz") && (t == l->f32 || t == l->f16) ? flush(l, v) : v;
}

/* [0, 1]; NaN becomes +0. */
LLVMValueRef ptx_saturate(Lower *l, LLVMValueRef v) {
    LLVMTypeRef t = type_of(v);
    LLVMValueRef zero = LLVMConstReal(t, 0), one = LLVMConstReal(t, 1);
    LLVMValueRef low = LLVMBuildSelect(l->b, LLVMBuildFCmp(l->b, LLVMRealOGT, v, zero, ""), v, zero, "");
    return LLVMBuildSelect(l->b, LLVMBuildFCmp(l->b, LLVMRealOLT, low, one, ""), low, one, "");
}

/* NaN of f16 is the canonical one. */
static LLVMValueRef canonical(Lower *l, LLVMValueRef v, char how) {
    if (type_of(v) != l->f16 || how == 'a' || how == 'n') return v;
    LLVMValueRef nan = LLVMBuildFCmp(l->b, LLVMRealUNO, v, v, "");
    return LLVMBuildSelect(l->b, nan, LLVMConstBitCast(const_int(l, 16, 0x7fff), l->f16), v, "");
}

static LLVMValueRef finish(Lower *l, LLVMValueRef v) {
    v = ptx_flush(l, v);
    if (has_mod(l, "relu")) {
        LLVMTypeRef t = type_of(v);
        LLVMValueRef zero = LLVMConstReal(t, 0), not_nan = LLVMBuildFCmp(l->b, LLVMRealULT, zero, v, "");
        LLVMValueRef nan = LLVMBuildFCmp(l->b, LLVMRealUNO, v, v, "");
        v = LLVMBuildSelect(l->b, not_nan, v, LLVMBuildSelect(l->b, nan, v, zero, ""), "");
    }
    return has_mod(l, "sat") ? ptx_saturate(l, v) : v;
}

/* ---- the operations on a scalar float, double or half ---- */

static LLVMValueRef min_max(Lower *l, LLVMValueRef *v, unsigned n, bool max) {
    LLVMValueRef a[2] = {v[0], v[1]}, r;
    if (has_mod(l, "abs")) { /* alone, or with .xorsign */
        for (int i = 0; i < 2; i++) a[i] = intrinsic(l, "llvm.fabs", &v[i], 1);
    }
    const char *name =
        has_mod(l, "NaN") ? (max ? "llvm.maximum" : "llvm.minimum") : (max ? "llvm.maximumnum" : "llvm.minimumnum");
    r = intrinsic(l, name, a, 2);
    if (n == 3) {
        LLVMValueRef again[2] = {r, has_mod(l, "abs") ? intrinsic(l, "llvm.fabs", &v[2], 1) : v[2]};
        r = intrinsic(l, name, again, 2);
    }
    if (!has_mod(l, "xorsign")) return r;
    LLVMValueRef sign[2] = {
        r, LLVMBuildBitCast(l->b, LLVMBuildXor(l->b, as_int(l, v[0]), as_int(l, v[1]), ""), type_of(r), "")};
    return intrinsic(l, "llvm.copysign", sign, 2);
}

/* The device library's name of a rounding: rz; rd for .rm, ru for .rp.  NULL: to nearest. */
static const char *direction(const Lower *l) {
    return has_mod(l, "rz") ? "rz" : has_mod(l, "rm") ? "rd" : has_mod(l, "rp") ? "ru" : NULL;
}

static LLVMValueRef directed(Lower *l, LLVMValueRef *v, unsigned n, const char *how) {
    static const struct {
        char how;
        const char *f, *d;
    } names[] = {{'+', "fadd", "dadd"}, {'-', "fsub", "dsub"},   {'*', "fmul", "dmul"}, {'/', "fdiv", "ddiv"},
                 {'m', "fmaf", "fma"},  {'q', "fsqrt", "dsqrt"}, {'1', "frcp", "drcp"}};
    LLVMTypeRef t = type_of(v[0]);
    if (t == l->f16) fail(l, "this rounding is not one of .f16");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].how != *how) continue;
        char name[40];
        snprintf(name, sizeof name, "__nv_%s_%s", t == l->f32 ? names[i].f : names[i].d, direction(l));
        return call_named(l, name, t, v, n);
    }
    fail(l, "this rounding is not implemented");
}

static LLVMValueRef half_fma(Lower *l, LLVMValueRef *v) {
    LLVMValueRef a[3];
    for (int i = 0; i < 3; i++) a[i] = as_int(l, v[i]);
    return LLVMBuildBitCast(l->b, call_named(l, "__cucpu_ptx_fma_f16", l->i16, a, 3), l->f16, "");
}

static LLVMValueRef approximate(Lower *l, LLVMValueRef *v, const char *how) {
    LLVMTypeRef t = type_of(v[0]);
    LLVMValueRef one = LLVMConstReal(t, 1);
    if (t == l->f64 && has_mod(l, "ftz"))
        return call_named(l, *how == '1' ? "__cucpu_ptx_rcp_f64" : "__cucpu_ptx_rsqrt_f64", t, v, 1);
    if (*how == 'r') return LLVMBuildFDiv(l->b, one, intrinsic(l, "llvm.sqrt", v, 1), "");
    return LLVMBuildFDiv(l->b, one, v[0], "");
}

/* div.approx and div.full: huge divisors give 0. */
static LLVMValueRef divide(Lower *l, LLVMValueRef *v) {
    LLVMValueRef q = LLVMBuildFDiv(l->b, v[0], v[1], "");
    return q;
}

static LLVMValueRef scalar(Lower *l, LLVMValueRef *v, unsigned n, const char *how) {
    LLVMTypeRef t = type_of(v[0]);
    if (direction(l)) return directed(l, v, n, how);
    switch (*how) {
    case '+': return LLVMBuildFAdd(l->b, v[0], v[1], "");
    case '-': return LLVMBuildFSub(l->b, v[0], v[1], "");
    case '*': return LLVMBuildFMul(l->b, v[0], v[1], "");
    case '/': return divide(l, v);
    case 'm': return t == l->f16 ? half_fma(l, v) : intrinsic(l, "llvm.fma", v, 3);
    case 'q': return intrinsic(l, "llvm.sqrt", v, 1);
    case '1':
        return t == l->f64 && has_mod(l, "approx") ? approximate(l, v, how)
                                                   : LLVMBuildFDiv(l->b, LLVMConstReal(t, 1), v[0], "");
    case 'r': return approximate(l, v, how);
    case '<': return min_max(l, v, n, false);
    case '>': return min_max(l, v, n, true);
    case 'a': return intrinsic(l, "llvm.fabs", v, 1);
    case 'n': return LLVMBuildFNeg(l->b, v[0], "");
    default: return intrinsic(l, how, v, n); /* "llvm.sin" */
    }
}

static LLVMValueRef one_lane(Lower *l, LLVMValueRef *v, unsigned n, const char *how) {
    LLVMValueRef a[3] = {0};
    if (!strcmp(how, "llvm.exp2") && type_of(v[0]) == l->f32)
        return call_named(l, has_mod(l, "ftz") ? "__cucpu_ptx_ex2_ftz" : "__cucpu_ptx_ex2", l->f32, v, 1);
    for (unsigned i = 0; i < n; i++) a[i] = ptx_flush(l, v[i]);
    return canonical(l, finish(l, scalar(l, a, n, how)), *how);
}

/* ---- bf16: computed as float ---- */

static LLVMValueRef from_bf16(Lower *l, LLVMValueRef v) {
    LLVMValueRef wide = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, v, l->i32, ""), const32(l, 16), "");
    return LLVMBuildBitCast(l->b, wide, l->f32, "");
}

static LLVMValueRef bf16_lane(Lower *l, LLVMValueRef *v, unsigned n, const char *how) {
    LLVMValueRef a[3], r;
    if (*how == 'a') return LLVMBuildAnd(l->b, v[0], const_int(l, 16, 0x7fff), "");
    if (*how == 'n') return LLVMBuildXor(l->b, v[0], const_int(l, 16, 0x8000), "");
    for (unsigned i = 0; i < n; i++) a[i] = from_bf16(l, v[i]);
    if (*how == 'm') {
        r = call_named(l, "__cucpu_ptx_fma_bf16", l->i16, v, 3);
        r = finish(l, from_bf16(l, r));
    } else {
        r = finish(l, scalar(l, a, n, how));
    }
    return call_named(l, "__cucpu_ptx_f32_bf16", l->i16, &r, 1);
}

static LLVMValueRef half_of(Lower *l, LLVMValueRef v, unsigned h) {
    return LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, v, const32(l, 16 * h), ""), l->i16, "");
}

/* Lane h of an i32 as half, or as the bits of bf16. */
static LLVMValueRef lane_of(Lower *l, LLVMValueRef v, unsigned h) {
    LLVMValueRef x = half_of(l, v, h);
    return l->t[0]->kind == 'f' ? LLVMBuildBitCast(l->b, x, l->f16, "") : x;
}

/* .oob: zero where an operand has all ones, which is what a copy of a tensor writes beyond its end. */
static LLVMValueRef within_bounds(Lower *l, LLVMValueRef *v, unsigned n, LLVMValueRef r) {
    LLVMValueRef outside = LLVMConstInt(l->i1, 0, 0);
    if (!has_mod(l, "oob")) return r;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef ones = LLVMBuildICmp(l->b, LLVMIntEQ, as_int(l, v[i]), const_int(l, 16, 0xffff), "");
        outside = LLVMBuildOr(l->b, outside, ones, "");
    }
    return LLVMBuildSelect(l->b, outside, LLVMConstNull(type_of(r)), r, "");
}

static LLVMValueRef any_lane(Lower *l, LLVMValueRef *v, unsigned n, const char *how) {
    bool bf = l->t[0]->kind == 'y';
    return within_bounds(l, v, n, bf ? bf16_lane(l, v, n, how) : one_lane(l, v, n, how));
}

LLVMValueRef op_float_op(Lower *l, LLVMValueRef *v, const char *how) {
    unsigned n = (unsigned)l->inst->nops - 1;
    if (n > 3) n = 3;
    if (l->t[0]->lanes == 1) return any_lane(l, v + 1, n, how);
    LLVMValueRef r[2];
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef part[3];
        for (unsigned i = 0; i < n; i++) part[i] = lane_of(l, v[1 + i], h);
        r[h] = as_int(l, any_lane(l, part, n, how));
        r[h] = LLVMBuildZExt(l->b, r[h], l->i32, "");
    }
    return LLVMBuildOr(l->b, r[0], LLVMBuildShl(l->b, r[1], const32(l, 16), ""), "");
}

/* Two floats in 64 bits. */
LLVMValueRef op_float_pair(Lower *l, LLVMValueRef *v, const char *how) {
    unsigned n = (unsigned)l->inst->nops - 1;
    LLVMValueRef both = const_int(l, 64, 0);
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef part[3] = {0}, at = const_int(l, 64, 32 * h);
        for (unsigned i = 0; i < n && i < 3; i++)
            part[i] = as_type(l, resize(l, LLVMBuildLShr(l->b, v[1 + i], at, ""), 32, false), &type_f32);
        LLVMValueRef r = resize(l, as_int(l, one_lane(l, part, n, how)), 64, false);
        both = LLVMBuildOr(l->b, both, LLVMBuildShl(l->b, r, at, ""), "");
    }
    return both;
}

/* Halves or bfloat16 and a float: all are floats before the operation. */
LLVMValueRef op_float_mixed(Lower *l, LLVMValueRef *v, const char *how) {
    unsigned n = (unsigned)l->inst->nops - 1;
    for (unsigned i = 1; i < n; i++)
        v[i] = l->t[1]->kind == 'y' ? from_bf16(l, v[i]) : LLVMBuildFPExt(l->b, v[i], l->f32, "");
    return one_lane(l, v + 1, n, how);
}

/* Sign of a, magnitude of b: the reverse of C. */
LLVMValueRef op_copy_sign(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    LLVMValueRef a[2] = {v[2], v[1]};
    return intrinsic(l, "llvm.copysign", a, 2);
}

LLVMValueRef op_test_property(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    LLVMTypeRef t = type_of(v[1]);
    LLVMValueRef x = intrinsic(l, "llvm.fabs", &v[1], 1), inf = LLVMConstReal(t, __builtin_inf());
    LLVMValueRef least = LLVMConstReal(t, t == l->f32 ? 0x1p-126 : 0x1p-1022);
    LLVMValueRef finite = LLVMBuildFCmp(l->b, LLVMRealOLT, x, inf, "");
    if (has_mod(l, "finite")) return finite;
    if (has_mod(l, "infinite")) return LLVMBuildFCmp(l->b, LLVMRealOEQ, x, inf, "");
    if (has_mod(l, "number")) return LLVMBuildFCmp(l->b, LLVMRealORD, x, x, "");
    if (has_mod(l, "notanumber")) return LLVMBuildFCmp(l->b, LLVMRealUNO, x, x, "");
    LLVMValueRef zero = LLVMBuildICmp(l->b, LLVMIntEQ, as_int(l, x), LLVMConstNull(type_of(as_int(l, x))), "");
    LLVMValueRef small = LLVMBuildFCmp(l->b, LLVMRealOLT, x, least, "");
    LLVMValueRef subnormal = LLVMBuildAnd(l->b, small, LLVMBuildNot(l->b, zero, ""), "");
    if (has_mod(l, "subnormal")) return subnormal;
    return LLVMBuildAnd(l->b, finite, LLVMBuildNot(l->b, subnormal, ""), ""); /* zeros are normal */
}

/* ---- comparisons ---- */

static const struct Comparison {
    const char *name;
    LLVMRealPredicate real;
    LLVMIntPredicate sign, nosign;
} comparisons[] = {{"eq", LLVMRealOEQ, LLVMIntEQ, LLVMIntEQ},
                   {"ne", LLVMRealONE, LLVMIntNE, LLVMIntNE},
                   {"lt", LLVMRealOLT, LLVMIntSLT, LLVMIntULT},
                   {"le", LLVMRealOLE, LLVMIntSLE, LLVMIntULE},
                   {"gt", LLVMRealOGT, LLVMIntSGT, LLVMIntUGT},
                   {"ge", LLVMRealOGE, LLVMIntSGE, LLVMIntUGE},
                   {"lo", 0, 0, LLVMIntULT},
                   {"ls", 0, 0, LLVMIntULE},
                   {"hi", 0, 0, LLVMIntUGT},
                   {"hs", 0, 0, LLVMIntUGE},
                   {"equ", LLVMRealUEQ, 0, 0},
                   {"neu", LLVMRealUNE, 0, 0},
                   {"ltu", LLVMRealULT, 0, 0},
                   {"leu", LLVMRealULE, 0, 0},
                   {"gtu", LLVMRealUGT, 0, 0},
                   {"geu", LLVMRealUGE, 0, 0},
                   {"num", LLVMRealORD, 0, 0},
                   {"nan", LLVMRealUNO, 0, 0}};

static LLVMValueRef compare_values(Lower *l, LLVMValueRef a, LLVMValueRef b, const PtxType *t) {
    const struct Comparison *c = comparisons;
    while (!has_mod(l, c->name)) c++; /* the row requires one of them */
    if (t->kind == 'y') a = from_bf16(l, a), b = from_bf16(l, b);
    if (t->kind == 'f' || t->kind == 'y') {
        if (!c->real) fail(l, "'.%s' does not compare .%s", c->name, t->name);
        return LLVMBuildFCmp(l->b, c->real, ptx_flush(l, a), ptx_flush(l, b), "");
    }
    LLVMIntPredicate p = t->kind == 's' ? c->sign : c->nosign;
    if (t->kind == 'b' && p != LLVMIntEQ && p != LLVMIntNE) p = 0;
    if (!p) fail(l, "'.%s' does not compare .%s", c->name, t->name);
    return LLVMBuildICmp(l->b, p, a, b, "");
}

static LLVMValueRef combine(Lower *l, LLVMValueRef t, LLVMValueRef with) {
    if (!with) return t;
    LLVMOpcode op = has_mod(l, "and") ? LLVMAnd : has_mod(l, "or") ? LLVMOr : LLVMXor;
    return LLVMBuildBinOp(l->b, op, t, with, "");
}

/* setp of two halves at once: p and q are the results of the lanes. */
static LLVMValueRef compare_lanes(Lower *l, LLVMValueRef *v) {
    static const PtxType half = {'f', 16, 1, "f16"}, bf = {'y', 16, 1, "bf16"};
    const PtxType *t = l->t[0]->kind == 'f' ? &half : &bf;
    const Operand *d = &l->inst->ops[0];
    for (unsigned h = 0; h < 2; h++) {
        const Operand *to = h ? d->pair : d;
        if (to)
            write_operand(l, to, &type_pred,
                          combine(l, compare_values(l, lane_of(l, v[1], h), lane_of(l, v[2], h), t), v[3]));
    }
    return NULL;
}

/* p = t op c, q = !t op c. */
LLVMValueRef op_compare(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    const Operand *d = &l->inst->ops[0];
    if (l->t[0]->lanes == 2) return compare_lanes(l, v);
    if (!v[3] != !which_mod(l, "and or xor")) fail(l, "setp with .and, .or or .xor takes a predicate, and only then");
    LLVMValueRef t = compare_values(l, v[1], v[2], l->t[0]),
                 q = d->pair ? combine(l, LLVMBuildNot(l->b, t, ""), v[3]) : NULL;
    write_operand(l, d, &type_pred, combine(l, t, v[3]));
    if (q) write_operand(l, d->pair, &type_pred, q);
    return NULL;
}

/* set of two halves: 1.0 in each, or 16 ones in each of a word */
static LLVMValueRef compare_set_lanes(Lower *l, LLVMValueRef *v) {
    static const PtxType half = {'f', 16, 1, "f16"}, bf = {'y', 16, 1, "bf16"};
    const PtxType *t = l->t[1]->kind == 'f' ? &half : &bf;
    if (l->t[0]->bits != 32) fail(l, "'set' of two lanes gives 32 bits");
    uint64_t one = l->t[0]->lanes < 2 ? 0xffff : l->t[0]->kind == 'f' ? 0x3c00 : 0x3f80;
    LLVMValueRef r = const32(l, 0);
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef a = as_type(l, half_of(l, v[1], h), t), b = as_type(l, half_of(l, v[2], h), t);
        LLVMValueRef c = combine(l, compare_values(l, a, b, t), v[3]);
        c = LLVMBuildSelect(l->b, c, const32(l, one << 16 * h), const32(l, 0), "");
        r = LLVMBuildOr(l->b, r, c, "");
    }
    return r;
}

/* set: all ones or 1.0 where it holds. */
LLVMValueRef op_compare_set(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    LLVMTypeRef to = llvm_type(l, l->t[0]);
    if (!v[3] != !which_mod(l, "and or xor")) fail(l, "set with .and, .or or .xor takes a predicate, and only then");
    if (l->t[1]->lanes == 2) return compare_set_lanes(l, v);
    if (l->t[0]->lanes == 2) fail(l, "'set' compares .%s in one lane only", l->t[1]->name);
    LLVMValueRef t = combine(l, compare_values(l, v[1], v[2], l->t[1]), v[3]);
    if (l->t[0]->kind == 'f') return LLVMBuildSelect(l->b, t, LLVMConstReal(to, 1), LLVMConstReal(to, 0), "");
    if (l->t[0]->kind == 'y') return LLVMBuildSelect(l->b, t, LLVMConstInt(to, 0x3f80, 0), LLVMConstInt(to, 0, 0), "");
    return LLVMBuildSExt(l->b, t, to, "");
}
