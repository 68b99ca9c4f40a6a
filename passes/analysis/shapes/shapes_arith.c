/* shapes_arith.c: the transfer rules of integer (and pointer) arithmetic, on Facts alone; no LLVM IR is used here, so
** that the tests can drive every rule. docs/shapes.md has them as a table.
**
** Modular rules (add, sub, mul, shl, trunc) need no proof. Rules that depend on the mathematical value (extension,
** ordered comparison) use `sx`, `ux`; flags imply those only where lane 0 (or thread 0 of the block), active or not, is
** between zero and the active lanes, so that it cannot wrap alone. */
#include "passes/analysis/shapes/shapes_internal.h"

typedef __int128 Wide;

static int64_t clamp(Wide v, int bits) {
    return v < min_of(bits) ? min_of(bits) : v > max_of(bits) ? max_of(bits) : (int64_t)v;
}
static Scope max_scope(Scope a, Scope b) { return a > b ? a : b; }

static uint32_t min_align(uint32_t a, uint32_t b) { return a < b ? a : b; }

Fact arith_opaque(const Group *g, int bits, const Fact *ops, int n) {
    Scope scope = SCOPE_GRID;
    for (int i = 0; i < n; i++) scope = max_scope(scope, fact_scope(g, &ops[i]));
    if (scope != SCOPE_NONE) return fact_uniform(bits, scope);
    Fact f = fact_varying(bits);
    fact_normalise(g, &f);
    return f;
}

static Fact opaque2(const Group *g, int bits, Fact a, Fact b) {
    Fact ops[2] = {a, b};
    return arith_opaque(g, bits, ops, 2);
}

/* The signs that all coefficients have: 1 = none is negative, -1 = none is positive, 0 = unknown. */
static int sign_of(const Coef *c, int n) {
    int plus = 0, minus = 0;
    for (int i = 0; i < n; i++) {
        if (c[i].kind != COEF_KNOWN) return 0;
        plus |= c[i].v > 0;
        minus |= c[i].v < 0;
    }
    return plus && minus ? 0 : minus ? -1 : 1;
}

static int block_sign(const Fact *f) {
    Coef c[4] = {f->s.x, f->s.y, f->s.z, f->s.lane};
    return sign_of(c, 4);
}

static int lane_sign(const Group *g, const Fact *f) {
    int64_t stride;
    if (!fact_lane_stride(g, f, &stride)) return pattern_sign(g, f);
    return stride < 0 ? -1 : 1;
}

/* How far ext(f) is known, given the level of the fact. */
static Exact level_of(const Group *g, const Fact *f, Exact stated) {
    return stated == EXACT_NO && pattern_constant(g, f) ? EXACT_GROUP : stated;
}

/* Nothing is claimed of inactive lanes. */
static bool unknown(const Fact *f) { return fact_varies(f) && !f->pat; }

static void keep_exact(const Group *g, Fact *r, Exact sx, Exact ux) {
    if (r->sx < sx) r->sx = sx;
    if (r->ux < ux) r->ux = ux;
    fact_normalise(g, r);
}

/* Sets range and exactness of a sum whose modular part is ready in r.  [lo, hi] is the mathematical
** range, from and a and b (b negated for a difference: its mathematical value then is in [blo, bhi]). */
static void finish_sum(const Group *g, Fact *r, const Fact *a, const Fact *b, Wide blo, Wide bhi, Flags fl,
                       bool difference, bool wraps) {
    Wide lo = a->lo + blo, hi = a->hi + bhi;
    Exact both = min_exact(level_of(g, a, a->sx), level_of(g, b, b->sx));
    Exact uboth = min_exact(level_of(g, a, a->ux), level_of(g, b, b->ux));
    if (wraps) both = uboth = EXACT_NO;
    bool fits = lo >= min_of(r->bits) && hi <= max_of(r->bits);
    r->sx = r->ux = EXACT_NO;
    /* no active lane wraps, and the lanes differ by small multiples of the stride */
    r->active = fl.nsw && !wraps ? min_exact(fact_active(g, a), fact_active(g, b)) : EXACT_NO;
    if (fits) {
        r->sx = both;
    } else if (fl.nsw) {
        /* away from the active lanes the range has to exclude overflow, the flag does not */
        bool low = lo >= min_of(r->bits), high = hi <= max_of(r->bits);
        int s = block_sign(r), l = lane_sign(g, r);
        if (both == EXACT_BLOCK && ((s > 0 && low) || (s < 0 && high))) r->sx = EXACT_BLOCK;
        else if (both >= EXACT_GROUP && ((l > 0 && low) || (l < 0 && high))) r->sx = EXACT_GROUP;
    }
    bool clip = fits || (fl.nsw && (r->sx != EXACT_NO || fact_group_uniform(g, r) || unknown(r)));
    r->lo = clip ? clamp(lo, r->bits) : min_of(r->bits);
    r->hi = clip ? clamp(hi, r->bits) : max_of(r->bits);
    if (fl.nuw) {
        int want = difference ? -1 : 1;
        if (uboth == EXACT_BLOCK && block_sign(r) == want) r->ux = EXACT_BLOCK;
        else if (uboth >= EXACT_GROUP && lane_sign(g, r) == want) r->ux = EXACT_GROUP;
    }
    if (r->lo >= 0 && r->sx > r->ux) r->ux = r->sx;
    fact_align_exact(g, r);
    fact_normalise(g, r);
}

