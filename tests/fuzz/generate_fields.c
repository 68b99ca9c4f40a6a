/* generate_fields.c: structures in global memory of which each thread has its own.
**
** One or two arrays of one structure, one of them perhaps through a second parameter as well, and runs of statements
** that load, exchange, compute and store the fields of the own structures in any order, copy whole structures, and
** load again what they stored; plain, behind range tests, in divergent branches and in loops.  No barrier and no mode
** is asked for: such an array is the thread's own from begin to end.
**
** A part of these programs has little else, as kernels that move structures do: what LLVM's loop vectorizer and the
** vectors of widen_fields make of accesses shows only there. */
#include "tests/fuzz/generate.h"

static Array *add_field(Gen *g, Type t, int first, int k) {
    Array *x = add_array(g, SPACE_GLOBAL, t, 1, MAP_STRIDED);
    unsigned bytes = type_bytes(t), end = k ? x[-1].offset + type_bytes(x[-1].type) : 0;
    x->whole = true;
    x->owner = k ? first : -1;
    x->field = k;
    x->offset = (end + bytes - 1) / bytes * bytes;
    return x;
}

/* An array of structures with these fields; `alias`: the one whose memory it has.  Most lie as the first one does. */
static void add_fields_array(Gen *g, const Type *types, int n, int alias) {
    int first = g->p->narrays, slots = chance(g, 75) ? 1 : 2;
    Map map = chance(g, 70) ? MAP_PACKED : (Map)below(g, MAP_COUNT);
    if (g->nstructures && chance(g, 80)) slots = g->p->arrays[g->structures[0]].slots, map = g->p->arrays[g->structures[0]].map;
    unsigned end = 0, align = 1;
    for (int k = 0; k < n; k++) {
        Array *x = add_field(g, types[k], first, k);
        if (type_bytes(types[k]) > align) align = type_bytes(types[k]);
        end = x->offset + type_bytes(types[k]);
    }
    for (int k = 0; k < n; k++) {
        Array *x = &g->p->arrays[first + k];
        const Array *other = alias >= 0 ? &g->p->arrays[alias] : NULL;
        x->stride = (end + align - 1) / align * align;
        x->slots = other ? other->slots : slots;
        x->map = other ? other->map : map;
        x->n = MAX_THREADS * x->slots;
        x->alias = alias >= 0 ? alias + k : -1;
    }
    g->structures[g->nstructures++] = first;
}

void add_fields(Gen *g) {
    static const Type one[] = {T_F32, T_F32, T_I32, T_I32, T_I8, T_I16, T_F64, T_I64}, mixed[] = {T_I32, T_F32, T_I32, T_F32, T_I64, T_I8};
    Type types[MAX_FIELDS], same = one[below(g, 8)];
    bool alike = chance(g, 75);
    g->nfields = chance(g, 70) ? 2 + below(g, 2) : 2 + below(g, MAX_FIELDS - 1);
    for (int k = 0; k < g->nfields; k++) types[k] = alike ? same : mixed[below(g, 6)];
    for (int i = 1 + below(g, 2); i; i--) add_fields_array(g, types, g->nfields, -1);
    if (g->nstructures == 1 || chance(g, 30)) add_fields_array(g, types, g->nfields, g->structures[below(g, g->nstructures)]);
    g->p->line = chance(g, 60);
}

/* Variables in which a thread holds the fields of a structure. */
void add_held(Gen *g) {
    for (int k = 0; k < g->nfields; k++) {
        Type t = g->p->arrays[g->structures[0] + k].type;
        Expr *init = constant(g, t);
        g->held[k] = add_var(g, t, init);
    }
}

/* ---- accesses ---- */

static int any_structure(Gen *g) { return g->structures[below(g, g->nstructures)]; }

static Expr *load_of(Gen *g, int structure, int slot, int field) {
    Expr *e = new_expr(g, E_LOAD_OWN, g->p->arrays[structure + field].type);
    e->index = structure + field;
    e->op = slot;
    return e;
}

static Expr *load_any(Gen *g) {
    int s = any_structure(g);
    return load_of(g, s, below(g, g->p->arrays[s].slots), below(g, g->nfields));
}

static Expr *held(Gen *g, int k) {
    Expr *e = new_expr(g, E_VAR, g->p->vars[g->held[k]].type);
    e->index = g->held[k];
    return e;
}

