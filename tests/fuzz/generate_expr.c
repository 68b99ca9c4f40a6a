/* generate_expr.c: random expressions of a type.
**
** A uniform expression has the same value for all threads of a block: it reads uniform variables and
** specials only, or memory that all of them may read at an index that is uniform.  Every index is in
** bounds, and what would have no defined value in CUDA (division by zero, a float that is too large
** for an integer) stands behind a branch: lane masks have to hold there. */
#include "tests/fuzz/generate.h"

Expr *new_expr(Gen *g, ExprKind kind, Type type) {
    Expr *e = arena_alloc(g->a, sizeof *e);
    e->kind = kind;
    e->type = type;
    return e;
}

/* ---- leaves ---- */

Expr *constant(Gen *g, Type t) {
    static const int64_t ints[] = {0, 1, -1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 100, 127, 128, 255, 256, 1023,
                                   INT16_MAX, INT32_MAX, INT32_MIN, INT64_MIN, INT64_MAX};
    static const double reals[] = {0, 1, -1, 0.5, 2, 3.25, -7.5, 100, 1e-3, 1e10, -1e30};
    static const uint16_t half[] = {0, 0x3c00, 0xbc00, 0x3800, 0x4000, 0x4280, 0xc780, 0x5640, 0x1419, 0x7bff, 0x7c00, 0xfbff};
    Expr *e = new_expr(g, E_CONST, t);
    double d = reals[below(g, sizeof reals / sizeof *reals)];
    float f = (float)d;
    if (t == T_F16) e->bits = half[below(g, sizeof half / sizeof *half)];
    else if (t == T_F32) memcpy(&e->bits, &f, 4);
    else if (t == T_F64) memcpy(&e->bits, &d, 8);
    else e->bits = chance(g, 70) ? (uint64_t)below(g, 12)
                                 : (uint64_t)ints[below(g, sizeof ints / sizeof *ints)];
    if (t < T_F32 && type_bits(t) < 64) e->bits &= (UINT64_C(1) << type_bits(t)) - 1;
    return e;
}

Expr *small(Gen *g, uint64_t v) {
    Expr *e = new_expr(g, E_CONST, T_I32);
    e->bits = v;
    (void)g;
    return e;
}

static Expr *variable(Gen *g, Type t, bool uniform) {
    int at = below(g, g->p->nvars);
    for (int i = 0; i < g->p->nvars; i++) {
        int v = (at + i) % g->p->nvars;
        const Var *x = &g->p->vars[v];
        if (x->type != t || x->scope != g->scope || (uniform && !x->uniform)) continue;
        Expr *e = new_expr(g, E_VAR, t);
        e->index = v;
        return e;
    }
    return constant(g, t);
}

static Expr *special(Gen *g, bool uniform) {
    static const Special all[] = {S_TID_X, S_TID_X, S_TID_Y, S_TID_Z, S_LTID, S_LTID, S_NTID_X, S_NTID_Y,
                                  S_CTAID_X, S_CTAID_Y, S_NCTAID_X, S_PARAM0, S_PARAM1, S_BLOCK};
    Special s;
    do s = all[below(g, sizeof all / sizeof *all)];
    while (uniform && !special_is_uniform(s));
    Expr *e = new_expr(g, E_SPECIAL, T_I32);
    e->index = (int)s;
    return e;
}

Expr *place(Gen *g) {
    Expr *e = new_expr(g, E_SPECIAL, T_I32);
    e->index = S_PLACE;
    return e;
}

Expr *binary(Gen *g, BinOp op, Type t, Expr *a, Expr *b) {
    Expr *e = new_expr(g, E_BIN, t);
    e->op = (int)op;
    e->a[0] = a;
    e->a[1] = b;
    return e;
}

/* An index below IN_ELEMS that is affine in the thread's ids: k*tid + c. */
static Expr *affine_index(Gen *g, bool uniform) {
    Expr *i;
    if (uniform) {
        i = special(g, true);
        while (i->index == S_PARAM1) i = special(g, true);
    } else {
        i = new_expr(g, E_SPECIAL, T_I32);
        i->index = chance(g, 50) ? S_LTID : S_TID_X;
    }
    if (chance(g, 50)) i = binary(g, B_MUL, T_I32, i, small(g, (uint64_t)below(g, 4)));
    else if (chance(g, 30)) {
        Expr *k = new_expr(g, E_SPECIAL, T_I32); /* 0 ... 3, unknown to the compiler */
        k->index = S_PARAM0;
        i = binary(g, B_MUL, T_I32, i, k);
    }
    i = binary(g, B_ADD, T_I32, i, small(g, (uint64_t)below(g, 200)));
    if (chance(g, 25)) i = binary(g, B_SUB, T_I32, small(g, IN_ELEMS - 1), i);
    return i;
}

