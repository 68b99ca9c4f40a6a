/* promote_accumulators: elements of memory that a loop accumulates in are kept in registers until it ends.
**
** in:  `for (k = 0; k < n; k++) c[i] += a[i * n + k] * x[k];` stores c[i] in each iteration, as the next loads may
**      access it.
** out: one store after the loop (LLVM's LICM), where c is __restrict__, or is assumed to be: then the attribute
**      cucpu.apart has the parameters of which the launch must know it, and KERNEL.overlapping is the kernel as it was,
**      for the other launches: make_variants makes variants of it as well.
**
** What the runtime tests at a launch (cpu-runtime/exec/apart.c): each of these arguments points into an allocation
** that no other argument of the kernel points into. Accesses through an argument stay in the allocation that it points
** into, as in CUDA. So no access through another argument meets the memory, and none by other means: all addresses in
** the kernel are computed from its parameters, or are those of variables, local and shared memory. Stores of other
** threads to the element are races in both forms: without a barrier nothing orders them with the loop.
**
** Only for kernels without barriers, where values that live longer need no frame. Nothing is done unless that takes
** stores out of loops. */
#include "passes/analysis/accesses.h"
#include "passes/analysis/root_parameter.h"
#include "passes/ir/cfg.h"
#include "passes/ir/edit.h"
#include "passes/ir/math.h"
#include "passes/ir/shim.h"
#include "passes/ir/value.h"
#include "passes/passes.h"

enum { MAX_DEPTH = 8 };

typedef struct Accesses {
    unsigned summed, others; /* parameters: of elements that loops store to; of other accesses in the kernel */
    bool known;              /* all addresses have a root */
} Accesses;

/* It may access memory at an address that is none of its operands', or make threads meet. */
static bool is_opaque(LLVMValueRef i) {
    if (LLVMIsAFenceInst(i)) return true;
    if (!LLVMIsACallInst(i) || is_pure_intrinsic(i) || is_lifetime(i) || is_assume(i) || math_row_of_call(i))
        return false;
    Name n = name_of_call(i);
    return n == NAME_NONE || name_is_convergent(n) || (n >= NAME_CLUSTER_X && n <= NAME_COOPERATIVE);
}

static bool is_invariant(const Cfg *c, int loop, LLVMValueRef v, int depth) {
    if (!cfg_in_loop(c, loop, v)) return true;
    if (!depth || LLVMIsAPHINode(v) || LLVMIsALoadInst(v) || (LLVMIsACallInst(v) && !is_pure_intrinsic(v)))
        return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_invariant(c, loop, LLVMGetOperand(v, (unsigned)k), depth - 1)) return false;
    return true;
}

/* A plain store to an address that does not change in the innermost loop around it. */
static bool stores_in_place(const Cfg *c, LLVMValueRef i) {
    int b = cfg_block_of(c, i), loop = b < 0 ? -1 : c->b[b].loop;
    return loop >= 0 && LLVMIsAStoreInst(i) && is_plain_access(i) &&
           is_invariant(c, loop, LLVMGetOperand(i, 1), MAX_DEPTH);
}

static Accesses find_accesses(const Cfg *c) {
    Accesses a = {.known = true};
    for_each_cfg_instruction(i, b, c) {
        LLVMValueRef p = accessed_anyhow(i);
        int from = p ? root_parameter(c->fn, p) : ROOT_OWN;
        if (is_opaque(i) || from == ROOT_UNKNOWN) a.known = false;
        if (from >= 0) *(stores_in_place(c, i) ? &a.summed : &a.others) |= 1u << from;
    }
    return a;
}

static int stores_in_loops(const Cfg *c) {
    int n = 0;
    for_each_cfg_instruction(i, b, c) n += LLVMIsAStoreInst(i) && c->b[b].loop >= 0;
    return n;
}

static bool is_restrict(LLVMValueRef fn, unsigned i) {
    return LLVMGetEnumAttributeAtIndex(fn, i + 1, LLVMGetEnumAttributeKindForName("noalias", 7)) != NULL;
}

/* Of the parameters those that the source does not promise it of. */
static unsigned assume_apart(Module *m, LLVMValueRef fn, unsigned params) {
    unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7), assumed = 0;
    for (unsigned i = 0; i < ROOT_MAX; i++) {
        if (!(params >> i & 1) || is_restrict(fn, i)) continue;
        LLVMAddAttributeAtIndex(fn, i + 1, LLVMCreateEnumAttribute(m->ctx, kind, 0));
        assumed |= 1u << i;
    }
    return assumed;
}

static void promote(Module *m, LLVMValueRef fn) {
    run_llvm_passes_on(m, fn, "loop-mssa(licm)");
    restore_normal_form(m, fn);
}

/* Fewer stores are in loops if that is assumed of the parameters. */
static bool is_promoted(Module *m, LLVMValueRef kernel, unsigned params) {
    LLVMValueRef copy = shim_clone_function(kernel, "cucpu.promoted");
    int before = stores_in_loops(cfg_build(&m->arena, copy));
    assume_apart(m, copy, params);
    promote(m, copy);
    int after = stores_in_loops(cfg_build(&m->arena, copy));
    LLVMDeleteFunction(copy);
    return after < before;
}

static void promote_in(Module *m, LLVMValueRef kernel) {
    const Cfg *c = cfg_build(&m->arena, kernel);
    Accesses a = find_accesses(c);
    if (!a.known || !a.summed || !is_promoted(m, kernel, a.summed)) return;
    LLVMValueRef before = shim_clone_function(kernel, arena_printf(&m->arena, "%s" OVERLAPPING, value_name(kernel)));
    unsigned assumed = assume_apart(m, kernel, a.summed);
    promote(m, kernel);
    diag_remark(&m->diag, kernel, PROMOTED, assumed ? ", where arguments point to allocations of their own" : "");
    if (!assumed) {
        LLVMDeleteFunction(before);
        return;
    }
    unsigned known[3]; /* by distribute_iterations */
    fn_attr_three(kernel, ATTR_APART, known);
    fn_remove_attr(before, ATTR_KERNEL);
    fn_set_attr(kernel, ATTR_APART,
                arena_printf(&m->arena, "%u,%u,0", known[0] | assumed, known[1] | a.summed | a.others));
}

bool promote_accumulators(Module *m) {
    if (pass_disabled(m, "promote_accumulators") || !m->opt->opt_level || m->opt->check) return true;
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (is_kernel(f) && !LLVMIsDeclaration(f) && !fn_has_attr(f, ATTR_VECTOR)) promote_in(m, f);
    }
    return true;
}
