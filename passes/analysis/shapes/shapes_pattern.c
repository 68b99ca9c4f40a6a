/* shapes_pattern.c: lane patterns of the shapes analysis: the differences between lanes, lane by lane.
**
** Values like t ^ 4, t & 7 or threadIdx.y of a block of 8 x 8 are no multiple of the lane, but their lanes differ by
** compile-time constants. Lanes come in aligned runs (a power of two of them, the whole group at best); in each run,
** lane i has the value of the run's first lane plus off[i]. An unknown factor (a pitch) keeps that for shorter runs:
** rows of a tile. The first lanes of all runs are `low` modulo 2^k: bit operations and divisions need that, and it
** proves that no lane wraps. Affine facts are read as patterns (read_lanes) and patterns that turn out to be affine
** become affine facts again, so both are only known to this file. */
#include "passes/analysis/shapes/shapes_internal.h"
#include <string.h>

enum { BUCKETS = 256, K_MAX = 30 };

struct Patterns {
    Arena *a;
    const Pattern *bucket[BUCKETS];
};

Patterns *patterns_new(Arena *a) {
    Patterns *p = arena_alloc(a, sizeof *p);
    p->a = a;
    return p;
}

static int log2_of(uint32_t align) {
    int k = 31 - __builtin_clz(align);
    return k > K_MAX ? K_MAX : k;
}
static int64_t low_mask(int k) { return (INT64_C(1) << k) - 1; }
static int64_t wrapping_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

/* ---- threads ---- */

/* Ids of the lanes of a group of consecutive linear ids: x, then y, then z fill the group.  Each is a
** pattern if the group is made of whole lines of the dimensions below it, or lies in one line. */
void group_set_ids(Group *g) {
    int64_t rows = g->width; /* how many values the ids of this dimension and above take */
    for (int d = 0; d < 3; d++) g->id_known[d] = g->id_same[d] = false, g->id_align[d] = 1;
    if (g->width > LANES_MAX) return;
    for (int d = 0; d < 3; d++) {
        int64_t n = d == 2 || (d == 1 && g->block[2] == 1) ? 0 : g->block[d];
        bool last = d == 2 || (d == 1 && g->block[2] == 1);
        bool inside = last || rows == 1 || (n && n % rows == 0), whole = n && rows % n == 0;
        if (!inside && !whole) return;
        int64_t step = g->width / rows; /* lanes that share a value */
        for (int i = 0; i < g->width; i++) g->id[d][i] = inside ? i / step : i / step % n;
        g->id_known[d] = true;
        g->id_same[d] = rows == 1;
        g->id_align[d] = inside ? (uint32_t)rows : ALIGN_MAX;
        rows = inside ? 1 : rows / n;
    }
}

/* ---- patterns ---- */

/* False if an inactive first lane of a shorter run might be out of the range that active lanes and the first lane of
** the longer run are in. */
static bool shrink(const Group *g, Lanes *l, int run) {
    int64_t low = l->low;
    bool between = !l->wraps;
    for (int f = 0; f < g->width; f += run) {
        int64_t first = l->off[f], here = wrapping_add(l->low, first);
        while (l->k && ((here ^ low) & low_mask(l->k))) l->k--;
        for (int i = f; i < f + run; i++) {
            if (first > 0 ? l->off[i] < first : l->off[i] > first) between &= first == 0;
            __int128 d = (__int128)l->off[i] - first;
            if (d < min_of(l->bits) || d > max_of(l->bits)) l->wraps = true;
            l->off[i] = sign_extend((int64_t)d, l->bits);
        }
    }
    l->run = run;
    l->low = low & low_mask(l->k);
    return between;
}

