/* spin_loops.h: where threads wait for each other without a barrier: loops that poll memory, and warp-level functions
** in which threads synchronise from different call sites. */
#ifndef CUCPU_SPIN_LOOPS_H
#define CUCPU_SPIN_LOOPS_H
#include "passes/analysis/shapes/shapes.h"
#include "passes/ir/cfg.h"

/* For each loop: it may iterate until some other thread stores. */
bool *find_spin_loops(Arena *a, const Cfg *c);
/* In this divergent loop, which polls, a lane may wait for what another lane of its group does after it or
** elsewhere. */
struct Kernel;
bool spins_on_own_lanes(struct Kernel *k, const Cfg *c, const Shapes *s, int loop);
/* Lanes of the group may synchronise in a warp-level function from different call sites, which code that runs one call
** site after the other cannot do (warp_convergence.c). */
bool converges_across_branch(struct Kernel *k, const Cfg *c, const Shapes *s);
#endif
