/* barriers.h: the regions into which barriers cut a kernel, and where each of them leads.
**
** After split_barriers a barrier is the first instruction of its block. A region is what can be reached from its start,
** the kernel's entry or a barrier, without crossing a barrier (Karrenberg and Hack, CC 2012: continuations). Regions
** overlap where two barriers share a tail. Not here: the order of regions (dispatch); barriers in the middle of a
** block. */
#ifndef CUCPU_BARRIERS_H
#define CUCPU_BARRIERS_H
#include "passes/analysis/shapes/shapes.h"
#include "passes/ir/cfg.h"
#include "passes/ir/names.h"
#include <stdio.h>

enum { END = -1 };
typedef Vec(int) Numbers;

typedef struct BarrierRegion {
    int start;            /* block number; 0 = kernel entry */
    LLVMValueRef barrier; /* it starts after this one; NULL for region 0 */
    bool *has;            /* block number -> member */
    Numbers exits;        /* regions it leads to, END for return */
    bool uniform_choice;  /* the choice between its exits is uniform for the block (barriers_judge) */
} BarrierRegion;

typedef struct Barriers {
    const Cfg *cfg;
    BarrierRegion *region;
    int n;          /* regions: barriers + 1 */
    int *region_of; /* block number -> region that starts there, or -1 */
    bool named, leaves,
        has_warp_functions; /* has such barriers: see has_named_barriers, of the grid or cluster; has warp functions */
} Barriers;

/* Allocated in `a`. */
Barriers *barriers_find(Arena *a, const Cfg *cfg);
/* Finds the uniform choices; until then none is known.  `shapes` of the group code for width 1. */
void barriers_judge(Barriers *b, const Shapes *shapes);
/* Barriers of a part of the block, or with an id other than 0, or warp functions at width 1: groups of one block may
** wait at different barriers, and be in different iterations of one loop, at the same time. */
bool has_named_barriers(LLVMValueRef fn);
void barriers_print(const Barriers *b, FILE *f);
#endif
