/* link_device_library: pulls what the kernels use out of our replacement of libdevice.
**
** The library is bitcode for nvptx64 built with the project; its module gets the host's triple and
** layout before linking, and its llvm.nvvm.* calls are imported by a second run of import_nvvm.
** Only needed definitions are linked; everything is internal afterwards. */
#include "passes/passes.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <string.h>

/* Definitions of `lib` that the module does not ask for become available_externally-like ballast
** which globaldce drops: mark them internal and let the optimiser remove the unused ones. */
static bool wanted(Module *m, LLVMModuleRef lib) {
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f)) continue;
        size_t len;
        LLVMValueRef d = LLVMGetNamedFunction(lib, LLVMGetValueName2(f, &len));
        if (d && !LLVMIsDeclaration(d)) return true;
    }
    return false;
}

bool link_device_library(Module *m) {
    if (!m->opt->device_library) return true;
    LLVMMemoryBufferRef buffer;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(m->opt->device_library, &buffer, &message)) {
        diag_error(&m->diag, NULL, "cannot read the device library '%s': %s", m->opt->device_library, message);
        LLVMDisposeMessage(message);
        return false;
    }
    LLVMModuleRef lib = NULL;
    if (LLVMParseBitcodeInContext2(m->ctx, buffer, &lib)) {
        LLVMDisposeMemoryBuffer(buffer);
        diag_error(&m->diag, NULL, "'%s' is not a device library", m->opt->device_library);
        return false;
    }
    LLVMDisposeMemoryBuffer(buffer);
    if (!wanted(m, lib)) {
        LLVMDisposeModule(lib);
        return true;
    }
    char *triple = LLVMGetTargetMachineTriple(m->tm);
    LLVMSetTarget(lib, triple);
    LLVMDisposeMessage(triple);
    LLVMSetModuleDataLayout(lib, m->dl);
    if (LLVMLinkModules2(m->mod, lib)) {
        diag_error(&m->diag, NULL, "cannot link the device library '%s'", m->opt->device_library);
        return false;
    }
    return import_nvvm(m);
}
