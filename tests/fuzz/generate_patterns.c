/* generate_patterns.c: what single passes look for, and chance rarely makes.
**
**   products   loops that add up products of elements of two matrices, whose rows and columns are ids, or parts of an id (x / 8, x % 8):
**              blocks seen otherwise (reshape_block), lanes that share what they load
**   picks      loops with a constant number of passes that go through small local arrays and tables of constants (unroll_arrays)
**   bytes      the arithmetic of C on bytes and shorts, in 32 bits or cut to 16 on the way: minima, differences, products, shifts,
**              comparisons, sums in loops (narrow_values)
**   far        loads at 64-bit sums of an index of 32 or 16 bits that wraps among the lanes, behind a range test (widen_extended)
**
** Half of the programs with such have little else: passes that look at the whole kernel see what they want only there. */
#include "tests/fuzz/generate.h"

enum { MOST_TRIPS = 7 };

Expr *number(Gen *g, Type t, int64_t v) {
    Expr *e = new_expr(g, E_CONST, t);
    e->bits = type_bits(t) < 64 ? (uint64_t)v & ((UINT64_C(1) << type_bits(t)) - 1) : (uint64_t)v;
    return e;
}

Expr *of_special(Gen *g, Special s) {
    Expr *e = new_expr(g, E_SPECIAL, T_I32);
    e->index = (int)s;
    return e;
}

Expr *of_var(Gen *g, int v) {
    Expr *e = new_expr(g, E_VAR, g->p->vars[v].type);
    e->index = v;
    return e;
}

int find_array(Gen *g, Space space, Type t) {
    int start = below(g, g->p->narrays);
    for (int k = 0; k < g->p->narrays; k++) {
        int i = (start + k) % g->p->narrays;
        if (g->p->arrays[i].space == space && (t == T_COUNT || g->p->arrays[i].type == t)) return i;
    }
    return -1;
}

Stmt *assign_to(Gen *g, int v, Expr *value) {
    Stmt *s = new_stmt(g, STMT_ASSIGN);
    s->var = v;
    s->e[0] = value;
    return s;
}

/* for (var = 0; var < trips; var++) body: the caller puts the body in. */
Stmt *counted(Gen *g, int trips, bool uniform) {
    Stmt *s = new_stmt(g, STMT_FOR);
    s->op = trips > MOST_TRIPS ? 15 : 7;
    s->e[0] = number(g, T_I32, trips);
    s->var = add_counter(g, uniform);
    return s;
}

/* ---- products ---- */

/* An id, or a part of one: *most is the greatest value of it. */
static Expr *part(Gen *g, int *most) {
    static const Special ids[] = {S_TID_X, S_TID_X, S_TID_Y, S_LTID};
    if (g->tile && chance(g, 70)) {
        bool quotient = chance(g, 50);
        *most = quotient ? 255 >> g->tile : (1 << g->tile) - 1;
        return binary(g, quotient ? B_LSHR : B_AND, T_I32, of_special(g, S_TID_X), number(g, T_I32, quotient ? g->tile : *most));
    }
    Special s = ids[below(g, 4)];
    int n = s == S_TID_Y ? 127 : 255, c = 1 + below(g, 5);
    Expr *id = of_special(g, s);
    switch (below(g, 5)) {
    case 0: *most = n >> c; return binary(g, B_LSHR, T_I32, id, number(g, T_I32, c));
    case 1: *most = (1 << c) - 1; return binary(g, B_AND, T_I32, id, number(g, T_I32, *most));
    case 2:
        if (calm(g)) break;
        *most = n / (2 * c);
        return binary(g, B_UDIV, T_I32, id, number(g, T_I32, 2 * c));
    default: break;
    }
    *most = n;
    return id;
}

