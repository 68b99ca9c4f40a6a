/* lane_cost: see lane_cost.h.
**
** Sums cycles over instructions, times how often they run. Known: shapes (scalar in a group, contiguous, gathered),
** loops that lanes leave one by one, divergent branches. Guessed: COST_TRIPS per loop; half of the threads in each
** successor of a test of data; costs, as of a core that starts 4 to 6 operations per cycle.
**
** Alone: a thread runs one successor, and pays for mispredicted branches.
** A lane: the group runs both successors, and a divergent loop as often as its slowest lane.
** A row per thread (lane_rows.h) is vectorised where a thread runs alone, and gathered in a group. Loops whose
** addresses depend on what the previous iteration loaded (pointer chasing) take as long as the chain: there a group has
** W chains at once, and a gather costs no more than one load. */
#include "passes/analysis/lane_cost.h"
#include "passes/analysis/accesses.h"
#include "passes/analysis/lane_rows.h"
#include "passes/ir/math.h"
#include "passes/ir/edit.h"
#include "passes/ir/names.h"
#include "passes/ir/value.h"
#include <math.h>

typedef struct Sums {
    Arena *a;
    const Cfg *c;
    const Shapes *s;
    const Lanes *lanes;
    const MemorySpaces *outside; /* if any: shared memory is free */
    LaneRow *row;                /* of loops */
    double *share;               /* of blocks: share_of */
    PtrMap
        /* instruction -> the innermost loop that it varies in, + 1: what LLVM hoists runs once per iteration of that; 0
        ** = none */
        home;
} Sums;

double estimate_margin(void) { return 1 + COST_ERROR; }

double blend_cycles(const Lanes *x, LLVMTypeRef t) { return cycles_of_lanes(x, COST_SELECT, t); }

double iterations_of_block(const Cfg *c, int block, int loop) {
    double times = 1;
    for (int l = c->b[block].loop; l >= 0 && l != loop; l = c->l[l].parent) {
        unsigned trips = cfg_trip_count(c, l);
        times *= trips ? trips : COST_TRIPS;
    }
    return times;
}

double times_of_block(const Cfg *c, int block) {
    double times = iterations_of_block(c, block, -1);
    for (int b = 0; b < c->n; b++) {
        if (c->b[b].nsucc != 2 || !cfg_dominates(c, b, block)) continue;
        LLVMValueRef test = LLVMGetCondition(LLVMGetBasicBlockTerminator(c->b[b].bb));
        int fails = c->b[b].succ[1];
        if (name_of_call(test) == NAME_ALL && c->b[fails].npred == 1 && cfg_dominates(c, fails, block))
            times *= COST_TESTED;
    }
    return times;
}

/* ---- pointer chasing ---- */

typedef struct Chain {
    double cycles; /* from the phi to this value; < 0: it does not depend on the phi within the loop */
    bool loads;    /* it goes through memory */
} Chain;

static const Chain *find_chain(const Sums *x, PtrMap *known, int loop, LLVMValueRef v, bool group) {
    static const Chain none = {-1, false};
    const Chain *done = map_ptr(known, v);
    if (done || !LLVMIsAInstruction(v)) return done ? done : &none;
    int b = cfg_block_of(x->c, v);
    bool phi = LLVMIsAPHINode(v) != NULL;
    if (b < 0 || !cfg_loop_contains(x->c, loop, b) || (phi && b == x->c->l[loop].header)) return &none;
    Chain *r = arena_alloc(x->a, sizeof *r);
    *r = none;
    map_put(known, v, (uintptr_t)r); /* around an inner loop: treated as none */
    for (unsigned k = 0, n = phi ? LLVMCountIncoming(v) : (unsigned)LLVMGetNumOperands(v); k < n; k++) {
        const Chain *o = find_chain(x, known, loop, phi ? LLVMGetIncomingValue(v, k) : LLVMGetOperand(v, k), group);
        if (o->cycles > r->cycles) *r = *o;
    }
    if (r->cycles < 0) return r;
    r->loads |= LLVMIsALoadInst(v) != NULL;
    if (LLVMIsALoadInst(v)) r->cycles += group ? gather_latency(x->lanes, v) : x->lanes->m->costs->cpu.load_latency;
    else r->cycles += LLVMIsAGetElementPtrInst(v) || phi ? 0 : 1;
    return r;
}

