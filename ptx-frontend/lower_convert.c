/* lower_convert.c: cvt and mov.
**
** cvt d, a: chops the source register to the source type, converts, and extends to the destination register.  Float
** to integer saturates always; NaN gives 0, or the middle of the range (1 << N-1) where a 64-bit type takes part. */
#include "passes/ir/names.h"
#include "ptx-frontend/lower.h"
#include <stdio.h>

static bool is_real(const PtxType *t) { return t->kind == 'f' || t->kind == 'y'; }

static LLVMValueRef over_two(Lower *l, const char *name, LLVMTypeRef to, LLVMValueRef v) {
    LLVMTypeRef over[2] = {to, LLVMTypeOf(v)};
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(l->mod, id, over, 2);
    return LLVMBuildCall2(l->b, LLVMIntrinsicGetType(l->ctx, id, over, 2), f, &v, 1, "");
}

/* .rni and its like, as floats. */
static LLVMValueRef to_integral(Lower *l, LLVMValueRef v) {
    const char *name = has_mod(l, "rni")   ? "llvm.roundeven"
                       : has_mod(l, "rmi") ? "llvm.floor"
                       : has_mod(l, "rpi") ? "llvm.ceil"
                       : has_mod(l, "rzi") ? "llvm.trunc"
                                           : NULL;
    return name ? call_llvm(l, name, LLVMTypeOf(v), &v, 1) : v;
}

static LLVMValueRef real_to_int(Lower *l, LLVMValueRef v, const PtxType *to, const PtxType *from) {
    if (!which_mod(l, "rni rzi rmi rpi")) fail(l, "a conversion to an integer needs .rni, .rzi, .rmi or .rpi");
    v = to_integral(l, ptx_flush(l, v));
    LLVMValueRef r = over_two(l, to->kind == 's' ? "llvm.fptosi.sat" : "llvm.fptoui.sat", llvm_type(l, to), v);
    if (from->bits != 64 && to->bits != 64) return r;
    LLVMValueRef nan = LLVMBuildFCmp(l->b, LLVMRealUNO, v, v, "");
    return LLVMBuildSelect(l->b, nan, const_int(l, to->bits, 1ull << (to->bits - 1)), r, "");
}

static const char *direction(const Lower *l) {
    return has_mod(l, "rz") ? "rz" : has_mod(l, "rm") ? "rd" : has_mod(l, "rp") ? "ru" : NULL;
}

static LLVMValueRef directed(Lower *l, const char *from, LLVMValueRef v, LLVMTypeRef to, const char *to_name) {
    char name[60];
    snprintf(name, sizeof name, "__nv_%s2%s_%s", from, to_name, direction(l));
    return call_named(l, name, to, &v, 1);
}

/* An integer as float or double; small ones are exact in any rounding. */
static LLVMValueRef int_to_wide(Lower *l, LLVMValueRef v, const PtxType *from, bool to_double) {
    bool s = from->kind == 's';
    LLVMTypeRef to = to_double ? l->f64 : l->f32;
    unsigned exact = to_double ? 32 : 16;
    if (from->bits <= exact || !direction(l))
        return s ? LLVMBuildSIToFP(l->b, v, to, "") : LLVMBuildUIToFP(l->b, v, to, "");
    const char *name = from->bits == 64 ? (s ? "ll" : "ull") : s ? "int" : "uint";
    return directed(l, name, v, to, to_double ? "double" : "float");
}

/* To nearest; NaN becomes the canonical one. */
static LLVMValueRef float_to_half(Lower *l, LLVMValueRef v) {
    LLVMValueRef nan = LLVMBuildFCmp(l->b, LLVMRealUNO, v, v, ""),
                 canonical = LLVMConstBitCast(const32(l, 0x7fffffff), l->f32);
    return LLVMBuildFPTrunc(l->b, LLVMBuildSelect(l->b, nan, canonical, v, ""), l->f16, "");
}

/* A float or double as f16 or bf16, as its value. */
static LLVMValueRef narrow(Lower *l, LLVMValueRef v, const PtxType *to) {
    bool wide = LLVMTypeOf(v) == l->f64, bf = to->kind == 'y';
    const char *mode = which_mod(l, "rz rm rp");
    char name[60];
    if (!mode && !bf && !wide) return float_to_half(l, v);
    if (mode && bf && !wide && strcmp(mode, "rz")) {
        v = LLVMBuildFPExt(l->b, v, l->f64, "");
        wide = true;
    }
    snprintf(name, sizeof name, "__cucpu_ptx_%s_%s%s%s", wide ? "f64" : "f32", bf ? "bf16" : "f16",
             mode || wide ? "_" : "",
             mode   ? mode
             : wide ? "rn"
                    : "");
    LLVMValueRef r = call_named(l, name, l->i16, &v, 1);
    return bf ? r : LLVMBuildBitCast(l->b, r, l->f16, "");
}

