/* generate.c: a random program from a seed.
**
** Two kinds of places: *uniform* ones, where all live threads of the block come, may hold barriers
** and assign uniform variables, and their conditions must then be uniform to open a uniform place
** again; everything else is divergent.  Each block array has a mode between two barriers (own slots
** only, read by all, atomics without result by all), which is the same on all ways to a place: that
** makes programs free of races.  Jumps out of a construct are only made from the same kind of place
** and, at uniform places, in the modes with which the construct began. */
#include "tests/fuzz/generate.h"

/* ---- statements ---- */

Stmt *new_stmt(Gen *g, StmtKind kind) {
    Stmt *s = arena_alloc(g->a, sizeof *s);
    s->kind = kind;
    s->uniform = g->uniform;
    s->var = s->array = -1;
    g->budget--;
    return s;
}

static Stmt *body(Gen *g, int depth, int length);

static int new_var(Gen *g, Type t, bool uniform, bool counter, Expr *init) {
    g->p->vars[g->p->nvars] = (Var){t, uniform, counter, g->scope, init, false};
    return g->p->nvars++;
}

int add_var(Gen *g, Type t, Expr *init) { return new_var(g, t, false, false, init); }
int add_counter(Gen *g, bool uniform) { return new_var(g, T_I32, uniform, true, small(g, 0)); }

