/* reaccessed.h: whether the order of the accesses within one iteration of a loop matters. */
#ifndef CUCPU_REACCESSED_H
#define CUCPU_REACCESSED_H
#include "passes/ir/cfg.h"

/* In some innermost loop of the function, what is stored may be loaded or stored again later in the same iteration.
** Time is quadratic in the accesses of a loop. */
bool reaccessed(Arena *a, LLVMValueRef fn);
#endif
