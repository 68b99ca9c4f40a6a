/* late_exits.h: code that lanes would run behind a barrier which they have not met. */
#ifndef CUCPU_LATE_EXITS_H
#define CUCPU_LATE_EXITS_H
#include "passes/analysis/shapes/shapes.h"
#include "passes/ir/cfg.h"

/* A lane that goes round a barrier, or leaves a loop one by one in which others go on to one, touches memory behind it: of
** the group's code, which runs in the order of blocks, that part would come after the barrier instead of before it. */
bool exits_late(Arena *a, const Cfg *c, const Shapes *s, const bool *divergent_loops);
/* The first block behind the barrier that the last of what such lanes touch stands in or is dominated by, where they have parted
** at a branch; -1 = there is none. */
int find_late_exit(Arena *a, const Cfg *c, const Shapes *s);
#endif