int assignable(Gen *g, bool uniform) {
    for (int tries = 0; tries < 50; tries++) {
        int v = below(g, g->p->nvars);
        const Var *x = &g->p->vars[v];
        if (!x->counter && x->uniform == uniform && x->scope == g->scope) return v;
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
    s->e[0] = expr(g, t, 3, uniform);
    return s;
}

/* varying variable = warp function */
static Stmt *warp_assign(Gen *g) {
    int v = -1, start = below(g, g->p->nvars);
    for (int i = 0; i < g->p->nvars && v < 0; i++) {
        const Var *x = &g->p->vars[(start + i) % g->p->nvars];
        if (x->type == T_I32 && !x->uniform && !x->counter && !x->scope) v = (start + i) % g->p->nvars;
    }
    if (v < 0) return NULL;
    Stmt *s = new_stmt(g, STMT_ASSIGN);
    s->var = v;
    s->e[0] = warp_value(g, T_I32, 2);
    return s;
}

static void store_vector(Gen *g, Stmt *s) {
    static const int ints[] = {-1, -1, B_ADD, B_SUB, B_XOR, B_MUL}, reals[] = {-1, -1, B_FADD, B_FMUL, B_FSUB, B_FDIV};
    Type t = g->p->arrays[s->array].type;
    s->kind = STMT_STORE_VECTOR;
    s->op = (type_is_float(t) ? reals : ints)[below(g, 6)];
    for (int i = 0; i < 2; i++) s->e[i] = expr(g, t, 3, false);
}

/* 0 ... 3: sums of these have no rounding, in whatever order. */
static Expr *exact_sum(Gen *g, Type t) {
    Expr *e = new_expr(g, E_BIN, T_I32);
    e->op = B_AND;
    e->a[0] = expr(g, T_I32, 3, false);
    e->a[1] = small(g, 3);
    return cast(g, CAST_SITOFP, t, e);
}

static Stmt *store_from(Gen *g, int start) {
    for (int k = 0; k < g->p->narrays; k++) {
        int i = (start + k) % g->p->narrays;
        const Array *x = &g->p->arrays[i];
        if (x->space == SPACE_IN || x->space == SPACE_TABLE || x->space == SPACE_GRID || i < RESULT_ARRAYS) continue;
        bool block = x->space == SPACE_GLOBAL || x->space == SPACE_SHARED;
        if (block && (g->modes[i] == MODE_READ || g->modes[i] == MODE_COUNT)) continue;
        if (x->space == SPACE_LOCAL && g->scope) continue;
        Stmt *s = new_stmt(g, block && g->modes[i] == MODE_OWN ? STMT_STORE_OWN
                              : x->space == SPACE_LOCAL        ? STMT_STORE_LOCAL
                                                               : STMT_ATOMIC);
        s->array = i;
        s->op = below(g, x->slots);
        if (s->kind == STMT_STORE_OWN && is_short_vector(g, x)) {
            store_vector(g, s);
            return s;
        }
        s->e[0] = s->kind == STMT_ATOMIC && type_is_float(x->type) ? exact_sum(g, x->type) : expr(g, x->type, 3, false);
        s->e[1] = expr(g, T_I32, 2, false);
        if (s->kind == STMT_ATOMIC && (g->p->features & FEATURE_RETRY) && (x->op > AT_FADD || chance(g, 60))) {
            s->kind = STMT_RETRY;
            s->op = below(g, RETRY_FORMS);
        }
        return s;
    }
    return NULL;
}

static Stmt *store(Gen *g) { return store_from(g, below(g, g->p->narrays)); }

static Stmt *retry(Gen *g) {
    int i = 0;
    while (g->p->arrays[i].space != SPACE_ATOMIC) i++;
    return store_from(g, i);
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
        if (i < RESULT_ARRAYS || x->whole || (x->space != SPACE_GLOBAL && x->space != SPACE_SHARED)) continue;
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
    int mask = g->mask;
    g->uniform = uniform;
    if (!uniform) g->mask = MASK_UNKNOWN;
    Stmt *s = body(g, depth, length);
    if (uniform) s = restore(g, s, before);
    g->uniform = outer;
    g->mask = mask;
    return s;
}

static void push_target(Gen *g, Stmt *s, bool uniform) {
    Target *t = &g->targets[g->ntargets++];
    t->stmt = s;
    t->uniform = uniform;
    memcpy(t->modes, g->modes, sizeof t->modes);
}

/* A divergent body whose lanes know each other: nobody may leave it early. */
static Stmt *masked_body(Gen *g, int depth, int length, int mask) {
    bool outer = g->uniform;
    int around = g->mask, first = g->first_target;
    g->uniform = false;
    g->mask = mask;
    g->first_target = g->ntargets;
    Stmt *s = body(g, depth, length);
    g->uniform = outer;
    g->mask = around;
    g->first_target = first;
    return s;
}

static Stmt *warp_construct(Gen *g, int depth) {
    if (g->p->nvars > MAX_VARS - 4) return NULL;
    Stmt *s = new_stmt(g, chance(g, 60) ? STMT_WARP_IF : STMT_WARP_WHILE);
    s->array = g->mask;
    s->op = 1 + below(g, 5);
    s->e[0] = expr(g, T_BOOL, 3, false);
    s->var = new_var(g, T_I32, false, true, small(g, 0));
    s->body[0] = masked_body(g, depth - 1, 1 + below(g, 4), s->var);
    return s;
}

static Stmt *tangle(Gen *g, int depth) {
    Stmt *s = new_stmt(g, STMT_TANGLE);
    s->op = 1 + below(g, 5);
    for (int i = 0; i < 2; i++) {
        s->e[i] = expr(g, T_BOOL, 3, false);
        s->body[i] = closed_body(g, depth - 1, 1 + below(g, 3), false);
    }
    return s;
}

static Stmt *grid_loop(Gen *g, int depth) {
    int array = -1;
    for (int i = 0; i < g->p->narrays; i++)
        if (g->p->arrays[i].space == SPACE_GRID) array = i;
    if (array < 0 || g->p->nvars > MAX_VARS - 4) return NULL;
    Stmt *s = new_stmt(g, STMT_GRID);
    s->array = array;
    s->var = new_var(g, T_I32, false, true, small(g, 0));
    s->body[0] = closed_body(g, depth - 2, below(g, 3), false);
    s->e[0] = expr(g, g->p->arrays[array].type, 3, false);
    return s;
}

/* What all threads agree on, joined with what they do not: split_conditions, branch_on_selects. */
static Expr *joined(Gen *g) {
    Expr *e = new_expr(g, chance(g, 50) ? E_AND_THEN : E_OR_ELSE, T_BOOL);
    int uniform = below(g, 2);
    for (int i = 0; i < 2; i++) e->a[i] = expr(g, T_BOOL, 2, i == uniform);
    return chance(g, 30) ? binary(g, chance(g, 50) ? B_AND : B_OR, T_BOOL, e, expr(g, T_BOOL, 2, chance(g, 50))) : e;
}

static Stmt *branch(Gen *g, int depth) {
    if (!calm(g) && g->p->warp && g->mask != MASK_UNKNOWN && !g->returned && chance(g, 35)) return warp_construct(g, depth);
    if (!calm(g) && (g->p->features & FEATURE_TANGLE) && chance(g, 15)) return tangle(g, depth);
    bool uniform = g->uniform && (calm(g) || chance(g, 45));
    int kind = below(g, 100);
    Stmt *s = new_stmt(g, kind < 75 || uniform ? STMT_IF : kind < 88 ? STMT_SWITCH : STMT_CROSS);
    if (s->kind == STMT_SWITCH) {
        s->e[0] = expr(g, T_I32, 3, false);
        s->op = below(g, 8);
        for (int i = 0; i < 4; i++) s->body[i] = closed_body(g, depth - 1, 1 + below(g, 2), false);
        return s;
    }
    s->e[0] = !uniform && chance(g, 25) ? joined(g) : expr(g, T_BOOL, 3, uniform);
    s->body[0] = closed_body(g, depth - 1, 1 + below(g, 4), uniform);
    if (s->kind == STMT_CROSS) {
        s->e[1] = expr(g, T_BOOL, 3, false);
        s->body[2] = closed_body(g, depth - 1, 1 + below(g, 2), false);
    }
    if (s->kind == STMT_CROSS || chance(g, 50)) s->body[1] = closed_body(g, depth - 1, 1 + below(g, 3), uniform);
    return s;
}

static Stmt *loop(Gen *g, int depth) {
    bool uniform = g->uniform && (calm(g) || chance(g, 60));
    int kind = below(g, 100);
    if (!calm(g) && (g->p->features & FEATURE_GRID) && depth > 1 && chance(g, 20)) return grid_loop(g, depth);
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
    if (calm(g) && !g->uniform) return NULL;
    if (chance(g, 10) && (!g->p->warp || g->scope) && !calm(g)) {
        Stmt *s = new_stmt(g, STMT_RETURN);
        s->e[0] = expr(g, T_BOOL, 3, false);
        if (g->scope) s->e[1] = expr(g, g->p->functions[g->scope - 1].type, 2, false);
        else g->returned = true;
        return s;
    }
    int n = g->ntargets - g->first_target;
    if (n <= 0) return NULL;
    const Target *t = &g->targets[chance(g, 60) ? g->ntargets - 1 : g->first_target + below(g, n)];
    if (t->uniform != g->uniform || (t->uniform && memcmp(t->modes, g->modes, sizeof g->modes))) return NULL;
    bool next = t->stmt->kind != STMT_BLOCK && chance(g, 35);
    Stmt *s = new_stmt(g, next ? STMT_CONTINUE : STMT_LEAVE);
    s->target = t->stmt;
    s->e[0] = expr(g, T_BOOL, 3, t->uniform);
    return s;
}

/* for (k = 0; k < (data & 7); k++) { ...; for (j = 0; j < (data & 15); j++) ...; ... }, which flatten_loops takes: loops
** of lengths that differ, left by data in some, around assignments and stores. */
static Stmt *nested(Gen *g, int depth) {
    if (g->p->nvars > MAX_VARS - 4 || g->ntargets == MAX_TARGETS) return NULL;
    Stmt *s = new_stmt(g, STMT_FOR);
    s->op = (depth > 2 ? 3 : 7) << below(g, 2) | 3;
    s->e[0] = expr(g, T_I32, 2, false);
    s->var = new_var(g, T_I32, false, true, small(g, 0));
    push_target(g, s, false);
    bool outer = g->uniform;
    int mask = g->mask;
    g->uniform = false;
    g->mask = MASK_UNKNOWN;
    Stmt **end = &s->body[0];
    for (int i = below(g, 3); i > 0; i--) end = append(end, chance(g, 70) ? assign(g) : chance(g, 50) ? store(g) : jump(g));
    end = append(end, depth > 1 && chance(g, 60) ? nested(g, depth - 1) : assign(g));
    for (int i = below(g, 3); i > 0; i--) end = append(end, chance(g, 70) ? assign(g) : store(g));
    g->uniform = outer;
    g->mask = mask;
    g->ntargets--;
    return s;
}

/* Range tests one behind the other. */
static Stmt *guards(Gen *g) {
    Stmt *first = NULL, **end = &first;
    for (int i = 2 + below(g, 3); i; i--) {
        Stmt *s = *end = new_stmt(g, STMT_IF);
        s->e[0] = range_test(g);
        s->body[0] = closed_body(g, 0, 2 + below(g, 2), false);
        if (chance(g, 20)) s->body[1] = closed_body(g, 0, 1, false);
        end = &s->next;
    }
    return first;
}

static Stmt *statement(Gen *g, int depth) {
    int k = below(g, 100);
    if (g->p->warp && g->mask != MASK_UNKNOWN && !g->returned && chance(g, 25)) return warp_assign(g);
    if (g->nfields && !g->scope && chance(g, 20)) return fields_statement(g);
    if (has_patterns(g) && chance(g, 15)) return pattern_statement(g);
    if ((g->p->features & FEATURE_RETRY) && chance(g, 12)) return retry(g);
    if (!calm(g) && chance(g, 10)) return guards(g);
    if (!calm(g) && depth > 0 && chance(g, 8)) return nested(g, depth + 1);
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
        for (*end = s; *end;) end = &(*end)->next;
    }
    return first;
}

