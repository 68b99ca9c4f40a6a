/* int_ranges: see int_ranges.h.
**
** Blocks are visited in reverse postorder, so that operands come first; phis in a loop header are unbounded, except
** sums: one to which integers of known ranges are added, in a loop with a constant trip count, is its initial value
** plus so many times these. */
#include "passes/analysis/int_ranges.h"
#include "passes/ir/value.h"

enum { MAX_TERMS = 256 };
static const int64_t SMALL = INT64_C(1) << 31; /* products of such integers do not overflow */

struct IntRanges {
    Arena *a;
    const Cfg *c;
    PtrMap known; /* instruction -> IntRange */
};

typedef struct Intrinsic {
    const char *name;
    IntOp op;
} Intrinsic;

static const Intrinsic intrinsics[] = {
    {"llvm.smin.", INT_SMIN}, {"llvm.smax.", INT_SMAX}, {"llvm.umin.", INT_UMIN},
    {"llvm.umax.", INT_UMAX}, {"llvm.abs.", INT_ABS},
};

static IntOp op_of_call(LLVMValueRef v) {
    LLVMValueRef f = LLVMGetCalledValue(v);
    if (!LLVMIsAFunction(f)) return INT_NONE;
    const char *name = value_name(f);
    for (size_t k = 0; k < sizeof intrinsics / sizeof *intrinsics; k++)
        if (!strncmp(name, intrinsics[k].name, strlen(intrinsics[k].name))) return intrinsics[k].op;
    return INT_NONE;
}

IntOp int_op(LLVMValueRef v) {
    if (!LLVMIsAInstruction(v)) return INT_NONE;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd: return INT_ADD;
    case LLVMSub: return INT_SUB;
    case LLVMMul: return INT_MUL;
    case LLVMShl: return INT_SHL;
    case LLVMLShr: return INT_LSHR;
    case LLVMAShr: return INT_ASHR;
    case LLVMAnd: return INT_AND;
    case LLVMOr: return INT_OR;
    case LLVMXor: return INT_XOR;
    case LLVMUDiv: return INT_UDIV;
    case LLVMSDiv: return INT_SDIV;
    case LLVMURem: return INT_UREM;
    case LLVMSRem: return INT_SREM;
    case LLVMSelect: return INT_SELECT;
    case LLVMPHI: return INT_PHI;
    case LLVMICmp: return INT_ICMP;
    case LLVMZExt: return INT_ZEXT;
    case LLVMSExt: return INT_SEXT;
    case LLVMTrunc: return INT_TRUNC;
    case LLVMCall: return op_of_call(v);
    default: return INT_NONE;
    }
}

bool is_scalar_int(LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) <= 64;
}

bool fits_unsigned(IntRange r, unsigned bits) { return r.lo >= 0 && (bits >= 63 || r.hi < INT64_C(1) << bits); }

bool fits_signed(IntRange r, unsigned bits) {
    return bits >= 64 || (r.lo >= -(INT64_C(1) << (bits - 1)) && r.hi < INT64_C(1) << (bits - 1));
}

/* ---- intervals ---- */

static unsigned width(LLVMValueRef v) { return int_bits(v); }

