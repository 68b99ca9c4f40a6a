/* generate.c: a random program from a seed.
**
** Two kinds of places: *uniform* ones, where all live threads of the block come, may hold barriers
** and assign uniform variables, and their conditions must then be uniform to open a uniform place
** again; everything else is divergent.  Each block array has a mode between two barriers (own slots
** only, read by all, atomics without result by all), which is the same on all ways to a place: that
** makes programs free of races.  Jumps out of a construct are only made from the same kind of place
** and, at uniform places, in the modes with which the construct began. */
#include "tests/fuzz/program.h"
#include "tests/fuzz/random.h"

enum { MAX_TARGETS = 8, RESULT_ARRAYS = 2 };

typedef struct Target {
    Stmt *stmt;
    bool uniform;
    Mode modes[MAX_ARRAYS]; /* at its begin and its end */
} Target;

typedef struct Gen {
    Arena *a;
    Program *p;
    Random r;
    Mode modes[MAX_ARRAYS];
    Target targets[MAX_TARGETS];
    int ntargets, budget, nparams;
    bool uniform, returned; /* here; some thread may have returned before */
} Gen;

static int below(Gen *g, int n) { return random_below(&g->r, n); }
static bool chance(Gen *g, int percent) { return random_chance(&g->r, percent); }

static Expr *new_expr(Gen *g, ExprKind kind, Type type) {
    Expr *e = arena_alloc(g->a, sizeof *e);
    e->kind = kind;
    e->type = type;
    return e;
}

static Expr *expr(Gen *g, Type t, int depth, bool uniform);

/* ---- leaves ---- */

static Expr *constant(Gen *g, Type t) {
    static const int64_t ints[] = {0, 1, -1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 100, 127, 128, 255, 256, 1023,
                                   INT16_MAX, INT32_MAX, INT32_MIN, INT64_MIN, INT64_MAX};
    static const double reals[] = {0, 1, -1, 0.5, 2, 3.25, -7.5, 100, 1e-3, 1e10, -1e30};
    Expr *e = new_expr(g, E_CONST, t);
    double d = reals[below(g, sizeof reals / sizeof *reals)];
    float f = (float)d;
    if (t == T_F32) memcpy(&e->bits, &f, 4);
    else if (t == T_F64) memcpy(&e->bits, &d, 8);
    else e->bits = chance(g, 70) ? (uint64_t)below(g, 12)
                                 : (uint64_t)ints[below(g, sizeof ints / sizeof *ints)];
    if (t < T_F32 && type_bits(t) < 64) e->bits &= (UINT64_C(1) << type_bits(t)) - 1;
    return e;
}

static Expr *small(Gen *g, uint64_t v) {
    Expr *e = new_expr(g, E_CONST, T_I32);
    e->bits = v;
    (void)g;
    return e;
}

