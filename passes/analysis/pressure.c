/* pressure: see pressure.h.
**
** A varying value of t bits takes W*t / register bits registers while it is live; uniform and affine values are
** scalars. Values that a loop only carries through are stored once outside of it: they do not count there. Live values
** beyond the registers are stored and loaded in each iteration; that overlaps with the arithmetic, so the slower of the
** two counts.
** Latency: an iteration of an innermost loop takes at least the longest chain of dependent operations from one
** iteration to the next (latencies: LLVM's tables of the target). With twice the lanes two such chains run in parallel.
** And it takes at least the longest chain within it, divided by the iterations that the processor's schedulers hold at
** once: it overlaps those itself, where they do not depend on each other. It also overlaps groups, where all of a
** loop's iterations or code outside of loops fit.
** Divergence: a loop that lanes leave one by one runs as often as its slowest lane. Where registers have 512 bits,
** masks are registers of their own, of one vector each: the mask of a group of several vectors is combined after each
** comparison, and split before its use.
** Measured with sums in double precision on AVX2: 4 of them 1.6 times faster with 8 lanes than with 4 (a chain of
** additions takes its time), 12 of them 1.6 times slower (26 registers), 12 with as much 32-bit arithmetic 1.4 times
** faster. */
#include "passes/analysis/pressure.h"
#include "passes/ir/edit.h"
#include "passes/ir/math.h"
#include "passes/ir/shim.h"

enum { TRIPS = 16, MAX_DEPTH = 4, MAX_CHAIN = 1000 };
static const double SPILLED = 1.5, FUSED = 0.5, /* cycles for each excess register; of a multiplication and addition */
    MASKED = 2,                                 /* the mask of a branch, for each further vector */
    SLOWER = 0.1; /* the slowest of 2 W lanes against that of W, of the iterations of the average lane */

