/* range_guards.h: conditions that are nearly always the same for whole groups, and what their masks cost. */
#ifndef CUCPU_RANGE_GUARDS_H
#define CUCPU_RANGE_GUARDS_H
#include "passes/analysis/shapes/shapes.h"
#include "passes/ir/kernel.h"

/* Whole groups can have v true (want) or false, and two scalar comparisons per comparison decide it (widen_masks.c): an
** index in the grid (blockIdx.x * blockDim.x + threadIdx.x < n) by comparisons between affine and uniform values. */
bool is_range_test(const Shapes *s, LLVMValueRef v, bool want);
/* The cost of an operation's mask, in contiguous accesses. */
int masked_cost(const Kernel *k, const Shapes *s, LLVMValueRef i);
/* The block is in the original of a version_all_active copy: some lanes are inactive, groups at a border run it. */
bool is_masked_original(const Cfg *c, int block);
#endif
