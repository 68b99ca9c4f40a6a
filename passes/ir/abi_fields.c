/* abi_fields: checks abi_fields.def against cpu-runtime/abi.h, and builds constants of those structures. */
#include "passes/ir/abi_fields.h"
#include "passes/support/diag.h"

typedef uint32_t U32, THREE[3];
typedef uint64_t U64;
typedef void *PTR;

/* The structures again, generated from the table. Packed: those of abi.h have no padding that could hide a new
** field. */
#define ABI_STRUCT(s) typedef struct __attribute__((packed)) Table##s {
#define ABI_FIELD(s, f, type) type f;
#define ABI_END(s)                                                                                                     \
    }                                                                                                                  \
    Table##s;
#include "passes/ir/abi_fields.def"

#define ABI_STRUCT(s) _Static_assert(sizeof(s) == sizeof(Table##s), #s ": abi.h and abi_fields.def differ");
#define ABI_FIELD(s, f, type)                                                                                          \
    _Static_assert(offsetof(s, f) == offsetof(Table##s, f) && sizeof(((s *)0)->f) == sizeof(((Table##s *)0)->f),       \
                   #s "." #f ": abi.h and abi_fields.def differ");
#define ABI_END(s)
#include "passes/ir/abi_fields.def"

typedef struct Field {
    const char *name;
    size_t size;
} Field;

#define ABI_STRUCT(s) static const Field fields_of_##s[] = {
#define ABI_FIELD(s, f, type) {#s "." #f, sizeof(type)},
#define ABI_END(s)                                                                                                     \
    }                                                                                                                  \
    ;
#include "passes/ir/abi_fields.def"

static const struct {
    const Field *fields;
    unsigned n;
} structs[] = {
#define ABI_STRUCT(s) {fields_of_##s, s##_FIELDS},
#define ABI_FIELD(s, f, type)
#define ABI_END(s)
#include "passes/ir/abi_fields.def"
};

LLVMValueRef abi_constant(LLVMTargetDataRef dl, AbiStruct s, LLVMValueRef *fields) {
    for (unsigned i = 0; i < structs[s].n; i++) {
        const Field *f = &structs[s].fields[i];
        if (!fields[i]) bug("%s: no value", f->name);
        if (LLVMABISizeOfType(dl, LLVMTypeOf(fields[i])) != f->size) bug("%s: a value of another size", f->name);
    }
    return LLVMConstStructInContext(LLVMGetTypeContext(LLVMTypeOf(fields[0])), fields, structs[s].n, 0);
}
