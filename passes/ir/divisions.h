/* divisions.h: what a division in a kernel divides, without what is around it for its safety. */
#ifndef CUCPU_DIVISIONS_H
#define CUCPU_DIVISIONS_H
#include <llvm-c/Core.h>

/* The divisor in front of what keeps divisions from trapping (guard_divisions): the same wherever it is above 0. */
LLVMValueRef divisor_of(LLVMValueRef v);
/* The dividend in front of a freeze. */
LLVMValueRef dividend_of(LLVMValueRef division);
#endif
