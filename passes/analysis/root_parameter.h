/* root_parameter.h: the parameter of a kernel from which an address is computed. */
#ifndef CUCPU_ROOT_PARAMETER_H
#define CUCPU_ROOT_PARAMETER_H
#include <llvm-c/Core.h>

enum { ROOT_MAX = 32 };                    /* parameters that are told apart: bits of a mask */
enum { ROOT_UNKNOWN = -1, ROOT_OWN = -2 }; /* OWN: a variable of the module, local or shared memory */

/* Its index: one of the first ROOT_MAX, as in the launch; fields of structures follow (split_parameters). */
int root_parameter(LLVMValueRef kernel, LLVMValueRef address);
/* The address that a load, store or atomic accesses; NULL: it is none of them. */
LLVMValueRef accessed_anyhow(LLVMValueRef i);
#endif
