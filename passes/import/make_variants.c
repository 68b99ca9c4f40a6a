/* make_variants: one copy of a kernel for each way in which its threads become lanes.
**
** Width 1 needs one copy: with one lane every block is "rows full".  Wider kernels get ROWS_FULL
** (whole groups inside a row, no masks), ROWS (one-dimensional blocks with a masked tail) and
** GENERAL (any block).  Kernels that look at warps take groups of whole warps in linear order. */
#include "passes/passes.h"
#include "passes/ir/shim.h"
#include "cpu-runtime/abi.h"
#include <stdio.h>
#include <string.h>

static const char *const layout_names[] = {"rows_full", "rows", "general"};

/* Volatile shared memory is how programs without __syncwarp exchanged values within a warp: they
** count on its lanes running in step. */
static bool is_warp_synchronous(LLVMValueRef i) {
    bool load = LLVMIsALoadInst(i) != NULL;
    if ((!load && !LLVMIsAStoreInst(i)) || !LLVMGetVolatile(i)) return false;
    return points_to_shared(LLVMGetOperand(i, load ? 0 : 1));
}

static unsigned kernel_flags(LLVMValueRef fn) {
    unsigned flags = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            Name n = name_of_call(i);
            if (name_is_barrier(n)) flags |= CUCPU_KERNEL_BARRIER;
            if (n == NAME_GRID_SYNC) flags |= CUCPU_KERNEL_GRID_SYNC;
            if (is_warp_synchronous(i)) flags |= CUCPU_KERNEL_WARP;
            if (name_is_warp_op(n) || n == NAME_LANE) flags |= CUCPU_KERNEL_WARP;
        }
    return flags;
}

void add_variant(Module *m, LLVMValueRef fn, int width, Layout layout) {
    size_t len;
    const char *base = LLVMGetValueName2(fn, &len);
    char *name = arena_printf(&m->arena, "%s.w%d.%s", base, width, layout_names[layout]);
    LLVMValueRef copy = shim_clone_function(fn, name);
    fn_set_attr(copy, ATTR_BASE, base);
    fn_set_attr(copy, ATTR_WIDTH, arena_printf(&m->arena, "%d", width));
    fn_set_attr(copy, ATTR_LAYOUT, arena_printf(&m->arena, "%d", (int)layout));
    /* short vectors (float4) become scalars: a lane holds one value, a group a vector of them */
    if (width == 1) return;
    run_llvm_passes_on(m, copy, "scalarizer<load-store>,instcombine<no-verify-fixpoint>,loop-simplify,break-crit-edges,lcssa");
    /* instcombine knows from the branches around a division that some guards never act: for a thread
    ** that runs it, but not for a lane that is switched off there */
    guard_divisions(m, copy);
}

static void vary(Module *m, LLVMValueRef fn) {
    unsigned flags = kernel_flags(fn);
    mark_block_atomics(m, fn);
    fn_set_attr(fn, ATTR_FLAGS, arena_printf(&m->arena, "%u", flags));
    int width = choose_width(m, fn);
    if (flags & CUCPU_KERNEL_WARP) width = m->opt->warp_size;
    add_variant(m, fn, width, LAYOUT_ROWS_FULL);
    if (width == 1) return;
    add_variant(m, fn, width, LAYOUT_ROWS);
    add_variant(m, fn, width, LAYOUT_GENERAL);
}

bool make_variants(Module *m) {
    Vec(LLVMValueRef) kernels = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f; f = LLVMGetNextFunction(f)) {
        unsigned len;
        if (is_kernel(f) && !LLVMIsDeclaration(f) && !fn_attr(f, ATTR_BASE, &len)) vec_push(&m->arena, &kernels, f);
    }
    for (int i = 0; i < kernels.n; i++) vary(m, kernels.v[i]);
    return true;
}
