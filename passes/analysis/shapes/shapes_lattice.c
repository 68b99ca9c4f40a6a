/* shapes_lattice.c: the elements of the shapes analysis: construction, normal form, join, and the queries of a single
** element. All coefficients and bases are integers modulo 2^bits, kept sign-extended. A coefficient that is uniform but
** unknown keeps its power-of-two alignment in `v`; its scope is the scope of the base (one scope for everything unknown
** in a shape). */
#include "passes/analysis/shapes/shapes_internal.h"

int64_t sign_extend(int64_t v, int bits) {
    if (bits <= 0 || bits >= 64) return v;
    return (int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits);
}
int64_t min_of(int bits) { return bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1)); }
int64_t max_of(int bits) { return bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1; }

uint32_t low_bit(int64_t v) {
    uint64_t u = (uint64_t)v & -(uint64_t)v;
    return u == 0 || u > ALIGN_MAX ? ALIGN_MAX : (uint32_t)u;
}
uint32_t align_mul(uint32_t a, uint32_t b) {
    uint64_t p = (uint64_t)a * b;
    return p > ALIGN_MAX ? ALIGN_MAX : (uint32_t)p;
}
static uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }

Coef coef_known(int64_t v) { return (Coef){COEF_KNOWN, v}; }
uint32_t coef_align(Coef c) { return c.kind == COEF_KNOWN ? low_bit(c.v) : c.kind == COEF_UNIFORM ? (uint32_t)c.v : 1; }
static bool zero(Coef c) { return c.kind == COEF_KNOWN && c.v == 0; }

Fact fact_bottom(void) { return (Fact){.s = {.bottom = true, .align = ALIGN_MAX}}; }

static Fact blank(int bits) {
    Fact f = {.bits = bits, .sx = EXACT_NO, .ux = EXACT_NO};
    f.s.align = 1;
    f.lo = bits ? min_of(bits) : INT64_MIN;
    f.hi = bits ? max_of(bits) : INT64_MAX;
    return f;
}

Fact fact_varying(int bits) {
    Fact f = blank(bits);
    f.s.x = f.s.y = f.s.z = f.s.lane = (Coef){COEF_ANY, 0};
    f.s.base = SCOPE_NONE;
    return f;
}

Fact fact_uniform(int bits, Scope scope) {
    Fact f = blank(bits);
    f.s.x = f.s.y = f.s.z = f.s.lane = coef_known(0);
    f.s.base = scope;
    f.sx = f.ux = EXACT_BLOCK;
    return f;
}

Fact fact_const(int bits, int64_t v) {
    Fact f = fact_uniform(bits, SCOPE_GRID);
    f.s.base_known = true;
    f.s.base_value = f.lo = f.hi = sign_extend(v, bits);
    f.s.align = low_bit(v);
    return f;
}

bool fact_varies(const Fact *f) { return !f->s.bottom && f->s.base == SCOPE_NONE; }

bool fact_zero_coefs(const Fact *f) { return zero(f->s.x) && zero(f->s.y) && zero(f->s.z) && zero(f->s.lane); }

static bool all_known(const Shape *s) {
    return s->x.kind == COEF_KNOWN && s->y.kind == COEF_KNOWN && s->z.kind == COEF_KNOWN && s->lane.kind == COEF_KNOWN;
}

bool fact_fixed(const Fact *f) { return f->s.base_known && all_known(&f->s); }

static bool same_id(const Group *g, int dim, Coef c) { return zero(c) || g->id_same[dim]; }

bool fact_group_uniform(const Group *g, const Fact *f) {
    if (f->s.bottom || g->width == 1) return true;
    if (f->s.base == SCOPE_NONE) return false;
    if (g->rows) return zero(f->s.x) && zero(f->s.lane);
    return same_id(g, 0, f->s.x) && same_id(g, 1, f->s.y) && same_id(g, 2, f->s.z) && zero(f->s.lane);
}

