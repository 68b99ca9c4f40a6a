/* reduce.c: delta debugging on the tree: drop statements, put a construct's body in its place, replace
** expressions by their operands or by constants, until nothing more can go.  Every step keeps the
** program legal, or the interpreter finds it invalid and the step is taken back. */
#include "tests/fuzz/reduce.h"

typedef struct Reduce {
    Program *p;
    StillFails *still_fails;
    void *context;
    bool changed;
} Reduce;

static bool keep(Reduce *r) {
    if (!r->still_fails(r->p, r->context)) return false;
    return r->changed = true;
}

static void shrink_expr(Reduce *r, Expr **slot) {
    Expr *e = *slot;
    if (!e) return;
    if (e->kind != E_CONST) {
        Expr *zero = arena_alloc(r->p->arena, sizeof *zero);
        zero->kind = E_CONST;
        zero->type = e->type;
        for (int v = 0; v < 2; v++) {
            zero->bits = (uint64_t)(type_is_float(e->type) ? 0 : v);
            *slot = zero;
            if (keep(r)) return;
        }
    }
    for (int i = 0; i < 3; i++)
        if (e->a[i] && e->a[i]->type == e->type) {
            *slot = e->a[i];
            if (keep(r)) {
                shrink_expr(r, slot);
                return;
            }
        }
    *slot = e;
    for (int i = 0; i < 3; i++) shrink_expr(r, &e->a[i]);
}

static Stmt **end_of(Stmt **list) {
    while (*list) list = &(*list)->next;
    return list;
}

/* Puts one body in the place of its construct; true if that holds. */
static bool hoist(Reduce *r, Stmt **slot) {
    Stmt *s = *slot;
    for (int i = 0; i < 4; i++) {
        if (!s->body[i]) continue;
        Stmt **end = end_of(&s->body[i]);
        *end = s->next;
        *slot = s->body[i];
        if (keep(r)) return true;
        *end = NULL;
        *slot = s;
    }
    return false;
}

static void drop_runs(Reduce *r, Stmt **slot, int length) {
    while (*slot) {
        Stmt *first = *slot, *last = first;
        for (int i = 1; i < length && last->next; i++) last = last->next;
        *slot = last->next;
        if (keep(r)) continue;
        *slot = first;
        slot = &first->next;
    }
}

static void shrink_list(Reduce *r, Stmt **list) {
    int n = 0;
    for (Stmt *s = *list; s; s = s->next) n++;
    for (int length = n > 16 ? 16 : n > 4 ? 4 : 1; length >= 1; length /= 2) drop_runs(r, list, length);
    for (Stmt **slot = list; *slot;) {
        if (hoist(r, slot)) continue;
        Stmt *s = *slot;
        for (int i = 0; i < 4; i++) {
            Stmt *whole = s->body[i];
            s->body[i] = NULL;
            if (!whole || keep(r)) continue;
            s->body[i] = whole;
            shrink_list(r, &s->body[i]);
        }
        for (int i = 0; i < 4; i++) shrink_expr(r, &s->e[i]);
        slot = &s->next;
    }
}

void reduce(Program *p, StillFails *still_fails, void *context) {
    Reduce r = {p, still_fails, context, true};
    for (int round = 0; round < 6 && r.changed; round++) {
        r.changed = false;
        shrink_list(&r, &p->body);
        for (int i = 0; i < p->nvars; i++) shrink_expr(&r, &p->vars[i].init);
        for (int i = 0; i < p->nfunctions; i++) {
            shrink_list(&r, &p->functions[i].body);
            shrink_expr(&r, &p->functions[i].value);
        }
    }
}
