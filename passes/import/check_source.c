/* check_source: errors for what nvcc and its assembler refuse, but clang's front end lets through.
**
** in: clang's NVVM IR, or that of PTX, unchanged. out: the same.
**
** - thread_local variables and dynamic_cast: a thread of a kernel has neither; the host's would be taken for them.
** - Kernels that take more than 32764 bytes, or 65536 bytes of __constant__ variables: no GPU has more. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <stdlib.h>
#include <string.h>

enum { PTX_KERNEL_CC = 71, CONSTANT_SPACE = 4, MAX_PARAMETERS = 32764, MAX_CONSTANT = 65536 };

static const char *printed_name(Module *m, LLVMValueRef v) {
    char *name = shim_demangle(value_name(v));
    const char *copy = arena_printf(&m->arena, "%s", name);
    free(name);
    return copy;
}

static void check_globals(Module *m) {
    unsigned long long constant = 0;
    LLVMValueRef last = NULL;
    for (LLVMValueRef g = LLVMGetFirstGlobal(m->mod); g; g = LLVMGetNextGlobal(g)) {
        if (LLVMIsThreadLocal(g))
            diag_error(&m->diag, first_use(g), "device code has no thread_local variables: '%s'", printed_name(m, g));
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != CONSTANT_SPACE || !LLVMIsExternallyInitialized(g)) continue;
        constant += LLVMABISizeOfType(m->dl, LLVMGlobalGetValueType(g));
        last = g;
    }
    if (constant > MAX_CONSTANT)
        diag_error(&m->diag, first_use(last), "__constant__ variables up to '%s' take %llu bytes, at most %d",
                   printed_name(m, last), constant, MAX_CONSTANT);
}

/* A structure by value is a pointer with its type as an attribute. */
static unsigned long long parameter_bytes(Module *m, LLVMValueRef fn) {
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    unsigned long long bytes = 0;
    for (unsigned i = 0; i < LLVMCountParams(fn); i++) {
        LLVMAttributeRef by = LLVMGetEnumAttributeAtIndex(fn, (LLVMAttributeIndex)(i + 1), byval);
        LLVMTypeRef type = by ? LLVMGetTypeAttributeValue(by) : LLVMTypeOf(LLVMGetParam(fn, i));
        unsigned align = LLVMABIAlignmentOfType(m->dl, type);
        bytes = (bytes + align - 1) / align * align + LLVMABISizeOfType(m->dl, type);
    }
    return bytes;
}

static void check_function(Module *m, LLVMValueRef fn) {
    if (!strcmp(value_name(fn), "__dynamic_cast") && LLVMGetFirstUse(fn))
        diag_error(&m->diag, first_use(fn), "dynamic_cast cannot be used in device code");
    if (LLVMGetFunctionCallConv(fn) != PTX_KERNEL_CC) return;
    unsigned long long bytes = parameter_bytes(m, fn);
    if (bytes > MAX_PARAMETERS)
        diag_error(&m->diag, fn, "the parameters of '%s' take %llu bytes, at most %d", printed_name(m, fn), bytes,
                   MAX_PARAMETERS);
}

bool check_source(Module *m) {
    check_globals(m);
    for_each_function(f, m->mod) check_function(m, f);
    return !m->diag.errors && !m->diag.unsupported;
}
