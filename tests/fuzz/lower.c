/* lower.c: a program's tree becomes a list of operations with labels.
**
** Temporaries are assigned once and used in the same straight-line piece of code or one that it
** dominates; what control flow inside an expression produces (guarded loads and divisions, short
** circuits) goes through variables of its own.  Every operation is defined for every input. */
#include "tests/fuzz/program.h"

typedef struct Lower {
    Arena *a;
    const Program *p;
    Code *c;
    const Function *f; /* NULL = the kernel */
} Lower;

unsigned type_bits(Type t) {
    static const unsigned bits[] = {1, 8, 16, 32, 64, 32, 64, 16};
    return bits[t];
}
unsigned type_bytes(Type t) { return (type_bits(t) + 7) / 8; }
const char *type_name(Type t) {
    static const char *const names[] = {"i1", "i8", "i16", "i32", "i64", "float", "double", "half"};
    return names[t];
}

int count_statements(const Stmt *s) {
    int n = 0;
    for (; s; s = s->next) {
        n++;
        for (int i = 0; i < 4; i++) n += count_statements(s->body[i]);
    }
    return n;
}

static Op *emit(Lower *l, OpCode code, Type type) {
    Op o = {.code = code, .type = type, .dst = -1, .a = -1, .b = -1, .c = -1, .array = -1, .at = -1};
    vec_push(l->a, &l->c->ops, o);
    return &l->c->ops.v[l->c->ops.n - 1];
}

static int result(Lower *l, Op *o) { return o->dst = l->c->ntemps++; }

static int new_label(Lower *l) { return ++l->c->nlabels; }
static void place(Lower *l, int label) { emit(l, O_LABEL, T_I32)->label[0] = label; }
static void branch(Lower *l, int label) { emit(l, O_BR, T_I32)->label[0] = label; }
static void branch_if(Lower *l, int cond, int yes, int no) {
    Op *o = emit(l, O_CBR, T_BOOL);
    o->a = cond;
    o->label[0] = yes;
    o->label[1] = no;
}

static int new_var(Lower *l, Type t) {
    l->c->var_types[l->c->nvars] = t;
    return l->c->nvars++;
}

static int constant(Lower *l, Type t, uint64_t bits) {
    Op *o = emit(l, O_CONST, t);
    o->bits = type_bits(t) < 64 ? bits & ((UINT64_C(1) << type_bits(t)) - 1) : bits;
    return result(l, o);
}
static int get(Lower *l, int var) {
    Op *o = emit(l, O_GET, l->c->var_types[var]);
    o->b = var;
    return result(l, o);
}
static void set(Lower *l, int var, int value) {
    Op *o = emit(l, O_SET, l->c->var_types[var]);
    o->b = var;
    o->a = value;
}
static int binary(Lower *l, BinOp op, Type t, int a, int b, bool no_wrap) {
    Op *o = emit(l, O_BIN, t);
    o->op = op;
    o->a = a;
    o->b = b;
    o->flag = no_wrap;
    return result(l, o);
}
static int compare(Lower *l, CmpOp op, Type t, int a, int b) {
    Op *o = emit(l, O_CMP, T_BOOL);
    o->from = t;
    o->op = op;
    o->a = a;
    o->b = b;
    return result(l, o);
}
static int cast(Lower *l, CastOp op, Type from, Type to, int a) {
    Op *o = emit(l, O_CAST, to);
    o->from = from;
    o->op = op;
    o->a = a;
    return result(l, o);
}
static int special(Lower *l, Special s, Type t) {
    Op *o = emit(l, O_SPECIAL, t);
    o->op = s;
    return result(l, o);
}

/* ---- addresses ---- */

static int i32_binary(Lower *l, BinOp op, int a, uint64_t c) {
    return binary(l, op, T_I32, a, constant(l, T_I32, c), op == B_ADD || op == B_MUL || op == B_SUB);
}

/* Dimensions from the slowest to the one along which numbers follow each other. */
static const int ways[3][3] = {{2, 1, 0}, {2, 0, 1}, {0, 1, 2}};

/* `id` and `size`: of x; those of y and z follow. */
static int linear(Lower *l, int lead, Special id, Special size) {
    const int *d = ways[lead];
    int at = special(l, (Special)(id + d[0]), T_I32);
    for (int i = 1; i < 3; i++) {
        at = binary(l, B_MUL, T_I32, at, special(l, (Special)(size + d[i]), T_I32), true);
        at = binary(l, B_ADD, T_I32, at, special(l, (Special)(id + d[i]), T_I32), true);
    }
    return at;
}

static int linear_thread(Lower *l, int lead) { return linear(l, lead, S_TID_X, S_NTID_X); }
static int linear_block(Lower *l, int lead) { return linear(l, lead, S_CTAID_X, S_NCTAID_X); }

static int product(Lower *l, Special a, Special b, Special c) {
    int v = binary(l, B_MUL, T_I32, special(l, a, T_I32), special(l, b, T_I32), true);
    return binary(l, B_MUL, T_I32, v, special(l, c, T_I32), true);
}

static int place_along(Lower *l, int d) {
    int first = binary(l, B_MUL, T_I32, special(l, (Special)(S_CTAID_X + d), T_I32), special(l, (Special)(S_NTID_X + d), T_I32), true);
    return binary(l, B_ADD, T_I32, first, special(l, (Special)(S_TID_X + d), T_I32), true);
}

