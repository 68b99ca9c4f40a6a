/* liveness.c: see liveness.h. Value by value, from each use up to the definition (Boissinot et al., "Computing Liveness
** Sets for SSA-Form Programs", 2011: path exploration): most values never leave their block and cost nothing. */
#include "passes/analysis/liveness.h"
#include "passes/ir/value.h"

int live_number(const Liveness *l, LLVMValueRef v) { return (int)map_get(&l->number, v, 0) - 1; }

bool live_out(const Liveness *l, int block, int number) {
    const LiveSet *s = &l->out[block];
    int lo = 0, hi = s->n;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (s->v[mid] < number) lo = mid + 1;
        else hi = mid;
    }
    return lo < s->n && s->v[lo] == number;
}

static void number_values(Arena *a, Liveness *l, LiveWanted *wanted, const void *context) {
    Vec(LLVMValueRef) values = {0};
    map_init(&l->number, a);
    for_each_cfg_instruction(i, b, l->cfg) {
        if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind || (wanted && !wanted(context, i))) continue;
        vec_push(a, &values, i);
        map_put(&l->number, i, (uintptr_t)values.n);
    }
    l->value = values.v;
    l->n = values.n;
}

typedef struct Walk {
    Arena *a;
    Liveness *l;
    int *stack, top;
    int value, home; /* its value number, and the block that defines it */
} Walk;

/* False if that is known already: sets are filled value by value, so it would be the last member. */
static bool add_live_out(Walk *w, int b) {
    LiveSet *s = &w->l->out[b];
    if (s->n && s->v[s->n - 1] == w->value) return false;
    vec_push(w->a, s, w->value);
    return true;
}

/* The value is live at the start of block b. */
static void enters(Walk *w, int b) {
    w->stack[w->top++] = b;
    while (w->top) {
        const Block *k = &w->l->cfg->b[w->stack[--w->top]];
        for (int p = 0; p < k->npred; p++)
            if (add_live_out(w, k->pred[p]) && k->pred[p] != w->home) w->stack[w->top++] = k->pred[p];
    }
}

static void follow_uses(Walk *w, LLVMValueRef v) {
    const Cfg *c = w->l->cfg;
    for_each_user(user, v) {
        int b = cfg_block_of(c, user);
        if (b < 0) continue;
        if (!LLVMIsAPHINode(user)) {
            if (b != w->home) enters(w, b);
            continue;
        }
        for (unsigned k = 0; k < LLVMCountIncoming(user); k++) {
            int from = LLVMGetIncomingValue(user, k) == v ? cfg_number(c, LLVMGetIncomingBlock(user, k)) : -1;
            if (from >= 0 && add_live_out(w, from) && from != w->home) enters(w, from);
        }
    }
}

Liveness *liveness(Arena *a, const Cfg *c, LiveWanted *wanted, const void *context) {
    Liveness *l = arena_alloc(a, sizeof *l);
    l->cfg = c;
    number_values(a, l, wanted, context);
    l->out = arena_array(a, LiveSet, c->n);
    l->mark = arena_array(a, int, l->n + 1);
    Walk w = {.a = a, .l = l, .stack = arena_array(a, int, c->n + 1)};
    for (w.value = 0; w.value < l->n; w.value++) {
        w.home = cfg_block_of(c, l->value[w.value]);
        follow_uses(&w, l->value[w.value]);
    }
    return l;
}

void live_scan(Liveness *l, int block, LiveChange *change, LiveHere *here, void *context) {
    l->epoch++;
    for (int i = 0; i < l->out[block].n; i++) {
        l->mark[l->out[block].v[i]] = l->epoch;
        change(context, l->out[block].v[i], 1);
    }
    here(context);
    for (LLVMValueRef i = LLVMGetLastInstruction(l->cfg->b[block].bb); i; i = LLVMGetPreviousInstruction(i)) {
        int n = live_number(l, i);
        if (n >= 0 && l->mark[n] == l->epoch) {
            l->mark[n] = 0;
            change(context, n, -1);
        }
        if (LLVMIsAPHINode(i)) continue;
        for (int k = 0, e = LLVMGetNumOperands(i); k < e; k++) {
            n = live_number(l, LLVMGetOperand(i, (unsigned)k));
            if (n < 0 || l->mark[n] == l->epoch) continue;
            l->mark[n] = l->epoch;
            change(context, n, 1);
        }
        here(context);
    }
}
