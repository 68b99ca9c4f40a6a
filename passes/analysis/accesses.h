/* accesses.h: what a load or store accesses, and what it may not be reordered with. */
#ifndef CUCPU_ACCESSES_H
#define CUCPU_ACCESSES_H
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

/* Address and type of what a load or store accesses. */
LLVMValueRef accessed_at(LLVMValueRef i);
LLVMTypeRef accessed_type(LLVMValueRef i);
/* The address without the constants added last, and these in bytes. */
LLVMValueRef access_base(LLVMTargetDataRef dl, LLVMValueRef p, int64_t *bytes);
/* They are one value, or are computed alike from the same ones (instcombine leaves such copies). */
bool same_address(LLVMValueRef a, LLVMValueRef b);
/* Loads (or, if `stores`, stores) of memory before and after it may not be reordered. */
bool stands_between(LLVMValueRef i, bool stores);
/* A load or store that is neither volatile nor atomic. */
bool is_plain_access(LLVMValueRef i);
/* Threads may meet, or one wait for another, in it: barriers, warp functions, unknown calls, fences, compare-and-swap,
** volatile and atomic loads and stores; also allocas. Read-modify-write atomics are left to the caller. */
bool may_synchronise(LLVMValueRef i);
#endif
