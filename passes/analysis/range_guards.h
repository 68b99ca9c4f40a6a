/* range_guards.h: conditions that are nearly always the same for whole groups, and what their masks cost. */
#ifndef CUCPU_RANGE_GUARDS_H
#define CUCPU_RANGE_GUARDS_H
#include "passes/analysis/shapes/shapes.h"
#include "passes/ir/kernel.h"

/* Of a structure, or neighbours of one thread, that are accessed together (widen_fields.c). */
enum { MAX_ELEMENTS = 16 };

/* Whole groups can have v true (want) or false, and two scalar comparisons per comparison decide it (widen_masks.c): an
** index in the grid (blockIdx.x * blockDim.x + threadIdx.x < n) by comparisons between affine and uniform values. */
bool is_range_test(const Shapes *s, LLVMValueRef v, bool want);
/* Of a comparison with an affine value: the bound is taken for the upper end of its range, not the lower one: it is not
** constant, or far above the values of the first group or block, which are `span` values up to `highest`. */
bool is_upper_end(LLVMValueRef bound, int64_t highest, int64_t span);
/* A load or store of one of a few elements of a thread, which lie beside those of its neighbours (widen_fields.c). */
bool is_near_access(const Kernel *k, const Shapes *s, LLVMValueRef i);
/* The cost of an operation's mask, in contiguous accesses. */
int masked_cost(const Kernel *k, const Shapes *s, LLVMValueRef i);
/* The block is in the original of a version_all_active copy: some lanes are inactive, groups at a border run it. */
bool is_masked_original(const Cfg *c, int block);
#endif
