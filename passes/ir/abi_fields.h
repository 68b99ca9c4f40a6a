/* abi_fields.h: the structures of cpu-runtime/abi.h as the compiler builds them.
**
** Offsets are those that C gives: offsetof(CucpuLaunch, args). abi_fields.def names the fields with their types, and
** does not compile where abi.h differs. Constants are built by field name:
**     LLVMValueRef v[CucpuParam_FIELDS] = {[CucpuParam_size] = size, [CucpuParam_align] = align};
**     abi_constant(dl, ABI_CucpuParam, v) */
#ifndef CUCPU_ABI_FIELDS_H
#define CUCPU_ABI_FIELDS_H
#include "cpu-runtime/abi.h"
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

/* STRUCT_FIELD: the number of a field; STRUCT_FIELDS: how many there are. */
#define ABI_STRUCT(s) enum {
#define ABI_FIELD(s, f, type) s##_##f,
#define ABI_END(s)                                                                                                     \
    s##_FIELDS                                                                                                         \
    }                                                                                                                  \
    ;
#include "passes/ir/abi_fields.def"

typedef enum AbiStruct {
#define ABI_STRUCT(s) ABI_##s,
#define ABI_FIELD(s, f, type)
#define ABI_END(s)
#include "passes/ir/abi_fields.def"
} AbiStruct;

/* A constant of the structure; a field without a value, or with one of another size, is a bug that ends the
** compiler. */
LLVMValueRef abi_constant(LLVMTargetDataRef dl, AbiStruct s, LLVMValueRef *fields);
#endif
