/* divergence.h: what a branch at which threads disagree does to the blocks after it, as pure graph facts: they depend
** on the CFG only, not on which branches are divergent.
**
** sync joins: blocks that two threads can enter over different edges after they diverged at the branch.
** temporal joins: loop exits that two threads can take in different iterations because of it.
** Algorithm: label propagation in compact order (Moll 2021, ch. 7, with the loop rules corrected; docs/shapes.md lists
** the corrections). O(blocks) per branch and loop level. */
#ifndef CUCPU_DIVERGENCE_H
#define CUCPU_DIVERGENCE_H
#include "passes/ir/cfg.h"

typedef struct Joins {
    int *sync, nsync, capsync;
    int *temporal, ntemporal, captemporal;
    int *loops, nloops, caploops; /* loops that threads leave in different iterations */
} Joins;

typedef struct Divergence Divergence;

Divergence *divergence_new(Arena *a, const Cfg *cfg);
/* The joins of the terminator of `block`; computed once. */
const Joins *divergence_joins(Divergence *d, int block);
/* The branch blocks that directly decide whether `block` runs (Ferrante's control dependence). */
const int *divergence_deciders(Divergence *d, int block, int *n);
#endif
