/* barriers.c: see barriers.h. A region is filled by a traversal from its start. The choice between its exits is uniform
** if every branch of it that can lead to different sets of exits is, which a backward iteration over these sets
** computes. */
#include "passes/analysis/barriers.h"
#include "passes/ir/value.h"

bool has_named_barriers(LLVMValueRef fn) {
    for_each_instruction(i, fn) {
        Name n = name_of_call(i);
        if (n == NAME_BARRIER_N || n == NAME_MEET || n == NAME_CLUSTER_ARRIVE || n == NAME_CLUSTER_WAIT) return true;
        if (!name_is_barrier(n)) continue;
        LLVMValueRef id = LLVMGetOperand(i, 0);
        if (!is_constant(id, 0) && !is_constant(id, BARRIER_OF_LOOP) && !is_constant(id, BARRIER_OF_BLOCKS))
            return true;
    }
    return false;
}

static void number_regions(Arena *a, Barriers *b) {
    const Cfg *c = b->cfg;
    b->region_of = arena_array(a, int, c->n);
    b->region = arena_array(a, BarrierRegion, c->n + 1);
    b->n = 1;
    for (int k = 0; k < c->n; k++) {
        LLVMValueRef first = LLVMGetFirstInstruction(c->b[k].bb);
        Name n = name_of_call(first);
        b->region_of[k] = -1;
        if (!name_is_cut(n)) continue;
        b->leaves |= name_leaves_block(n);
        b->has_warp_functions |= n == NAME_MEET;
        b->region_of[k] = b->n;
        b->region[b->n++] = (BarrierRegion){.start = k, .barrier = first};
    }
}

static void add_exit(Arena *a, BarrierRegion *r, int to) {
    for (int i = 0; i < r->exits.n; i++)
        if (r->exits.v[i] == to) return;
    vec_push(a, &r->exits, to);
}

static void fill_region(Arena *a, const Barriers *b, BarrierRegion *r, int *stack) {
    int sp = 0;
    r->has = arena_array(a, bool, b->cfg->n);
    r->has[r->start] = true;
    stack[sp++] = r->start;
    while (sp) {
        const Block *k = &b->cfg->b[stack[--sp]];
        if (!k->nsucc) add_exit(a, r, END);
        for (int i = 0; i < k->nsucc; i++) {
            int t = k->succ[i];
            if (b->region_of[t] >= 0) {
                add_exit(a, r, b->region_of[t]);
            } else if (!r->has[t]) {
                r->has[t] = true;
                stack[sp++] = t;
            }
        }
    }
}

/* Adds the exits that block k of the region can reach, 0 = END; true if there are new ones. */
static bool add_reached(const Barriers *b, Bits *reach, int k) {
    const Block *x = &b->cfg->b[k];
    int words = (b->n + 64) / 64 + 1;
    bool changed = !x->nsucc && !bits_has(reach[k], 0);
    if (changed) bits_add(reach[k], 0);
    for (int i = 0; i < x->nsucc; i++) {
        int t = x->succ[i], to = b->region_of[t];
        for (int w = 0; w < words; w++) {
            uint64_t add = to < 0 ? reach[t][w] : w == to / 64 ? UINT64_C(1) << (to % 64) : 0;
            if (!(add & ~reach[k][w])) continue;
            reach[k][w] |= add;
            changed = true;
        }
    }
    return changed;
}

static bool choice_is_uniform(Arena *a, const Barriers *b, const BarrierRegion *r, const Shapes *shapes) {
    if (r->exits.n <= 1) return true;
    const Cfg *c = b->cfg;
    Bits *reach = arena_array(a, Bits, c->n);
    for (int k = 0; k < c->n; k++) reach[k] = bits_new(a, b->n + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = c->n - 1; k >= 0; k--)
            if (r->has[k]) changed |= add_reached(b, reach, k);
    }
    for (int k = 0; k < c->n; k++) {
        if (!r->has[k] || c->b[k].nsucc < 2) continue;
        int count = 0;
        for (int e = 0; e < b->n; e++) count += bits_has(reach[k], e);
        if (count > 1 && !shapes_branch_block_uniform(shapes, k)) return false;
    }
    return true;
}

Barriers *barriers_find(Arena *a, const Cfg *cfg) {
    Barriers *b = arena_alloc(a, sizeof *b);
    b->cfg = cfg;
    b->named = has_named_barriers(cfg->fn);
    number_regions(a, b);
    int *stack = arena_array(a, int, cfg->n + 1);
    for (int i = 0; i < b->n; i++) fill_region(a, b, &b->region[i], stack);
    return b;
}

void barriers_judge(Barriers *b, const Shapes *shapes) {
    for (int i = 0; i < b->n; i++) {
        Arena scratch = {0}; /* blocks times regions */
        b->region[i].uniform_choice = choice_is_uniform(&scratch, b, &b->region[i], shapes);
        arena_free(&scratch);
    }
}

void barriers_print(const Barriers *b, FILE *f) {
    fprintf(f, "barriers of %s:%s%s\n", value_name(b->cfg->fn), b->named ? " named" : "", b->leaves ? " grid" : "");
    for (int i = 0; i < b->n; i++) {
        const BarrierRegion *r = &b->region[i];
        fprintf(f, "  region %d, %s:", i, r->barrier ? name_text(name_of_call(r->barrier)) : "entry");
        for (int k = 0; k < b->cfg->n; k++)
            if (r->has[k]) fprintf(f, " %s", LLVMGetBasicBlockName(b->cfg->b[k].bb));
        fputs(" ->", f);
        for (int e = 0; e < r->exits.n; e++)
            if (r->exits.v[e] == END) fputs(" end", f);
            else fprintf(f, " %d", r->exits.v[e]);
        fputs(r->exits.n <= 1 ? "\n" : r->uniform_choice ? " (uniform)\n" : " (apart)\n", f);
    }
}