/* Reads any fact as a pattern; false if it is none. */
bool read_lanes(const Group *g, const Fact *f, Lanes *l) {
    if (f->s.bottom || !f->bits || g->width == 1 || g->width > LANES_MAX) return false;
    *l = (Lanes){.run = g->width, .bits = f->bits};
    if (f->s.base == SCOPE_NONE) {
        if (!f->pat) return false;
        l->run = f->pat->run;
        l->loose = f->pat->loose;
        l->k = f->pat->k;
        l->low = f->pat->low;
        memcpy(l->off, f->pat->off, (size_t)g->width * sizeof *l->off);
        return true;
    }
    const Coef c[4] = {f->s.x, f->s.y, f->s.z, f->s.lane};
    uint32_t align = f->s.base_known ? ALIGN_MAX : f->s.align;
    for (int d = 0; d < 4; d++) {
        if (c[d].kind == COEF_KNOWN && !c[d].v) continue;
        bool linear = g->rows ? d == 0 || d == 3 : d == 3, constant = g->rows && !linear;
        if (!linear && !constant && !g->id_known[d]) return false;
        uint32_t id_align = d == 3    ? (g->rows ? 1 : (uint32_t)g->width)
                            : g->rows ? (d == 0 ? (uint32_t)g->width : 1)
                                      : g->id_align[d];
        uint32_t a = align_mul(coef_align(c[d]), id_align);
        if (a < align) align = a;
        for (int i = 0; i < g->width && !constant; i++) {
            int64_t id = linear ? i : g->id[d][i];
            if (c[d].kind != COEF_KNOWN) {
                int first = i & ~(l->run - 1);
                while (l->run > 1 && id != (linear ? first : g->id[d][first])) {
                    l->run /= 2;
                    first = i & ~(l->run - 1);
                }
                continue;
            }
            __int128 v = (__int128)l->off[i] + (__int128)c[d].v * id;
            if (v < min_of(f->bits) || v > max_of(f->bits)) l->wraps = true;
            l->off[i] = sign_extend((int64_t)v, f->bits);
        }
    }
    l->k = log2_of(align) < f->bits ? log2_of(align) : f->bits;
    l->low = f->s.base_known ? f->s.base_value & low_mask(l->k) : 0;
    if (l->run < g->width) {
        int run = l->run;
        l->run = g->width;
        l->k = 0; /* an unknown coefficient: nothing is known of other runs' first lanes */
        l->low = 0;
        if (run > 1) shrink(g, l, run);
        l->run = run;
    }
    return l->run > 1;
}

static const Pattern *intern_pattern(const Group *g, const Lanes *l) {
    uint64_t h = (uint64_t)l->run * 31 + (uint64_t)l->k * 7 + (uint64_t)l->low;
    for (int i = 0; i < g->width; i++) h = (h ^ (uint64_t)l->off[i]) * UINT64_C(0x9e3779b97f4a7c15);
    const Pattern **b = &g->patterns->bucket[(h >> 40) % BUCKETS];
    size_t bytes = (size_t)g->width * sizeof *l->off;
    for (const Pattern *p = *b; p; p = p->next)
        if (p->run == l->run && p->k == l->k && p->low == l->low && p->loose == l->loose && p->bits == l->bits &&
            !memcmp(p->off, l->off, bytes))
            return p;
    Pattern *p = arena_alloc(g->patterns->a, sizeof *p + bytes);
    *p = (Pattern){.next = *b, .bits = l->bits, .run = l->run, .k = l->k, .loose = l->loose, .low = l->low};
    memcpy(p->off, l->off, bytes);
    return *b = p;
}

static bool is_affine_pattern(const Group *g, const Lanes *l, int64_t *stride) {
    *stride = l->off[1];
    for (int i = 1; i < g->width && l->run == g->width; i++)
        if (l->off[i] != sign_extend((int64_t)((uint64_t)*stride * (uint64_t)i), l->bits)) return false;
    return l->run == g->width;
}

static bool all_zero(const Group *g, const Lanes *l) {
    for (int i = 0; i < g->width; i++)
        if (l->off[i]) return false;
    return true;
}

/* All lanes of a run are in one aligned window of 2^k values: none wraps. */
static bool fits_window(const Group *g, const Lanes *l, int k) {
    int64_t low = l->low & low_mask(k);
    for (int i = 0; i < g->width; i++)
        if (low + l->off[i] < 0 || low + l->off[i] > low_mask(k)) return false;
    return true;
}