bool fact_lane_stride(const Group *g, const Fact *f, int64_t *stride) {
    *stride = 0;
    if (fact_group_uniform(g, f)) return true;
    if (f->s.base == SCOPE_NONE) return false;
    if (!g->rows && !(zero(f->s.x) && zero(f->s.y) && zero(f->s.z))) return pattern_stride(g, f, stride);
    if (f->s.x.kind != COEF_KNOWN || f->s.lane.kind != COEF_KNOWN) return false;
    *stride = sign_extend((int64_t)((uint64_t)f->s.x.v + (uint64_t)f->s.lane.v), f->bits);
    return true;
}

bool fact_scalar(const Group *g, const Fact *f) {
    if (fact_group_uniform(g, f)) return true;
    if (f->s.base == SCOPE_NONE) return f->pat && f->pat->run == g->width;
    if (g->rows || (zero(f->s.x) && zero(f->s.y) && zero(f->s.z))) return true;
    return pattern_run(g, f) == g->width;
}

Scope fact_scope(const Group *g, const Fact *f) {
    if (f->s.bottom) return SCOPE_GRID;
    if (!fact_group_uniform(g, f)) return SCOPE_NONE;
    if (!fact_zero_coefs(f)) return SCOPE_GROUP;
    return f->s.base > SCOPE_GROUP ? SCOPE_GROUP : f->s.base;
}

uint32_t fact_align_all(const Fact *f) {
    uint32_t a = f->s.align;
    if (f->s.bottom || f->s.x.kind == COEF_ANY) return a; /* varying: align is that of the value */
    a = min_u32(a, coef_align(f->s.x));
    a = min_u32(a, coef_align(f->s.y));
    a = min_u32(a, coef_align(f->s.z));
    return min_u32(a, coef_align(f->s.lane));
}

uint32_t fact_align_lane0(const Group *g, const Fact *f) {
    uint32_t a = f->s.align;
    if (!f->s.bottom && f->pat && pattern_align(f->pat) > a) return pattern_align(f->pat);
    if (f->s.bottom || f->s.base == SCOPE_NONE) return a;
    const Coef *c[3] = {&f->s.x, &f->s.y, &f->s.z};
    for (int d = 0; d < 3; d++) {
        uint32_t id = g->rows ? (d ? 1 : (uint32_t)g->width) : g->id_align[d] ? g->id_align[d] : 1;
        a = min_u32(a, align_mul(coef_align(*c[d]), id));
    }
    return min_u32(a, align_mul(coef_align(f->s.lane), g->rows ? 1 : (uint32_t)g->width));
}

static void absorb(Shape *s, Coef *c) {
    s->align = min_u32(s->align, coef_align(*c));
    if (!zero(*c)) s->base_known = false;
    *c = coef_known(0);
}

/* One normal form for equal facts: what the group cannot distinguish is merged into the base. */
void fact_normalise(const Group *g, Fact *f) {
    Shape *s = &f->s;
    if (s->bottom) return;
    if (s->x.kind == COEF_ANY || s->y.kind == COEF_ANY || s->z.kind == COEF_ANY || s->lane.kind == COEF_ANY)
        s->base = SCOPE_NONE;
    if (s->base == SCOPE_NONE) {
        /* an unknown coefficient comes only from varying facts, which have no other */
        Fact v = g->width == 1 ? fact_uniform(f->bits, SCOPE_GROUP) : fact_varying(f->bits);
        v.s.align = fact_align_all(f);
        v.lo = f->lo;
        v.hi = f->hi;
        if (g->width > 1 && f->pat && f->pat->bits == f->bits) {
            v.pat = f->pat;
            v.sx = min_exact(f->sx, EXACT_GROUP);
            v.ux = min_exact(f->ux, EXACT_GROUP);
        }
        *f = v;
        return;
    }
    f->pat = NULL;
    if (f->bits) {
        s->base_value = s->base_known ? sign_extend(s->base_value, f->bits) : 0;
        Coef *c[4] = {&s->x, &s->y, &s->z, &s->lane};
        for (int i = 0; i < 4; i++)
            if (c[i]->kind == COEF_KNOWN) c[i]->v = sign_extend(c[i]->v, f->bits);
    }
    if (s->base_known) s->align = low_bit(s->base_value);
    if (s->base_known && all_known(s)) s->base = SCOPE_GRID;
    if (s->base == SCOPE_GROUP) {
        if (g->width == 1) absorb(s, &s->x), absorb(s, &s->lane);
        if (g->width == 1 || g->rows) absorb(s, &s->y), absorb(s, &s->z);
        if (g->id_same[0]) absorb(s, &s->x);
        if (g->id_same[1]) absorb(s, &s->y);
        if (g->id_same[2]) absorb(s, &s->z);
        s->base_known = false;
        s->base_value = 0;
        if (f->sx > EXACT_GROUP) f->sx = EXACT_GROUP;
        if (f->ux > EXACT_GROUP) f->ux = EXACT_GROUP;
    }
    Exact minimum = fact_zero_coefs(f) ? EXACT_BLOCK : fact_group_uniform(g, f) ? EXACT_GROUP : EXACT_NO;
    if (f->sx < minimum) f->sx = minimum;
    if (f->ux < minimum) f->ux = minimum;
}

