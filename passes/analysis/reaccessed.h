/* reaccessed.h: whether the order of the accesses within one pass of a loop counts. */
#ifndef CUCPU_REACCESSED_H
#define CUCPU_REACCESSED_H
#include "passes/ir/cfg.h"

/* In some innermost loop of the function, what is stored may be loaded or stored again later in the same pass.
** Time grows with the square of the accesses of a loop. */
bool reaccessed(Arena *a, LLVMValueRef fn);
#endif
