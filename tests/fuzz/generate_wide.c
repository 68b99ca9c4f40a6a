/* generate_wide.c: what code generators know many instructions for, and get wrong now and then; another part of the patterns.
**
**   wide        products and sums of bytes, shorts and ints in 32, 64 or 128 bits, each with several uses: whole, shifted, cut off, saturated,
**               averaged, compared, their bytes in another order; some as the components of a short vector
**   convert     between integers of all widths and floats, doubles and halves, whatever the value; arithmetic of halves
**   conditions  on single bits (a bool in memory, a sign), which select and store elements of several types, and whose ballot is taken
**   rare        quotients of what all threads have in common, as parts of addresses, where only some threads divide
**
** The last three are in generate_convert.c.  Arrays lie as in plain CUDA, an element for each place in the grid, and what comes out is mostly stored there. */
#include "tests/fuzz/generate.h"

const Type int_types[4] = {T_I8, T_I16, T_I32, T_I64}, real_types[3] = {T_F32, T_F64, T_F16};

/* ---- leaves ---- */

/* Of one of `n` neighbours. */
Expr *element_index(Gen *g, int n, int k) {
    static const Special ids[] = {S_PLACE, S_PLACE, S_PLACE, S_LTID, S_TID_X};
    if (n == 1) return of_special(g, ids[below(g, 5)]);
    return binary(g, B_ADD, T_I32, binary(g, B_MUL, T_I32, of_special(g, S_LTID), number(g, T_I32, n)), number(g, T_I32, k));
}

/* An array of type t in which the thread may write its own elements, or -1. */
int own_array(Gen *g, Type t) {
    for (int tries = 0; tries < 4 && !g->scope; tries++) {
        int a = find_array(g, SPACE_GLOBAL, t);
        if (a >= RESULT_ARRAYS && g->modes[a] == MODE_OWN) return a;
    }
    return -1;
}

Expr *load_own_slot(Gen *g, int array, int slot) {
    const Array *x = &g->p->arrays[array];
    Expr *e = load(g, is_short_vector(g, x) && chance(g, 70) ? E_LOAD_VECTOR : E_LOAD_OWN, array, NULL);
    e->op = slot;
    return e;
}

static Expr *edge(Gen *g, Type t) {
    static const int64_t edges[] = {0, 1, 2, 3, 7, 85, 127, 128, 200, 255, 256, 1000, 32767, 32768, 65535, 65536, 1000003, INT32_MAX,
                                    -1, -2, -128, -129, -32768, INT32_MIN};
    return number(g, t, edges[below(g, sizeof edges / sizeof *edges)]);
}

/* The same for all threads, unknown to the compiler. */
Expr *common(Gen *g, Type t) {
    Expr *e = of_special(g, t == T_I64 ? S_PARAM2 : S_PARAM1);
    e->type = t == T_I64 ? T_I64 : T_I32;
    return t < T_I32 ? cast(g, CAST_TRUNC, t, e) : e;
}

static Expr *var_or_edge(Gen *g, Type t) {
    int v = own_var(g, t);
    return v >= 0 ? of_var(g, v) : edge(g, t);
}

/* An integer of the type. */
Expr *given(Gen *g, Type t, int n, int k) {
    int in = find_array(g, SPACE_IN, t), own = own_array(g, t), kind = below(g, 100);
    if (kind < 6) return edge(g, t);
    if (kind < 14) return common(g, t);
    if (kind < 20) return var_or_edge(g, t);
    if (own >= 0 && (kind < 32 || in < 0)) return load_own_slot(g, own, k % g->p->arrays[own].slots);
    return in >= 0 ? load(g, E_LOAD_AFFINE, in, element_index(g, n, k)) : var_or_edge(g, t);
}

Expr *to_int(Gen *g, Type t, Expr *e, bool is_signed) {
    if (type_bits(e->type) == type_bits(t)) return e;
    return cast(g, type_bits(e->type) > type_bits(t) ? CAST_TRUNC : is_signed ? CAST_SEXT : CAST_ZEXT, t, e);
}

/* ---- where values go ---- */

