/* count_branches: --profile=lanes: before each divergent branch a call that widen turns into counters.
**
** in:  normal form, right before linearise makes masks of divergent branches
** out: call void @cucpu_count_branch(i1 condition, i32 leaves) before each branch whose lanes may take both edges;
**      leaves: 1 if an edge leaves a loop.  At width 1: before each conditional branch that would be one in a warp.
** Why here: afterwards there is no branch any more.  What widen counts needs no call: blocks and accesses to memory are
** still there (widen_count.c). */
#include "passes/ir/edit.h"
#include "passes/ir/value.h"
#include "passes/passes.h"

static bool leaves_loop(const Cfg *c, int b) {
    for (int e = 0; e < c->b[b].nsucc; e++)
        if (c->b[b].loop >= 0 && !cfg_loop_contains(c, c->b[b].loop, c->b[b].succ[e])) return true;
    return false;
}

static LLVMValueRef counting_function(const Module *m) {
    LLVMValueRef f = LLVMGetNamedFunction(m->mod, COUNT_BRANCH);
    if (f) return f;
    LLVMTypeRef types[2] = {LLVMInt1TypeInContext(m->ctx), LLVMInt32TypeInContext(m->ctx)};
    return LLVMAddFunction(m->mod, COUNT_BRANCH, LLVMFunctionType(LLVMVoidTypeInContext(m->ctx), types, 2, 0));
}

static void count_branch(const Module *m, LLVMBuilderRef b, LLVMValueRef branch, bool leaves) {
    set_insert_point(b, branch);
    LLVMValueRef f = counting_function(m);
    LLVMValueRef args[2] = {LLVMGetCondition(branch), LLVMConstInt(LLVMInt32TypeInContext(m->ctx), leaves, 0)};
    LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, 2, "");
}

Nyi count_branches(Kernel *k) {
    if (!counts_lanes(k->m)) return NYI_NONE;
    Cfg *c = cfg_build(k->arena, k->fn);
    int width = k->width > 1 ? k->width : k->m->opt->warp_size;
    Shapes *s = shapes_compute_warp(k->arena, c, width, k->layout, k->block, k->m->opt->warp_size);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(k->m->ctx);
    for (int i = 0; i < c->n; i++)
        if (c->b[i].nsucc == 2 && shapes_branch_divergent(s, i))
            count_branch(k->m, b, LLVMGetBasicBlockTerminator(c->b[i].bb), leaves_loop(c, i));
    LLVMDisposeBuilder(b);
    return NYI_NONE;
}
