/* lower.h: between lower.c, addresses and expressions, and lower_statements.c. */
#ifndef CUCPU_FUZZ_LOWER_H
#define CUCPU_FUZZ_LOWER_H
#include "tests/fuzz/program.h"

typedef struct Lower {
    Arena *a;
    const Program *p;
    Code *c;
    const Function *f; /* NULL = the kernel */
} Lower;

/* ---- operations ---- */

static inline Op *emit(Lower *l, OpCode code, Type type) {
    Op o = {.code = code, .type = type, .dst = -1, .a = -1, .b = -1, .c = -1, .array = -1, .at = -1};
    vec_push(l->a, &l->c->ops, o);
    return &l->c->ops.v[l->c->ops.n - 1];
}

static inline int result(Lower *l, Op *o) { return o->dst = l->c->ntemps++; }

static inline int new_label(Lower *l) { return ++l->c->nlabels; }
static inline void place(Lower *l, int label) { emit(l, O_LABEL, T_I32)->label[0] = label; }
static inline void branch(Lower *l, int label) { emit(l, O_BR, T_I32)->label[0] = label; }
static inline void branch_if(Lower *l, int cond, int yes, int no) {
    Op *o = emit(l, O_CBR, T_BOOL);
    o->a = cond;
    o->label[0] = yes;
    o->label[1] = no;
}

static inline int new_var(Lower *l, Type t) {
    l->c->var_types[l->c->nvars] = t;
    return l->c->nvars++;
}

static inline int constant(Lower *l, Type t, uint64_t bits) {
    Op *o = emit(l, O_CONST, t);
    o->bits = type_bits(t) < 64 ? bits & ((UINT64_C(1) << type_bits(t)) - 1) : bits;
    return result(l, o);
}
static inline int get(Lower *l, int var) {
    Op *o = emit(l, O_GET, l->c->var_types[var]);
    o->b = var;
    return result(l, o);
}
static inline void set(Lower *l, int var, int value) {
    Op *o = emit(l, O_SET, l->c->var_types[var]);
    o->b = var;
    o->a = value;
}
static inline int binary(Lower *l, BinOp op, Type t, int a, int b, bool no_wrap) {
    Op *o = emit(l, O_BIN, t);
    o->op = op;
    o->a = a;
    o->b = b;
    o->flag = no_wrap;
    return result(l, o);
}
static inline int compare(Lower *l, CmpOp op, Type t, int a, int b) {
    Op *o = emit(l, O_CMP, T_BOOL);
    o->from = t;
    o->op = op;
    o->a = a;
    o->b = b;
    return result(l, o);
}
static inline int cast(Lower *l, CastOp op, Type from, Type to, int a) {
    Op *o = emit(l, O_CAST, to);
    o->from = from;
    o->op = op;
    o->a = a;
    return result(l, o);
}
static inline int special(Lower *l, Special s, Type t) {
    Op *o = emit(l, O_SPECIAL, t);
    o->op = s;
    return result(l, o);
}

static inline int i32_binary(Lower *l, BinOp op, int a, uint64_t c) {
    return binary(l, op, T_I32, a, constant(l, T_I32, c), op == B_ADD || op == B_MUL || op == B_SUB);
}

/* ---- lower.c: each gives the number of a temporary (the passes have functions lower_...) ---- */
int ops_linear_thread(Lower *l, int lead);
int ops_linear_block(Lower *l, int lead);
int ops_product(Lower *l, Special a, Special b, Special c);
int ops_own_index(Lower *l, const Array *x, int slot);
int ops_in_segment(Lower *l, const Array *x, int index);
int ops_load(Lower *l, int array, int index);
int ops_atomic(Lower *l, int array, int op, int index, int value, int expected, bool used);
int ops_retry(Lower *l, int array, int op, int index, int value, unsigned form, bool used);
int ops_expression(Lower *l, const Expr *e);
int ops_masked(Lower *l, const Array *x, int index);
int ops_warp_op(Lower *l, OpCode code, const Expr *e, int value, int by);
#endif
