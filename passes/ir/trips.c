/* trips: constant trip counts of loops. ScalarEvolution is built for the whole function: for each loop separately it
** would take time quadratic in the size of the kernel. */
#include "passes/ir/cfg.h"
#include "passes/ir/shim.h"

unsigned cfg_trip_count(const Cfg *c, int loop) {
    Trips *t = c->trips;
    if (!t->of) {
        LLVMBasicBlockRef *header = arena_array(t->a, LLVMBasicBlockRef, c->nloops + 1);
        for (int l = 0; l < c->nloops; l++) header[l] = c->b[c->l[l].header].bb;
        t->of = arena_array(t->a, unsigned, c->nloops + 1);
        shim_trip_counts(header, c->nloops, t->of);
    }
    return t->of[loop];
}
