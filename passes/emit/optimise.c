/* optimise: LLVM's own pipeline for the target CPU, over entries whose loops are now explicit. */
#include "passes/passes.h"
#include <stdio.h>
#include <string.h>

/* Tells the back end that the vectors which we built are wanted at full width: some CPUs are
** tuned to prefer 256-bit code unless the function says otherwise. */
static void prefer_full_vectors(Module *m, LLVMValueRef fn) {
    char bits[16];
    snprintf(bits, sizeof bits, "%u", m->vector_bits);
    fn_set_attr(fn, "prefer-vector-width", bits);
    fn_set_attr(fn, "min-legal-vector-width", bits);
}

bool optimise(Module *m) {
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f; f = LLVMGetNextFunction(f)) {
        unsigned len;
        if (fn_attr(f, ATTR_ENTRY, &len)) prefer_full_vectors(m, f);
    }
    char passes[32];
    snprintf(passes, sizeof passes, "default<O%d>", m->opt->opt_level);
    run_llvm_passes(m, passes);
    return true;
}
