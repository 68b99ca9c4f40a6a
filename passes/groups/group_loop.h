/* group_loop.h: the loop over the threads or groups of a block, as loop_groups makes it, where nothing but x is
** carried:
**
**   header: x = phi(0, next) ...   latch: next = x + step; br next < end, header, out
**
** x is below 2^31, as a row of joined blocks is (joined_blocks.c). */
#ifndef CUCPU_GROUP_LOOP_H
#define CUCPU_GROUP_LOOP_H
#include "passes/analysis/affine.h"
#include "passes/groups/invariant.h"

typedef struct GroupLoop {
    LLVMBasicBlockRef before, header, latch, out;
    LLVMValueRef x, next, end; /* of 32 bits; end is computed outside of the loop */
    uint64_t step;
} GroupLoop;

/* Whether the loop is one.  There may be other exits to `out`. */
bool find_group_loop(const Cfg *c, int loop, GroupLoop *g);

/* v = base + x, modulo 2^bits of v, where base is invariant in the loop. */
bool group_sum(const GroupLoop *g, const Invariant *outside, LLVMValueRef v, Affine *base);
/* base, of the type of v, at the builder of `outside`. */
LLVMValueRef group_base(Invariant *outside, const Affine *base, LLVMTypeRef t);
#endif
