/* affine: see affine.h. Nothing is remembered between queries: a form is found by one walk of at most DEPTH operations
** from the value. */
#include "passes/analysis/affine.h"
#include "passes/ir/names.h"
#include "passes/ir/value.h"
#include <inttypes.h>

enum { DEPTH = 12, MAX_SHIFT = 20 };
/* Sums of AFFINE_TERMS products of such factors and of constants do not overflow. */
static const int64_t LARGEST_FACTOR = INT64_C(1) << 24, LARGEST_CONSTANT = INT64_C(1) << 31, LARGEST = INT64_C(1) << 56;

/* What v is multiplied by. */
typedef struct Factor {
    int64_t by;
    LLVMValueRef scale[AFFINE_SCALES];
    int n;
} Factor;

static bool add_form(const AffineRules *r, Affine *a, LLVMValueRef v, const Factor *f, AffineExtension e, int depth);

/* ---- does a narrow sum wrap? ---- */

/* x op y, both as signed integers, is within the bits of v. */
static bool fits_by_ranges(const AffineRules *r, LLVMValueRef v, LLVMOpcode op) {
    if (!r->ranges || int_bits(v) > 32) return false;
    ShimRange x = shim_range(r->ranges, LLVMGetOperand(v, 0)), y = shim_range(r->ranges, LLVMGetOperand(v, 1));
    int64_t limit = INT64_C(1) << (int_bits(v) - 1), lo, hi;
    if (op == LLVMAdd) lo = x.smin + y.smin, hi = x.smax + y.smax;
    else if (op == LLVMSub) lo = x.smin - y.smax, hi = x.smax - y.smin;
    else if (op == LLVMMul && x.smin >= 0 && y.smin >= 0) lo = 0, hi = x.smax * y.smax;
    else if (op == LLVMShl && x.smin >= 0 && y.smin == y.smax && y.smin >= 0 && y.smin < 31)
        lo = 0, hi = x.smax << y.smax;
    else return false;
    return lo >= -limit && hi < limit;
}

/* v, extended by e, is the operation on its extended operands. */
static bool keeps_value(const AffineRules *r, LLVMValueRef v, AffineExtension e) {
    LLVMOpcode op = opcode(v);
    if (op == LLVMOr) return LLVMGetIsDisjoint(v);
    if (e == AFFINE_SAME || r->flags == AFFINE_ASSUME) return true;
    if (r->flags == AFFINE_TRUST_FLAGS && (e == AFFINE_SIGNED ? LLVMGetNSW(v) : LLVMGetNUW(v))) return true;
    return e == AFFINE_SIGNED && fits_by_ranges(r, v, op);
}

static bool is_positive(const AffineRules *r, LLVMValueRef v) {
    return r->ranges && int_bits(v) <= 64 && shim_range(r->ranges, v).smin >= 0;
}

/* ---- terms ---- */

/* How often the product has v as a factor. */
static int times(const AffineTerm *t, LLVMValueRef v) {
    int n = t->v == v;
    for (int k = 0; k < AFFINE_SCALES && t->scale[k]; k++) n += t->scale[k] == v;
    return n;
}

bool affine_same_product(const AffineTerm *a, const AffineTerm *b) {
    if (a->by != b->by || (a->by != AFFINE_SAME && a->v != b->v)) return false;
    bool same = times(a, a->v) == times(b, a->v) && times(a, b->v) == times(b, b->v);
    for (int k = 0; k < AFFINE_SCALES && same; k++)
        same = (!a->scale[k]) == (!b->scale[k]) && (!a->scale[k] || times(a, a->scale[k]) == times(b, a->scale[k]));
    return same;
}

static bool add_term(Affine *a, LLVMValueRef v, const Factor *f, AffineExtension e) {
    AffineTerm more = {.v = v, .factor = f->by, .by = e};
    for (int k = 0; k < f->n; k++) more.scale[k] = f->scale[k];
    for (int k = 0; k < a->n; k++) {
        AffineTerm *t = &a->term[k];
        if (!affine_same_product(t, &more)) continue;
        t->factor += f->by;
        return t->factor >= -LARGEST_FACTOR && t->factor <= LARGEST_FACTOR;
    }
    if (a->n == AFFINE_TERMS) return false;
    a->term[a->n++] = more;
    return true;
}