/* ---- the frame of a program ---- */

Array *add_array(Gen *g, Space space, Type t, int slots, Map map) {
    if (t == T_BOOL) t = T_I8;
    Array x = {.space = space, .type = t, .slots = slots, .map = map, .op = below(g, AT_COUNT), .owner = -1, .alias = -1, .stride = type_bytes(t)};
    x.n = space == SPACE_IN       ? IN_ELEMS
          : space == SPACE_LOCAL  ? LOCAL_ELEMS
          : space == SPACE_TABLE  ? TABLE_ELEMS
          : space == SPACE_ATOMIC ? ATOMIC_ELEMS
          : space == SPACE_GRID   ? GRID_ELEMS
                                  : MAX_THREADS * slots;
    if ((g->p->features & FEATURE_RETRY) && chance(g, 45)) x.op = AT_MUL + below(g, AT_END - AT_MUL);
    if (type_is_float(t)) x.op = AT_FADD;
    g->p->arrays[g->p->narrays] = x;
    return &g->p->arrays[g->p->narrays++];
}

/* An array of structures: each field is an array for the rest of the generator. */
static void add_structure(Gen *g) {
    static const Type types[] = {T_I32, T_F32, T_I8, T_I64, T_I16, T_F64};
    int first = g->p->narrays, fields = 2 + below(g, 3);
    unsigned end = 0, align = 1;
    Space space = chance(g, 60) ? SPACE_GLOBAL : SPACE_SHARED;
    Map map = (Map)below(g, MAP_COUNT);
    for (int i = 0; i < fields; i++) {
        Array *x = add_array(g, space, chance(g, 40) ? T_I32 : types[below(g, 6)], 1, map);
        unsigned bytes = type_bytes(x->type);
        x->owner = i ? first : -1;
        x->field = i;
        x->offset = (end + bytes - 1) / bytes * bytes;
        end = x->offset + bytes;
        if (bytes > align) align = bytes;
    }
    for (int i = 0; i < fields; i++) g->p->arrays[first + i].stride = (end + align - 1) / align * align;
}

