/* pressure: see pressure.h.
**
** A varying value of t bits takes W*t / register bits registers while it is live; uniform and affine values are
** scalars. Values that a loop only carries through are stored once outside of it: they do not count there. Live values
** beyond the registers are stored and loaded in each iteration; that overlaps with the arithmetic, so the slower of the
** two counts. An iteration of an innermost loop takes at least the latency of the dependence chain from one iteration
** to the next: with twice the lanes two such chains run in parallel. With registers of 512 bits, which many processors
** execute in two halves, no more than one addition counts. Measured with sums in double precision on AVX2: 4 of them
** 1.6 times faster with 8 lanes than with 4 (a chain of additions takes its time), 12 of them 1.6 times slower (26
** registers), 12 with as much 32-bit arithmetic 1.4 times faster. */
#include "passes/analysis/pressure.h"
#include "passes/ir/edit.h"

enum { TRIPS = 16, MAX_DEPTH = 4, MAX_CHAIN = 1000 };
static const double SPILLED = 1.5, FUSED = 0.5; /* cycles for each excess register; of a multiplication and addition */

typedef struct Count {
    Arena *a;
    const Cfg *c;
    Liveness *live;
    const Lanes *lanes;
    int loop;              /* of the block that is scanned */
    unsigned now, maximum; /* registers that are live there */
    unsigned *size;        /* by value number: registers, 0 = a scalar */
    Bits *used;            /* by loop: values that are used or defined in it */
} Count;

static unsigned vector_registers_of(const Lanes *x, LLVMValueRef v) {
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMTypeKind k = LLVMGetTypeKind(t);
    bool number = k == LLVMIntegerTypeKind || k == LLVMFloatTypeKind || k == LLVMDoubleTypeKind ||
                  k == LLVMPointerTypeKind || k == LLVMHalfTypeKind || k == LLVMBFloatTypeKind;
    if (!number || (k == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 1) || LLVMIsAAllocaInst(v) ||
        shapes_is_affine(x->shapes, v))
        return 0;
    unsigned bits = (unsigned)LLVMABISizeOfType(x->dl, t) * 8;
    if (x->narrowed && k == LLVMIntegerTypeKind && bits == 32) bits = shapes_value_bits(x->shapes, v) <= 16 ? 16 : bits;
    bits *= (unsigned)x->width;
    return (bits + (unsigned)x->vector_bits - 1) / (unsigned)x->vector_bits;
}

static void note_uses(Count *n) {
    const Cfg *c = n->c;
    for (int l = 0; l < c->nloops; l++) n->used[l] = bits_new(n->a, n->live->n);
    for_each_cfg_instruction(i, b, c)
        for (int l = c->b[b].loop; l >= 0; l = c->l[l].parent) {
            int d = live_number(n->live, i);
            if (d >= 0) bits_add(n->used[l], d);
            for (int k = 0; k < LLVMGetNumOperands(i); k++) {
                int v = live_number(n->live, LLVMGetOperand(i, (unsigned)k));
                if (v >= 0) bits_add(n->used[l], v);
            }
        }
}

static unsigned counted_size(const Count *n, int value, int loop) {
    return loop >= 0 && !bits_has(n->used[loop], value) ? 0 : n->size[value];
}

static void count_live(void *context, int value, int by) {
    Count *n = context;
    unsigned size = counted_size(n, value, n->loop);
    n->now = by > 0 ? n->now + size : n->now - size;
}

static void note_maximum(void *context) {
    Count *n = context;
    if (n->now > n->maximum) n->maximum = n->now;
}

/* The maximum number of registers live at once in the block. */
static unsigned max_live(Count *n, int b) {
    n->loop = n->c->b[b].loop;
    n->now = n->maximum = 0;
    live_scan(n->live, b, count_live, note_maximum, n);
    return n->maximum;
}

static bool is_float_sum(LLVMValueRef i) {
    if (!LLVMIsAInstruction(i)) return false;
    return LLVMGetInstructionOpcode(i) == LLVMFAdd || LLVMGetInstructionOpcode(i) == LLVMFSub || is_fma(i);
}

static double cycles_of(const Count *n, LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op != LLVMFAdd && op != LLVMFSub && op != LLVMFMul && !is_fma(i)) return group_cycles(n->lanes, i);
    LLVMUseRef use = LLVMGetFirstUse(i);
    if (op == LLVMFMul && use && !LLVMGetNextUse(use) && is_float_sum(LLVMGetUser(use))) return 0;
    return FUSED * (shapes_is_affine(n->lanes->shapes, i) ? 1 : vector_registers_of(n->lanes, i));
}

/* One execution of the block. */
static double block_cycles(const Count *n, int b, unsigned maximum, unsigned registers) {
    double cycles = 0, spills = maximum > registers ? SPILLED * (maximum - registers) : 0;
    for_each_in_block(i, n->c->b[b].bb) cycles += cycles_of(n, i);
    return spills > cycles ? spills : cycles;
}