/* Cycles per iteration of a loop that chases pointers, 0 for others. */
static double chase(const Sums *x, int loop, bool group) {
    LLVMBasicBlockRef head = x->c->b[x->c->l[loop].header].bb;
    double maximum = 0;
    for_each_phi(p, head)
        for (unsigned k = 0; k < LLVMCountIncoming(p); k++) {
            int from = cfg_number(x->c, LLVMGetIncomingBlock(p, k));
            if (from < 0 || !cfg_loop_contains(x->c, loop, from)) continue;
            PtrMap known;
            Chain start = {0, false};
            map_init(&known, x->a);
            map_put(&known, p, (uintptr_t)&start);
            const Chain *r = find_chain(x, &known, loop, LLVMGetIncomingValue(p, k), group);
            if (r->loads && r->cycles > maximum) maximum = r->cycles;
        }
    return maximum;
}

bool chases_pointers(Arena *a, const Cfg *c, const Lanes *lanes, int loop) {
    Sums x = {.a = a, .c = c, .s = lanes->shapes, .lanes = lanes};
    return chase(&x, loop, false) > 0;
}

/* ---- shares ---- */

static bool compares_data(const Sums *x, LLVMValueRef c) {
    if (!LLVMIsAICmpInst(c)) return true;
    return !shapes_is_affine(x->lanes->shapes, LLVMGetOperand(c, 0)) ||
           !shapes_is_affine(x->lanes->shapes, LLVMGetOperand(c, 1));
}

/* The successor of a branch that begins at b holds a loop: the branch tests whether it has any iteration. */
static bool enters_loop(const Sums *x, int b) {
    for (int l = 0; l < x->c->nloops; l++)
        if (x->c->l[l].header > b && cfg_dominates(x->c, b, x->c->l[l].header)) return true;
    return false;
}

/* The share of threads that run block b among those that run this iteration of the loop around it; those of the blocks
** before it are known. */
static double share_of(const Sums *x, int b) {
    int up = x->c->b[b].idom;
    if (up < 0 || x->c->b[up].loop != x->c->b[b].loop) return 1;
    double r = x->share[up];
    if (x->c->b[up].nsucc != 2 || !shapes_branch_divergent(x->s, up) || cfg_postdominates(x->c, b, up)) return r;
    LLVMValueRef c = LLVMGetCondition(LLVMGetBasicBlockTerminator(x->c->b[up].bb));
    return compares_data(x, c) && !enters_loop(x, b) ? r / 2 : r;
}

static bool leaves_loop(const Sums *x, int b) {
    int l = x->c->b[b].loop;
    for (int e = 0; l >= 0 && e < x->c->b[b].nsucc; e++)
        if (!cfg_loop_contains(x->c, l, x->c->b[b].succ[e])) return true;
    return false;
}

/* ---- loop invariants ---- */

static bool can_be_hoisted(LLVMValueRef i) {
    if (LLVMIsACallInst(i))
        return is_pure_intrinsic(i) || (name_of_call(i) != NAME_NONE && !name_is_convergent(name_of_call(i)));
    return LLVMIsABinaryOperator(i) || LLVMIsACastInst(i) || LLVMIsACmpInst(i) || LLVMIsASelectInst(i) ||
           LLVMIsAGetElementPtrInst(i) || LLVMIsAUnaryOperator(i);
}

static int home_loop(const Sums *x, LLVMValueRef i, int loop) {
    int home = -1;
    if (!can_be_hoisted(i)) return loop;
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef o = LLVMGetOperand(i, (unsigned)k);
        int h = LLVMIsAInstruction(o) ? (int)map_get(&x->home, o, 0) - 1 : -1;
        if (h >= 0 && (home < 0 || x->c->l[h].depth > x->c->l[home].depth)) home = h;
    }
    return home;
}

static void find_homes(Sums *x) {
    map_init(&x->home, x->a);
    for_each_cfg_instruction(i, b, x->c) {
        int home = home_loop(x, i, x->c->b[b].loop);
        if (home >= 0) map_put(&x->home, i, (uintptr_t)home + 1);
    }
}

/* ---- sums over blocks and loops ---- */

/* Is done once for each active lane, not for all at once. */
static bool is_per_lane(LLVMValueRef i) {
    if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) return true;
    if (is_vector_call(i)) return false;
    return LLVMIsACallInst(i) && name_of_call(i) == NAME_NONE && !is_pure_intrinsic(i) && !math_is_vectorizable(i);
}