Expr *load(Gen *g, ExprKind kind, int array, Expr *index) {
    Expr *e = new_expr(g, kind, g->p->arrays[array].type);
    e->index = array;
    e->a[0] = index;
    return e;
}

/* An atomic on an own slot: the only one whose result is known. */
static Expr *atomic_own(Gen *g, Expr *e, int depth) {
    Type t = e->type;
    int op = below(g, AT_FADD);
    if (t == T_I64 && (op == AT_INC || op == AT_DEC)) op = AT_CAS;
    if (type_is_float(t)) op = AT_FADD;
    e->kind = E_ATOMIC_OWN;
    e->op = e->op << 4 | op;
    e->a[0] = expr(g, t, depth - 1, false);
    if (op == AT_CAS) e->a[1] = expr(g, t, 1, false);
    return e;
}

static Expr *retry_own(Gen *g, Expr *e, int depth) {
    static const int any[] = {AT_ADD, AT_AND, AT_OR, AT_XOR, AT_MAX, AT_MIN, AT_UMAX, AT_UMIN, AT_MUL, AT_BYTES, AT_SATURATE, AT_TWICE, AT_FROM};
    int op = type_is_float(e->type) ? AT_FADD : any[below(g, sizeof any / sizeof *any)];
    e->kind = E_RETRY_OWN;
    e->op = e->op << 16 | below(g, RETRY_FORMS) << 8 | op;
    e->a[0] = expr(g, e->type, depth - 1, false);
    return e;
}

static Expr *load_own(Gen *g, int array, int depth) {
    const Array *x = &g->p->arrays[array];
    Expr *e = load(g, E_LOAD_OWN, array, NULL);
    e->op = below(g, x->slots);
    if (is_short_vector(g, x) && chance(g, 60)) {
        e->kind = E_LOAD_VECTOR;
        if (chance(g, 20)) e->a[0] = expr(g, T_I32, depth - 1, false);
        return e;
    }
    if (e->type == T_F16) return e;
    if (e->type >= T_I32 && !calm(g) && (g->p->features & FEATURE_RETRY) && chance(g, 12)) return retry_own(g, e, depth);
    if ((e->type >= T_I32 && e->type <= T_I64 && chance(g, 15)) ||
        (type_is_float(e->type) && (g->p->features & FEATURE_FLOAT_ATOMIC) && chance(g, 20)))
        return atomic_own(g, e, depth);
    return e;
}

/* A load of an array that may be read here, of any type; NULL if the dice say none. */
static Expr *any_load(Gen *g, Type t, int depth, bool uniform) {
    int start = below(g, g->p->narrays);
    for (int k = 0; k < g->p->narrays; k++) {
        int i = (start + k) % g->p->narrays;
        const Array *x = &g->p->arrays[i];
        if (x->type != t || x->space == SPACE_ATOMIC || x->space == SPACE_GRID) continue;
        if (x->space == SPACE_IN && chance(g, 50)) return load(g, E_LOAD_AFFINE, i, affine_index(g, uniform));
        if (x->space == SPACE_IN || x->space == SPACE_TABLE || x->space == SPACE_LOCAL || g->modes[i] == MODE_READ) {
            if (x->space == SPACE_LOCAL && (uniform || g->scope)) continue;
            Expr *index = expr(g, T_I32, depth - 1, uniform);
            return load(g, !uniform && !calm(g) && chance(g, 40) ? E_LOAD_GUARDED : E_LOAD_MASKED, i, index);
        }
        if (g->modes[i] == MODE_OWN && !uniform) return load_own(g, i, depth);
    }
    return NULL;
}

static Expr *load_either(Gen *g, Type t, int depth) {
    int pair[2], n = 0;
    if (g->scope) return NULL;
    for (int i = 0; i < g->p->narrays && n < 2; i++)
        if (g->p->arrays[i].space == SPACE_LOCAL && g->p->arrays[i].type == t) pair[n++] = i;
    if (n < 2) return NULL;
    Expr *e = new_expr(g, E_LOAD_EITHER, t);
    e->index = pair[0];
    e->op = pair[1];
    e->a[0] = expr(g, T_BOOL, depth - 1, false);
    e->a[1] = expr(g, T_I32, depth - 1, false);
    return e;
}

Expr *cast(Gen *g, CastOp op, Type to, Expr *from) {
    Expr *e = new_expr(g, E_CAST, to);
    e->op = (int)op;
    e->a[0] = from;
    return e;
}