/* ---- chains ---- */

/* Cycles until the result of a vector instruction can be used. */
static double delay(const Count *n, LLVMValueRef i) {
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFCmp:
    case LLVMMul:
    case LLVMSIToFP:
    case LLVMUIToFP:
    case LLVMFPToSI:
    case LLVMFPToUI: return 4;
    case LLVMFDiv: return 11;
    case LLVMLoad: return is_irregular(n->lanes, i) ? 20 : 5;
    case LLVMCall: return is_fma(i) ? 4 : group_cycles(n->lanes, i) / 2;
    case LLVMGetElementPtr:
    case LLVMPHI:
    case LLVMBitCast:
    case LLVMFreeze: return 0;
    default: return 1;
    }
}

/* Cycles from the phi of the loop that is known to this value, < 0: within an iteration it does not depend on the
** phi. */
static double chain_delay(const Count *n, PtrMap *known, int loop, LLVMValueRef v, int depth) {
    if (!LLVMIsAInstruction(v) || depth > MAX_CHAIN) return -1;
    double *done = map_ptr(known, v), maximum = -1;
    if (done) return *done;
    int b = cfg_block_of(n->c, v);
    bool phi = LLVMIsAPHINode(v) != NULL;
    if (b < 0 || !cfg_loop_contains(n->c, loop, b) || (phi && b == n->c->l[loop].header)) return -1;
    for (unsigned k = 0, all = phi ? LLVMCountIncoming(v) : (unsigned)LLVMGetNumOperands(v); k < all; k++) {
        double o = chain_delay(n, known, loop, phi ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k), depth + 1);
        if (o > maximum) maximum = o;
    }
    double *r = arena_alloc(n->a, sizeof *r);
    *r = maximum < 0 ? -1 : maximum + (shapes_is_affine(n->lanes->shapes, v) ? 0 : delay(n, v));
    map_put(known, v, (uintptr_t)r);
    return *r;
}

static const double ADDITION = 4;

/* The longest dependence chain from one iteration of an innermost loop to the next. */
static double longest_chain(const Count *n, int loop) {
    double maximum = 0, start = 0;
    for_each_phi(p, n->c->b[n->c->l[loop].header].bb) {
        if (shapes_is_affine(n->lanes->shapes, p)) continue;
        PtrMap known = map_new(n->a);
        map_put(&known, p, (uintptr_t)&start);
        for (unsigned k = 0; k < LLVMCountIncoming(p); k++) {
            double r = chain_delay(n, &known, loop, LLVMGetIncomingValue(p, k), 0);
            if (r > maximum) maximum = r;
        }
    }
    return n->lanes->vector_bits > 256 && maximum > ADDITION ? ADDITION : maximum;
}

static double iterations_of(const Cfg *c, int b) {
    double r = 1;
    int depth = 0;
    for (int l = c->b[b].loop; l >= 0 && depth < MAX_DEPTH; l = c->l[l].parent, depth++) r *= TRIPS;
    return r;
}

Pressure pressure(Arena *a, const Cfg *c, Liveness *live, const Lanes *lanes, unsigned registers) {
    Count n = {.a = a, .c = c, .live = live, .lanes = lanes};
    n.size = arena_array(a, unsigned, live->n + 1);
    n.used = arena_array(a, Bits, c->nloops + 1);
    for (int v = 0; v < live->n; v++) n.size[v] = vector_registers_of(lanes, live->value[v]);
    note_uses(&n);
    Pressure r = {0};
    /* of each loop, without those in it; last: outside of all */
    double *iteration = arena_array(a, double, c->nloops + 1);
    for (int b = 0; b < c->n; b++) {
        unsigned maximum = max_live(&n, b);
        iteration[c->b[b].loop >= 0 ? c->b[b].loop : c->nloops] += block_cycles(&n, b, maximum, registers);
        if (maximum > r.registers) r.registers = maximum;
    }
    for (int l = 0; l < c->nloops; l++) {
        double chain = cfg_is_innermost(c, l) ? longest_chain(&n, l) : 0;
        double times = iterations_of(c, c->l[l].header) / lanes->width;
        r.cycles += times * iteration[l];
        if (chain > iteration[l]) r.waits += times * (chain - iteration[l]);
    }
    r.cycles += iteration[c->nloops] / lanes->width + r.waits;
    return r;
}

Pressure pressure_of(const Module *m, Arena *a, Cfg *cfg, Liveness *live, int width, Layout layout,
                     const unsigned block[3], bool narrowed) {
    static const unsigned any[3];
    Lanes lanes = {shapes_compute(a, cfg, width, layout, block ? block : any), m->dl, width, (int)m->vector_bits,
                   narrowed};
    return pressure(a, cfg, live, &lanes, m->vector_regs);
}