/* A known coefficient that does not fit the width any more is right modulo 2^bits only. */
static Coef coef_wide(Wide v, int bits, bool *wraps) {
    if (v < min_of(bits) || v > max_of(bits)) *wraps = true;
    return coef_known((int64_t)v);
}

static Coef coef_add(Coef a, Coef b, int sign, int bits, bool *wraps) {
    if (a.kind == COEF_ANY || b.kind == COEF_ANY) return (Coef){COEF_ANY, 0};
    if (a.kind == COEF_KNOWN && b.kind == COEF_KNOWN) return coef_wide((Wide)a.v + sign * (Wide)b.v, bits, wraps);
    return (Coef){COEF_UNIFORM, min_align(coef_align(a), coef_align(b))};
}

static Fact sum(const Group *g, Fact a, Fact b, int sign, Flags fl) {
    if (a.s.bottom || b.s.bottom) return fact_bottom();
    Fact r = a;
    bool wraps = false;
    Exact sx = EXACT_NO, ux = EXACT_NO;
    r.s.align = min_align(a.s.align, b.s.align);
    if (fact_varies(&a) || fact_varies(&b)) {
        r = pattern_sum(g, &a, &b, sign, &wraps);
        sx = r.sx, ux = r.ux;
        if (unknown(&r)) r.s.align = min_align(fact_align_all(&a), fact_align_all(&b));
    } else {
        r.s.x = coef_add(a.s.x, b.s.x, sign, a.bits, &wraps);
        r.s.y = coef_add(a.s.y, b.s.y, sign, a.bits, &wraps);
        r.s.z = coef_add(a.s.z, b.s.z, sign, a.bits, &wraps);
        r.s.lane = coef_add(a.s.lane, b.s.lane, sign, a.bits, &wraps);
        r.s.base = max_scope(a.s.base, b.s.base);
        r.s.base_known = a.s.base_known && b.s.base_known;
        r.s.base_value = (int64_t)((uint64_t)a.s.base_value + (uint64_t)sign * (uint64_t)b.s.base_value);
        fact_normalise(g, &r);
    }
    if (sign > 0) finish_sum(g, &r, &a, &b, b.lo, b.hi, fl, false, wraps);
    else finish_sum(g, &r, &a, &b, -(Wide)b.hi, -(Wide)b.lo, fl, true, wraps);
    keep_exact(g, &r, sx, ux);
    return r;
}

Fact arith_add(const Group *g, Fact a, Fact b, Flags fl) { return sum(g, a, b, 1, fl); }
Fact arith_sub(const Group *g, Fact a, Fact b, Flags fl) { return sum(g, a, b, -1, fl); }

/* ---- products ---- */

static Coef coef_scale(Coef c, const Fact *u, int bits, bool *wraps) {
    if (c.kind == COEF_KNOWN && c.v == 0) return c;
    if (c.kind == COEF_KNOWN && u->s.base_known) return coef_wide((Wide)c.v * u->s.base_value, bits, wraps);
    return (Coef){COEF_UNIFORM, align_mul(coef_align(c), u->s.align)};
}