/* For a value with several uses; perhaps it has no others. */
int passing_var(Gen *g, Type t) {
    int v = add_var(g, t, number(g, t, 0));
    g->p->vars[v].passing = chance(g, 60);
    return v;
}

static Stmt *store_own(Gen *g, int array, int slot, Expr *value) {
    Stmt *s = new_stmt(g, STMT_STORE_OWN);
    s->array = array;
    s->op = slot;
    s->e[0] = value;
    return s;
}

/* To memory if there is such an array, perhaps added to what is there; else to a variable. */
Stmt *keep_as(Gen *g, Type t, Expr *e) {
    int a = own_array(g, t), v = own_var(g, t);
    BinOp add = type_is_float(t) ? B_FADD : B_ADD;
    if (a >= 0 && (v < 0 || chance(g, 75))) {
        int slot = below(g, g->p->arrays[a].slots);
        if (chance(g, 30)) e = binary(g, add, t, load_own_slot(g, a, slot), e);
        return store_own(g, a, slot, e);
    }
    if (v < 0 || t == T_F16) return NULL;
    return assign_to(g, v, chance(g, 30) ? binary(g, add, t, of_var(g, v), e) : e);
}

static Stmt *keep(Gen *g, Expr *e, Type narrow, bool is_signed) {
    static const Type types[] = {T_I8, T_I16, T_I16, T_I32, T_I64, T_I64};
    Type t = chance(g, 30) ? narrow : types[below(g, 6)];
    return keep_as(g, t, to_int(g, t, e, is_signed));
}

Stmt **append(Stmt **end, Stmt *s) {
    for (*end = s; *end;) end = &(*end)->next;
    return end;
}

/* ---- wide ---- */

typedef struct Kind {
    Type wide, narrow;
    bool is_signed;
} Kind;

static Kind any_kind(Gen *g) {
    static const Type wide[] = {T_I64, T_I64, T_I64, T_I64, T_I32, T_I32, T_I16}, narrow[] = {T_I16, T_I16, T_I16, T_I8, T_I8, T_I32};
    Kind k = {.wide = wide[below(g, 7)], .is_signed = chance(g, 60)};
    do k.narrow = narrow[below(g, 6)];
    while (k.narrow >= k.wide);
    return k;
}

static Expr *extended(Gen *g, Kind k, int n, int i) {
    Type t = k.narrow;
    if (chance(g, 8)) t = T_I8;
    return to_int(g, k.wide, given(g, t, n, i), chance(g, 8) ? !k.is_signed : k.is_signed);
}

Expr *unary_of(Gen *g, UnOp op, Expr *a) {
    Expr *e = new_expr(g, E_UN, a->type);
    e->op = (int)op;
    e->a[0] = a;
    return e;
}

static Expr *difference(Gen *g, Expr *a, Expr *b) {
    Type t = a->type;
    if (chance(g, 50)) return unary_of(g, U_ABS, binary(g, B_SUB, t, a, b));
    Expr *c = compared(g, a, b);
    c->op = chance(g, 70) ? C_SGT : C_UGT;
    return selected(g, c, binary(g, B_SUB, t, a, b), binary(g, B_SUB, t, b, a));
}

/* Of two or four neighbours: a sum of products or of differences. */
static Expr *of_neighbours(Gen *g, Kind k, bool products) {
    int n = chance(g, 50) ? 2 : 4;
    Expr *sum = NULL;
    for (int i = 0; i < n; i++) {
        Expr *a = extended(g, k, n, i), *b = extended(g, k, n, i);
        Expr *e = products ? binary(g, B_MUL, k.wide, a, b) : difference(g, a, b);
        sum = sum ? binary(g, B_ADD, k.wide, sum, e) : e;
    }
    return sum;
}

static Expr *wide_value(Gen *g, Kind k) {
    Type t = k.wide;
    int kind = below(g, 100);
    if (kind < 7) return of_neighbours(g, k, true);
    if (kind < 12) return of_neighbours(g, k, false);
    Expr *a = extended(g, k, 1, 0), *b = extended(g, k, 1, 0);
    if (kind < 18) return binary(g, chance(g, 60) ? B_ADD : B_SUB, t, a, b);
    if (kind < 22) return difference(g, a, b);
    Expr *p = binary(g, B_MUL, t, a, kind < 26 ? a : b);
    if (kind < 32) return binary(g, B_ADD, t, p, binary(g, B_MUL, t, extended(g, k, 1, 0), extended(g, k, 1, 0)));
    if (kind < 38) return binary(g, chance(g, 50) ? B_ADD : B_SUB, t, p, extended(g, k, 1, 0));
    return p;
}