static Expr *variable(Gen *g, Type t, bool uniform) {
    int at = below(g, g->p->nvars);
    for (int i = 0; i < g->p->nvars; i++) {
        int v = (at + i) % g->p->nvars;
        if (g->p->vars[v].type != t || (uniform && !g->p->vars[v].uniform)) continue;
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

static Expr *binary(Gen *g, BinOp op, Type t, Expr *a, Expr *b) {
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

static Expr *load(Gen *g, ExprKind kind, int array, Expr *index) {
    Expr *e = new_expr(g, kind, g->p->arrays[array].type);
    e->index = array;
    e->a[0] = index;
    return e;
}

/* A load of an array that may be read here, of any type; NULL if the dice say none. */
static Expr *any_load(Gen *g, Type t, int depth, bool uniform) {
    int start = below(g, g->p->narrays);
    for (int k = 0; k < g->p->narrays; k++) {
        int i = (start + k) % g->p->narrays;
        const Array *x = &g->p->arrays[i];
        if (x->type != t || x->space == SPACE_ATOMIC) continue;
        if (x->space == SPACE_IN && chance(g, 50)) return load(g, E_LOAD_AFFINE, i, affine_index(g, uniform));
        if (x->space == SPACE_IN || x->space == SPACE_LOCAL || g->modes[i] == MODE_READ) {
            if (x->space == SPACE_LOCAL && uniform) continue;
            Expr *index = expr(g, T_I32, depth - 1, uniform);
            return load(g, !uniform && chance(g, 40) ? E_LOAD_GUARDED : E_LOAD_MASKED, i, index);
        }
        if (g->modes[i] == MODE_OWN && !uniform) {
            Expr *e = load(g, E_LOAD_OWN, i, NULL);
            e->op = below(g, x->slots);
            if ((t == T_I32 || t == T_I64) && chance(g, 15)) {
                e->kind = E_ATOMIC_OWN;
                e->op = e->op << 4 | below(g, AT_COUNT + 1);
                e->a[0] = expr(g, t, depth - 1, false);
            }
            return e;
        }
    }
    return NULL;
}

static Expr *load_either(Gen *g, Type t, int depth) {
    int pair[2], n = 0;
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

static Expr *cast(Gen *g, CastOp op, Type to, Expr *from) {
    Expr *e = new_expr(g, E_CAST, to);
    e->op = (int)op;
    e->a[0] = from;
    return e;
}

static Expr *leaf(Gen *g, Type t, bool uniform) {
    if (t == T_I32 && chance(g, 40)) return special(g, uniform);
    if (chance(g, 25)) return constant(g, t);
    return variable(g, t, uniform);
}

/* ---- inner nodes ---- */

static Type any_int(Gen *g) {
    static const Type all[] = {T_I32, T_I32, T_I32, T_I64, T_I16, T_I8};
    return all[below(g, 6)];
}
static Type any_float(Gen *g) { return chance(g, 70) ? T_F32 : T_F64; }
static Type any_type(Gen *g) { return chance(g, 25) ? any_float(g) : chance(g, 10) ? T_BOOL : any_int(g); }

static Expr *comparison(Gen *g, int depth, bool uniform) {
    Type t = chance(g, 25) ? any_float(g) : any_int(g);
    Expr *e = new_expr(g, E_CMP, T_BOOL);
    e->a[0] = expr(g, t, depth - 1, uniform);
    e->a[1] = chance(g, 50) ? constant(g, t) : expr(g, t, depth - 1, uniform);
    e->op = type_is_float(t) ? below(g, C_SGE + 1) : below(g, C_COUNT);
    return e;
}

static Expr *boolean(Gen *g, int depth, bool uniform) {
    int k = below(g, 100);
    if (k < 60) return comparison(g, depth, uniform);
    if (k < 80) {
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
    if (k == 1) return cast(g, CAST_FPTOSI, t, expr(g, any_float(g), depth - 1, uniform));
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

static Expr *warp_value(Gen *g, Type t, int depth) {
    int k = below(g, 3);
    Expr *e;
    if (k == 0) {
        e = new_expr(g, E_SHUFFLE, T_I32);
        e->op = below(g, 4);
        e->a[0] = expr(g, T_I32, depth - 1, false);
        e->a[1] = chance(g, 60) ? small(g, (uint64_t)below(g, 32)) : expr(g, T_I32, depth - 1, false);
    } else {
        e = new_expr(g, k == 1 ? E_BALLOT : E_VOTE, k == 1 ? T_I32 : T_BOOL);
        e->op = below(g, 3);
        e->a[0] = expr(g, T_BOOL, depth - 1, false);
    }
    if (e->type == t) return e;
    return cast(g, CAST_ZEXT, t, e); /* of a bool: t is i32 */
}

static Expr *integer(Gen *g, Type t, int depth, bool uniform) {
    int k = below(g, 100);
    if (k < 45) return binary(g, (BinOp)below(g, B_INT_COUNT), t, expr(g, t, depth - 1, uniform), expr(g, t, depth - 1, uniform));
    if (k < 52) {
        BinOp op = (BinOp)(B_UDIV + below(g, 4));
        Expr *d = chance(g, 40) ? constant(g, t) : expr(g, t, depth - 1, uniform);
        return binary(g, op, t, expr(g, t, depth - 1, uniform), d);
    }
    if (k < 70) return integer_cast(g, t, depth, uniform);
    if (k < 74 && t >= T_I32) return unary(g, chance(g, 50) ? U_POPC : U_CLZ, t, expr(g, t, depth - 1, uniform));
    if (k < 90) {
        Expr *e = any_load(g, t, depth, uniform);
        if (e) return e;
    }
    return leaf(g, t, uniform);
}

static Expr *real(Gen *g, Type t, int depth, bool uniform) {
    int k = below(g, 100);
    if (k < 45) return binary(g, (BinOp)(B_FADD + below(g, 4)), t, expr(g, t, depth - 1, uniform), expr(g, t, depth - 1, uniform));
    if (k < 58) return cast(g, chance(g, 50) ? CAST_SITOFP : CAST_UITOFP, t, expr(g, any_int(g), depth - 1, uniform));
    if (k < 66) {
        Type other = t == T_F32 ? T_F64 : T_F32;
        return cast(g, t == T_F32 ? CAST_FPTRUNC : CAST_FPEXT, t, expr(g, other, depth - 1, uniform));
    }
    if (k < 72) return unary(g, (UnOp)(U_FNEG + below(g, 3)), t, expr(g, t, depth - 1, uniform));
    if (k < 90) {
        Expr *e = any_load(g, t, depth, uniform);
        if (e) return e;
    }
    return leaf(g, t, uniform);
}

static Expr *expr(Gen *g, Type t, int depth, bool uniform) {
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
    if (t == T_BOOL) return boolean(g, depth, uniform);
    return type_is_float(t) ? real(g, t, depth, uniform) : integer(g, t, depth, uniform);
}

/* ---- statements ---- */

static Stmt *new_stmt(Gen *g, StmtKind kind) {
    Stmt *s = arena_alloc(g->a, sizeof *s);
    s->kind = kind;
    s->uniform = g->uniform;
    s->var = s->array = -1;
    g->budget--;
    return s;
}

static Stmt *body(Gen *g, int depth, int length);

static int new_var(Gen *g, Type t, bool uniform, bool counter, Expr *init) {
    g->p->vars[g->p->nvars] = (Var){t, uniform, counter, init};
    return g->p->nvars++;
}

static int assignable(Gen *g, bool uniform) {
    for (int tries = 0; tries < 50; tries++) {
        int v = below(g, g->p->nvars);
        if (!g->p->vars[v].counter && g->p->vars[v].uniform == uniform) return v;
    }
    return -1;
}

static Stmt *assign(Gen *g) {
    bool uniform = g->uniform && chance(g, 30);
    int v = assignable(g, uniform);
    if (v < 0) return NULL;
    Stmt *s = new_stmt(g, STMT_ASSIGN);
    s->var = v;
    Type t = g->p->vars[v].type;
    bool warp = g->p->warp && g->uniform && !uniform && !g->returned && (t == T_I32) && chance(g, 40);
    s->e[0] = warp ? warp_value(g, t, 2) : expr(g, t, 3, uniform);
    return s;
}

static Stmt *store(Gen *g) {
    int start = below(g, g->p->narrays);
    for (int k = 0; k < g->p->narrays; k++) {
        int i = (start + k) % g->p->narrays;
        const Array *x = &g->p->arrays[i];
        if (x->space == SPACE_IN || i < RESULT_ARRAYS) continue;
        bool block = x->space == SPACE_GLOBAL || x->space == SPACE_SHARED;
        if (block && g->modes[i] == MODE_READ) continue;
        Stmt *s = new_stmt(g, block && g->modes[i] == MODE_OWN ? STMT_STORE_OWN
                              : x->space == SPACE_LOCAL        ? STMT_STORE_LOCAL
                                                               : STMT_ATOMIC);
        s->array = i;
        s->op = below(g, x->slots);
        s->e[0] = expr(g, x->type, 3, false);
        s->e[1] = expr(g, T_I32, 2, false);
        return s;
    }
    return NULL;
}

static void set_modes(Gen *g, const Mode *m) { memcpy(g->modes, m, sizeof g->modes); }

static Stmt *barrier(Gen *g, bool plain) {
    Stmt *s = new_stmt(g, STMT_BARRIER);
    if (!plain && chance(g, 20)) {
        s->op = 1 + below(g, 3);
        s->e[0] = expr(g, T_BOOL, 3, false);
        for (int i = 0; i < g->p->nvars; i++)
            if (g->p->vars[i].uniform && !g->p->vars[i].counter && g->p->vars[i].type == T_I32) s->var = i;
        if (s->var < 0) s->op = 0;
    }
    for (int i = 0; i < g->p->narrays; i++) {
        const Array *x = &g->p->arrays[i];
        if (i < RESULT_ARRAYS || (x->space != SPACE_GLOBAL && x->space != SPACE_SHARED)) continue;
        bool atomics = x->type == T_I32 || x->type == T_I64;
        g->modes[i] = (Mode)below(g, atomics ? 3 : 2);
    }
    return s;
}

/* Where two ways meet the modes must agree: a barrier at the end of the list sees to that. */
static Stmt *restore(Gen *g, Stmt *list, const Mode *want) {
    if (!memcmp(g->modes, want, sizeof g->modes)) return list;
    Stmt **end = &list;
    while (*end) end = &(*end)->next;
    *end = barrier(g, true);
    set_modes(g, want);
    return list;
}

/* A body of a construct: at uniform places it ends in the modes with which it began. */
static Stmt *closed_body(Gen *g, int depth, int length, bool uniform) {
    Mode before[MAX_ARRAYS];
    memcpy(before, g->modes, sizeof before);
    bool outer = g->uniform;
    g->uniform = uniform;
    Stmt *s = body(g, depth, length);
    if (uniform) s = restore(g, s, before);
    g->uniform = outer;
    return s;
}

static void push_target(Gen *g, Stmt *s, bool uniform) {
    Target *t = &g->targets[g->ntargets++];
    t->stmt = s;
    t->uniform = uniform;
    memcpy(t->modes, g->modes, sizeof t->modes);
}

static Stmt *branch(Gen *g, int depth) {
    bool uniform = g->uniform && chance(g, 45);
    int kind = below(g, 100);
    Stmt *s = new_stmt(g, kind < 75 || uniform ? STMT_IF : kind < 88 ? STMT_SWITCH : STMT_CROSS);
    if (s->kind == STMT_SWITCH) {
        s->e[0] = expr(g, T_I32, 3, false);
        s->op = below(g, 8);
        for (int i = 0; i < 4; i++) s->body[i] = closed_body(g, depth - 1, 1 + below(g, 2), false);
        return s;
    }
    s->e[0] = expr(g, T_BOOL, 3, uniform);
    s->body[0] = closed_body(g, depth - 1, 1 + below(g, 4), uniform);
    if (s->kind == STMT_CROSS) {
        s->e[1] = expr(g, T_BOOL, 3, false);
        s->body[2] = closed_body(g, depth - 1, 1 + below(g, 2), false);
    }
    if (s->kind == STMT_CROSS || chance(g, 50)) s->body[1] = closed_body(g, depth - 1, 1 + below(g, 3), uniform);
    return s;
}

static Stmt *loop(Gen *g, int depth) {
    bool uniform = g->uniform && chance(g, 60);
    int kind = below(g, 100);
    if (g->ntargets == MAX_TARGETS || g->p->nvars > MAX_VARS - 4) return NULL;
    Stmt *s = new_stmt(g, kind < 50 ? STMT_FOR : kind < 65 ? STMT_WHILE : kind < 80 ? STMT_DO : STMT_BLOCK);
    if (s->kind == STMT_FOR) {
        s->op = chance(g, 70) ? 3 : 7;
        s->e[0] = expr(g, T_I32, 2, uniform);
        s->var = new_var(g, T_I32, uniform, true, small(g, 0));
    } else if (s->kind != STMT_BLOCK) {
        s->op = 1 + below(g, 5);
        s->e[0] = expr(g, T_BOOL, 3, uniform);
    }
    push_target(g, s, uniform);
    s->body[0] = closed_body(g, depth - 1, 1 + below(g, 5), uniform);
    g->ntargets--;
    return s;
}

static Stmt *jump(Gen *g) {
    if (chance(g, 10) && !g->p->warp) {
        Stmt *s = new_stmt(g, STMT_RETURN);
        s->e[0] = expr(g, T_BOOL, 3, false);
        g->returned = true;
        return s;
    }
    if (!g->ntargets) return NULL;
    const Target *t = &g->targets[chance(g, 60) ? g->ntargets - 1 : below(g, g->ntargets)];
    if (t->uniform != g->uniform || (t->uniform && memcmp(t->modes, g->modes, sizeof g->modes))) return NULL;
    bool next = t->stmt->kind != STMT_BLOCK && chance(g, 35);
    Stmt *s = new_stmt(g, next ? STMT_CONTINUE : STMT_LEAVE);
    s->target = t->stmt;
    s->e[0] = expr(g, T_BOOL, 3, t->uniform);
    return s;
}

static Stmt *statement(Gen *g, int depth) {
    int k = below(g, 100);
    if (g->uniform && k < 12) return barrier(g, false);
    if (depth > 0 && k < 32) return branch(g, depth);
    if (depth > 0 && k < 50) return loop(g, depth);
    if (k < 60) return jump(g);
    if (k < 78) return store(g);
    return assign(g);
}

static Stmt *body(Gen *g, int depth, int length) {
    Stmt *first = NULL, **end = &first;
    for (int i = 0; i < length && g->budget > 0; i++) {
        Stmt *s = statement(g, depth);
        if (!s) continue;
        *end = s;
        end = &s->next;
    }
    return first;
}

/* ---- the frame of a program ---- */

static void add_array(Gen *g, Space space, Type t, int slots, Map map) {
    Array x = {space, t, slots, map, 0, below(g, AT_COUNT)};
    x.n = space == SPACE_IN       ? IN_ELEMS
          : space == SPACE_LOCAL  ? LOCAL_ELEMS
          : space == SPACE_ATOMIC ? ATOMIC_ELEMS
                                  : MAX_THREADS * slots;
    g->p->arrays[g->p->narrays++] = x;
}

/* The first two arrays take the variables at the end. */
static void add_arrays(Gen *g) {
    static const Type in[] = {T_I32, T_F32, T_I8, T_I64, T_I16, T_F64};
    int count = 2 + below(g, 4);
    for (int i = 0; i < count; i++) add_array(g, SPACE_IN, in[i], 1, MAP_PACKED);
    count = 1 + below(g, 2);
    for (int i = 0; i < count; i++) add_array(g, SPACE_GLOBAL, chance(g, 60) ? T_I32 : any_type(g), 1 << below(g, 3), (Map)below(g, MAP_COUNT));
    count = below(g, 4);
    for (int i = 0; i < count; i++) add_array(g, SPACE_SHARED, chance(g, 60) ? T_I32 : any_type(g), 1 << below(g, 2), (Map)below(g, MAP_COUNT));
    count = below(g, 3);
    Type t = any_type(g);
    for (int i = 0; i < count; i++) add_array(g, SPACE_LOCAL, t, 1, MAP_PACKED);
    if (chance(g, 50)) add_array(g, SPACE_ATOMIC, chance(g, 70) ? T_I32 : T_I64, 1, MAP_PACKED);
    for (int i = 0; i < g->p->narrays; i++)
        if (g->p->arrays[i].type == T_BOOL) g->p->arrays[i].type = T_I8;
}

static void add_vars(Gen *g) {
    int uniform = 2 + below(g, 3), varying = 3 + below(g, 5);
    new_var(g, T_I32, true, false, constant(g, T_I32));
    for (int i = 0; i < uniform; i++) {
        Type t = i == 0 ? T_I32 : any_type(g);
        Expr *init = expr(g, t, 2, true);
        new_var(g, t, true, false, init);
    }
    for (int i = 0; i < varying; i++) {
        Type t = i == 0 ? T_I32 : any_type(g);
        Expr *init = expr(g, t, 2, false);
        new_var(g, t, false, false, init);
    }
}

/* Every variable ends in the result arrays: integers in array 0, floats in array 1. */
static Stmt *store_results(Gen *g) {
    Stmt *first = NULL;
    int slot[2] = {0, 0};
    for (int i = 0; i < g->p->nvars; i++) {
        Type t = g->p->vars[i].type;
        int array = type_is_float(t), at = slot[array]++;
        Stmt *s = new_stmt(g, STMT_STORE_OWN);
        Expr *v = new_expr(g, E_VAR, t);
        v->index = i;
        s->array = array;
        s->op = at;
        s->e[0] = t == T_F64 || t == T_I64 ? v : cast(g, t == T_F32 ? CAST_FPEXT : CAST_SEXT, array ? T_F64 : T_I64, v);
        s->next = first;
        first = s;
    }
    for (int a = 0; a < 2; a++) {
        g->p->arrays[a].slots = slot[a] ? slot[a] : 1;
        g->p->arrays[a].n = MAX_THREADS * g->p->arrays[a].slots;
    }
    return first;
}

Program *generate(Arena *a, uint64_t seed, bool warp) {
    Gen g = {.a = a, .r = {seed * UINT64_C(0x2545f4914f6cdd1d) + 1}, .uniform = true};
    g.p = arena_alloc(a, sizeof *g.p);
    g.p->arena = a;
    g.p->warp = warp;
    add_array(&g, SPACE_GLOBAL, T_I64, 1, MAP_STRIDED);
    add_array(&g, SPACE_GLOBAL, T_F64, 1, MAP_STRIDED);
    add_arrays(&g);
    /* the result arrays are no part of the random program: no mode lets it touch them */
    g.modes[0] = g.modes[1] = MODE_COUNT;
    add_vars(&g);
    g.budget = 8 + below(&g, 45);
    g.p->body = body(&g, 2 + below(&g, 3), 3 + below(&g, 8));
    Stmt **end = &g.p->body;
    while (*end) end = &(*end)->next;
    *end = store_results(&g);
    return g.p;
}
