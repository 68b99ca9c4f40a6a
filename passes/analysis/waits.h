/* waits.h: where threads wait for each other without a barrier: loops that poll memory, and warp-level
** functions in which threads meet that stand at different places. */
#ifndef CUCPU_WAITS_H
#define CUCPU_WAITS_H
#include "passes/analysis/shapes.h"
#include "passes/ir/cfg.h"

/* For each loop: it may go round until some other thread stores. */
bool *waits_polling_loops(Arena *a, const Cfg *c);
/* In this divergent loop, which polls, a lane may wait for what another lane of its group does behind it or elsewhere. */
struct Kernel;
bool waits_for_own_lanes(struct Kernel *k, const Cfg *c, const Shapes *s, int loop);
/* Two warp-level functions with one mask stand on the two sides of a divergent branch: lanes of both
** sides meet in them, which code that runs one side after the other cannot do. */
bool waits_across_branch(Arena *a, const Cfg *c, const Shapes *s);
#endif
