/* atomic_ops.h: operations on integers that can be done together: the order in which they are done is not seen. */
#ifndef CUCPU_ATOMIC_OPS_H
#define CUCPU_ATOMIC_OPS_H
#include <llvm-c/Core.h>
#include <stddef.h>
#include <stdint.h>

/* The operand that changes nothing; NULL = the operation does not combine. */
LLVMValueRef atomic_identity(LLVMAtomicRMWBinOp op, LLVMTypeRef t);
/* The intrinsic that combines all elements of a vector; of a difference: adds those that are subtracted. */
const char *atomic_reduction(LLVMAtomicRMWBinOp op);
#endif
