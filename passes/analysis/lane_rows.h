/* lane_rows.h: loops in which each thread goes through a row of its own, element by element. */
#ifndef CUCPU_LANE_ROWS_H
#define CUCPU_LANE_ROWS_H
#include "passes/ir/cfg.h"
#include <llvm-c/Target.h>

typedef struct LaneRow {
    bool is_row;      /* LLVM would make vectors of the elements, if the thread were alone */
    bool sums_floats; /* but for a sum of floating-point numbers, whose order counts */
    bool branches;    /* the loop has branches, which go the same way in all passes of a thread */
    unsigned bytes;   /* of the largest element */
} LaneRow;

/* What the loop is: innermost, counted, few blocks, no effects but plain accesses; each address stays or goes on by one
** element per pass, one at least goes on. */
LaneRow lane_row(const Cfg *c, LLVMTargetDataRef dl, int loop);
#endif