/* f * c; false: too large. */
static bool scale_by_constant(Factor *f, int64_t c) {
    if (!c || c > LARGEST_FACTOR || c < -LARGEST_FACTOR) return false;
    f->by *= c;
    return f->by >= -LARGEST_FACTOR && f->by <= LARGEST_FACTOR;
}

/* f * scale; false: it has too many. */
static bool scale_by_value(Factor *f, LLVMValueRef scale) {
    if (f->n == AFFINE_SCALES) return false;
    f->scale[f->n++] = scale;
    return true;
}

/* What is not taken apart. */
static bool add_rest(const AffineRules *r, Affine *a, LLVMValueRef v, const Factor *f, AffineExtension e) {
    return !r->is_term && add_term(a, v, f, e);
}

/* A constant is an integer of the signedness by which it is extended. */
static int64_t constant_value(LLVMValueRef v, AffineExtension e) {
    bool is_unsigned = e == AFFINE_UNSIGNED || e == AFFINE_POSITIVE;
    return is_unsigned && int_bits(v) < 64 ? (int64_t)LLVMConstIntGetZExtValue(v) : LLVMConstIntGetSExtValue(v);
}

static bool is_small_constant(LLVMValueRef v) { return LLVMIsAConstantInt(v) && int_bits(v) <= 64; }

static bool add_integer(Affine *a, LLVMValueRef v, const Factor *f, AffineExtension e) {
    int64_t c = constant_value(v, e);
    Factor rest = *f;
    if (f->n) return !c || (scale_by_constant(&rest, c) && add_term(a, rest.scale[--rest.n], &rest, e));
    if (c > LARGEST_CONSTANT || c < -LARGEST_CONSTANT) return false;
    a->constant += f->by * c;
    return a->constant <= LARGEST && a->constant >= -LARGEST;
}

/* ---- operations ---- */

/* The operand of v that is multiplied, by what becomes part of f; NULL: it is no product by a constant or a scale. */
static LLVMValueRef multiplied(const AffineRules *r, LLVMValueRef v, Factor *f, AffineExtension e) {
    LLVMValueRef x = LLVMGetOperand(v, 0), y = LLVMGetOperand(v, 1);
    if (opcode(v) == LLVMShl) {
        uint64_t n = is_small_constant(y) ? LLVMConstIntGetZExtValue(y) : MAX_SHIFT;
        return n < MAX_SHIFT && n + 1 < int_bits(v) && scale_by_constant(f, INT64_C(1) << n) ? x : NULL;
    }
    if (is_small_constant(x)) x = y, y = LLVMGetOperand(v, 0); /* code of the front end */
    if (is_small_constant(y)) return scale_by_constant(f, constant_value(y, e)) ? x : NULL;
    for (unsigned k = 0;
         k < 2 && r->is_scale && (e == AFFINE_SAME || r->flags == AFFINE_ASSUME) && f->n < AFFINE_SCALES; k++) {
        LLVMValueRef by = LLVMGetOperand(v, !k);
        if (!r->is_scale(r->context, by)) continue;
        return scale_by_value(f, by) ? LLVMGetOperand(v, k) : NULL;
    }
    return NULL;
}

/* The operand of the product v that is multiplied by a sum of scales, by; NULL: there is none. */
static LLVMValueRef multiplied_by_sum(const AffineRules *r, LLVMValueRef v, Affine *by, int depth) {
    for (unsigned k = 0; k < 2 && r->is_scale && opcode(v) == LLVMMul; k++) {
        LLVMValueRef sum = LLVMGetOperand(v, !k);
        Factor one = {.by = 1};
        *by = (Affine){0};
        if (!is_op(sum, OP_ADD | OP_MUL | OP_SHL) || !add_form(r, by, sum, &one, AFFINE_SAME, depth + 1)) continue;
        bool all = true;
        for (int t = 0; t < by->n; t++)
            all = all && by->term[t].by == AFFINE_SAME && r->is_scale(r->context, by->term[t].v);
        if (all) return LLVMGetOperand(v, k);
    }
    return NULL;
}

