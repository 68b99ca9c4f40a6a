/* block_order: see passes.h.
**
** CUDA does not define the order of blocks; on a core one follows the other, along x by default. What a block accesses
** should be next to what the previous one accessed: then lines of the cache, and pages, are used completely before the
** next are loaded, and the hardware prefetches. `a[x * n + y]` is new lines in each block along x, and where n is a
** power of two all these are in the same few sets of the cache. So blocks run along y where more accesses of global
** memory are along y than along x. Where as many are, loads along one and stores along the other (a matrix is
** transposed), blocks follow the stores, or the loads, if lanes load or store elements that are far apart: with each
** such load a group waits for all its lines, and rows of neighbouring blocks that were joined would take one element of
** each line before the next row comes.
** Along z in the same way (`a[(x * n + y) * n + z]`).
** An access is along y if the addresses in neighbouring blocks along x (or z) are FAR from each other, those along y
** are not, nor the same. This comes from shapes, of copies of the kernel in which a thread represents the first one of
** a block. */
#include "passes/analysis/accesses.h"
#include "passes/analysis/memory_spaces.h"
#include "passes/analysis/shapes/shapes.h"
#include "passes/ir/cfg.h"
#include "passes/analysis/block_order.h"
#include "passes/analysis/width.h"
#include "passes/ir/edit.h"
#include "cpu-runtime/abi.h"
#include <stdlib.h>

enum { EDGE = 16, FAR = 2048 }; /* blockDim where it is unknown; bytes */

typedef struct Side {
    LLVMValueRef copy;
    Shapes *s;
    LLVMBasicBlockRef block;
    LLVMValueRef at; /* the access, NULL after the last one */
} Side;

/* In a copy whose threads represent blocks along this dimension. */
static LLVMValueRef id_of_first(Module *m, LLVMBuilderRef b, LLVMValueRef id, int dimension) {
    LLVMTypeRef t = LLVMTypeOf(id);
    Name n = name_of_call(id);
    LLVMPositionBuilderBefore(b, id);
    if ((int)n == NAME_CTAID_X + dimension) return name_call(b, m->mod, NAME_TID_X, NULL, 0, "");
    if (n >= NAME_NTID_X && n <= NAME_NTID_Z) return LLVMConstInt(t, EDGE, 0);
    if ((n >= NAME_TID_X && n <= NAME_TID_Z) || n == NAME_LINEAR || n == NAME_LANE) return LLVMConstInt(t, 0, 0);
    if (n != NAME_GLOBAL_X) return NULL;
    LLVMValueRef block = name_call(b, m->mod, dimension ? NAME_CTAID_X : NAME_TID_X, NULL, 0, ""),
                 size = LLVMGetOperand(id, 0);
    LLVMValueRef v = LLVMBuildNUWMul(b, block, LLVMIsAConstantInt(size) ? size : LLVMConstInt(t, EDGE, 0), "");
    LLVMSetNSW(v, 1);
    return v;
}

static void replace_ids(Module *m, LLVMValueRef fn, int dimension) {
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(m->ctx);
    Vec(LLVMValueRef) ids = {0};
    for_each_instruction(i, fn)
        if (name_of_call(i) != NAME_NONE) vec_push(&m->arena, &ids, i);
    for (int k = 0; k < ids.n; k++) {
        LLVMValueRef v = id_of_first(m, builder, ids.v[k], dimension);
        if (!v) continue;
        replace_instruction(ids.v[k], v);
    }
    LLVMDisposeBuilder(builder);
}

static bool start_side(Module *m, Arena *a, Side *s, LLVMValueRef kernel, int dimension) {
    static const unsigned any[3];
    s->copy = clone_without_wrap(kernel);
    replace_ids(m, s->copy, dimension);
    Cfg *c = cfg_build(a, s->copy);
    if (!c->reducible) return false;
    s->s = shapes_compute(a, c, EDGE, LAYOUT_ROWS_FULL, any);
    s->block = LLVMGetFirstBasicBlock(s->copy);
    s->at = LLVMGetFirstInstruction(s->block);
    return true;
}

/* To the next access, from s->at on. */
static void next_access(Side *s) {
    while (s->block && (!s->at || !is_plain_access(s->at))) {
        if (s->at) s->at = LLVMGetNextInstruction(s->at);
        else if ((s->block = LLVMGetNextBasicBlock(s->block))) s->at = LLVMGetFirstInstruction(s->block);
    }
}

static bool is_far(const Side *s) {
    int64_t stride;
    LLVMValueRef p = accessed_at(s->at);
    return !shapes_is_uniform(s->s, p) && (!shapes_lane_stride(s->s, p, &stride) || llabs(stride) >= FAR);
}

static bool is_near_side(const Side *s) { return !is_far(s) && !shapes_is_uniform(s->s, accessed_at(s->at)); }

/* The one dimension along which it is; -1: none, or several. */
static int is_along(const Side s[3]) {
    int near = -1, n = 0, far = 0;
    for (int d = 0; d < 3; d++) {
        if (is_near_side(&s[d])) near = d, n++;
        far += is_far(&s[d]);
    }
    return n == 1 && far ? near : -1;
}

static int argmax(const int n[3]) {
    int best = 0;
    for (int d = 1; d < 3; d++)
        if (n[d] > n[best]) best = d;
    return best;
}

/* s: copies for blocks along x, y and z, with the same accesses in the same order.  apart: lanes_lie_apart. */
static int best_order(Side s[3], const MemorySpaces *memory, bool apart) {
    int loads[3] = {0}, stores[3] = {0}, all[3];
    for (;;) {
        for (int d = 0; d < 3; d++) next_access(&s[d]);
        if (!s[0].at) break;
        int along = spaces_of(memory, accessed_at(s[0].at)) & SPACE_GLOBAL ? is_along(s) : -1;
        if (along >= 0) (LLVMIsAStoreInst(s[0].at) ? stores : loads)[along]++;
        for (int d = 0; d < 3; d++) s[d].at = LLVMGetNextInstruction(s[d].at);
    }
    for (int d = 0; d < 3; d++) all[d] = loads[d] + stores[d];
    int first = argmax(all), other = argmax(apart ? loads : stores);
    return all[other] == all[first] ? other : first;
}

int block_order(Module *m, LLVMValueRef kernel, unsigned flags) {
    bool suits = !(flags & (CUCPU_KERNEL_POLLS | CUCPU_KERNEL_GRID_SYNC | CUCPU_KERNEL_CLUSTER)), started = true;
    if (!suits || pass_disabled(m, "order_blocks") || !(reads_thread_id(kernel, 1) || reads_thread_id(kernel, 2)) ||
        !hides_order(kernel))
        return 0;
    Arena a = {0};
    Side s[3] = {0};
    for (int d = 0; d < 3 && started; d++) started = start_side(m, &a, &s[d], kernel, d);
    int r =
        started ? best_order(s, memory_spaces(&a, s[0].copy), lanes_lie_apart(m, kernel, (int)m->vector_bits / 32)) : 0;
    arena_free(&a);
    for (int d = 0; d < 3 && s[d].copy; d++) LLVMDeleteFunction(s[d].copy);
    return r;
}