/* Any float as float or double: exact. */
static LLVMValueRef widen(Lower *l, LLVMValueRef v, const PtxType *from, LLVMTypeRef to) {
    if (from->kind == 'y') v = call_named(l, "__cucpu_ptx_bf16_f32", l->f32, &v, 1);
    return LLVMTypeOf(v) == to ? v : LLVMBuildFPExt(l->b, v, to, "");
}

static LLVMValueRef int_to_real(Lower *l, LLVMValueRef v, const PtxType *to, const PtxType *from) {
    bool saturates = has_mod(l, "sat");
    if (to->bits == 16) { /* a double has all that is needed of 64 bits */
        if (from->bits < 64)
            v = from->kind == 's' ? LLVMBuildSIToFP(l->b, v, l->f64, "") : LLVMBuildUIToFP(l->b, v, l->f64, "");
        else
            v = call_named(l, from->kind == 's' ? "__cucpu_ptx_s64_f64_sticky" : "__cucpu_ptx_u64_f64_sticky", l->f64,
                           &v, 1);
        return narrow(l, saturates ? ptx_saturate(l, v) : v, to);
    }
    v = int_to_wide(l, v, from, to->bits == 64);
    return saturates ? ptx_saturate(l, v) : v;
}

/* .satfinite: infinities become the largest number; v as bits of to */
static LLVMValueRef make_finite(Lower *l, LLVMValueRef v, const PtxType *to) {
    LLVMValueRef bits = as_int(l, v);
    if (to->bits != 16) fail(l, "'cvt' to .%s does not take '.satfinite'", to->name);
    bits = call_named(l, to->kind == 'y' ? "__cucpu_ptx_finite_bf16" : "__cucpu_ptx_finite_f16", l->i16, &bits, 1);
    return as_type(l, bits, to);
}

static LLVMValueRef clamp_real(Lower *l, LLVMValueRef v, const PtxType *to) {
    if (has_mod(l, "satfinite")) v = make_finite(l, v, to);
    if (!has_mod(l, "relu")) return v;
    LLVMValueRef x = to->kind == 'y' ? call_named(l, "__cucpu_ptx_bf16_f32", l->f32, &v, 1) : v;
    LLVMValueRef below = LLVMBuildFCmp(l->b, LLVMRealOLE, x, LLVMConstReal(LLVMTypeOf(x), 0), "");
    v = LLVMBuildSelect(l->b, below, LLVMConstNull(LLVMTypeOf(v)), v, "");
    if (to->bits != 16) return v;
    LLVMValueRef nan = LLVMBuildFCmp(l->b, LLVMRealUNO, x, x, ""), canonical = const_int(l, 16, 0x7fff);
    return LLVMBuildSelect(l->b, nan, as_type(l, canonical, to), v, "");
}

static LLVMValueRef real_to_real(Lower *l, LLVMValueRef v, const PtxType *to, const PtxType *from) {
    bool same = to->kind == from->kind && to->bits == from->bits;
    v = ptx_flush(l, v);
    if (same) {
        if (to->kind == 'y') v = narrow(l, to_integral(l, widen(l, v, from, l->f32)), to);
        else v = to_integral(l, v);
    } else if (to->bits == 16) {
        v = narrow(l, from->bits == 16 ? widen(l, v, from, l->f32) : v, to);
    } else if (from->bits > to->bits) {
        v = direction(l) ? directed(l, "double", v, l->f32, "float") : LLVMBuildFPTrunc(l->b, v, l->f32, "");
    } else {
        v = widen(l, v, from, llvm_type(l, to));
    }
    v = ptx_flush(l, v);
    if (has_mod(l, "sat")) v = ptx_saturate(l, v);
    return clamp_real(l, v, to);
}

/* 2^n in a type of 64 or 128 bits. */
static LLVMValueRef power(Lower *l, unsigned w, unsigned n) {
    uint64_t words[2] = {n < 64 ? 1ull << n : 0, n < 64 ? 0 : 1ull << (n - 64)};
    return LLVMConstIntOfArbitraryPrecision(int_type(l, w), 2, words);
}