/* Adds f * x * by, term by term. */
static bool add_product(const AffineRules *r, Affine *a, LLVMValueRef x, const Affine *by, const Factor *f, int depth) {
    Factor constant = *f;
    if (by->constant &&
        !(scale_by_constant(&constant, by->constant) && add_form(r, a, x, &constant, AFFINE_SAME, depth + 1)))
        return false;
    for (int t = 0; t < by->n; t++) {
        const AffineTerm *term = &by->term[t];
        Factor own = *f;
        bool fits = scale_by_constant(&own, term->factor) && scale_by_value(&own, term->v);
        for (int k = 0; k < AFFINE_SCALES && term->scale[k]; k++) fits = fits && scale_by_value(&own, term->scale[k]);
        if (!fits || !add_form(r, a, x, &own, AFFINE_SAME, depth + 1)) return false;
    }
    return true;
}

static bool add_operation(const AffineRules *r, Affine *a, LLVMValueRef v, const Factor *f, AffineExtension e,
                          int depth) {
    LLVMOpcode op = opcode(v);
    AffineExtension of_parts = e == AFFINE_POSITIVE ? AFFINE_UNSIGNED : e;
    if (!keeps_value(r, v, e)) return add_rest(r, a, v, f, e);
    if (op == LLVMMul || op == LLVMShl) {
        Factor own = *f;
        Affine by;
        LLVMValueRef x = multiplied(r, v, &own, of_parts);
        LLVMValueRef in_sum = x || of_parts != AFFINE_SAME ? NULL : multiplied_by_sum(r, v, &by, depth);
        if (in_sum) return add_product(r, a, in_sum, &by, f, depth);
        return x ? add_form(r, a, x, &own, of_parts, depth + 1) : add_rest(r, a, v, f, e);
    }
    Factor second = *f;
    if (op == LLVMSub) second.by = -second.by;
    return add_form(r, a, LLVMGetOperand(v, 0), f, of_parts, depth + 1) &&
           add_form(r, a, LLVMGetOperand(v, 1), &second, of_parts, depth + 1);
}

/* An extended value within one extended by e: that of the inner one, where the two are the same. */
static bool add_extended(const AffineRules *r, Affine *a, LLVMValueRef v, const Factor *f, AffineExtension e,
                         int depth) {
    LLVMValueRef from = LLVMGetOperand(v, 0);
    bool positive = is_positive(r, from);
    AffineExtension inner = LLVMIsASExtInst(v) || positive ? AFFINE_SIGNED
                            : LLVMGetNNeg(v) && r->flags   ? AFFINE_POSITIVE
                                                           : AFFINE_UNSIGNED;
    if (e == AFFINE_SIGNED && inner != AFFINE_SIGNED) e = AFFINE_SAME; /* a zero-extended value is not negative */
    if (positive || (e == AFFINE_POSITIVE && inner == AFFINE_SIGNED)) e = AFFINE_SAME;
    if (e != AFFINE_SAME && e != inner && r->flags != AFFINE_ASSUME) return add_rest(r, a, v, f, e);
    return add_form(r, a, from, f, inner, depth + 1);
}

/* Constants in a getelementptr are signed, as its indices are. */
static bool add_address(const AffineRules *r, Affine *a, LLVMValueRef gep, const Factor *f, int depth) {
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    if (!add_form(r, a, LLVMGetOperand(gep, 0), f, AFFINE_SAME, depth + 1)) return false;
    for (int k = 1; k < LLVMGetNumOperands(gep); k++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)k);
        if (!is_integer(index)) return false;
        if (k > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            a->constant += f->by * (int64_t)LLVMOffsetOfElement(r->layout, t, field);
            t = LLVMStructGetTypeAtIndex(t, field);
            continue;
        }
        if (k > 1 && LLVMGetTypeKind(t) != LLVMArrayTypeKind) return false;
        if (k > 1) t = LLVMGetElementType(t);
        Factor own = *f;
        if (is_constant(index, 0)) continue;
        if (!scale_by_constant(&own, (int64_t)LLVMABISizeOfType(r->layout, t)) ||
            !add_form(r, a, index, &own, int_bits(index) < 64 ? AFFINE_SIGNED : AFFINE_SAME, depth + 1))
            return false;
    }
    return true;
}

