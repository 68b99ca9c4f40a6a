/* kernel_handles: where device code takes the address of a kernel, to launch it, it gets the address of a handle.
**
** in, out: per-thread IR with the device library. The handle of kernel k is an external global cucpu.handle.k, until
**          kernel_table replaces it by k's row in the module table, by which the runtime knows kernels.
** Without it a launched kernel would be a callable function, and would be erased with the other per-thread kernels once
** the variants are made. */
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include <stdlib.h>

static bool handle(Module *m, LLVMValueRef f) {
    const char *name = value_name(f);
    if (LLVMIsDeclaration(f)) {
        char *text = shim_demangle(name);
        diag_error(&m->diag, first_use(f), "undefined kernel '%s'; with -rdc=true it may be in another file", text);
        free(text);
        return false;
    }
    LLVMValueRef g =
        LLVMAddGlobal(m->mod, LLVMInt8TypeInContext(m->ctx), arena_printf(&m->arena, HANDLE_PREFIX "%s", name));
    LLVMSetGlobalConstant(g, 1);
    LLVMReplaceAllUsesWith(f, g);
    return true;
}

bool kernel_handles(Module *m) {
    bool ok = true;
    for_each_function(f, m->mod)
        if (is_kernel(f) && LLVMGetFirstUse(f)) ok &= handle(m, f);
    return ok;
}