/* blockIdx * blockDim + threadIdx, of rows and planes as long as the grid. */
static int place_in_grid(Lower *l) {
    const int *d = ways[l->p->lead];
    if (l->p->line) return place_along(l, 0);
    int at = place_along(l, d[0]);
    for (int i = 1; i < 3; i++) {
        int size = binary(l, B_MUL, T_I32, special(l, (Special)(S_NTID_X + d[i]), T_I32), special(l, (Special)(S_NCTAID_X + d[i]), T_I32), true);
        at = binary(l, B_ADD, T_I32, binary(l, B_MUL, T_I32, at, size, true), place_along(l, d[i]), true);
    }
    return at;
}

/* Element of slot `slot` of this thread, in the segment of the grid, which has MAX_THREADS elements for each block and slot. */
static int whole_index(Lower *l, const Array *x, int slot) {
    int t = place_in_grid(l), all;
    uint64_t s = (uint64_t)slot;
    if (x->map == MAP_PACKED) return i32_binary(l, B_ADD, i32_binary(l, B_MUL, t, (uint64_t)x->slots), s);
    all = i32_binary(l, B_MUL, product(l, S_NCTAID_X, S_NCTAID_Y, S_NCTAID_Z), MAX_THREADS);
    if (x->map == MAP_REVERSED) {
        t = binary(l, B_SUB, T_I32, i32_binary(l, B_SUB, all, 1), t, true);
        return i32_binary(l, B_ADD, i32_binary(l, B_MUL, t, (uint64_t)x->slots), s);
    }
    if (x->map == MAP_SCATTERED && x->slots == 1) { /* an address of each lane */
        int low = i32_binary(l, B_AND, i32_binary(l, B_MUL, t, 37), MAX_THREADS - 1);
        return binary(l, B_ADD, T_I32, i32_binary(l, B_AND, t, (uint32_t)-MAX_THREADS), low, true);
    }
    if (x->map == MAP_SCATTERED) t = i32_binary(l, B_XOR, t, 5);
    return slot ? binary(l, B_ADD, T_I32, t, i32_binary(l, B_MUL, all, s), true) : t;
}

/* Element of slot `slot` of this thread, in the segment of a block. */
static int own_index(Lower *l, const Array *x, int slot) {
    if (x->whole) return whole_index(l, x, slot);
    int t = linear_thread(l, l->p->lead);
    uint64_t s = (uint64_t)slot;
    switch (x->map) {
    case MAP_PACKED: return i32_binary(l, B_ADD, i32_binary(l, B_MUL, t, (uint64_t)x->slots), s);
    case MAP_REVERSED: {
        int r = binary(l, B_SUB, T_I32, constant(l, T_I32, MAX_THREADS - 1), t, true);
        return i32_binary(l, B_ADD, i32_binary(l, B_MUL, r, (uint64_t)x->slots), s);
    }
    case MAP_SCATTERED:
        t = i32_binary(l, B_AND, i32_binary(l, B_MUL, t, 37), MAX_THREADS - 1);
        return i32_binary(l, B_ADD, t, s * MAX_THREADS);
    default: return i32_binary(l, B_ADD, t, s * MAX_THREADS);
    }
}

static int in_segment(Lower *l, const Array *x, int index) {
    if (x->space != SPACE_GLOBAL || x->whole) return index;
    int base = i32_binary(l, B_MUL, linear_block(l, l->p->lead), (uint64_t)x->n);
    return binary(l, B_ADD, T_I32, base, index, true);
}

static int load(Lower *l, int array, int index) {
    Op *o = emit(l, O_LOAD, l->p->arrays[array].type);
    o->array = array;
    o->a = index;
    return result(l, o);
}

/* `expected` is for compare-and-swap, else -1. */
static int atomic(Lower *l, int array, int op, int index, int value, int expected, bool used) {
    Op *o = emit(l, O_ATOMIC, l->p->arrays[array].type);
    o->array = array;
    o->op = op;
    o->a = index;
    o->b = value;
    o->c = expected;
    o->flag = used;
    return result(l, o);
}

/* ---- loops around a compare-and-swap ---- */

/* A byte of the word grows: which one, the second byte of v says. */
static int add_to_byte(Lower *l, Type t, int old, int v) {
    uint64_t bytes = type_bytes(t);
    int by = binary(l, B_AND, t, binary(l, B_LSHR, t, v, constant(l, t, 8), false), constant(l, t, bytes - 1), false);
    by = binary(l, B_SHL, t, by, constant(l, t, 3), false);
    int byte = binary(l, B_ADD, t, binary(l, B_LSHR, t, old, by, false), v, false);
    byte = binary(l, B_SHL, t, binary(l, B_AND, t, byte, constant(l, t, 255), false), by, false);
    int others = binary(l, B_XOR, t, binary(l, B_SHL, t, constant(l, t, 255), by, false), constant(l, t, ~UINT64_C(0)), false);
    return binary(l, B_OR, t, binary(l, B_AND, t, old, others, false), byte, false);
}

