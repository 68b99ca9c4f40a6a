/* cost.h: the cost model: what a region costs a group of W lanes on the target, for transforms that choose.
**
** Throughput (execution units in use), latency (chains of dependent operations), registers and memory, from LLVM's
** tables (op_cost.h); trip counts that are not known are guessed (cost.def). Compare estimates of one kernel at two
** widths, not those of two kernels. tests/bench/estimates.py compares them with measured time.
** lane_cost.h has the same for a thread alone. */
#ifndef CUCPU_COST_H
#define CUCPU_COST_H
#include "passes/analysis/liveness.h"
#include "passes/analysis/op_cost.h"

enum { CACHE_LINE = 64 }; /* bytes */

typedef struct Cost {
    int width, vectors; /* lanes; registers that a 32-bit value takes */
    double cycles;      /* per thread, with all data in the first level of the cache */
    double waits;       /* stalled until results of dependent operations, if all else overlaps */
    double gathers;     /* of these, in loops: gathers and scatters */
    double masks;       /* of these: masks of divergent branches, beyond those of one vector */
    double throughput;  /* what the execution units are busy, per thread */
    double chain, path; /* cycles: the longest chain from one iteration of a loop to the next; within one, or outside */
    unsigned registers; /* vector registers that are live at once, at most */
    unsigned accesses[ACCESS_GATHER + 1]; /* loads and stores, by shape */
    double lines;                         /* cache lines that they touch, per thread, each time anew */
    double memory;                        /* cycles that the footprint takes from the next level of the cache */
    double footprint;                     /* bytes of these lines, those of an address counted once */
} Cost;

/* Of the loop, or of the whole kernel where that is < 0. */
Cost cost_of_region(const Module *m, Arena *a, const Cfg *cfg, Liveness *live, const Lanes *lanes, int loop);
/* Of a kernel compiled for groups of so many lanes. block: NULL = any. */
Cost cost_of_kernel(const Module *m, Arena *a, Cfg *cfg, Liveness *live, int width, Layout layout,
                    const unsigned block[3], bool narrowed);

/* ---- queries: what transforms decide by ---- */

/* How many changes, at most `most`, a pass may make that analyses the function again after each. */
int changes_within_budget(LLVMValueRef fn, int most);

/* The estimate is lower by more than the model's error. */
bool cost_is_lower(double estimate, double than);
/* No more registers are live than the target has. */
bool cost_fits(const Module *m, const Cost *c);
/* Nor in any function that the kernel calls for whole groups. */
bool cost_of_calls_fits(const Module *m, Arena *a, const Cfg *c, int width);
/* Waiting for results takes more of the time than the model's error. */
bool cost_waits(const Cost *c);

/* The instruction's cycles in a group outweigh what it takes to run it once for both sides of a branch: selects of its
** operands. Cheap: an operand may as well be computed for both sides. */
bool cost_is_expensive(const Lanes *x, LLVMValueRef inst);
bool cost_is_cheap(const Lanes *x, LLVMValueRef inst);
/* What code must cost for a branch around it, taken where no lane is active, to be profitable; by what it tests: what
** the launch decides (mostly predicted), a value that all lanes share, an index, data (seldom the same in all
** lanes). */
typedef enum GuardTest { TEST_OF_LAUNCH, TEST_OF_UNIFORM, TEST_OF_INDEX, TEST_OF_DATA } GuardTest;
double cost_of_test(const Module *m, GuardTest test);

void cost_print(const Cost *c, const char *name, FILE *out);
#endif