static void product_range(const Fact *a, const Fact *b, Wide *lo, Wide *hi) {
    Wide p[4] = {(Wide)a->lo * b->lo, (Wide)a->lo * b->hi, (Wide)a->hi * b->lo, (Wide)a->hi * b->hi};
    *lo = *hi = p[0];
    for (int i = 1; i < 4; i++) {
        if (p[i] < *lo) *lo = p[i];
        if (p[i] > *hi) *hi = p[i];
    }
}

static Fact scale(const Group *g, Fact a, Fact u, Flags fl) {
    Fact r = a;
    bool wraps = false;
    r.s.x = coef_scale(a.s.x, &u, a.bits, &wraps);
    r.s.y = coef_scale(a.s.y, &u, a.bits, &wraps);
    r.s.z = coef_scale(a.s.z, &u, a.bits, &wraps);
    r.s.lane = coef_scale(a.s.lane, &u, a.bits, &wraps);
    bool nothing = a.s.base_known && a.s.base_value == 0;
    r.s.base = max_scope(a.s.base, u.s.base);
    r.s.base_known = nothing || (a.s.base_known && u.s.base_known);
    r.s.base_value = (int64_t)((uint64_t)a.s.base_value * (uint64_t)u.s.base_value);
    r.s.align = align_mul(a.s.align, u.s.align);
    r.sx = r.ux = EXACT_NO;
    r.active = fl.nsw && !wraps ? min_exact(fact_active(g, &a), fact_active(g, &u)) : EXACT_NO;
    if (wraps) a.sx = a.ux = EXACT_NO;
    Wide lo, hi;
    product_range(&a, &u, &lo, &hi);
    bool fits = lo >= min_of(a.bits) && hi <= max_of(a.bits);
    bool forward = a.lo >= 0 && block_sign(&a) > 0, lanes = a.lo >= 0 && lane_sign(g, &a) > 0;
    if (fits) r.sx = a.sx;
    else if (fl.nsw && a.sx == EXACT_BLOCK && forward) r.sx = EXACT_BLOCK;
    else if (fl.nsw && a.sx >= EXACT_GROUP && lanes) r.sx = EXACT_GROUP;
    bool clip = fits || (fl.nsw && (r.sx != EXACT_NO || fact_group_uniform(g, &r)));
    r.lo = clip ? clamp(lo, a.bits) : min_of(a.bits);
    r.hi = clip ? clamp(hi, a.bits) : max_of(a.bits);
    if (u.s.base_known && u.s.base_value < 0) fl.nuw = false; /* as unsigned another stride */
    if (fl.nuw && a.ux == EXACT_BLOCK && block_sign(&a) > 0) r.ux = EXACT_BLOCK;
    else if (fl.nuw && a.ux >= EXACT_GROUP && lane_sign(g, &a) > 0) r.ux = EXACT_GROUP;
    if (r.lo >= 0 && r.sx > r.ux) r.ux = r.sx;
    fact_normalise(g, &r);
    fact_align_exact(g, &r);
    return r;
}

/* a is a pattern, u uniform for the group: as scale, run by run. */
static Fact scale_pattern(const Group *g, const Fact *a, const Fact *u, Flags fl) {
    bool wraps = false;
    Fact r = pattern_scale(g, a, u, &wraps);
    if (unknown(&r)) return r;
    Exact sx = r.sx, ux = r.ux;
    bool up = !wraps && lane_sign(g, a) > 0;
    Wide lo, hi;
    product_range(a, u, &lo, &hi);
    bool fits = lo >= min_of(a->bits) && hi <= max_of(a->bits);
    bool by_sign = fl.nsw && a->lo >= 0 && up;
    bool proven = !wraps && level_of(g, a, a->sx) != EXACT_NO && (fits || by_sign);
    bool negative = fact_fixed(u) && u->s.base_value < 0;
    if (fl.nuw && !negative && level_of(g, a, a->ux) != EXACT_NO && up) ux = EXACT_GROUP;
    proven |= pattern_constant(g, &r);
    bool clip = fits || (fl.nsw && proven);
    if (proven) sx = EXACT_GROUP;
    r.lo = clip ? clamp(lo, a->bits) : min_of(a->bits);
    r.hi = clip ? clamp(hi, a->bits) : max_of(a->bits);
    if (r.lo >= 0 && sx > ux) ux = sx;
    keep_exact(g, &r, sx, ux);
    return r;
}

