/* split_joins: one value over several edges joins before it meets others.
**
** LLVM joins the arms of nested branches in one block:
**
**     if (uniform) { x = f(x); if (lane < n) store; }        join: x = phi [x, entry] [f, store] [f, skip]
**
** To the analysis of shapes the inner branch, at which lanes diverge, chooses among the edges of the join, so x varies.
** The edges that bring one value, and into which exactly the blocks under one branch lead, get a block of their own:
** there the lanes meet again, and the value is no phi. Loops keep their headers, latches and dedicated exits: all edges
** are in the loop of the join. */
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"

typedef struct Edges {
    LLVMBasicBlockRef *from;
    unsigned n;
} Edges;

static int common_dominator(const Cfg *c, int a, int b) {
    while (!cfg_dominates(c, a, b)) a = c->b[a].idom;
    return a;
}

/* The predecessors over which the phi gets its k-th value; none, unless they are exactly what one branch leads to. */
static Edges edges_of_value(const Cfg *c, Arena *a, int join, LLVMValueRef phi, unsigned k) {
    unsigned n = LLVMCountIncoming(phi);
    Edges e = {arena_array(a, LLVMBasicBlockRef, n), 0};
    int branch = cfg_number(c, LLVMGetIncomingBlock(phi, k));
    for (unsigned i = 0; i < n; i++) {
        if (LLVMGetIncomingValue(phi, i) != LLVMGetIncomingValue(phi, k)) continue;
        if (i < k) return (Edges){0};
        e.from[e.n++] = LLVMGetIncomingBlock(phi, i);
        branch = common_dominator(c, branch, cfg_number(c, LLVMGetIncomingBlock(phi, i)));
    }
    unsigned led = 0;
    for (int p = 0; p < c->b[join].npred; p++) led += cfg_dominates(c, branch, c->b[join].pred[p]);
    return e.n > 1 && e.n < n && led == e.n ? e : (Edges){0};
}

static bool split_join(const Cfg *c, Arena *a, int join) {
    const Block *b = &c->b[join];
    bool candidate = b->npred > 2 && !(b->loop >= 0 && c->l[b->loop].header == join);
    for (int p = 0; p < b->npred && candidate; p++) candidate = c->b[b->pred[p]].loop == b->loop;
    if (!candidate) return false;
    for_each_phi(phi, b->bb)
        for (unsigned k = 0; k + 1 < LLVMCountIncoming(phi); k++) {
            Edges e = edges_of_value(c, a, join, phi, k);
            if (!e.n) continue;
            shim_split_predecessors(b->bb, e.from, e.n, ".join");
            return true;
        }
    return false;
}

void split_joins(LLVMValueRef fn) {
    for (bool changed = true; changed;) {
        Arena a = {0};
        const Cfg *c = cfg_build(&a, fn);
        changed = false;
        for (int b = 0; b < c->n && c->reducible; b++) changed |= split_join(c, &a, b);
        arena_free(&a);
    }
}