/* row * pitch + column + something of the counter, below IN_ELEMS. */
static Expr *matrix_index(Gen *g, int counter) {
    int row, column = 0, k = 1 + below(g, 8), pitch = 1 + below(g, 3);
    Expr *i = part(g, &row), *by = number(g, T_I32, pitch);
    if (chance(g, 40)) by = of_special(g, S_PARAM0), pitch = 3;
    i = binary(g, B_MUL, T_I32, i, by);
    if (chance(g, 70)) {
        Expr *c = part(g, &column);
        if (row * pitch + column < IN_ELEMS - 100) i = binary(g, B_ADD, T_I32, i, c);
        else column = 0;
    }
    int left = IN_ELEMS - 1 - row * pitch - column;
    if (k * MOST_TRIPS < left) {
        i = binary(g, B_ADD, T_I32, i, binary(g, B_MUL, T_I32, of_var(g, counter), number(g, T_I32, k)));
        left -= k * MOST_TRIPS;
    }
    return chance(g, 30) ? binary(g, B_ADD, T_I32, i, number(g, T_I32, below(g, left))) : i;
}

static Expr *matrix_element(Gen *g, Type t, int counter) {
    int a = find_array(g, SPACE_IN, t);
    return a < 0 ? constant(g, t) : load(g, E_LOAD_AFFINE, a, matrix_index(g, counter));
}

int own_var(Gen *g, Type t) {
    for (int tries = 0; tries < 20; tries++) {
        int v = assignable(g, false);
        if (v >= 0 && g->p->vars[v].type == t) return v;
    }
    return -1;
}

static Stmt *products(Gen *g) {
    static const Type types[] = {T_F32, T_I32, T_I32, T_I64, T_F64};
    Type t = g->tile && chance(g, 80) ? T_I32 : types[below(g, 5)]; /* that load more than they compute */
    int v = own_var(g, t);
    if (v < 0) return NULL;
    bool uniform = g->uniform, real = type_is_float(t);
    Stmt *s = counted(g, 1 + below(g, MOST_TRIPS), uniform);
    if (g->tile || chance(g, 50)) s->e[0] = of_special(g, S_PARAM1);
    g->uniform = false;
    Expr *x = matrix_element(g, t, s->var), *sum;
    if (chance(g, 70)) x = binary(g, real ? B_FMUL : B_MUL, t, x, matrix_element(g, t, s->var));
    sum = binary(g, real ? B_FADD : chance(g, 50) ? B_ADD : B_XOR, t, of_var(g, v), x);
    s->body[0] = assign_to(g, v, sum);
    g->uniform = uniform;
    return s;
}

/* ---- picks ---- */

/* Made of counters and constants. */
static Expr *picked(Gen *g, int outer, int inner) {
    Expr *i = of_var(g, inner);
    if (chance(g, 30)) i = binary(g, B_MUL, T_I32, i, number(g, T_I32, 1 + below(g, 5)));
    if (outer >= 0 && chance(g, 60)) i = binary(g, chance(g, 80) ? B_ADD : B_XOR, T_I32, i, of_var(g, outer));
    if (chance(g, 30)) i = binary(g, chance(g, 50) ? B_ADD : B_SUB, T_I32, i, number(g, T_I32, below(g, 9)));
    return i;
}

static Expr *converted(Gen *g, Type t, Expr *e) {
    if (e->type == t) return e;
    if (type_is_float(t)) return cast(g, !type_is_float(e->type) ? CAST_SITOFP : type_bits(t) > type_bits(e->type) ? CAST_FPEXT : CAST_FPTRUNC, t, e);
    if (type_is_float(e->type)) return constant(g, t);
    return cast(g, type_bits(e->type) > type_bits(t) ? CAST_TRUNC : CAST_SEXT, t, e);
}

/* An element of a small array or table, or of memory where such an element says. */
static Expr *pick(Gen *g, int outer, int inner) {
    int table = find_array(g, SPACE_TABLE, T_COUNT), local = find_array(g, SPACE_LOCAL, T_COUNT), in = find_array(g, SPACE_IN, T_COUNT);
    int a = (chance(g, 50) && table >= 0) || local < 0 || g->scope ? table : local;
    if (a < 0) return constant(g, T_I32);
    Expr *e = load(g, E_LOAD_MASKED, a, picked(g, outer, inner));
    if (type_is_float(e->type) || in < 0 || chance(g, 60)) return e;
    return load(g, E_LOAD_MASKED, in, binary(g, B_ADD, T_I32, of_special(g, S_LTID), converted(g, T_I32, e)));
}