Fact lanes_fact(const Group *g, const Lanes *l) {
    int64_t stride;
    int k = l->k < l->bits - 1 ? l->k : l->bits - 1;
    bool exact = all_zero(g, l) || fits_window(g, l, k);
    if (is_affine_pattern(g, l, &stride)) {
        Fact a = fact_lanes(g, l->bits, stride, l->low ? low_bit(l->low) : UINT32_C(1) << l->k);
        if (exact && a.sx < EXACT_GROUP) a.sx = EXACT_GROUP;
        if (exact && a.ux < EXACT_GROUP) a.ux = EXACT_GROUP;
        return a;
    }
    Fact f = fact_varying(l->bits);
    f.pat = intern_pattern(g, l);
    for (int i = 0; i < g->width; i++) {
        uint32_t a = low_bit(wrapping_add(l->low, l->off[i]) | (INT64_C(1) << l->k));
        if (i == 0 || a < f.s.align) f.s.align = a;
    }
    if (exact) f.sx = f.ux = EXACT_GROUP;
    return f;
}

/* ---- queries ---- */

/* 1: in no run is a lane below the first, -1: none is above. */
int pattern_sign(const Group *g, const Fact *f) {
    Lanes l;
    if (!read_lanes(g, f, &l) || l.wraps) return 0;
    bool plus = false, minus = false;
    for (int i = 0; i < g->width; i++) plus |= l.off[i] > 0, minus |= l.off[i] < 0;
    return plus && minus ? 0 : minus ? -1 : 1;
}

/* The value is the same in all lanes of each run: any extension is. */
bool pattern_constant(const Group *g, const Fact *f) {
    Lanes l;
    return read_lanes(g, f, &l) && all_zero(g, &l);
}

bool pattern_stride(const Group *g, const Fact *f, int64_t *stride) {
    Lanes l;
    return read_lanes(g, f, &l) && !l.wraps && is_affine_pattern(g, &l, stride);
}

int pattern_run(const Group *g, const Fact *f) {
    Lanes l;
    return read_lanes(g, f, &l) ? l.run : 0;
}

void pattern_window_exact(const Group *g, Fact *f) {
    Lanes l;
    if (!read_lanes(g, f, &l) || l.wraps) return;
    int k = l.k < f->bits - 1 ? l.k : f->bits - 1;
    if (!all_zero(g, &l) && !fits_window(g, &l, k)) return;
    if (f->sx < EXACT_GROUP) f->sx = EXACT_GROUP;
    if (f->ux < EXACT_GROUP) f->ux = EXACT_GROUP;
}

uint32_t pattern_align(const Pattern *p) { return p->low ? low_bit(p->low) : UINT32_C(1) << p->k; }

/* ---- rules ---- */

static bool common_runs(const Group *g, Lanes *a, Lanes *b) {
    if (a->run > b->run && !shrink(g, a, b->run)) return false;
    if (b->run > a->run && !shrink(g, b, a->run)) return false;
    if (a->k > b->k) a->k = b->k;
    b->k = a->k;
    a->low &= low_mask(a->k);
    b->low &= low_mask(b->k);
    return true;
}

static bool read_both(const Group *g, const Fact *a, const Fact *b, Lanes *la, Lanes *lb) {
    if (!g->patterns || !read_lanes(g, a, la) || !read_lanes(g, b, lb)) return false;
    la->loose |= lb->loose;
    return common_runs(g, la, lb);
}

/* a + sign*b; *wraps: exactness of the operands is not that of the result. Varying if no pattern. */
Fact pattern_sum(const Group *g, const Fact *a, const Fact *b, int sign, bool *wraps) {
    Lanes l, r;
    if (!read_both(g, a, b, &l, &r)) return fact_varying(a->bits);
    *wraps |= l.wraps || r.wraps;
    for (int i = 0; i < g->width; i++) {
        __int128 v = (__int128)l.off[i] + sign * (__int128)r.off[i];
        if (v < min_of(a->bits) || v > max_of(a->bits)) *wraps = true;
        l.off[i] = sign_extend((int64_t)v, a->bits);
    }
    l.low = wrapping_add(l.low, sign * r.low) & low_mask(l.k);
    return lanes_fact(g, &l);
}

