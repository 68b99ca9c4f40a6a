/* single_lane.h: conditions that at most one lane of a group satisfies. */
#ifndef CUCPU_SINGLE_LANE_H
#define CUCPU_SINGLE_LANE_H
#include "passes/analysis/shapes/shapes.h"

/* The condition, or a part of it where it is a conjunction, is *v == *u: v differs in every lane (threadIdx.x and sums
** of it), u is uniform. */
bool single_lane(const Shapes *s, LLVMValueRef condition, LLVMValueRef *v, LLVMValueRef *u);
#endif
