/* unswitch_loops.h: see unswitch_loops.c. */
#ifndef CUCPU_UNSWITCH_LOOPS_H
#define CUCPU_UNSWITCH_LOOPS_H
#include "passes/passes.h"

typedef struct Unswitch {
    Module *m;
    LLVMValueRef fn; /* LLVM's pass visits a loop of it */
    unsigned blocks; /* that it had before; 0: of this loop there is no remark */
} Unswitch;

Unswitch unswitch_open(Module *m);
/* What LLVM's pipeline tells before each loop pass, and after one that changes loops; the first is true if the pass
** shall not run. */
bool unswitch_skips(Unswitch *u, const char *pass, LLVMBasicBlockRef loop);
void unswitch_after(Unswitch *u, const char *pass);
#endif