static bool is_single_phi(LLVMValueRef v) { return LLVMIsAPHINode(v) && LLVMCountIncoming(v) == 1; }

/* Adds f * v, as extended by e. */
static bool add_form(const AffineRules *r, Affine *a, LLVMValueRef v, const Factor *f, AffineExtension e, int depth) {
    if (is_small_constant(v)) return add_integer(a, v, f, e);
    if (r->is_term && r->is_term(r->context, v)) return add_term(a, v, f, e);
    LLVMValueRef other = r->instead ? r->instead(r->context, v) : NULL;
    if (other) return depth < DEPTH && add_form(r, a, other, f, e, depth + 1);
    if (!LLVMIsAInstruction(v) || depth > DEPTH) return add_rest(r, a, v, f, e);
    if (is_single_phi(v)) return add_form(r, a, LLVMGetIncomingValue(v, 0), f, e, depth + 1);
    LLVMValueRef scalar = splat_value(v);
    if (scalar) return add_form(r, a, scalar, f, e, depth + 1);
    switch (opcode(v)) {
    case LLVMSExt:
    case LLVMZExt: return add_extended(r, a, v, f, e, depth);
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr:
    case LLVMMul:
    case LLVMShl: return add_operation(r, a, v, f, e, depth);
    case LLVMGetElementPtr: return r->layout ? add_address(r, a, v, f, depth) : add_rest(r, a, v, f, e);
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
        return r->layout ? add_form(r, a, LLVMGetOperand(v, 0), f, e, depth + 1) : add_rest(r, a, v, f, e);
    case LLVMTrunc:
    case LLVMFreeze:
        if (r->flags == AFFINE_ASSUME) return add_form(r, a, LLVMGetOperand(v, 0), f, e, depth + 1);
        return add_rest(r, a, v, f, e);
    default: return add_rest(r, a, v, f, e);
    }
}

bool affine_of(const AffineRules *r, LLVMValueRef v, AffineExtension as, Affine *a) {
    Factor one = {.by = 1};
    *a = (Affine){0};
    return add_form(r, a, v, &one, as, 0);
}

int64_t affine_take(Affine *a, LLVMValueRef v) {
    int64_t factor = 0;
    int n = 0;
    for (int k = 0; k < a->n; k++) {
        if (a->term[k].v == v) factor += a->term[k].factor;
        else a->term[n++] = a->term[k];
    }
    a->n = n;
    return factor;
}

/* ---- building ---- */

static LLVMValueRef build_extended(LLVMBuilderRef b, LLVMValueRef v, LLVMTypeRef t, AffineExtension by) {
    if (LLVMTypeOf(v) == t) return v;
    return by == AFFINE_SIGNED ? LLVMBuildSExt(b, v, t, "") : LLVMBuildZExt(b, v, t, "");
}

LLVMValueRef affine_build(LLVMBuilderRef b, const Affine *a, LLVMTypeRef t, LLVMValueRef (*at)(void *, LLVMValueRef),
                          void *context) {
    LLVMValueRef sum = NULL;
    for (int k = 0; k < a->n; k++) {
        int64_t factor = a->term[k].factor;
        LLVMValueRef v = build_extended(b, at ? at(context, a->term[k].v) : a->term[k].v, t, a->term[k].by);
        if (factor != 1 && factor != -1) v = LLVMBuildMul(b, v, LLVMConstInt(t, (uint64_t)factor, 1), "");
        if (factor == -1) sum = sum ? LLVMBuildSub(b, sum, v, "base") : LLVMBuildNeg(b, v, "");
        else sum = sum ? LLVMBuildAdd(b, sum, v, "base") : v;
    }
    LLVMValueRef constant = LLVMConstInt(t, (uint64_t)a->constant, 1);
    if (!sum) return constant;
    return a->constant ? LLVMBuildAdd(b, sum, constant, "base") : sum;
}

