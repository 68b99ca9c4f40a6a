/* host_values: which constants values of the host code may have.
**
** A guess, for hints: unions over all callers, over all stores to a variable or to a field of a structure type in this
** module, flow-insensitive; what is not followed counts as unknown. Works on code as clang's front end makes it, with
** its structure types. After the field-based variant of L. O. Andersen, "Program analysis and specialization for the C
** programming language", 1994, ch. 4, on demand. */
#ifndef CUCPU_HOST_VALUES_H
#define CUCPU_HOST_VALUES_H
#include "passes/support/arena.h"
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>

enum { HOST_MAX = 8 }; /* constants of a set */

/* A call that evaluation has entered: parameters of its function are its operands. NULL: those of all calls. */
typedef struct HostCall {
    LLVMValueRef call, fn;
    const struct HostCall *up;
} HostCall;

typedef struct HostInts {
    int n;
    int64_t v[HOST_MAX];
    bool others; /* and values that are not known */
} HostInts;

typedef struct HostBlocks { /* values of dim3 */
    int n;
    int64_t v[HOST_MAX][3];
    bool others;
} HostBlocks;

typedef struct HostFunctions {
    int n;
    LLVMValueRef v[HOST_MAX];
} HostFunctions;

typedef struct HostValues HostValues;
HostValues *host_values(Arena *a, LLVMModuleRef host); /* allocated in the arena; the module must not change */
/* xy, z: a dim3 in the x86-64 calling convention, x
** y << 32 and z. */
HostBlocks host_blocks(HostValues *h, LLVMValueRef xy, LLVMValueRef z, const HostCall *in);
/* dim3 at this offset from a pointer. */
HostBlocks host_blocks_at(HostValues *h, LLVMValueRef pointer, int64_t bytes, const HostCall *in);
HostFunctions host_functions(HostValues *h, LLVMValueRef pointer, const HostCall *in);
#endif
