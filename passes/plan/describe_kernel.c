/* describe_kernel: what is known of a kernel before its variants are planned, as attributes: CUCPU_KERNEL_* for the
** table and for analyses, the order of its blocks, which products with blockIdx.x do not wrap. Part of make_variants.
**
** The order of blocks (block_order) is the same for all variants: a launch may run some blocks by one of them and some
** by another. */
#include "cpu-runtime/variants.h"
#include "passes/analysis/repeated_threads.h"
#include "passes/analysis/spin_loops.h"
#include "passes/analysis/warp_synchronous.h"
#include "passes/ir/edit.h"
#include "passes/plan/variants.h"
#include <string.h>

/* It is for clusters of several blocks, or queries its index in one. */
static bool knows_clusters(LLVMValueRef fn) {
    unsigned blocks[3];
    fn_attr_three(fn, ATTR_CLUSTER, blocks);
    bool knows = blocks[0] * blocks[1] * blocks[2] > 1;
    for_each_instruction(i, fn) {
        Name n = name_of_call(i);
        knows |= n >= NAME_CLUSTER_X && n <= NAME_CLUSTER_SET;
    }
    return knows;
}

static unsigned kernel_flags(LLVMValueRef fn, const MemorySpaces *memory, bool polls) {
    unsigned len, flags = (fn_attr(fn, ATTR_JOINED, &len) ? CUCPU_KERNEL_JOINED : 0) | (polls ? CUCPU_KERNEL_POLLS : 0);
    if (flags & CUCPU_KERNEL_JOINED && calls_name(fn, NAME_NCTAID_X, NAME_NCTAID_Z)) flags |= CUCPU_KERNEL_GRID_STRIDE;
    if (fn_has_attr(fn, ATTR_JOINED_PREFIX)) flags |= CUCPU_KERNEL_GRID_STRIDE;
    if (fn_attr(fn, ATTR_FLUSH, &len)) flags |= CUCPU_KERNEL_FLUSH;
    if (fn_attr(fn, ATTR_EXPLICIT_CLUSTER, &len)) flags |= CUCPU_KERNEL_EXPLICIT_CLUSTER;
    if (polls && knows_clusters(fn)) flags |= CUCPU_KERNEL_CLUSTER;
    for_each_instruction(i, fn) {
        Name n = name_of_call(i);
        if (name_is_barrier(n)) flags |= CUCPU_KERNEL_BARRIER;
        if (n == NAME_GRID_SYNC) flags |= CUCPU_KERNEL_GRID_SYNC;
        if (name_is_cluster(n) || n == NAME_CLUSTER_BASE) flags |= CUCPU_KERNEL_CLUSTER;
        if (is_warp_synchronous(memory, i, polls)) flags |= CUCPU_KERNEL_WARP;
        if (name_is_warp_op(n) || n == NAME_LANE) flags |= CUCPU_KERNEL_WARP;
    }
    return flags;
}

/* Some loop may wait for another block. */
static bool polls(Arena *a, LLVMValueRef fn) {
    Cfg *c = cfg_build(a, fn);
    const bool *loops = find_spin_loops(a, c);
    for (int x = 0; x < c->nloops; x++)
        if (loops[x]) return true;
    return false;
}

/* Launches have the clusters that the kernel was compiled for. */
static void fix_cluster(LLVMValueRef fn) {
    unsigned blocks[3];
    fn_attr_three(fn, ATTR_CLUSTER, blocks);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b && blocks[0]; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            Name n = name_of_call(i);
            if (n < NAME_CLUSTER_X || n > NAME_CLUSTER_SET) continue;
            unsigned value = n == NAME_CLUSTER_SET ? 1 : blocks[n - NAME_CLUSTER_X];
            replace_instruction(i, LLVMConstInt(LLVMTypeOf(i), value, 0));
        }
}

static unsigned order_blocks(Module *m, LLVMValueRef fn, unsigned flags) {
    int along = block_order(m, fn, flags);
    if (!along) return flags;
    diag_remark(&m->diag, fn, BLOCK_ORDER, 'x' + along);
    fn_set_attr(fn, ATTR_ORDER, along == 1 ? "1" : "2");
    fn_remove_attr(fn, ATTR_JOINED);
    fn_remove_attr(fn, ATTR_JOINED_PREFIX);
    return flags & ~(unsigned)(CUCPU_KERNEL_JOINED | CUCPU_KERNEL_GRID_STRIDE);
}

