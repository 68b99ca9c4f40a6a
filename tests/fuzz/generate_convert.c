/* generate_convert.c: conversions, conditions on single bits, and quotients where some threads divide (generate_wide.c). */
#include "tests/fuzz/generate.h"

/* ---- convert ---- */

static Expr *int_expr(Gen *g, Type t, int depth);

static Expr *real_edge(Gen *g, Type t) {
    static const double edges[] = {0.5, -0.5, 0.999, 127.5, 128, -128.5, 255.5, 256, 32767.5, -32769, 65504, 65536, 2147483520,
                                   2147483648, -2147483904, 4294967296, 9.223372036854775e18, 9.223372036854776e18, 1.8446744073709552e19, -1e30, 6e-8, 1e300};
    if (t == T_F16) return constant(g, t);
    Expr *e = new_expr(g, E_CONST, t);
    double d = edges[below(g, sizeof edges / sizeof *edges)];
    float f = d > 1e38 ? 1e38f : (float)d;
    memcpy(&e->bits, t == T_F32 ? (const void *)&f : (const void *)&d, type_bytes(t));
    return e;
}

static Expr *given_real(Gen *g, Type t) {
    int in = find_array(g, SPACE_IN, t), own = own_array(g, t), kind = below(g, 100), v = kind < 55 ? own_var(g, t) : -1;
    if (kind < 15) return real_edge(g, t);
    if (own >= 0 && kind < 35) return load_own_slot(g, own, below(g, g->p->arrays[own].slots));
    if (v >= 0) return of_var(g, v);
    return in >= 0 ? load(g, E_LOAD_AFFINE, in, element_index(g, 1, 0)) : real_edge(g, t);
}

static Expr *real_expr(Gen *g, Type t, int depth) {
    static const BinOp ops[] = {B_FADD, B_FSUB, B_FMUL, B_FMUL, B_FDIV};
    int kind = below(g, 100);
    if (depth <= 0 || kind < 12) return given_real(g, t);
    if (kind < 45) return binary(g, ops[below(g, 5)], t, real_expr(g, t, depth - 1), real_expr(g, t, depth - 1));
    if (kind < 70) return cast(g, chance(g, 50) ? CAST_SITOFP : CAST_UITOFP, t, int_expr(g, int_types[below(g, 4)], depth - 1));
    if (kind < 76) return unary_of(g, chance(g, 50) ? U_FNEG : U_FABS, real_expr(g, t, depth - 1));
    if (kind < 82) return selected(g, compared(g, real_expr(g, t, depth - 1), given_real(g, t)), given_real(g, t), real_expr(g, t, depth - 1));
    Type other;
    do other = real_types[below(g, 3)];
    while (other == t);
    return cast(g, type_bits(other) > type_bits(t) ? CAST_FPTRUNC : CAST_FPEXT, t, real_expr(g, other, depth - 1));
}

static Expr *int_expr(Gen *g, Type t, int depth) {
    static const BinOp ops[] = {B_ADD, B_SUB, B_MUL, B_AND, B_XOR, B_SMIN, B_UMAX};
    int kind = below(g, 100);
    if (depth <= 0 || kind < 20) return given(g, t, 1, 0);
    if (kind < 65) return cast(g, (CastOp)(CAST_GPU_SI + below(g, 4)), t, real_expr(g, real_types[below(g, 3)], depth - 1));
    if (kind < 80) return to_int(g, t, int_expr(g, int_types[below(g, 4)], depth - 1), chance(g, 50));
    return binary(g, ops[below(g, 7)], t, int_expr(g, t, depth - 1), int_expr(g, t, depth - 1));
}

Stmt *convert(Gen *g) {
    Stmt *first = NULL, **end = &first;
    for (int i = 1 + below(g, 3); i; i--) {
        Type t = chance(g, 50) ? real_types[below(g, 3)] : int_types[below(g, 4)];
        end = append(end, keep_as(g, t, type_is_float(t) ? real_expr(g, t, 3) : int_expr(g, t, 3)));
    }
    return first;
}

/* ---- conditions ---- */

static Expr *is_negative(Gen *g, Expr *x) {
    Expr *c = compared(g, x, number(g, x->type, 0));
    c->op = chance(g, 70) ? C_SLT : C_SGE;
    return c;
}

static Expr *is_set(Gen *g, Expr *x) {
    Expr *c = compared(g, x, number(g, x->type, 0));
    c->op = chance(g, 70) ? C_NE : C_EQ;
    return c;
}

static Expr *single_bit(Gen *g) {
    Type t = chance(g, 40) ? T_I8 : int_types[below(g, 4)];
    int f = find_array(g, SPACE_IN, T_F32), bit = (int)type_bits(t) - 1;
    switch (below(g, 8)) {
    case 0: case 1: return cast(g, CAST_TRUNC, T_BOOL, given(g, T_I8, 1, 0));
    case 2: return is_set(g, given(g, T_I8, 1, 0));
    case 3: return is_set(g, binary(g, B_AND, t, given(g, t, 1, 0), number(g, t, INT64_C(1) << below(g, bit))));
    case 4: return is_set(g, binary(g, B_LSHR, t, given(g, t, 1, 0), number(g, t, bit)));
    case 5:
        if (f >= 0) return is_negative(g, cast(g, CAST_BITS, T_I32, load(g, E_LOAD_AFFINE, f, element_index(g, 1, 0))));
        return is_negative(g, given(g, t, 1, 0));
    default: return is_negative(g, given(g, t, 1, 0));
    }
}