static void add_dynamic(Gen *g) {
    int count = 1 + below(g, 2);
    for (int i = 0; i < count; i++) {
        Array *x = add_array(g, SPACE_SHARED, chance(g, 60) ? T_I32 : any_type(g), 1 << below(g, 2), (Map)below(g, MAP_COUNT));
        x->dynamic = true;
        x->at = g->p->dynamic_bytes;
        g->p->dynamic_bytes += (unsigned)x->n * x->stride;
    }
}

/* The first two arrays take the variables at the end. */
static void add_arrays(Gen *g) {
    static const Type in[] = {T_I32, T_F32, T_I8, T_I64, T_I16, T_F64};
    static const Type sums[] = {T_I32, T_I32, T_I64, T_F32, T_F64};
    unsigned f = g->p->features;
    int count = 2 + below(g, 4);
    for (int i = 0; i < count; i++) add_array(g, SPACE_IN, in[i], 1, MAP_PACKED);
    count = 1 + below(g, 2);
    for (int i = 0; i < count; i++) add_array(g, SPACE_GLOBAL, chance(g, 60) ? T_I32 : any_type(g), 1 << below(g, 3), (Map)below(g, MAP_COUNT));
    count = below(g, 4);
    for (int i = 0; i < count; i++) add_array(g, SPACE_SHARED, chance(g, 60) ? T_I32 : any_type(g), 1 << below(g, 2), (Map)below(g, MAP_COUNT));
    if (f & FEATURE_DYNAMIC) add_dynamic(g);
    if (f & FEATURE_STRUCT) add_structure(g);
    count = below(g, 3);
    Type t = any_type(g);
    for (int i = 0; i < count; i++) add_array(g, SPACE_LOCAL, t, 1, MAP_PACKED);
    if ((f & FEATURE_RETRY) || chance(g, 50)) add_array(g, SPACE_ATOMIC, sums[below(g, f & FEATURE_FLOAT_ATOMIC ? 5 : 3)], 1, MAP_PACKED);
    if (f & FEATURE_GRID) add_array(g, SPACE_GRID, chance(g, 60) ? any_int(g) : any_float(g), 1, MAP_PACKED);
    add_pattern_arrays(g);
    if (f & FEATURE_FIELDS) add_fields(g);
}