/* a * u, u uniform for the group.  An unknown u leaves the runs in which a is constant. */
Fact pattern_scale(const Group *g, const Fact *a, const Fact *u, bool *wraps) {
    Lanes l;
    if (!g->patterns || !read_lanes(g, a, &l)) return fact_varying(a->bits);
    *wraps |= l.wraps;
    if (fact_fixed(u) && fact_zero_coefs(u)) {
        int64_t c = u->s.base_value;
        for (int i = 0; i < g->width; i++) {
            __int128 v = (__int128)l.off[i] * c;
            if (v < min_of(a->bits) || v > max_of(a->bits)) *wraps = true;
            l.off[i] = sign_extend((int64_t)v, a->bits);
        }
        l.k = log2_of(align_mul(UINT32_C(1) << l.k, low_bit(c)));
        if (l.k > l.bits) l.k = l.bits;
        l.low = (int64_t)((uint64_t)l.low * (uint64_t)c) & low_mask(l.k);
        return lanes_fact(g, &l);
    }
    int run = l.run;
    for (int i = 0; i < g->width; i++)
        while (run > 1 && l.off[i] != l.off[i & ~(run - 1)]) run /= 2;
    if (run < 2) return fact_varying(a->bits);
    if (run < l.run && !shrink(g, &l, run)) return fact_varying(a->bits);
    uint32_t align = l.low ? low_bit(l.low) : UINT32_C(1) << l.k;
    l.k = log2_of(align_mul(align, fact_align_lane0(g, u)));
    if (l.k > l.bits) l.k = l.bits;
    l.low = 0;
    return lanes_fact(g, &l);
}

static int64_t apply_bitwise(LLVMOpcode op, int64_t a, int64_t b) {
    switch (op) {
    case LLVMAnd: return a & b;
    case LLVMOr: return a | b;
    case LLVMXor: return a ^ b;
    default: return a >> b;
    }
}

/* The lanes are H + low + off[i] with 2^k dividing H and the rest below 2^k: the operation acts on both parts
** separately. b: any pattern, or the constant of a shift. */
Fact pattern_bits(const Group *g, LLVMOpcode op, const Fact *a, const Fact *b) {
    Lanes l, r;
    bool shift = op == LLVMLShr || op == LLVMAShr;
    if (!read_both(g, a, b, &l, &r)) return fact_varying(a->bits);
    if (shift && (!read_lanes(g, a, &l) || !fact_fixed(b) || !fact_zero_coefs(b))) return fact_varying(a->bits);
    if (l.k > a->bits - 1) l.k = a->bits - 1;
    l.low &= low_mask(l.k);
    r.low &= low_mask(l.k);
    int64_t m = b->s.base_value, low = apply_bitwise(op, l.low, shift ? m : r.low);
    bool rest = op == LLVMAnd && fact_fixed(b) && fact_zero_coefs(b) && m >= 0 && m <= low_mask(l.k);
    if (rest) /* only values modulo 2^k matter */
        for (int i = 0; i < g->width; i++) l.off[i] = (wrapping_add(l.low, l.off[i]) & low_mask(l.k)) - l.low;
    if (!fits_window(g, &l, l.k) || (!shift && !fits_window(g, &r, l.k))) return fact_varying(a->bits);
    for (int i = 0; i < g->width; i++)
        l.off[i] = apply_bitwise(op, l.low + l.off[i], shift ? m : r.low + r.off[i]) - low;
    if (shift) l.k = l.k > m ? l.k - (int)m : 0;
    else if (rest) l.k = l.bits < K_MAX ? l.bits : K_MAX; /* nothing of H is left */
    l.low = low & low_mask(l.k);
    return lanes_fact(g, &l);
}