/* The same number for all threads. */
static int common(Lower *l, Type t) { return t == T_I64 ? special(l, S_PARAM2, T_I64) : special(l, S_PARAM1, T_I32); }

static int extreme(Lower *l, BinOp op, Type t, int old, int v, unsigned form) {
    static const CmpOp keep[] = {C_SLT, C_SGT, C_ULT, C_UGT};
    int a = form & RETRY_SWAP ? v : old, b = form & RETRY_SWAP ? old : v;
    if (!(form & RETRY_CHOOSE)) return binary(l, op, t, a, b, false);
    int first = compare(l, keep[op - B_SMIN], t, a, b);
    Op *o = emit(l, O_SELECT, t);
    o->a = first;
    o->b = a;
    o->c = b;
    return result(l, o);
}

static BinOp operator_of(int op) {
    static const BinOp of[] = {B_ADD, B_AND, B_OR, B_XOR, B_SMAX, B_SMIN, B_UMAX, B_UMIN};
    return of[op];
}

static int updated(Lower *l, int op, Type t, int old, int v, unsigned form) {
    switch (op) {
    case AT_ADD: return form & RETRY_SWAP ? binary(l, B_SUB, t, old, v, false) : binary(l, B_ADD, t, v, old, false);
    case AT_FADD: return form & RETRY_SWAP ? binary(l, B_FSUB, t, old, v, false) : binary(l, B_FADD, t, old, v, false);
    case AT_MAX: case AT_MIN: case AT_UMAX: case AT_UMIN: return extreme(l, operator_of(op), t, old, v, form);
    case AT_MUL: return binary(l, B_MUL, t, old, binary(l, B_OR, t, v, constant(l, t, 1), false), false);
    case AT_BYTES: return add_to_byte(l, t, old, v);
    case AT_SATURATE: {
        int most = constant(l, t, 1000), few = binary(l, B_AND, t, v, constant(l, t, 15), false);
        return binary(l, B_UMIN, t, binary(l, B_ADD, t, binary(l, B_UMIN, t, old, most, false), few, false), most, false);
    }
    case AT_TWICE: return binary(l, B_ADD, t, binary(l, B_ADD, t, old, old, false), common(l, t), false);
    case AT_FROM: return binary(l, B_SUB, t, common(l, t), old, false);
    default: return form & RETRY_SWAP ? binary(l, operator_of(op), t, v, old, false) : binary(l, operator_of(op), t, old, v, false);
    }
}

/* Of a minimum or maximum: whether it changes anything. */
static int would_change(Lower *l, int op, Type t, int old, int v) {
    static const CmpOp better[] = {C_SGT, C_SLT, C_UGT, C_ULT};
    return compare(l, better[op - AT_MAX], t, v, old);
}

/* do { assumed = old; old = atomicCAS(p, assumed, f(assumed, v)); } while (old != assumed).  The old or the new value;
** nobody else may touch an element of which it is `used`. */
static int retry(Lower *l, int array, int op, int index, int value, unsigned form, bool used) {
    Type t = l->p->arrays[array].type, word = t == T_F32 ? T_I32 : t == T_F64 ? T_I64 : t;
    int old = new_var(l, word), assumed = new_var(l, word), fresh = new_var(l, word), head = new_label(l), end = new_label(l);
    Op *where = emit(l, O_ADDRESS, T_I64);
    where->array = array;
    where->a = index;
    int at = result(l, where);
    Op *first = emit(l, form & RETRY_GUESS ? O_CONST : O_LOAD, word);
    first->array = array;
    first->a = form & RETRY_GUESS ? -1 : index;
    first->flag = !used;
    first->at = at;
    set(l, old, result(l, first));
    set(l, fresh, constant(l, word, 0));
    branch(l, head);
    place(l, head);
    int a = get(l, old);
    set(l, assumed, a);
    if (word != t) a = cast(l, CAST_BITS, word, t, a);
    if ((form & RETRY_EARLY) && !(form & RETRY_GUESS) && op >= AT_MAX && op <= AT_UMIN) {
        int go = new_label(l);
        branch_if(l, would_change(l, op, t, a, value), go, end);
        place(l, go);
    }
    int new = updated(l, op, t, a, value, form);
    if (word != t) new = cast(l, CAST_BITS, t, word, new);
    set(l, fresh, new);
    int found = atomic(l, array, AT_CAS, index, new, get(l, assumed), used);
    Op *swap = &l->c->ops.v[l->c->ops.n - 1];
    swap->type = word;
    swap->at = at;
    set(l, old, found);
    bool leave = form & RETRY_LEAVE;
    branch_if(l, compare(l, leave ? C_EQ : C_NE, word, found, get(l, assumed)), leave ? end : head, leave ? head : end);
    place(l, end);
    a = get(l, form & RETRY_NEW ? fresh : assumed);
    return word != t ? cast(l, CAST_BITS, word, t, a) : a;
}

/* ---- expressions ---- */

static int expression(Lower *l, const Expr *e);

/* if (guard) var = ...: the caller emits what stands inside between begin and end. */
typedef struct Guard {
    int var, end;
} Guard;

