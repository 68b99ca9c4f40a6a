/* late_exits.h: code that lanes would run after a barrier which they have bypassed. */
#ifndef CUCPU_LATE_EXITS_H
#define CUCPU_LATE_EXITS_H
#include "passes/analysis/shapes/shapes.h"
#include "passes/ir/cfg.h"

/* A lane that bypasses a barrier, or leaves a loop one by one in which others go on to one, accesses memory after it:
** in the group's code, which runs in the order of blocks, that part would come after the barrier instead of before
** it. */
bool exits_late(Arena *a, const Cfg *c, const Shapes *s, const bool *divergent_loops);
/* The first block after the barrier that contains or dominates the last access of such lanes, where they have diverged
** at a branch; -1 = there is none. */
int find_late_exit(Arena *a, const Cfg *c, const Shapes *s);
#endif
