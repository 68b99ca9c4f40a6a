/* lower_video.c: video instructions: parts of words are taken, computed wide, clamped, and merged or accumulated.
**
** Scalar ones (vadd ...) take a byte, a half or a word of each operand; those on two or four lanes (vadd2 ...) pick
** each lane out of both.  Computed in integers so wide that nothing is lost: 72 bits where 32 are shifted or
** multiplied, else 64. The texts of the PTX ISA, sections 9.7.16 and 9.7.17, are the definition. */
#include "ptx-frontend/lower.h"
#include <stdlib.h>

static LLVMValueRef binary(Lower *l, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildBinOp(l->b, op, a, b, "");
}

static LLVMValueRef constant_like(LLVMValueRef v, int64_t x) { return LLVMConstInt(LLVMTypeOf(v), (uint64_t)x, 1); }

static LLVMValueRef choose(Lower *l, LLVMIntPredicate p, LLVMValueRef a, LLVMValueRef b, bool first) {
    LLVMValueRef holds = LLVMBuildICmp(l->b, p, a, b, "");
    return LLVMBuildSelect(l->b, holds, first ? a : b, first ? b : a, "");
}

/* ---- scalar ---- */

typedef struct Part {
    unsigned at, bits;
} Part;

/* .b0 ... .b3, .h0, .h1; the whole word without one */
static Part part_of(Lower *l, const Operand *o) {
    const char *m = o->member;
    if (!m) return (Part){0, 32};
    bool byte = m[0] == 'b', known = byte || m[0] == 'h';
    int n = known && m[1] && !m[2] ? m[1] - '0' : -1;
    if (n < 0 || n > (byte ? 3 : 1)) ptx_error(l->p, o->loc, "'.%s' is no component of a word", m);
    return (Part){(unsigned)n * (byte ? 8 : 16), byte ? 8 : 16};
}

static LLVMValueRef read_word(Lower *l, const Operand *o) {
    Operand whole = *o;
    if (o->kind == OPERAND_NAME && o->member && strchr("bh", o->member[0])) whole.member = NULL;
    whole.minus = false;
    return read_operand(l, &whole, &type_b32);
}

static LLVMValueRef read_part(Lower *l, const Operand *o, const PtxType *t, unsigned width) {
    Part part = part_of(l, o);
    LLVMValueRef v = LLVMBuildLShr(l->b, read_word(l, o), const32(l, part.at), "");
    return resize(l, resize(l, v, part.bits, false), width, t->kind == 's');
}

/* To the range of a part of the destination. */
static LLVMValueRef clamp(Lower *l, LLVMValueRef v, unsigned bits, bool is_signed) {
    LLVMTypeRef t = LLVMTypeOf(v);
    int64_t low = is_signed ? -(1ll << (bits - 1)) : 0, high = (1ll << (is_signed ? bits - 1 : bits)) - 1;
    LLVMValueRef a[2] = {v, constant_like(v, high)}, b[2] = {NULL, constant_like(v, low)};
    b[0] = call_llvm(l, "llvm.smin", t, a, 2);
    return call_llvm(l, "llvm.smax", t, b, 2);
}

static LLVMValueRef difference(Lower *l, LLVMValueRef a, LLVMValueRef b) {
    return choose(l, LLVMIntSGT, binary(l, LLVMSub, a, b), binary(l, LLVMSub, b, a), true);
}