/* Unsigned division by c, a multiple of a power of two that no run crosses. */
Fact pattern_divide(const Group *g, const Fact *a, int64_t c, bool rem) {
    Lanes l;
    if (!g->patterns || !read_lanes(g, a, &l)) return fact_varying(a->bits);
    int k = log2_of(low_bit(c));
    if (k > l.k) k = l.k;
    if (k > a->bits - 1) k = a->bits - 1;
    if (!fits_window(g, &l, k)) return fact_varying(a->bits);
    if (!rem) {
        memset(l.off, 0, sizeof l.off);
        l.k = 0;
    } else if (l.k > log2_of(low_bit(c))) {
        l.k = log2_of(low_bit(c));
    }
    l.low &= low_mask(l.k);
    return lanes_fact(g, &l);
}

/* The extension of values whose active lanes alone are known not to wrap against each other. With runs of all lanes the
** code generator takes the first lane's form from an active one. */
Fact pattern_extend_active(const Group *g, const Fact *a, int bits) {
    Lanes l;
    if (!g->patterns || !read_lanes(g, a, &l) || l.wraps) return fact_varying(bits);
    int64_t reach = 0;
    for (int i = 0; i < g->width; i++) {
        int64_t off = l.off[i] < 0 ? -l.off[i] : l.off[i];
        if (off > reach) reach = off;
    }
    if (reach >= (int64_t)1 << (a->bits - 2)) return fact_varying(bits);
    l.bits = bits;
    l.loose |= l.run < g->width;
    Fact r = lanes_fact(g, &l);
    r.lo = a->lo - reach;
    r.hi = a->hi + reach;
    r.sx = EXACT_GROUP;
    r.ux = r.lo >= 0 ? EXACT_GROUP : EXACT_NO;
    fact_normalise(g, &r);
    return r;
}

/* The same lanes in another width, for values whose lanes do not wrap (sext, zext) or modulo 2^bits (trunc: *wraps:
** offsets changed). */
Fact pattern_resize(const Group *g, const Fact *a, int bits, bool *wraps) {
    Lanes l;
    if (!g->patterns || !read_lanes(g, a, &l)) return fact_varying(bits);
    *wraps |= l.wraps;
    if (bits > l.bits && l.wraps) return fact_varying(bits);
    l.bits = bits;
    if (l.k > bits) l.k = bits;
    l.low &= low_mask(l.k);
    for (int i = 0; i < g->width; i++) {
        int64_t v = sign_extend(l.off[i], bits);
        if (v != l.off[i]) *wraps = true;
        l.off[i] = v;
    }
    return lanes_fact(g, &l);
}

/* One of a and b, the same for the whole group: what both have in common. */
Fact pattern_join(const Group *g, const Fact *a, const Fact *b, bool *wraps) {
    Lanes l, r;
    if (!read_both(g, a, b, &l, &r)) return fact_varying(a->bits);
    *wraps |= l.wraps || r.wraps;
    int run = l.run;
    while (run > 1) {
        bool same = true;
        for (int i = 0; i < g->width && same; i++) {
            int f = i & ~(run - 1);
            same = sign_extend(wrapping_add(l.off[i], -l.off[f]), l.bits) ==
                   sign_extend(wrapping_add(r.off[i], -r.off[f]), l.bits);
        }
        if (same) break;
        run /= 2;
    }
    if (run < 2) return fact_varying(a->bits);
    if (run < l.run && (!shrink(g, &l, run) || !shrink(g, &r, run))) return fact_varying(a->bits);
    if (l.k > r.k) l.k = r.k;
    while (l.k && ((l.low ^ r.low) & low_mask(l.k))) l.k--;
    l.low &= low_mask(l.k);
    *wraps |= l.wraps || r.wraps;
    return lanes_fact(g, &l);
}

/* A scalar pattern whose value is computed as a vector: in the first lanes of its runs only. */
Fact pattern_halve(const Group *g, const Fact *a) {
    Lanes l;
    if (!g->patterns || !read_lanes(g, a, &l) || l.run != g->width || g->width < 4) return fact_varying(a->bits);
    if (!shrink(g, &l, g->width / 2)) return fact_varying(a->bits);
    return lanes_fact(g, &l);
}
