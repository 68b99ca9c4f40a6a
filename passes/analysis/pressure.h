/* pressure.h: an estimate of what a group of W lanes costs per thread, vector registers included. */
#ifndef CUCPU_PRESSURE_H
#define CUCPU_PRESSURE_H
#include "passes/analysis/lane_cost.h"
#include "passes/analysis/liveness.h"
#include "passes/ir/kernel.h"

typedef struct Pressure {
    double cycles;      /* per thread; only to be compared with that of another width */
    double waits;       /* of these: stalled until the results that the next iteration begins with */
    double gathers;     /* of these, in loops: gathers and scatters */
    unsigned registers; /* vector registers that are live at once, at most */
} Pressure;

Pressure pressure(const Module *m, Arena *a, const Cfg *cfg, Liveness *live, const Lanes *lanes);
/* The same, of a kernel compiled for groups of so many lanes. */
Pressure pressure_of(const Module *m, Arena *a, Cfg *cfg, Liveness *live, int width, Layout layout,
                     const unsigned block[3], bool narrowed);
#endif