static Stmt *pick_statement(Gen *g, int outer, int inner) {
    int local = find_array(g, SPACE_LOCAL, T_COUNT), v = assignable(g, false);
    if (local >= 0 && !g->scope && (v < 0 || chance(g, 45))) {
        Stmt *s = new_stmt(g, STMT_STORE_LOCAL);
        s->array = local;
        s->e[0] = converted(g, g->p->arrays[local].type, chance(g, 70) ? pick(g, outer, inner) : expr(g, g->p->arrays[local].type, 2, false));
        s->e[1] = picked(g, outer, inner);
        return s;
    }
    if (v < 0) return NULL;
    Type t = g->p->vars[v].type;
    if (t == T_BOOL) return NULL;
    Expr *x = converted(g, t, pick(g, outer, inner));
    return assign_to(g, v, binary(g, type_is_float(t) ? B_FADD : chance(g, 70) ? B_ADD : B_XOR, t, of_var(g, v), x));
}

static Stmt *picks(Gen *g) {
    bool uniform = g->uniform;
    if (g->p->nvars > MAX_VARS - 4) return NULL;
    bool nested = chance(g, 60); /* what LLVM does not unroll: it takes all that is small */
    Stmt *first = counted(g, 2 + below(g, nested ? 8 : 14), uniform), *in = first;
    int outer = -1;
    if (nested) {
        outer = first->var;
        in = first->body[0] = counted(g, 4 + below(g, 12), uniform);
    }
    g->uniform = false;
    Stmt **end = &in->body[0];
    for (int i = 1 + below(g, 3); i; i--) {
        Stmt *s = pick_statement(g, outer, in->var);
        if (!s) continue;
        if (!calm(g) && chance(g, 20)) {
            Stmt *test = new_stmt(g, STMT_IF);
            test->e[0] = expr(g, T_BOOL, 2, false);
            test->body[0] = s;
            s = test;
        }
        *end = s;
        end = &s->next;
    }
    g->uniform = uniform;
    return first;
}

/* ---- bytes ---- */

static Expr *byte_expr(Gen *g, int depth);

/* A byte or short of memory, extended. */
static Expr *byte_leaf(Gen *g) {
    static const int64_t edges[] = {0, 1, 2, 3, 7, 8, 16, 100, 127, 128, 200, 255, 256, 257, 1000, 32767, 65535, -1, -3, -128};
    int a = find_array(g, SPACE_IN, chance(g, 70) ? T_I8 : T_I16);
    if (a < 0 || chance(g, 20)) return number(g, T_I32, edges[below(g, sizeof edges / sizeof *edges)]);
    Expr *i = of_special(g, chance(g, 80) ? S_LTID : S_TID_X);
    if (chance(g, 40)) i = binary(g, B_ADD, T_I32, i, number(g, T_I32, below(g, 300)));
    return cast(g, chance(g, 65) ? CAST_ZEXT : CAST_SEXT, T_I32, load(g, E_LOAD_AFFINE, a, i));
}

Expr *compared(Gen *g, Expr *a, Expr *b) {
    Expr *e = new_expr(g, E_CMP, T_BOOL);
    e->op = below(g, type_is_float(a->type) ? C_SGE + 1 : C_COUNT);
    e->a[0] = a;
    e->a[1] = b;
    return e;
}

Expr *selected(Gen *g, Expr *c, Expr *a, Expr *b) {
    Expr *e = new_expr(g, E_SELECT, a->type);
    e->a[0] = c, e->a[1] = a, e->a[2] = b;
    return e;
}

/* |a - b|, min(a + b, 255), max(a - b, 0), (a * p + b * (255 - p)) / 255 and their like. */
static Expr *usual_form(Gen *g, int depth) {
    Expr *a = byte_expr(g, depth - 1), *b = byte_expr(g, depth - 1), *p, *m;
    switch (below(g, 5)) {
    case 0:
        m = new_expr(g, E_UN, T_I32);
        m->op = U_ABS, m->a[0] = binary(g, B_SUB, T_I32, a, b);
        return m;
    case 1: return binary(g, chance(g, 50) ? B_SMIN : B_UMIN, T_I32, binary(g, B_ADD, T_I32, a, b), number(g, T_I32, chance(g, 70) ? 255 : 65535));
    case 2: return binary(g, B_SMAX, T_I32, binary(g, B_SUB, T_I32, a, b), number(g, T_I32, 0));
    case 3: return selected(g, compared(g, a, b), binary(g, B_SUB, T_I32, a, b), binary(g, B_SUB, T_I32, b, a));
    default: break;
    }
    p = chance(g, 50) ? number(g, T_I32, below(g, 256)) : byte_expr(g, 0);
    m = binary(g, B_MUL, T_I32, b, binary(g, B_SUB, T_I32, number(g, T_I32, 255), p));
    return binary(g, B_ADD, T_I32, binary(g, B_MUL, T_I32, a, p), m);
}