static unsigned choose_features(Gen *g) {
    unsigned f = 0;
#define X(name, percent) f |= chance(g, percent) ? FEATURE_##name : 0;
    FEATURES(X)
#undef X
    if (g->p->warp && chance(g, 20)) f |= FEATURE_CONDITIONS;
    if (f & FEATURE_CALM) f &= ~(unsigned)FEATURE_RETRY;
    return f;
}

/* v = itself, with a second argument that comes to an end: if (arg 1 > 0) v = f(..., (arg 1 & 7) - 1). */
static Stmt *call_itself(Gen *g, int function) {
    const Function *f = &g->p->functions[function];
    Expr *left = new_expr(g, E_VAR, T_I32), *more = new_expr(g, E_CMP, T_BOOL);
    left->index = f->arg[1];
    more->op = C_SGT;
    more->a[0] = left;
    more->a[1] = small(g, 0);
    Stmt *s = new_stmt(g, STMT_IF), *v = new_stmt(g, STMT_ASSIGN);
    s->e[0] = more;
    s->body[0] = v;
    v->var = new_var(g, f->type, false, false, constant(g, f->type));
    v->e[0] = call(g, function, 2);
    Expr *cut = new_expr(g, E_BIN, T_I32), *less = new_expr(g, E_BIN, T_I32);
    cut->op = B_AND, cut->a[0] = left, cut->a[1] = small(g, 7);
    less->op = B_SUB, less->a[0] = cut, less->a[1] = small(g, 1);
    v->e[0]->a[1] = less;
    return s;
}

