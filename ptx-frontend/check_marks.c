/* check_marks.c: the marks around a name, ! - +4 [4] |q, are only where they mean something: builders read the marks
** that they know, and would ignore the others.
**
**   !p      a predicate that is read        -a      a source of vmad
**   a+4     a register that is read, or memory      a[4]    memory
**   d|q     the first operand of a few instructions, q a register without marks
**   a.x     a register: of a vector, or of a video instruction; a special register */
#include "ptx-frontend/lower.h"

/* What a name is. */
typedef enum Role { RESULT, SOURCE, PART } Role; /* PART: of a vector or a list */

static bool is_marked(const Operand *o) {
    bool shifted = o->kind == OPERAND_NAME && (o->value || o->indexed);
    return o->negated || o->minus || o->pair || o->member || shifted;
}

static bool has_pair(const Lower *l) {
    static const char *const ops[] = {"setp", "lop3", "shfl", "elect", "tex", "tld4"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strcmp(l->inst->op, ops[i])) return true;
    return !strcmp(l->inst->op, "match") && has_mod(l, "all");
}

static void check_pair(Lower *l, const Operand *o, Role role) {
    const Operand *q = o->pair;
    if (!q) return;
    if (role != RESULT || !has_pair(l)) ptx_error(l->p, q->loc, "'%s' has no second result here", l->inst->op);
    bool is_name = q->kind == OPERAND_NAME || q->kind == OPERAND_ARG || q->kind == OPERAND_SINK;
    if (!is_name || is_marked(q)) ptx_error(l->p, q->loc, "a predicate is expected after '|'");
}

static void check_name(Lower *l, const Operand *o, Role role) {
    const Sym *s = o->kind == OPERAND_NAME ? try_sym(l, o->name) : NULL;
    const char *name = o->name ? o->name : "the operand";
    bool is_register = o->kind == OPERAND_ARG || (s && s->kind == SYM_REG), memory = s && s->kind == SYM_MEMORY;
    bool is_read = role == SOURCE && is_register;
    if (o->negated && !is_read) ptx_error(l->p, o->loc, "'!' before '%s', which is no predicate that is read", name);
    if (o->minus && !(is_read && !strcmp(l->inst->op, "vmad"))) ptx_error(l->p, o->loc, "a sign before '%s'", name);
    if (o->member && s && !is_register) ptx_error(l->p, o->loc, "'%s' has no component '%s'", name, o->member);
    if (o->kind != OPERAND_NAME || (!o->value && !o->indexed) || memory) return;
    if (o->indexed) ptx_error(l->p, o->loc, "'%s' is not an array", name);
    if (!is_read) ptx_error(l->p, o->loc, "nothing can be added to '%s' here", name);
}

static void check(Lower *l, const Operand *o, Role role) {
    switch (o->kind) {
    case OPERAND_NAME:
    case OPERAND_ARG:
    case OPERAND_SINK:
        if (!is_marked(o)) return;
        check_pair(l, o, role);
        if (o->kind != OPERAND_SINK) check_name(l, o, role);
        break;
    case OPERAND_VECTOR:
    case OPERAND_LIST:
        check_pair(l, o, role);
        for (int i = 0; i < o->n; i++) {
            check(l, &o->v[i], PART);
            if (o->kind == OPERAND_LIST && is_marked(&o->v[i]))
                ptx_error(l->p, o->v[i].loc, "an argument is a name or a constant");
        }
        break;
    case OPERAND_ADDRESS:
    case OPERAND_TUPLE:
        for (int i = 0; i < o->n; i++) check(l, &o->v[i], SOURCE);
        break;
    default: break;
    }
}

/* A label or a function by its name. */
void check_unmarked(Lower *l, const Operand *o) {
    if (is_marked(o)) ptx_error(l->p, o->loc, "a name without marks is expected");
}

/* Of the instruction at hand, whose row is known; does not return after an error. */
void check_marks(Lower *l) {
    static const char *const no_result[] = {"st", "red", "bra", "brx", "call", "bar", "barrier", "nanosleep"};
    Role first = RESULT;
    for (size_t i = 0; i < sizeof no_result / sizeof *no_result; i++)
        if (!strcmp(l->inst->op, no_result[i]) && !has_mod(l, "red")) first = SOURCE;
    for (int i = 0; i < l->inst->nops; i++) check(l, &l->inst->ops[i], i ? SOURCE : first);
}