static LLVMValueRef compare_parts(Lower *l, LLVMValueRef a, LLVMValueRef b) {
    static const struct {
        const char *name;
        LLVMIntPredicate p;
    } all[] = {{"eq", LLVMIntEQ},  {"ne", LLVMIntNE},  {"lt", LLVMIntSLT},
               {"le", LLVMIntSLE}, {"gt", LLVMIntSGT}, {"ge", LLVMIntSGE}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (has_mod(l, all[i].name))
            return LLVMBuildZExt(l->b, LLVMBuildICmp(l->b, all[i].p, a, b, ""), LLVMTypeOf(a), "");
    fail(l, "'%s' needs a comparison", l->inst->op);
}

/* how: + - d(ifference) < > a(verage) c(ompare) */
static LLVMValueRef compute(Lower *l, LLVMValueRef a, LLVMValueRef b, char how) {
    switch (how) {
    case '+': return binary(l, LLVMAdd, a, b);
    case '-': return binary(l, LLVMSub, a, b);
    case 'd': return difference(l, a, b);
    case '<': return choose(l, LLVMIntSLT, a, b, true);
    case '>': return choose(l, LLVMIntSGT, a, b, true);
    case 'c': return compare_parts(l, a, b);
    default: { /* half of the sum, rounded up if it is not negative */
        LLVMValueRef s = binary(l, LLVMAdd, a, b), zero = constant_like(s, 0);
        LLVMValueRef up = LLVMBuildZExt(l->b, LLVMBuildICmp(l->b, LLVMIntSGE, s, zero, ""), LLVMTypeOf(s), "");
        return binary(l, LLVMAShr, binary(l, LLVMAdd, s, up), constant_like(s, 1));
    }
    }
}

/* The third operand: accumulated, or what the destination has outside its part. */
static LLVMValueRef with_third(Lower *l, LLVMValueRef v, Part to, bool is_signed) {
    const char *second = which_mod(l, "add min max");
    if (l->inst->nops < 4) {
        if (second || to.bits < 32) fail(l, "'%s' needs a third operand", l->inst->op);
        return v;
    }
    LLVMValueRef c = read_word(l, &l->inst->ops[3]);
    if (second && to.bits < 32) fail(l, "'%s' merges or accumulates, not both", l->inst->op);
    if (second && second[0] == 'a') return binary(l, LLVMAdd, v, c);
    LLVMIntPredicate less = is_signed ? LLVMIntSLT : LLVMIntULT;
    if (second) return choose(l, less, v, c, !strcmp(second, "min"));
    if (to.bits == 32) return v; /* the whole word is merged */
    uint64_t mask = ((1ull << to.bits) - 1) << to.at;
    return binary(l, LLVMOr, binary(l, LLVMAnd, LLVMBuildShl(l->b, v, const32(l, to.at), ""), const32(l, mask)),
                  binary(l, LLVMAnd, c, const32(l, ~mask)));
}

static void write_word(Lower *l, LLVMValueRef v) {
    Operand d = l->inst->ops[0];
    if (d.kind == OPERAND_NAME) d.member = NULL;
    write_operand(l, &d, &type_b32, v);
}

static void finish_scalar(Lower *l, LLVMValueRef v, bool is_signed) {
    Part to = part_of(l, &l->inst->ops[0]);
    if (has_mod(l, "sat")) v = clamp(l, v, to.bits, is_signed);
    write_word(l, with_third(l, resize(l, v, 32, false), to, is_signed));
}

LLVMValueRef op_video(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    bool compares = *how == 'c';
    const PtxType *a = l->t[compares ? 0 : 1], *b = l->t[compares ? 1 : 2];
    LLVMValueRef x = read_part(l, &l->inst->ops[1], a, 64), y = read_part(l, &l->inst->ops[2], b, 64);
    finish_scalar(l, compute(l, x, y, *how), !compares && l->t[0]->kind == 's');
    return NULL;
}

LLVMValueRef op_video_shift(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    LLVMValueRef x = read_part(l, &l->inst->ops[1], l->t[1], 72), n = read_part(l, &l->inst->ops[2], l->t[2], 72);
    n = has_mod(l, "wrap") ? binary(l, LLVMAnd, n, constant_like(n, 31))
                           : choose(l, LLVMIntULT, n, constant_like(n, 32), true);
    finish_scalar(l, binary(l, *how == '<' ? LLVMShl : LLVMAShr, x, n), l->t[0]->kind == 's');
    return NULL;
}

/* a * b + c, or with one of them negated; .po adds one more; then shifted by .shr7 or .shr15 */
LLVMValueRef op_video_mad(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v, (void)how;
    const Operand *o = l->inst->ops;
    bool minus = o[1].minus ^ o[2].minus, po = has_mod(l, "po");
    bool is_signed = l->t[1]->kind == 's' || l->t[2]->kind == 's' || minus || o[3].minus;
    if (minus + o[3].minus + po > 1) fail(l, "'vmad' negates one of its operands at most, and none with .po");
    LLVMValueRef p = binary(l, LLVMMul, read_part(l, &o[1], l->t[1], 72), read_part(l, &o[2], l->t[2], 72)),
                 c = resize(l, read_word(l, &o[3]), 72, is_signed);
    if (minus) p = LLVMBuildNeg(l->b, p, "");
    p = binary(l, o[3].minus ? LLVMSub : LLVMAdd, p, c);
    if (po) p = binary(l, LLVMAdd, p, constant_like(p, 1));
    const char *scale = which_mod(l, "shr7 shr15");
    if (scale) p = binary(l, LLVMAShr, p, constant_like(p, scale[3] == '7' ? 7 : 15));
    if (has_mod(l, "sat")) p = clamp(l, p, 32, is_signed);
    write_word(l, resize(l, p, 32, false));
    return NULL;
}

/* ---- two or four lanes ---- */

/* .h10 .b3210: which lane of both operands, the last one first; `given` lanes of a mask may be fewer. */
static int selector(Lower *l, const Operand *o, int lanes, int from, int most, int *out) {
    const char *m = o->member;
    if (!m) {
        for (int i = 0; i < lanes; i++) out[i] = from + i;
        return lanes;
    }
    int n = (int)strlen(m) - 1;
    bool good = m[0] == (lanes == 2 ? 'h' : 'b') && (most < 2 * lanes ? n >= 1 && n <= lanes : n == lanes);
    for (int i = 0; good && i < n; i++) {
        out[i] = m[n - i] - '0';
        good = out[i] >= 0 && out[i] < most && (most == 2 * lanes || i == 0 || out[i] > out[i - 1]);
    }
    if (!good) ptx_error(l->p, o->loc, "'.%s' selects no lanes of '%s'", m, l->inst->op);
    return n;
}

static LLVMValueRef lane(Lower *l, LLVMValueRef word, int i, unsigned bits, unsigned width, bool is_signed) {
    LLVMValueRef v = LLVMBuildLShr(l->b, word, const32(l, (uint64_t)i * bits), "");
    return resize(l, resize(l, v, bits, false), width, is_signed);
}

LLVMValueRef op_video_lanes(Lower *l, LLVMValueRef *v, const char *how) {
    (void)v;
    int lanes = l->inst->op[strlen(l->inst->op) - 1] - '0', x[4], y[4], mask[4];
    unsigned bits = 32u / (unsigned)lanes;
    bool compares = *how == 'c', sum = has_mod(l, "add"), is_signed = !compares && l->t[0]->kind == 's';
    const PtxType *a = l->t[compares ? 0 : 1], *b = l->t[compares ? 1 : 2];
    const Operand *o = l->inst->ops;
    int masks = selector(l, &o[0], lanes, 0, lanes, mask);
    selector(l, &o[1], lanes, 0, 2 * lanes, x);
    selector(l, &o[2], lanes, lanes, 2 * lanes, y);
    LLVMValueRef word[2] = {read_word(l, &o[1]), read_word(l, &o[2])}, c = read_word(l, &o[3]), r = c;
    if (!sum) { /* the lanes outside the mask */
        uint64_t keep = 0xffffffff;
        for (int k = 0; k < masks; k++) keep &= ~(((1ull << bits) - 1) << (unsigned)mask[k] * bits);
        r = binary(l, LLVMAnd, c, const32(l, keep));
    }
    for (int k = 0; k < masks; k++) {
        int i = mask[k];
        LLVMValueRef p = lane(l, word[x[i] >= lanes], x[i] % lanes, bits, 32, a->kind == 's'),
                     q = lane(l, word[y[i] >= lanes], y[i] % lanes, bits, 32, b->kind == 's');
        LLVMValueRef t = compute(l, p, q, *how);
        if (has_mod(l, "sat")) t = clamp(l, t, bits, is_signed);
        if (!sum)
            t = LLVMBuildShl(l->b, binary(l, LLVMAnd, t, const32(l, (1ull << bits) - 1)),
                             const32(l, (uint64_t)i * bits), "");
        r = binary(l, sum ? LLVMAdd : LLVMOr, r, t);
    }
    write_word(l, r);
    return NULL;
}