/* The branch is unpredictable for a single thread; in a row it has the same outcome in all iterations. */
static bool is_mispredicted(const Sums *x, int b) {
    int loop = x->c->b[b].loop;
    LLVMValueRef t = LLVMGetBasicBlockTerminator(x->c->b[b].bb);
    if (x->c->b[b].nsucc != 2 || !shapes_branch_divergent(x->s, b) || !compares_data(x, LLVMGetCondition(t)))
        return false;
    return loop < 0 || !x->row[loop].is_row || leaves_loop(x, b);
}

static double cycles_in_group(const Sums *x, LLVMValueRef i) {
    bool free = x->outside && (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) &&
                spaces_of(x->outside, accessed_at(i)) == SPACE_SHARED;
    return free ? 0 : group_cycles(x->lanes, i);
}

/* One execution of a block: alone, as a group. What is hoisted is added to the loop that it varies in. */
static LaneCost block_cost(const Sums *x, int b, bool apart, LaneCost *sum, LaneCost *pass) {
    LaneCost r = {0};
    for_each_in_block(i, x->c->b[b].bb) {
        double group = cycles_in_group(x, i);
        int home = (int)map_get(&x->home, i, 0) - 1;
        if (home != x->c->b[b].loop) {
            LaneCost *to = home < 0 ? sum : &pass[home];
            to->alone += thread_cycles(x->lanes->m, i);
            to->lane += group;
            continue;
        }
        r.alone += thread_cycles(x->lanes->m, i);
        r.lane += is_per_lane(i) ? group * x->share[b] : group;
        if (is_scattered(x->lanes, i)) r.scattered += group;
        if (apart && is_irregular(x->lanes, i)) r.own += group;
    }
    if (is_mispredicted(x, b)) {
        double penalty = x->lanes->m->costs->cpu.mispredict_penalty;
        r.alone += leaves_loop(x, b) ? penalty / COST_TRIPS : penalty / 2;
    }
    return r;
}

/* The cost of one iteration for a single thread, as a part of vectors of its row. */
static double alone_in_row(const Sums *x, LaneRow row, double alone) {
    const Module *m = x->lanes->m;
    double chain = latency_of_op(m, COST_FADD) / COST_ROW_OVERLAP;
    if (row.sums_floats) return alone < chain ? chain : alone;
    double gain = COST_ROW_GAIN * m->vector_bits / (8.0 * row.bytes);
    return gain > 1 ? alone / gain : alone;
}

LaneCost lane_cost(Arena *a, const Cfg *c, const Lanes *lanes, const MemorySpaces *outside) {
    const Shapes *s = lanes->shapes;
    Sums x = {.a = a, .c = c, .s = s, .lanes = lanes, .outside = outside};
    LaneCost sum = {0}, *pass = arena_array(a, LaneCost, c->nloops + 1);
    x.row = arena_array(a, LaneRow, c->nloops + 1);
    x.share = arena_array(a, double, c->n);
    find_homes(&x);
    for (int l = 0; l < c->nloops; l++) x.row[l] = lane_row(c, lanes->m->dl, l);
    for (int b = 0; b < c->n; b++) {
        x.share[b] = share_of(&x, b);
        int l = c->b[b].loop;
        bool apart = l >= 0 && x.row[l].is_row;
        for (int o = l; o >= 0; o = c->l[o].parent) apart |= shapes_loop_divergent(s, o);
        LaneCost r = block_cost(&x, b, apart, &sum, pass), *to = l < 0 ? &sum : &pass[l];
        to->alone += r.alone * x.share[b];
        to->lane += r.lane;
        to->scattered += r.scattered;
        to->own += r.own;
    }
    for (int l = c->nloops - 1; l >= 0; l--) { /* inner loops come after their parents */
        double one = chase(&x, l, false), group = chase(&x, l, true), times = COST_TRIPS;
        LaneCost *to = c->l[l].parent < 0 ? &sum : &pass[c->l[l].parent];
        if (x.row[l].is_row) pass[l].alone = alone_in_row(&x, x.row[l], pass[l].alone);
        if (pass[l].alone < one) pass[l].alone = one;
        if (pass[l].lane < group) pass[l].lane = group;
        to->alone += pass[l].alone * times * x.share[c->b[c->l[l].header].idom];
        if (shapes_loop_divergent(s, l)) times *= 1 + COST_SPREAD * log2(lanes->width);
        to->lane += pass[l].lane * times;
        to->scattered += pass[l].scattered * times;
        to->own += pass[l].own * times;
    }
    sum.own = sum.lane > 0 ? sum.own / sum.lane : 0;
    sum.scattered = sum.lane > 0 ? sum.scattered / sum.lane : 0;
    sum.lane /= lanes->width;
    return sum;
}