static Expr *amount(Gen *g, Type t) {
    static const int usual[] = {1, 2, 4, 7, 8, 8, 9, 12, 14, 15, 15, 16, 16, 16, 17, 18, 19, 20, 22, 24, 31, 32, 33, 40, 48, 63};
    int n = usual[below(g, sizeof usual / sizeof *usual)];
    if (chance(g, 8)) return binary(g, B_AND, t, common(g, t), number(g, t, type_bits(t) - 1));
    return number(g, t, n % (int)type_bits(t));
}

static Expr *shifted(Gen *g, Expr *x, bool is_signed) {
    return binary(g, (chance(g, 10) ? !is_signed : is_signed) ? B_ASHR : B_LSHR, x->type, x, amount(g, x->type));
}

/* Into the range of a narrower type, or one near it. */
static Expr *saturated(Gen *g, Expr *x) {
    Type t = x->type;
    int bits = chance(g, 50) ? 8 : 16;
    bool is_signed = chance(g, 50);
    int64_t top = (INT64_C(1) << (bits - is_signed)) - 1, low = is_signed ? -top - 1 : 0;
    if (t == T_I16 && bits == 16) return x;
    if (chance(g, 15)) low++;
    if (chance(g, 30)) return binary(g, chance(g, 50) ? B_UMIN : B_SMIN, t, x, number(g, t, top));
    Expr *least = number(g, t, low), *most = number(g, t, top);
    if (chance(g, 50)) return binary(g, B_SMIN, t, binary(g, B_SMAX, t, x, least), most);
    return binary(g, B_SMAX, t, binary(g, B_SMIN, t, x, most), least);
}

/* In 128 bits. */
static Expr *very_wide(Gen *g, Expr *x, Kind k) {
    Expr *e = new_expr(g, E_WIDE, T_I64);
    e->op = chance(g, 70) ? (k.is_signed ? WIDE_SIGNED_A | WIDE_SIGNED_B : WIDE_LOGICAL) : below(g, 8);
    e->bits = (uint64_t)(chance(g, 40) ? 64 : below(g, 100));
    e->a[0] = to_int(g, T_I64, chance(g, 50) ? x : given(g, k.narrow, 1, 0), k.is_signed);
    e->a[1] = to_int(g, T_I64, given(g, chance(g, 30) ? T_I64 : k.narrow, 1, 0), k.is_signed);
    if (chance(g, 30)) e->a[2] = to_int(g, T_I64, given(g, int_types[below(g, 4)], 1, 0), true);
    return e;
}

/* Each byte is one of the eight of two words: what __byte_perm does. */
static Expr *permuted(Gen *g, Expr *x) {
    Expr *both = to_int(g, T_I64, x, chance(g, 50)), *r = NULL;
    Expr *by = chance(g, 70) ? number(g, T_I64, below(g, 0x8000)) : to_int(g, T_I64, given(g, T_I16, 1, 0), false);
    for (int i = 0; i < 4; i++) {
        Expr *n = binary(g, B_AND, T_I64, binary(g, B_LSHR, T_I64, by, number(g, T_I64, 4 * i)), number(g, T_I64, 7));
        Expr *byte = binary(g, B_LSHR, T_I64, both, binary(g, B_SHL, T_I64, n, number(g, T_I64, 3)));
        byte = binary(g, B_SHL, T_I32, cast(g, CAST_TRUNC, T_I32, binary(g, B_AND, T_I64, byte, number(g, T_I64, 255))), number(g, T_I32, 8 * i));
        r = r ? binary(g, B_OR, T_I32, r, byte) : byte;
    }
    return r;
}