static Guard begin_guard(Lower *l, int cond, Type t) {
    Guard g = {new_var(l, t), new_label(l)};
    set(l, g.var, constant(l, t, 0));
    int yes = new_label(l);
    branch_if(l, cond, yes, g.end);
    place(l, yes);
    return g;
}
static int end_guard(Lower *l, Guard g, int value) {
    set(l, g.var, value);
    branch(l, g.end);
    place(l, g.end);
    return get(l, g.var);
}

static int divide(Lower *l, const Expr *e) {
    Type t = e->type;
    int n = expression(l, e->a[0]), d = expression(l, e->a[1]);
    int ok = compare(l, C_NE, t, d, constant(l, t, 0));
    if (e->op == B_SDIV || e->op == B_SREM) {
        int other = compare(l, C_NE, t, d, constant(l, t, ~UINT64_C(0)));
        ok = binary(l, B_AND, T_BOOL, ok, other, false);
    }
    Guard g = begin_guard(l, ok, t);
    return end_guard(l, g, binary(l, (BinOp)e->op, t, n, d, false));
}

static int shift(Lower *l, const Expr *e) {
    int n = expression(l, e->a[0]), by = expression(l, e->a[1]);
    by = binary(l, B_AND, e->type, by, constant(l, e->type, type_bits(e->type) - 1), false);
    return binary(l, (BinOp)e->op, e->type, n, by, false);
}

static int float_to_int(Lower *l, const Expr *e) {
    Type from = e->a[0]->type;
    double limit = e->type == T_I8 ? 100 : e->type == T_I16 ? 30000 : 1e9;
    float narrow = (float)limit;
    uint64_t high = 0, low = 0;
    double negative = -limit;
    float negative_narrow = -narrow;
    if (from == T_F32) memcpy(&high, &narrow, 4), memcpy(&low, &negative_narrow, 4);
    else memcpy(&high, &limit, 8), memcpy(&low, &negative, 8);
    int v = expression(l, e->a[0]);
    int ok = compare(l, C_SLT, from, v, constant(l, from, high));
    ok = binary(l, B_AND, T_BOOL, ok, compare(l, C_SGT, from, v, constant(l, from, low)), false);
    Guard g = begin_guard(l, ok, e->type);
    return end_guard(l, g, cast(l, CAST_FPTOSI, from, e->type, v));
}

static int short_circuit(Lower *l, const Expr *e) {
    int var = new_var(l, T_BOOL), more = new_label(l), end = new_label(l);
    int first = expression(l, e->a[0]);
    set(l, var, first);
    branch_if(l, first, e->kind == E_AND_THEN ? more : end, e->kind == E_AND_THEN ? end : more);
    place(l, more);
    set(l, var, expression(l, e->a[1]));
    branch(l, end);
    place(l, end);
    return get(l, var);
}

static int masked(Lower *l, const Array *x, int index) {
    return in_segment(l, x, i32_binary(l, B_AND, index, (uint64_t)x->n - 1));
}

static int guarded_load(Lower *l, const Expr *e) {
    const Array *x = &l->p->arrays[e->index];
    int i = expression(l, e->a[0]);
    int ok = compare(l, C_ULT, T_I32, i, constant(l, T_I32, (uint64_t)x->n));
    Guard g = begin_guard(l, ok, e->type);
    return end_guard(l, g, load(l, e->index, in_segment(l, x, i)));
}

/* The index has 64 bits; so has the test. */
static int far_load(Lower *l, const Expr *e) {
    const Array *x = &l->p->arrays[e->index];
    int i = cast(l, e->op ? CAST_SEXT : CAST_ZEXT, e->a[0]->type, T_I64, expression(l, e->a[0]));
    i = binary(l, B_ADD, T_I64, i, constant(l, T_I64, e->bits), false);
    int ok = compare(l, C_ULT, T_I64, i, constant(l, T_I64, (uint64_t)x->n));
    Guard g = begin_guard(l, ok, e->type);
    int v = load(l, e->index, i);
    l->c->ops.v[l->c->ops.n - 1].from = T_I64;
    return end_guard(l, g, v);
}

static int load_either(Lower *l, const Expr *e) {
    int which = expression(l, e->a[0]), i = expression(l, e->a[1]);
    i = i32_binary(l, B_AND, i, LOCAL_ELEMS - 1);
    Op *o = emit(l, O_LOAD_EITHER, e->type);
    o->array = e->index;
    o->op = e->op;
    o->a = i;
    o->b = which;
    return result(l, o);
}

static int load_vector(Lower *l, const Expr *e) {
    const Array *x = &l->p->arrays[e->index];
    int i = in_segment(l, x, own_index(l, x, 0)), by = -1;
    if (e->a[0]) by = i32_binary(l, B_AND, expression(l, e->a[0]), (uint64_t)x->slots - 1);
    Op *o = emit(l, O_LOAD_VECTOR, e->type);
    o->array = e->index;
    o->op = e->op;
    o->a = i;
    o->b = by;
    o->count = x->slots;
    return result(l, o);
}

static int warp_op(Lower *l, OpCode code, const Expr *e, int value, int by) {
    int mask = e->index >= 0 ? get(l, e->index) : -1;
    Op *o = emit(l, code, e->type);
    o->op = e->op;
    o->a = value;
    o->b = by;
    o->c = mask;
    return result(l, o);
}

