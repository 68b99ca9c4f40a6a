/* divisions.h: the operands of a division in a kernel, without the code that keeps it from trapping. */
#ifndef CUCPU_DIVISIONS_H
#define CUCPU_DIVISIONS_H
#include <llvm-c/Core.h>

/* The divisor before guard_divisions, which keeps divisions from trapping: the same wherever it is above 0. */
LLVMValueRef divisor_of(LLVMValueRef v);
/* The dividend before a freeze. */
LLVMValueRef dividend_of(LLVMValueRef division);
#endif