Fact fact_to_group(const Group *g, Fact f) {
    if (fact_zero_coefs(&f) || f.s.bottom) return f;
    f.s.base = SCOPE_GROUP;
    Coef *c[4] = {&f.s.x, &f.s.y, &f.s.z, &f.s.lane};
    for (int i = 0; i < 4; i++) absorb(&f.s, c[i]);
    fact_normalise(g, &f);
    return f;
}

/* A value of which only this is known: lane i has v0 + i * stride, align0 divides v0. */
Fact fact_lanes(const Group *g, int bits, int64_t stride, uint32_t align0) {
    Fact f = fact_uniform(bits, SCOPE_GROUP);
    stride = sign_extend(stride, bits);
    if (stride) {
        *(g->rows ? &f.s.x : &f.s.lane) = coef_known(stride);
        f.sx = f.ux = EXACT_NO;
        align0 = min_u32(align0, align_mul(low_bit(stride), (uint32_t)g->width));
    }
    f.s.align = align0;
    fact_normalise(g, &f);
    return f;
}

static bool coef_equal(Coef a, Coef b) { return a.kind == b.kind && a.v == b.v; }

static bool shape_equal(const Shape *a, const Shape *b) {
    return a->bottom == b->bottom && coef_equal(a->x, b->x) && coef_equal(a->y, b->y) && coef_equal(a->z, b->z) &&
           coef_equal(a->lane, b->lane) && a->base == b->base && a->base_known == b->base_known &&
           a->base_value == b->base_value && a->align == b->align;
}

bool fact_equal(const Fact *a, const Fact *b) {
    return shape_equal(&a->s, &b->s) && a->bits == b->bits && a->lo == b->lo && a->hi == b->hi && a->sx == b->sx &&
           a->ux == b->ux && a->active == b->active && a->symbol == b->symbol && a->pat == b->pat;
}

static Coef coef_join(Coef a, Coef b) {
    if (a.kind == COEF_ANY || b.kind == COEF_ANY) return (Coef){COEF_ANY, 0};
    if (a.kind == COEF_KNOWN && b.kind == COEF_KNOWN && a.v == b.v) return a;
    return (Coef){COEF_UNIFORM, min_u32(coef_align(a), coef_align(b))};
}

static Fact join_varying(const Group *g, const Fact *a, const Fact *b) {
    Fact r = fact_varying(a->bits);
    if (a->symbol == b->symbol) r.symbol = a->symbol;
    r.s.align = min_u32(fact_align_all(a), fact_align_all(b));
    r.lo = a->lo < b->lo ? a->lo : b->lo;
    r.hi = a->hi > b->hi ? a->hi : b->hi;
    fact_normalise(g, &r);
    return r;
}