/* The lane from which a shuffle reads, mod 32. */
static int source_lane(Lower *l, int op, int by) {
    int lane = i32_binary(l, B_AND, linear_thread(l, 0), 31), from = by;
    if (op == 1) from = binary(l, B_SUB, T_I32, lane, by, false);
    if (op == 2) from = binary(l, B_ADD, T_I32, lane, by, false);
    if (op == 3) from = binary(l, B_XOR, T_I32, lane, by, false);
    return i32_binary(l, B_AND, from, 31);
}

/* A shuffle from a lane that the mask does not name has no defined result: the own value is taken.
** Nothing but variables survives a shuffle in the interpreter. */
static int masked_shuffle(Lower *l, const Expr *e) {
    int v = new_var(l, T_I32), by = new_var(l, T_I32);
    set(l, v, expression(l, e->a[0]));
    set(l, by, i32_binary(l, B_AND, expression(l, e->a[1]), 31));
    int value = get(l, v), r = warp_op(l, O_SHUFFLE, e, value, get(l, by));
    int in = binary(l, B_LSHR, T_I32, get(l, e->index), source_lane(l, e->op, get(l, by)), false);
    in = compare(l, C_NE, T_I32, i32_binary(l, B_AND, in, 1), constant(l, T_I32, 0));
    int own = get(l, v);
    Op *o = emit(l, O_SELECT, T_I32);
    o->a = in;
    o->b = r;
    o->c = own;
    return result(l, o);
}

static int warp_function(Lower *l, const Expr *e) {
    static const OpCode codes[] = {O_SHUFFLE, O_BALLOT, O_VOTE, O_MATCH, O_REDUX};
    if (e->kind == E_SHUFFLE && e->index >= 0) return masked_shuffle(l, e);
    int v = expression(l, e->a[0]), by = e->a[1] ? expression(l, e->a[1]) : -1;
    return warp_op(l, codes[e->kind - E_SHUFFLE], e, v, by);
}

static int call(Lower *l, const Expr *e) {
    int v[3] = {-1, -1, -1};
    for (int i = 0; i < 3; i++)
        if (e->a[i]) v[i] = expression(l, e->a[i]);
    Op *o = emit(l, O_CALL, e->type);
    o->op = e->index;
    o->array = e->op;
    o->a = v[0];
    o->b = v[1];
    o->c = v[2];
    return result(l, o);
}

static OpCode code_of(ExprKind kind) {
    switch (kind) {
    case E_BIN: return O_BIN;
    case E_UN: return O_UN;
    case E_FMA: return O_FMA;
    case E_FUNNEL: return O_FUNNEL;
    case E_WIDE: return O_WIDE;
    default: return O_SELECT;
    }
}

static int plain(Lower *l, const Expr *e) {
    int v[3] = {-1, -1, -1};
    for (int i = 0; i < 3; i++)
        if (e->a[i]) v[i] = expression(l, e->a[i]);
    Op *o = emit(l, code_of(e->kind), e->type);
    o->op = e->op;
    o->bits = e->bits;
    o->a = v[0];
    o->b = v[1];
    o->c = v[2];
    int r = result(l, o);
    if (e->kind != E_BIN || (e->op != B_FMIN && e->op != B_FMAX)) return r;
    return binary(l, B_FADD, e->type, r, constant(l, e->type, 0), false);
}

static int expression(Lower *l, const Expr *e) {
    switch (e->kind) {
    case E_CONST: return constant(l, e->type, e->bits);
    case E_VAR: return get(l, e->index);
    case E_SPECIAL:
        if (e->index == S_LTID) return linear_thread(l, 0);
        if (e->index == S_BLOCK) return linear_block(l, 0);
        if (e->index == S_PLACE) return place_in_grid(l);
        return special(l, (Special)e->index, e->type);
    case E_BIN:
        if (e->op >= B_UDIV && e->op < B_DIV_END) return divide(l, e);
        if (e->op >= B_SHL && e->op <= B_ASHR) return shift(l, e);
        return plain(l, e);
    case E_CMP: {
        int a = expression(l, e->a[0]), b = expression(l, e->a[1]);
        return compare(l, (CmpOp)e->op, e->a[0]->type, a, b);
    }
    case E_CAST:
        if (e->op == CAST_FPTOSI) return float_to_int(l, e);
        return cast(l, (CastOp)e->op, e->a[0]->type, e->type, expression(l, e->a[0]));
    case E_AND_THEN: case E_OR_ELSE: return short_circuit(l, e);
    case E_LOAD_MASKED: {
        const Array *x = &l->p->arrays[e->index];
        return load(l, e->index, masked(l, x, expression(l, e->a[0])));
    }
    case E_LOAD_GUARDED: return guarded_load(l, e);
    case E_LOAD_FAR: return far_load(l, e);
    case E_LOAD_OWN: {
        const Array *x = &l->p->arrays[e->index];
        return load(l, e->index, in_segment(l, x, own_index(l, x, e->op)));
    }
    case E_LOAD_AFFINE: return load(l, e->index, expression(l, e->a[0]));
    case E_LOAD_EITHER: return load_either(l, e);
    case E_LOAD_VECTOR: return load_vector(l, e);
    case E_ATOMIC_OWN: {
        const Array *x = &l->p->arrays[e->index];
        int v = expression(l, e->a[0]);
        int c = (e->op & 15) == AT_CAS ? expression(l, e->a[1]) : -1;
        return atomic(l, e->index, e->op & 15, in_segment(l, x, own_index(l, x, e->op >> 4)), v, c, true);
    }
    case E_RETRY_OWN: {
        const Array *x = &l->p->arrays[e->index];
        int v = expression(l, e->a[0]), i = in_segment(l, x, own_index(l, x, e->op >> 16));
        return retry(l, e->index, e->op & 255, i, v, (unsigned)e->op >> 8 & 255, true);
    }
    case E_SHUFFLE: case E_BALLOT: case E_VOTE: case E_MATCH: case E_REDUX: return warp_function(l, e);
    case E_CALL: return call(l, e);
    default: return plain(l, e);
    }
}