static Expr *cut(Gen *g, Expr *e) {
    Type t = chance(g, 60) ? T_I16 : T_I8;
    Expr *x = cast(g, CAST_TRUNC, t, e);
    static const BinOp ops[] = {B_SMIN, B_SMAX, B_UMIN, B_UMAX, B_ASHR, B_LSHR, B_ADD, B_SUB};
    if (chance(g, 50)) {
        BinOp op = ops[below(g, 8)];
        Expr *y = op == B_ASHR || op == B_LSHR ? number(g, t, below(g, 7)) : cast(g, CAST_TRUNC, t, byte_expr(g, 1));
        x = binary(g, op, t, x, y);
    }
    return cast(g, chance(g, 60) ? CAST_ZEXT : CAST_SEXT, T_I32, x);
}

static Expr *byte_expr(Gen *g, int depth) {
    static const BinOp ops[] = {B_ADD, B_ADD, B_SUB, B_SUB, B_MUL, B_SMIN, B_SMAX, B_UMIN, B_UMAX, B_AND, B_OR, B_XOR};
    if (depth <= 0 || chance(g, 12)) return byte_leaf(g);
    int k = below(g, 100);
    if (k < 20) return usual_form(g, depth);
    if (k < 30) return cut(g, byte_expr(g, depth - 1));
    if (k < 42) {
        static const BinOp shifts[] = {B_LSHR, B_ASHR, B_SHL};
        return binary(g, shifts[below(g, 3)], T_I32, byte_expr(g, depth - 1), number(g, T_I32, 1 + below(g, 9)));
    }
    if (k < 50 && !calm(g)) return binary(g, (BinOp)(B_UDIV + below(g, 4)), T_I32, byte_expr(g, depth - 1), number(g, T_I32, 2 + below(g, 300)));
    if (k < 62) {
        Expr *c = compared(g, byte_expr(g, depth - 1), byte_expr(g, depth - 1));
        if (chance(g, 25)) return cast(g, chance(g, 70) ? CAST_ZEXT : CAST_SEXT, T_I32, c);
        return selected(g, c, byte_expr(g, depth - 1), byte_expr(g, depth - 1));
    }
    Expr *a = byte_expr(g, depth - 1), *b = byte_expr(g, depth - 1);
    return binary(g, ops[below(g, 12)], T_I32, a, b);
}

/* To a variable, of 32 bits or fewer, or to memory. */
static Stmt *keep_bytes(Gen *g, Expr *e) {
    static const Type types[] = {T_I8, T_I16, T_I32, T_I32};
    Type t = types[below(g, 4)];
    int a = find_array(g, SPACE_GLOBAL, t), v = own_var(g, t);
    if (a >= RESULT_ARRAYS && g->modes[a] == MODE_OWN && !g->scope && (v < 0 || chance(g, 60))) {
        Stmt *s = new_stmt(g, STMT_STORE_OWN);
        s->array = a;
        s->op = below(g, g->p->arrays[a].slots);
        s->e[0] = converted(g, t, e);
        return s;
    }
    return v < 0 ? NULL : assign_to(g, v, converted(g, t, e));
}

static Stmt *bytes(Gen *g) {
    int v = own_var(g, T_I32);
    if (v < 0 || g->p->nvars > MAX_VARS - 4 || chance(g, 75)) return keep_bytes(g, byte_expr(g, 4));
    bool uniform = g->uniform;
    Stmt *s = counted(g, 2 + below(g, 7), uniform);
    g->uniform = false;
    Expr *x = byte_expr(g, 3);
    if (chance(g, 50)) x = binary(g, B_ASHR, T_I32, x, binary(g, B_AND, T_I32, of_var(g, s->var), number(g, T_I32, 7)));
    s->body[0] = assign_to(g, v, binary(g, chance(g, 80) ? B_ADD : B_SUB, T_I32, of_var(g, v), x));
    s->next = keep_bytes(g, of_var(g, v));
    g->uniform = uniform;
    return s;
}