static Fact join_patterns(const Group *g, const Fact *a, const Fact *b) {
    bool wraps = false;
    Fact r = pattern_join(g, a, b, &wraps), v = join_varying(g, a, b);
    if (fact_varies(&r) && !r.pat) return v;
    if (a->symbol == b->symbol) r.symbol = a->symbol;
    r.lo = v.lo;
    r.hi = v.hi;
    Exact sx = min_exact(a->sx, b->sx), ux = min_exact(a->ux, b->ux);
    if (!wraps && sx > r.sx) r.sx = min_exact(sx, EXACT_GROUP);
    if (!wraps && ux > r.ux) r.ux = min_exact(ux, EXACT_GROUP);
    fact_normalise(g, &r);
    return r;
}

/* One of a and b, chosen alike by all threads of `choice`. */
Fact fact_join(const Group *g, Fact a, Fact b, Scope choice) {
    if (a.s.bottom) return b;
    if (b.s.bottom) return a;
    bool same = fact_fixed(&a) && fact_fixed(&b) && a.s.base_value == b.s.base_value && coef_equal(a.s.x, b.s.x) &&
                coef_equal(a.s.y, b.s.y) && coef_equal(a.s.z, b.s.z) && coef_equal(a.s.lane, b.s.lane);
    if (a.symbol && a.symbol == b.symbol) choice = SCOPE_GRID; /* nothing is chosen */
    if (!same && (choice == SCOPE_NONE || fact_varies(&a) || fact_varies(&b)))
        return choice == SCOPE_NONE ? join_varying(g, &a, &b) : join_patterns(g, &a, &b);
    Fact r = a;
    if (a.symbol != b.symbol) r.symbol = 0;
    r.lo = a.lo < b.lo ? a.lo : b.lo;
    r.hi = a.hi > b.hi ? a.hi : b.hi;
    Exact a_active = fact_active(g, &a), b_active = fact_active(g, &b);
    r.active = a_active < b_active ? a_active : b_active;
    if (b.sx < r.sx) r.sx = b.sx;
    if (b.ux < r.ux) r.ux = b.ux;
    if (!same) {
        /* in rows, y and z can be dropped for the group where they differ */
        r.s.x = coef_join(a.s.x, b.s.x);
        r.s.y = coef_join(a.s.y, b.s.y);
        r.s.z = coef_join(a.s.z, b.s.z);
        r.s.lane = coef_join(a.s.lane, b.s.lane);
        r.s.align = min_u32(a.s.align, b.s.align);
        r.s.base_known = a.s.base_known && b.s.base_known && a.s.base_value == b.s.base_value;
        if (b.s.base > r.s.base) r.s.base = b.s.base;
        if (choice > r.s.base) r.s.base = choice;
    }
    fact_normalise(g, &r);
    return r;
}

/* The value was fixed at times that only the threads of `scope` share. */
Fact fact_degrade(const Group *g, Fact f, Scope scope) {
    if (f.s.bottom || f.symbol || fact_fixed(&f) || scope == SCOPE_GRID) return f;
    if (scope > f.s.base) f.s.base = scope;
    if (scope == SCOPE_NONE) f.pat = NULL, f.sx = f.ux = EXACT_NO;
    fact_normalise(g, &f);
    return f;
}

Exact fact_active(const Group *g, const Fact *f) {
    Exact level = f->active > f->sx ? f->active : f->sx;
    if (level == EXACT_BLOCK || fact_scope(g, f) <= SCOPE_BLOCK) return EXACT_BLOCK;
    return level == EXACT_NO && fact_group_uniform(g, f) ? EXACT_GROUP : level;
}

/* Lane 0 starts an aligned window that the last lane does not leave: no lane wraps. */
void fact_align_exact(const Group *g, Fact *f) {
    int64_t stride;
    if (f->pat || (f->bits && !g->rows && !f->s.bottom && !fact_group_uniform(g, f))) pattern_window_exact(g, f);
    if (!f->bits || !fact_lane_stride(g, f, &stride) || stride < 0) return;
    uint64_t window = fact_align_lane0(g, f), limit = (uint64_t)1 << (f->bits - 1);
    if (window > limit) window = limit;
    if ((unsigned __int128)stride * (unsigned)(g->width - 1) >= window) return;
    if (f->sx < EXACT_GROUP) f->sx = EXACT_GROUP;
    if (f->ux < EXACT_GROUP) f->ux = EXACT_GROUP;
}