/* ---- statements ---- */

static void statements(Lower *l, Stmt *s);

static void lower_if(Lower *l, Stmt *s) {
    int cond = expression(l, s->e[0]), yes = new_label(l), no = new_label(l), end = new_label(l);
    branch_if(l, cond, yes, s->body[1] ? no : end);
    place(l, yes);
    statements(l, s->body[0]);
    branch(l, end);
    if (s->body[1]) {
        place(l, no);
        statements(l, s->body[1]);
        branch(l, end);
    }
    place(l, end);
}

static void lower_switch(Lower *l, Stmt *s) {
    int v = i32_binary(l, B_AND, expression(l, s->e[0]), 3), label[5];
    for (int i = 0; i < 5; i++) label[i] = new_label(l);
    Op *o = emit(l, O_SWITCH, T_I32);
    o->a = v;
    memcpy(o->label, label, sizeof o->label);
    for (int i = 0; i < 4; i++) {
        place(l, label[i]);
        statements(l, s->body[i]);
        branch(l, (s->op >> i) & 1 ? label[i + 1] : label[4]);
    }
    place(l, label[4]);
}

static void lower_for(Lower *l, Stmt *s) {
    int bound = new_var(l, T_I32), head = new_label(l), body = new_label(l);
    set(l, bound, i32_binary(l, B_AND, expression(l, s->e[0]), (uint64_t)s->op));
    set(l, s->var, constant(l, T_I32, 0));
    s->label_end = new_label(l);
    s->label_next = new_label(l);
    branch(l, head);
    place(l, head);
    branch_if(l, compare(l, C_SLT, T_I32, get(l, s->var), get(l, bound)), body, s->label_end);
    place(l, body);
    statements(l, s->body[0]);
    branch(l, s->label_next);
    place(l, s->label_next);
    set(l, s->var, i32_binary(l, B_ADD, get(l, s->var), 1));
    branch(l, head);
    place(l, s->label_end);
    s->label_end = 0;
}

/* fuel counts down in a variable; the condition's own test comes first, then the fuel. */
static void loop_test(Lower *l, Stmt *s, int fuel, int again) {
    int more = new_label(l), left = expression(l, s->e[0]);
    branch_if(l, left, more, s->label_end);
    place(l, more);
    left = i32_binary(l, B_SUB, get(l, fuel), 1);
    set(l, fuel, left);
    branch_if(l, compare(l, C_SGT, T_I32, left, constant(l, T_I32, 0)), again, s->label_end);
}

static void lower_while(Lower *l, Stmt *s) {
    int fuel = new_var(l, T_I32), head = new_label(l), body = new_label(l);
    set(l, fuel, constant(l, T_I32, (uint64_t)s->op));
    s->label_end = new_label(l);
    s->label_next = s->kind == STMT_DO ? new_label(l) : head;
    branch(l, head);
    place(l, head);
    if (s->kind == STMT_WHILE) {
        loop_test(l, s, fuel, body);
        place(l, body);
    }
    statements(l, s->body[0]);
    branch(l, s->label_next);
    if (s->kind == STMT_DO) {
        place(l, s->label_next);
        loop_test(l, s, fuel, head);
    }
    place(l, s->label_end);
    s->label_end = 0;
}

static void lower_block(Lower *l, Stmt *s) {
    s->label_end = new_label(l);
    statements(l, s->body[0]);
    branch(l, s->label_end);
    place(l, s->label_end);
    s->label_end = 0;
}

static void lower_cross(Lower *l, Stmt *s) {
    int yes = new_label(l), no = new_label(l), middle = new_label(l), end = new_label(l);
    branch_if(l, expression(l, s->e[0]), yes, no);
    place(l, yes);
    statements(l, s->body[0]);
    branch_if(l, expression(l, s->e[1]), middle, end);
    place(l, no);
    statements(l, s->body[1]);
    branch(l, middle);
    place(l, middle);
    statements(l, s->body[2]);
    branch(l, end);
    place(l, end);
}

static void lower_tangle(Lower *l, Stmt *s) {
    int fuel = new_var(l, T_I32), head = new_label(l), middle = new_label(l), more = new_label(l), end = new_label(l);
    set(l, fuel, constant(l, T_I32, (uint64_t)s->op));
    branch_if(l, expression(l, s->e[0]), middle, head);
    place(l, head);
    statements(l, s->body[0]);
    branch(l, middle);
    place(l, middle);
    statements(l, s->body[1]);
    branch_if(l, expression(l, s->e[1]), more, end);
    place(l, more);
    int left = i32_binary(l, B_SUB, get(l, fuel), 1);
    set(l, fuel, left);
    branch_if(l, compare(l, C_SGT, T_I32, left, constant(l, T_I32, 0)), head, end);
    place(l, end);
}