/* .sat of integers: to the range of the destination. */
static LLVMValueRef clamp_int(Lower *l, LLVMValueRef v, const PtxType *to, const PtxType *from) {
    unsigned n = to->bits, w = n > 32 || from->bits > 32 ? 128 : 64;
    bool s = to->kind == 's';
    LLVMTypeRef t = int_type(l, w);
    LLVMValueRef top = power(l, w, s ? n - 1 : n), zero = LLVMConstNull(t);
    LLVMValueRef high[2] = {resize(l, v, w, from->kind == 's'), LLVMConstSub(top, LLVMConstInt(t, 1, 0))};
    LLVMValueRef low[2] = {call_llvm(l, "llvm.smin", t, high, 2), s ? LLVMConstSub(zero, top) : zero};
    return resize(l, call_llvm(l, "llvm.smax", t, low, 2), n, false);
}

static LLVMValueRef int_to_int(Lower *l, LLVMValueRef v, const PtxType *to, const PtxType *from) {
    if (has_mod(l, "sat")) return clamp_int(l, v, to, from);
    return resize(l, v, to->bits, from->kind == 's');
}

LLVMValueRef op_convert(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    const PtxType *to = l->t[0], *from = l->t[1];
    LLVMValueRef a = read_relaxed(l, &l->inst->ops[1], from), r;
    if (is_real(to)) r = is_real(from) ? real_to_real(l, a, to, from) : int_to_real(l, a, to, from);
    else
        r = is_real(from) ? real_to_int(l, from->kind == 'y' ? widen(l, a, from, l->f32) : a, to, from)
                          : int_to_int(l, a, to, from);
    write_relaxed(l, &l->inst->ops[0], to, r);
    return NULL;
}

/* The random bits of .rs, from a register. */
static LLVMValueRef random_bits(Lower *l, const Operand *o) {
    if (operand_bits(l, o) != 32) ptx_error(l->p, o->loc, "random bits are a register of 32 bits");
    return read_operand(l, o, &type_b32);
}

/* Rounded up where the sum of `n` random bits, from `from` on, and of what is cut off has a carry. */
static LLVMValueRef by_chance(Lower *l, LLVMValueRef x, const char *format, LLVMValueRef bits, unsigned from,
                              unsigned n) {
    char name[40];
    snprintf(name, sizeof name, "__cucpu_ptx_f32_%.4s_rs", format);
    bits = LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, bits, const32(l, from), ""), const32(l, (1u << n) - 1), "");
    LLVMValueRef a[2] = {x, bits};
    return call_named(l, name, l->i32, a, 2);
}

/* cvt.rn.f16x2.f32 d, a, b: a in the upper half; .rs: also random bits, 16 for each (13 of them for f16). */
LLVMValueRef op_convert_two(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    static const PtxType half = {'f', 16, 1, "f16"}, bf = {'y', 16, 1, "bf16"};
    const PtxType *to = l->t[0]->kind == 'f' ? &half : &bf;
    bool chance = has_mod(l, "rs");
    LLVMValueRef r[2], bits = chance ? random_bits(l, &l->inst->ops[3]) : NULL;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef x =
            chance ? resize(l, by_chance(l, v[1 + i], to->name, bits, i ? 0 : 16, to == &half ? 13 : 16), 16, false)
                   : narrow(l, v[1 + i], to);
        r[i] = LLVMBuildZExt(l->b, as_int(l, clamp_real(l, as_type(l, as_int(l, x), to), to)), l->i32, "");
    }
    return LLVMBuildOr(l->b, LLVMBuildShl(l->b, r[0], const32(l, 16), ""), r[1], "");
}

/* ---- formats that have no arithmetic: fp8, fp6, fp4, scales, tf32 ---- */

static LLVMValueRef relu_float(Lower *l, LLVMValueRef v) {
    if (!has_mod(l, "relu")) return v;
    LLVMValueRef below = LLVMBuildFCmp(l->b, LLVMRealOLE, v, LLVMConstReal(l->f32, 0), "");
    return LLVMBuildSelect(l->b, below, LLVMConstReal(l->f32, 0), v, "");
}

/* Lane h of f16x2 or bf16x2 as a float. */
static LLVMValueRef float_of_half(Lower *l, LLVMValueRef both, unsigned h, const PtxType *pair) {
    static const PtxType half = {'f', 16, 1, "f16"}, bf = {'y', 16, 1, "bf16"};
    const PtxType *t = pair->kind == 'y' ? &bf : &half;
    LLVMValueRef x = resize(l, LLVMBuildLShr(l->b, both, const32(l, 16 * h), ""), 16, false);
    return widen(l, as_type(l, x, t), t, l->f32);
}

