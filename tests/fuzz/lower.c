/* lower.c: a program's tree becomes a list of operations with labels.
**
** Temporaries are assigned once and used in the same straight-line piece of code or one that it
** dominates; what control flow inside an expression produces (guarded loads and divisions, short
** circuits) goes through variables of its own.  Every operation is defined for every input.
** Here: addresses and expressions; lower_statements.c: the rest. */
#include "tests/fuzz/lower.h"

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

/* ---- addresses ---- */

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

int ops_linear_thread(Lower *l, int lead) { return linear(l, lead, S_TID_X, S_NTID_X); }
int ops_linear_block(Lower *l, int lead) { return linear(l, lead, S_CTAID_X, S_NCTAID_X); }

int ops_product(Lower *l, Special a, Special b, Special c) {
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
    all = i32_binary(l, B_MUL, ops_product(l, S_NCTAID_X, S_NCTAID_Y, S_NCTAID_Z), MAX_THREADS);
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
int ops_own_index(Lower *l, const Array *x, int slot) {
    if (x->whole) return whole_index(l, x, slot);
    int t = ops_linear_thread(l, l->p->lead);
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

int ops_in_segment(Lower *l, const Array *x, int index) {
    if (x->space != SPACE_GLOBAL || x->whole) return index;
    int base = i32_binary(l, B_MUL, ops_linear_block(l, l->p->lead), (uint64_t)x->n);
    return binary(l, B_ADD, T_I32, base, index, true);
}

int ops_load(Lower *l, int array, int index) {
    Op *o = emit(l, O_LOAD, l->p->arrays[array].type);
    o->array = array;
    o->a = index;
    return result(l, o);
}

/* `expected` is for compare-and-swap, else -1. */
int ops_atomic(Lower *l, int array, int op, int index, int value, int expected, bool used) {
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
int ops_retry(Lower *l, int array, int op, int index, int value, unsigned form, bool used) {
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
    int found = ops_atomic(l, array, AT_CAS, index, new, get(l, assumed), used);
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
    int n = ops_expression(l, e->a[0]), d = ops_expression(l, e->a[1]);
    int ok = compare(l, C_NE, t, d, constant(l, t, 0));
    if (e->op == B_SDIV || e->op == B_SREM) {
        int other = compare(l, C_NE, t, d, constant(l, t, ~UINT64_C(0)));
        ok = binary(l, B_AND, T_BOOL, ok, other, false);
    }
    Guard g = begin_guard(l, ok, t);
    return end_guard(l, g, binary(l, (BinOp)e->op, t, n, d, false));
}

static int shift(Lower *l, const Expr *e) {
    int n = ops_expression(l, e->a[0]), by = ops_expression(l, e->a[1]);
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
    int v = ops_expression(l, e->a[0]);
    int ok = compare(l, C_SLT, from, v, constant(l, from, high));
    ok = binary(l, B_AND, T_BOOL, ok, compare(l, C_SGT, from, v, constant(l, from, low)), false);
    Guard g = begin_guard(l, ok, e->type);
    return end_guard(l, g, cast(l, CAST_FPTOSI, from, e->type, v));
}

static int short_circuit(Lower *l, const Expr *e) {
    int var = new_var(l, T_BOOL), more = new_label(l), end = new_label(l);
    int first = ops_expression(l, e->a[0]);
    set(l, var, first);
    branch_if(l, first, e->kind == E_AND_THEN ? more : end, e->kind == E_AND_THEN ? end : more);
    place(l, more);
    set(l, var, ops_expression(l, e->a[1]));
    branch(l, end);
    place(l, end);
    return get(l, var);
}

int ops_masked(Lower *l, const Array *x, int index) {
    return ops_in_segment(l, x, i32_binary(l, B_AND, index, (uint64_t)x->n - 1));
}

static int guarded_load(Lower *l, const Expr *e) {
    const Array *x = &l->p->arrays[e->index];
    int i = ops_expression(l, e->a[0]);
    int ok = compare(l, C_ULT, T_I32, i, constant(l, T_I32, (uint64_t)x->n));
    Guard g = begin_guard(l, ok, e->type);
    return end_guard(l, g, ops_load(l, e->index, ops_in_segment(l, x, i)));
}

/* The index has 64 bits; so has the test. */
static int far_load(Lower *l, const Expr *e) {
    const Array *x = &l->p->arrays[e->index];
    int i = cast(l, e->op ? CAST_SEXT : CAST_ZEXT, e->a[0]->type, T_I64, ops_expression(l, e->a[0]));
    i = binary(l, B_ADD, T_I64, i, constant(l, T_I64, e->bits), false);
    int ok = compare(l, C_ULT, T_I64, i, constant(l, T_I64, (uint64_t)x->n));
    Guard g = begin_guard(l, ok, e->type);
    int v = ops_load(l, e->index, i);
    l->c->ops.v[l->c->ops.n - 1].from = T_I64;
    return end_guard(l, g, v);
}

static int load_either(Lower *l, const Expr *e) {
    int which = ops_expression(l, e->a[0]), i = ops_expression(l, e->a[1]);
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
    int i = ops_in_segment(l, x, ops_own_index(l, x, 0)), by = -1;
    if (e->a[0]) by = i32_binary(l, B_AND, ops_expression(l, e->a[0]), (uint64_t)x->slots - 1);
    Op *o = emit(l, O_LOAD_VECTOR, e->type);
    o->array = e->index;
    o->op = e->op;
    o->a = i;
    o->b = by;
    o->count = x->slots;
    return result(l, o);
}

int ops_warp_op(Lower *l, OpCode code, const Expr *e, int value, int by) {
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
    int lane = i32_binary(l, B_AND, ops_linear_thread(l, 0), 31), from = by;
    if (op == 1) from = binary(l, B_SUB, T_I32, lane, by, false);
    if (op == 2) from = binary(l, B_ADD, T_I32, lane, by, false);
    if (op == 3) from = binary(l, B_XOR, T_I32, lane, by, false);
    return i32_binary(l, B_AND, from, 31);
}

/* A shuffle from a lane that the mask does not name has no defined result: the own value is taken.
** Nothing but variables survives a shuffle in the interpreter. */
static int masked_shuffle(Lower *l, const Expr *e) {
    int v = new_var(l, T_I32), by = new_var(l, T_I32);
    set(l, v, ops_expression(l, e->a[0]));
    set(l, by, i32_binary(l, B_AND, ops_expression(l, e->a[1]), 31));
    int value = get(l, v), r = ops_warp_op(l, O_SHUFFLE, e, value, get(l, by));
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
    int v = ops_expression(l, e->a[0]), by = e->a[1] ? ops_expression(l, e->a[1]) : -1;
    return ops_warp_op(l, codes[e->kind - E_SHUFFLE], e, v, by);
}

static int call(Lower *l, const Expr *e) {
    int v[3] = {-1, -1, -1};
    for (int i = 0; i < 3; i++)
        if (e->a[i]) v[i] = ops_expression(l, e->a[i]);
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
        if (e->a[i]) v[i] = ops_expression(l, e->a[i]);
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

int ops_expression(Lower *l, const Expr *e) {
    switch (e->kind) {
    case E_CONST: return constant(l, e->type, e->bits);
    case E_VAR: return get(l, e->index);
    case E_SPECIAL:
        if (e->index == S_LTID) return ops_linear_thread(l, 0);
        if (e->index == S_BLOCK) return ops_linear_block(l, 0);
        if (e->index == S_PLACE) return place_in_grid(l);
        return special(l, (Special)e->index, e->type);
    case E_BIN:
        if (e->op >= B_UDIV && e->op < B_DIV_END) return divide(l, e);
        if (e->op >= B_SHL && e->op <= B_ASHR) return shift(l, e);
        return plain(l, e);
    case E_CMP: {
        int a = ops_expression(l, e->a[0]), b = ops_expression(l, e->a[1]);
        return compare(l, (CmpOp)e->op, e->a[0]->type, a, b);
    }
    case E_CAST:
        if (e->op == CAST_FPTOSI) return float_to_int(l, e);
        return cast(l, (CastOp)e->op, e->a[0]->type, e->type, ops_expression(l, e->a[0]));
    case E_AND_THEN: case E_OR_ELSE: return short_circuit(l, e);
    case E_LOAD_MASKED: {
        const Array *x = &l->p->arrays[e->index];
        return ops_load(l, e->index, ops_masked(l, x, ops_expression(l, e->a[0])));
    }
    case E_LOAD_GUARDED: return guarded_load(l, e);
    case E_LOAD_FAR: return far_load(l, e);
    case E_LOAD_OWN: {
        const Array *x = &l->p->arrays[e->index];
        return ops_load(l, e->index, ops_in_segment(l, x, ops_own_index(l, x, e->op)));
    }
    case E_LOAD_AFFINE: return ops_load(l, e->index, ops_expression(l, e->a[0]));
    case E_LOAD_EITHER: return load_either(l, e);
    case E_LOAD_VECTOR: return load_vector(l, e);
    case E_ATOMIC_OWN: {
        const Array *x = &l->p->arrays[e->index];
        int v = ops_expression(l, e->a[0]);
        int c = (e->op & 15) == AT_CAS ? ops_expression(l, e->a[1]) : -1;
        return ops_atomic(l, e->index, e->op & 15, ops_in_segment(l, x, ops_own_index(l, x, e->op >> 4)), v, c, true);
    }
    case E_RETRY_OWN: {
        const Array *x = &l->p->arrays[e->index];
        int v = ops_expression(l, e->a[0]), i = ops_in_segment(l, x, ops_own_index(l, x, e->op >> 16));
        return ops_retry(l, e->index, e->op & 255, i, v, (unsigned)e->op >> 8 & 255, true);
    }
    case E_SHUFFLE: case E_BALLOT: case E_VOTE: case E_MATCH: case E_REDUX: return warp_function(l, e);
    case E_CALL: return call(l, e);
    default: return plain(l, e);
    }
}