Fact arith_mul(const Group *g, Fact a, Fact b, Flags fl) {
    if (a.s.bottom || b.s.bottom) return fact_bottom();
    if (!fact_varies(&a) && !fact_varies(&b)) {
        if (!fact_zero_coefs(&b) && fact_zero_coefs(&a)) return scale(g, b, a, fl);
        if (fact_zero_coefs(&b)) return scale(g, a, b, fl);
        if (fact_group_uniform(g, &b)) return scale(g, a, fact_to_group(g, b), fl);
        if (fact_group_uniform(g, &a)) return scale(g, b, fact_to_group(g, a), fl);
    }
    Fact r = fact_varying(a.bits);
    if (a.bits && fact_group_uniform(g, &b)) r = scale_pattern(g, &a, &b, fl);
    if (a.bits && unknown(&r) && fact_group_uniform(g, &a)) r = scale_pattern(g, &b, &a, fl);
    if (!unknown(&r)) return r;
    r.s.align = align_mul(fact_align_all(&a), fact_align_all(&b));
    Wide lo, hi;
    product_range(&a, &b, &lo, &hi);
    bool fits = lo >= min_of(a.bits) && hi <= max_of(a.bits);
    if (fits || fl.nsw) r.lo = clamp(lo, a.bits), r.hi = clamp(hi, a.bits);
    fact_normalise(g, &r);
    return r;
}

Fact arith_shl(const Group *g, Fact a, Fact b, Flags fl) {
    if (a.s.bottom || b.s.bottom) return fact_bottom();
    if (fact_fixed(&b) && fact_zero_coefs(&b)) {
        int64_t k = b.s.base_value;
        if (k < 0 || k >= a.bits) return fact_bottom(); /* poison */
        if (k == a.bits - 1) fl.nsw = fl.nuw = false;
        return arith_mul(g, a, fact_const(a.bits, (int64_t)(UINT64_C(1) << k)), fl);
    }
    if (unknown(&a) || !fact_group_uniform(g, &b)) {
        Fact r = opaque2(g, a.bits, a, b);
        r.s.align = fact_align_all(&a);
        return r;
    }
    /* an unknown power of two */
    Fact u = fact_to_group(g, b);
    Fact factor = fact_uniform(a.bits, u.s.base);
    return arith_mul(g, a, factor, (Flags){0});
}

/* ---- bit operations and division: by lane patterns ---- */

static void bits_range(LLVMOpcode op, const Fact *a, const Fact *b, Fact *r) {
    int64_t k = b->s.base_value;
    bool fixed = fact_fixed(b) && fact_zero_coefs(b);
    if (op == LLVMAnd && a->lo >= 0 && b->lo >= 0) {
        r->lo = 0;
        r->hi = a->hi < b->hi ? a->hi : b->hi;
    } else if (op == LLVMAnd && (a->lo >= 0 || b->lo >= 0)) {
        r->lo = 0;
        r->hi = a->lo >= 0 ? a->hi : b->hi;
    } else if ((op == LLVMOr || op == LLVMXor) && a->lo >= 0 && b->lo >= 0) {
        int64_t m = a->hi | b->hi;
        for (int s = 1; s < 64; s *= 2) m |= m >> s;
        r->lo = 0;
        r->hi = m;
    } else if (op == LLVMLShr && fixed && k >= 0 && k < a->bits && (k > 0 || a->lo >= 0)) {
        r->lo = a->lo >= 0 ? a->lo >> k : 0;
        r->hi = a->lo >= 0 ? a->hi >> k : (int64_t)((~UINT64_C(0) >> (64 - a->bits)) >> k);
    } else if (op == LLVMAShr && fixed && k >= 0 && k < a->bits) {
        r->lo = a->lo >> k;
        r->hi = a->hi >> k;
    }
}

static uint32_t bits_align(LLVMOpcode op, uint32_t a, uint32_t b) {
    if (op == LLVMAnd) return a > b ? a : b;
    if (op == LLVMOr || op == LLVMXor) return min_align(a, b);
    return 1;
}

