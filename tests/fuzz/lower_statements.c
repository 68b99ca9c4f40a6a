/* lower_statements.c: statements, functions and the kernel as operations (lower.c). */
#include "tests/fuzz/lower.h"

static void statements(Lower *l, Stmt *s);

static void lower_if(Lower *l, Stmt *s) {
    int cond = ops_expression(l, s->e[0]), yes = new_label(l), no = new_label(l), end = new_label(l);
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
    int v = i32_binary(l, B_AND, ops_expression(l, s->e[0]), 3), label[5];
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
    set(l, bound, i32_binary(l, B_AND, ops_expression(l, s->e[0]), (uint64_t)s->op));
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
    int more = new_label(l), left = ops_expression(l, s->e[0]);
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
    branch_if(l, ops_expression(l, s->e[0]), yes, no);
    place(l, yes);
    statements(l, s->body[0]);
    branch_if(l, ops_expression(l, s->e[1]), middle, end);
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
    branch_if(l, ops_expression(l, s->e[0]), middle, head);
    place(l, head);
    statements(l, s->body[0]);
    branch(l, middle);
    place(l, middle);
    statements(l, s->body[1]);
    branch_if(l, ops_expression(l, s->e[1]), more, end);
    place(l, more);
    int left = i32_binary(l, B_SUB, get(l, fuel), 1);
    set(l, fuel, left);
    branch_if(l, compare(l, C_SGT, T_I32, left, constant(l, T_I32, 0)), head, end);
    place(l, end);
}

/* The mask is what the ballot over the lanes that come here says. */
static int ballot_here(Lower *l, Stmt *s, int mask_var, int cond_var) {
    Expr e = {.kind = E_BALLOT, .type = T_I32, .index = mask_var};
    set(l, cond_var, ops_expression(l, s->e[0]));
    set(l, s->var, ops_warp_op(l, O_BALLOT, &e, get(l, cond_var), -1));
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
    int threads = ops_product(l, S_NTID_X, S_NTID_Y, S_NTID_Z);
    int first = binary(l, B_MUL, T_I32, ops_linear_block(l, l->p->lead), threads, true);
    set(l, s->var, binary(l, B_ADD, T_I32, first, ops_linear_thread(l, l->p->lead), true));
    int step = binary(l, B_MUL, T_I32, ops_product(l, S_NCTAID_X, S_NCTAID_Y, S_NCTAID_Z), threads, true);
    branch(l, head);
    place(l, head);
    branch_if(l, compare(l, C_SLT, T_I32, get(l, s->var), constant(l, T_I32, (uint64_t)x->n)), body, end);
    place(l, body);
    statements(l, s->body[0]);
    int v = ops_expression(l, s->e[0]), i = get(l, s->var);
    BinOp op = type_is_float(x->type) ? B_FADD : B_ADD;
    store(l, s->array, i, binary(l, op, x->type, ops_load(l, s->array, i), v, false));
    set(l, s->var, binary(l, B_ADD, T_I32, get(l, s->var), step, true));
    branch(l, head);
    place(l, end);
}

static void lower_store_vector(Lower *l, Stmt *s) {
    const Array *x = &l->p->arrays[s->array];
    bool each = s->kind == STMT_STORE_PARTS;
    int v[4];
    for (int k = 0; k < 4; k++) v[k] = k < 2 || (each && k < x->slots) ? ops_expression(l, s->e[k]) : v[k - 2];
    int i = ops_in_segment(l, x, ops_own_index(l, x, 0));
    Op *o = emit(l, O_STORE_VECTOR, x->type);
    o->array = s->array;
    o->op = each ? -1 : s->op;
    o->a = i;
    o->c = v[1];
    o->count = x->slots;
    memcpy(o->parts, v, sizeof v);
}

static void lower_return(Lower *l, const Expr *value) {
    int v = l->f ? ops_expression(l, value) : -1;
    emit(l, O_RETURN, l->f ? l->f->type : T_I32)->a = v;
}

/* A jump whose target the reducer has taken away does nothing. */
static void lower_jump(Lower *l, Stmt *s) {
    if (s->kind != STMT_RETURN && !s->target->label_end) return;
    int rest = new_label(l), jump = new_label(l);
    branch_if(l, ops_expression(l, s->e[0]), jump, rest);
    place(l, jump);
    if (s->kind == STMT_RETURN) lower_return(l, s->e[1]);
    else branch(l, s->kind == STMT_LEAVE ? s->target->label_end : s->target->label_next);
    place(l, rest);
}

static void lower_store(Lower *l, Stmt *s) {
    const Array *x = &l->p->arrays[s->array];
    int v = ops_expression(l, s->e[0]), i;
    if (s->kind == STMT_STORE_OWN) i = ops_in_segment(l, x, ops_own_index(l, x, s->op));
    else i = ops_masked(l, x, ops_expression(l, s->e[1]));
    if (s->kind == STMT_RETRY) {
        ops_retry(l, s->array, x->op, i, v, (unsigned)s->op & ~RETRY_NEW, false);
        return;
    }
    if (s->kind == STMT_ATOMIC) {
        ops_atomic(l, s->array, x->op, i, v, -1, false);
        return;
    }
    store(l, s->array, i, v);
}

static void lower_copy(Lower *l, Stmt *s) {
    const Array *to = &l->p->arrays[s->array], *from = &l->p->arrays[s->var];
    int i = ops_own_index(l, to, s->op & 15), k = ops_own_index(l, from, s->op >> 4);
    Op *o = emit(l, O_COPY, T_I32);
    o->array = s->array;
    o->op = s->var;
    o->a = i;
    o->b = k;
    for (int n = s->array; n < l->p->narrays && array_home(l->p, n) == s->array; n++) o->count++;
}

static void lower_barrier(Lower *l, Stmt *s) {
    int v = s->op ? ops_expression(l, s->e[0]) : -1;
    Op *o = emit(l, O_BARRIER, T_I32);
    o->op = s->op;
    o->a = v;
    if (!s->op) return;
    int r = result(l, o);
    set(l, s->var, r);
}

static void statements(Lower *l, Stmt *s) {
    for (; s; s = s->next) switch (s->kind) {
        case STMT_ASSIGN: set(l, s->var, ops_expression(l, s->e[0])); break;
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
        if (x->scope == scope && x->init) set(l, i, ops_expression(l, x->init));
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