/* A float that fits no integer is no number for this: it goes through float_to_int's guard, which is a branch. */
static Expr *as_type(Gen *g, Type t, Expr *e) {
    Type from = e->type;
    if (from == t) return e;
    if (type_is_float(t)) return cast(g, !type_is_float(from) ? CAST_SITOFP : t == T_F64 ? CAST_FPEXT : CAST_FPTRUNC, t, e);
    if (type_is_float(from)) return calm(g) ? constant(g, t) : cast(g, CAST_FPTOSI, t, e);
    return cast(g, type_bits(from) > type_bits(t) ? CAST_TRUNC : CAST_SEXT, t, e);
}

static Expr *operand(Gen *g, Type t, bool loads) {
    int k = below(g, 100);
    if (loads && k < 60) return as_type(g, t, load_any(g));
    if (k < 80) return as_type(g, t, held(g, below(g, g->nfields)));
    if (!loads || k < 88) return constant(g, t);
    return k < 96 ? as_type(g, t, cast(g, CAST_SEXT, T_I64, place(g))) : expr(g, t, 2, false);
}

/* e, or more often not, combined with something else; which is in memory only if `loads`. */
static Expr *changed(Gen *g, Expr *e, bool loads) {
    static const BinOp ints[] = {B_ADD, B_SUB, B_XOR, B_MUL, B_SMAX}, reals[] = {B_FADD, B_FSUB, B_FMUL, B_FADD, B_FSUB};
    if (chance(g, 60)) return e;
    Expr *r = new_expr(g, E_BIN, e->type);
    r->op = (type_is_float(e->type) ? reals : ints)[below(g, 5)];
    r->a[0] = e;
    r->a[1] = operand(g, e->type, loads);
    return r;
}

static Stmt *store_to(Gen *g, int structure, int slot, int field, Expr *value) {
    Stmt *s = new_stmt(g, STMT_STORE_OWN);
    s->array = structure + field;
    s->op = slot;
    s->e[0] = value;
    return s;
}

static Stmt *hold(Gen *g, int k, Expr *value) {
    Stmt *s = new_stmt(g, STMT_ASSIGN);
    s->var = g->held[k];
    s->e[0] = value;
    return s;
}

/* ---- runs ---- */

static Stmt **put(Stmt **end, Stmt *s) {
    *end = s;
    return &s->next;
}

