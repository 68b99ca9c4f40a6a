/* privatise_histogram: a kernel that counts (counters.h) has a variant in which each worker counts in private memory.
**
** The runtime passes that variant the address of the private counters as the parameter (counters.c). The code differs
** only in that their atomics are marked like those of a block on shared memory: no other thread accesses this memory,
** and relax_atomics turns them into plain operations. The runtime decides which launches take the variant: they must be
** large enough to amortise the final sums, and larger where threads may seldom count (`if (in[i] > limit)
** atomicAdd(...)`): the atomic is guarded by a branch that depends on memory. Part of make_variants.
** Not for counters that all threads share (`atomicAdd(&count, 1)`): lanes are combined there, and a variant is not
** profitable for the rest; nor for large kernels, and those with spin loops or warp functions. */
#include "cpu-runtime/abi.h"
#include "passes/analysis/counters.h"
#include "passes/passes.h"
#include "passes/ir/edit.h"
#include "passes/ir/shim.h"

enum { MAX_INSTRUCTIONS = 1000 /* instructions of a kernel */, DEPTH = 8 };

static bool depends_on_memory(LLVMValueRef v, int depth) {
    if (!LLVMIsAInstruction(v) || name_of_call(v) != NAME_NONE) return false;
    if (LLVMIsALoadInst(v) || LLVMIsAAtomicRMWInst(v) || depth > DEPTH) return true;
    bool phi = LLVMIsAPHINode(v) != NULL;
    for (unsigned k = 0, n = phi ? LLVMCountIncoming(v) : (unsigned)LLVMGetNumOperands(v); k < n; k++) {
        LLVMValueRef o = phi ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k);
        if (!LLVMIsAPHINode(o) && depends_on_memory(o, depth + 1)) return true;
    }
    return false;
}

/* Whether a thread executes the atomic depends on memory. */
static bool is_rare(const Cfg *c, LLVMValueRef atomic) {
    int b = cfg_block_of(c, atomic);
    for (int d = b < 0 ? -1 : c->b[b].idom; d >= 0; d = c->b[d].idom)
        if (c->b[d].nsucc == 2 && !cfg_postdominates(c, b, d) &&
            depends_on_memory(LLVMGetCondition(LLVMGetBasicBlockTerminator(c->b[d].bb)), 0))
            return true;
    return false;
}

static bool some_is_rare(const Cfg *c, const Counters *counters) {
    for (int k = 0; k < counters->atomics.n; k++)
        if (is_rare(c, counters->atomics.v[k])) return true;
    return false;
}

static bool some_varies(Arena *a, Cfg *c, const Counters *counters) {
    static const unsigned any[3];
    enum { LANES = 16 };
    if (!c->reducible) return false;
    const Shapes *s = shapes_compute(a, c, LANES, LAYOUT_ROWS_FULL, any);
    for (int k = 0; k < counters->atomics.n; k++)
        if (!shapes_is_uniform(s, LLVMGetOperand(counters->atomics.v[k], 0))) return true;
    return false;
}

LLVMValueRef privatised_variant(Module *m, LLVMValueRef fn, unsigned counters[3]) {
    static const unsigned waits =
        CUCPU_KERNEL_WARP | CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER | CUCPU_KERNEL_POLLS;
    Arena a = {0};
    LLVMValueRef copy = NULL;
    bool off = pass_disabled(m, "privatise_histogram") || pass_disabled(m, "relax_atomics") || m->opt->shuffle ||
               !m->opt->opt_level;
    if (off || fn_attr_int(fn, ATTR_FLAGS, 0) & waits || function_size(fn) > MAX_INSTRUCTIONS) return NULL;
    Counters of_kernel = counters_of(&a, fn);
    Cfg *c = of_kernel.params ? cfg_build(&a, fn) : NULL;
    if (c && some_varies(&a, c, &of_kernel)) {
        diag_remark(&m->diag, fn, PRIVATISED);
        copy = shim_clone_function(fn, arena_printf(&m->arena, "%s.counting", value_name(fn)));
        Counters of_copy = counters_of(&a, copy);
        for (int k = 0; k < of_copy.atomics.n; k++) mark_block_atomic(m, of_copy.atomics.v[k]);
        counters[0] = of_copy.params, counters[1] = of_copy.wide, counters[2] = some_is_rare(c, &of_kernel);
    }
    arena_free(&a);
    return copy;
}
