/* cost: see cost.h.
**
** Registers: a varying value of t bits takes W*t / register bits registers while it is live; uniform and affine values
** are scalars. Values that a loop only carries through are stored once outside of it: they do not count there. Live
** values beyond the registers are stored and loaded in each iteration; that overlaps with the arithmetic.
** Throughput: an iteration takes as long as the execution unit that is busy longest.
** Latency: an iteration of an innermost loop takes at least the longest chain of dependent operations from one
** iteration to the next. With twice the lanes two such chains run in parallel. And it takes at least the longest chain
** within it, divided by the iterations that the processor's schedulers hold at once: it overlaps those itself, where
** they do not depend on each other. It also overlaps groups, where all of a loop's iterations or code outside of loops
** fit. So are the chains of rows that run in lockstep.
** Divergence: a loop that lanes leave one by one runs as often as its slowest lane. Where registers have 512 bits,
** masks are registers of their own, of one vector each: the mask of a group of several vectors is combined after each
** comparison, and split before its use.
** Memory: an access of consecutive lanes begins anywhere in a cache line, so it touches one line more than it fills, on
** average by all but one element. */
#include "passes/analysis/cost.h"
#include "passes/analysis/access_groups.h"
#include "passes/analysis/memory_spaces.h"
#include "passes/ir/edit.h"
#include "passes/ir/math.h"
#include "passes/ir/shim.h"
#include "passes/ir/value.h"
#include <math.h>

enum { MAX_DEPTH = 4, MAX_CHAIN = 1000 };

typedef struct Count {
    const Module *m;
    Arena *a;
    const Cfg *c;
    Liveness *live;
    const Lanes *lanes;
    int region; /* the loop that is estimated, < 0: all */
    const MemorySpaces *memory;
    bool rewrites;         /* some store may be to what a load reads */
    unsigned *registers;   /* by loop: live at once in its blocks */
    int loop;              /* of the block that is scanned */
    unsigned now, maximum; /* registers that are live there */
    unsigned *size;        /* by value number: registers, 0 = a scalar */
    Bits *used;            /* by loop: values that are used or defined in it */
    PtrMap delays;         /* instruction -> double * */
} Count;

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

/* One execution of the block, and what it spills. */
static void use_block(const Count *n, int b, unsigned maximum, unsigned registers, UnitUse *u) {
    for_each_in_block(i, n->c->b[b].bb) use_units(u, group_cost(n->lanes, i));
    if (maximum > registers) use_spills(n->m, u, maximum - registers);
}

/* ---- chains ---- */

/* Cycles until the result of a vector instruction can be used. */
static double delay(const Count *n, LLVMValueRef i) {
    double *known = map_ptr(&n->delays, i);
    if (known) return *known;
    known = arena_alloc(n->a, sizeof *known);
    *known = group_cost(n->lanes, i).latency;
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

/* Iterations of the loops around it, in the region. */
static double iterations_of(const Count *n, int loop) {
    double r = 1;
    int depth = 0;
    for (int l = loop; l >= 0 && depth < MAX_DEPTH && l != n->region; l = n->c->l[l].parent, depth++) {
        double known = cfg_trip_count(n->c, l);
        r *= known > 0 && known < COST_TRIPS ? known : COST_TRIPS;
    }
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
            OpCost c = group_cost(n->lanes, i);
            operations += c.unit || c.count > 0 ? c.count : c.more > 0;
        }
    return operations;
}

/* Groups share the loop's uniform loads, which become vectors, once for all of them. */
static bool shares_loads(const Count *n, int loop) {
    double shared = 0, all = 0;
    for_each_loop_instruction(i, b, n->c, &n->c->l[loop]) {
        bool uniform = access_shape(n->lanes, i) == ACCESS_UNIFORM;
        shared += uniform;
        all += uniform ? 1 : lane_registers(n->lanes, i);
    }
    return shared > all * COST_JAMMED_SHARE;
}

