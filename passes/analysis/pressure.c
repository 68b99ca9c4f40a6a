/* pressure: see pressure.h.
**
** A varying value of t bits takes W*t / register bits registers while it is live; what is uniform or
** affine is a scalar.  Values that a loop only carries through are stored once outside of it: they
** do not count there.  What is live beyond the registers is stored and loaded in each pass; that runs
** beside the arithmetic, so the slower of the two counts.  Measured with sums in double precision on
** AVX2: 4 of them 1.6 times faster with 8 lanes than with 4 (a chain of additions takes its time),
** 12 of them 1.6 times slower (26 registers), 12 with as much 32-bit arithmetic 1.4 times faster. */
#include "passes/analysis/pressure.h"
#include "passes/ir/edit.h"

enum { TRIPS = 16, MOST_DEPTH = 4 };
static const double SPILLED = 1.5, FUSED = 0.5; /* cycles for each register too many; of a multiplication and addition */
static const double CHAIN = 4;                  /* of a pass of a loop that sums */

typedef struct Count {
    Arena *a;
    const Cfg *c;
    Liveness *live;
    const Lanes *lanes;
    int loop;            /* of the block that is scanned */
    unsigned now, most;  /* registers that are live there */
    unsigned *size; /* by value number: registers, 0 = a scalar */
    Bits *used;     /* by loop: values that are used or defined in it */
} Count;

static bool is_scalar(const Lanes *x, LLVMValueRef v) {
    int64_t stride;
    return shapes_is_uniform(x->shapes, v) || shapes_lane_stride(x->shapes, v, &stride);
}

static unsigned registers_of(const Lanes *x, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMTypeKind k = LLVMGetTypeKind(t);
    bool number = k == LLVMIntegerTypeKind || k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind || k == LLVMPointerTypeKind ||
                  k == LLVMHalfTypeKind || k == LLVMBFloatTypeKind;
    if (!number || (k == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 1) || LLVMIsAAllocaInst(v) || is_scalar(x, v)) return 0;
    unsigned bits = (unsigned)LLVMABISizeOfType(x->dl, t) * 8;
    if (x->narrowed && k == LLVMIntegerTypeKind && bits == 32) bits = shapes_value_bits(x->shapes, v) <= 16 ? 16 : bits;
    bits *= (unsigned)x->width;
    return (bits + (unsigned)x->vector_bits - 1) / (unsigned)x->vector_bits;
}

static void note_uses(Count *n) {
    const Cfg *c = n->c;
    for (int l = 0; l < c->nloops; l++) n->used[l] = bits_new(n->a, n->live->n);
    for (int b = 0; b < c->n; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(c->b[b].bb); i; i = LLVMGetNextInstruction(i))
            for (int l = c->b[b].loop; l >= 0; l = c->l[l].parent) {
                int d = live_number(n->live, i);
                if (d >= 0) bits_add(n->used[l], d);
                for (int k = 0; k < LLVMGetNumOperands(i); k++) {
                    int v = live_number(n->live, LLVMGetOperand(i, (unsigned)k));
                    if (v >= 0) bits_add(n->used[l], v);
                }
            }
}

static unsigned counted(const Count *n, int value, int loop) {
    return loop >= 0 && !bits_has(n->used[loop], value) ? 0 : n->size[value];
}

static void change(void *context, int value, int by) {
    Count *n = context;
    unsigned size = counted(n, value, n->loop);
    n->now = by > 0 ? n->now + size : n->now - size;
}

static void here(void *context) {
    Count *n = context;
    if (n->now > n->most) n->most = n->now;
}

/* Most registers that are live at once in the block. */
static unsigned most_live(Count *n, int b) {
    n->loop = n->c->b[b].loop;
    n->now = n->most = 0;
    live_scan(n->live, b, change, here, n);
    return n->most;
}

static bool is_sum(LLVMValueRef i) {
    if (!LLVMIsAInstruction(i)) return false;
    return LLVMGetInstructionOpcode(i) == LLVMFAdd || LLVMGetInstructionOpcode(i) == LLVMFSub || is_fma(i);
}

static double cycles_of(const Count *n, LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op != LLVMFAdd && op != LLVMFSub && op != LLVMFMul && !is_fma(i)) return group_cycles(n->lanes, i);
    LLVMUseRef use = LLVMGetFirstUse(i);
    if (op == LLVMFMul && use && !LLVMGetNextUse(use) && is_sum(LLVMGetUser(use))) return 0;
    return FUSED * (is_scalar(n->lanes, i) ? 1 : registers_of(n->lanes, i));
}

/* One pass through the block. */
static double block_cycles(const Count *n, int b, unsigned most, unsigned registers) {
    double cycles = 0, spills = most > registers ? SPILLED * (most - registers) : 0;
    bool sums = false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(n->c->b[b].bb); i; i = LLVMGetNextInstruction(i)) {
        cycles += cycles_of(n, i);
        sums |= is_sum(i);
    }
    if (spills > cycles) cycles = spills;
    return n->c->b[b].loop >= 0 && sums && cycles < CHAIN ? CHAIN : cycles;
}

static double passes_of(const Cfg *c, int b) {
    double r = 1;
    int depth = 0;
    for (int l = c->b[b].loop; l >= 0 && depth < MOST_DEPTH; l = c->l[l].parent, depth++) r *= TRIPS;
    return r;
}

Pressure pressure(Arena *a, const Cfg *c, Liveness *live, const Lanes *lanes, unsigned registers) {
    Count n = {.a = a, .c = c, .live = live, .lanes = lanes};
    n.size = arena_array(a, unsigned, live->n + 1);
    n.used = arena_array(a, Bits, c->nloops + 1);
    for (int v = 0; v < live->n; v++) n.size[v] = registers_of(lanes, live->value[v]);
    note_uses(&n);
    Pressure r = {0};
    for (int b = 0; b < c->n; b++) {
        unsigned most = most_live(&n, b);
        r.cycles += passes_of(c, b) * block_cycles(&n, b, most, registers) / lanes->width;
        if (most > r.registers) r.registers = most;
    }
    return r;
}
