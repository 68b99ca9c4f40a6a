/* accesses.h: what a load or store accesses, and what it may not change places with. */
#ifndef CUCPU_ACCESSES_H
#define CUCPU_ACCESSES_H
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

/* Address and type of what a load or store accesses. */
LLVMValueRef accessed_at(LLVMValueRef i);
LLVMTypeRef accessed_type(LLVMValueRef i);
/* The address without the constants that are added to it last, and these in bytes. */
LLVMValueRef access_base(LLVMTargetDataRef dl, LLVMValueRef p, int64_t *bytes);
/* They are one value, or are computed alike of the same ones (instcombine leaves such copies). */
bool same_place(LLVMValueRef a, LLVMValueRef b);
/* Loads (or, if so asked, stores) of memory on both sides of it may not change places. */
bool stands_between(LLVMValueRef i, bool stores);
/* A load or store that is neither volatile nor atomic. */
bool is_plain_access(LLVMValueRef i);
#endif