Fact arith_bits(const Group *g, LLVMOpcode op, Fact a, Fact b, Flags fl) {
    if (a.s.bottom || b.s.bottom) return fact_bottom();
    Fact r;
    bool logic = op == LLVMAnd || op == LLVMOr || op == LLVMXor;
    if (logic && fact_fixed(&a) && fact_zero_coefs(&a)) {
        Fact t = a;
        a = b;
        b = t;
    }
    bool fixed = fact_fixed(&b) && fact_zero_coefs(&b);
    int64_t m = b.s.base_value;
    if (!logic && fixed && (m < 0 || m >= a.bits)) return fact_bottom();
    if (a.bits && op == LLVMOr && fl.disjoint) return arith_add(g, a, b, (Flags){.nsw = true, .nuw = true});
    if (a.bits && fixed && (op == LLVMOr || op == LLVMXor) && m >= 0 && m < fact_align_all(&a))
        return arith_add(g, a, b, (Flags){0}); /* those bits are zero in every thread */
    if (a.bits && fixed && op == LLVMXor && m == -1) return arith_sub(g, b, a, (Flags){.nsw = true});
    r = opaque2(g, a.bits, a, b);
    if (a.bits && fact_varies(&r)) r = pattern_bits(g, op, &a, &b);
    if (a.bits) {
        uint32_t align = logic ? bits_align(op, fact_align_all(&a), fact_align_all(&b)) : 1;
        if (fact_zero_coefs(&r) || fact_varies(&r))
            if (align > r.s.align) r.s.align = align;
        if (op == LLVMAnd && fixed && !fact_zero_coefs(&r) && !fact_varies(&r))
            r.s.align = bits_align(op, r.s.align, low_bit(m));
        bits_range(op, &a, &b, &r);
    }
    if (r.lo >= 0 && r.sx > r.ux) r.ux = r.sx;
    fact_normalise(g, &r);
    fact_align_exact(g, &r);
    return r;
}

Fact arith_divide(const Group *g, LLVMOpcode op, Fact a, Fact b) {
    if (a.s.bottom || b.s.bottom) return fact_bottom();
    bool rem = op == LLVMURem || op == LLVMSRem, sign = op == LLVMSDiv || op == LLVMSRem;
    Fact r = opaque2(g, a.bits, a, b);
    bool fixed = fact_fixed(&b) && fact_zero_coefs(&b);
    int64_t c = b.s.base_value;
    if (!a.bits || !fixed || c <= 0) return r;
    if (sign && a.lo < 0) {
        if (rem) r.lo = -(c - 1), r.hi = c - 1;
        return r;
    }
    /* from here on both signs agree, or the operation is unsigned */
    if (fact_varies(&r)) r = pattern_divide(g, &a, c, rem);
    if (unknown(&r) && (c & (c - 1)) == 0 && pattern_run(g, &a))
        return arith_bits(g, rem ? LLVMAnd : LLVMLShr, a,
                          fact_const(a.bits, rem ? c - 1 : (int64_t)__builtin_ctzll((uint64_t)c)), (Flags){0});
    if (rem) r.lo = 0, r.hi = a.lo >= 0 && a.hi < c - 1 ? a.hi : c - 1;
    else if (a.lo >= 0) r.lo = a.lo / c, r.hi = a.hi / c;
    else if (c > 1) r.lo = 0, r.hi = (int64_t)((~UINT64_C(0) >> (64 - a.bits)) / (uint64_t)c);
    if (r.lo >= 0 && r.sx > r.ux) r.ux = r.sx;
    fact_align_exact(g, &r);
    fact_normalise(g, &r);
    return r;
}

/* ---- width changes ---- */

Fact arith_trunc(const Group *g, Fact a, int bits) {
    if (a.s.bottom) return a;
    if (!bits || !a.bits) return arith_opaque(g, bits, &a, 1);
    Fact r = a;
    r.bits = bits;
    r.active = EXACT_NO;
    bool fits = a.lo >= min_of(bits) && a.hi <= max_of(bits);
    if (!fits) {
        r.lo = min_of(bits);
        r.hi = max_of(bits);
    }
    if (a.pat) {
        bool wraps = false;
        Fact p = pattern_resize(g, &a, bits, &wraps);
        p.lo = r.lo;
        p.hi = r.hi;
        if (fits && !wraps && a.sx > p.sx) p.sx = a.sx;
        if (r.lo >= 0 && p.sx > p.ux) p.ux = p.sx;
        fact_normalise(g, &p);
        fact_align_exact(g, &p);
        return p;
    }
    Coef c[4] = {a.s.x, a.s.y, a.s.z, a.s.lane};
    for (int i = 0; i < 4; i++)
        if (c[i].kind == COEF_KNOWN && sign_extend(c[i].v, bits) != c[i].v) fits = false;
    if (!fits) {
        r.sx = r.ux = EXACT_NO;
    } else if (r.lo < 0) {
        r.ux = EXACT_NO;
    } else {
        r.ux = r.sx;
    }
    fact_normalise(g, &r);
    fact_align_exact(g, &r);
    return r;
}