/* ---- indices in the grid ---- */

LLVMValueRef affine_narrow_id(LLVMValueRef v) {
    if (!(LLVMIsAZExtInst(v) || LLVMIsASExtInst(v)) || is_vector(v) || int_bits(v) != 64) return v;
    Name n = name_of_call(LLVMGetOperand(v, 0));
    return n >= NAME_TID_X && n <= NAME_NCTAID_Z ? LLVMGetOperand(v, 0) : v;
}

LLVMValueRef affine_block_start(LLVMValueRef v, int d) {
    enum { MAX_BLOCK_SHIFT = 10 };
    LLVMOpcode op = opcode(v);
    if (op != LLVMMul && op != LLVMShl) return NULL;
    for (unsigned k = 0; k < (op == LLVMShl ? 1u : 2u); k++) {
        LLVMValueRef by = LLVMGetOperand(v, !k);
        if (name_of_call(affine_narrow_id(LLVMGetOperand(v, k))) != (Name)(NAME_CTAID_X + d)) continue;
        if (op == LLVMMul) return by;
        if (!LLVMIsAConstantInt(by) || LLVMConstIntGetZExtValue(by) > MAX_BLOCK_SHIFT) return NULL;
        return const_int_of(v, INT64_C(1) << LLVMConstIntGetZExtValue(by));
    }
    return NULL;
}

LLVMValueRef affine_grid_index(LLVMValueRef v, int d) {
    for (unsigned k = 0; k < 2 && is_plain_add(v); k++)
        if (name_of_call(affine_narrow_id(LLVMGetOperand(v, k))) == (Name)(NAME_TID_X + d))
            return affine_block_start(LLVMGetOperand(v, !k), d);
    return NULL;
}

/* ---- printing ---- */

static void print_value(LLVMValueRef v, FILE *f) {
    static const struct {
        Name name;
        const char *text;
    } ids[] = {{NAME_TID_X, "tid"}, {NAME_CTAID_X, "ctaid"}, {NAME_NTID_X, "ntid"}, {NAME_NCTAID_X, "nctaid"}};
    Name n = LLVMIsAInstruction(v) ? name_of_call(v) : NAME_NONE;
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++)
        if (n >= ids[k].name && n < ids[k].name + 3) {
            fprintf(f, "%s.%c", ids[k].text, "xyz"[n - ids[k].name]);
            return;
        }
    fprintf(f, "%%%s", value_name(v));
}

static void print_form(const Affine *a, FILE *f) {
    static const char *const extension[] = {"", "sext ", "zext ", "ext "};
    for (int k = 0; k < a->n; k++) {
        fprintf(f, "%" PRId64 " * %s", a->term[k].factor, extension[a->term[k].by]);
        print_value(a->term[k].v, f);
        fprintf(f, " + ");
    }
    fprintf(f, "%" PRId64 "\n", a->constant);
}

void affine_print(LLVMTargetDataRef layout, LLVMValueRef fn, FILE *f) {
    ShimLoops *loops = shim_open_loops(fn);
    AffineRules r = {.flags = AFFINE_TRUST_FLAGS, .ranges = loops, .layout = layout};
    for_each_instruction(i, fn) {
        Affine a;
        if ((!is_integer(i) && !LLVMIsAGetElementPtrInst(i)) || is_integer_type(LLVMTypeOf(i), 1) ||
            LLVMIsAPHINode(i) || LLVMIsACallInst(i) || LLVMIsALoadInst(i) || is_vector(i))
            continue;
        fprintf(f, "%%%s = ", value_name(i));
        if (affine_of(&r, i, AFFINE_SAME, &a)) print_form(&a, f);
        else fprintf(f, "no form\n");
    }
    shim_close_loops(loops);
}