static IntRange all(unsigned bits) {
    if (bits >= 64) return (IntRange){INT64_MIN, INT64_MAX, false};
    return (IntRange){-(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1, false};
}

static IntRange make_range(int64_t lo, int64_t hi) { return (IntRange){lo, hi, false}; }
static bool is_small(IntRange r) { return r.lo >= -SMALL && r.hi <= SMALL; }
static int64_t min_int(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max_int(int64_t a, int64_t b) { return a > b ? a : b; }
static IntRange hull(IntRange a, IntRange b) { return make_range(min_int(a.lo, b.lo), max_int(a.hi, b.hi)); }

static IntRange multiply_ranges(IntRange a, IntRange b) {
    int64_t p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
    return make_range(min_int(min_int(p, q), min_int(r, s)), max_int(max_int(p, q), max_int(r, s)));
}

/* 2^n - 1 that is not below v >= 0. */
static int64_t ones(int64_t v) {
    int64_t r = 0;
    while (r < v) r = 2 * r + 1;
    return r;
}

/* Sums and products of small integers. */
static IntRange arithmetic(IntOp op, IntRange a, IntRange b, unsigned bits) {
    if (!is_small(a) || !is_small(b)) return all(bits);
    switch (op) {
    case INT_ADD: return make_range(a.lo + b.lo, a.hi + b.hi);
    case INT_SUB: return make_range(a.lo - b.hi, a.hi - b.lo);
    case INT_MUL: return multiply_ranges(a, b);
    default:
        return b.lo != b.hi || b.lo < 0 || b.lo > 31
                   ? all(bits)
                   : multiply_ranges(a, make_range(INT64_C(1) << b.lo, INT64_C(1) << b.lo));
    }
}

static IntRange shifted(IntOp op, IntRange a, IntRange b, unsigned bits) {
    if (b.lo != b.hi || b.lo < 0 || b.lo >= bits) return all(bits);
    if (op == INT_ASHR || a.lo >= 0) return make_range(a.lo >> b.lo, a.hi >> b.lo);
    return b.lo == 0 ? a : make_range(0, (int64_t)(UINT64_MAX >> (64 - bits) >> b.lo));
}

static IntRange bitwise(IntOp op, IntRange a, IntRange b, unsigned bits) {
    if (op == INT_AND && (a.lo >= 0 || b.lo >= 0))
        return make_range(0, a.lo < 0 ? b.hi : b.lo < 0 ? a.hi : min_int(a.hi, b.hi));
    if (a.lo < 0 || b.lo < 0 || op == INT_AND) return all(bits);
    return make_range(0, ones(max_int(a.hi, b.hi)));
}

/* By a positive constant. */
static IntRange quotient(IntOp op, IntRange a, IntRange b, unsigned bits) {
    bool is_signed = op == INT_SDIV || op == INT_SREM;
    if (b.lo != b.hi || b.lo <= 0 || (!is_signed && a.lo < 0)) return all(bits);
    if (op == INT_SDIV || op == INT_UDIV) return make_range(a.lo / b.lo, a.hi / b.lo);
    return make_range(a.lo < 0 ? max_int(a.lo, 1 - b.lo) : 0, a.hi < 0 ? 0 : min_int(a.hi, b.lo - 1));
}

static IntRange extreme(IntOp op, IntRange a, IntRange b, unsigned bits) {
    bool min = op == INT_SMIN || op == INT_UMIN;
    if ((op == INT_UMIN || op == INT_UMAX) && (a.lo < 0 || b.lo < 0)) {
        if (op == INT_UMIN && (a.lo >= 0 || b.lo >= 0))
            return make_range(0, a.lo >= 0 ? a.hi : b.hi); /* below the one that is not negative */
        return all(bits);
    }
    return min ? make_range(min_int(a.lo, b.lo), min_int(a.hi, b.hi))
               : make_range(max_int(a.lo, b.lo), max_int(a.hi, b.hi));
}

static IntRange abs_range(IntRange a, unsigned bits) {
    if (!is_small(a)) return all(bits);
    return make_range(a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, max_int(a.hi, -a.lo));
}

static IntRange cast_range(IntOp op, IntRange a, unsigned from, unsigned bits) {
    if (op == INT_TRUNC) return fits_signed(a, bits) ? a : all(bits);
    if (op == INT_SEXT || a.lo >= 0) return a;
    return from < 63 ? make_range(0, (INT64_C(1) << from) - 1) : all(bits);
}

static IntRange binary(IntOp op, IntRange a, IntRange b, unsigned bits) {
    switch (op) {
    case INT_ADD:
    case INT_SUB:
    case INT_MUL:
    case INT_SHL: return arithmetic(op, a, b, bits);
    case INT_LSHR:
    case INT_ASHR: return shifted(op, a, b, bits);
    case INT_AND:
    case INT_OR:
    case INT_XOR: return bitwise(op, a, b, bits);
    case INT_UDIV:
    case INT_SDIV:
    case INT_UREM:
    case INT_SREM: return quotient(op, a, b, bits);
    default: return extreme(op, a, b, bits);
    }
}

/* ---- values ---- */

IntRange int_range_of(const IntRanges *r, LLVMValueRef v) {
    if (LLVMIsAConstantInt(v)) {
        int64_t n = LLVMConstIntGetSExtValue(v);
        return make_range(n, n);
    }
    const IntRange *known = map_ptr(&r->known, v);
    return known ? *known : all(width(v));
}

static IntRange of_phi(const IntRanges *r, LLVMValueRef v, int b) {
    const Cfg *c = r->c;
    bool head = c->b[b].loop >= 0 && c->l[c->b[b].loop].header == b, data = false;
    IntRange sum = int_range_of(r, LLVMGetIncomingValue(v, 0));
    for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
        IntRange o = int_range_of(r, LLVMGetIncomingValue(v, k));
        data |= o.data;
        sum = hull(sum, o);
    }
    if (head) sum = all(width(v));
    sum.data = data;
    return sum;
}

/* q is k - p, for p from 0 to k; 0: it is not known to be. */
static int64_t complement_of(const IntRanges *r, LLVMValueRef p, LLVMValueRef q) {
    IntOp op = int_op(q);
    LLVMValueRef k = op == INT_SUB ? LLVMGetOperand(q, 0) : op == INT_XOR ? LLVMGetOperand(q, 1) : NULL;
    if (!k || !LLVMIsAConstantInt(k) || LLVMGetOperand(q, op == INT_SUB ? 1 : 0) != p) return 0;
    int64_t n = LLVMConstIntGetSExtValue(k);
    IntRange range_of_p = int_range_of(r, p);
    return n > 0 && n < SMALL && range_of_p.lo >= 0 && range_of_p.hi <= n && (op == INT_SUB || ones(n) == n) ? n : 0;
}

/* a*p + b*(k - p) is between k times the minimum and k times the maximum of a and b. */
static bool is_weighted_sum(const IntRanges *r, LLVMValueRef v, IntRange *blend) {
    LLVMValueRef x = LLVMGetOperand(v, 0), y = LLVMGetOperand(v, 1);
    if (int_op(x) != INT_MUL || int_op(y) != INT_MUL) return false;
    for (unsigned k = 0; k < 4; k++) {
        LLVMValueRef p = LLVMGetOperand(x, k & 1), q = LLVMGetOperand(y, k >> 1);
        IntRange a = int_range_of(r, LLVMGetOperand(x, !(k & 1))), b = int_range_of(r, LLVMGetOperand(y, !(k >> 1)));
        int64_t n = complement_of(r, p, q);
        if (!n) n = complement_of(r, q, p);
        if (!n || a.lo < 0 || b.lo < 0 || !is_small(a) || !is_small(b)) continue;
        *blend = make_range(n * min_int(a.lo, b.lo), n * max_int(a.hi, b.hi));
        return true;
    }
    return false;
}

static IntRange of_value(const IntRanges *r, LLVMValueRef v, int b) {
    IntOp op = int_op(v);
    unsigned bits = width(v);
    if (op == INT_PHI) return of_phi(r, v, b);
    IntRange o[2] = {all(1), all(1)}, result;
    bool data = LLVMIsALoadInst(v) || LLVMIsAFPToSIInst(v) || LLVMIsAFPToUIInst(v);
    int first = op == INT_SELECT ? 1 : 0;
    for (int k = 0; k < LLVMGetNumOperands(v); k++) {
        LLVMValueRef x = LLVMGetOperand(v, (unsigned)k);
        if (!is_scalar_int(x)) continue;
        IntRange known = int_range_of(r, x);
        data |= known.data;
        if (k >= first && k < first + 2) o[k - first] = known;
    }
    switch (op) {
    case INT_NONE:
    case INT_ICMP: result = all(bits); break;
    case INT_SELECT: result = hull(o[0], o[1]); break;
    case INT_ABS: result = abs_range(o[0], bits); break;
    case INT_ZEXT:
    case INT_SEXT:
    case INT_TRUNC:
        result =
            is_scalar_int(LLVMGetOperand(v, 0)) ? cast_range(op, o[0], width(LLVMGetOperand(v, 0)), bits) : all(bits);
        break;
    default: result = binary(op, o[0], o[1], bits);
    }
    IntRange blend;
    if (op == INT_ADD && is_weighted_sum(r, v, &blend) && blend.hi < result.hi) result = blend;
    if (!fits_signed(result, bits)) result = all(bits);
    result.data = data;
    return result;
}

static void note(IntRanges *r, LLVMValueRef v, IntRange value) {
    IntRange *known = map_ptr(&r->known, v);
    if (!known) map_put(&r->known, v, (uintptr_t)(known = arena_alloc(r->a, sizeof *known)));
    *known = value;
}

static bool is_full_range(LLVMValueRef v, IntRange r) { return r.lo == all(width(v)).lo; }

/* ---- sums ---- */

/* What one iteration of the loop adds to the phi; false: not known. */
static bool added(const IntRanges *r, LLVMValueRef phi, LLVMValueRef v, IntRange *step) {
    *step = make_range(0, 0);
    for (int n = 0; v != phi; n++) {
        if (int_op(v) != INT_ADD || n > MAX_TERMS) return false;
        IntRange a = int_range_of(r, LLVMGetOperand(v, 0)), b = int_range_of(r, LLVMGetOperand(v, 1));
        bool first = is_full_range(v, a);
        IntRange term = first ? b : a;
        if (!is_small(term) || is_full_range(v, term)) return false;
        *step = make_range(step->lo + term.lo, step->hi + term.hi);
        step->data |= term.data;
        v = LLVMGetOperand(v, first ? 0 : 1);
    }
    return true;
}

static void find_sum(IntRanges *r, LLVMValueRef phi, int b) {
    const Loop *l = &r->c->l[r->c->b[b].loop];
    IntRange start = make_range(0, 0), step = make_range(0, 0);
    bool data = int_range_of(r, phi).data;
    if (!data || l->nlatches != 1 || LLVMCountIncoming(phi) != 2) return;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, k);
        if (cfg_number(r->c, LLVMGetIncomingBlock(phi, k)) != l->latches[0]) start = int_range_of(r, v);
        else if (!added(r, phi, v, &step)) return;
    }
    int64_t passes = is_full_range(phi, start) || !is_small(step) ? 0 : cfg_trip_count(r->c, r->c->b[b].loop);
    if (!passes || passes > SMALL) return;
    IntRange sum = make_range(start.lo + min_int(0, step.lo * passes), start.hi + max_int(0, step.hi * passes));
    sum.data = data;
    if (is_small(start) && fits_signed(sum, width(phi))) note(r, phi, sum);
}

/* again: all but loop headers. */
static void evaluate(IntRanges *r, bool again) {
    for (int b = 0; b < r->c->n; b++) {
        int l = r->c->b[b].loop;
        bool head = l >= 0 && r->c->l[l].header == b;
        for_each_in_block(i, r->c->b[b].bb)
            if (is_scalar_int(i) && !(again && head && LLVMIsAPHINode(i))) note(r, i, of_value(r, i, b));
    }
}

IntRanges *int_ranges(Arena *a, const Cfg *c) {
    IntRanges *r = arena_alloc(a, sizeof *r);
    *r = (IntRanges){.a = a, .c = c};
    map_init(&r->known, a);
    evaluate(r, false);
    if (!c->nloops) return r;
    evaluate(r, false); /* which of the header phis depend on data */
    for (int l = 0; l < c->nloops; l++)
        for_each_phi(p, c->b[c->l[l].header].bb)
            if (is_scalar_int(p)) find_sum(r, p, c->l[l].header);
    evaluate(r, true);
    return r;
}
