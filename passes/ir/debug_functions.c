/* debug_functions.c: see debug_functions.h. */
#include "passes/ir/debug_functions.h"
#include "passes/ir/shim.h"
#include "passes/ir/value.h"
#include <llvm-c/DebugInfo.h>

/* False: it was known. */
static bool note(Arena *a, SourceFunctions *f, PtrMap *first, LLVMMetadataRef subprogram, LLVMMetadataRef inlined_at) {
    int of = (int)map_get(first, subprogram, 0) - 1;
    for (int i = of; i >= 0; i = f->v[i].next)
        if (f->v[i].inlined_at == inlined_at) return false;
    vec_push(a, f, ((SourceFunction){subprogram, inlined_at, of}));
    map_put(first, subprogram, (uintptr_t)f->n);
    return true;
}

SourceFunctions find_source_functions(Arena *a, LLVMValueRef fn) {
    SourceFunctions f = {0};
    PtrMap first = map_new(a);
    if (!LLVMGetSubprogram(fn)) return f;
    note(a, &f, &first, LLVMGetSubprogram(fn), NULL);
    for_each_instruction(i, fn)
        for (LLVMMetadataRef at = LLVMInstructionGetDebugLoc(i); at; at = LLVMDILocationGetInlinedAt(at)) {
            LLVMMetadataRef subprogram = shim_subprogram_of(at);
            if (subprogram && !note(a, &f, &first, subprogram, LLVMDILocationGetInlinedAt(at))) break;
        }
    return f;
}