static void shuffle(Gen *g, int *order, int n) {
    for (int i = 0; i < n; i++) {
        int k = below(g, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
}

/* All fields: loaded in one order, then stored in another one; or each stored as it is loaded. */
static Stmt **move_structure(Gen *g, Stmt **end) {
    int to = any_structure(g), from = any_structure(g), loads[MAX_FIELDS], stores[MAX_FIELDS];
    int slot = below(g, g->p->arrays[to].slots), other = below(g, g->p->arrays[from].slots);
    bool first = chance(g, 75), ordered = chance(g, 50);
    shuffle(g, loads, g->nfields);
    shuffle(g, stores, g->nfields);
    for (int i = 0; i < g->nfields && first; i++) end = put(end, hold(g, ordered ? i : loads[i], load_of(g, from, other, ordered ? i : loads[i])));
    for (int i = 0; i < g->nfields; i++) {
        int k = ordered ? i : stores[i];
        Expr *v = first ? held(g, k) : load_of(g, from, other, k);
        end = put(end, store_to(g, to, slot, k, changed(g, v, !first)));
    }
    return end;
}

/* Each field of two structures is stored once, in any order, from what any of them is by then. */
static Stmt **take_turns(Gen *g, Stmt **end) {
    int pair[2], slot[2], order[2 * MAX_FIELDS], n = g->nfields, at = below(g, g->nstructures);
    for (int i = 0; i < 2; i++) pair[i] = g->structures[(at + i) % g->nstructures];
    for (int i = 0; i < 2; i++) slot[i] = below(g, g->p->arrays[pair[i]].slots);
    shuffle(g, order, 2 * n);
    for (int i = 0; i < 2 * n; i++) {
        int to = order[i] / n, from = below(g, 2);
        Expr *v = load_of(g, pair[from], slot[from], below(g, n));
        end = put(end, store_to(g, pair[to], slot[to], order[i] % n, changed(g, as_type(g, g->p->arrays[pair[to] + order[i] % n].type, v), true)));
    }
    return end;
}

static Stmt *copy_structure(Gen *g) {
    Stmt *s = new_stmt(g, STMT_COPY);
    s->array = any_structure(g);
    s->var = any_structure(g);
    s->op = below(g, g->p->arrays[s->array].slots) | below(g, g->p->arrays[s->var].slots) << 4;
    return s;
}

static Stmt **one_field(Gen *g, Stmt **end) {
    int s = any_structure(g), k = below(g, g->nfields);
    return put(end, store_to(g, s, below(g, g->p->arrays[s].slots), k, changed(g, operand(g, g->p->arrays[s + k].type, true), true)));
}

static Stmt *run(Gen *g, int length) {
    Stmt *first = NULL, **end = &first;
    for (int i = 0; i < length; i++) {
        int k = below(g, 100), h = below(g, g->nfields);
        if (k < 20) end = one_field(g, end);
        else if (k < 47) end = take_turns(g, end);
        else if (k < 54) end = put(end, hold(g, h, as_type(g, g->p->vars[g->held[h]].type, load_any(g))));
        else if (k < 61) end = put(end, copy_structure(g));
        else end = move_structure(g, end);
    }
    return first;
}

/* ---- where they stand ---- */

Expr *range_test(Gen *g) {
    Expr *e = new_expr(g, E_CMP, T_BOOL), *n = new_expr(g, E_SPECIAL, T_I32);
    int k = below(g, 3);
    n->index = k ? S_PARAM1 : S_NTID_X;
    if (k == 1) {
        Expr *cut = new_expr(g, E_BIN, T_I32);
        cut->op = B_AND, cut->a[0] = n, cut->a[1] = small(g, 255);
        n = cut;
    }
    e->op = chance(g, 80) ? C_SLT : C_ULT;
    e->a[0] = place(g);
    e->a[1] = k == 2 ? small(g, (uint64_t)below(g, 400)) : n;
    if (chance(g, 20)) {
        e->op = C_SGT;
        e->a[1] = small(g, (uint64_t)below(g, 3));
    } else if (chance(g, 40)) {
        Expr *next = new_expr(g, E_BIN, T_I32);
        next->op = B_ADD, next->a[0] = e->a[0], next->a[1] = small(g, (uint64_t)below(g, 40));
        e->a[0] = next;
    }
    return e;
}

static Stmt *behind(Gen *g, Expr *test) {
    Stmt *s = new_stmt(g, STMT_IF);
    bool outer = g->uniform;
    s->e[0] = test;
    g->uniform = false;
    s->body[0] = run(g, 1 + below(g, 3));
    if (chance(g, 30)) s->body[1] = run(g, 1 + below(g, 2));
    g->uniform = outer;
    return s;
}

static Stmt *repeat(Gen *g) {
    Stmt *s = new_stmt(g, STMT_FOR);
    bool outer = g->uniform, uniform = (calm(g) || chance(g, 50)) && outer; /* else threads that do not come here keep the counter that they had */
    s->op = chance(g, 70) ? 3 : 7;
    s->e[0] = expr(g, T_I32, 2, uniform);
    s->var = add_counter(g, uniform);
    g->uniform = false;
    s->body[0] = run(g, 1 + below(g, 3));
    if (!calm(g) && chance(g, 30)) s->body[0]->next = behind(g, expr(g, T_BOOL, 2, false));
    g->uniform = outer;
    return s;
}

Stmt *fields_statement(Gen *g) {
    int k = below(g, 100);
    if (calm(g) && k < 65) k += 35;
    if (k < 20) return behind(g, range_test(g));
    if (k < 35) return behind(g, expr(g, T_BOOL, 3, false));
    if (k < 50 && g->p->nvars < MAX_VARS - 4) return repeat(g);
    return run(g, 1 + below(g, 4));
}

Stmt *fields_body(Gen *g) {
    Stmt *first = NULL, **end = &first;
    if (chance(g, 50)) return run(g, 1 + below(g, 2));
    for (int i = 1 + below(g, 2); i; i--) {
        *end = fields_statement(g);
        while (*end) end = &(*end)->next;
    }
    return first;
}
