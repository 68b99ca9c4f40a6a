/* choose_width: the number of lanes for a kernel, from the user or by cost. */
#include "passes/passes.h"

int choose_width(Module *m, LLVMValueRef fn) {
    (void)fn;
    if (m->opt->simd) return m->opt->simd;
    return 1;
}
