/* trips: how often loops run, where that is a constant.  ScalarEvolution, which knows, is made for the whole function: for each loop
** by itself time would grow with the square of the kernel. */
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
