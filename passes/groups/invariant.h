/* invariant.h: values of a loop that are the same in all its iterations, and copies of them before it. */
#ifndef CUCPU_INVARIANT_H
#define CUCPU_INVARIANT_H
#include "passes/ir/cfg.h"
#include "passes/passes.h"

typedef struct Invariant {
    Module *m;
    LLVMBuilderRef b;
    const Cfg *cfg;
    int loop;
    PtrMap hoisted;
} Invariant;

/* Is the same in all iterations, and can be computed outside of the loop: from simple operations, and loads in the
** header of memory that the kernel cannot write. */
bool invariant_is(const Invariant *p, LLVMValueRef v);
/* The value outside of the loop, computed at the builder. Requires: invariant_is. */
LLVMValueRef invariant_hoist(Invariant *p, LLVMValueRef v);
#endif
