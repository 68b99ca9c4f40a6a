/* range_guards.h: conditions that whole groups find alike nearly always, and what their masks cost. */
#ifndef CUCPU_RANGE_GUARDS_H
#define CUCPU_RANGE_GUARDS_H
#include "passes/analysis/shapes/shapes.h"
#include "passes/ir/kernel.h"

/* Whole groups can find v true (want) or false, and two scalar comparisons per comparison show it (widen_masks.c): a place in
** the grid (blockIdx.x * blockDim.x + threadIdx.x < n) by comparisons between affine and uniform values. */
bool is_range_test(const Shapes *s, LLVMValueRef v, bool want);
/* The cost that an operation loses with its mask, in contiguous accesses. */
int masked_cost(const Kernel *k, const Shapes *s, LLVMValueRef i);
/* A copy of the instruction may stand beside it: no variable, nothing that must be executed by all threads together. */
bool may_be_copied(LLVMValueRef i);
/* The block is in the original of what has a copy for whole groups (version_all_active): some lanes are off, groups at a border come here. */
bool is_masked_original(const Cfg *c, int block);
#endif
