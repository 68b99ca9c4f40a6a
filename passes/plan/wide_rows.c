/* wide_rows: which kernels have a variant with more lanes than a vector register holds 32-bit values, for blocks whose
** rows fill them (make_variants).
**
** Bytes and shorts: a group of the usual width leaves most of a register empty. Two or four times the lanes, if each
** doubling is clearly faster by the estimate (cost.h).
** Strides: threads whose loops step through memory by planes or by rows of a matrix, and access neighbouring elements.
** Each iteration of a group touches the end of one cache line and the start of the next one, and both are evicted when
** the next group needs them: planes are often a power of two apart and share the same few sets of the cache. Twice the
** lanes touch three lines where two groups touch four. Only if the registers suffice. The estimate is of the kernel
** after narrow_values.
** Latency: loops whose iterations depend each on the one before, or long dependent code, with nothing else to do
** meanwhile, in functions that the kernel calls as well. Two or four vectors run as many chains side by side. Gathers
** that wait for each other gain most. Only if the registers suffice, and not for strided loops, whose time is that of
** memory.
** Not for kernels with barriers or warp functions, which make_variants leaves out. */
#include "passes/analysis/cost.h"
#include "passes/analysis/strided_loops.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"

enum { WIDEST = 64 /* lanes of a mask */ };

typedef struct Wide {
    Module *m;
    Arena *a;
    Cfg *c;
    Shapes *s; /* at the usual width */
} Wide;

static bool is_narrow_access(const Wide *w, LLVMValueRef i, int b) {
    LLVMTypeRef t;
    (void)w, (void)b;
    return accessed_address(i, &t) && LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) <= 16;
}

/* ---- strided loops ---- */

/* Lanes access neighbours, and the next iteration of the loop accesses memory far away. */
static bool is_strided(const Wide *w, LLVMValueRef i, int b) {
    LLVMTypeRef t;
    LLVMValueRef p = accessed_address(i, &t);
    int64_t stride;
    if (!p || w->c->b[b].loop < 0 || shapes_is_uniform(w->s, p) || !shapes_lane_stride(w->s, p, &stride)) return false;
    int64_t size = (int64_t)LLVMStoreSizeOfType(w->m->dl, t);
    return stride == size && strides_far(w->c, p, w->c->b[b].loop, CACHE_LINE);
}

/* Lanes are serialised or wait: more of them gain nothing, and the estimate does not include what they lose. */
static bool is_serialised(const Wide *w, LLVMValueRef i, int b) {
    (void)w, (void)b;
    return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || name_is_convergent(name_of_call(i));
}

/* ---- the width ---- */

static bool any(const Wide *w, bool (*is)(const Wide *, LLVMValueRef, int)) {
    for_each_cfg_instruction(i, b, w->c)
        if (is(w, i, b)) return true;
    return false;
}

static Cost estimate(const Wide *w, Liveness *live, int width) {
    return cost_of_kernel(w->m, w->a, w->c, live, width, LAYOUT_ROWS_FULL, NULL, true);
}

static int widest(const Wide *w, int width) {
    bool narrow = any(w, is_narrow_access), strided = !narrow && any(w, is_strided);
    if (any(w, is_serialised)) return width;
    Liveness *live = liveness(w->a, w->c, NULL, NULL);
    Cost best = estimate(w, live, width);
    bool chains = !strided && cost_waits(&best);
    for (int n = 2 * width; (narrow || strided || chains) && n <= WIDEST && n <= 4 * width; n *= 2) {
        Cost c = estimate(w, live, n);
        bool fits = cost_fits(w->m, &c) && cost_of_calls_fits(w->m, w->a, w->c, n);
        if (strided) return fits && c.cycles <= best.cycles && cost_is_lower(c.lines, best.lines) ? n : width;
        if (!fits && !(narrow && n == 2 * width)) break;
        if (cost_is_lower(c.cycles, best.cycles)) best = c;
        else if (!chains) break;
    }
    return best.width;
}

int choose_wide_rows(Module *m, LLVMValueRef fn, int width) {
    if (m->opt->simd || width == 1 || pass_disabled(m, "wide_rows")) return width;
    Arena a = {0};
    LLVMValueRef copy = shim_clone_function(fn, "wide_rows");
    narrow_values_of(m, copy);
    Wide w = {.m = m, .a = &a, .c = cfg_build(&a, copy)};
    unsigned block[3] = {0};
    if (w.c->reducible) {
        w.s = shapes_compute(&a, w.c, width, LAYOUT_ROWS_FULL, block);
        width = widest(&w, width);
    }
    arena_free(&a);
    LLVMDeleteFunction(copy);
    return width;
}