typedef struct Count {
    const Module *m;
    Arena *a;
    const Cfg *c;
    Liveness *live;
    const Lanes *lanes;
    int loop;              /* of the block that is scanned */
    unsigned now, maximum; /* registers that are live there */
    unsigned *size;        /* by value number: registers, 0 = a scalar */
    Bits *used;            /* by loop: values that are used or defined in it */
    PtrMap delays;         /* instruction -> double * */
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

/* A product that becomes part of a fused multiply-add. */
static bool is_fused(LLVMValueRef i) {
    LLVMUseRef use = LLVMGetFirstUse(i);
    return LLVMGetInstructionOpcode(i) == LLVMFMul && use && !LLVMGetNextUse(use) && is_float_sum(LLVMGetUser(use));
}

static double cycles_of(const Count *n, LLVMValueRef i) {
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (op != LLVMFAdd && op != LLVMFSub && op != LLVMFMul && !is_fma(i)) return group_cycles(n->lanes, i);
    if (is_fused(i)) return 0;
    return FUSED * (shapes_is_affine(n->lanes->shapes, i) ? 1 : vector_registers_of(n->lanes, i));
}

/* One execution of the block. */
static double block_cycles(const Count *n, int b, unsigned maximum, unsigned registers) {
    double cycles = 0, spills = maximum > registers ? SPILLED * (maximum - registers) : 0;
    for_each_in_block(i, n->c->b[b].bb) cycles += cycles_of(n, i);
    return spills > cycles ? spills : cycles;
}

/* ---- chains ---- */

/* Lanes of one register: a wider vector is as many operations side by side. */
static unsigned lanes_of_register(const Lanes *x, LLVMValueRef i) {
    LLVMTypeRef t = LLVMTypeOf(LLVMIsACmpInst(i) ? LLVMGetOperand(i, 0) : i);
    unsigned bits = LLVMGetTypeKind(t) == LLVMVoidTypeKind ? 32 : (unsigned)LLVMABISizeOfType(x->dl, t) * 8;
    unsigned maximum = (unsigned)x->vector_bits / (bits ? bits : 32);
    return maximum < 1 ? 1 : maximum < (unsigned)x->width ? maximum : (unsigned)x->width;
}

static bool is_mask(LLVMValueRef i) {
    LLVMTypeRef t = LLVMTypeOf(i);
    return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 1;
}

static double latency(const Count *n, LLVMValueRef i) {
    if (is_fused(i)) return 0;
    if (is_irregular(n->lanes, i)) return GATHER_DELAY;
    const MathRow *math = LLVMIsACallInst(i) ? math_row_of_call(i) : NULL;
    unsigned registers = vector_registers_of(n->lanes, i);
    if (is_mask(i) && !LLVMIsACmpInst(i)) return 1; /* and, or, xor: TTI takes masks for vectors of bytes */
    if (LLVMIsACallInst(i) && !is_fma(i) && (!math || math->kind != MATH_NATIVE))
        return group_cycles(n->lanes, i) / 2 / (registers ? registers : 1);
    return shim_latency(n->m->tm, i, lanes_of_register(n->lanes, i));
}

/* Cycles until the result of a vector instruction can be used. */
static double delay(const Count *n, LLVMValueRef i) {
    double *known = map_ptr(&n->delays, i);
    if (known) return *known;
    known = arena_alloc(n->a, sizeof *known);
    *known = latency(n, i);
    map_put((PtrMap *)&n->delays, i, (uintptr_t)known);
    return *known;
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

/* The longest chain from one iteration of an innermost loop to the next. */
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
    return maximum;
}

static double iterations_of(const Cfg *c, int b) {
    double r = 1;
    int depth = 0;
    for (int l = c->b[b].loop; l >= 0 && depth < MAX_DEPTH; l = c->l[l].parent, depth++) r *= TRIPS;
    return r;
}

/* The longest chain within an iteration of a loop, without those in it; loop < 0: outside of all. */
static double longest_path(const Count *n, int loop) {
    double maximum = 0;
    PtrMap ready;
    map_init(&ready, n->a);
    for (int b = 0; b < n->c->n; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(n->c->b[b].bb); i && n->c->b[b].loop == loop;
             i = LLVMGetNextInstruction(i)) {
            double *at = arena_alloc(n->a, sizeof *at);
            *at = 0;
            bool phi = LLVMIsAPHINode(i) != NULL;
            for (unsigned k = 0, all = phi ? LLVMCountIncoming(i) : (unsigned)LLVMGetNumOperands(i); k < all; k++) {
                double *o = map_ptr(&ready, phi ? LLVMGetIncomingValue(i, k) : LLVMGetOperand(i, k));
                if (o && *o > *at) *at = *o;
            }
            if (!is_void(i) && !shapes_is_affine(n->lanes->shapes, i)) *at += delay(n, i);
            if (*at > maximum) maximum = *at;
            map_put(&ready, i, (uintptr_t)at);
        }
    return maximum;
}

static double operations_of(const Count *n, int loop) {
    double operations = 0;
    for (int b = 0; b < n->c->n; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(n->c->b[b].bb); i && n->c->b[b].loop == loop;
             i = LLVMGetNextInstruction(i)) {
            bool none = LLVMIsAPHINode(i) || LLVMIsAGetElementPtrInst(i) || is_fused(i);
            if (!none) operations += vector_registers_of(n->lanes, i) > 1 ? vector_registers_of(n->lanes, i) : 1;
        }
    return operations;
}

/* The least time of an iteration, or of a group outside of loops, by what waits for what. An operation of a chain waits
** half of its time on average, so that twice as many are in flight as the schedulers hold. */
static double chained_cycles(const Count *n, int loop) {
    double trips = loop < 0 ? 1 : cfg_trip_count(n->c, loop);
    double flight = 2.0 * shim_scheduler_size(n->m->tm, LLVMGetBasicBlockParent(n->c->b[0].bb));
    double window = flight / (operations_of(n, loop) + 1); /* iterations */
    double groups = trips > 0 && window > trips ? window / trips : 1;
    double path = longest_path(n, loop) / (window > 1 ? window : 1);
    double chain = loop >= 0 && cfg_is_innermost(n->c, loop) ? longest_chain(n, loop) / groups : 0;
    return path > chain ? path : chain;
}

/* What the masks of the branches in the loop cost in an iteration, beyond those of one vector. */
static double mask_cycles(const Count *n, int loop) {
    double vectors = n->lanes->width * 32.0 / n->lanes->vector_bits;
    int masks = 0;
    if (n->lanes->vector_bits < 512 || vectors <= 1) return 0;
    for (int b = 0; b < n->c->n; b++)
        if (n->c->b[b].loop == loop && n->c->b[b].nsucc > 1 && shapes_branch_divergent(n->lanes->shapes, b)) masks++;
    return masks * MASKED * (vectors - 1);
}

static double gather_cycles(const Count *n, int loop) {
    double cycles = 0;
    for (int b = 0; b < n->c->n; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(n->c->b[b].bb); i && n->c->b[b].loop == loop;
             i = LLVMGetNextInstruction(i))
            if (is_irregular(n->lanes, i)) cycles += group_cycles(n->lanes, i);
    return cycles;
}

/* Iterations of the slowest of W lanes / of the average, relative to one lane. */
static double slowest(const Count *n, int loop) {
    double r = 1;
    for (int l = loop; l >= 0; l = n->c->l[l].parent)
        for (int w = n->lanes->width; w > 1 && shapes_loop_divergent(n->lanes->shapes, l); w /= 2) r += SLOWER;
    return r;
}

Pressure pressure(const Module *m, Arena *a, const Cfg *c, Liveness *live, const Lanes *lanes) {
    Count n = {.m = m, .a = a, .c = c, .live = live, .lanes = lanes};
    n.size = arena_array(a, unsigned, live->n + 1);
    n.used = arena_array(a, Bits, c->nloops + 1);
    map_init(&n.delays, a);
    for (int v = 0; v < live->n; v++) n.size[v] = vector_registers_of(lanes, live->value[v]);
    note_uses(&n);
    Pressure r = {0};
    /* of each loop, without those in it; last: outside of all */
    double *iteration = arena_array(a, double, c->nloops + 1);
    for (int b = 0; b < c->n; b++) {
        unsigned maximum = max_live(&n, b);
        iteration[c->b[b].loop >= 0 ? c->b[b].loop : c->nloops] += block_cycles(&n, b, maximum, m->vector_regs);
        if (maximum > r.registers) r.registers = maximum;
    }
    for (int l = 0; l < c->nloops; l++) {
        double chain = chained_cycles(&n, l), times = iterations_of(c, c->l[l].header) * slowest(&n, l) / lanes->width,
               busy = iteration[l] + mask_cycles(&n, l);
        r.cycles += times * busy;
        r.gathers += times * gather_cycles(&n, l);
        if (chain > busy) r.waits += times * (chain - busy);
    }
    double chain = chained_cycles(&n, -1);
    if (chain > iteration[c->nloops]) r.waits += (chain - iteration[c->nloops]) / lanes->width;
    r.cycles += iteration[c->nloops] / lanes->width + r.waits;
    return r;
}

Pressure pressure_of(const Module *m, Arena *a, Cfg *cfg, Liveness *live, int width, Layout layout,
                     const unsigned block[3], bool narrowed) {
    static const unsigned any[3];
    Lanes lanes = {shapes_compute(a, cfg, width, layout, block ? block : any), m->dl, width, (int)m->vector_bits,
                   narrowed};
    return pressure(m, a, cfg, live, &lanes);
}
