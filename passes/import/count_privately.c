/* count_privately: a kernel that counts (counters.h) has a variant in which each worker counts in memory of its own.
**
** The runtime gives that variant the address of the private counters for the parameter (counters.c), so that all that changes in the
** code is that their atomics are marked as those of a block on shared memory are: nobody else sees this memory, relax_atomics makes
** plain operations of them.  Which launches take the variant is up to the runtime: it must be large enough for the sums at its end.
** Part of make_variants.  Not for counters that all threads share (`atomicAdd(&count, 1)`): lanes are combined there, and what
** is left is not worth a variant; nor for large kernels, and those that wait for others or look at warps. */
#include "cpu-runtime/abi.h"
#include "passes/analysis/counters.h"
#include "passes/passes.h"
#include "passes/ir/shim.h"

enum { MOST = 1000 }; /* instructions of a kernel */

static bool is_small(LLVMValueRef fn) {
    long n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) n++;
    return n <= MOST;
}

static bool some_varies(Arena *a, LLVMValueRef fn, const Counters *counters) {
    static const unsigned any[3];
    enum { LANES = 16 };
    Cfg *c = cfg_build(a, fn);
    if (!c->reducible) return false;
    const Shapes *s = shapes_compute(a, c, LANES, LAYOUT_ROWS_FULL, any);
    for (int k = 0; k < counters->atomics.n; k++)
        if (!shapes_is_uniform(s, LLVMGetOperand(counters->atomics.v[k], 0))) return true;
    return false;
}

LLVMValueRef counting_copy(Module *m, LLVMValueRef fn) {
    static const unsigned waits = CUCPU_KERNEL_WARP | CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER | CUCPU_KERNEL_POLLS;
    Arena a = {0};
    LLVMValueRef copy = NULL;
    bool off = pass_disabled(m, "count_privately") || pass_disabled(m, "relax_atomics") || m->opt->shuffle || !m->opt->opt_level;
    if (off || fn_attr_int(fn, ATTR_FLAGS, 0) & waits || !is_small(fn)) return NULL;
    Counters of_kernel = counters_of(&a, fn);
    if (of_kernel.params && some_varies(&a, fn, &of_kernel)) {
        diag_remark(&m->diag, fn, "large launches count in memory of each worker, which is added up at the end");
        copy = shim_clone_function(fn, "cucpu.counting");
        Counters c = counters_of(&a, copy);
        for (int k = 0; k < c.atomics.n; k++) mark_block_atomic(m, c.atomics.v[k]);
        fn_set_attr(copy, ATTR_COUNTERS, arena_printf(&m->arena, "%u,%u,0", c.params, c.wide));
    }
    arena_free(&a);
    return copy;
}