static Expr *funnel(Gen *g, Expr *x) {
    Expr *e = new_expr(g, E_FUNNEL, x->type);
    e->op = below(g, 2);
    e->a[0] = x;
    e->a[1] = chance(g, 40) ? x : to_int(g, x->type, given(g, T_I32, 1, 0), true);
    e->a[2] = chance(g, 70) ? amount(g, x->type) : to_int(g, x->type, given(g, T_I8, 1, 0), false);
    return e;
}

static Expr *bits_of(Gen *g, Expr *x) {
    static const UnOp ops[] = {U_BSWAP, U_BSWAP, U_POPC, U_CLZ, U_CTZ, U_REVERSE, U_ABS};
    return unary_of(g, ops[below(g, 7)], x);
}

/* (x + 1) / 2 */
static Expr *halved(Gen *g, Expr *x, Kind k) {
    Type t = x->type;
    return binary(g, k.is_signed ? B_ASHR : B_LSHR, t, binary(g, B_ADD, t, x, number(g, t, 1)), number(g, t, 1));
}

/* Something that is made of x, and of k's narrow numbers. */
static Expr *use(Gen *g, Expr *x, Kind k) {
    Type t = x->type;
    switch (below(g, 20)) {
    case 0: return x;
    case 1: return binary(g, B_XOR, t, x, shifted(g, x, k.is_signed));
    case 2: return saturated(g, x);
    case 3: case 4: return saturated(g, shifted(g, x, k.is_signed));
    case 5: return shifted(g, binary(g, B_ADD, t, x, number(g, t, INT64_C(1) << below(g, (int)type_bits(t) - 1))), k.is_signed);
    case 6: return halved(g, binary(g, B_ADD, t, x, extended(g, k, 1, 0)), k);
    case 7: return shifted(g, binary(g, B_MUL, t, x, extended(g, k, 1, 0)), k.is_signed);
    case 8: return very_wide(g, x, k);
    case 9: return difference(g, x, extended(g, k, 1, 0));
    case 10: return bits_of(g, chance(g, 50) ? x : shifted(g, x, k.is_signed));
    case 11: return funnel(g, x);
    case 12: return selected(g, compared(g, x, chance(g, 50) ? edge(g, t) : extended(g, k, 1, 0)), x, shifted(g, x, k.is_signed));
    case 13: return permuted(g, x);
    case 14: return to_int(g, T_I64, to_int(g, k.narrow, shifted(g, x, k.is_signed), true), chance(g, 50));
    default: return shifted(g, x, k.is_signed);
    }
}

/* All own elements of an array, each of its own making: as a short vector, or one by one. */
static Stmt *components(Gen *g, Kind k) {
    static const Type types[] = {T_I8, T_I8, T_I16, T_I16, T_I32};
    int a = own_array(g, types[below(g, 5)]);
    if (a < 0 || g->p->arrays[a].slots < 2) return NULL;
    const Array *x = &g->p->arrays[a];
    Expr *e[4] = {NULL}, *gain = extended(g, k, 1, 0);
    int form = below(g, 4), n = x->slots;
    for (int i = 0; i < n; i++) {
        Expr *v = form ? binary(g, B_MUL, k.wide, extended(g, k, n, i), gain) : wide_value(g, k);
        v = form == 1 ? shifted(g, v, k.is_signed) : form == 2 ? saturated(g, shifted(g, v, k.is_signed)) : use(g, v, k);
        e[i] = to_int(g, x->type, v, true);
    }
    if (!is_short_vector(g, x)) {
        Stmt *first = NULL, **end = &first;
        for (int i = 0; i < n; i++) end = append(end, store_own(g, a, i, e[i]));
        return first;
    }
    Stmt *s = new_stmt(g, STMT_STORE_PARTS);
    s->array = a;
    memcpy(s->e, e, sizeof e);
    return s;
}

