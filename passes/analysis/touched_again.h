/* touched_again.h: whether the order of the accesses within one pass of a loop counts. */
#ifndef CUCPU_TOUCHED_AGAIN_H
#define CUCPU_TOUCHED_AGAIN_H
#include "passes/ir/cfg.h"

/* In some innermost loop of the function, what is stored may be loaded or stored again later in the same pass.
** Time grows with the square of the accesses of a loop. */
bool touched_again(Arena *a, LLVMValueRef fn);
#endif
