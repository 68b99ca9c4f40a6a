/* lone_lane.h: conditions that at most one lane of a group meets. */
#ifndef CUCPU_LONE_LANE_H
#define CUCPU_LONE_LANE_H
#include "passes/analysis/shapes.h"

/* The condition, or a part of it where it is a conjunction, says *v == *u: v differs in every lane (threadIdx.x and sums of
** it), u is uniform. */
bool lone_lane(const Shapes *s, LLVMValueRef condition, LLVMValueRef *v, LLVMValueRef *u);
#endif
