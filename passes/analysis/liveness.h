/* liveness.h: which instruction results are live at the start and end of each block.
** Arguments, constants and globals are live everywhere and have no number.  A phi's operands are
** live out of their incoming blocks, its result is defined at the start of its own. */
#ifndef CUCPU_LIVENESS_H
#define CUCPU_LIVENESS_H
#include "passes/ir/cfg.h"

typedef struct Liveness {
    LLVMValueRef *value; /* by number */
    int n;
    PtrMap number; /* value -> number + 1 */
    Bits *in, *out; /* by block number of the cfg */
} Liveness;

Liveness *liveness(Arena *a, const Cfg *c);
int live_number(const Liveness *l, LLVMValueRef v); /* -1 = has none */
#endif