/* ---- far ---- */

/* Of the lanes' indices some have wrapped; those on one side are in the array, the others fail the test. */
static Expr *far_load(Gen *g, Type t) {
    int a = find_array(g, SPACE_IN, t), by = 1 + below(g, 60);
    if (a < 0) return NULL;
    bool small = chance(g, 25), is_signed = chance(g, 40);
    int64_t size = INT64_C(1) << (small ? 16 : 32), top = is_signed ? size / 2 : size;
    Expr *i = chance(g, 60) ? of_special(g, S_LTID) : of_special(g, S_TID_X);
    if (chance(g, 50)) i = binary(g, B_ADD, T_I32, i, of_special(g, S_PARAM0));
    i = binary(g, B_ADD, T_I32, i, number(g, T_I32, top - by));
    Expr *e = load(g, E_LOAD_FAR, a, small ? cast(g, CAST_TRUNC, T_I16, i) : i);
    int64_t sum = chance(g, 50) ? is_signed ? size / 2 + below(g, 40) : below(g, 40) : (int64_t)below(g, 200) - top + by;
    e->op = is_signed;
    e->bits = (uint64_t)sum;
    return e;
}

static Stmt *far(Gen *g) {
    int v = assignable(g, false);
    if (v < 0 || calm(g)) return NULL;
    Type t = g->p->vars[v].type;
    Expr *x = t == T_BOOL ? NULL : far_load(g, t);
    if (!x) return NULL;
    return assign_to(g, v, binary(g, type_is_float(t) ? B_FADD : B_ADD, t, of_var(g, v), x));
}

/* ---- choice ---- */

void add_pattern_arrays(Gen *g) {
    static const Type picked_types[] = {T_I32, T_I32, T_F32, T_I8, T_I16};
    if (g->p->features & FEATURE_PICKS) {
        for (int i = 1 + below(g, 2); i; i--) add_array(g, SPACE_TABLE, picked_types[below(g, 5)], 1, MAP_PACKED);
        add_array(g, SPACE_LOCAL, picked_types[below(g, 3)], 1, MAP_PACKED);
    }
    if (g->p->features & FEATURE_BYTES) {
        add_array(g, SPACE_IN, T_I8, 1, MAP_PACKED);
        add_array(g, SPACE_IN, T_I16, 1, MAP_PACKED);
        for (int i = 1 + below(g, 2); i; i--) add_array(g, SPACE_GLOBAL, chance(g, 60) ? T_I8 : T_I16, 1 + below(g, 2), chance(g, 80) ? MAP_PACKED : (Map)below(g, MAP_COUNT));
    }
    add_wide_arrays(g);
}

bool has_patterns(const Gen *g) { return g->p->features >> BIT_PRODUCTS; }

Stmt *pattern_statement(Gen *g) {
    for (int tries = 0; tries < 24; tries++) {
        unsigned f = 1u << (BIT_PRODUCTS + below(g, BIT_RARE - BIT_PRODUCTS + 1));
        if (!(f & g->p->features) || g->p->nvars > MAX_VARS - 6) continue;
        if (f > FEATURE_FAR) return wide_statement(g, f);
        return f == FEATURE_PRODUCTS ? products(g) : f == FEATURE_PICKS ? picks(g) : f == FEATURE_BYTES ? bytes(g) : far(g);
    }
    return NULL;
}

Stmt *patterns_body(Gen *g) {
    Stmt *first = NULL, **end = &first;
    g->tile = g->p->line && chance(g, 75) ? 1 + below(g, 5) : 0;
    for (int i = 1 + below(g, 4); i; i--) {
        Stmt *s = pattern_statement(g);
        if (!s) continue;
        if (!s->next && chance(g, 35)) {
            Stmt *test = new_stmt(g, STMT_IF);
            test->e[0] = range_test(g);
            test->body[0] = s;
            s = test;
        }
        for (*end = s; *end;) end = &(*end)->next;
    }
    return first;
}
