/* lane_cost.h: estimates: what a kernel costs per thread, alone and as one of W lanes.
**
** For the choice between the two (choose_width), not for the choice among SIMD widths: what all of them share (launch,
** group loops, code of LLVM's passes) is left out. */
#ifndef CUCPU_LANE_COST_H
#define CUCPU_LANE_COST_H
#include "passes/analysis/memory_spaces.h"
#include "passes/analysis/op_cost.h"
#include "passes/ir/cfg.h"

/* What is estimated to be better by this factor is better. */
double estimate_margin(void);

/* The blend of values of this type, under a mask. */
double blend_cycles(const Lanes *x, LLVMTypeRef t);

/* How often the block runs in one iteration of a loop around it, where the loops between them are not left early. */
double iterations_of_block(const Cfg *cfg, int block, int loop);
/* How often a group runs the block, from the start of the kernel: tests of versions fail in COST_TESTED of all. */
double times_of_block(const Cfg *cfg, int block);

typedef struct LaneCost {
    double alone, lane; /* cycles per thread: at width 1, in a group of W */
    /* share of `lane` that is gathers and scatters at addresses from memory, or far from each other */
    double scattered;
    double own; /* of gathers and scatters in loops that lanes leave one by one, or through private rows */
} LaneCost;

/* The loop's addresses depend on what its previous iteration has loaded. */
bool chases_pointers(Arena *a, const Cfg *cfg, const Lanes *lanes, int loop);

/* outside: NULL, or where accesses of shared memory are not to count. */
LaneCost lane_cost(Arena *a, const Cfg *cfg, const Lanes *lanes, const MemorySpaces *outside);
#endif