/* Numbers with a point: a product, or a sum with one, and its upper part, cut off. */
static Stmt *fixed_point(Gen *g) {
    static const int upper[] = {8, 12, 14, 15, 16, 16, 17, 18, 20, 24, 30, 32, 40};
    Kind k = {chance(g, 80) ? T_I64 : T_I32, chance(g, 80) ? T_I16 : T_I8, chance(g, 80)};
    int v = passing_var(g, k.wide);
    Expr *a = extended(g, k, 1, 0), *b = chance(g, 80) ? extended(g, k, 1, 0) : to_int(g, k.wide, common(g, k.narrow), k.is_signed);
    Expr *p = binary(g, B_MUL, k.wide, a, b);
    Stmt *first = assign_to(g, v, chance(g, 85) ? p : binary(g, B_ADD, k.wide, p, extended(g, k, 1, 0))), **end = &first->next;
    if (chance(g, 80)) end = append(end, keep_as(g, k.wide, chance(g, 80) ? of_var(g, v) : to_int(g, k.wide, use(g, of_var(g, v), k), k.is_signed)));
    for (int i = 1 + below(g, 2); i; i--) {
        Expr *by = number(g, k.wide, upper[below(g, 13)] % (int)type_bits(k.wide));
        Expr *part = binary(g, chance(g, 80) ? B_ASHR : B_LSHR, k.wide, of_var(g, v), by);
        Type t = chance(g, 80) ? T_I16 : int_types[below(g, 4)];
        end = append(end, keep_as(g, t, to_int(g, t, chance(g, 85) ? part : saturated(g, part), k.is_signed)));
    }
    return first;
}

/* v = a product; several uses of it. */
static Stmt *wide(Gen *g) {
    Kind k = any_kind(g);
    if (chance(g, 30)) return fixed_point(g);
    if (chance(g, 15)) return components(g, k);
    bool loop = chance(g, 12);
    int v = passing_var(g, k.wide);
    Stmt *first = assign_to(g, v, wide_value(g, k)), **end = &first->next;
    if (loop) {
        Stmt *s = counted(g, 1 + below(g, 7), g->uniform);
        s->body[0] = first;
        Expr *x = first->e[0];
        if (chance(g, 50)) x = binary(g, B_MUL, k.wide, x, to_int(g, k.wide, of_var(g, s->var), true));
        first->e[0] = binary(g, B_ADD, k.wide, of_var(g, v), x);
        first = s;
        end = &s->next;
    }
    for (int i = 2 + below(g, 4); i; i--) end = append(end, keep(g, use(g, of_var(g, v), k), k.narrow, k.is_signed));
    return first;
}

/* ---- choice ---- */

static void add_input(Gen *g, Type t) {
    if (find_array(g, SPACE_IN, t) < 0) add_array(g, SPACE_IN, t, 1, MAP_PACKED);
}

static void add_outputs(Gen *g, const Type *types, int n, int count) {
    for (int i = 0; i < count; i++) {
        Map map = chance(g, 90) ? MAP_PACKED : (Map)below(g, MAP_COUNT);
        Array *x = add_array(g, SPACE_GLOBAL, types[below(g, n)], chance(g, 50) ? 1 : 2 << below(g, 2), map);
        x->whole = chance(g, 75);
    }
}

void add_wide_arrays(Gen *g) {
    static const Type narrow[] = {T_I8, T_I16, T_I16, T_I32}, whole[] = {T_I64, T_I64, T_I32};
    static const Type any[] = {T_F16, T_F16, T_F32, T_F64, T_I64, T_I32, T_I8, T_I16};
    static const Type chosen[] = {T_I32, T_I32, T_F32, T_F64, T_I8, T_I64};
    unsigned f = g->p->features;
    if (f & (FEATURE_WIDE | FEATURE_CONDITIONS)) add_input(g, T_I8), add_input(g, T_I16);
    if (f & FEATURE_WIDE) add_outputs(g, narrow, 4, 1 + below(g, 2)), add_outputs(g, whole, 3, 1);
    if (f & FEATURE_CONVERT) {
        for (int i = 0; i < 3; i++) add_input(g, real_types[i]);
        add_outputs(g, any, 8, 2);
    }
    if (f & FEATURE_CONDITIONS) add_outputs(g, chosen, 6, 2);
    if (f & FEATURE_RARE) add_outputs(g, chosen, 2, 1);
}

Stmt *wide_statement(Gen *g, unsigned feature) {
    return feature == FEATURE_WIDE ? wide(g) : feature == FEATURE_CONVERT ? convert(g) : feature == FEATURE_CONDITIONS ? conditions(g) : rare(g);
}