/* The same as the last thing that the function does: v = ...; if (...) v = f(...); return v. */
static void end_by_itself(Gen *g, Function *f, int function) {
    Stmt *again = call_itself(g, function), *first = new_stmt(g, STMT_ASSIGN), **end = &f->body;
    Expr *value = new_expr(g, E_VAR, f->type);
    first->var = value->index = again->body[0]->var;
    first->e[0] = expr(g, f->type, 3, false);
    first->next = again;
    while (*end) end = &(*end)->next;
    *end = first;
    f->value = value;
}

static void add_function(Gen *g) {
    int k = g->p->nfunctions;
    Function *f = &g->p->functions[k];
    f->type = chance(g, 60) ? T_I32 : T_F32;
    f->arg_type[0] = chance(g, 70) ? f->type : any_type(g);
    if (k && chance(g, 50)) f->type = f[-1].type, f->arg_type[0] = f[-1].arg_type[0]; /* for calls of either */
    f->arg_type[1] = T_I32;
    f->keep = chance(g, 50);
    g->scope = k + 1;
    for (int i = 0; i < 2; i++) f->arg[i] = new_var(g, f->arg_type[i], false, true, NULL);
    for (int i = 0; i < 2; i++) {
        Type t = i ? any_type(g) : f->type;
        Expr *init = expr(g, t, 2, false);
        new_var(g, t, false, false, init);
    }
    g->budget = 6;
    f->body = body(g, 2, 1 + below(g, 3));
    if (chance(g, 50)) {
        Stmt *s = call_itself(g, k);
        s->next = f->body;
        f->body = s;
    }
    if (chance(g, 30)) end_by_itself(g, f, k);
    else f->value = expr(g, f->type, 3, false);
    g->p->nfunctions++;
}

/* Functions see what is global, and no block array: they may be called anywhere. */
static void add_functions(Gen *g) {
    Mode modes[MAX_ARRAYS];
    memcpy(modes, g->modes, sizeof modes);
    for (int i = 0; i < MAX_ARRAYS; i++) g->modes[i] = MODE_COUNT;
    g->uniform = false;
    g->mask = MASK_UNKNOWN;
    for (int n = 1 + below(g, 3); n; n--) add_function(g);
    g->scope = 0;
    g->uniform = true;
    g->mask = MASK_ALL;
    set_modes(g, modes);
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
        if (g->p->vars[i].scope || g->p->vars[i].passing) continue;
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
    Gen g = {.a = a, .r = {seed * UINT64_C(0x2545f4914f6cdd1d) + 1}, .uniform = true, .mask = MASK_ALL};
    g.p = arena_alloc(a, sizeof *g.p);
    g.p->arena = a;
    g.p->warp = warp;
    g.p->features = choose_features(&g);
    add_array(&g, SPACE_GLOBAL, T_I64, 1, MAP_STRIDED);
    add_array(&g, SPACE_GLOBAL, T_F64, 1, MAP_STRIDED);
    add_arrays(&g);
    /* the result arrays are no part of the random program: no mode lets it touch them */
    g.modes[0] = g.modes[1] = MODE_COUNT;
    if (g.p->features & FEATURE_COLUMNS) g.p->lead = 1 + below(&g, 2);
    if (g.p->features & FEATURE_CALL) add_functions(&g);
    add_vars(&g);
    if (g.nfields) add_held(&g);
    g.budget = 8 + below(&g, 45);
    bool little = g.nfields && chance(&g, 60), patterns = !little && has_patterns(&g) && chance(&g, 55);
    if (patterns) g.p->line = chance(&g, 50);
    g.p->body = little ? fields_body(&g) : patterns ? patterns_body(&g) : body(&g, 2 + below(&g, 3), 3 + below(&g, 8));
    bool stored = g.p->features & (FEATURE_WIDE | FEATURE_CONVERT | FEATURE_CONDITIONS | FEATURE_RARE);
    if ((little && chance(&g, 70)) || (patterns && stored && chance(&g, 40))) return g.p; /* the structures, or the arrays, show what came out */
    Stmt **end = &g.p->body;
    while (*end) end = &(*end)->next;
    *end = store_results(&g);
    return g.p;
}