static Expr *leaf(Gen *g, Type t, bool uniform) {
    if (t == T_I32 && chance(g, 40)) return special(g, uniform);
    if ((t == T_I64 || t == T_F32) && chance(g, 10)) {
        Expr *e = new_expr(g, E_SPECIAL, t);
        e->index = t == T_I64 ? S_PARAM2 : S_PARAM3;
        return e;
    }
    if (chance(g, 25)) return constant(g, t);
    return variable(g, t, uniform);
}

/* ---- inner nodes ---- */

Type any_int(Gen *g) {
    static const Type all[] = {T_I32, T_I32, T_I32, T_I64, T_I16, T_I8};
    return all[below(g, 6)];
}
Type any_float(Gen *g) { return chance(g, 70) ? T_F32 : T_F64; }
Type any_type(Gen *g) { return chance(g, 25) ? any_float(g) : chance(g, 10) ? T_BOOL : any_int(g); }

static Expr *comparison(Gen *g, int depth, bool uniform) {
    Type t = chance(g, 25) ? any_float(g) : any_int(g);
    Expr *e = new_expr(g, E_CMP, T_BOOL);
    e->a[0] = expr(g, t, depth - 1, uniform);
    e->a[1] = chance(g, 50) ? constant(g, t) : expr(g, t, depth - 1, uniform);
    e->op = type_is_float(t) ? below(g, C_SGE + 1) : below(g, C_COUNT);
    return e;
}

/* One lane of a group, or none: tid == first ones, the last one, a uniform value. */
static Expr *lone(Gen *g, int depth) {
    Expr *e = new_expr(g, E_CMP, T_BOOL), *last = new_expr(g, E_SPECIAL, T_I32);
    e->op = C_EQ;
    e->a[0] = new_expr(g, E_SPECIAL, T_I32);
    e->a[0]->index = chance(g, 70) ? S_TID_X : S_LTID;
    last->index = S_NTID_X;
    int k = below(g, 3);
    e->a[1] = k == 0   ? small(g, (uint64_t)below(g, 16))
              : k == 1 ? binary(g, B_SUB, T_I32, last, small(g, 1))
                       : expr(g, T_I32, depth - 1, true);
    return e;
}

static Expr *boolean(Gen *g, int depth, bool uniform) {
    int k = below(g, 100);
    if (k < 10 && !uniform) return lone(g, depth);
    if (k < 60) return comparison(g, depth, uniform);
    if (k < 80 && !calm(g)) {
        Expr *e = new_expr(g, k < 70 ? E_AND_THEN : E_OR_ELSE, T_BOOL);
        e->a[0] = expr(g, T_BOOL, depth - 1, uniform);
        e->a[1] = expr(g, T_BOOL, depth - 1, uniform);
        return e;
    }
    static const BinOp ops[] = {B_AND, B_OR, B_XOR};
    if (k < 92) return binary(g, ops[below(g, 3)], T_BOOL, expr(g, T_BOOL, depth - 1, uniform), expr(g, T_BOOL, depth - 1, uniform));
    return leaf(g, T_BOOL, uniform);
}

static Expr *integer_cast(Gen *g, Type t, int depth, bool uniform) {
    Type from = any_int(g);
    int k = below(g, 10);
    if (k == 0) return cast(g, chance(g, 50) ? CAST_ZEXT : CAST_SEXT, t, expr(g, T_BOOL, depth - 1, uniform));
    if (k == 1 && !calm(g)) return cast(g, CAST_FPTOSI, t, expr(g, any_float(g), depth - 1, uniform));
    if (type_bits(from) == type_bits(t)) return expr(g, t, depth - 1, uniform);
    CastOp op = type_bits(from) > type_bits(t) ? CAST_TRUNC : chance(g, 50) ? CAST_ZEXT : CAST_SEXT;
    return cast(g, op, t, expr(g, from, depth - 1, uniform));
}

static Expr *unary(Gen *g, UnOp op, Type t, Expr *a) {
    Expr *e = new_expr(g, E_UN, t);
    e->op = (int)op;
    e->a[0] = a;
    return e;
}

Expr *warp_value(Gen *g, Type t, int depth) {
    int k = below(g, 5);
    Expr *e;
    if (k >= 3) {
        e = new_expr(g, k == 3 ? E_MATCH : E_REDUX, T_I32);
        e->op = below(g, 8);
        e->a[0] = expr(g, T_I32, depth - 1, false);
    } else if (k == 0) {
        e = new_expr(g, E_SHUFFLE, T_I32);
        e->op = below(g, 4);
        e->a[0] = expr(g, T_I32, depth - 1, false);
        e->a[1] = chance(g, 60) ? small(g, (uint64_t)below(g, 32)) : expr(g, T_I32, depth - 1, false);
    } else {
        e = new_expr(g, k == 1 ? E_BALLOT : E_VOTE, k == 1 ? T_I32 : T_BOOL);
        e->op = below(g, 3);
        e->a[0] = expr(g, T_BOOL, depth - 1, false);
    }
    e->index = g->mask;
    if (e->type == t) return e;
    return cast(g, CAST_ZEXT, t, e); /* of a bool: t is i32 */
}