/* Two floats, or two halves in a word, as two small numbers; the first float, or the upper half, in
 * the upper bits. */
LLVMValueRef op_convert_to_small(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    const PtxType *to = l->t[0], *from = l->t[1];
    unsigned each = to->bits / 2u;
    char name[60];
    bool scale = to->name[0] == 'u', sat = has_mod(l, "satfinite");
    snprintf(name, sizeof name, "__cucpu_ptx_f32_%.4s%s%s%s", to->name, scale ? "_" : "",
             scale ? which_mod(l, "rz rp") : "", scale && sat ? "_sat" : "");
    LLVMValueRef r = const32(l, 0);
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef x = relu_float(l, from->lanes == 2 ? float_of_half(l, v[1], h, from) : v[2 - h]);
        x = LLVMBuildAnd(l->b, call_named(l, name, l->i32, &x, 1), const32(l, (1u << each) - 1), "");
        r = LLVMBuildOr(l->b, r, LLVMBuildShl(l->b, x, const32(l, each * h), ""), "");
    }
    return resize(l, r, to->bits, false);
}

/* cvt.rs.satfinite.e4m3x4.f32 d, {a, b, e, f}, bits: a in the upper bits.  The upper half of the bits is for a and b,
** the lower one for e and f; of e2m1x4 the upper bytes of both halves are for a and b. */
LLVMValueRef op_convert_to_four(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    static const unsigned halves[] = {16, 16, 0, 0}, bytes[] = {24, 8, 16, 0};
    const Operand *d = &l->inst->ops[0], *s = &l->inst->ops[1];
    const PtxType *to = l->t[0];
    unsigned each = to->bits / 4u;
    if (s->kind != OPERAND_VECTOR || s->n != 4) ptx_error(l->p, s->loc, "four numbers in braces are expected");
    if (operand_bits(l, d) != to->bits) ptx_error(l->p, d->loc, "the result is a register of %d bits", to->bits);
    LLVMValueRef r = const32(l, 0), bits = random_bits(l, &l->inst->ops[2]);
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef x = relu_float(l, read_operand(l, &s->v[i], &type_f32));
        x = by_chance(l, x, to->name, bits, each == 4 ? bytes[i] : halves[i], each == 4 ? 8 : 16);
        r = LLVMBuildOr(l->b, r, LLVMBuildShl(l->b, x, const32(l, each * (3 - i)), ""), "");
    }
    write_operand(l, d, to->bits == 16 ? &type_b16 : &type_b32, resize(l, r, to->bits, false));
    return NULL;
}

LLVMValueRef op_convert_from_small(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    static const PtxType half = {'f', 16, 1, "f16"};
    unsigned each = l->t[1]->bits / 2u;
    char name[40];
    snprintf(name, sizeof name, "__cucpu_ptx_%.4s_%s16", l->t[1]->name, l->t[0]->kind == 'y' ? "bf" : "f");
    LLVMValueRef r = const32(l, 0), both = resize(l, as_int(l, v[1]), 32, false);
    for (unsigned h = 0; h < 2; h++) {
        LLVMValueRef x = LLVMBuildLShr(l->b, both, const32(l, each * h), "");
        x = LLVMBuildAnd(l->b, x, const32(l, (1u << each) - 1), "");
        x = call_named(l, name, l->i16, &x, 1);
        if (has_mod(l, "relu")) x = as_int(l, clamp_real(l, as_type(l, x, &half), &half));
        r = LLVMBuildOr(l->b, r, LLVMBuildShl(l->b, resize(l, x, 32, false), const32(l, 16 * h), ""), "");
    }
    return r;
}

LLVMValueRef op_convert_to_tf32(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    char name[40];
    snprintf(name, sizeof name, "__cucpu_ptx_f32_tf32_%s", which_mod(l, "rna rn rz"));
    LLVMValueRef x = relu_float(l, v[1]);
    x = call_named(l, name, l->i32, &x, 1);
    return has_mod(l, "satfinite") ? call_named(l, "__cucpu_ptx_finite_tf32", l->i32, &x, 1) : x;
}