/* Extension of a fact that is exact at `level`; `base` is the extension of a known base. */
static Fact extend(const Group *g, Fact a, int bits, Exact level, int64_t base, int64_t lo, int64_t hi) {
    Fact r = a;
    int64_t stride = 0;
    bool wraps = false;
    r.active = EXACT_NO;
    level = level_of(g, &a, level);
    if (level == EXACT_BLOCK) {
        r.bits = bits;
        r.s.base_value = a.s.base_known ? base : 0;
    } else if (level == EXACT_GROUP && fact_lane_stride(g, &a, &stride)) {
        r = fact_lanes(g, bits, stride, fact_align_lane0(g, &a));
    } else if (level == EXACT_GROUP && pattern_run(g, &a)) {
        r = pattern_resize(g, &a, bits, &wraps);
        if (unknown(&r)) level = EXACT_NO;
    } else if (level == EXACT_GROUP && fact_scalar(g, &a)) {
        r = fact_uniform(bits, SCOPE_GROUP); /* an unknown stride */
        *(g->rows ? &r.s.x : &r.s.lane) = (Coef){COEF_UNIFORM, coef_align(g->rows ? a.s.x : a.s.lane)};
        r.s.align = fact_align_lane0(g, &a);
    } else {
        r = fact_varying(bits);
        r.s.align = fact_align_all(&a);
        level = EXACT_NO;
    }
    r.bits = bits;
    r.lo = lo;
    r.hi = hi;
    r.sx = level;
    r.ux = lo >= 0 ? level : EXACT_NO;
    fact_normalise(g, &r);
    fact_align_exact(g, &r);
    return r;
}

Fact arith_sext(const Group *g, Fact a, int bits) {
    if (a.s.bottom) return a;
    if (!bits || !a.bits) return arith_opaque(g, bits, &a, 1);
    if (bits <= a.bits) return arith_trunc(g, a, bits);
    return extend(g, a, bits, a.sx, a.s.base_value, a.lo, a.hi);
}

/* Lane 0's value is extrapolated from an active lane: its range reaches beyond that of the type. */
Fact arith_sext_active(const Group *g, Fact a, int bits) {
    int64_t stride;
    if (a.s.bottom || !bits || !a.bits || bits <= a.bits || g->width == 1 || fact_group_uniform(g, &a) ||
        level_of(g, &a, a.sx) != EXACT_NO || !a.active)
        return arith_sext(g, a, bits);
    if (!fact_lane_stride(g, &a, &stride)) {
        Fact r = pattern_extend_active(g, &a, bits);
        return unknown(&r) ? arith_sext(g, a, bits) : r;
    }
    int64_t reach = (stride < 0 ? -stride : stride) * g->width;
    if (reach >= (int64_t)1 << (a.bits - 2)) return arith_sext(g, a, bits);
    return extend(g, a, bits, EXACT_GROUP, 0, a.lo - reach, a.hi + reach);
}

Fact arith_zext(const Group *g, Fact a, int bits, bool nneg) {
    if (a.s.bottom) return a;
    if (!bits || !a.bits) return arith_opaque(g, bits, &a, 1);
    if (bits <= a.bits) return arith_trunc(g, a, bits);
    if (nneg && !fact_group_uniform(g, &a)) {
        /* the code generator computes lane 0 of such a value by sext */
        if (a.sx == EXACT_NO && a.ux != EXACT_NO && lane_sign(g, &a) > 0) a.sx = EXACT_GROUP;
        return arith_sext(g, a, bits);
    }
    int64_t mask = (int64_t)(~UINT64_C(0) >> (64 - a.bits));
    int64_t lo = a.lo >= 0 ? a.lo : 0, hi = a.lo >= 0 || nneg ? a.hi : mask;
    return extend(g, a, bits, a.ux, a.s.base_value & mask, lo, hi);
}

/* ---- comparison ---- */

static bool is_constant(const Fact *f) { return fact_fixed(f) && fact_zero_coefs(f); }