/* The mask is what the ballot over the lanes that come here says. */
static int ballot_here(Lower *l, Stmt *s, int mask_var, int cond_var) {
    Expr e = {.kind = E_BALLOT, .type = T_I32, .index = mask_var};
    set(l, cond_var, expression(l, s->e[0]));
    set(l, s->var, warp_op(l, O_BALLOT, &e, get(l, cond_var), -1));
    return get(l, cond_var);
}

static void lower_warp_if(Lower *l, Stmt *s) {
    int cond = new_var(l, T_BOOL), yes = new_label(l), end = new_label(l);
    branch_if(l, ballot_here(l, s, s->array, cond), yes, end);
    place(l, yes);
    statements(l, s->body[0]);
    branch(l, end);
    place(l, end);
}

static void lower_warp_while(Lower *l, Stmt *s) {
    int cond = new_var(l, T_BOOL), fuel = new_var(l, T_I32), head = new_label(l), some = new_label(l), body = new_label(l), end = new_label(l);
    set(l, fuel, constant(l, T_I32, (uint64_t)s->op + 1)); /* the subtraction is nuw */
    set(l, s->var, s->array >= 0 ? get(l, s->array) : constant(l, T_I32, UINT32_MAX));
    branch(l, head);
    place(l, head);
    branch_if(l, ballot_here(l, s, s->var, cond), some, end);
    place(l, some);
    int left = i32_binary(l, B_SUB, get(l, fuel), 1);
    set(l, fuel, left);
    branch_if(l, compare(l, C_SGT, T_I32, left, constant(l, T_I32, 0)), body, end);
    place(l, body);
    statements(l, s->body[0]);
    branch(l, head);
    place(l, end);
}

static void store(Lower *l, int array, int index, int value) {
    Op *o = emit(l, O_STORE, l->p->arrays[array].type);
    o->array = array;
    o->a = index;
    o->b = value;
}

static void lower_grid(Lower *l, Stmt *s) {
    const Array *x = &l->p->arrays[s->array];
    int head = new_label(l), body = new_label(l), end = new_label(l);
    int threads = product(l, S_NTID_X, S_NTID_Y, S_NTID_Z);
    int first = binary(l, B_MUL, T_I32, linear_block(l, l->p->lead), threads, true);
    set(l, s->var, binary(l, B_ADD, T_I32, first, linear_thread(l, l->p->lead), true));
    int step = binary(l, B_MUL, T_I32, product(l, S_NCTAID_X, S_NCTAID_Y, S_NCTAID_Z), threads, true);
    branch(l, head);
    place(l, head);
    branch_if(l, compare(l, C_SLT, T_I32, get(l, s->var), constant(l, T_I32, (uint64_t)x->n)), body, end);
    place(l, body);
    statements(l, s->body[0]);
    int v = expression(l, s->e[0]), i = get(l, s->var);
    BinOp op = type_is_float(x->type) ? B_FADD : B_ADD;
    store(l, s->array, i, binary(l, op, x->type, load(l, s->array, i), v, false));
    set(l, s->var, binary(l, B_ADD, T_I32, get(l, s->var), step, true));
    branch(l, head);
    place(l, end);
}

static void lower_store_vector(Lower *l, Stmt *s) {
    const Array *x = &l->p->arrays[s->array];
    bool each = s->kind == STMT_STORE_PARTS;
    int v[4];
    for (int k = 0; k < 4; k++) v[k] = k < 2 || (each && k < x->slots) ? expression(l, s->e[k]) : v[k - 2];
    int i = in_segment(l, x, own_index(l, x, 0));
    Op *o = emit(l, O_STORE_VECTOR, x->type);
    o->array = s->array;
    o->op = each ? -1 : s->op;
    o->a = i;
    o->c = v[1];
    o->count = x->slots;
    memcpy(o->parts, v, sizeof v);
}

static void lower_return(Lower *l, const Expr *value) {
    int v = l->f ? expression(l, value) : -1;
    emit(l, O_RETURN, l->f ? l->f->type : T_I32)->a = v;
}

/* A jump whose target the reducer has taken away does nothing. */
static void lower_jump(Lower *l, Stmt *s) {
    if (s->kind != STMT_RETURN && !s->target->label_end) return;
    int rest = new_label(l), jump = new_label(l);
    branch_if(l, expression(l, s->e[0]), jump, rest);
    place(l, jump);
    if (s->kind == STMT_RETURN) lower_return(l, s->e[1]);
    else branch(l, s->kind == STMT_LEAVE ? s->target->label_end : s->target->label_next);
    place(l, rest);
}

static void lower_store(Lower *l, Stmt *s) {
    const Array *x = &l->p->arrays[s->array];
    int v = expression(l, s->e[0]), i;
    if (s->kind == STMT_STORE_OWN) i = in_segment(l, x, own_index(l, x, s->op));
    else i = masked(l, x, expression(l, s->e[1]));
    if (s->kind == STMT_RETRY) {
        retry(l, s->array, x->op, i, v, (unsigned)s->op & ~RETRY_NEW, false);
        return;
    }
    if (s->kind == STMT_ATOMIC) {
        atomic(l, s->array, x->op, i, v, -1, false);
        return;
    }
    store(l, s->array, i, v);
}

