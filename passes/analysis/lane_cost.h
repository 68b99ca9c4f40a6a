/* lane_cost.h: estimates: what an instruction costs a group of W lanes, and what a kernel costs per thread, alone and
** as one of W lanes.
**
** For the choice between the two (choose_width), not for the choice among SIMD widths: what all of them share (launch,
** group loops, code of LLVM's passes) is left out. */
#ifndef CUCPU_LANE_COST_H
#define CUCPU_LANE_COST_H
#include "passes/ir/cfg.h"
#include "passes/analysis/memory_spaces.h"
#include "passes/analysis/shapes/shapes.h"
#include <llvm-c/Target.h>

typedef struct Lanes {
    const Shapes *shapes; /* for this width */
    LLVMTargetDataRef dl;
    int width, vector_bits; /* lanes; bits of a register */
    bool
        /* pressure: 32-bit integers take the bits that their range needs, as LLVM makes of sums that end in bytes */
        narrowed;
} Lanes;

enum { GATHER_DELAY = 22 }; /* latency of a gather, cycles */

/* Cycles that a group spends on an instruction. */
double group_cycles(const Lanes *x, LLVMValueRef inst);

/* Cycles that a single thread spends on it. */
double thread_cycles(LLVMValueRef inst);

/* A scalar test and a branch that all lanes take alike, which may be mispredicted. */
double uniform_branch_cycles(void);

/* What is estimated to be better by this factor is better. */
double estimate_margin(void);

/* The blend of values of this type, under a mask. */
double blend_cycles(const Lanes *x, LLVMTypeRef t);

/* How often the block runs in one iteration of a loop around it, where the loops between them are not left early. */
double iterations_of_block(const Cfg *cfg, int block, int loop);

/* A load or store whose lanes have arbitrary addresses, or addresses far from each other. */
bool is_irregular(const Lanes *x, LLVMValueRef inst);

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
