/* liveness.h: which instruction results are live at the end of each block, and at each point in one. Arguments,
** constants and globals are live everywhere and have no number. A phi's operands are live at the end of their incoming
** blocks, its result is defined at the start of its own. */
#ifndef CUCPU_LIVENESS_H
#define CUCPU_LIVENESS_H
#include "passes/ir/cfg.h"

typedef struct LiveSet {
    int *v, n, cap; /* value numbers, ascending */
} LiveSet;

typedef struct Liveness {
    const Cfg *cfg;
    LLVMValueRef *value; /* by number, in block order */
    int n;
    PtrMap number;    /* value -> number + 1 */
    LiveSet *out;     /* by block number of the cfg: values that are live out of it */
    int *mark, epoch; /* of live_scan */
} Liveness;

typedef bool LiveWanted(const void *context, LLVMValueRef v);

/* Of all instruction results, or of those that are requested. Time and memory: the sum of the sets. */
Liveness *liveness(Arena *a, const Cfg *c, LiveWanted *wanted, const void *context);
int live_number(const Liveness *l, LLVMValueRef v); /* -1 = has none */
bool live_out(const Liveness *l, int block, int number);

/* Scans a block from its end. `change` is called for each value that is live at its end (+1), then for those that
** become live (+1) or are defined (-1); `here` is called at the end and above each instruction but phis. */
typedef void LiveChange(void *context, int number, int by);
typedef void LiveHere(void *context);
void live_scan(Liveness *l, int block, LiveChange *change, LiveHere *here, void *context);
#endif
