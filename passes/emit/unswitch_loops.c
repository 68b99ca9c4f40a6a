/* unswitch_loops: loops with conditions that no iteration changes get a copy for each value of them; part of optimise.
**
**   for (...) { if (flag) a; else b; }   ->   if (flag) for (...) a; else for (...) b;
**
** Divergent branches are masks by now, so such a condition is uniform. LLVM's SimpleLoopUnswitch does it, the outermost
** condition first, then again in both copies. What is decided here is how often: GROWTH_UNSWITCHED instructions are
** copied for a condition at most, and from the fifth condition of a loop on its size counts twice as much for each
** (IF-select, 2019, ends after four). A kernel with such copies of innermost loops gets a remark. */
#include "passes/emit/unswitch_loops.h"
#include "passes/analysis/cost.h"
#include "passes/ir/cfg.h"
#include "passes/ir/shim.h"
#include <string.h>

enum { CONDITIONS = 4 };

static bool is_unswitching(const char *pass) { return !strcmp(pass, "SimpleLoopUnswitchPass"); }

Unswitch unswitch_open(Module *m) {
    shim_set_option("unswitch-threshold", (unsigned)GROWTH_UNSWITCHED);
    shim_set_option("unswitch-num-initial-unscaled-candidates", CONDITIONS);
    return (Unswitch){.m = m};
}

/* The loop over groups around one of the source is mostly copied for whether that has an iteration: no remark. */
static bool is_innermost(LLVMBasicBlockRef header) {
    Arena a = {0};
    const Cfg *c = cfg_build(&a, LLVMGetBasicBlockParent(header));
    int loop = c->b[cfg_number(c, header)].loop;
    bool inner = loop >= 0 && cfg_is_innermost(c, loop);
    arena_free(&a);
    return inner;
}

bool unswitch_skips(Unswitch *u, const char *pass, LLVMBasicBlockRef loop) {
    if (!is_unswitching(pass) || !loop) return false;
    u->fn = LLVMGetBasicBlockParent(loop);
    u->blocks = u->m->opt->remarks && is_innermost(loop) ? LLVMCountBasicBlocks(u->fn) : 0;
    return pass_disabled(u->m, "unswitch_loops");
}

/* Blocks are copied only for a condition that does not end the loop. */
void unswitch_after(Unswitch *u, const char *pass) {
    if (is_unswitching(pass) && u->blocks && LLVMCountBasicBlocks(u->fn) > u->blocks + 1)
        diag_remark_plain(&u->m->diag, u->fn, REMARK_UNSWITCHED);
}
