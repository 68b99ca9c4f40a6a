/* group_loop.h: the loop over the threads or groups of a block, as loop_groups makes it, where nothing but x is
** carried:
**
**   header: x = phi(0, next) ...   latch: next = x + step; br next < end, header, out */
#ifndef CUCPU_GROUP_LOOP_H
#define CUCPU_GROUP_LOOP_H
#include "passes/ir/cfg.h"

typedef struct GroupLoop {
    LLVMBasicBlockRef before, header, latch, out;
    LLVMValueRef x, next, end; /* of 32 bits; end is computed outside of the loop */
    uint64_t step;
} GroupLoop;

/* Whether the loop is one.  There may be other exits to `out`. */
bool find_group_loop(const Cfg *c, int loop, GroupLoop *g);
#endif
