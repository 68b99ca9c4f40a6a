/* lane_rows.h: loops in which each thread goes through a private row, element by element. */
#ifndef CUCPU_LANE_ROWS_H
#define CUCPU_LANE_ROWS_H
#include "passes/ir/cfg.h"
#include <llvm-c/Target.h>

typedef struct LaneRow {
    bool is_row;      /* LLVM would vectorise over the elements, if the thread were alone */
    bool sums_floats; /* except for a sum of floats, whose order matters */
    bool branches;    /* the loop has branches, which are invariant in the loop */
    unsigned bytes;   /* of the largest element, or reduction: with as many per vector as there are of these */
} LaneRow;

/* The kind of the loop: innermost, counted, few blocks, no effects but plain accesses; each address is invariant or
** increases by one element per iteration, one at least increases. */
LaneRow lane_row(const Cfg *c, LLVMTargetDataRef dl, int loop);
#endif
