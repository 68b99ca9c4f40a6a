/* invariant.h: values of a loop that are the same in all its passes, and copies of them in front of it. */
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

bool invariant_in_loop(const Invariant *p, LLVMValueRef v); /* is an instruction of the loop */
/* Does not change with the pass, and can be computed without one: from simple operations, and loads in the
** header of what the kernel cannot write. */
bool invariant_is(const Invariant *p, LLVMValueRef v);
/* The value outside of the loop, computed at the builder. Requires: invariant_is. */
LLVMValueRef invariant_hoist(Invariant *p, LLVMValueRef v);
#endif