/* Groups that unroll_and_jam runs at once, as far as registers suffice: in loops that all lanes run, of kernels that do
** not store where they load. */
static double jammed_groups(const Count *n, int loop) {
    if (loop < 0 || n->rewrites || !cfg_is_innermost(n->c, loop) || shapes_loop_divergent(n->lanes->shapes, loop))
        return 1;
    for_each_loop_instruction(i, b, n->c, &n->c->l[loop])
        if (is_irregular(n->lanes, i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAStoreInst(i)) return 1;
    if (!shares_loads(n, loop)) return 1;
    double groups = COST_JAMMED, others = 2; /* registers for broadcasts, as there */
    while (groups > 1 && groups * n->registers[loop] + others >= n->m->vector_regs) groups /= 2;
    return groups;
}

/* Rows of threads that unroll_and_jam runs at once, as far as registers suffice, for the loads that they share: those
** of a stencil, outside of loops. What one row has loaded waits there for the last that needs it. */
static double rows_in_lockstep(const Count *n) {
    if (n->rewrites || n->lanes->width == 1 || pass_disabled(n->m, "unroll_and_jam") ||
        pass_disabled(n->m, "access_groups"))
        return 1;
    const AccessGroups *g = access_groups(n->a, n->c, n->m->dl, NULL);
    double rows = COST_JAMMED, waiting = 0;
    if (g->members.n < COST_SHARED_LOADS) return 1;
    for (int k = 0; k < g->members.n; k++) {
        const AccessMember *m = &g->members.v[k];
        bool first = n->c->b[m->block].loop < 0;
        for (int o = 0; o < k; o++) first = first && g->members.v[o].group != m->group;
        if (first) waiting += lane_registers(n->lanes, m->load);
    }
    while (rows > 1 && rows * n->registers[n->c->nloops] + waiting >= n->m->vector_regs) rows /= 2;
    return waiting > 0 ? rows : 1;
}

/* The least time of an iteration, or of a group outside of loops, by what waits for what. An operation of a chain waits
** half of its time on average, so that twice as many are in flight as the schedulers hold. */
static double chained_cycles(const Count *n, int loop) {
    double trips = loop < 0 ? 1 : cfg_trip_count(n->c, loop);
    double flight = 2.0 * n->m->costs->scheduler_size;
    double window = flight / (operations_of(n, loop) + 1); /* iterations */
    double groups = (trips > 0 && window > trips ? window / trips : 1) * jammed_groups(n, loop);
    double apart = (window > 1 ? window : 1) * (loop < 0 ? rows_in_lockstep(n) : 1);
    double path = longest_path(n, loop) / apart;
    double chain = loop >= 0 && cfg_is_innermost(n->c, loop) ? longest_chain(n, loop) / groups : 0;
    return path > chain ? path : chain;
}

/* Not only the index, whose tests mostly hold for all lanes. */
static bool tests_data(const Count *n, int b) {
    LLVMValueRef t = LLVMGetCondition(LLVMGetBasicBlockTerminator(n->c->b[b].bb));
    if (!LLVMIsAICmpInst(t)) return true;
    for (unsigned k = 0; k < 2; k++)
        if (!shapes_is_affine(n->lanes->shapes, LLVMGetOperand(t, k))) return true;
    return false;
}

/* What the masks of the branches in the loop cost in an iteration, beyond those of one vector: a mask register for all
** vectors is joined after the comparison and split before each use. */
static double mask_cycles(const Count *n, int loop) {
    double vectors = n->lanes->width * 32.0 / n->m->vector_bits, masks = 0;
    if (n->m->vector_bits < 512 || vectors <= 1) return 0;
    for (int b = 0; b < n->c->n; b++)
        if (n->c->b[b].loop == loop && n->c->b[b].nsucc > 1 && shapes_branch_divergent(n->lanes->shapes, b) &&
            tests_data(n, b))
            masks++;
    return masks * (vectors - 1) * (cycles_of_op(n->m, COST_MASK_JOIN) + cycles_of_op(n->m, COST_MASK_SPLIT));
}

/* Iterations of the slowest of W lanes / of the average. */
static double slowest(const Count *n, int loop) {
    double r = 1;
    for (int l = loop; l >= 0; l = n->c->l[l].parent)
        for (int w = n->lanes->width; w > 1 && shapes_loop_divergent(n->lanes->shapes, l); w /= 2) r += COST_SPREAD;
    return r;
}

/* ---- memory ---- */

static LLVMValueRef address_of(LLVMValueRef i, LLVMTypeRef *t) {
    bool store = LLVMIsAStoreInst(i) != NULL;
    *t = LLVMTypeOf(store ? LLVMGetOperand(i, 0) : i);
    return LLVMGetOperand(i, store ? 1 : 0);
}

static double lines_of(const Count *n, LLVMValueRef i, AccessShape shape) {
    LLVMTypeRef t;
    LLVMValueRef p = address_of(i, &t);
    double size = (double)LLVMABISizeOfType(n->m->dl, t), width = n->lanes->width;
    int64_t stride = (int64_t)size;
    if (shape == ACCESS_UNIFORM) return 1;
    bool known = shape != ACCESS_TILE && shapes_lane_stride(n->lanes->shapes, p, &stride);
    if (!known && shape == ACCESS_GATHER) return width;
    double lines = 1 + (width - 1) * (double)(stride < 0 ? -stride : stride) / CACHE_LINE;
    return lines < width ? lines : width;
}

/* Bytes of memory that a thread brings into the cache. */
static double bytes_of(const Count *n, LLVMValueRef p, LLVMTypeRef t, AccessShape shape) {
    double size = (double)LLVMABISizeOfType(n->m->dl, t), apart = CACHE_LINE;
    int64_t stride;
    if (shape == ACCESS_UNIFORM) return size / n->lanes->width;
    if (shape == ACCESS_CONTIGUOUS || shape == ACCESS_TILE) return size;
    if (shapes_lane_stride(n->lanes->shapes, p, &stride)) apart = (double)(stride < 0 ? -stride : stride);
    else if (shape == ACCESS_STRIDED) apart = size;
    return apart < CACHE_LINE ? apart : CACHE_LINE;
}

static void count_access(const Count *n, LLVMValueRef i, int b, Cost *r) {
    LLVMTypeRef t;
    AccessShape shape = access_shape(n->lanes, i);
    if (shape == ACCESS_NONE) return;
    LLVMValueRef p = address_of(i, &t);
    int at = LLVMIsAInstruction(p) ? cfg_block_of(n->c, p) : -1;
    r->accesses[shape]++;
    r->lines += lines_of(n, i, shape) / n->lanes->width * iterations_of(n, n->c->b[b].loop);
    if (spaces_of(n->memory, p) == SPACE_SHARED) return; /* of the block: stays in the first level of the cache */
    r->footprint += bytes_of(n, p, t, shape) * iterations_of(n, at < 0 ? n->region : n->c->b[at].loop);
}

/* ---- regions ---- */

/* A store and a load address one object. */
static bool rewrites_loads(Arena *a, LLVMValueRef fn, LLVMTargetDataRef dl) {
    PtrMap loaded = map_new(a);
    bool exact;
    int64_t at;
    for_each_instruction(i, fn)
        if (LLVMIsALoadInst(i)) map_put(&loaded, shim_object_of(dl, LLVMGetOperand(i, 0), &at, &exact), 1);
    for_each_instruction(i, fn)
        if (LLVMIsAStoreInst(i) && map_get(&loaded, shim_object_of(dl, LLVMGetOperand(i, 1), &at, &exact), 0))
            return true;
    return false;
}

static Count open_count(const Module *m, Arena *a, const Cfg *c, Liveness *live, const Lanes *lanes, int region) {
    Count n = {.m = m, .a = a, .c = c, .live = live, .lanes = lanes, .region = region};
    n.size = arena_array(a, unsigned, live->n + 1);
    n.used = arena_array(a, Bits, c->nloops + 1);
    LLVMValueRef fn = LLVMGetBasicBlockParent(c->b[0].bb);
    n.memory = memory_spaces(a, fn);
    n.rewrites = rewrites_loads(a, fn, m->dl);
    n.registers = arena_array(a, unsigned, c->nloops + 1);
    map_init(&n.delays, a);
    for (int v = 0; v < live->n; v++) n.size[v] = lane_registers(lanes, live->value[v]);
    note_uses(&n);
    return n;
}

/* Adds what one loop, without those in it, or what lies outside of all takes. */
static void add_loop(Count *n, int loop, const UnitUse *use, double gathers, Cost *r) {
    double times = iterations_of(n, loop) * slowest(n, loop) / n->lanes->width, masks = mask_cycles(n, loop),
           busy = use_cycles(n->m, use) + masks, wait = chained_cycles(n, loop);
    r->throughput += times * busy;
    r->masks += times * masks;
    if (loop >= 0) r->gathers += times * gathers;
    if (wait > busy) r->waits += times * (wait - busy);
    r->cycles += times * pow(pow(busy, COST_OVERLAP) + pow(wait, COST_OVERLAP), 1 / COST_OVERLAP);
    double chain = loop >= 0 && cfg_is_innermost(n->c, loop) ? longest_chain(n, loop) : 0, path = longest_path(n, loop);
    if (chain > r->chain) r->chain = chain;
    if (path > r->path) r->path = path;
}

Cost cost_of_region(const Module *m, Arena *a, const Cfg *c, Liveness *live, const Lanes *lanes, int region) {
    Count n = open_count(m, a, c, live, lanes, region);
    Cost r = {.width = lanes->width, .vectors = (int)((lanes->width * 32 + m->vector_bits - 1) / m->vector_bits)};
    UnitUse *use = arena_array(a, UnitUse, c->nloops + 1); /* of each loop, without those in it; last: outside of all */
    double *gathers = arena_array(a, double, c->nloops + 1);
    for (int b = 0; b < c->n; b++) {
        if (region >= 0 && !cfg_loop_contains(c, region, b)) continue;
        int loop = c->b[b].loop, at = loop < 0 ? c->nloops : loop;
        unsigned maximum = max_live(&n, b);
        use_block(&n, b, maximum, m->vector_regs, &use[at]);
        if (maximum > r.registers) r.registers = maximum;
        if (maximum > n.registers[at]) n.registers[at] = maximum;
        for_each_in_block(i, c->b[b].bb) {
            count_access(&n, i, b, &r);
            if (is_irregular(lanes, i)) gathers[at] += group_cycles(lanes, i);
        }
    }
    for (int l = 0; l < c->nloops; l++)
        if (region < 0 || cfg_loop_contains(c, region, c->l[l].header)) add_loop(&n, l, &use[l], gathers[l], &r);
    if (region < 0) add_loop(&n, -1, &use[c->nloops], 0, &r);
    r.memory = r.footprint / CACHE_LINE * COST_LINE;
    return r;
}

Cost cost_of_kernel(const Module *m, Arena *a, Cfg *cfg, Liveness *live, int width, Layout layout,
                    const unsigned block[3], bool narrowed) {
    static const unsigned any[3];
    Lanes lanes = {m, shapes_compute(a, cfg, width, layout, block ? block : any), width, true, narrowed};
    return cost_of_region(m, a, cfg, live, &lanes, -1);
}

/* ---- queries ---- */

int changes_within_budget(LLVMValueRef fn, int most) {
    long n = (long)GROWTH_ANALYSED / (function_size(fn) + 1);
    return n < 1 ? 1 : n < most ? (int)n : most;
}

bool cost_is_lower(double estimate, double than) { return estimate * (1 + COST_ERROR) < than; }

bool cost_fits(const Module *m, const Cost *c) { return c->registers <= m->vector_regs; }

typedef struct Live {
    int now, most;
} Live;

static bool is_number(const void *context, LLVMValueRef v) {
    (void)context;
    return LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind && int_bits(v) != 1;
}

static void change_live(void *context, int number, int by) {
    (void)number;
    ((Live *)context)->now += by;
}

static void note_live(void *context) {
    Live *l = context;
    if (l->now > l->most) l->most = l->now;
}

bool cost_of_calls_fits(const Module *m, Arena *a, const Cfg *c, int width) {
    unsigned registers = (unsigned)width * 32 / m->vector_bits;
    for_each_cfg_instruction(i, b, c) {
        if (!LLVMIsACallInst(i) || !is_vector_call(i)) continue;
        LLVMValueRef f = LLVMGetCalledValue(i);
        Liveness *live = liveness(a, cfg_build(a, f), is_number, NULL);
        Live l = {0, 0};
        for (int k = 0; k < live->cfg->n; k++) l.now = 0, live_scan(live, k, change_live, note_live, &l);
        if (((unsigned)l.most + LLVMCountParams(f)) * registers > m->vector_regs) return false;
    }
    return true;
}

bool cost_waits(const Cost *c) { return cost_is_lower(c->throughput, c->throughput + c->waits); }

bool cost_is_expensive(const Lanes *x, LLVMValueRef i) {
    return group_cycles(x, i) >= COST_SELECTS * cycles_of_lanes(x, COST_SELECT, LLVMTypeOf(i));
}

bool cost_is_cheap(const Lanes *x, LLVMValueRef i) {
    return group_cycles(x, i) <= 2 * cycles_of_lanes(x, COST_FMUL, LLVMTypeOf(i));
}

double cost_of_test(const Module *m, GuardTest test) {
    double penalty = m->costs->cpu.mispredict_penalty;
    switch (test) {
    case TEST_OF_LAUNCH: return 2 * latency_of_op(m, COST_MASK);
    case TEST_OF_UNIFORM: return penalty * COST_UNIFORM_MISSES;
    case TEST_OF_INDEX: return penalty * COST_INDEX_MISSES;
    case TEST_OF_DATA: break;
    }
    return penalty * COST_DATA_MISSES;
}

void cost_print(const Cost *c, const char *name, FILE *out) {
    fprintf(out, "cost of %s, %d lanes, %d vector%s per 32-bit value:\n", name, c->width, c->vectors,
            c->vectors == 1 ? "" : "s");
    fprintf(out, "  time %.2f cycles per thread\n", c->cycles > c->memory ? c->cycles : c->memory);
    fprintf(out, "  throughput %.2f, gathers %.2f, masks %.2f\n", c->throughput, c->gathers, c->masks);
    fprintf(out, "  latency %.2f, chain %.1f, path %.1f\n", c->waits, c->chain, c->path);
    fprintf(out, "  registers %u\n", c->registers);
    fprintf(out, "  accesses: %u uniform, %u contiguous, %u strided, %u gather\n", c->accesses[ACCESS_UNIFORM],
            c->accesses[ACCESS_CONTIGUOUS], c->accesses[ACCESS_STRIDED] + c->accesses[ACCESS_TILE],
            c->accesses[ACCESS_GATHER]);
    fprintf(out, "  memory %.2f, %.2f lines, %.0f bytes per thread\n", c->memory, c->lines, c->footprint);
}