/* cvt.pack.sat.u8.s32.b32 d, a, b, c: d = c << 2n | sat(a) << n | sat(b) */
LLVMValueRef op_convert_pack(Lower *l, LLVMValueRef *v, const char *how) {
    (void)how;
    PtxType narrow = *l->t[0], *to = &narrow;
    LLVMValueRef r = const32(l, 0);
    narrow.kind = narrow.name[0]; /* s4 and u4 are integers here */
    if (to->bits > 16) fail(l, "cvt.pack converts to 16 bits or less");
    for (int i = 0; i < 2; i++) {
        LLVMValueRef x = LLVMBuildZExt(l->b, clamp_int(l, v[1 + i], to, &type_s32), l->i32, "");
        r = LLVMBuildOr(l->b, r, LLVMBuildShl(l->b, x, const32(l, i ? 0 : to->bits), ""), "");
    }
    if (v[3])
        r = LLVMBuildOr(l->b, r,
                        to->bits == 16 ? const32(l, 0) : LLVMBuildShl(l->b, v[3], const32(l, 2 * to->bits), ""), "");
    return r;
}

/* ---- mov ---- */

/* mov.v4.u32 v, %tid; also between registers of .v4. */
static LLVMValueRef move_vector(Lower *l, int lanes) {
    static const char *const parts[] = {"x", "y", "z", "w"};
    for (int i = 0; i < lanes; i++) {
        Operand d = l->inst->ops[0], s = l->inst->ops[1];
        if (d.kind == OPERAND_VECTOR && d.n == lanes) d = l->inst->ops[0].v[i];
        else d.member = parts[i];
        if (s.kind == OPERAND_VECTOR && s.n == lanes) s = l->inst->ops[1].v[i];
        else s.member = parts[i];
        write_operand(l, &d, l->t[0], read_operand(l, &s, l->t[0]));
    }
    return NULL;
}

LLVMValueRef op_move(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    const Operand *d = &l->inst->ops[0], *s = &l->inst->ops[1];
    if (has_mod(l, "v2")) return move_vector(l, 2);
    if (has_mod(l, "v4")) return move_vector(l, 4);
    write_operand(l, d, l->t[0], read_operand(l, s, l->t[0]));
    return NULL;
}

/* cvta: shared addresses count from the block's memory, all others are the same in all spaces. */
LLVMValueRef op_convert_address(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    const Operand *d = &l->inst->ops[0], *s = &l->inst->ops[1];
    if (l->t[0]->bits != 64) ptx_unsupported(l->p, l->at, "addresses of 32 bits");
    bool shared = which_mod(l, "shared shared::cta shared::cluster"), to = has_mod(l, "to");
    Sym *x = s->kind == OPERAND_NAME ? try_sym(l, s->name) : NULL;
    bool param = x && (x->space == SPACE_PARAM_AS || x->space == SPACE_LOCAL_AS);
    if (x && x->kind == SYM_FUNC) ptx_error(l->p, s->loc, "'%s' is a function", s->name);
    if (x && x->kind == SYM_MEMORY && !param && x->space != space_of_inst(l))
        ptx_error(l->p, s->loc, "'%s' is in another state space than the instruction", s->name);
    LLVMValueRef a = read_operand(l, s, l->t[0]);
    if (has_mod(l, "shared::cluster")) {
        LLVMValueRef p = to ? LLVMBuildIntToPtr(l->b, a, l->ptr, "") : a;
        a = to ? call_named(l, "__cucpu_cluster_pointer_to_window", l->i64, &p, 1)
               : LLVMBuildPtrToInt(l->b, call_named(l, "__cucpu_cluster_window_to_pointer", l->ptr, &p, 1), l->i64, "");
    } else if (shared) {
        LLVMValueRef base = LLVMBuildPtrToInt(l->b, name_call(l->b, l->mod, NAME_SHARED, NULL, 0, ""), l->i64, "");
        a = to ? LLVMBuildSub(l->b, a, base, "") : LLVMBuildAdd(l->b, a, base, "");
    }
    write_operand(l, d, l->t[0], a);
    return NULL;
}

LLVMValueRef op_is_in_space(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    const char *space = which_mod(l, "global shared shared::cta shared::cluster local const param param::entry");
    char name[40];
    if (!strcmp(space, "shared::cluster")) space = "shared.cluster";
    else if (!strncmp(space, "shared", 6)) space = "shared";
    if (!strncmp(space, "param", 5)) space = "const";
    snprintf(name, sizeof name, "isspacep.%s", space);
    unsigned bits = operand_bits(l, &l->inst->ops[1]);
    LLVMValueRef a = read_operand(l, &l->inst->ops[1], bits == 32 ? &type_b32 : &type_b64);
    LLVMValueRef p = LLVMBuildIntToPtr(l->b, resize(l, a, 64, false), l->ptr, "");
    write_operand(l, &l->inst->ops[0], &type_pred, call_nvvm(l, name, &p, 1));
    return NULL;
}