/* A - B over the lanes is D0 + s*i with 2^g dividing D0: the sign test of p is the same in all lanes. p is < or >=
** (less) resp. > or <= (greater). */
static bool steps_over(const Group *g, const Fact *a, const Fact *b, bool less) {
    int64_t sa, sb;
    if (!fact_lane_stride(g, a, &sa) || !fact_lane_stride(g, b, &sb)) return false;
    Wide s = (Wide)sa - sb, span = s * (g->width - 1);
    Wide align = min_align(fact_align_lane0(g, a), fact_align_lane0(g, b));
    if (s == 0) return true;
    return less ? s > 0 && span < align : s < 0 && -span < align;
}

static bool ordered_uniform(const Group *g, LLVMIntPredicate p, Fact a, Fact b) {
    bool sign = p >= LLVMIntSGT;
    Exact ea = sign ? a.sx : a.ux, eb = sign ? b.sx : b.ux;
    if (ea == EXACT_NO || eb == EXACT_NO) return false;
    bool less = p == LLVMIntSLT || p == LLVMIntSGE || p == LLVMIntULT || p == LLVMIntUGE;
    if (steps_over(g, &a, &b, less)) return true;
    /* a > c is a >= c + 1, a <= c is a < c + 1; and the mirror image with the constant left */
    int64_t top = sign ? max_of(a.bits) : -1, bottom = sign ? min_of(a.bits) : 0;
    if (is_constant(&b)) {
        int64_t c = b.s.base_value;
        if (!less && c != top) return steps_over(g, &a, (Fact[]){fact_const(b.bits, c + 1)}, true);
        if (less && c != bottom) return steps_over(g, &a, (Fact[]){fact_const(b.bits, c - 1)}, false);
    }
    if (is_constant(&a)) {
        int64_t c = a.s.base_value;
        if (less && c != top) return steps_over(g, (Fact[]){fact_const(a.bits, c + 1)}, &b, false);
        if (!less && c != bottom) return steps_over(g, (Fact[]){fact_const(a.bits, c - 1)}, &b, true);
    }
    return false;
}

Fact arith_icmp(const Group *g, LLVMIntPredicate p, Fact a, Fact b) {
    if (a.s.bottom || b.s.bottom) return fact_bottom();
    Fact r = opaque2(g, 0, a, b);
    if (!a.bits || !fact_scalar(g, &a) || !fact_scalar(g, &b)) return r;
    Fact d = arith_sub(g, a, b, (Flags){0});
    bool equality = p == LLVMIntEQ || p == LLVMIntNE, sign = p >= LLVMIntSGT;
    bool exact = equality || min_exact(sign ? a.sx : a.ux, sign ? b.sx : b.ux) == EXACT_BLOCK;
    if (fact_zero_coefs(&d) && exact) {
        Fact u = fact_uniform(0, d.s.base);
        return fact_scope(g, &u) < fact_scope(g, &r) ? u : r;
    }
    if (fact_scope(g, &r) != SCOPE_NONE) return r;
    if (equality ? fact_group_uniform(g, &d) : ordered_uniform(g, p, a, b)) r = fact_uniform(0, SCOPE_GROUP);
    return r;
}

/* A branch on poison is undefined: the compared value did not wrap, in lane 0 as in any other that runs. Where not all
** lanes run the branch, lane 0 may have wrapped alone: the comparison is that of an active lane
** (shapes_compares_first). */
Fact arith_icmp_decides(const Group *g, LLVMIntPredicate p, Fact a, Fact b, Scope runs) {
    Fact r = arith_icmp(g, p, a, b);
    if (p < LLVMIntSGT || a.s.bottom || b.s.bottom || !a.bits || !fact_scalar(g, &a) || !fact_scalar(g, &b)) return r;
    Fact d = arith_sub(g, a, b, (Flags){0});
    Exact level = min_exact(fact_active(g, &a), fact_active(g, &b));
    Scope scope = level == EXACT_BLOCK && runs <= SCOPE_BLOCK && fact_zero_coefs(&d) ? d.s.base
                  : level != EXACT_NO && fact_group_uniform(g, &d)                   ? SCOPE_GROUP
                                                                                     : SCOPE_NONE;
    return scope < fact_scope(g, &r) ? fact_uniform(0, scope) : r;
}