void limit_shapes(Module *m, LLVMValueRef fn) {
    if (pass_disabled(m, "uniform_values")) fn_set_attr(fn, ATTR_VECTOR_VALUES, "");
    if (pass_disabled(m, "uniform_control_flow")) fn_set_attr(fn, ATTR_LINEAR_FLOW, "");
    if (pass_disabled(m, "affine_values")) fn_set_attr(fn, ATTR_DEGREE, "0");
    else if (pass_disabled(m, "unknown_strides")) fn_set_attr(fn, ATTR_DEGREE, "1");
}

/* What is known of launches is of the threads that run: "32,8,1;?" becomes "32,1,1;?", or "256,1,1;?". True if it was
** of other blocks. */
static bool collapse_launches(Module *m, LLVMValueRef fn, unsigned flags) {
    unsigned len, b[3];
    bool other = false;
    const char *at = fn_attr(fn, ATTR_LAUNCHES, &len);
    char *all = NULL;
    for (at = at ? arena_printf(&m->arena, "%.*s", (int)len, at) : NULL; at; at = strchr(at, ';'), at += at != NULL) {
        const char *one = "?";
        if (sscanf(at, "%u,%u,%u", &b[0], &b[1], &b[2]) == 3) {
            unsigned y = b[1], z = b[2];
            cucpu_block_that_runs(flags, b);
            other |= y != b[1] || z != b[2];
            one = arena_printf(&m->arena, "%u,%u,%u", b[0], b[1], b[2]);
        }
        all = all ? arena_printf(&m->arena, "%s;%s", all, one) : arena_printf(&m->arena, "%s", one);
    }
    if (other) fn_set_attr(fn, ATTR_LAUNCHES, all);
    return other;
}

/* Not with .reqntid: variants are for the block that it states. */
static unsigned collapse_block(Module *m, LLVMValueRef fn, unsigned flags) {
    const unsigned others = CUCPU_KERNEL_POLLS | CUCPU_KERNEL_WARP | CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER;
    long flat = fn_attr_int(fn, ATTR_FLAT, 0);
    if (flat) flags |= flat == 2 ? CUCPU_KERNEL_FLAT_Y : CUCPU_KERNEL_FLAT_Z;
    if (flat) collapse_launches(m, fn, flags);
    if (flags & others || fn_has_attr(fn, ATTR_REQNTID) || pass_disabled(m, "repeated_threads")) return flags;
    unsigned dimensions = repeated_dimensions(fn);
    if (flat == 3) dimensions = 0;
    if (flat) dimensions &= ~(1u << 1);
    unsigned repeats =
        (dimensions & 1 << 1 ? CUCPU_KERNEL_REPEATS_Y : 0) | (dimensions & 1 << 2 ? CUCPU_KERNEL_REPEATS_Z : 0);
    if (collapse_launches(m, fn, repeats)) diag_remark(&m->diag, fn, REPEATED_THREADS);
    return flags | repeats;
}

void describe_kernel(Module *m, LLVMValueRef fn) {
    fix_cluster(fn);
    const MemorySpaces *memory = memory_spaces(&m->arena, fn);
    unsigned flags = kernel_flags(fn, memory, polls(&m->arena, fn)) | (m->opt->shuffle ? CUCPU_KERNEL_SHUFFLE : 0);
    flags = collapse_block(m, fn, flags);
    mark_block_atomics(m, fn, memory);
    flags = order_blocks(m, fn, flags);
    fn_set_attr(fn, ATTR_FLAGS, arena_printf(&m->arena, "%u", flags));
    if (!(flags & CUCPU_KERNEL_JOINED) && !shapes_has_row(fn)) fn_set_attr(fn, ATTR_ANY_ROW, "");
    unsigned long long step = shapes_step(fn);
    if (step) fn_set_attr(fn, ATTR_STEP, arena_printf(&m->arena, "%llu", step));
    limit_shapes(m, fn);
}