static Expr *of_type(Gen *g, Type t) { return type_is_float(t) ? given_real(g, t) : given(g, t, 1, 0); }

/* c, or c together with something else. */
static Expr *combined(Gen *g, Expr *c) {
    static const BinOp ops[] = {B_AND, B_AND, B_AND, B_AND, B_OR, B_XOR};
    int kind = below(g, 10);
    if (kind < 3) return c;
    Type t = chance(g, 20) ? real_types[below(g, 2)] : chance(g, 30) ? T_I8 : int_types[below(g, 4)];
    Expr *d = kind < 9 ? compared(g, of_type(g, t), of_type(g, t)) : single_bit(g);
    bool second = chance(g, 50);
    return binary(g, ops[below(g, 6)], T_BOOL, second ? d : c, second ? c : d);
}

/* Warp functions stand alone: nothing but variables survives them. */
static Stmt *voted(Gen *g, int c) {
    int v = own_var(g, T_I32);
    if (v < 0 || !g->p->warp || g->mask == MASK_UNKNOWN || g->returned || g->scope) return NULL;
    Expr *e = new_expr(g, E_BALLOT, T_I32);
    e->a[0] = chance(g, 80) ? of_var(g, c) : combined(g, of_var(g, c));
    e->index = g->mask;
    Stmt *s = assign_to(g, v, e);
    s->next = keep_as(g, T_I32, binary(g, B_MUL, T_I32, of_var(g, v), number(g, T_I32, 1 + below(g, 3))));
    return s;
}

static Stmt *conditional(Gen *g, int c) {
    static const Type types[] = {T_I32, T_I32, T_I8, T_I16, T_I64, T_F32, T_F64};
    Type t = types[below(g, 7)];
    int kind = below(g, 100);
    if (kind < 15) return voted(g, c);
    if (kind < 25) return keep_as(g, T_I32, cast(g, chance(g, 50) ? CAST_ZEXT : CAST_SEXT, T_I32, combined(g, of_var(g, c))));
    if (kind < 55 || calm(g)) return keep_as(g, t, selected(g, combined(g, of_var(g, c)), of_type(g, t), of_type(g, t)));
    Stmt *body = keep_as(g, t, of_type(g, t));
    if (!body) return NULL;
    Stmt *s = new_stmt(g, STMT_IF);
    s->e[0] = combined(g, of_var(g, c));
    s->body[0] = body;
    if (chance(g, 30)) s->body[1] = keep_as(g, t, of_type(g, t));
    return s;
}

Stmt *conditions(Gen *g) {
    int c = passing_var(g, T_BOOL);
    Stmt *first = assign_to(g, c, chance(g, 80) ? single_bit(g) : combined(g, single_bit(g))), **end = &first->next;
    bool votes = chance(g, 60);
    if (votes) end = append(end, voted(g, c));
    for (int i = votes && chance(g, 50) ? 1 : 1 + below(g, 3); i; i--) end = append(end, conditional(g, c));
    return first;
}

/* ---- rare ---- */

/* p / q, q not 0. */
static Expr *quotient(Gen *g, Type t) {
    static const BinOp ops[] = {B_UDIV, B_UDIV, B_UREM, B_SDIV, B_SREM};
    Expr *q = binary(g, B_OR, t, binary(g, B_AND, t, common(g, t), number(g, t, 62)), number(g, t, 1));
    Expr *p = chance(g, 75) ? common(g, t) : to_int(g, t, place(g), false);
    if (chance(g, 40)) p = binary(g, B_LSHR, t, p, number(g, t, 1 + below(g, 7)));
    Expr *e = binary(g, ops[below(g, 5)], t, p, q);
    return chance(g, 15) ? binary(g, B_UDIV, t, e, q) : e;
}

Stmt *rare(Gen *g) {
    Type t = int_types[below(g, 4)], of = chance(g, 70) ? T_I32 : t;
    int in = find_array(g, SPACE_IN, of);
    if (calm(g) || in < 0) return NULL;
    Expr *q = quotient(g, t), *i = to_int(g, T_I32, q, true), *modulo = number(g, T_I32, 2 + below(g, 8));
    if (chance(g, 30)) i = binary(g, B_ADD, T_I32, i, place(g));
    Expr *e = load(g, E_LOAD_MASKED, in, i);
    if (chance(g, 30)) e = binary(g, B_ADD, of, e, to_int(g, of, q, true));
    if (chance(g, 20)) e = binary(g, B_ADD, of, e, load(g, E_LOAD_MASKED, in, to_int(g, T_I32, quotient(g, t), true)));
    Stmt *body = keep_as(g, of, e);
    if (!body) return NULL;
    Stmt *s = new_stmt(g, STMT_IF);
    Expr *which = chance(g, 50) ? of_special(g, S_PARAM0) : number(g, T_I32, below(g, 3));
    s->e[0] = chance(g, 60) ? compared(g, binary(g, B_UREM, T_I32, place(g), modulo), which) : single_bit(g);
    s->body[0] = body;
    return s;
}
