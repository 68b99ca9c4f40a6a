/* wide_rows: which kernels have a variant with more lanes than a vector register holds 32-bit values, for blocks whose
** rows fill them (make_variants).
**
** Bytes and shorts: a group of the usual width leaves most of a register empty.  Two or four times the lanes, if the
** estimate (pressure.h) says that this is clearly faster; four times only where what is computed is narrow as well.
** Walks: threads whose loops step through memory by planes or by rows of a matrix, and touch neighbouring elements.
** Each pass of a group touches the end of one line of the cache and the start of the next one, and both are gone when
** the next group comes along: planes often lie a power of two apart and share the same few places of the cache.
** Twice the lanes touch three lines where two groups touch four.  Only if the registers last.
** Not for kernels with barriers or warp functions, which make_variants does not ask for. */
#include "passes/analysis/lane_cost.h"
#include "passes/analysis/pressure.h"
#include "passes/passes.h"

/* Percent; lanes; registers of four times the lanes; bytes of a line; operations between an address and a counter. */
enum { CLEARLY = 115, WIDEST = 64, NARROW = 2, LINE = 64, DEPTH = 8 };

typedef struct Wide {
    Module *m;
    Arena *a;
    Cfg *c;
    Shapes *s; /* at the usual width */
} Wide;

static LLVMValueRef address_of(LLVMValueRef i, LLVMTypeRef *type) {
    bool store = LLVMIsAStoreInst(i) != NULL;
    if (!store && !LLVMIsALoadInst(i)) return NULL;
    *type = store ? LLVMTypeOf(LLVMGetOperand(i, 0)) : LLVMTypeOf(i);
    return LLVMGetOperand(i, store ? 1 : 0);
}

static bool is_narrow_access(const Wide *w, LLVMValueRef i, int b) {
    LLVMTypeRef t;
    (void)w, (void)b;
    return address_of(i, &t) && LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) <= 16;
}

/* ---- walks ---- */

static bool in_loop(const Wide *w, LLVMValueRef v, int loop) {
    return LLVMIsAInstruction(v) && cfg_loop_contains(w->c, loop, cfg_number(w->c, LLVMGetInstructionParent(v)));
}

/* p is a counter of the loop that steps by a value unknown here, or by `far` units. */
static bool steps_far(const Wide *w, LLVMValueRef p, int loop, uint64_t far) {
    for (unsigned k = 0; k < LLVMCountIncoming(p); k++) {
        LLVMValueRef next = LLVMGetIncomingValue(p, k);
        if (!in_loop(w, next, loop) || LLVMGetInstructionOpcode(next) != LLVMAdd) continue;
        LLVMValueRef step = LLVMGetOperand(next, LLVMGetOperand(next, 0) == p);
        if (LLVMGetOperand(next, 0) != p && LLVMGetOperand(next, 1) != p) continue;
        if (LLVMIsAConstantInt(step) ? LLVMConstIntGetZExtValue(step) >= far : !in_loop(w, step, loop)) return true;
    }
    return false;
}

/* The subscript v grows from pass to pass by a value unknown here, or by `far`. */
static bool walks_far(const Wide *w, LLVMValueRef v, int loop, uint64_t far, int depth) {
    if (!in_loop(w, v, loop) || depth > DEPTH) return false;
    if (LLVMIsAPHINode(v)) return LLVMGetInstructionParent(v) == w->c->b[w->c->l[loop].header].bb && steps_far(w, v, loop, far);
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetNumOperands(v) > 1 ? LLVMGetOperand(v, 1) : NULL;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMSExt: case LLVMZExt: return walks_far(w, a, loop, far, depth + 1);
    case LLVMAdd: case LLVMSub: return walks_far(w, a, loop, far, depth + 1) || walks_far(w, b, loop, far, depth + 1);
    case LLVMMul: /* by the size of a row */
        if (in_loop(w, a, loop) == in_loop(w, b, loop)) return false;
        return !LLVMIsAConstantInt(in_loop(w, a, loop) ? b : a) && walks_far(w, in_loop(w, a, loop) ? a : b, loop, 1, depth + 1);
    case LLVMGetElementPtr:
        for (int k = 0; k < LLVMGetNumOperands(v); k++)
            if (walks_far(w, LLVMGetOperand(v, (unsigned)k), loop, far, depth + 1)) return true;
        return false;
    default: return false;
    }
}

/* Lanes touch neighbours, and the next pass of the loop touches memory far away. */
static bool is_walk(const Wide *w, LLVMValueRef i, int b) {
    LLVMTypeRef t;
    LLVMValueRef p = address_of(i, &t);
    int64_t stride;
    if (!p || w->c->b[b].loop < 0 || shapes_is_uniform(w->s, p) || !shapes_lane_stride(w->s, p, &stride)) return false;
    int64_t size = (int64_t)LLVMStoreSizeOfType(w->m->dl, t);
    return stride == size && walks_far(w, p, w->c->b[b].loop, LINE / (uint64_t)size, 0);
}

/* Lanes take turns or wait: more of them gain nothing, and the estimate does not know what they lose. */
static bool takes_turns(const Wide *w, LLVMValueRef i, int b) {
    (void)w, (void)b;
    return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || name_is_convergent(name_of_call(i));
}

/* ---- the width ---- */

static bool any(const Wide *w, bool (*is)(const Wide *, LLVMValueRef, int)) {
    for (int b = 0; b < w->c->n; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(w->c->b[b].bb); i; i = LLVMGetNextInstruction(i))
            if (is(w, i, b)) return true;
    return false;
}

static Pressure estimate(const Wide *w, Liveness *live, int width) {
    unsigned block[3] = {0};
    Lanes lanes = {shapes_compute(w->a, w->c, width, LAYOUT_ROWS_FULL, block), w->m->dl, width, (int)w->m->vector_bits};
    return pressure(w->a, w->c, live, &lanes, w->m->vector_regs);
}

static int widest(const Wide *w, int width) {
    bool narrow = any(w, is_narrow_access);
    if ((!narrow && !any(w, is_walk)) || any(w, takes_turns)) return width;
    Liveness *live = liveness(w->a, w->c, NULL, NULL);
    double cycles = estimate(w, live, width).cycles;
    int best = width;
    for (int n = 2 * width; n <= WIDEST && n <= 4 * width; n *= 2) {
        Pressure p = estimate(w, live, n);
        if (!narrow) return p.registers <= w->m->vector_regs && p.cycles <= cycles ? n : width;
        if (p.cycles * CLEARLY >= cycles * 100 || (n > 2 * width && p.registers > NARROW)) break;
        best = n;
        cycles = p.cycles;
    }
    return best;
}

int choose_wide_rows(Module *m, LLVMValueRef fn, int width) {
    if (m->opt->simd || width == 1 || pass_disabled(m, "wide_rows")) return width;
    Arena a = {0};
    Wide w = {.m = m, .a = &a, .c = cfg_build(&a, fn)};
    unsigned block[3] = {0};
    if (w.c->reducible) {
        w.s = shapes_compute(&a, w.c, width, LAYOUT_ROWS_FULL, block);
        width = widest(&w, width);
    }
    arena_free(&a);
    return width;
}
