/* wide_rows: which kernels have a variant with more lanes than a vector register holds 32-bit values, for blocks whose
** rows fill them (make_variants).
**
** Bytes and shorts: a group of the usual width leaves most of a register empty. Two or four times the lanes, if the
** estimate (pressure.h) is clearly faster; four times if it is very clearly faster, with 64 lanes by half: where nearly
** all arithmetic is on bytes. The remaining gain is the overhead of a group, whatever its size.
** Strides: threads whose loops step through memory by planes or by rows of a matrix, and access neighbouring elements.
** Each iteration of a group touches the end of one cache line and the start of the next one, and both are evicted when
** the next group needs them: planes are often a power of two apart and share the same few sets of the cache. Twice the
** lanes touch three lines where two groups touch four. Only if the registers suffice. The estimate is of the kernel
** after narrow_values.
** Latency: loops whose iterations depend each on the one before, or long dependent code, with nothing else to do
** meanwhile. Two or four vectors run as many chains side by side. Only if the registers suffice, and not where gathers
** take much of the time, as more lanes only make more of them, nor for strided loops, whose time is that of memory.
** Not for kernels with barriers or warp functions, which make_variants leaves out. */
#include "passes/analysis/lane_cost.h"
#include "passes/analysis/pressure.h"
#include "passes/analysis/strided_loops.h"
#include "passes/ir/shim.h"
#include "passes/passes.h"
#include "passes/ir/value.h"

/* Percent: of twice the lanes, of four times, of four times where that is more than SHARED; lanes; bytes of a line;
** percent of the time that is spent waiting, at least, and with gathers, at most. */
enum { CLEARLY = 115, VERY = 125, MOSTLY = 150, WIDEST = 64, SHARED = 32, LINE = 64, WAITING = 25, GATHERING = 25 };

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
    return stride == size && strides_far(w->c, p, w->c->b[b].loop, LINE / (uint64_t)size);
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

static Pressure estimate(const Wide *w, Liveness *live, int width) {
    return pressure_of(w->m, w->a, w->c, live, width, LAYOUT_ROWS_FULL, NULL, true);
}

static bool waits(const Pressure *p) {
    return p->waits * 100 >= p->cycles * WAITING && p->gathers * 100 <= p->cycles * GATHERING;
}

/* Percent by which n lanes must be estimated faster than fewer. */
static int needed_gain(bool narrow, int n, int width) {
    if (!narrow || n <= 2 * width) return CLEARLY;
    return n > SHARED ? MOSTLY : VERY;
}

static int widest(const Wide *w, int width) {
    bool narrow = any(w, is_narrow_access), strided = !narrow && any(w, is_strided);
    if (any(w, is_serialised)) return width;
    Liveness *live = liveness(w->a, w->c, NULL, NULL);
    Pressure now = estimate(w, live, width);
    bool chains = !strided && waits(&now);
    double cycles = now.cycles;
    int best = width;
    for (int n = 2 * width; (narrow || strided || chains) && n <= WIDEST && n <= 4 * width; n *= 2) {
        Pressure p = estimate(w, live, n);
        bool fits = p.registers <= w->m->vector_regs;
        if (strided) return fits && p.cycles <= cycles ? n : width;
        if (!fits && !(narrow && n == 2 * width)) break;
        if (p.cycles * needed_gain(narrow, n, width) < cycles * 100) {
            best = n;
            cycles = p.cycles;
        } else if (!chains) break;
    }
    return best;
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