static void lower_copy(Lower *l, Stmt *s) {
    const Array *to = &l->p->arrays[s->array], *from = &l->p->arrays[s->var];
    int i = own_index(l, to, s->op & 15), k = own_index(l, from, s->op >> 4);
    Op *o = emit(l, O_COPY, T_I32);
    o->array = s->array;
    o->op = s->var;
    o->a = i;
    o->b = k;
    for (int n = s->array; n < l->p->narrays && array_home(l->p, n) == s->array; n++) o->count++;
}

static void lower_barrier(Lower *l, Stmt *s) {
    int v = s->op ? expression(l, s->e[0]) : -1;
    Op *o = emit(l, O_BARRIER, T_I32);
    o->op = s->op;
    o->a = v;
    if (!s->op) return;
    int r = result(l, o);
    set(l, s->var, r);
}

static void statements(Lower *l, Stmt *s) {
    for (; s; s = s->next) switch (s->kind) {
        case STMT_ASSIGN: set(l, s->var, expression(l, s->e[0])); break;
        case STMT_STORE_OWN: case STMT_STORE_LOCAL: case STMT_ATOMIC: case STMT_RETRY: lower_store(l, s); break;
        case STMT_COPY: lower_copy(l, s); break;
        case STMT_IF: lower_if(l, s); break;
        case STMT_SWITCH: lower_switch(l, s); break;
        case STMT_FOR: lower_for(l, s); break;
        case STMT_WHILE: case STMT_DO: lower_while(l, s); break;
        case STMT_BLOCK: lower_block(l, s); break;
        case STMT_CROSS: lower_cross(l, s); break;
        case STMT_TANGLE: lower_tangle(l, s); break;
        case STMT_WARP_IF: lower_warp_if(l, s); break;
        case STMT_WARP_WHILE: lower_warp_while(l, s); break;
        case STMT_GRID: lower_grid(l, s); break;
        case STMT_STORE_VECTOR: case STMT_STORE_PARTS: lower_store_vector(l, s); break;
        case STMT_LEAVE: case STMT_CONTINUE: case STMT_RETURN: lower_jump(l, s); break;
        case STMT_BARRIER: lower_barrier(l, s); break;
        case STMT_SYNCWARP: emit(l, O_SYNCWARP, T_I32); break;
        }
}

uint64_t table_bits(Type t, int i) {
    int64_t n = i * i * 5 % 23 - 7;
    uint64_t bits = (uint64_t)n;
    double d = (double)n * 0.25;
    float f = (float)d;
    if (t == T_F32) bits = 0, memcpy(&bits, &f, 4);
    if (t == T_F64) memcpy(&bits, &d, 8);
    return type_bits(t) < 64 ? bits & ((UINT64_C(1) << type_bits(t)) - 1) : bits;
}

static void init_locals(Lower *l, int array) {
    for (int i = 0; i < LOCAL_ELEMS; i++) {
        Type t = l->p->arrays[array].type;
        uint64_t bits = (uint64_t)(i * 3 + 1);
        double d = i * 0.5;
        float f = (float)d;
        if (t == T_F32) memcpy(&bits, &f, 4);
        if (t == T_F64) memcpy(&bits, &d, 8);
        int at = constant(l, T_I32, (uint64_t)i), v = constant(l, t, bits);
        store(l, array, at, v);
    }
}

static Code *new_code(Lower *l, Code *c) {
    c->var_types = arena_array(l->a, Type, 4096);
    for (int i = 0; i < l->p->nvars; i++) c->var_types[i] = l->p->vars[i].type;
    c->nvars = l->p->nvars;
    return l->c = c;
}

static void init_vars(Lower *l, int scope) {
    for (int i = 0; i < l->p->nvars; i++) {
        const Var *x = &l->p->vars[i];
        if (x->scope == scope && x->init) set(l, i, expression(l, x->init));
    }
}

static void lower_function(Lower *l, int k, Code *c) {
    l->f = &l->p->functions[k];
    new_code(l, c);
    for (int i = 0; i < 2; i++) {
        Op *o = emit(l, O_ARG, l->f->arg_type[i]);
        o->op = i;
        int r = result(l, o);
        set(l, l->f->arg[i], r);
    }
    init_vars(l, k + 1);
    statements(l, l->f->body);
    lower_return(l, l->f->value);
    l->f = NULL;
}

Code *lower(Arena *a, const Program *p) {
    Code *c = arena_alloc(a, sizeof *c), *functions = arena_array(a, Code, MAX_FUNCTIONS);
    Lower l = {.a = a, .p = p};
    for (int i = 0; i < p->nfunctions; i++) lower_function(&l, i, &functions[i]);
    new_code(&l, c);
    c->functions = functions;
    for (int i = 0; i < p->narrays; i++)
        if (p->arrays[i].space == SPACE_LOCAL) init_locals(&l, i);
    init_vars(&l, 0);
    statements(&l, p->body);
    lower_return(&l, NULL);
    return c;
}