/* A call; perhaps through a pointer to one of two functions. */
Expr *call(Gen *g, int function, int depth) {
    const Function *f = &g->p->functions[function];
    Expr *e = new_expr(g, E_CALL, f->type);
    e->index = function;
    e->op = -1;
    for (int i = 0; i < 2; i++) e->a[i] = expr(g, f->arg_type[i], depth - 1, false);
    if (g->scope) return e;
    int other = (function + 1 + below(g, g->p->nfunctions)) % g->p->nfunctions;
    const Function *o = &g->p->functions[other];
    if (other == function || o->type != f->type || o->arg_type[0] != f->arg_type[0]) return e;
    e->op = other;
    e->a[2] = expr(g, T_BOOL, depth - 1, false);
    return e;
}

static Expr *integer(Gen *g, Type t, int depth, bool uniform) {
    int k = below(g, 100);
    if (k < 45) {
        BinOp op = (BinOp)below(g, B_INT_COUNT);
        if (op >= B_MULHI && t < T_I32) op = B_MUL;
        return binary(g, op, t, expr(g, t, depth - 1, uniform), expr(g, t, depth - 1, uniform));
    }
    if (k < 52 && !calm(g)) {
        BinOp op = (BinOp)(B_UDIV + below(g, 4));
        Expr *d = chance(g, 40) ? constant(g, t) : expr(g, t, depth - 1, uniform);
        return binary(g, op, t, expr(g, t, depth - 1, uniform), d);
    }
    if (k < 70) return integer_cast(g, t, depth, uniform);
    if (k < 74 && t >= T_I32) return unary(g, (UnOp)below(g, U_FNEG), t, expr(g, t, depth - 1, uniform));
    if (k < 90) {
        Expr *e = any_load(g, t, depth, uniform);
        if (e) return e;
    }
    return leaf(g, t, uniform);
}

static Expr *real(Gen *g, Type t, int depth, bool uniform) {
    int k = below(g, 100);
    if (t == T_F16) return cast(g, CAST_FPTRUNC, t, expr(g, T_F32, depth - 1, uniform));
    if (k < 8) {
        Expr *e = new_expr(g, E_FMA, t);
        for (int i = 0; i < 3; i++) e->a[i] = expr(g, t, depth - 1, uniform);
        return e;
    }
    if (k < 45) return binary(g, (BinOp)(B_FADD + below(g, chance(g, 70) ? 4 : B_END - B_FADD)), t, expr(g, t, depth - 1, uniform), expr(g, t, depth - 1, uniform));
    if (k < 58) return cast(g, chance(g, 50) ? CAST_SITOFP : CAST_UITOFP, t, expr(g, any_int(g), depth - 1, uniform));
    if (k < 66) {
        Type other = t == T_F32 ? T_F64 : T_F32;
        return cast(g, t == T_F32 ? CAST_FPTRUNC : CAST_FPEXT, t, expr(g, other, depth - 1, uniform));
    }
    if (k < 72) return unary(g, (UnOp)(U_FNEG + below(g, U_END - U_FNEG)), t, expr(g, t, depth - 1, uniform));
    if (k < 90) {
        Expr *e = any_load(g, t, depth, uniform);
        if (e) return e;
    }
    return leaf(g, t, uniform);
}

Expr *expr(Gen *g, Type t, int depth, bool uniform) {
    if (depth <= 0 || chance(g, 12)) return leaf(g, t, uniform);
    if (chance(g, 6)) {
        Expr *e = new_expr(g, E_SELECT, t);
        e->a[0] = expr(g, T_BOOL, depth - 1, uniform);
        e->a[1] = expr(g, t, depth - 1, uniform);
        e->a[2] = expr(g, t, depth - 1, uniform);
        return e;
    }
    if (!uniform && chance(g, 5)) {
        Expr *e = load_either(g, t, depth);
        if (e) return e;
    }
    if (!uniform && !g->scope && g->p->nfunctions && chance(g, 8)) {
        int f = below(g, g->p->nfunctions);
        if (g->p->functions[f].type == t) return call(g, f, depth);
    }
    if (t == T_BOOL) return boolean(g, depth, uniform);
    return type_is_float(t) ? real(g, t, depth, uniform) : integer(g, t, depth, uniform);
}
